"""Where a z-column must not be asked, or not of all: partitions, other rows, commits that went."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import METADATA_TABLE, as_keywords, quick_first, write
from hudi_tables import base_files, read, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import COLUMN_STATS_LIST
from z_tables import ENABLED, OPTIONS, asks, create, ids, same, untrue, upsert, write_past_the_rules

ROWS = (
    "SELECT id, cast(id % 100 AS int) a, cast(id div 100 AS int) b, "
    "cast(id % 2 AS string) p FROM range(1000)"
)
PARTITIONED_ROWS = (
    "SELECT id, cast(id % 100 AS int) a, cast(id div 200 AS int) b, "
    "cast(id div 100 % 2 AS string) p FROM range(1000)"
)
PARTITIONED = {"datasource__write__partitionpath__field": "p"}
RECORD = "hudizorder.z.column"
MOST = "metadata__index__column__stats__max__columns__to__index"
STATISTICS = COLUMN_STATS_LIST.removeprefix("hoodie.").replace(".", "__")


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A thousand rows in one partition, a and b from 0 on; no test writes to it."""
    return create(spark.sql(ROWS), tmp_path_factory.mktemp("limits") / "t")


@pytest.fixture
def without_index(spark: SparkSession) -> Iterator[None]:
    """Hudi archives no commit whose files its index has yet to compact; here it has none."""
    with session_settings(spark, {METADATA_TABLE: "false"}):
        yield


@pytest.mark.slow
def test_partitions_without_statistics_of_the_z_column_are_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.sql(PARTITIONED_ROWS)
    path = create(rows.where("p = '0'"), tmp_path / "parts", **PARTITIONED)
    # As a release did that left the z-column out of the index of later writes.
    timeline = TableSnapshot.open(path).timeline
    [first] = timeline.completed
    told = timeline.metadata(first, {"extraMetadata": None})["extraMetadata"][RECORD]
    earlier = {"bounds": json.loads(told)["bounds"], "completed": [first.time], "pending": []}
    settings = {
        "hoodie.datasource.write.partitionpath.field": "p",
        COLUMN_STATS_LIST: "id",
        "hoodie.datasource.write.commitmeta.key.prefix": RECORD,
        RECORD: json.dumps({**json.loads(told), "earlier": earlier}),
    }
    others = hz.with_z_column(rows.where("p = '1'"), OPTIONS)
    write_past_the_rules(others, path, settings)
    assert untrue(spark, path) == 0
    for predicate in ("a = 5", "a IN (4, 5) AND b < 3", "a = 5 AND p = '1'"):
        assert same(spark, path, predicate)


@pytest.mark.slow
@pytest.mark.parametrize("fewer", quick_first([{STATISTICS: "id"}, {MOST: "1"}]))
def test_a_write_that_indexes_other_columns_indexes_the_z_column_too(
    spark: SparkSession, tmp_path: Path, fewer: dict[str, str]
) -> None:
    path = create(spark.sql(ROWS).where("id < 500"), tmp_path / "listed")
    upsert(spark.sql(ROWS).where("id >= 500"), path, **fewer)
    stats = hz.ZOrderTable(spark, path).column_stats(["_z", "a"], source="index").to_pylist()
    assert len(stats) == len(base_files(spark, path)) > 1
    assert all(file["_z.min"] is not None for file in stats)
    assert any(file["a.min"] is None for file in stats)


def test_a_column_that_is_read_from_the_folders_name_makes_no_z_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="Cannot cluster by 'a': it is a partition column"):
        create(spark.sql(ROWS), tmp_path / "refused", datasource__write__partitionpath__field="p,a")


def test_ranges_of_a_subquery_are_not_those_of_the_table(spark: SparkSession, table: str) -> None:
    read(spark, table).createOrReplaceTempView("z_others")
    z_table = hz.ZOrderTable(spark, table)
    others = "id IN (SELECT id + 1 FROM z_others WHERE a = 5)"
    assert z_table.z_predicate(others) is None
    assert z_table.z_predicate(f"a < 50 AND {others}") == z_table.z_predicate("a < 50")
    with session_settings(spark, {ENABLED: "false"}):
        found = z_table.where_z(read(spark, table), others)
        assert ids(found) == [n + 6 for n in range(0, 1000, 100)]
    spark.catalog.dropTempView("z_others")


def test_where_z_keeps_rows_that_are_not_the_tables(spark: SparkSession, table: str) -> None:
    z_table = hz.ZOrderTable(spark, table)
    with session_settings(spark, {ENABLED: "false"}):
        rows = read(spark, table).select("id", "a", "b", "_z")
        strangers = rows.selectExpr("id + 1000 AS id", "a", "b", "'none' AS _z")
        assert z_table.where_z(rows.union(strangers), "a = 5").count() == 20
        keys = spark.range(995, 1005).withColumnRenamed("id", "k")
        joined = rows.join(keys, rows.id == keys.k, "right_outer")
        assert z_table.where_z(joined, "a IS NULL").count() == 5
        read(spark, table).createOrReplaceTempView("z_view")
        view = z_table.where_z(spark.table("z_view").select("id", "a", "_z"), "a = 5")
        assert (len(ids(view)), asks(view)) == (10, True)
    spark.catalog.dropTempView("z_view")


@pytest.mark.slow
def test_a_join_asks_no_ranges_that_leave_out_nulls_alone(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = create(spark.sql(ROWS).selectExpr("id", "nullif(a, 7) a", "b"), tmp_path / "nulls")
    rows = read(spark, path)
    joined = rows.alias("x").join(rows.alias("y"), "a").where("y.id < 2")
    assert "isnotnull(a" in joined._jdf.queryExecution().optimizedPlan().toString()
    assert (joined.count(), asks(joined)) == (20, False)
    assert not same(spark, path, "a <> 5")
    assert same(spark, path, "a IS NULL")
    assert same(spark, path, "a IS NOT NULL AND b = 3")


@pytest.mark.usefixtures("without_index")
def test_a_query_whose_newest_commit_was_archived_meanwhile_is_not_asked(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = _create_without_index(spark, tmp_path / "gone")
    loaded = read(spark, path).where("a = 5")
    _delete(spark, path, 999)
    _archive(path, 0)
    assert not asks(loaded)
    assert len(ids(loaded)) == 10


@pytest.mark.slow
@pytest.mark.usefixtures("without_index")
def test_bounds_are_unknown_across_commits_archived_beyond_a_savepoint(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = _create_without_index(spark, tmp_path / "gap")
    [first] = _commits(path)
    spark.sql(f"CALL create_savepoint(path => '{path}', commit_time => '{first.name[:17]}')")
    _delete(spark, path, 999)
    assert same(spark, path, "a = 5")  # nothing was archived, by any writer
    rows = spark.sql("SELECT id, -5 a, 5 b, '0' p, '' _z FROM range(5000, 5010)")
    write_past_the_rules(rows, path)
    unknown = _commits(path)[-1]
    # Each time their file is written again: Spark's readers pass over one of an archived commit.
    for row in range(5001, 5010):
        _delete(spark, path, row)
        assert not same(spark, path, "a = -5")
    assert first.exists()
    assert not unknown.exists()
    upsert(spark.sql(ROWS).where("id = 3"), path)
    assert ids(read(spark, path).where("a = -5")) == [5000]
    assert not same(spark, path, "a = -5")


def _delete(spark: SparkSession, path: str, row: int) -> None:
    """Deletes a row, and archives what Hudi can of the commits before."""
    archiving = {
        "archive__beyond__savepoint": "true",
        "keep__min__commits": "3",
        "keep__max__commits": "4",
        "clean__commits__retained": "1",
    }
    frame = spark.range(row, row + 1).selectExpr("id", "0 a", "0 b", "'0' p")
    write(frame, path, datasource__write__operation="delete", **archiving)


def _create_without_index(spark: SparkSession, path: Path) -> str:
    return write(
        spark.sql(ROWS), path, **as_keywords({**OPTIONS.writer(), METADATA_TABLE: "false"})
    )


def _commits(path: str) -> list[Path]:
    return sorted(Path(path, ".hoodie", "timeline").glob("*_*.commit"))


def _archive(path: str, number: int) -> None:
    """Takes a commit off the timeline; a reader tells from those that stay that it is true."""
    begun = _commits(path)[number].name.split("_")[0]
    for file in Path(path, ".hoodie", "timeline").glob(f"{begun}*"):
        file.unlink()
