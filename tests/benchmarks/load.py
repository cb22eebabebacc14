"""Loads a data set as a new table of one system, a file of the data as a file of the table.

    python load.py SYSTEM DATA TABLE [PARTITION]

In a process of its own: a JVM that has just written a table clusters or copies it seconds sooner.
"""

from __future__ import annotations

import sys
from pathlib import Path

import data_sets
from session import start_session
from systems import SYSTEMS


def main() -> None:
    """Loads it."""
    name, data_name, table, partition = [*sys.argv[1:], ""][:4]
    system, data = SYSTEMS[name], data_sets.named(data_name)
    folder = data.folder()
    largest = max(file.stat().st_size for file in folder.rglob("*.parquet"))
    # So that Spark reads each file as one partition, unless it is uneven.
    reading = {
        "spark.sql.files.openCostInBytes": "0",
        "spark.sql.files.minPartitionNum": "1",
        "spark.sql.files.maxPartitionBytes": str(largest),
    }
    spark = start_session(system, reading, heap="4g")
    system.load(spark.read.parquet(str(folder)), Path(table), data, partition)
    spark.stop()


if __name__ == "__main__":
    main()
