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
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import commands
import functions
import jmh
import profiling
import reading
import report
import report_front
import speed
import upkeep
import zcolumn
from environment import CACHE, RESULTS, TABLES, benchmark_jar, machine
from measured import WORKS, Work
from store import Store

_WORKER = Path(__file__).with_name("worker.py")


def write_report(results: Path, *, quick: bool) -> None:
    """Writes what the results say: all tables, and what a user asks first."""
    folder = results if quick else RESULTS.parent
    tables = report.write(results, quick=quick)
    pages = {
        report_front.TABLES: tables,
        "RESULTS.md": report_front.write(results, tables, quick=quick),
    }
    for name, text in pages.items():
        (folder / name).write_text(text)
        print(f"Wrote {folder / name}")


# What is measured in this process, or by processes that the experiment starts.
HERE: Final[Mapping[str, Callable[..., None]]] = {
    "command": commands.run,
    "profile": profiling.run,
    "jmh": jmh.run,
    "functions": functions.run,
    "reading": reading.run,
    "zcolumn": zcolumn.run,
    "upkeep": lambda results, quick: upkeep.simulate(results),
    "report": write_report,
}
# By turns for all: the report comes last.
COMMANDS: Final = tuple(dict.fromkeys((*WORKS, *HERE)))


def run(command: str, results: Path, *, quick: bool, only: Sequence[str] = ()) -> list[str]:
    """Runs what has no result yet; returns what failed, whose faults were printed."""
    works = WORKS[command](results, quick) if command in WORKS else ()
    chosen = (work for work in works if not only or work.file.split("-")[1] in only)
    failed = [work.file for work in chosen if not _done(results, work)]
    if command in HERE:
        try:
            HERE[command](results, quick=quick)
        except Exception:
            # One experiment that fails must not lose the others.
            traceback.print_exc()
            failed.append(command)
    return failed


def _done(results: Path, work: Work) -> bool:
    """Runs the jobs that have no result yet in a process of their own; returns whether all did."""
    kept = Store(results, work.file).runs
    missing = [job for job in work.jobs if job not in kept]
    if not missing:
        return True
    options = ["--system", work.system.name, "--experiment", work.experiment, "--name", work.file]
    command = [sys.executable, str(_WORKER), *options, *work.jvm, "--results", str(results)]
    return subprocess.run([*command, *missing], check=False).returncode == 0


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
    machine()  # of the code that this process has: later there may be another
    benchmark_jar()
    failed: list[str] = []
    for command in COMMANDS if arguments.command == "all" else [arguments.command]:
        failed += run(command, results, quick=arguments.quick, only=arguments.series)
    for family in TABLES.glob("*_run"):
        shutil.rmtree(family, ignore_errors=True)
    if failed:
        sys.exit(f"Some jobs failed, see above: {', '.join(dict.fromkeys(failed))}")


if __name__ == "__main__":
    main()
