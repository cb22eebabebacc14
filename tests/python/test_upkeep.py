"""Run after every load: what is new is laid out, and no more than that pays."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hudi_tables import base_files, fingerprint, pending_instants, read
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz

LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "40KB", "sample_size": 20_000}
ROWS = 6_000


def rows(spark: SparkSession, load: int, count: int = ROWS, *, local: bool = False) -> DataFrame:
    """A load: random values, or in ``a`` those of a day of its own."""
    a = F.lit(load * 1_000) + F.rand(load) * 1_000 if local else F.rand(load) * 1_000_000
    return spark.range(load * 1_000_000, load * 1_000_000 + count, 1, 2).select(
        F.col("id"),
        a.cast("int").alias("a"),
        (F.rand(100 + load) * 1_000_000).cast("int").alias("b"),
    )


def names(spark: SparkSession, path: str) -> set[str]:
    return {file.name for file in base_files(spark, path)}


def timeline(path: str) -> set[str]:
    return {entry.name for entry in Path(path, ".hoodie", "timeline").iterdir()}


def test_a_second_run_plans_nothing(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    path = write_hudi(rows(spark, 0), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    result = table.cluster(**LAYOUT)
    assert result, str(result)
    print(result)
    before = timeline(path)
    result = table.cluster(**LAYOUT)
    assert not result
    print(result)
    assert timeline(path) == before
