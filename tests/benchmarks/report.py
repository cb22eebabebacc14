"""RESULTS_TABLES.md from the JSON files of results: all tables, and how every bound was kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import layout
import pages
import report_command
import report_queries
import report_speed
import report_upkeep
import report_verify
import report_zcolumn
from data_sets import named
from store import Store, stores
from systems import OURS, PEERS, TREE
from tables import bound, section, table

_MOST_SECONDS = {20_000: 12, 100_000: 60}
_MOST_BY_INDEX = 10  # seconds for as many files
_BOUND_INDEPENDENT, _BOUND_ANY, _BOUND_PAGES = 1.06, 1.15, 1.3
_INTRODUCTION = """\
# Benchmark results: all tables

What a user asks first is in [RESULTS.md](RESULTS.md). Both are written by
`python tests/benchmarks/bench.py report` from the files in `results/`; how to measure again is told
in `README.md`. Shares come from footers and page indexes of the files that each system wrote. Of N
files (or pages) in a grid of k independent columns, an equality on one reads N^(-1/k); a ratio is a
share divided by that. It bounds independent columns alone: correlated ones, or nulls, allow less
than 1."""


def write(results: Path) -> str:
    """Returns the report of all results in a folder."""
    layouts = {name: store.runs for name, store in stores(results, "layout").items()}
    paged = {name: store.runs for name, store in stores(results, "pages").items()}
    grouped = {name: store.runs for name, store in stores(results, "rowgroups").items()}
    parts = [
        _INTRODUCTION,
        _machine(results),
        _layout(layouts),
        _shares(layouts),
        _pages(paged),
        _rowgroups(grouped),
        *report_speed.sections(results),
        *report_command.sections(results),
        *report_verify.sections(results),
        _reading(Store(results, "reading-all")),
        *report_zcolumn.sections(results),
        *report_upkeep.sections(results),
        *report_queries.sections(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _machine(results: Path) -> str:
    """Returns what holds for all results, and apart from it what differs by experiment."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for path in sorted(results.glob("*.json")):
        words = path.stem.split("-")
        experiment = " ".join(words[:2] if words[0] == "speed" else words[:1])
        found.setdefault(experiment, []).append(Store(results, path.stem).machine)
    if not found:
        return ""
    facts = {
        fact: {name: _distinct(fact, machines) for name, machines in found.items()}
        for fact in next(iter(found.values()))[0]
    }
    same = [(fact, *set(of.values())) for fact, of in facts.items() if len(set(of.values())) == 1]
    differing = [fact for fact, of in facts.items() if len(set(of.values())) > 1]
    rows = [[name, *(facts[fact][name] for fact in differing)] for name in found]
    return section(
        "Machine and versions",
        table(("", ""), same),
        table(("experiment", *differing), rows) if differing else "",
    )


def _distinct(fact: str, machines: Sequence[Mapping[str, str]]) -> str:
    return ", ".join(sorted({machine[fact] for machine in machines}))


def _layout(runs: Mapping[str, Mapping[str, Any]]) -> str:
    jobs = [job for job in _jobs(runs) if job in runs.get("tree", {})]
    if not jobs:
        return ""
    systems = [s.name for s in layout.SYSTEMS if s.name in runs]
    rows = [
        [_described(job), *(_ratio(runs[system].get(job)) for system in systems)] for job in jobs
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
        "\n".join(_layout_bounds(runs, jobs)),
    )


def _ratio(result: Mapping[str, Any] | None) -> str:
    if result is None:
        return ""
    return f"{result['ratio']:.2f} ({result['mean']:.3f}, {result['files']})"


def _layout_bounds(runs: Mapping[str, Mapping[str, Any]], jobs: Sequence[str]) -> list[str]:
    tree = runs.get("tree", {})
    independent = {j: tree[j]["ratio"] for j in jobs if named(j.split("/")[0]).independent}
    # The bound of any data holds for columns of at least as many values as there are files.
    ample = {
        j: tree[j]["ratio"] for j in jobs if min(tree[j]["distinct"].values()) >= tree[j]["files"]
    }
    same_row, like_files = {}, {}
    for peer in PEERS:
        for job, run in runs.get(peer.name, {}).items():
            if job in jobs:
                like = _of_like_files(tree, job, run["files"])
                same_row[f"{job} beside {peer.name}"] = tree[job]["ratio"] / run["ratio"]
                like_files[f"{job} beside {peer.name}"] = like["ratio"] / run["ratio"]
    fullness = [tree[job]["fullness"] for job in jobs]
    lines = [
        _worst("the tree on independent columns", independent, _BOUND_INDEPENDENT),
        _worst("the tree on any data", ample, _BOUND_ANY),
        _worst("the tree against the best peer of a row", same_row, 1),
        _worst(
            "the same, each peer beside the tree's run of the nearest number of files",
            like_files,
            1,
        ),
        f"- rows of the tree's files, of their mean: {min(f[0] for f in fullness):.2f} to "
        f"{max(f[1] for f in fullness):.2f}",
    ]
    return lines


def _of_like_files(tree: Mapping[str, Any], job: str, files: int) -> Any:
    """Returns the tree's run on a job's data and columns that wrote about so many files."""
    table = job.rpartition("/")[0]
    like = [run for text, run in tree.items() if text.rpartition("/")[0] == table]
    return min(like, key=lambda run: abs(math.log(run["files"] / files)))


def _worst(what: str, ratios: Mapping[str, float], limit: float) -> str:
    worst = max(ratios, key=lambda job: ratios[job], default=None)
    return bound(what, None if worst is None else ratios[worst], limit, worst or "")


def _shares(runs: Mapping[str, Mapping[str, Any]]) -> str:
    if not runs:
        return ""
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


def _pages(runs: Mapping[str, Mapping[str, Any]]) -> str:
    if not runs:
        return ""
    names = [system.name for system in pages.SYSTEMS if system.name in runs]
    rows, named_rows, tree_ratios, read = [], [], {}, {}
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
            if name == "tree" and job.startswith("store_sales"):
                tree_ratios[job] = result["ratio"]
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
    impala = (
        f"Impala reports {pages.IMPALA_PAGES:,} pages, {pages.IMPALA_FILTERED:,} filtered (91.5 %)"
        " for `select *` with ss_cdemo_sk = 961370. Pages of meta columns are not counted here. A"
        f" perfect grid of as many pages, {pages.IMPALA_PAGES // 23} a column, filters"
        f" {1 - (pages.IMPALA_PAGES // 23) ** -0.5:.1%} in the mean over both columns. The layouts"
        " named by a number of rows have a page row limit; the fewer rows, the larger the files."
    )
    return section(
        "Pages: Impala's experiment",
        "Filtered share of pages, equality on 200 values of the first and of the later columns.",
        table(header, rows),
        _worst("pages of Impala's own table under the tree", tree_ratios, _BOUND_PAGES),
        _impala_share(read),
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


def _rowgroups(runs: Mapping[str, Mapping[str, Any]]) -> str:
    if not runs:
        return ""
    states = {
        "alone": "as loaded",
        "loaded": "before clustering",
        "clustered": "clustered",
    }
    rows = []
    for job, result in runs.get("tree", {}).items():
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


def _reading(store: Store) -> str:
    rows = []
    for key, run in store.runs.items():
        name, files, archived = key.rsplit("/", 2)
        numbers = (run["seconds"], run["processor"], run["peak"])
        rows.append([name, int(files), int(archived), *numbers])
    header = ("command", "files", "archived instants", "seconds", "processor seconds", "peak MB")
    return section(
        "Reading: tables of many files",
        "A process each, with its start; every footer holds Hudi's Bloom filter of 431 KB.",
        table(header, rows),
        *(_worst(what, found, limit) for what, found, limit in _reading_bounds(store)),
    )


def _reading_bounds(store: Store) -> Iterator[tuple[str, dict[str, float], float]]:
    for files, seconds in _MOST_SECONDS.items():
        runs = {key: run for key, run in store.runs.items() if f"/{files}/" in key}
        if runs:
            taken = {key: run["seconds"] for key, run in runs.items()}
            yield f"seconds to read {files:,} files", taken, seconds
    taken = {key: run["seconds"] for key, run in store.runs.items() if ", index/" in key}
    if taken:
        yield "seconds to read files by the index", taken, _MOST_BY_INDEX
    if store.runs:
        yield "MB to read", {key: run["peak"] for key, run in store.runs.items()}, 1000


def _jobs(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Returns all jobs in the order of the matrix; those of other runs come last."""
    order = layout.jobs(TREE, quick=False) + pages.jobs(TREE, quick=False)
    found = {job for results in runs.values() for job in results}
    return sorted(found, key=lambda job: (order.index(job) if job in order else len(order), job))


def _described(job: str) -> str:
    return job.replace("/", " / ")
