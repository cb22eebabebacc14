"""Experiment: what files each system's layout skips, by data set, columns and number of files."""

from __future__ import annotations

from functools import cache
from typing import Any

from harness import Job, cluster, fresh_table
from pyspark.sql import SparkSession
from skipping import Predicates, file_parts, measure, predicates
from systems import OURS, PEERS, TREE
from table_formats import System

SYSTEMS = (*OURS, *PEERS)

_SHAPES = ((2, 16), (2, 128), (3, 64), (4, 128))  # columns and files
_KINDS = ("uniform", "skewed", "correlated", "prefix", "nulls")
# Hudi's own strategies write more files than they are asked for, and with nulls a ratio falls as
# files grow in number: the tree is also asked for as many as Hudi's Hilbert curve has written.
_AS_MANY_AS_HUDI = ((2, 104), (2, 746), (3, 400), (4, 733))


def jobs(system: System, *, quick: bool) -> list[str]:
    """Returns the matrix: TPC-DS and flights whole, and generated data of 300,000 rows."""
    if quick:
        return ["flights/2/22"]
    matrix = [f"store_sales_sf1/{k}/{n}" for k, n in ((2, 22), (3, 64), (4, 100))]
    matrix += [f"flights/{k}/{n}" for k in (2, 3, 4) for n in (22, 64)]
    matrix += [f"{kind}_300k/{k}/{n}" for kind in _KINDS for k, n in _SHAPES]
    return matrix + [f"nulls_300k/{k}/{n}" for k, n in _AS_MANY_AS_HUDI if system is TREE]


def run(spark: SparkSession, system: System, job: Job) -> dict[str, Any]:
    """Clusters once, and measures from footers."""
    with fresh_table(system, job.data) as table:
        done = cluster(spark, system, table, job.columns, job.files)
        measured = measure(
            file_parts(done.files, job.columns), _asked(job.data.name, job.columns), job.columns
        )
        return {"seconds": done.seconds, "bytes": done.bytes, **measured}


@cache
def _asked(data: str, columns: tuple[str, ...]) -> Predicates:
    from data_sets import named

    return predicates(named(data).read(list(columns)), columns)
