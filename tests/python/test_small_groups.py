"""Clustering groups of one small file each, which one job lays out: as by jobs of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import (
    base_files,
    cluster_by_call,
    fingerprint,
    ordered_column,
    pending_instants,
    read,
    read_shares,
)

pytestmark = pytest.mark.usefixtures("without_metadata_table")

PARTITIONS = 8
ROWS = 3_600
PARTITIONED = {"datasource__write__partitionpath__field": "p"}
MERGE_ON_READ = {**PARTITIONED, "datasource__write__table__type": "MERGE_ON_READ"}
WriteHudi = Callable[..., str]


def frame(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 2).select(
        F.col("id"),
        F.expr("if(id % 50 = 0, null, hash(id, 1) % 300)").alias("a"),
        F.expr("hash(id, 2) / 7").alias("b"),
        F.expr("if(id % 40 = 0, null, md5(cast(id % 700 as string)))").alias("text"),
        F.expr("cast(id as decimal(30,5))").alias("amount"),
        F.expr("named_struct('x', array(id), 'y', map('k', id))").alias("nested"),
        F.expr(f"concat('part ', id % {PARTITIONS})").alias("p"),
    )


def half_updated(spark: SparkSession, path: str) -> None:
    """Writes a table of which every other partition has log files."""
    write(frame(spark), path, **MERGE_ON_READ)
    changed = frame(spark).where("id % 2 = 0 AND id % 5 = 0").withColumn("a", F.col("id") % 90)
    write(changed, path, **MERGE_ON_READ, datasource__write__operation="upsert")


def order(spark: SparkSession, path: str) -> dict[str, list[int]]:
    """The ids of each partition in the order of its only file."""
    files = base_files(spark, path)
    found = {file.parent.name: ordered_column(file, "id") for file in files}
    assert len(found) == len(files)
    return found


@pytest.mark.parametrize(
    "layout",
    quick_first(
        [
            {},
            {"layout__optimize__strategy": "linear"},
            {"layout__optimize__curve__build__method": "direct"},
            {"clustering__zorder__file__order": "hilbert", "clustering__zorder__verify": "content"},
            {"layout__optimize__strategy": "hilbert"},
        ]
    ),
)
@pytest.mark.parametrize("columns", quick_first(["a,text,amount", "b"]))
def test_their_rows_lie_as_those_of_a_group_by_itself(
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
    columns: str,
    layout: dict[str, str],
) -> None:
    orders = []
    # Hudi's records are laid out a group at a time.
    for row_writer in ("true", "false"):
        path = made_once(tmp_path / row_writer / "t", lambda path: half_updated(spark, path))
        before = fingerprint(spark, path)
        settings = {"datasource__write__row__writer__enable": row_writer, **layout}
        cluster_by_call(spark, path, columns, **settings)
        assert fingerprint(spark, path) == before
        orders.append(order(spark, path))
    assert len(orders[0]) == PARTITIONS
    assert orders[0] == orders[1]


def test_a_table_may_have_groups_of_every_kind(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t", **MERGE_ON_READ)
    large = spark.range(10_000, 25_000).select(
        F.col("id"),
        F.expr("hash(id, 1)").alias("a"),
        F.expr("hash(id, 2) / 7").alias("b"),
        F.expr("md5(cast(id as string))").alias("text"),
        F.expr("cast(id as decimal(30,5))").alias("amount"),
        F.expr("named_struct('x', array(id), 'y', map('k', id))").alias("nested"),
        F.lit("large").alias("p"),
    )
    write_hudi(large, path, **MERGE_ON_READ)
    updated = frame(spark).where("p = 'part 3' and id % 5 = 0").withColumn("b", F.lit(-1.0))
    write_hudi(updated, path, **MERGE_ON_READ, datasource__write__operation="upsert")
    before = fingerprint(spark, path)

    done = hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size="200KB")

    assert fingerprint(spark, path) == before
    assert pending_instants(path) == []
    files = base_files(spark, path)
    assert sum(file.parent.name == "large" for file in files) > 3
    assert sum(file.parent.name != "large" for file in files) == PARTITIONS
    assert done.readers == {"merging": 1, "vectorised": PARTITIONS}
    assert read_shares(spark, path, ["a"])["a"] < 0.7


@pytest.mark.slow
def test_files_from_before_a_column_was_added_are_laid_out_as_others_are(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark).where("id < 1800"), tmp_path / "t", **PARTITIONED)
    added = F.when(F.col("id") % 40 > 0, F.col("text")).alias("added")
    write_hudi(frame(spark).where("id >= 1800").select("*", added), path, **PARTITIONED)
    before = fingerprint(spark, path)

    done = hz.ZOrderTable(spark, path).cluster(
        ["a", "added"],
        verify="content",
        # It reads what was there by Hudi's own reader.
        hudi_options={"hoodie.precommit.validators": "io.hudizorder.RowPreservationValidator"},
    )

    assert done.readers == {"vectorised": PARTITIONS}
    assert fingerprint(spark, path) == before
    rows = read(spark, path)
    assert rows.where("added IS NULL AND id < 1800").count() == 1800
    assert rows.where("added = text").count() == 1755


def test_a_group_that_fails_names_itself(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t", **PARTITIONED)
    latest = base_files(spark, path)
    bad = next(file for file in latest if file.parent.name == "part 7")
    # The footer is whole, the pages of a column are not.
    group = pq.ParquetFile(bad).metadata.row_group(0)
    [text] = [
        chunk
        for chunk in map(group.column, range(group.num_columns))
        if chunk.path_in_schema == "text"
    ]
    start = text.dictionary_page_offset or text.data_page_offset
    content = bytearray(bad.read_bytes())
    content[start : start + text.total_compressed_size] = bytes(text.total_compressed_size)
    bad.write_bytes(content)
    files = set(Path(path).glob("part 7/*.parquet"))

    told = r"^Cannot cluster the files of partition 'part 7': "
    with pytest.raises(hz.ClusteringError, match=told):
        hz.ZOrderTable(spark, path).cluster(["a", "b"])

    assert set(Path(path).glob("part 7/*.parquet")) == files
    assert base_files(spark, path) == latest


@pytest.mark.slow
def test_of_partitions_without_new_rows_not_a_footer_is_read(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # A first index would be made of all files, by their footers.
    indexed = {**PARTITIONED, "metadata__enable": "true"}
    path = write_hudi(frame(spark), tmp_path / "t", **indexed)
    table = hz.ZOrderTable(spark, path)
    table.cluster(["a", "b"])
    added = frame(spark).where("p IN ('part 3', 'part 6')").withColumn("id", F.col("id") + ROWS)
    write_hudi(added, path, **indexed)
    before = fingerprint(spark, path)
    others = {
        file: file.read_bytes()
        for file in base_files(spark, path)
        if file.parent.name not in ("part 3", "part 6")
    }
    assert len(others) == PARTITIONS - 2
    for file, content in others.items():
        file.write_bytes(bytes(len(content)))

    done = table.cluster(["a", "b"])

    for file, content in others.items():
        file.write_bytes(content)
    assert fingerprint(spark, path) == before
    assert done.partitions == ("part 3", "part 6")
    assert done.files_left == len(others)
    assert others.keys() < set(base_files(spark, path))


@pytest.mark.slow
def test_a_file_that_is_too_large_goes_on_in_another(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # Written with strong compression, and clustered with none: the plan cannot know.
    texts = frame(spark).withColumn("text", F.expr("repeat(concat(id % 3, 'xyz'), 20000)"))
    one = texts.where("p < 'part 2'").coalesce(1)
    path = write_hudi(one, tmp_path / "t", **PARTITIONED, parquet__dictionary__enabled="false")
    before = fingerprint(spark, path)
    size = max(file.stat().st_size for file in base_files(spark, path))

    cluster_by_call(
        spark,
        path,
        "a",
        parquet__compression__codec="uncompressed",
        parquet__dictionary__enabled="false",
        parquet__page__size="10000",
        clustering__plan__strategy__target__file__max__bytes=str(2 * size),
    )

    assert fingerprint(spark, path) == before
    files = base_files(spark, path)
    assert len(files) > len({file.parent for file in files})
