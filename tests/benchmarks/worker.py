"""One system in a process of its own: runs jobs in one Spark session, saves each result at once.

    python worker.py --system tree --experiment layout --results DIR uniform_1000k/2/64 ...

A job is data set / number of columns / number of files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import inserting
import layout
import pages
import planning
import queries
import rowgroups
import speed
import touched
import upkeep
import verify
import weeks
from environment import machine
from harness import Job
from session import start_session
from store import Store
from systems import SYSTEMS

# What each runs, and how it reads a job.
EXPERIMENTS: Mapping[str, tuple[Callable[..., dict[str, Any]], Callable[[str], Any]]] = {
    "inserting": (inserting.run, inserting.InsertJob.parse),
    "layout": (layout.run, Job.parse),
    "pages": (pages.run, Job.parse),
    "planning": (planning.run, planning.PlanJob.parse),
    "queries": (queries.run, queries.QueryJob.parse),
    "rowgroups": (rowgroups.run, Job.parse),
    "speed": (speed.run, Job.parse),
    "touched": (touched.run, touched.TouchedJob.parse),
    "upkeep": (upkeep.run, Job.parse),
    "verify": (verify.run, Job.parse),
    "weeks": (weeks.run, str),
}


def main() -> None:
    """Runs jobs whose result is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", required=True, choices=SYSTEMS)
    parser.add_argument("--experiment", required=True, choices=EXPERIMENTS)
    parser.add_argument("--name", help="of the result file, when not that of the system")
    parser.add_argument("--results", required=True, type=Path)
    parser.add_argument("--heap", default="4g", help="of the driver, which is the executor too")
    parser.add_argument("--setting", action="append", default=[], help="a Spark setting, key=value")
    parser.add_argument("jobs", nargs="+")
    arguments = parser.parse_args()

    system = SYSTEMS[arguments.system]
    prefix = arguments.experiment
    experiment, parse = EXPERIMENTS[prefix]
    machine()  # of the code that this process has: later there may be another
    store = Store(arguments.results, arguments.name or f"{prefix}-{system.name}")
    settings = dict(setting.split("=", 1) for setting in arguments.setting)
    spark = start_session(system, settings, arguments.heap)
    failed = 0
    try:
        for text in arguments.jobs:
            try:
                result = experiment(spark, system, parse(text))
            except Exception as error:
                # One combination that a system refuses must not lose the others.
                failed += 1
                print(f"{system.name} {text} failed: {error}"[:2000], file=sys.stderr)
                continue
            store.add(text, result)
            print(f"{prefix} {system.name} {text}: {summary(result)}", flush=True)
    finally:
        spark.stop()
    sys.exit(1 if failed else 0)


def summary(result: Mapping[str, Any]) -> str:
    """Returns the single numbers of a result in one line."""
    numbers = {k: v for k, v in result.items() if isinstance(v, int | float)}
    return ", ".join(
        f"{k} {v:.3g}" if isinstance(v, float) else f"{k} {v}" for k, v in numbers.items()
    )


if __name__ == "__main__":
    main()
