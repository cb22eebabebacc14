"""Small groups with log files, merged by tasks in the one job of all: what queries see of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import base_files, pending_instants, read
from tables_with_logs import (
    BEFORE_8,
    BEFORE_9,
    BY_PART,
    DELETE,
    LATEST_WINS,
    NO_INDEX,
    PARQUET_LOGS,
    POSITIONS,
    UPSERT,
    clustered,
    data_files,
    every_kind,
    frame,
    logs,
    newest_files,
    rows_of,
    together,
    write_every_kind,
)

pytestmark = pytest.mark.usefixtures("without_metadata_table")


@pytest.mark.parametrize(
    ("writer", "reader"),
    quick_first(
        [
            (PARQUET_LOGS, {}),
            ({}, {}),
            (LATEST_WINS, {}),
            (POSITIONS, {"hoodie__merge__use__record__positions": "true"}),
            (BEFORE_9, {}),
            (BEFORE_8, {}),
        ]
    ),
)
def test_every_kind_of_slice_keeps_its_rows_in_the_order_of_its_file(
    spark: SparkSession, tmp_path: Path, writer: Mapping[str, str], reader: Mapping[str, str]
) -> None:
    write_every_kind(spark, tmp_path / "t", **writer)
    path = str(tmp_path / "t")
    assert {b"PAR1" in log.read_bytes() for log in logs(path)} >= {writer == PARQUET_LOGS}
    expected = every_kind(spark, latest_wins=writer == LATEST_WINS).cache()
    told = rows_of(expected)
    assert rows_of(read(spark, path)) == told

    done = clustered(path, spark, **reader)

    assert done.readers == {"merging": 4, "vectorised": 2}
    assert rows_of(read(spark, path)) == told
    written = newest_files(path)
    assert written.keys() == {"several", "alone", "both", "logs"}, "nothing is left of 'gone'"
    # As pyarrow has them; of times it has the zone, too.
    flat = ["p", "id", "a", "text", "amount", "price", "day", "ts"]
    assert sorted(tuple(row) for row in expected.select(flat).collect()) == sorted(
        row for rows in written.values() for row in tuples(rows, flat)
    )
    for rows in written.values():
        order = tuples(rows, ["a", "id"])
        assert order == sorted(order)


def tuples(rows: pa.Table, names: list[str]) -> list[tuple[Any, ...]]:
    return list(zip(*rows.select(names).to_pydict().values(), strict=True))


def zeroes_within(content: bytes) -> bytes:
    half = len(content) // 2
    return content[:half] + bytes(len(content) // 4) + content[half + len(content) // 4 :]


def another_beginning(content: bytes) -> bytes:
    return b"XXXXXX" + content[6:]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [zeroes_within, another_beginning])
def test_a_damaged_log_is_named_and_nothing_is_changed_until_it_is_whole(
    spark: SparkSession, tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    parts = [("x", 0), ("y", 1000), ("z", 2000)]
    first = [frame(spark, range(start, start + 100), part) for part, start in parts]
    path = write(together(first), tmp_path / "t", **BY_PART)
    changed = [frame(spark, range(start, start + 60), part, 1, 20) for part, start in parts]
    write(together(changed), path, **BY_PART, **UPSERT)
    expected = rows_of(read(spark, path))
    [log] = [log for log in logs(path) if log.parent.name == "y"]
    whole, files = log.read_bytes(), data_files(path)
    # By which Hadoop would know the damage, as no object storage does.
    log.with_name(f".{log.name}.crc").unlink()
    log.write_bytes(damage(whole))

    with pytest.raises(hz.ClusteringError) as failed:
        hz.ZOrderTable(spark, path).cluster(["a", "id"], hudi_options=NO_INDEX)

    message = str(failed.value)
    assert message.startswith("Cannot cluster the files of partition 'y': ")
    [base] = Path(path).glob("y/*.parquet")
    assert base.name in message
    assert "Details: null" not in message
    assert data_files(path) == files
    assert pending_instants(path) == []
    others = read(spark, path).where("p <> 'y'")
    assert rows_of(others) == Counter({row: n for row, n in expected.items() if "p='y'" not in row})

    log.write_bytes(whole)
    assert rows_of(read(spark, path)) == expected
    clustered(path, spark)
    assert rows_of(read(spark, path)) == expected


def deleted_by_a_field(spark: SparkSession, path: str) -> int:
    field = F.expr("ts = 20 AND id % 2 = 0")
    write(frame(spark, range(100), "x").withColumn("_hoodie_is_deleted", field), path, **BY_PART)
    changed = frame(spark, range(60), "x", 1, 20).withColumn("_hoodie_is_deleted", field)
    write(changed, path, **BY_PART, **UPSERT)
    return 70


def deleted_by_a_marker(spark: SparkSession, path: str) -> int:
    options = {
        **BY_PART,
        "datasource__write__payload__class": "org.apache.hudi.common.model."
        "DefaultHoodieRecordPayload",
        "payload__delete__field": "op",
        "payload__delete__marker": "D",
    }
    op = F.expr("if(ts = 20 AND id % 2 = 0, 'D', 'I')")
    write(frame(spark, range(100), "x").withColumn("op", op), path, **options)
    write(frame(spark, range(60), "x", 1, 20).withColumn("op", op), path, **options, **UPSERT)
    return 70


def merged_by_a_payload(spark: SparkSession, path: str) -> int:
    """Whose nulls overwrite nothing, and which asks for no ordering field."""
    options = {
        **BY_PART,
        "datasource__write__payload__class": "org.apache.hudi.common.model."
        "OverwriteNonDefaultsWithLatestAvroPayload",
    }
    write(frame(spark, range(100), "x"), path, **options)
    left_out = frame(spark, range(50), "x", 1, 5).withColumn("text", F.expr("string(null)"))
    write(left_out, path, **options, **UPSERT)
    kept = read(spark, path).where("ts = 5 AND text = md5(string(id))").count()
    assert kept == sum(id % 9 > 0 for id in range(50))
    return 100


def changed_in_sql(spark: SparkSession, path: str) -> int:
    write(frame(spark, range(100), "x"), path, **BY_PART)
    spark.sql(f"CREATE TABLE changed USING hudi LOCATION '{path}'")
    try:
        spark.sql("UPDATE changed SET text = 'updated', ts = 20 WHERE id < 40")
        spark.sql(
            "MERGE INTO changed USING (SELECT id + 30 AS id, 'merged' AS text, 30 AS ts,"
            " 'x' AS p FROM range(30)) AS s ON changed.id = s.id"
            " WHEN MATCHED THEN UPDATE SET changed.text = s.text, changed.ts = s.ts"
        )
        spark.sql("DELETE FROM changed WHERE id = 5")
    finally:
        spark.sql("DROP TABLE changed")
    assert read(spark, path).where("text = 'updated'").count() == 29
    assert read(spark, path).where("text = 'merged' AND ts = 30").count() == 30
    return 99


def with_a_column_of_the_log(spark: SparkSession, path: str) -> int:
    write(frame(spark, range(100), "x"), path, **BY_PART)
    late = frame(spark, range(60), "x", 1, 20)
    late = late.withColumn("late", F.expr("if(id = 7, null, string(id))"))
    write(late, path, **BY_PART, **UPSERT)
    assert read(spark, path).where("late = string(id)").count() == 59
    return 100


def with_a_wider_type_in_the_log(spark: SparkSession, path: str) -> int:
    write(frame(spark, range(100), "x").withColumn("n", F.expr("int(id)")), path, **BY_PART)
    narrow = frame(spark, range(40), "x", 1, 20).withColumn("n", F.expr("int(id)"))
    write(narrow, path, **BY_PART, **UPSERT)
    wide = frame(spark, range(40, 60), "x", 1, 20).withColumn("n", F.expr("id * 5000000000"))
    write(wide, path, **BY_PART, **UPSERT)
    assert (
        read(spark, path).where("n = if(id BETWEEN 40 AND 59, id * 5000000000, id)").count() == 100
    )
    return 100


def with_a_field_of_the_log(spark: SparkSession, path: str) -> int:
    # All nullable, as Hudi wants fields that others may lack.
    nested = "if(id < 0, null, named_struct({}))"
    first = F.expr(nested.format("'x', if(id < 0, null, id)"))
    more = F.expr(nested.format("'x', if(id < 0, null, id), 'y', if(id < 0, null, string(id))"))
    write(frame(spark, range(100), "x").withColumn("nested", first), path, **BY_PART)
    late = frame(spark, range(60), "x", 1, 20).withColumn("nested", more)
    write(late, path, **BY_PART, **UPSERT)
    rows = read(spark, path).select("id", "nested.*")
    assert rows.where("x = id AND (y = string(id)) <=> if(id < 60, true, null)").count() == 100
    return 100


def moved_to_another_partition(spark: SparkSession, path: str) -> int:
    options = {
        **BY_PART,
        "index__type": "GLOBAL_SIMPLE",
        "simple__index__update__partition__path": "true",
    }
    write(frame(spark, range(100), "x"), path, **options)
    write(frame(spark, range(1000, 1100), "y"), path, **options)
    write(frame(spark, range(60, 90), "y", 1, 20), path, **options, **UPSERT)
    assert read(spark, path).where("p = 'x'").count() == 70
    return 200


def without_meta_columns(spark: SparkSession, path: str) -> int:
    options = {**BY_PART, "populate__meta__fields": "false"}
    write(frame(spark, range(100), "x"), path, **options)
    write(frame(spark, range(60), "x", 1, 20), path, **options, **UPSERT)
    return 100


HISTORIES: list[Callable[[SparkSession, str], int]] = [
    deleted_by_a_field,
    deleted_by_a_marker,
    merged_by_a_payload,
    changed_in_sql,
    with_a_column_of_the_log,
    with_a_wider_type_in_the_log,
    with_a_field_of_the_log,
    moved_to_another_partition,
    without_meta_columns,
]


@pytest.mark.slow
@pytest.mark.parametrize("history", HISTORIES)
def test_whatever_logs_tell_is_merged_as_a_query_merges_it(
    spark: SparkSession, tmp_path: Path, history: Callable[[SparkSession, str], int]
) -> None:
    path = str(tmp_path / "t")
    count = history(spark, path)
    expected = rows_of(read(spark, path))
    assert expected.total() == count
    assert logs(path)

    assert clustered(path, spark).readers["merging"] >= 1

    assert rows_of(read(spark, path)) == expected
    written = newest_files(path)
    assert sum(len(rows) for rows in written.values()) == count
    ids = [row.id for row in read(spark, path).select("id").collect()]
    assert sorted(ids) == sorted(id for rows in written.values() for id in rows["id"].to_pylist())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["BITCASK", "ROCKS_DB"])
def test_what_logs_tell_may_wait_on_disk_and_leaves_nothing_there(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    first = [frame(spark, range(n, n + 100), f"p{n}") for n in range(0, 400, 100)]
    path = write(together(first), tmp_path / "t", **BY_PART)
    changed = [frame(spark, range(n, n + 80), f"p{n}", 1, 20) for n in range(0, 400, 100)]
    write(together(changed), path, **BY_PART, **UPSERT)
    waiting = tmp_path / "waiting"
    waiting.mkdir()

    clustered(
        path,
        spark,
        hoodie__memory__compaction__max__size="1",
        hoodie__memory__spillable__map__path=str(waiting),
        hoodie__common__spillable__diskmap__type=kind,
    )

    assert list(waiting.rglob("*")) == []


@pytest.mark.slow
@pytest.mark.parametrize("left", [1, 0])
def test_a_large_group_of_which_small_logs_delete_nearly_all_is_one_file_at_most(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path, left: int
) -> None:
    """Its base files tell of rows that are not there: the sample does not bear them out."""
    count = 30_000

    def rows(ids: range, ts: int) -> DataFrame:
        return frame(spark, ids, "x", ts=ts).select("id", "a", "text", "amount", "at", "ts", "p")

    path = write_hudi(rows(range(count), 10), tmp_path / "t", **BY_PART)
    write_hudi(rows(range(left, count), 20), path, **BY_PART, **DELETE)
    expected = rows_of(read(spark, path))
    assert expected.total() == left

    hz.ZOrderTable(spark, path).cluster(
        ["a", "id"], target_file_size="200KB", verify="content", hudi_options=NO_INDEX
    )

    assert rows_of(read(spark, path)) == expected
    assert len(base_files(spark, path)) == left
    assert pending_instants(path) == []
