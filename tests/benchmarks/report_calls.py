"""The part of the report that is about a clustering's phases, and about calls of a row each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import profiling
from store import Runs, Store
from tables import bound, if_measured, section, table

_COLUMNS = (2, 3, 4, 8)
_MOST_BUILT = "tree, 100000 files"


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the sections of the profile, of JMH and of the SQL functions."""
    tree, copy = (Store(results, f"profile-{name}").runs for name in ("tree", "copy"))
    return [
        _profile(tree, copy, profiling.job(quick=quick)),
        _jmh(Store(results, "jmh-all").runs, quick=quick),
        _functions(Store(results, "functions-all").runs),
    ]


def _profile(tree: Runs, copy: Runs, job: str) -> str:
    parts = []
    if job in tree:
        samples = tree[job]["samples"]
        copied = copy.get(job, {"samples": {}})["samples"]
        total = sum(samples.values())
        rows = [
            [name, samples.get(name, 0), copied.get(name, 0), samples.get(name, 0) / total]
            for name in sorted({**copied, **samples}, key=lambda name: -samples.get(name, 0))
        ]
        parts += [
            f"{job.replace('/', ' / ')}: samples of executor threads, taken at one rate for both:"
            f" {total:,} of the tree's second clustering, {sum(copied.values()):,} of the copy's.",
            table(("what ran", "tree", "copy", "share of the tree's"), rows),
            "Phases of the strategy, seconds:",
            table(("phase", "seconds"), list(tree[job]["phases"].items())),
        ]
    share = _key_and_routing(tree, job)
    return section(
        "Profile: where the time goes", *parts, bound("key and routing work", share, 0.05)
    )


@if_measured
def _key_and_routing(tree: Runs, job: str) -> float:
    samples = tree[job]["samples"]
    return samples.get("key and routing", 0) / sum(samples.values())


def _jmh(scores: Runs, *, quick: bool) -> str:
    by_name: dict[str, dict[int, float]] = defaultdict(dict)
    others = []
    for key, score in scores.items():
        name, columns, rest = _parts(key)
        if columns:
            by_name[name + rest][columns] = score["score"]
        else:
            others.append([name + rest, score["score"], score["unit"], score.get("modelBytes")])
    nanoseconds = [
        [name, *(by_columns.get(columns) for columns in _COLUMNS)]
        for name, by_columns in by_name.items()
    ]
    bounds = [
        bound(
            f"interleaving against {system}, at worst of 2, 3, 4 and 8 columns",
            _worst_quotient(by_name, "interleaveOurs", f"interleave{system}"),
            limit,
        )
        for system, limit in (("Hudi", 0.2), ("Iceberg", 1.0))
    ]
    if not quick:
        seconds, size = next(
            ((time, size) for name, time, _, size in others if name.startswith(_MOST_BUILT)),
            (None, None),
        )
        bounds.append(bound("seconds to build the model of 100,000 files", seconds, 20))
        bounds.append(bound("its bytes as sent, in MB", size and size / 1e6, 64))
    return section(
        "Nanoseconds a row",
        "JMH, one thread, the same random longs for all.",
        table(("benchmark", *(f"{columns} columns" for columns in _COLUMNS)), nanoseconds),
        table(("benchmark", "score", "unit", "bytes of the model"), others),
        "\n".join(bounds),
    )


def _parts(key: str) -> tuple[str, int, str]:
    """Returns benchmark, number of columns (0 if it has none) and its other parameters."""
    name, _, parameters = key.rpartition(".")[2].partition("(")
    found = dict(part.split("=") for part in parameters.rstrip(")").split(", ") if part)
    columns = int(found.pop("columns", 0))
    return name, columns, "".join(f", {value} {what}" for what, value in found.items())


def _worst_quotient(
    by_name: Mapping[str, Mapping[int, float]], ours: str, theirs: str
) -> float | None:
    a, b = by_name.get(ours, {}), by_name.get(theirs, {})
    if not {*_COLUMNS} <= {*a} & {*b}:
        return None
    return max(a[columns] / b[columns] for columns in _COLUMNS)


def _functions(runs: Runs) -> str:
    names = ("reading alone", "xxhash64", "zorder_value", "hilbert_value")
    rows = [[columns, *(runs[columns][name] for name in names)] for columns in runs]
    bounds = [
        bound(
            f"zorder_value of {columns}, of xxhash64",
            _of_hash(runs, columns),
            limit,
        )
        for columns, limit in {"two longs": 1.5, "four mixed": 3.0}.items()
    ]
    return section(
        "SQL functions beside Spark's hash",
        "Seconds of a query of a million cached rows on one core, medians; each makes a column"
        " of the columns named and writes it nowhere.",
        table(("columns", *names), rows),
        "\n".join(bounds),
    )


@if_measured
def _of_hash(runs: Runs, columns: str) -> float:
    return runs[columns]["zorder_value"] / runs[columns]["xxhash64"]
