"""The front page of the report: what a user asks first, each answer with what measures it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

import speed
from data_sets import named
from report_queries import COLUMNS_TOLD, LAYOUTS, mb_read
from report_speed import FILES_TOLD, inserted
from report_upkeep import SMALL_FILES_TOLD, least_of_hundred, least_told
from store import RunsBySystem, Store, numbers_of, sizes_of
from systems import TREE
from tables import APART, APART_TOLD, alike, section, table
from upkeep import THRESHOLDS, TWENTY, curve

TABLES: Final = "RESULTS_TABLES.md"
_SYSTEMS: Final = {
    "tree": "**hudi-zorder**",
    "delta-zorder": "Delta, `OPTIMIZE ZORDER BY`",
    "iceberg-zorder": "Iceberg, `zorder`",
    "iceberg-sort": "Iceberg, `sort`",
    "hudi-linear": "Hudi, `linear`",
    "hudi-zorder-sample": "Hudi, `z-order` by samples",
    "copy": "a copy by Hudi's writer",
    "copy-our-writer": "a copy by this plugin's writer",
}
_INTRODUCTION: Final = f"""\
# Benchmark results

Two cores, Spark local, zstd for all; each system in a process of its own, cold the first clustering
of a JVM, warm its second. Commands stand for `python tests/benchmarks/bench.py COMMAND`, which
measures what has no result in `results/`. All tables, with the machine and the commit of each run:
[{TABLES}]({TABLES}); how to measure again: [README.md](README.md).

{APART_TOLD}"""


def write(results: Path, tables: str, *, quick: bool) -> str:
    """Returns the page.

    Args:
        results: the folder of all results.
        tables: the long report, whose bounds are counted here.
        quick: whether they are of a quick run.
    """
    parts = (
        _INTRODUCTION,
        _files(results),
        _seconds(results, quick=quick),
        _upkeep(results),
        _queries(results),
        _scale(results),
        _bounds(tables),
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def _files(results: Path) -> str:
    """What an equality reads, beside a grid of independent columns."""
    runs = RunsBySystem(results, "layout")
    rows = []
    for name, told in _SYSTEMS.items():
        ratios = {job: run["ratio"] for job, run in runs[name].items()}
        independent = [
            ratio for job, ratio in ratios.items() if named(job.split("/")[0]).independent
        ]
        if ratios:
            worst = max(independent, default=None)
            hardest = max(ratios, key=lambda job: ratios[job])
            rows.append(
                [told, median(ratios.values()), worst, ratios[hardest], _described(hardest)]
            )
    return section(
        "What a query reads: `layout`",
        "Mean share of rows in files that an equality on a sort column cannot rule out, over that"
        " of a grid of as many files in independent columns, N^(-1/k): 1 is the best for"
        " independent columns when nothing is known of the queries; correlated ones and nulls can"
        " read less. TPC-DS, flights and made-up data; 2 to 4"
        " columns, 16 to 128 files asked for. In `prefix` all texts of a column begin alike, with 5"
        " to 30 characters; Iceberg's `zorder` compares the first 8 bytes and no more, unless its"
        " option `var-length-contribution` says otherwise.",
        table(("layout", "median", "worst, independent columns", "worst of all", "of"), rows),
    )


def _seconds(results: Path, *, quick: bool) -> str:
    """What a clustering costs."""
    asked = {
        series.name: job
        for series in speed.series(quick=quick)
        for job in series.jobs
        if series.name in ("compare", "four", "large")
    }
    runs = {
        name: {kind: list(Store(results, f"speed-{kind}-{name}").runs.values()) for kind in asked}
        for name in _SYSTEMS
    }
    rows = [
        [_SYSTEMS[name], *(_cold_warm(found[kind], runs[TREE.name][kind]) for kind in asked)]
        for name, found in runs.items()
        if any(found.values())
    ]
    return section(
        "What it costs: `speed compare four large`",
        "Seconds, cold / warm, in the mean of two rounds, which go through all systems by turns, or"
        " of one run, and in parentheses the files written; by data, sort columns and files asked"
        " for, each column to be compared downwards alone. TPC-DS store_sales has 2.9 million rows"
        f" at scale 1, 10 million at 3.5.{_of_sort(runs)} {FILES_TOLD}",
        table(("system", *(_described(job) for job in asked.values())), rows),
    )


def _of_sort(runs: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]) -> str:
    """Says that Iceberg's sort is faster, where it is."""
    pairs = [
        (median(run[what] for run in sort), median(run[what] for run in runs[TREE.name][kind]))
        for kind, sort in runs["iceberg-sort"].items()
        for what in ("cold", "warm")
        if sort and runs[TREE.name][kind]
    ]
    if not pairs or any(sort >= tree for sort, tree in pairs):
        return ""
    return (
        " Iceberg's `sort`, which skips worse, is faster than hudi-zorder; the bounds are against"
        " its `zorder`."
    )


def _cold_warm(runs: Sequence[Mapping[str, Any]], ours: Sequence[Mapping[str, Any]]) -> str:
    """Returns seconds, marked where they were not measured by turns with ours."""
    if not runs:
        return ""
    cold, warm = (median(run[kind] for run in runs) for kind in ("cold", "warm"))
    once = ", one run" if len(runs) == 1 else ""
    return f"{cold:.1f} / {warm:.1f}{_mark(*runs, *ours)} ({runs[-1]['files']}){once}"


def _mark(*runs: Mapping[str, Any]) -> str:
    return "" if alike(runs) else APART


def _upkeep(results: Path) -> str:
    """What is rewritten after every load."""
    systems = {"upkeep": _SYSTEMS["tree"], **_SYSTEMS}
    rows = []
    for name, told in systems.items():
        runs = Store(results, f"upkeep-{name}").runs
        if runs:
            rows.append([told, *(_rewritten(runs.get(job)) for job in TWENTY)])
    model = Store(results, "upkeep-model").runs
    return section(
        "What upkeep costs, 20 loads of 5 %: `upkeep`",
        "Tables rewritten over all loads, in parentheses what an equality reads after a load at"
        " worst, over what a grid of as many full files would, and the files in the end, where 64"
        f" were asked for. {SMALL_FILES_TOLD}",
        table(("system", "random keys", "keys by date"), rows),
        f"{least_told()} The same planner in a model, loads of random keys: bytes rewritten a byte"
        " loaded, and in parentheses what is read in the mean and at the 99th percentile, over the"
        " grid's; for `hoodie.clustering.zorder.read.threshold` to be chosen by.",
        table(
            (*("threshold", "100 loads", "the least by whole runs"), *("1,000, 1 TB", "10 TB")),
            list(_curve(model)),
        ),
    )


def _rewritten(run: Mapping[str, Any] | None) -> str:
    return f"{run['rewritten']:.2f} ({run['worst']:.2f}), {run['files']} files" if run else ""


def _curve(model: Mapping[str, Any]) -> Iterator[list[object]]:
    for threshold in THRESHOLDS:
        runs = {told: model.get(f"{loads}/random") for told, loads in curve(threshold).items()}
        if all(runs.values()):
            least = least_of_hundred(float(threshold))
            of_hundred, *others = (_modelled(run) for run in runs.values())
            yield [threshold, of_hundred, f"{least:.2f}" if least else "", *others]


def _modelled(run: Mapping[str, Any] | None) -> str:
    return f"{run['rewritten']:.2f} ({run['mean']:.2f}, {run['p99']:.2f})" if run else ""


def _queries(results: Path) -> str:
    """What queries read that a layout has not seen, though others of their templates."""
    systems = RunsBySystem(results, "queries")
    ours = systems.pop(TREE.name, systems[TREE.name])
    by_job = {
        name: {text.rpartition("/")[0]: run for text, run in runs.items()}
        for name, runs in systems.items()
    }
    rows = [
        [
            _described(job),
            *(_query_cell(found[layout]) for layout in LAYOUTS),
            *(_query_cell(runs.get(job)) for runs in by_job.values()),
            f"{found['plain']['bound']:.3f}",
        ]
        for job, found in ours.items()
    ]
    header = [*LAYOUTS.values(), *(_SYSTEMS[name] for name in by_job), "rows at best"]
    blank = any(job not in runs for job in ours for runs in by_job.values())
    return section(
        "What queries read that the layout has not seen: `queries`",
        "Mean share of the table's rows / MB that Spark reads for a query; the layouts know other"
        f" queries of the same templates. {COLUMNS_TOLD} In a table of Hudi the same rows take more"
        " bytes, for its meta columns and a Bloom filter in each file: Delta and Iceberg can read"
        " fewer MB where they read more rows."
        f"{' What is blank was not measured.' if blank else ''}",
        table(("data / files", *header), rows),
    )


def _query_cell(run: Mapping[str, Any] | None) -> str:
    return "" if run is None else f"{run['rows_read']:.3f} / {mb_read(run):.1f}"


def _scale(results: Path) -> str:
    return section(
        "How far it goes",
        "One run each, in the same JVM cold and then warm.",
        table(("what", "measured", "command"), list(_sizes(results))),
    )


def _sizes(results: Path) -> Iterator[Sequence[object]]:
    for job, run in Store(results, "speed-memory-tree").runs.items():
        data = named(job.split("/")[0])
        yield f"a heap of 1 GB: {data.source}", _in_heap(run), "`speed memory`"
    for job, run in Store(results, "speed-inserting-tree").runs.items():
        yield f"a heap of 1 GB: {inserted(job)}", _in_heap(run), "`speed inserting`"
    by_files = {
        sizes_of(job)[-1]: run["warm"]
        for job, run in Store(results, "speed-files-tree").runs.items()
    }
    for files, seconds in sorted(by_files.items()):
        yield f"{files:,} files of 2.9 million rows", f"{seconds:.1f} s warm", "`speed files`"
    yield from _beside_linear(results, "partitions", "small partitions")
    for job, run in Store(results, "speed-touched-upkeep").runs.items():
        told = f"upkeep of {named(job.split('/')[0]).source}, of which 20 got new rows"
        yield told, f"{run['cold']:.1f} s cold, {run['warm']:.1f} warm", "`speed touched`"
    for job, run in Store(results, "speed-planning-upkeep").runs.items():
        told = f"a plan of {numbers_of(job)[0]:,} files by their footers, a driver of 4 GB"
        seconds = f"{run['cold']:.0f} s cold, {run['warm']:.0f} warm"
        yield (
            told,
            f"{seconds}; old generation {run['peak_old'] / 2**30:.2f} GiB",
            "`speed planning`",
        )
    yield from _beside_linear(results, "wide", "wide tables")
    yield from _beside_linear(results, "updated", "every twentieth row in log files", "-updated")
    for job, run in Store(results, "reading-all").runs.items():
        command, files, _ = job.rsplit("/", 2)
        if int(files) == 100_000:
            seconds = f"{run['seconds']:.0f} s, {run['peak']:.0f} MB"
            yield f"`{command}` of 100,000 files, without Spark", seconds, "`reading`"


def _described(job: str) -> str:
    return job.replace("/", " / ")


def _in_heap(run: Mapping[str, Any]) -> str:
    return f"{run['warm']:.0f} s warm; old generation {run['peak_old'] / 2**30:.2f} GiB"


def _beside_linear(
    results: Path, series: str, told: str, kind: str = ""
) -> Iterator[Sequence[object]]:
    linear = Store(results, f"speed-{series}-hudi-linear{kind}").runs
    runs = Store(results, f"speed-{series}-tree{kind}").runs
    for job, run in sorted(runs.items(), key=lambda found: sizes_of(found[0])):
        seconds = f"{run['cold']:.1f} s cold, {run['warm']:.1f} warm"
        if job in linear:
            cold, warm = (f"{linear[job][kind]:.1f}" for kind in ("cold", "warm"))
            seconds += f"; Hudi, `linear`: {cold}, {warm}{_mark(run, linear[job])}"
        data = named(job.split("/")[0]).source
        yield f"{told}: {data}", seconds, f"`speed {series}`"


def _bounds(tables: str) -> str:
    """Every bound that is missed or not measured, by the section that explains it."""
    title = ""
    kept = 0
    missed, unmeasured = [], []
    for line in tables.splitlines():
        if line.startswith("## "):
            title = line.removeprefix("## ")
        kept += line.startswith("- kept")
        if line.startswith("- **missed"):
            missed.append(f"- {title}: {line.removeprefix('- ')}")
        if line.startswith("- not measured"):
            unmeasured.append(f"- {title}: {line.removeprefix('- ')}")
    return "\n\n".join(
        (
            "## Bounds",
            f"{kept} of {kept + len(missed) + len(unmeasured)} bounds are kept,"
            f" {len(missed)} missed and {len(unmeasured)} not measured. A bound needs all"
            " rounds of what it compares; the section named has the profile of what is missed.",
            "\n".join((*missed, *unmeasured)),
        )
    ).strip()
