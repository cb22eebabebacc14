"""Experiment: `hudi-zorder cluster` from start to end, beside a process that Hudi clusters in.

Each run is a process of its own, as a scheduler starts it, on a fresh copy of the table; the two
take turns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from harness import Job, fresh_table, size_of
from store import Store
from systems import TREE

ROUNDS: Final = 3
_HUDI: Final = str(Path(__file__).with_name("hudi_command.py"))
_MAIN: Final = "from hudi_zorder.cli import main; main()"


def keys(*, quick: bool) -> list[str]:
    """Returns all rounds: of a table of 10 MB, and of one of a million rows."""
    jobs = ["flights/2/8", *([] if quick else ["store_sales_sf0.35/2/42"])]
    return [f"{job}#{number}" for job in jobs for number in range(1, ROUNDS + 1)]


def run(results: Path, *, quick: bool) -> None:
    """Measures all rounds."""
    store = Store(results, "command-all")
    for key in keys(quick=quick):
        if key not in store.runs:
            result = measured(Job.parse(key))
            store.add(key, result)
            print(f"command {key}: {result}")


def measured(job: Job) -> dict[str, float]:
    """Returns the seconds of either process, and of the clustering within it."""
    columns = ",".join(job.columns)
    with fresh_table(TREE, job.data) as table:
        target = str(size_of(table.glob("*.parquet")) // job.files + 1)
        layout = ["--columns", columns, "--target-file-size", target]
        own = [sys.executable, "-c", _MAIN, "cluster", str(table), *layout, "--output", "json"]
        command, told = _timed(own)
    with fresh_table(TREE, job.data) as table:
        hudi, within = _timed([sys.executable, _HUDI, str(table), columns, target])
    return {
        "command": command,
        "command_within": sum(
            json.loads(told)["seconds"][part] for part in ("schedule", "execute")
        ),
        "hudi": hudi,
        "hudi_within": float(within.splitlines()[-1]),  # a library of Hudi's prints before it
    }


def _timed(command: Sequence[str]) -> tuple[float, str]:
    """Returns the seconds that a command takes, and what it prints."""
    started = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return time.monotonic() - started, done.stdout
