"""Appends by a bulk insert that follows the table's layout: runs of their own to upkeep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords
from hudi_tables import base_files, fingerprint, read
from loads import LAYOUT, LOAD_IDS, counted, names, rows

pytestmark = pytest.mark.usefixtures("without_metadata_table")

FOLLOWING = {
    "bulkinsert__user__defined__partitioner__class": "io.hudizorder.ZOrderBulkInsertPartitioner"
}
ROWS = 4_000
WriteHudi = Callable[..., str]


def written(**options: Any) -> dict[str, str]:
    """Keys of a bulk insert with options of its own."""
    return as_keywords(hz.ZOrderOptions(**options).bulk_insert())


@pytest.mark.slow
def test_an_append_is_a_run_until_it_is_merged(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(rows(spark, 0, 12 * ROWS), tmp_path / "t", **written(**LAYOUT))
    table = hz.ZOrderTable(spark, path)
    first = names(spark, path)
    assert len(first) > 10
    # What a bulk insert has laid out needs no clustering.
    plan = table.plan(**LAYOUT)
    assert not plan
    assert counted(plan.left_alone) == {"laid_out": len(first)}
    assert table.cluster(**LAYOUT, mode="full")
    kept = names(spark, path)

    # Neither columns nor sizes: those of the table's last clustering.
    write_hudi(rows(spark, 1, ROWS), path, **FOLLOWING)
    appended = names(spark, path) - kept
    assert 1 < len(appended) < 8
    marks = {
        (pq.read_metadata(file).metadata or {}).get(b"hudizorder.layout")
        for file in base_files(spark, path)
    }
    assert len(marks - {None}) == 1
    before = table.plan(**LAYOUT)
    assert not before
    assert counted(before.left_alone) == {"laid_out": len(kept | appended)}
    behind = table.clustering_information(["a", "b"]).upkeep
    assert (behind.runs, behind.files_left) == (2, 0)
    assert not table.cluster(**LAYOUT)

    # One more, and both are due to be merged.
    write_hudi(rows(spark, 2, ROWS), path, **FOLLOWING)
    more = names(spark, path) - kept
    loaded = fingerprint(spark, path)
    assert counted(table.plan(**LAYOUT).taken) == {"merged": len(more)}
    result = table.cluster(**LAYOUT)
    assert result.taken == {"merged": len(more)}
    assert fingerprint(spark, path) == loaded
    assert names(spark, path) & (kept | more) == kept
    assert not table.cluster(**LAYOUT)

    # By other columns, or for other sizes, the files are led over.
    write_hudi(rows(spark, 3, ROWS), path, **written(**{**LAYOUT, "target_file_size": "20KB"}))
    assert counted(table.plan(**LAYOUT).taken)["other_layout"] > 1


@pytest.mark.slow
def test_an_append_by_the_last_columns_has_their_weights(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(rows(spark, 0, 6 * ROWS), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    assert table.cluster(**LAYOUT, column_weights={"a": 1, "b": 0.25})
    older = names(spark, path)
    write_hudi(rows(spark, 1, ROWS), path, **written(**LAYOUT))
    plan = table.plan(**LAYOUT)
    assert counted(plan.left_alone) == {"laid_out": len(names(spark, path))}
    assert older < names(spark, path)
    # Without a size of files, too: it is that of the last clustering. Two such runs are joined.
    named = {"clustering__plan__strategy__sort__columns": "a,b"}
    write_hudi(rows(spark, 2, ROWS), path, **FOLLOWING, **named)
    appended = names(spark, path) - older
    assert counted(table.plan(**LAYOUT).taken) == {"merged": len(appended)}


@pytest.mark.slow
def test_a_days_append_is_cut_by_the_other_column(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(rows(spark, 0, 6 * ROWS, local=True), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    table.cluster(**LAYOUT)
    older = names(spark, path)
    write_hudi(rows(spark, 1, 2 * ROWS, local=True), path, **FOLLOWING)

    new = read(spark, path).where(f"id >= {LOAD_IDS}").groupBy("_hoodie_file_name")
    ranges = new.agg(F.min("a"), F.max("a"), F.min("b"), F.max("b")).collect()
    assert len(ranges) > 2
    narrow = [high - low < 600_000 for _, _, _, low, high in ranges]
    assert all(narrow)
    assert sum(high - low > 600_000 for _, low, high, _, _ in ranges) > len(ranges) / 2
    plan = table.plan(**LAYOUT)
    assert not plan
    assert counted(plan.left_alone) == {"laid_out": len(older) + len(ranges)}


TYPES = {
    "boolean": "n % 2 = 0",
    "int": "cast(n as int)",
    "double": "n / 7",
    "decimal_9": "cast(n / 8 as decimal(9,2))",
    "decimal_38": "cast(n / 8 as decimal(38,10))",
    "date": "date_add(date'1969-01-01', cast(n as int))",
    "timestamp": "timestamp_micros(n * 1000001 - 10000000)",
    "timestamp_ntz": "cast(timestamp_micros(n * 1000001 - 10000000) as timestamp_ntz)",
    "string": "concat('é', n)",
    "binary": "cast(concat('x', n) as binary)",
    "nested.field": "named_struct('field', n)",
    "none": "cast(null as int)",
}


@pytest.mark.slow
def test_values_of_every_type_compare_with_those_of_files(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """An append reads the ranges of the files that it joins; a null has none."""
    numbers = spark.range(0, 3_000, 1, 2).withColumn("n", F.col("id") + 0)
    frame = numbers.select("id", *(F.expr(sql).alias(t.split(".")[0]) for t, sql in TYPES.items()))
    layout = written(columns=list(TYPES), target_file_size="30KB")
    path = write_hudi(frame, tmp_path / "t", **layout)
    more = frame.withColumn("id", F.col("id") + 3_000)
    write_hudi(more, path, **layout)

    assert len(names(spark, path, "id < 3000")) > 2
    assert len(names(spark, path, "id >= 3000")) > 2
    assert read(spark, path).select("id", "decimal_38", "nested").distinct().count() == 6_000


@pytest.mark.slow
def test_an_update_takes_a_file_out_of_its_run(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """Another writer has no mark to hand on; upkeep lays the file out anew, and loses no row."""
    path = write_hudi(rows(spark, 0, 4 * ROWS), tmp_path / "t", **written(**LAYOUT))
    table = hz.ZOrderTable(spark, path)
    first = names(spark, path)
    update = read(spark, path).where("id = 5").select("id", "a", "b")
    write_hudi(update, path, datasource__write__operation="upsert")
    loaded = fingerprint(spark, path)

    result = table.cluster(**LAYOUT)

    assert result.taken["new"] == 1
    assert result.files_left + result.before.files == len(first)
    assert fingerprint(spark, path) == loaded
    assert not table.cluster(**LAYOUT)
