"""Of the column-statistics index, the same is read without Spark as Spark reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.metadata_table.stats_layers import ColumnStatsIndex
from hudi_zorder.metadata_table.stats_records import DECIMAL_SCALE
from hudi_zorder.stats.stats_index import _are_least_and_greatest
from test_column_stats import LIST, all_types

INSERT = {"datasource__write__operation": "insert"}
COMPACTED = {"metadata__compact__max__delta__commits": "2"}
PARTITIONED = {"datasource__write__partitionpath__field": "part"}

Found = tuple[str, str, Any, Any, int | None, int | None, int | None]


def make(spark: SparkSession, path: Path, options: Mapping[str, str]) -> None:
    """Writes files of two inserts, a clustering, an update and a delete, with a NaN in one."""
    rows = all_types(spark).selectExpr(
        "*", "concat('p', id % 2) AS part", "CAST(IF(id = 7, 'NaN', id) AS double) AS gap"
    )
    if "write__table__version" in options:
        rows = rows.drop("timestamp_ntz")
    names = ",".join(rows.columns).replace("nested", "nested.inner")
    chosen = {LIST: names, **options}
    for number in range(2):
        write(rows.where(f"id % 2 = {number}").repartition(2), path, **INSERT, **chosen)
    with pytest.warns(hz.UnsafeStatisticsWarning):
        hz.ZOrderTable(spark, path).cluster(["id", "string"], target_file_size="20KB")
    changed = rows.where("id < 50").withColumn("int", F.lit(-5))
    write(changed, path, datasource__write__operation="upsert", **chosen)
    write(rows.where("id < 10"), path, datasource__write__operation="delete", **chosen)


def spark_s(spark: SparkSession, path: Path) -> list[Found]:
    """What Spark reads of all files, those included that are no longer the latest."""
    index = spark.read.format("hudi").load(f"{path}/.hoodie/metadata/column_stats")
    rows = index.where("ColumnStatsMetadata IS NOT NULL AND NOT ColumnStatsMetadata.isDeleted")
    found = (row[0] for row in rows.select("ColumnStatsMetadata").collect())
    return sorted(
        (
            s.fileName,
            s.columnName,
            unwrapped(s.minValue),
            unwrapped(s.maxValue),
            s.valueCount,
            s.nullCount,
            s.totalSize,
        )
        for s in found
    )


def unwrapped(bound: Row | None) -> str:
    value = next((member[0] for member in bound or () if member is not None), None)
    if isinstance(value, Decimal):
        value = int(value.scaleb(DECIMAL_SCALE))
    if isinstance(value, str | bytearray):
        value = value.encode() if isinstance(value, str) else bytes(value)
    return repr(value)


def ours(path: Path, files: set[str], columns: set[str]) -> Iterator[Found]:
    index = ColumnStatsIndex.of(TableSnapshot.open(path))
    for name in columns:
        records = (r for batch in index.batches(name, files) for r in batch.records())
        for r in records:
            if r.deleted:
                continue
            bounds = repr(r.low), repr(r.high)
            yield r.file.decode(), name, *bounds, r.rows, r.null_count, r.size


@pytest.mark.parametrize(
    ("options", "has_base_file"),
    quick_first(
        [
            ({}, False),
            ({**COMPACTED, **PARTITIONED}, True),
            ({"write__table__version": "6"}, False),
            ({"write__table__version": "6", **COMPACTED, **PARTITIONED}, True),
            ({"write__table__version": "8", **COMPACTED}, True),
        ]
    ),
    ids=["logs", "compacted", "6, logs", "6, compacted", "8, compacted"],
)
def test_every_entry_is_as_spark_reads_it(
    spark: SparkSession, tmp_path: Path, options: dict[str, str], has_base_file: bool
) -> None:
    path = tmp_path / "t"
    make(spark, path, options)
    index = path / ".hoodie" / "metadata" / "column_stats"
    assert bool([*index.glob("*.hfile")]) == has_base_file
    expected = spark_s(spark, path)
    files, columns = ({found[place] for found in expected} for place in (0, 1))
    assert len(columns) > 10
    assert sorted(ours(path, files, columns)) == expected

    table = hz.open_table(path)
    predicates = ("id = 300", "gap < 5", "string >= 'b' AND id < 30", "part = 'p0'", "date IS NULL")
    for predicate in predicates:
        pair = [table.explain(predicate, source=s).files for s in ("footers", "index")]  # type: ignore[arg-type]
        judged = [[(f.file, f.rows, f.skipped_by, f.reason) for f in files] for files in pair]
        assert judged[0] == judged[1]


@pytest.mark.parametrize(
    ("low", "high", "certain"),
    [
        ("a", "z", True),
        ("a", "\U0001f600", True),
        ("\U0001f600", "\U0001f601", False),  # one of U+FB01 is less by its bytes
        ("\ufb01", "\ufb01", False),
        ("a", "\ue000", False),  # one of U+1F600 is greater by its bytes
        ("a", "\uffee", False),
        ("\ud7ff", "\ud7ff", True),
        ("", "z", True),
    ],
)
def test_ends_by_java_s_order_of_texts_are_those_by_bytes_below_surrogates(
    low: str, high: str, certain: bool
) -> None:
    ends = low.encode(), high.encode()
    assert _are_least_and_greatest(*ends) == certain
