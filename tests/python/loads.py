"""Loads into a table that is laid out after each, and what becomes of its files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from hudi_tables import read

LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "40KB", "sample_size": 20_000}
# The ids of a load begin at its number times this.
LOAD_IDS = 1_000_000


def rows(spark: SparkSession, load: int, count: int, *, local: bool = False) -> DataFrame:
    """A load: random values, or in ``a`` those of a day of its own."""
    a = F.rand(load) + load if local else F.rand(load)
    return spark.range(load * LOAD_IDS, load * LOAD_IDS + count, 1, 2).select(
        F.col("id"),
        (a * 1_000_000).cast("int").alias("a"),
        (F.rand(100 + load) * 1_000_000).cast("int").alias("b"),
    )


def names(spark: SparkSession, path: str, condition: str = "true") -> set[str]:
    """The base files of the rows that satisfy a condition."""
    found = read(spark, path).where(condition).select("_hoodie_file_name").distinct()
    return {row[0] for row in found.collect()}


def counted(parts: Iterable[hz.FilesByReason]) -> dict[str, int]:
    """How many files a plan takes, or leaves alone, by the reason."""
    return {part.reason: part.files for part in parts}
