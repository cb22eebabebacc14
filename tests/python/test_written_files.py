"""What our writer leaves behind is what Hudi's own would: schema, footer, filter of record keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, quick_first
from hudi_tables import HUDIS_STRATEGY, base_files, cluster_by_call, fingerprint, read

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 2_000
META_COLUMNS = 5
# The partition column is known by the folder alone.
NOT_STORED = {
    "datasource__write__partitionpath__field": "p",
    "datasource__write__hive_style_partitioning": "true",
    "datasource__write__drop__partition__columns": "true",
}
WriteHudi = Callable[..., str]


def frame(spark: SparkSession, *more: str) -> DataFrame:
    return spark.range(0, ROWS, 1, 3).selectExpr(
        "id",
        "hash(id, 1) % 1000 AS a",
        "hash(id, 2) % 1000 AS b",
        "cast(id / 8 as decimal(9,3)) AS d",
        "date_add(date'2020-01-01', cast(id as int)) AS day",
        *more,
    )


def row_writer(enabled: bool) -> Mapping[str, bool | int]:
    return {"hoodie.datasource.write.row.writer.enable": enabled}


def footer(file: Path) -> tuple[str, dict[bytes, bytes]]:
    """A file's schema and its entries of the footer."""
    metadata = pq.read_metadata(file)
    assert metadata.metadata is not None
    return str(metadata.schema).split("\n", 1)[1], dict(metadata.metadata)


@pytest.mark.parametrize("enabled", quick_first([True, False]))
def test_schema_and_footer_are_those_of_hudis_own_clustering(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, enabled: bool
) -> None:
    # What is required lies within what may be null, where Spark's reader forgets the former.
    nested = "if(id < 0, NULL, named_struct('x', id))"
    rows = frame(spark, f"array({nested}) AS l", f"map('k', {nested}) AS m")
    ours = write_hudi(rows, tmp_path / "ours" / "t")
    theirs = write_hudi(rows, tmp_path / "theirs" / "t")
    # A filter that takes all keys: in a fuller one they are divided by their order.
    options = {**row_writer(enabled), "hoodie.index.bloom.num_entries": ROWS}
    hz.ZOrderTable(spark, ours).cluster(["a", "b"], hudi_options=options)
    cluster_by_call(
        spark,
        theirs,
        "a,b",
        clustering__execution__strategy__class=HUDIS_STRATEGY,
        **as_keywords(options),
    )

    [file], [other] = base_files(spark, ours), base_files(spark, theirs)
    assert footer(file) == footer(other)
    assert b"org.apache.hudi.bloomfilter" in footer(file)[1]


def test_any_bulk_insert_can_name_the_writer(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    writer = {"parquet__spark__row__write__support__class": "io.hudizorder.RowWriter"}
    rows = frame(spark).coalesce(1)
    ours = write_hudi(rows, tmp_path / "ours" / "t", **writer)
    theirs = write_hudi(rows, tmp_path / "theirs" / "t")

    [file], [other] = base_files(spark, ours), base_files(spark, theirs)
    assert footer(file) == footer(other)
    assert rows.exceptAll(read(spark, ours).select(rows.columns)).isEmpty()
    assert read(spark, ours).count() == ROWS


@pytest.mark.parametrize("enabled", quick_first([True, False]))
def test_updates_find_clustered_rows_by_the_filter_of_their_keys(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, enabled: bool
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t")
    hz.ZOrderTable(spark, path).cluster(["a", "b"], hudi_options=row_writer(enabled))

    changed = frame(spark).where("id % 2 = 0").withColumn("a", F.lit(-5000))
    write_hudi(changed, path, datasource__write__operation="upsert", index__type="BLOOM")

    rows = read(spark, path)
    assert rows.count() == rows.select("id").distinct().count() == ROWS
    assert rows.where("a = -5000").count() == ROWS // 2


def test_rows_that_look_deleted_stay(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # A bulk insert keeps such rows, and who reads them sees them.
    rows = spark.range(0, ROWS, 1, 3).selectExpr(
        "id", "id % 100 AS a", "id % 7 AS b", "id % 2 = 0 AS _hoodie_is_deleted", "'p' AS p"
    )
    path = write_hudi(rows, tmp_path / "t", datasource__write__partitionpath__field="p")
    options = {**row_writer(False), "hoodie.clustering.preserve.commit.metadata": False}

    hz.ZOrderTable(spark, path).cluster(["a", "b"], hudi_options=options)

    assert rows.exceptAll(read(spark, path).select(rows.columns)).isEmpty()
    assert read(spark, path).count() == ROWS


@pytest.mark.parametrize("columns", quick_first([64, 61, 62, 63, 65, 66]))
def test_tables_around_a_word_of_null_bits(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, columns: int
) -> None:
    own = frame(spark).columns
    more = [f"id + {i} AS c{i}" for i in range(columns - META_COLUMNS - len(own))]
    path = write_hudi(frame(spark, *more), tmp_path / "t")
    before = fingerprint(spark, path)
    assert len(read(spark, path).columns) == columns

    result = hz.ZOrderTable(spark, path).cluster(["a", "b"], verify="content")

    assert result
    assert fingerprint(spark, path) == before


@pytest.mark.slow
@pytest.mark.parametrize("enabled", quick_first([True, False]))
def test_partition_columns_that_files_do_not_store(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, enabled: bool
) -> None:
    path = write_hudi(
        frame(spark, "cast(id % 3 as string) AS p"),
        tmp_path / "t",
        **NOT_STORED,
    )
    before = fingerprint(spark, path)

    hz.ZOrderTable(spark, path).cluster(
        ["a", "b"], verify="content", hudi_options=row_writer(enabled)
    )

    assert fingerprint(spark, path) == before
    for file in base_files(spark, path):
        assert "p" not in pq.read_schema(file).names


@pytest.mark.parametrize("enabled", quick_first([True, False]))
def test_partition_columns_that_files_do_not_store_clustered_inline(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, enabled: bool
) -> None:
    options = hz.ZOrderOptions(columns=["a", "b"]).inline(max_commits=1)
    path = write_hudi(
        frame(spark, "cast(id % 3 as string) AS p"),
        tmp_path / "t",
        datasource__write__operation="upsert",
        **NOT_STORED,
        datasource__write__row__writer__enable=str(enabled).lower(),
        **as_keywords(options),
    )

    [clustering] = hz.ZOrderTable(spark, path).history()
    assert clustering
    stored = frame(spark).columns
    assert frame(spark).exceptAll(read(spark, path).select(stored)).isEmpty()
    assert read(spark, path).count() == ROWS


def test_records_without_a_key_of_their_own_are_clustered(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """An insert leaves the meta columns null where a table has virtual keys."""
    virtual = {"populate__meta__fields": "false", "datasource__write__operation": "insert"}
    path = write_hudi(frame(spark), tmp_path / "t", **virtual)
    before = read(spark, path).select("id", "a", "b").orderBy("id").collect()

    hz.ZOrderTable(spark, path).cluster(["a", "b"], hudi_options=row_writer(False))

    assert read(spark, path).select("id", "a", "b").orderBy("id").collect() == before
