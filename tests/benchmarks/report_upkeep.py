"""The part of RESULTS.md about upkeep: what is rewritten after every load, and how it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import upkeep
import weeks
from store import Runs, RunsBySystem
from tables import bound, if_measured, section, table
from upkeep import FIRST_MEASURED, LIKE, OURS, SYSTEMS, TWENTY
from upkeep_bound import least_rewritten
from week_loads import LOADS, WEEKS

_KINDS: Final = {
    "uniform": "random",
    "by_day": "by date",
    "random": "random",
    "days": "by date",
}
# What decides how much of a table Hudi and Iceberg rewrite here.
SMALL_FILES_TOLD: Final = (
    "Of a million rows, 64 files have fewer each than a page of Parquet's, 20,000, and those that"
    " Hudi's and Iceberg's writers make of them come out smaller still: below 0.29 of the size"
    " asked for and 0.75, the least that either leaves alone, so that each rewrites everything"
    " after every load. Files of usual sizes both leave alone once these are full, which is not"
    " measured here; `OPTIMIZE ZORDER BY` takes all files by design."
)
# Loads: tables rewritten at most, and times the optimum that may be read after each.
_LIMITS: Final = dict(zip(TWENTY, ((4.0, 1.5), (1.5, 1.2)), strict=True))
# Files a load in the model, of 1 TB and 10 TB: bytes rewritten a byte loaded, and read in the mean.
_MODEL_LIMITS: Final = {"1000/1/1.5/random": (9.0, 1.5), "1000/10/1.5/random": (10.5, 1.55)}


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the sections of loads, and of weeks."""
    kept = RunsBySystem(results, "upkeep")
    systems = {system.name: kept[system.name] for system in SYSTEMS}
    model = kept["model"]
    jobs = upkeep.jobs(SYSTEMS[0], quick=quick)
    return [
        section(
            "Upkeep after every load",
            "Bytes rewritten over all loads, in tables as large as it is in the end, and what an"
            " equality on one of two columns reads after a load, over what a grid of as many full"
            f" files would: from load {FIRST_MEASURED} on. A load is small files."
            f" {SMALL_FILES_TOLD}",
            table(
                ("loads", "system", "rewritten", "read: mean", "worst", "files"),
                list(_real(systems)),
            ),
            "\n".join(_bounds(systems[OURS], model, jobs)),
            "The same planner in a model, with loads of so many full files, by its threshold"
            " (`hoodie.clustering.zorder.read.threshold`); laid out are those that a bulk insert by"
            f" `ZOrderBulkInsertPartitioner` makes. {least_told()}",
            table(
                ("loads", "files a load", "threshold", "rewritten", "read: mean", "p99", "worst"),
                list(_modelled(model)),
            ),
        ),
        _weeks(kept["weeks"], weeks.jobs(quick=quick)),
    ]


def least_told() -> str:
    """Says what no policy that merges whole runs goes below."""
    fewer, more = (least_rewritten(loads, 1.5, FIRST_MEASURED) for loads in (20, 100))
    return (
        "Of policies that merge whole runs and read at most 1.5 times the optimum of random keys,"
        f" none rewrites less than {fewer:.2f} tables over 20 loads, {more:.2f} over 100."
    )


def least_of_hundred(most_read: float) -> float | None:
    """Returns that of 100 loads; None where too many states read little enough to try them all."""
    return least_rewritten(100, most_read, FIRST_MEASURED) if most_read < 2 else None


def _weeks(runs: Runs, jobs: Sequence[str]) -> str:
    names = [name for name in jobs if name in runs]
    keys = ("by_writes", "rewritten", "mean", "worst", "anew", "files", "idle")
    header = (
        *("what happens", "written by loads", "rewritten", "read: mean", "worst"),
        *("laid out anew", "files", "nothing to do"),
    )
    text = (
        f"{LOADS} times something is written, and the table kept up by `cluster()`; after each, the"
        " rows are compared with those of a model in DuckDB, and `cluster()` is run again, which"
        " must change no byte below the table's folder. Bytes are those of base files, in tables as"
        " large as it is in the end; what is read, over grids of full files, one a partition, of"
        f" all rows from load {FIRST_MEASURED} on; at last, once all of it is laid out anew."
        " Nothing to do: after how many loads nothing was worth it."
    )
    return section(
        "Upkeep through weeks of other loads",
        text,
        table(header, [[WEEKS[name].told, *(runs[name][key] for key in keys)] for name in names]),
        "\n".join(_kept(runs, jobs)),
    )


def _kept(runs: Runs, names: Sequence[str]) -> Iterator[str]:
    yield bound("rows that differ, in all", _sum(runs, names, "wrong"), 0)
    yield bound("second runs that did something", _sum(runs, names, "again"), 0)
    for name in names:
        if not WEEKS[name].limit:
            yield bound("times the optimum, at worst", _number(runs, name, "worst"), 1.5, name)


@if_measured
def _sum(runs: Runs, names: Sequence[str], what: str) -> int:
    return sum(runs[name][what] for name in names)


@if_measured
def _number(runs: Runs, key: str, what: str) -> float:
    return runs[key][what]


def _real(systems: Mapping[str, Mapping[str, Any]]) -> Iterator[list[object]]:
    jobs = dict.fromkeys(job for runs in systems.values() for job in runs)
    for job in jobs:
        kind = _KINDS[job.partition("/")[0].rpartition("_")[0]]
        loads = f"{job.rpartition('/')[2]}, {kind}"
        for name, runs in systems.items():
            if job in runs:
                keys = ("rewritten", "mean", "worst", "files")
                yield [loads, name, *(runs[job][key] for key in keys)]


def _modelled(model: Mapping[str, Any]) -> Iterator[list[object]]:
    for name, run in model.items():
        loads, files, threshold, kind, *laid_out = name.split("/")
        numbers = (run[key] for key in ("rewritten", "mean", "p99", "worst"))
        told = ", ".join([loads, _KINDS[kind], *("laid out" for _ in laid_out)])
        yield [told, int(files), threshold, *numbers]


def _bounds(ours: Runs, model: Runs, jobs: Sequence[str]) -> Iterator[str]:
    for job, (rewritten, read) in _LIMITS.items():
        if job in jobs:
            yield bound("tables rewritten", _number(ours, job, "rewritten"), rewritten, job)
            yield bound("times the optimum, at worst", _number(ours, job, "worst"), read, job)
    for name, (rewritten, read) in _MODEL_LIMITS.items():
        of_loaded = _number(model, name, "rewritten")
        yield bound("bytes rewritten a byte loaded", of_loaded, rewritten, name)
        yield bound("times the optimum, in the mean", _number(model, name, "mean"), read, name)
        yield bound("times the optimum, 99th percentile", _number(model, name, "p99"), 2, name)
    for job in (job for job in LIKE if job in jobs):
        apart = _apart(ours, model, job)
        yield bound("real bytes rewritten beside the model's", apart, 0.1, job)


@if_measured
def _apart(ours: Runs, model: Runs, job: str) -> float:
    return abs(ours[job]["rewritten"] / model[LIKE[job]]["rewritten"] - 1)
