"""The part of RESULTS.md about queries that a layout has not seen: what Spark reads for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from query_workloads import WORKLOADS
from store import stores
from systems import TREE
from tables import bound, section, table

LAYOUTS: Final = {
    "plain": "plain tree, best columns",
    "weighted": "the tree that `recommend` tells, with its weights",
    "queries": "`cluster(queries=...)`",
}
_MOST_SECONDS = 1.1


def sections(results: Path) -> list[str]:
    """Returns the section, or nothing when it was not measured."""
    systems = {name: store.runs for name, store in stores(results, "queries").items()}
    ours = systems.pop(TREE.name, {})
    if not ours:
        return []
    jobs = dict.fromkeys(text.rpartition("/")[0] for text in ours)
    sources = "; ".join(f"{name}: {workload.source}" for name, workload in WORKLOADS.items())
    header = ("data / files", "layout", "by", "files written", "files", "rows", "bytes", "seconds")
    return [
        section(
            "Queries that the layout has not seen",
            "Shares of the table's files, rows and bytes that Spark reads for a query, in the mean,"
            " as its scans and tasks count them, all columns selected. Queries of the same"
            " templates were known to the layouts. Rows are those that readers hand on, once they"
            " have passed over row groups and pages. At best: files of the rows that match, in"
            f" whole files of their own. {sources}.",
            table(header, [row for job in jobs for row in _rows(job, ours, systems)]),
            "\n".join(_bounds(ours, list(jobs))),
            table(("data / files", "phase, in seconds", *LAYOUTS.values()), _phases(ours, jobs)),
        )
    ]


def _rows(
    job: str, ours: Mapping[str, Any], systems: Mapping[str, Mapping[str, Any]]
) -> Iterator[list[object]]:
    told = job.replace("/", " / ")
    for layout, text in LAYOUTS.items():
        if run := ours.get(f"{job}/{layout}"):
            yield [told, text, *_numbers(run)]
    for name, runs in systems.items():
        for text, run in runs.items():
            if text.rpartition("/")[0] == job:
                yield [told, name, *_numbers(run)]
    if run := ours.get(f"{job}/plain"):
        yield [told, "at best", "", "", run["bound"], "", "", ""]


def _phases(ours: Mapping[str, Any], jobs: Iterable[str]) -> Iterator[list[object]]:
    for job in jobs:
        runs = [ours.get(f"{job}/{layout}", {}).get("phases", {}) for layout in LAYOUTS]
        for phase in dict.fromkeys(phase for phases in runs for phase in phases):
            yield [job.replace("/", " / "), phase, *(phases.get(phase) for phases in runs)]


def _numbers(run: Mapping[str, Any]) -> list[object]:
    columns = run["columns"].replace("+", ", ")
    shares = (run[f"{what}_read"] for what in ("files", "rows", "bytes"))
    return [columns, run["files"], *shares, run["seconds"]]


def _bounds(ours: Mapping[str, Any], jobs: list[str]) -> Iterator[str]:
    for job in jobs:
        plain, asked = (ours.get(f"{job}/{layout}") for layout in ("plain", "queries"))
        if plain and asked:
            times = plain["rows_read"] / asked["rows_read"]
            less = plain["bytes_read"] / asked["bytes_read"]
            yield (
                f"- {job}: the plain tree reads {times:.2f} times the rows"
                f" and {less:.2f} times the bytes"
            )
            yield bound(
                "seconds of clustering for queries, over those of the plain tree",
                asked["seconds"] / plain["seconds"],
                _MOST_SECONDS,
                job,
            )
