"""Experiment: `hudi-zorder cluster` from start to end, beside a process that Hudi clusters in.

    python commands.py TABLE COLUMNS FILES  # the latter: starts a session, clusters by Hudi, ends

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

from harness import Job, cluster, fresh_table, size_of, start_session
from store import Store
from systems import PEERS, TREE

ROUNDS: Final = 3
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
        target = size_of(table.glob("*.parquet")) // job.files + 1
        layout = ["--columns", columns, "--target-file-size", str(target)]
        own = [sys.executable, "-c", _MAIN, "cluster", str(table), *layout, "--output", "json"]
        command, told = _timed(own)
    with fresh_table(TREE, job.data) as table:
        hudi, within = _timed([sys.executable, __file__, str(table), columns, str(job.files)])
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


def main() -> None:
    """Clusters by Hudi's own strategy in a session of its own."""
    table, columns, files = sys.argv[1:]
    hudi = PEERS[0]
    spark = start_session(hudi, {}, heap="1g")  # Spark's own default, as the command has it
    done = cluster(spark, hudi, Path(table), tuple(columns.split(",")), int(files))
    spark.stop()
    print(done.seconds)


if __name__ == "__main__":
    main()
