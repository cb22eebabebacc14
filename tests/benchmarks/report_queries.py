"""The part of RESULTS.md about queries that a layout has not seen: what Spark reads for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import queries
from query_workloads import WORKLOADS
from store import Runs, RunsBySystem
from systems import TREE
from tables import bound, if_measured, section, table

LAYOUTS: Final = {
    "plain": "plain tree, best columns",
    "weighted": "the tree that `recommend` tells, with its weights",
    "queries": "`cluster(queries=...)`",
}
# Which columns those had that do not choose any.
COLUMNS_TOLD: Final = (
    "Delta and Iceberg have the columns that `recommend` found best for the tree, Hudi the one that"
    " it found best."
)
_MOST_SECONDS = 1.1
# Rows over those of the plain tree: by files, and of any one template.
_MOST_ROWS: Final = {40: 1 / 1.4, 400: 1 / 1.8}
_MOST_ROWS_OF_TEMPLATE = 1.2


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the section."""
    systems = RunsBySystem(results, "queries")
    ours = systems.pop(TREE.name, systems[TREE.name])
    sources = "; ".join(f"{name}: {workload.source}" for name, workload in WORKLOADS.items())
    header = (
        *("data / files", "layout", "by", "files written", "MB written"),
        *("files", "rows", "bytes", "MB a query", "seconds"),
    )
    return [
        section(
            "Queries that the layout has not seen",
            "Shares of the table's files, rows and bytes that Spark reads for a query, in the"
            " mean, as its scans and tasks count them, all columns selected; shares of bytes are"
            " of each system's own table, and MB of them are what compares. Queries of the same"
            f" templates were known to the layouts. {COLUMNS_TOLD} Rows are those that readers"
            " hand on, once they have passed over row groups and pages. At best: files of the"
            " rows that match, in whole files of their own. Our layouts are clustered by turns"
            " in a JVM that has run `recommend`, three times each and twice into 400 files: the"
            " seconds are the medians, the lower of two. Those of Hudi, Delta and Iceberg are"
            " the first clustering of a new JVM, once, in another run: they do not compare with"
            f" ours. {sources}.",
            table(header, [row for job in ours for row in _rows(job, ours, systems)]),
            "\n".join(line for job in queries.jobs(quick=quick) for line in _bounds(ours, job)),
            table(("data / files", "phase, in seconds", *LAYOUTS.values()), _phases(ours)),
        )
    ]


def _rows(job: str, ours: Runs, systems: RunsBySystem) -> Iterator[list[object]]:
    told = job.replace("/", " / ")
    for layout, text in LAYOUTS.items():
        yield [told, text, *_numbers(ours[job][layout])]
    for name, runs in systems.items():
        for text, run in runs.items():
            if text.rpartition("/")[0] == job:
                yield [told, name, *_numbers(run)]
    yield [told, "at best", *("" for _ in range(4)), ours[job]["plain"]["bound"], "", "", ""]


def _phases(ours: Mapping[str, Any]) -> Iterator[list[object]]:
    for job, found in ours.items():
        runs = [found[layout]["phases"] for layout in LAYOUTS]
        for phase in dict.fromkeys(phase for phases in runs for phase in phases):
            yield [job.replace("/", " / "), phase, *(phases.get(phase) for phases in runs)]


def _numbers(run: Mapping[str, Any]) -> list[object]:
    columns = run["columns"].replace("+", ", ")
    shares = (run[f"{what}_read"] for what in ("files", "rows", "bytes"))
    written = run["bytes"] / 1e6
    return [columns, run["files"], written, *shares, mb_read(run), run["seconds"]]


def mb_read(run: Mapping[str, Any]) -> float:
    """Returns the MB that a query reads in the mean, of a table of whatever size."""
    return run["bytes_read"] * run["bytes"] / 1e6


def _bounds(ours: Runs, job: str) -> Iterator[str]:
    if job in ours:
        rows, read = (1 / _of_plain(ours, job, what) for what in ("rows_read", "bytes_read"))
        yield f"- {job}: the plain tree reads {rows:.2f} times the rows, {read:.2f} times the bytes"
    if most := _MOST_ROWS.get(int(job.rpartition("/")[2])):
        rows_read = _of_plain(ours, job, "rows_read")
        yield bound("rows read by queries, over those of the plain tree", rows_read, most, job)
    yield bound(
        "the same of the template that it serves worst",
        _worst(ours, job),
        _MOST_ROWS_OF_TEMPLATE,
        job,
    )
    yield bound(
        "seconds of clustering for queries, over those of the plain tree",
        _of_plain(ours, job, "seconds"),
        _MOST_SECONDS,
        job,
    )


@if_measured
def _of_plain(ours: Runs, job: str, what: str) -> float:
    return ours[job]["queries"][what] / ours[job]["plain"][what]


@if_measured
def _worst(ours: Runs, job: str) -> float:
    """Returns the rows of a template's queries over those of the plain tree, of the worst one."""
    plain, asked = ours[job]["plain"], ours[job]["queries"]
    each = plain["queries_of_template"]
    read = [[row for _, row, _, _ in run["reads"]] for run in (asked, plain)]
    of_templates = (
        [sum(rows[start : start + each]) for rows in read] for start in range(0, len(read[0]), each)
    )
    # What asks for values that no row has is pruned to nothing by any layout.
    return max(ours / of_plain for ours, of_plain in of_templates if of_plain)
