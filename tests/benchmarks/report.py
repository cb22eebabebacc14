"""RESULTS_TABLES.md from the JSON files of results: all tables, and how every bound was kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import layout
import pages
import reading
import report_calls
import report_command
import report_queries
import report_runs
import report_speed
import report_upkeep
import report_verify
import report_zcolumn
from data_sets import named
from store import Runs, RunsBySystem, Store
from systems import OURS, PEERS, TREE
from tables import APART_TOLD, bound, if_measured, section, table, worst

_MOST_SECONDS = {20_000: 12, 100_000: 60}
_MOST_BY_INDEX = 10  # seconds for as many files
_BOUND_INDEPENDENT, _BOUND_ANY, _BOUND_PAGES = 1.06, 1.15, 1.3
_INTRODUCTION = f"""\
# Benchmark results: all tables

What a user asks first is in [RESULTS.md](RESULTS.md). Both are written by
`python tests/benchmarks/bench.py report` from the files in `results/`; how to measure again is told
in `README.md`. Shares come from footers and page indexes of the files that each system wrote. Of N
files (or pages) in a grid of k independent columns, an equality on one reads N^(-1/k); a ratio is a
share divided by that. It bounds independent columns alone: correlated ones, or nulls, allow less
than 1.

{APART_TOLD}"""


def write(results: Path, *, quick: bool) -> str:
    """Returns the report of all results in a folder."""
    layouts = RunsBySystem(results, "layout")
    parts = [
        _INTRODUCTION,
        report_runs.machines(results),
        _layout(layouts, quick=quick),
        _shares(layouts),
        _pages(RunsBySystem(results, "pages"), quick=quick),
        _rowgroups(RunsBySystem(results, "rowgroups")),
        *report_speed.sections(results, quick=quick),
        *report_calls.sections(results, quick=quick),
        *report_command.sections(results, quick=quick),
        *report_verify.sections(results, quick=quick),
        _reading(Store(results, "reading-all").runs, quick=quick),
        *report_zcolumn.sections(results),
        *report_upkeep.sections(results, quick=quick),
        *report_queries.sections(results, quick=quick),
        report_runs.missing(results, quick=quick),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _layout(runs: RunsBySystem, *, quick: bool) -> str:
    systems = [s.name for s in layout.SYSTEMS if s.name in runs]
    rows = [
        [_described(job), *(_ratio(runs[system].get(job)) for system in systems)]
        for job in layout.jobs(TREE, quick=quick)
        if job in runs["tree"]
    ]
    text = (
        "Equality on 200 values of each column, drawn from rows: mean share of rows in files that"
        " minimum and maximum cannot rule out, divided by N^(-1/k) of the files written; in"
        " parentheses the share itself, and the files written where the number named was asked for."
    )
    return section(
        "Files: beside a grid of independent columns",
        text,
        table(("data / columns / files", *systems), rows),
        "\n".join(_layout_bounds(runs, quick=quick)),
    )


def _ratio(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['ratio']:.2f} ({result['mean']:.3f}, {result['files']})"


def _layout_bounds(runs: RunsBySystem, *, quick: bool) -> Iterator[str]:
    tree, jobs = runs["tree"], layout.jobs(TREE, quick=quick)
    independent = [job for job in jobs if named(job.split("/")[0]).independent]
    of_peers = [(job, peer.name) for peer in PEERS for job in layout.jobs(peer, quick=quick)]
    alone = _ratios(tree, independent)
    yield from worst("the tree on independent columns", alone, _BOUND_INDEPENDENT)
    yield from worst("the tree on any data", _ratios_of_ample(tree, jobs), _BOUND_ANY)
    yield from worst(
        "the tree against the best peer of a row", _against(runs, of_peers, _of_same_row), 1
    )
    yield from worst(
        "the same, each peer beside the tree's run of the nearest number of files",
        _against(runs, of_peers, _of_like_files),
        1,
    )
    if fullness := [tree[job]["fullness"] for job in jobs if job in tree]:
        least, most = min(f[0] for f in fullness), max(f[1] for f in fullness)
        yield f"- rows of the tree's files, of their mean: {least:.2f} to {most:.2f}"


@if_measured
def _ratios(runs: Runs, jobs: Sequence[str]) -> dict[str, float]:
    return {job: runs[job]["ratio"] for job in jobs}


@if_measured
def _ratios_of_ample(runs: Runs, jobs: Sequence[str]) -> dict[str, float]:
    """Returns those of columns of at least as many values as there are files, as the bound asks."""
    ratios = {job: (runs[job], min(runs[job]["distinct"].values())) for job in jobs}
    return {job: run["ratio"] for job, (run, least) in ratios.items() if least >= run["files"]}


@if_measured
def _against(
    runs: RunsBySystem,
    of_peers: Sequence[tuple[str, str]],
    ours: Callable[[Runs, str, int], Mapping[str, Any]],
) -> dict[str, float]:
    """Returns the tree's ratio over that of each peer on each job."""
    found = ((job, peer, runs[peer][job]) for job, peer in of_peers)
    return {
        f"{job} beside {peer}": ours(runs["tree"], job, run["files"])["ratio"] / run["ratio"]
        for job, peer, run in found
    }


def _of_same_row(tree: Runs, job: str, _: int) -> Any:
    return tree[job]


def _of_like_files(tree: Runs, job: str, files: int) -> Any:
    """Returns the tree's run on a job's data and columns that wrote about so many files."""
    table = job.rpartition("/")[0]
    like = [tree[job], *(run for text, run in tree.items() if text.rpartition("/")[0] == table)]
    return min(like, key=lambda run: abs(math.log(run["files"] / files)))


def _shares(runs: RunsBySystem) -> str:
    names = [system.name for system in (*OURS, *PEERS) if system.name in runs]
    rows = []
    for job in _jobs(runs):
        for kind, text in (
            ("range_1", "1 % range"),
            ("range_10", "10 % range"),
            ("conjunction", "all columns equal"),
            ("conjunction_10", "10 % range of all"),
        ):
            shares = []
            for name in names:
                value = runs[name].get(job, {}).get(kind)
                shares.append(mean(value.values()) if isinstance(value, dict) else value)
            rows.append([f"{_described(job)}: {text}", *shares])
    return section(
        "Files: ranges and conjunctions",
        "Share of rows in files that cannot be ruled out, mean over 200 predicates a column.",
        table(("data / columns / files: predicate", *names), rows),
    )


def _pages(runs: RunsBySystem, *, quick: bool) -> str:
    names = [system.name for system in pages.SYSTEMS if system.name in runs]
    rows, named_rows, read = [], [], {}
    for job in _jobs(runs):
        for name in names:
            result = runs[name].get(job)
            if result is None:
                continue
            data, count, _ = job.split("/")
            columns = {c: result[c] for c in named(data).columns[: int(count)]}
            filtered = [1 - column["share"] for column in columns.values()]
            first, later = filtered[0], mean(filtered[1:])
            size = result["bytes"] / 1e6
            rows.append(
                [_described(job), name, result["all_pages"], first, later, result["ratio"], size]
            )
            demo = columns.get("ss_cdemo_sk", {}).get("named")
            if demo and result["all_pages"] <= pages.IMPALA_PAGES:
                read[name] = 1 - demo["filtered_of_all"] / result["all_pages"]
            for column, value in columns.items():
                if "named" in value:
                    named_rows.append(_named_row(job, name, column, value, result["all_pages"]))
    header = (
        "data / columns / files",
        "layout",
        "pages",
        "filtered, first",
        "later",
        "ratio",
        "MB",
    )
    own = [job for job in pages.jobs(TREE, quick=quick) if job.startswith("store_sales")]
    under_tree = _ratios(runs["tree"], own)
    impala = (
        f"Impala reports {pages.IMPALA_PAGES:,} pages, {pages.IMPALA_FILTERED:,} filtered (91.5 %)"
        " for `select *` with ss_cdemo_sk = 961370. Pages of meta columns are not counted here. A"
        f" perfect grid of as many pages, {pages.IMPALA_PAGES // 23} a column, filters"
        f" {1 - (pages.IMPALA_PAGES // 23) ** -0.5:.1%} in the mean over both columns. The layouts"
        " named by a number of rows have a page row limit; the fewer rows, the larger the files."
        " The bound is of the best of those that write no more pages than Impala:"
        f" {', '.join(read)};"
        " the limit of 22,200 rows is chosen for that."
    )
    return section(
        "Pages: Impala's experiment",
        "Filtered share of pages, equality on 200 values of the first and of the later columns.",
        table(header, rows),
        "\n".join(
            (
                *worst("pages of Impala's own table under the tree", under_tree, _BOUND_PAGES),
                *([_impala_share(read)] if own else ()),
            )
        ),
        impala if named_rows else "",
        table(
            ("predicate", "layout", "pages", "filtered", "select *: pages", "filtered", "share"),
            named_rows,
        ),
    )


def _impala_share(read: Mapping[str, float]) -> str:
    best = min(read, key=lambda name: read[name], default=None)
    what = "pages read by Impala's own query, of no more pages than Impala's"
    return bound(what, None if best is None else read[best], 0.085, best or "")


def _named_row(job: str, name: str, column: str, value: Any, pages: int) -> list[object]:
    asked = value["named"]
    return [
        f"{job}: {column} = {asked['value']}",
        name,
        value["pages"],
        asked["filtered"],
        pages,
        asked["filtered_of_all"],
        asked["filtered_of_all"] / pages,
    ]


def _rowgroups(runs: RunsBySystem) -> str:
    states = {
        "alone": "as loaded",
        "loaded": "before clustering",
        "clustered": "clustered",
    }
    rows = []
    for job, result in runs["tree"].items():
        question = " and ".join(
            f"{column} = {low}" if low == high else f"{column} from {low} to {high}"
            for column, (low, high) in result["question"].items()
        )
        for state, text in states.items():
            if state in result:
                counts = result[state]
                if state == "loaded" and "alone" in result:
                    text = "partitioned by month"
                elif state == "clustered" and "alone" in result:
                    text = "partitioned and clustered"
                keys = ("row_groups", "by_partition", "by_statistics", "by_dictionary")
                left = counts["rows_left"] / counts["rows"]
                rows.append([f"{job}: {question}", text, *(counts[key] for key in keys), left])
    header = ("question", "table", "row groups", "by partition", "statistics", "dictionary")
    return section(
        "Row groups: partitions, statistics and dictionaries",
        "Row groups in all, those filtered by each means in turn, and the share of rows left."
        " Impala 2.9 reports 574, 535 and 12 for the first question, at 1,000 times the rows.",
        table((*header, "rows left"), rows),
    )


def _reading(runs: Runs, *, quick: bool) -> str:
    tables = reading.tables(quick=quick)
    rows = [
        [name, files, archived, *(runs[key][what] for what in ("seconds", "processor", "peak"))]
        for key, (name, files, archived) in tables.items()
        if key in runs
    ]
    header = ("command", "files", "archived instants", "seconds", "processor seconds", "peak MB")
    by_files = {
        files: [key for key, (_, of, _) in tables.items() if of == files] for files in _MOST_SECONDS
    }
    by_index = [key for key, (name, *_) in tables.items() if name in reading.BY_INDEX]
    bounds = [
        *(
            line
            for files, keys in by_files.items()
            for line in worst(
                f"seconds to read {files:,} files",
                _numbers(runs, keys, "seconds"),
                _MOST_SECONDS[files],
            )
        ),
        *worst(
            "seconds to read files by the index",
            _numbers(runs, by_index, "seconds"),
            _MOST_BY_INDEX,
        ),
        *worst("MB to read", _numbers(runs, tables, "peak"), 1000),
    ]
    return section(
        "Reading: tables of many files",
        "A process each, with its start, run once; every footer holds Hudi's Bloom filter of 431"
        " KB. The files are hard links of a few hundred, which the operating system has in memory:"
        " what is measured is reading and not the disk.",
        table(header, rows),
        "\n".join(bounds),
    )


@if_measured
def _numbers(runs: Runs, keys: Iterable[str], what: str) -> dict[str, float]:
    return {key: runs[key][what] for key in keys}


def _jobs(runs: RunsBySystem) -> list[str]:
    """Returns all jobs in the order of the matrix; those of other runs come last."""
    order = layout.jobs(TREE, quick=False) + pages.jobs(TREE, quick=False)
    found = {job for results in runs.values() for job in results}
    return sorted(found, key=lambda job: (order.index(job) if job in order else len(order), job))


def _described(job: str) -> str:
    return job.replace("/", " / ")
