"""What is measured: every run by the file and the key of its result, and what process makes it.

``bench.py`` makes the runs that have no result yet; the report names those that are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import commands
import functions
import jmh
import layout
import pages
import profiling
import queries
import reading
import rowgroups
import speed
import upkeep
import verify
import weeks
import zcolumn
from store import Store
from systems import TREE
from table_formats import System


@dataclass(frozen=True)
class Work:
    """Jobs of one system that a process runs by turns.

    Attributes:
        experiment: what runs them.
        system: the system.
        jobs: the keys of their results.
        name: of the file of results, when not that of experiment and system.
        jvm: more options of the process.
    """

    experiment: str
    system: System
    jobs: Sequence[str]
    name: str = ""
    jvm: Sequence[str] = ()

    @property
    def file(self) -> str:
        """The name of the file of results."""
        return self.name or f"{self.experiment}-{self.system.name}"


def _layout(_: Path, quick: bool) -> Iterator[Work]:
    for system in layout.SYSTEMS:
        yield Work("layout", system, layout.jobs(system, quick=quick))


def _pages(_: Path, quick: bool) -> Iterator[Work]:
    for system in pages.SYSTEMS:
        yield Work("pages", system, pages.jobs(system, quick=quick))


def _rowgroups(_: Path, quick: bool) -> Iterator[Work]:
    for system in rowgroups.SYSTEMS:
        yield Work("rowgroups", system, rowgroups.jobs(quick=quick))


def _speed(_: Path, quick: bool) -> Iterator[Work]:
    for series in speed.series(quick=quick):
        jvm = ("--heap", series.heap, "--setting", f"java={series.java}")
        for number in range(1, series.rounds + 1):
            for job in series.jobs:
                for system in series.systems:
                    name = f"speed-{series.name}-{system.name}"
                    yield Work(series.experiment, system, [f"{job}#{number}"], name, jvm)


def _verify(_: Path, quick: bool) -> Iterator[Work]:
    for job in verify.jobs(quick=quick):
        yield Work("verify", TREE, [job], "verify-all")


def _upkeep(_: Path, quick: bool) -> Iterator[Work]:
    for system in upkeep.SYSTEMS:
        yield Work("upkeep", system, upkeep.jobs(system, quick=quick))
    yield Work("weeks", weeks.SYSTEM, weeks.jobs(quick=quick), "upkeep-weeks")


def _queries(results: Path, quick: bool) -> Iterator[Work]:
    for job in queries.jobs(quick=quick):
        yield Work("queries", TREE, [job])
        if found := queries.best_columns(results, job):  # once ours is there
            for system, columns in zip(queries.SYSTEMS, found, strict=True):
                yield Work("queries", system, [f"{job}/{columns}"])


# By command: what processes of their own measure.
WORKS: Final[Mapping[str, Callable[[Path, bool], Iterator[Work]]]] = {
    "layout": _layout,
    "pages": _pages,
    "rowgroups": _rowgroups,
    "speed": _speed,
    "verify": _verify,
    "upkeep": _upkeep,
    "queries": _queries,
}


def keys(results: Path, *, quick: bool) -> dict[str, list[str]]:
    """Returns the key of every run by the file of its result; of JMH classes without any."""
    found: dict[str, list[str]] = {}
    for works in WORKS.values():
        for work in works(results, quick):
            found.setdefault(work.file, []).extend(work.jobs)
    return {
        **found,
        "command-all": commands.keys(quick=quick),
        **{f"profile-{system.name}": [profiling.job(quick=quick)] for system in profiling.SYSTEMS},
        "jmh-all": jmh.unmeasured(results, quick=quick),
        "functions-all": list(functions.COLUMNS),
        "reading-all": list(reading.tables(quick=quick)),
        "zcolumn-all": zcolumn.jobs(quick=quick),
        "upkeep-model": upkeep.SIMULATED,
    }


def missing(results: Path, *, quick: bool) -> dict[str, list[str]]:
    """Returns the keys of runs that have no result, by the file that it belongs to."""
    found = {}
    for file, declared in keys(results, quick=quick).items():
        runs = Store(results, file).runs
        if left := [key for key in declared if key not in runs]:
            found[file] = left
    return found
