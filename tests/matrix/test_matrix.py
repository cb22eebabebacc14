"""What is promised of every version of Hudi, on the one that HUDI names; see make matrix.

A process has one version on its class path: each is run by a pytest of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, IS_FIT, NEWEST
from made_tables import (
    COLUMNS,
    KINDS,
    ROWS,
    STRATEGY,
    TARGET,
    Table,
    assert_laid_out,
    assert_rows,
    by_call,
    by_python,
    by_two_calls,
    frame,
    made,
    options,
)
from py4j.protocol import Py4JJavaError
from pyspark.errors import IllegalArgumentException
from pyspark.sql import functions as F

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]

OLDER_KEY_OF_MERGERS = "datasource__write__record__merger__impls"
# By which Hudi's mergers of the latest row are found.
LATEST_WINS = "ce9acb64-bde0-424c-9b91-f6ebba25356d"
PARTITIONER = "io.hudizorder.ZOrderBulkInsertPartitioner"
VALIDATOR = "io.hudizorder.RowPreservationValidator"
WAYS: Mapping[str, Callable[[Any, Table], Any]] = {
    "call": by_call,
    "two calls": by_two_calls,
    "call, records": lambda spark, table: by_call(
        spark, table, datasource__write__row__writer__enable="false"
    ),
    "call, validated": lambda spark, table: by_call(spark, table, precommit__validators=VALIDATOR),
    "python": by_python,
    "python, content verified": lambda spark, table: by_python(spark, table, verify="content"),
    "call, times of 96 bits": lambda spark, table: by_call(
        spark, table, parquet__outputtimestamptype="INT96"
    ),
    "call, decimals as numbers": lambda spark, table: by_call(
        spark, table, parquet__writelegacyformat__enabled="false"
    ),
    "python, hilbert by bytes": lambda spark, table: by_python(
        spark, table, strategy="HILBERT", build="DIRECT"
    ),
}


# What a version cannot do, and what it is told then.
REFUSED = {
    ("1.0.2", "call, records"): "Hudi 1.0 would read records of Avro",
    ("0.15.0", "call, records"): "Hudi 0.15 would read records of Avro",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", list(WAYS))
def test_clusters(spark: Any, tmp_path: Path, kind: str, way: str) -> None:
    table = made(spark, tmp_path / "t", kind)

    if (HUDI, way) in REFUSED:
        with pytest.raises(Py4JJavaError, match=REFUSED[HUDI, way]):
            WAYS[way](spark, table)
        assert hz.open_table(table.path).pending() == []
        assert table.content() == table.rows
        return
    WAYS[way](spark, table)

    assert_laid_out(table)


@pytest.mark.parametrize("kind", KINDS)
def test_commits_a_clustering_of_which_no_row_is_left(
    spark: Any, tmp_path: Path, kind: str
) -> None:
    table = Table(spark, str(tmp_path / "t"), [])
    # Not by bulk inserts: from a merge-on-read table of these Hudi 1.1.1 cannot delete.
    insert = options(kind, datasource__write__operation="upsert")
    frame(spark).write.format("hudi").options(**insert).save(table.path)
    delete = options(kind, datasource__write__operation="delete")
    gone = frame(spark).where("part = 'p0'")
    gone.write.format("hudi").options(**delete).mode("append").save(table.path)
    left = table.content()
    assert {row.part for row in left} == {"p1"}

    by_call(spark, table, clustering__plan__strategy__partition__selected="p0")

    found = hz.open_table(table.path)
    assert (len(found.history()), found.pending()) == (1, [])
    assert table.content() == left
    again = options(kind, datasource__write__operation="upsert")
    frame(spark, 0, 10).write.format("hudi").options(**again).mode("append").save(table.path)
    assert table.read().count() == len(left) + 5


@pytest.mark.parametrize("kind", KINDS)
def test_takes_writes_afterwards(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    by_python(spark, table)
    write = options(kind, datasource__write__operation="upsert")
    changed = frame(spark, 0, 300).withColumn("text", F.lit("later"))

    changed.write.format("hudi").options(**write).mode("append").save(table.path)

    rows = table.content()
    assert [row for row in rows if row.id >= 300] == [row for row in table.rows if row.id >= 300]
    assert {row.text for row in rows if row.id < 300} == {"later"}


@pytest.mark.parametrize("kind", KINDS)
def test_clusters_inline(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    inline = {
        "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "1",
        **STRATEGY,
    }
    write = options(kind, datasource__write__operation="upsert")
    again = frame(spark).where("id BETWEEN 1000 AND 1009")

    again.write.format("hudi").options(**write, **inline).mode("append").save(table.path)

    assert_laid_out(table)


def test_calls_the_validators_that_are_named(spark: Any, tmp_path: Path) -> None:
    """Otherwise the clusterings above that name ours might not have been validated at all."""
    table = made(spark, tmp_path / "t")

    with pytest.raises(Py4JJavaError, match="NoSuchValidator"):
        by_call(spark, table, precommit__validators="io.hudizorder.NoSuchValidator")

    assert table.content() == table.rows


@pytest.mark.parametrize("kind", KINDS)
def test_keeps_up(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    by_python(spark, table)
    write = options(kind, datasource__write__operation="bulk_insert")
    frame(spark, ROWS, 1000).write.format("hudi").options(**write).mode("append").save(table.path)
    before = {row[0] for row in table.read().select("_hoodie_file_name").distinct().collect()}
    rows = table.content()

    by_python(spark, table)

    after = {row[0] for row in table.read().select("_hoodie_file_name").distinct().collect()}
    assert_rows(table, rows)
    assert before & after, "what is laid out stays"
    assert before - after, "what is new is laid out"
    assert by_python(spark, table).instant is None, "and then there is nothing to do"


@pytest.mark.skipif(HUDI == "0.15.0", reason="its planner tells no strategy which partitions")
def test_lays_out_what_logs_have_moved(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t", "MERGE_ON_READ")
    laid_out = by_python(spark, table).after.files
    moved = frame(spark).where("id % 4 = 3").withColumn("a", ROWS - F.col("a"))
    write = options("MERGE_ON_READ", datasource__write__operation="upsert")
    moved = moved.withColumn("b", ROWS - F.col("b"))
    moved.write.format("hudi").options(**write).mode("append").save(table.path)
    rows = table.content()

    result = by_python(spark, table)

    assert result.taken == {"changed": laid_out / 2}, "of two partitions that which they lie in"
    assert_rows(table, rows)
    assert by_python(spark, table).instant is None, "and then there is nothing to do"


@pytest.mark.skipif(HUDI == "0.15.0", reason="a table of it has no merge mode")
@pytest.mark.parametrize(
    "key", ["write__record__merge__custom__implementation__classes", OLDER_KEY_OF_MERGERS]
)
def test_merges_by_a_merger_that_is_named(spark: Any, tmp_path: Path, key: str) -> None:
    table = made(spark, tmp_path / "t", "MERGE_ON_READ")
    settings = Path(table.path, ".hoodie/hoodie.properties")
    own = [
        line
        for line in settings.read_text().splitlines()
        if not line.startswith(("hoodie.record.merge.", "hoodie.table.checksum"))
    ]
    own += ["hoodie.record.merge.mode=CUSTOM", f"hoodie.record.merge.strategy.id={LATEST_WINS}"]
    settings.write_text("\n".join(own))
    settings.with_name(f".{settings.name}.crc").unlink()

    by_call(spark, table, **{key: "org.apache.hudi.OverwriteWithLatestSparkRecordMerger"})

    assert_laid_out(table)


def test_refuses_a_log_that_is_cut_short(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t", "MERGE_ON_READ")
    log = min(log for log in Path(table.path).glob("*/.*.log.*") if log.suffix != ".crc")
    log.with_name(f".{log.name}.crc").unlink()
    whole = log.read_bytes()
    log.write_bytes(whole[:-3])

    with pytest.raises(hz.ClusteringError, match=f"has {len(whole) - 3} bytes of the {len(whole)}"):
        by_python(spark, table)

    assert hz.ZOrderTable(spark, table.path).pending() == []
    log.write_bytes(whole)
    by_python(spark, table)
    assert_rows(table, table.rows)


def test_lays_out_a_bulk_insert(spark: Any, tmp_path: Path) -> None:
    table = made(
        spark,
        tmp_path / "t",
        bulkinsert__user__defined__partitioner__class=PARTITIONER,
        clustering__plan__strategy__sort__columns=",".join(COLUMNS),
        clustering__plan__strategy__target__file__max__bytes=str(TARGET),
    )

    assert len(table.rows) == ROWS
    # Two files of a load and partition are cut along one of the columns.
    assert table.share_of_files("a") * table.share_of_files("b") < 0.75


def test_a_partition_that_is_named_twice_is_clustered_once(spark: Any, tmp_path: Path) -> None:
    """A plan with a file group twice would leave a table that nobody can read."""
    table = made(spark, tmp_path / "t")

    by_call(spark, table, clustering__plan__strategy__partition__selected="p0,p0")

    assert_rows(table, table.rows)
    [done] = hz.ZOrderTable(spark, table.path).history()
    assert done.instant


@pytest.mark.skipif(HUDI == "0.15.0", reason="its archive is not looked at")
def test_the_layout_of_an_archived_clustering_is_followed(spark: Any, tmp_path: Path) -> None:
    """It lies within a file of the archive, between instants of others."""
    soon = {
        "metadata__enable": "false",
        "metadata__index__column__stats__enable": "false",
        "clean__commits__retained": "1",
        "keep__min__commits": "2",
        "keep__max__commits": "6",
    }
    table = made(spark, tmp_path / "t", **soon)
    by_call(spark, table, metadata__enable="false", metadata__index__column__stats__enable="false")
    write = options("COPY_ON_WRITE", datasource__write__operation="bulk_insert", **soon)

    def append(first: int, **more: str) -> None:
        new = frame(spark, first, 100).write.format("hudi").options(**write).options(**more)
        new.mode("append").save(table.path)

    for load in range(5):
        append(ROWS + 100 * load)
    assert list((tmp_path / "t/.hoodie/timeline/history").glob("*.parquet"))
    assert not list((tmp_path / "t/.hoodie/timeline").glob("*.replacecommit"))

    append(2 * ROWS, **{"hoodie.bulkinsert.user.defined.partitioner.class": PARTITIONER})

    assert table.read().count() == ROWS + 600


def test_verifies_beside_files_that_are_none_of_hudis(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t")
    by_python(spark, table)
    frame(spark, 0, 10).select("id").coalesce(1).write.parquet(str(tmp_path / "other"))
    [foreign] = (tmp_path / "other").glob("part-*.parquet")
    shutil.copyfile(foreign, Path(table.path, "p0", foreign.name))

    found = hz.ZOrderTable(spark, table.path).verify()

    assert (found.passed, found.proven, found.strays) == (True, True, ())


def test_keeps_a_z_column_true_or_refuses_it(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    write = {
        **options("COPY_ON_WRITE", clustering__plan__strategy__sort__columns=",".join(COLUMNS)),
        "hoodie.clustering.zorder.z.column": "z",
    }

    def save() -> None:
        frame(spark, 0, 100).write.format("hudi").options(**write).mode("append").save(path)

    if HUDI == NEWEST:
        save()
        assert "z" in spark.read.format("hudi").load(path).columns
    else:
        with pytest.raises(IllegalArgumentException, match="no z-column can be kept true"):
            save()
        assert not Path(path).exists()
