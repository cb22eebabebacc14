"""Runs the benchmarks and writes RESULTS.md; every experiment is a command of its own.

    python tests/benchmarks/bench.py [--quick] COMMAND  # or all; README.md tells what each does

A run whose result is there is not repeated: remove its JSON file to measure again. ``--quick``
takes small data and keeps its results in the cache folder, so that those of the repository stay.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import commands
import functions
import jmh
import layout
import pages
import profiling
import queries
import reading
import report
import report_front
import rowgroups
import speed
import upkeep
import verify
import weeks
import zcolumn
from environment import CACHE, RESULTS, TABLES, benchmark_jar
from store import Store
from systems import TREE
from table_formats import System

_WORKER = Path(__file__).with_name("worker.py")


def run_layout(results: Path, *, quick: bool) -> None:
    """Runs the comparison of layouts."""
    for system in layout.SYSTEMS:
        _work(results, "layout", system, layout.jobs(system, quick=quick))


def run_pages(results: Path, *, quick: bool) -> None:
    """Runs the page experiments."""
    for system in pages.SYSTEMS:
        _work(results, "pages", system, pages.jobs(system, quick=quick))


def run_rowgroups(results: Path, *, quick: bool) -> None:
    """Runs the row-group experiments."""
    for system in rowgroups.SYSTEMS:
        _work(results, "rowgroups", system, rowgroups.jobs(quick=quick))


def run_speed(results: Path, *, quick: bool, only: Sequence[str] = ()) -> None:
    """Runs the series of timings, or those named."""
    for series in speed.series(quick=quick):
        if only and series.name not in only:
            continue
        for number in range(1, series.rounds + 1):
            for job in series.jobs:
                for system in series.systems:
                    jobs = [f"{job}#{number}"]
                    name = f"speed-{series.name}-{system.name}"
                    jvm = ["--heap", series.heap, "--setting", f"java={series.java}"]
                    _work(results, series.experiment, system, jobs, name, jvm)


def run_verify(results: Path, *, quick: bool) -> None:
    """Runs one clustering by all proofs in turn, each round in a process of its own."""
    for job in verify.jobs(quick=quick):
        _work(results, "verify", TREE, [job], "verify-all")


def run_command(results: Path, *, quick: bool) -> None:
    """Runs the command from start to end."""
    commands.run(results, quick=quick)


def run_profile(results: Path, *, quick: bool) -> None:
    """Runs one clustering under a sampling profiler."""
    profiling.run(results, quick=quick)


def run_jmh(results: Path, *, quick: bool) -> None:
    """Runs the JMH benchmarks."""
    jmh.run(results, quick=quick)


def run_functions(results: Path, *, quick: bool) -> None:
    """Runs the SQL functions beside Spark's hash."""
    functions.run(results, quick=quick)


def run_reading(results: Path, *, quick: bool) -> None:
    """Runs what reads a table of many files."""
    reading.run(results, quick=quick)


def run_zcolumn(results: Path, *, quick: bool) -> None:
    """Runs the stored z-column beside the columns' own statistics."""
    zcolumn.run(results, quick=quick)


def run_upkeep(results: Path, *, quick: bool) -> None:
    """Runs loads with upkeep after each, in every system, of every kind, and in the model."""
    for system in upkeep.SYSTEMS:
        _work(results, "upkeep", system, upkeep.jobs(system, quick=quick))
    _work(results, "weeks", weeks.SYSTEM, weeks.jobs(quick=quick), "upkeep-weeks")
    upkeep.simulate(results)


def run_queries(results: Path, *, quick: bool) -> None:
    """Runs layouts that know queries, and others by the columns that are best for these."""
    for job in queries.jobs(quick=quick):
        _work(results, "queries", TREE, [job])
        if found := queries.best_columns(results, job):
            for system, columns in zip(queries.SYSTEMS, found, strict=True):
                _work(results, "queries", system, [f"{job}/{columns}"])


def write_report(results: Path, *, quick: bool) -> None:
    """Writes what the results say: all tables, and what a user asks first."""
    folder = results if quick else RESULTS.parent
    tables = report.write(results)
    pages = {report_front.TABLES: tables, "RESULTS.md": report_front.write(results, tables)}
    for name, text in pages.items():
        (folder / name).write_text(text)
        print(f"Wrote {folder / name}")


COMMANDS: dict[str, Callable[..., None]] = {
    "layout": run_layout,
    "pages": run_pages,
    "rowgroups": run_rowgroups,
    "speed": run_speed,
    "verify": run_verify,
    "command": run_command,
    "profile": run_profile,
    "jmh": run_jmh,
    "functions": run_functions,
    "reading": run_reading,
    "zcolumn": run_zcolumn,
    "upkeep": run_upkeep,
    "queries": run_queries,
    "report": write_report,
}


def _work(
    results: Path,
    experiment: str,
    system: System,
    jobs: Sequence[str],
    name: str = "",
    jvm: Sequence[str] = (),
) -> None:
    """Runs the jobs that have no result yet in a process of their own."""
    name = name or f"{experiment}-{system.name}"
    missing = [job for job in jobs if job not in Store(results, name).runs]
    if not missing:
        return
    options = ["--system", system.name, "--experiment", experiment, "--name", name, *jvm]
    command = [sys.executable, str(_WORKER), *options, "--results", str(results), *missing]
    finished = subprocess.run(command, check=False)
    if finished.returncode:
        print(f"{name}: some jobs failed, see above", file=sys.stderr)


def main() -> None:
    """Runs one command, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=[*COMMANDS, "all"])
    parser.add_argument("series", nargs="*", help="of speed alone: compare, large, rows, ...")
    parser.add_argument("--quick", action="store_true", help="small data, some 15 minutes for all")
    arguments = parser.parse_args()
    known = {of.name for of in speed.series(quick=arguments.quick)}
    if arguments.series and arguments.command != "speed":
        parser.error(f"'{arguments.command}' has no series; speed alone has")
    if unknown := [name for name in arguments.series if name not in known]:
        told = "with --quick, speed has" if arguments.quick else "speed has"
        parser.error(f"no series '{', '.join(unknown)}': {told} {', '.join(sorted(known))}")
    results = CACHE / "quick" if arguments.quick else RESULTS
    results.mkdir(parents=True, exist_ok=True)
    if arguments.command == "report":
        write_report(results, quick=arguments.quick)
        return  # of results so far: a benchmark may be under way
    benchmark_jar()
    chosen = list(COMMANDS) if arguments.command == "all" else [arguments.command]
    for command in chosen:
        options = {"only": arguments.series} if command == "speed" else {}
        COMMANDS[command](results, quick=arguments.quick, **options)
    for family in TABLES.glob("*_run"):
        shutil.rmtree(family, ignore_errors=True)


if __name__ == "__main__":
    main()
