"""Experiment: upkeep of a table of many small partitions of which a load has touched a few.

    python touched.py SYSTEM DATA/TOUCHED TABLE  # makes such a table, in a process of its own

The table was clustered; then a few partitions got as many new rows as they had. What is timed is
``cluster``, cold on a fresh JVM's first table and warm on its second. Beside it stands a table that
has no other partitions than the few.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import data_sets
from harness import fresh_folder, fresh_table
from pyspark.sql import DataFrame, SparkSession
from session import start_session
from store import job_of
from systems import SYSTEMS
from table_formats import System

_TARGET = 1 << 20


@dataclass(frozen=True)
class TouchedJob:
    """A table and the partitions that get new rows: ``days_2000/20`` as text, ``#2`` behind it."""

    data: data_sets.DataSet
    days: int
    touched: int

    @classmethod
    def parse(cls, text: str) -> TouchedJob:
        """Reads a job."""
        name, touched = job_of(text).split("/")
        return cls(data_sets.named(name), int(name.rpartition("_")[2]), int(touched))


def run(spark: SparkSession, system: System, job: TouchedJob) -> dict[str, Any]:
    """Clusters two tables in this JVM, of which other processes have made each."""
    result: dict[str, Any] = {}
    for temperature in ("cold", "warm"):
        with fresh_folder(system) as table:
            prepare = [__file__, system.name, f"{job.data.name}/{job.touched}", str(table)]
            subprocess.run([sys.executable, *prepare], check=True)
            files = table.rglob("*.parquet")  # without Spark, which would warm the JVM
            before = {str(file) for file in files if ".hoodie" not in file.parts}
            started = time.monotonic()
            system.upkeep(spark, table, job.data.columns, _TARGET)
            result[temperature] = time.monotonic() - started
            after = set(system.files(spark, table))
            result["kept"], result["written"] = len(before & after), len(after - before)
    return result


def main() -> None:
    """Clusters a whole table, and adds rows to a few partitions of it."""
    name, text, place = sys.argv[1:]
    system, job = SYSTEMS[name], TouchedJob.parse(text)
    with fresh_table(system, job.data, job.data.partition) as table:
        spark = start_session(system, {"java": "-XX:+UseParallelGC"}, heap="2g")
        system.upkeep(spark, table, job.data.columns, _TARGET)
        system.append(_new_rows(spark, job), table, job.data)
        spark.stop()
        table.rename(place)


def _new_rows(spark: SparkSession, job: TouchedJob) -> DataFrame:
    """Returns rows of days that lie evenly among the others, a file each."""
    rows = data_sets.ROWS_A_DAY * job.touched
    day = f"id % {job.touched} * {job.days // job.touched} AS day"
    values = [f"abs(hash(id, {seed})) % 1000000L AS {name}" for seed, name in enumerate("ab")]
    return spark.range(rows, numPartitions=1).selectExpr(
        f"{data_sets.ROWS_A_DAY * job.days} + id AS id", day, *values
    )


if __name__ == "__main__":
    main()
