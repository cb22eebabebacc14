"""Experiment: seconds, cold and warm, and what they depend on; all systems write zstd.

``cold`` is the first clustering of a fresh JVM, ``warm`` the second of the same JVM on a fresh copy
of the table. Rounds go through all systems in turn: a slow minute of the machine meets them all.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import Job, cluster, fresh_table
from pyspark.sql import SparkSession
from systems import (
    COPIES,
    COPY,
    COPY_CLUSTERED,
    LINEAR,
    OURS,
    PEERS,
    RECORDS,
    TREE,
    UPDATED,
    UPKEPT,
)
from table_formats import System

from hudi_zorder.spark._jvm.collections import listed

# What our command line runs by; G1 stops at each of the buffers of 16 MB that Hudi reads logs with.
_PARALLEL = "-XX:+UseParallelGC"


@dataclass(frozen=True)
class Series:
    """One question about seconds.

    Attributes:
        name: of its result files.
        systems: what is compared.
        jobs: on what.
        rounds: processes for each system, of which the median counts.
        heap: of the JVM.
        java: more options of the JVM.
        experiment: what runs the jobs.
    """

    name: str
    systems: tuple[System, ...]
    jobs: tuple[str, ...]
    rounds: int = 1
    heap: str = "4g"
    java: str = ""
    experiment: str = "speed"


def series(*, quick: bool) -> list[Series]:
    """Returns the comparison, the cost by what a table is made of, and bounded memory."""
    if quick:
        return [
            Series("compare", (COPY, TREE, LINEAR, *PEERS), ("flights/2/22",)),
        ]
    return [
        Series(
            "compare",
            (*COPIES, *OURS, *PEERS),
            ("store_sales_sf1/2/22",),
            rounds=2,
        ),
        Series(
            "four",
            (*COPIES, TREE, LINEAR, *PEERS),
            ("store_sales_sf1/4/22",),
            rounds=2,
        ),
        Series(
            "rows",
            (COPY, TREE),
            tuple(f"store_sales_sf{scale}/2/22" for scale in ("0.1", "0.35", "1", "3.5")),
        ),
        Series("columns", (TREE,), tuple(f"store_sales_sf1/{columns}/22" for columns in (2, 4, 8))),
        Series(
            "files",
            (COPY_CLUSTERED, TREE),
            tuple(f"store_sales_sf1/2/{files}" for files in (16, 64, 256, 1000)),
        ),
        Series("records", RECORDS, ("store_sales_sf0.35/2/22",)),
        Series("updated", UPDATED, ("store_sales_sf1/2/22", "days_160/2/80"), java=_PARALLEL),
        Series(
            "large",
            (*COPIES, TREE, LINEAR, *PEERS),
            ("store_sales_sf3.5/2/80",),
            rounds=2,
        ),
        # Asked for half as many files, or half of the partitions would be worth two.
        Series(
            "partitions",
            (TREE, PEERS[0]),
            ("days_160/2/80", "days_500/2/250", "days_2000/2/1000"),
            heap="2g",
            java=_PARALLEL,
        ),
        Series(
            "touched",
            (UPKEPT[0],),
            ("days_20/20", "days_2000/20"),
            heap="2g",
            java=_PARALLEL,
            experiment="touched",
        ),
        Series(
            "wide",
            (COPY, TREE, PEERS[0]),
            ("columns100_150k/2/8", "columns221_150k/2/8", "columns1000_40k/2/8"),
        ),
        Series(
            "memory",
            (TREE,),
            ("wide_8000k/2/32", "texts_4000k/8/32", "days_2000/2/1000"),
            heap="1g",
        ),
        Series("inserting", (TREE,), ("4000/2000",), heap="1g", experiment="inserting"),
        Series(
            "planning",
            (UPKEPT[0],),
            ("20000/10000", "100000/50000"),
            experiment="planning",
        ),
    ]


def run(spark: SparkSession, system: System, job: Job) -> dict[str, Any]:
    """Clusters twice in this JVM; the copy of a clustered table clusters it first, untimed."""
    result: dict[str, Any] = {}
    for temperature in ("cold", "warm"):
        with fresh_table(system, job.data, job.data.partition) as table:
            if system is COPY_CLUSTERED:
                cluster(spark, TREE, table, job.columns, job.files)
            result[f"{temperature}_started"] = time.time()
            done = cluster(spark, system, table, job.columns, job.files)
            result[temperature] = done.seconds
            result[f"{temperature}_phases"] = done.phases
            result["files"], result["bytes"] = len(done.files), done.bytes
    return {**result, **dict(peak_memory(spark))}


def peak_memory(spark: SparkSession) -> Iterator[tuple[str, int]]:
    """Yields peaks of this JVM's life in bytes: of the process, and of its old generation."""
    jvm: Any = spark._jvm
    pid = jvm.java.lang.ProcessHandle.current().pid()
    status = Path(f"/proc/{pid}/status")
    if status.is_file():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        yield "peak_resident", int(lines["VmHWM"].split()[0]) * 1024
    for pool in listed(jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()):
        if "Old Gen" in str(pool.getName()):
            yield "peak_old", pool.getPeakUsage().getUsed()
