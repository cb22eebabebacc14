"""A stored z-column: true after every write, asked by every query it helps, and never wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_tables import evolving, read, session_settings
from hudi_zorder.options import LOCKING
from z_tables import ENABLED, OPTIONS, asks, create, ids, same, untrue, upsert

ROWS = "SELECT id, cast(id % 100 AS int) a, cast(id div 100 AS int) b FROM range(1000)"

ASKED = [
    "a = 5 AND b BETWEEN 2 AND 4",
    "a < 10",
    "b >= 8",
    "A IN (3, 4, NULL, 77)",
    "a IS NULL",
    "b IS NULL AND a IS NOT NULL",
    "a = 5 OR b = 5",
    "(a = 1 AND b = 2) OR (a = 90 AND b = 9)",
    "NOT (a > 3) AND b < 4",
    "a <=> NULL",
    "a = 1000",
    f"a IN ({', '.join(map(str, range(0, 90, 3)))})",
    "cast(a AS bigint) = 5L AND b < 3",
    "5 > a",
    "a + 0 = 5 AND b = 3",
]
NOT_ASKED = ["a + 1 = 5", "a = b", "id = 5", "a IS NOT NULL OR a IS NULL", "a <> 5"]


@pytest.fixture
def table(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    """A thousand rows, a and b from 0 on; of the columns' own statistics Hudi has none."""
    return made_once(tmp_path / "t", lambda path: create(spark.sql(ROWS), path))


@pytest.fixture
def named(spark: SparkSession, table: str) -> Iterator[str]:
    """The same by a name in the catalog."""
    spark.sql(f"CREATE TABLE z_named USING hudi LOCATION '{table}'")
    yield table
    spark.sql("DROP TABLE z_named")


def values(spark: SparkSession, *rows: str) -> DataFrame:
    return spark.sql(f"SELECT id, a, b FROM VALUES {', '.join(rows)} AS t(id, a, b)").selectExpr(
        "cast(id AS bigint) id", "cast(a AS int) a", "cast(b AS int) b"
    )


def test_a_write_that_forgets_the_column_or_brings_another_value_is_mended(
    spark: SparkSession, table: str
) -> None:
    upsert(values(spark, "(1, -70, 5)", "(2000, NULL, 5)"), table)
    upsert(values(spark, "(2, 900, NULL)").selectExpr("*", "'00' AS _z"), table)
    with_null = values(spark, "(2001, 7, 900)").selectExpr("*", "cast(NULL AS string) AS _z")
    write(with_null, table, datasource__write__operation="insert")
    assert (read(spark, table).count(), untrue(spark, table)) == (1002, 0)
    assert same(spark, table, "a = -70 AND b = 5")
    assert same(spark, table, "a IS NULL")
    assert ids(read(spark, table).where("b = 900 OR b IS NULL")) == [2, 2001]


@pytest.mark.slow
def test_inserts_updates_and_deletes_of_sql_keep_it_true(spark: SparkSession, named: str) -> None:
    spark.sql("INSERT INTO z_named (id, a, b) VALUES (5000, -9, -9)")
    spark.sql("INSERT INTO z_named SELECT 5001, 500, 500, 'stale'")
    spark.sql("UPDATE z_named SET b = 777 WHERE id = 3")
    spark.sql("DELETE FROM z_named WHERE id = 4")
    assert untrue(spark, named) == 0
    for predicate, expected in {"a = -9": [5000], "b = 777": [3], "a > 99": [5001]}.items():
        found = spark.table("z_named").where(predicate)
        assert (ids(found), asks(found)) == (expected, True)
    assert same(spark, named, "a = 4 AND b = 0")


@pytest.mark.slow
def test_overwriting_keeps_the_z_column(spark: SparkSession, named: str) -> None:
    spark.sql("INSERT OVERWRITE z_named (id, a, b) SELECT 1, 2, 3")
    assert (ids(read(spark, named)), untrue(spark, named)) == ([1], 0)
    write(values(spark, "(8, 1, 1)", "(9, 2, 2)"), named, mode="overwrite")
    assert (ids(read(spark, named)), untrue(spark, named)) == ([8, 9], 0)
    assert same(spark, named, "a = 1")


@pytest.mark.parametrize(
    ("asked", "not_asked"),
    quick_first([(ASKED[:3], NOT_ASKED[:1]), (ASKED[3:], NOT_ASKED[1:])]),
    ids=["first", "others"],
)
def test_all_kinds_of_predicates_are_asked_and_change_nothing(
    spark: SparkSession, table: str, asked: list[str], not_asked: list[str]
) -> None:
    upsert(values(spark, "(1, NULL, 5)", "(2, 7, NULL)", "(3, NULL, NULL)"), table)
    for predicate in asked:
        assert same(spark, table, predicate), predicate
    for predicate in not_asked:
        same(spark, table, predicate)
    joined = read(spark, table).where("a = 5").join(read(spark, table).where("b = 5"), "id")
    assert (ids(joined), asks(joined)) == ([505], True)
    with session_settings(spark, {ENABLED: "false"}):
        assert not asks(read(spark, table).where("a = 5"))


def test_a_reader_that_has_planned_sees_its_snapshot_when_the_minimum_moves(
    spark: SparkSession, named: str
) -> None:
    planned = spark.table("z_named").where("b = 3")
    assert asks(planned)
    loaded = read(spark, named).where("b = 3")
    # Below every a there was: the table's file index, which the reader shares, is refreshed.
    spark.sql("INSERT INTO z_named (id, a, b) VALUES (7000, -1000000, 3)")
    spark.sql("REFRESH TABLE z_named")
    before = list(range(300, 400))
    assert ids(loaded) == before
    assert [row.id for row in planned.sort("id").collect()] in (before, [*before, 7000])
    assert sorted(row.id for row in planned.collect()) == before
    after = spark.table("z_named").where("b = 3")
    assert (ids(after), asks(after)) == ([*before, 7000], True)


def test_a_snapshot_of_before_is_read_by_its_own_bounds(spark: SparkSession, table: str) -> None:
    [instant] = read(spark, table).select("_hoodie_commit_time").distinct().first()
    upsert(values(spark, "(1, -70, 5)"), table)
    for time, expected in ((instant, [1, 101, 201, 301]), ("2099-01-01", [101, 201, 301])):
        frame = spark.read.format("hudi").option("as.of.instant", time).load(table)
        assert ids(frame.where("a = 1 AND b < 4")) == expected


@pytest.mark.slow
def test_two_writers_lose_no_bounds(spark: SparkSession, table: str) -> None:
    settings = as_keywords(LOCKING)
    frames = [
        values(spark, *(f"({side * 10000 + i}, {side * 5000}, {i})" for i in range(3)))
        for side in (-1, 1)
    ]
    failed: list[BaseException] = []

    def insert(frame: DataFrame) -> None:
        try:
            write(frame, table, datasource__write__operation="insert", **settings)
        except BaseException as error:
            failed.append(error)

    threads = [Thread(target=insert, args=(frame,)) for frame in frames]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert (read(spark, table).count(), untrue(spark, table)) == (1006, 0)
    for predicate in ("b = 2", "a = -5000", "a = 5000 AND b = 1"):
        assert same(spark, table, predicate)
    assert ids(read(spark, table).where("a = 5000")) == [10000, 10001, 10002]


@pytest.mark.slow
def test_a_writer_that_knows_no_z_columns_ends_their_use(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    source = str(tmp_path / "source")
    rows = values(spark, "(9000, 5, 5)").selectExpr("*", "cast(NULL AS string) AS _z")
    rows.write.parquet(source)
    stream = (
        spark.readStream.schema(rows.schema)
        .parquet(source)
        .writeStream.format("hudi")
        .options(**{"hoodie.table.name": "t", "hoodie.datasource.write.recordkey.field": "id"})
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .start(table)
    )
    stream.awaitTermination()
    assert not same(spark, table, "a = 5")
    assert ids(read(spark, table).where("a = 5 AND b = 5")) == [505, 9000]
    upsert(values(spark, "(1, 2, 3)"), table)
    assert not same(spark, table, "a = 5")


@pytest.mark.slow
def test_services_and_more_columns_leave_it_in_use(spark: SparkSession, named: str) -> None:
    hz.ZOrderTable(spark, named).cluster(options=OPTIONS)
    spark.sql("ALTER TABLE z_named ADD COLUMNS (c string)")
    assert untrue(spark, named) == 0
    assert same(spark, named, "a = 5 AND b > 7")


@pytest.mark.slow
def test_a_renamed_column_ends_its_use(spark: SparkSession, table: str) -> None:
    with evolving(spark, table):
        spark.sql("ALTER TABLE evolved RENAME COLUMN a TO former")
        spark.sql("ALTER TABLE evolved ADD COLUMNS (a int)")
        found = spark.table("evolved").where("a IS NULL")
        assert (found.count(), asks(found)) == (1000, False)
        spark.sql("ALTER TABLE evolved DROP COLUMN a")
        spark.sql("INSERT INTO evolved (id, former, b) VALUES (6000, -3, 5)")
        spark.sql("UPDATE evolved SET b = 500 WHERE former = 3 AND b = 4")
        found = spark.table("evolved").where("former = -3 OR b = 500")
        assert (ids(found), asks(found)) == ([403, 6000], False)


@pytest.mark.slow
def test_a_wider_type_ends_its_use(spark: SparkSession, table: str) -> None:
    with evolving(spark, table):
        spark.sql("ALTER TABLE evolved ALTER COLUMN a TYPE bigint")
        spark.sql("INSERT INTO evolved (id, a, b) VALUES (6000, 5000000000, 5)")
        upsert(
            values(spark, "(7, 8, 9)").selectExpr("id", "cast(a AS bigint) a", "b", "'' AS _z"),
            table,
        )
        found = spark.table("evolved").where("a > 4000000000 OR b = 9 AND a = 8")
        assert (ids(found), asks(found)) == ([7, 908, 6000], False)
        rows = values(spark, "(8, 9, 9)").selectExpr("id", "cast(a AS bigint) a", "b", "'' AS _z")
        create(rows, table)
        assert ids(read(spark, table).where("b = 9 AND a = 9")) == [8, 909]


@pytest.mark.slow
def test_a_table_that_merges_on_read_is_asked_too(spark: SparkSession, tmp_path: Path) -> None:
    kind = {"datasource__write__table__type": "MERGE_ON_READ"}
    path = create(spark.sql(ROWS), tmp_path / "mor", **kind)
    for number in range(2):
        upsert(values(spark, f"({number}, {-5 - number}, 5)"), path, **kind)
    assert any(file.name.endswith(".log.1_0") or ".log." in file.name for file in _files(path))
    assert (read(spark, path).count(), untrue(spark, path)) == (1000, 0)
    for predicate in ("a = -5", "a = 0 AND b = 0", "a = 5 AND b BETWEEN 2 AND 4"):
        assert same(spark, path, predicate)


def _files(path: str) -> list[Path]:
    return list(Path(path).iterdir())


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ("id, a", {}, "made of 'b', which is not among the columns"),
        ("id, cast(a AS bigint) a, b", {}, "made of 'a' of type int, which was 'bigint'"),
        ("id, a, b", {"clustering__zorder__z__column": "_y"}, "the table has '_z' of '[a, b]'"),
        (
            "id, a, b",
            {
                "datasource__write__payload__class": (
                    "org.apache.hudi.common.model.PartialUpdateAvroPayload"
                )
            },
            "merge whole records",
        ),
        ("id, a, b", {"write__record__merge__mode": "CUSTOM"}, "merge whole records"),
    ],
)
def test_a_write_that_cannot_be_mended_is_refused(
    spark: SparkSession, table: str, change: str, options: dict[str, str], message: str
) -> None:
    frame = values(spark, "(1, -70, 5)").selectExpr(*(part.strip() for part in change.split(", ")))
    if "__z__column" in " ".join(options):
        options = {**options, "clustering__plan__strategy__sort__columns": "a,b"}
    with pytest.raises(Exception, match="Cannot write to") as refused:
        upsert(frame, table, **options)
    assert message in str(refused.value)
    assert same(spark, table, "a = 5")


def test_times_that_the_writers_own_schema_cuts_off_make_no_z_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    fields = [
        {"name": "id", "type": "long"},
        {"name": "a", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "b", "type": "int"},
        {"name": "_z", "type": "string"},
    ]
    schema = json.dumps({"type": "record", "name": "r", "fields": fields})
    rows = spark.range(9).selectExpr("id", "timestamp_micros(id * 1234567) AS a", "7 AS b")
    with pytest.raises(Exception, match=r"'hoodie\.write\.schema' has 'a' in milliseconds"):
        create(rows, tmp_path / "t", write__schema=schema)


def test_definitions_and_statements_that_cannot_be_are_refused(
    spark: SparkSession, named: str, tmp_path: Path
) -> None:
    plain = write(spark.sql(ROWS), tmp_path / "plain")
    with pytest.raises(Exception, match="the table has rows without it"):
        create(values(spark, "(1, 2, 3)"), plain)
    with pytest.raises(Exception, match=r"Cannot merge into 'spark_catalog\.default\.z_named'"):
        spark.sql(
            "MERGE INTO z_named t USING (SELECT 1L id, 2 x) s ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET t.a = s.x"
        )
    key = "hoodie.clustering.zorder.z.column"
    with pytest.raises(Exception, match=r"Cannot create .* by SELECT"):
        spark.sql(f"CREATE TABLE z_select USING hudi TBLPROPERTIES ('{key}' = '_z') AS {ROWS}")
    with pytest.raises(Exception, match=r"Cannot write to .*z_named' as to a new table"):
        values(spark, "(1, 2, 3)").selectExpr("*", "'' AS _z").write.format("hudi").mode(
            "append"
        ).saveAsTable("z_named")
    with pytest.raises(Exception, match=r"Cannot write to .*z_over' as to a new table"):
        spark.sql(f"CREATE TABLE z_over USING hudi LOCATION '{named}' AS SELECT 1L id, 2 a, 3 b")
    assert same(spark, named, "a = 5")
    with pytest.raises(Exception, match=r"there is no such column; did you mean|is no such column"):
        create(spark.sql(ROWS).withColumnRenamed("b", "c"), tmp_path / "missing")
    for name, what in {"B": "one of its own", "id": "the record key", "c": "than text"}.items():
        options = as_keywords({**OPTIONS.writer(), key: name})
        rows = spark.sql(f"SELECT *, 1.5 AS c FROM ({ROWS})")
        with pytest.raises(Exception, match=f"'{name}', which is .*{what}.*; its values would be"):
            write(rows, tmp_path / "taken", **options)
    assert not (tmp_path / "taken").exists()
    for fields in ({"column_weights": {"a": 2.0}}, {"z_column": "A"}, {"z_column": ""}):
        with pytest.raises(hz.OptionError, match="Cannot"):
            hz.ZOrderOptions(**{"columns": ["a", "b"], "z_column": "_z", **fields})  # type: ignore[arg-type]
    with pytest.raises(hz.OptionError, match="'z_column' was not given"):
        hz.ZOrderOptions(columns=["a"]).writer()


def test_where_z_asks_by_hand_what_the_rule_would(spark: SparkSession, table: str) -> None:
    z_table = hz.ZOrderTable(spark, table)
    with session_settings(spark, {ENABLED: "false"}):
        frame = z_table.where_z(read(spark, table), "a = 5 AND b < 3")
        assert (ids(frame), asks(frame)) == ([5, 105, 205], True)
        without = z_table.where_z(read(spark, table).drop("_z"), "a = 5 AND b < 3")
        assert ids(without) == [5, 105, 205]
        text = z_table.z_predicate("a = 5 AND b < 3", max_ranges=2)
        assert text is not None
        assert text.count("_z >=") + text.count("_z =") <= 2
        assert set(ids(read(spark, table).where(text))) >= {5, 105, 205}
        assert z_table.z_predicate("id = 5") is None
        with pytest.raises(hz.PredicateError):
            z_table.where_z(read(spark, table), "a = = 5")
        with pytest.raises(hz.OptionError):
            z_table.z_predicate("a = 5", max_ranges=0)


def test_with_z_column_gives_what_the_rule_writes(spark: SparkSession, table: str) -> None:
    rows = {row.id: row._z for row in hz.with_z_column(spark.sql(ROWS), OPTIONS).collect()}
    stored: Any = {row.id: row._z for row in read(spark, table).collect()}
    assert rows == stored
