"""Files are equally full in bytes as written, however much rows differ in size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords
from hudi_tables import base_files, fingerprint, read

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 20_000
TARGET = 800_000
MOR = {"datasource__write__table__type": "MERGE_ON_READ"}
UPSERT = {"datasource__write__operation": "upsert"}
WriteHudi = Callable[..., str]

# 20 to 100 KB that compress to about six tenths.
LONG = (
    "array_join(transform(sequence(1, 320 + pmod(hash(id, 5), 1250)),"
    " i -> sha2(concat(id, '-', i), 256)), '')"
)


def frame(spark: SparkSession, large: str, rows: int = ROWS) -> DataFrame:
    """Rows of which those that are large have one value of ``a``."""
    return spark.range(0, rows, 1, 4).selectExpr(
        "id",
        f"if({large}, 77, hash(id, 1)) AS a",
        "hash(id, 2) % 100000 AS b",
        "concat('user-', id % 50) AS who",
        f"if({large}, {LONG}, md5(string(id))) AS text",
    )


def sizes(spark: SparkSession, path: str) -> list[int]:
    return sorted(file.stat().st_size for file in base_files(spark, path))


def assert_balanced(spark: SparkSession, path: str, target: float) -> None:
    found = sizes(spark, path)
    ratios = [round(size / target, 2) for size in found]
    assert len(found) >= 5
    assert min(ratios) >= 0.7, ratios
    assert max(ratios) <= 1.4, ratios


def bytes_of(path: str) -> int:
    return sum(file.stat().st_size for file in Path(path).rglob("*.parquet"))


@pytest.mark.slow
def test_long_texts_in_one_corner_are_shared_out_among_files(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark, "id % 100 = 7"), tmp_path / "t")
    before = fingerprint(spark, path)
    target = bytes_of(path) // 8 + 1
    hz.ZOrderTable(spark, path).cluster(["a"], target_file_size=target)
    assert fingerprint(spark, path) == before
    assert_balanced(spark, path, target)


@pytest.mark.slow
def test_log_files_of_large_rows_fill_files_of_the_target_s_bytes(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark, "false"), tmp_path / "t", **MOR)
    write_hudi(frame(spark, "id % 100 = 7").where("id % 100 = 7"), path, **MOR, **UPSERT)
    before = fingerprint(spark, path)
    hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size=TARGET)
    assert fingerprint(spark, path) == before
    assert_balanced(spark, path, TARGET)


@pytest.mark.slow
def test_a_bulk_insert_fills_files_of_the_target_s_bytes(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = hz.ZOrderOptions(columns=["a", "b"], target_file_size=TARGET).bulk_insert()
    rows = frame(spark, "id % 100 = 7")
    path = write_hudi(rows, tmp_path / "t", **as_keywords(options))
    assert read(spark, path).count() == ROWS
    assert_balanced(spark, path, TARGET)


def layout(spark: SparkSession, path: str) -> set[frozenset[Any]]:
    """Which rows share a file."""
    rows = read(spark, path).groupBy("_hoodie_file_name").agg(F.collect_set("id"))
    return {frozenset(row[1]) for row in rows.collect()}


@pytest.mark.slow
def test_rows_of_one_size_share_files_as_if_nobody_had_weighed_them(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = frame(spark, "false", 8_000)
    layouts = []
    for name, columns in (("weighed", ["text"]), ("not", [])):
        path = write_hudi(rows.select("id", "a", "b", *columns), tmp_path / name)
        target = bytes_of(path) // 6 + 1
        hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size=target)
        layouts.append(layout(spark, path))
    assert len(layouts[0]) == 6
    assert layouts[0] == layouts[1]


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", [True, False])
def test_a_leaf_far_beyond_the_target_goes_on_in_another_file(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, row_writer: bool
) -> None:
    """As where clustering compresses less than those who wrote the table did."""
    rows = frame(spark, "false").withColumn("text", F.expr("repeat(text, 20)"))
    path = write_hudi(rows, tmp_path / "t")
    before = fingerprint(spark, path)
    target = bytes_of(path) // 2 + 1
    loose = {
        "hoodie.parquet.compression.codec": "uncompressed",
        "hoodie.parquet.page.size": 4_000,
        "hoodie.datasource.write.row.writer.enable": row_writer,
    }
    hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size=target, hudi_options=loose)
    assert fingerprint(spark, path) == before
    found = sizes(spark, path)
    assert len(found) > 2
    assert max(found) <= 2.0 * target, [round(size / target, 2) for size in found]
