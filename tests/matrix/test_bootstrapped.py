"""Skeletons of a bootstrap are clustered with the values that are in other files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from bootstrapped_tables import ROWS, bootstrapped
from by_configuration import run_clustering, strategy
from cell import HUDI, IS_FIT
from elsewhere import rows_elsewhere
from made_tables import KINDS
from pyspark.sql import functions as F

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
    pytest.mark.skipif(HUDI == "0.15.0", reason="it refuses them: see test_unreadable_slices"),
]

TARGET = 10_000
WAYS: Mapping[str, Callable[[Any, Path], Any]] = {
    "call": lambda spark, path: run_clustering(spark, str(path), strategy(("a", "id"), TARGET)),
    "python, content verified": lambda spark, path: hz.ZOrderTable(spark, str(path)).cluster(
        ["a", "id"], target_file_size=TARGET, verify="content"
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_skeletons_keep_their_rows(spark: Any, tmp_path: Path, kind: str, way: str) -> None:
    path = tmp_path / "t"
    bootstrapped(spark, path, kind)
    changed = spark.read.format("hudi").load(str(path)).where("id % 10 = 0").select("id", "a")
    if kind == "MERGE_ON_READ":
        write = {
            "hoodie.table.name": "t",
            "hoodie.datasource.write.table.type": kind,
            "hoodie.datasource.write.operation": "upsert",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.precombine.field": "id",
            "hoodie.datasource.write.partitionpath.field": "",
            "hoodie.metadata.index.column.stats.enable": "false",
        }
        later = changed.withColumn("a", -F.col("a")).coalesce(1)
        later.write.format("hudi").options(**write).mode("append").save(str(path))
        assert list(path.rglob(".*.log.*"))
    rows = sorted(spark.read.format("hudi").load(str(path)).select("id", "a").collect())
    assert len(rows) == ROWS

    WAYS[way](spark, path)

    read = spark.read.format("hudi").load(str(path))
    assert sorted(read.select("id", "a").collect()) == rows
    assert rows_elsewhere(str(path), ("id", "a")) == [tuple(row) for row in rows]
    assert read.select("_hoodie_file_name").distinct().count() > 2
    assert len(hz.open_table(path).history()) == 1
