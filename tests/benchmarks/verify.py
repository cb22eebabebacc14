"""Experiment: seconds of one clustering by what it proves of its rows before the commit.

Proofs take turns in one JVM, each on a fresh copy of the table, after a turn that is not timed: a
hundredth of a clustering is less than two JVMs differ by. A round is a JVM of its own.
"""

from __future__ import annotations

from typing import Any, Final

from harness import Clustering, Job, cluster, fresh_table
from pyspark.sql import SparkSession
from systems import PROVEN
from table_formats import System

_ROUNDS: Final = 2
_TURNS: Final = 3


def jobs(*, quick: bool) -> list[str]:
    """Returns the clustering to prove, once for each round."""
    if quick:
        return ["flights/2/22"]
    return [f"store_sales_sf1/2/22#{number}" for number in range(1, _ROUNDS + 1)]


def run(spark: SparkSession, _: System, job: Job) -> dict[str, Any]:
    """Clusters by every proof in turn; returns the seconds of all its turns, by proof."""
    timed: dict[str, list[Clustering]] = {system.name: [] for system in PROVEN}
    for turn in range(1 + _TURNS):
        for system in PROVEN:
            with fresh_table(system, job.data, job.data.partition) as table:
                done = cluster(spark, system, table, job.columns, job.files)
            if turn:
                timed[system.name].append(done)
    return {
        name: {
            "seconds": [done.seconds for done in turns],
            "verify": [done.phases.get("verify", 0.0) for done in turns],
        }
        for name, turns in timed.items()
    }
