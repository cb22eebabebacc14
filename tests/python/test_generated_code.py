"""The code that Spark generates for a clustering: compiled once, not once for each clustering."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz

COLUMNS = ["a", "b", "c", "d", "e"]


def compiled(spark: SparkSession) -> int:
    """How many pieces of generated code the JVM has compiled so far."""
    metrics = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics  # type: ignore[union-attr]
    return int(metrics.METRIC_COMPILATION_TIME().getCount())


@pytest.mark.slow
def test_clusterings_of_like_tables_share_their_code(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    def cluster(name: str, seed: int) -> int:
        values = [f"hash(id, {seed}, {c}) AS {column}" for c, column in enumerate(COLUMNS)]
        path = write_hudi(spark.range(0, 2_000, 1, 2).selectExpr("id", *values), tmp_path / name)
        table = hz.ZOrderTable(spark, path)
        before = compiled(spark)
        table.cluster(COLUMNS, target_file_size="40KB")
        return compiled(spark) - before

    assert cluster("first", 1) > 0
    assert cluster("second", 2) == 0
    assert cluster("third", 3) == 0
