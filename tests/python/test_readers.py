"""The fast reader and Hudi's merging one: the same rows, whatever became of the table's schema."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first
from hudi_tables import (
    HUDIS_STRATEGY,
    base_files,
    cluster_by_call,
    evolving,
    fingerprint,
    read,
    session_settings,
)

pytestmark = [
    pytest.mark.usefixtures("without_metadata_table"),
    pytest.mark.filterwarnings("ignore:.*a NaN makes:hudi_zorder.UnsafeStatisticsWarning"),
]

ROWS = 300
FAST, MERGING, BOTH = ["vectorised"], ["merging"], ["vectorised", "merging"]
WriteHudi = Callable[..., str]
RECONCILED = dict.fromkeys(
    ("schema__on__read__enable", "datasource__write__reconcile__schema"), "true"
)

EVERY_TYPE = {
    "flag": "id % 3 = 0",
    "small": "cast(id - 300 as int)",
    "long": "id * 5000000000 - 7",
    "single": "cast(id / 7 as float)",
    "double": "IF(id % 50 = 0, double('NaN'), -id / 3)",
    "dec9": "cast(id / 100 as decimal(9,2))",
    "dec18": "cast(-id / 8 as decimal(18,6))",
    "dec38": "cast(id as decimal(38,10)) * 1234567890123456789",
    "day": "date_sub(date'2026-11-21', cast(id as int))",
    "at": "timestamp_micros(id * 86400000003 - 5)",
    "local": "cast(timestamp_micros(id * 3600000007) as timestamp_ntz)",
    "text": "IF(id % 9 = 0, null, repeat('ä', cast(id % 40 as int)))",
    "bytes": "cast(concat('x', id) as binary)",
    "nested": "named_struct('a', id, 'b', named_struct('c', cast(id as string), 'd', null + id))",
    "list": "array(id, null, id + 1)",
    "map": "map('k', id, concat('k', id), null)",
    "structs": "array(named_struct('x', id, 'y', array(cast(id as string))))",
    "times": "array(timestamp_micros(id * 86400000003), timestamp_micros(id))",
}


def every_type(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 3).selectExpr(
        "id", *[f"{sql} AS {name}" for name, sql in EVERY_TYPE.items()]
    )


def rows_of(spark: SparkSession, path: str) -> list[str]:
    """All rows with all columns but the file's name, in the order of their keys, as texts."""
    rows = read(spark, path).drop("_hoodie_file_name", "_hoodie_commit_seqno")
    rows = rows.drop("_hoodie_commit_time").orderBy("id")
    if "map" in rows.columns:  # whose entries have no order
        rows = rows.withColumn("map", F.array_sort(F.map_entries("map")))
    return [str(row) for row in rows.collect()]


def unit_of(file: Path, column: str) -> str:
    """The unit in which a file keeps a timestamp."""
    return str(pq.read_schema(file).field(column).type.unit)


def clustered(
    spark: SparkSession,
    path: str,
    columns: Sequence[str],
    readers: Sequence[str],
    writer: Mapping[str, bool] | None = None,
) -> None:
    """Clusters, and proves that the readers were those expected and that all rows are as before."""
    before, rows_before = fingerprint(spark, path), rows_of(spark, path)
    result = hz.ZOrderTable(spark, path).cluster(
        list(columns), verify="content", hudi_options=writer
    )
    assert result.readers == dict.fromkeys(readers, 1)
    assert rows_of(spark, path) == rows_before
    assert fingerprint(spark, path) == before


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", quick_first([True, False]))
def test_both_readers_give_the_same_rows_of_every_type(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, row_writer: bool
) -> None:
    writer = {"hoodie.datasource.write.row.writer.enable": row_writer}
    # Hudi's record writer refuses a null in a list.
    rows = every_type(spark) if row_writer else every_type(spark).drop("list")
    plain = write_hudi(rows, tmp_path / "plain")
    logged = write_hudi(rows, tmp_path / "logged", datasource__write__table__type="MERGE_ON_READ")
    # The same rows once more, into a log file beside each base file.
    write_hudi(rows, logged, datasource__write__operation="upsert")

    clustered(spark, plain, ["long", "text"], FAST if row_writer else MERGING, writer)
    clustered(spark, logged, ["long", "text"], MERGING, writer)
    assert rows_of(spark, plain) == rows_of(spark, logged)


@pytest.mark.slow
def test_only_slices_with_logs_are_merged(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(
        every_type(spark),
        tmp_path / "t",
        datasource__write__table__type="MERGE_ON_READ",
        bulkinsert__sort__mode="NONE",
    )
    assert len(base_files(spark, path)) == 3
    changed = every_type(spark).where("id < 10").withColumn("text", F.lit("changed"))
    write_hudi(changed, path, datasource__write__operation="upsert")
    assert read(spark, path).where("text = 'changed'").count() == 10

    clustered(spark, path, ["long", "text"], BOTH)


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", [True, False])
def test_a_plan_reads_the_files_of_the_folder_that_it_is_in_now(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, row_writer: bool
) -> None:
    """A plan has whole paths, of which a copy of the table has none."""
    options = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "datasource__write__partitionpath__field": "part",
    }
    made = rows(spark, 0, "concat('p', id % 2) AS part")
    planned = write_hudi(made, tmp_path / "t", **options)
    changed = made.where("id % 10 = 2").withColumn("a", F.lit(-1))
    write_hudi(changed, planned, datasource__write__operation="upsert", **options)
    before = rows_of(spark, planned)
    instant = hz.ZOrderTable(spark, planned).schedule(["a"]) or ""
    path = str(shutil.move(planned, tmp_path / "moved"))

    table = hz.ZOrderTable(spark, path)
    assert [(plan.instant, plan.outdated) for plan in table.pending()] == [(instant, 0)]
    writer = {"hoodie.datasource.write.row.writer.enable": row_writer}
    result = table.execute(instant, hudi_options=writer)

    assert result.readers == ({"vectorised": 1, "merging": 1} if row_writer else {"merging": 2})
    assert rows_of(spark, path) == before
    assert table.pending() == []


def rows(spark: SparkSession, start: int, *columns: str) -> DataFrame:
    """Three hundred rows, all columns nullable, as Hudi wants columns that others may lack."""
    frame = spark.range(start, start + 300, 1, 2).selectExpr("id", "id * 2 AS a", *columns)
    nullable = ", ".join(f"{name} {kind}" for name, kind in frame.dtypes)
    return spark.createDataFrame(frame.rdd, nullable)


def with_a_later_column(spark: SparkSession, write_hudi: WriteHudi, path: Path) -> None:
    write_hudi(rows(spark, 0), path)
    write_hudi(rows(spark, 300, "id AS b"), path)


def with_a_later_nested_field(spark: SparkSession, write_hudi: WriteHudi, path: Path) -> None:
    write_hudi(rows(spark, 0, "named_struct('x', id) AS s"), path)
    write_hudi(rows(spark, 300, "named_struct('x', id, 'y', cast(id as string)) AS s"), path)


def with_a_wider_type(spark: SparkSession, write_hudi: WriteHudi, path: Path) -> None:
    write_hudi(rows(spark, 0, "cast(id as int) AS n", "float(id) AS f"), path)
    write_hudi(rows(spark, 300, "id * 5000000000 AS n", "id / 3 AS f"), path)


def with_columns_renamed_and_dropped(
    spark: SparkSession, write_hudi: WriteHudi, path: Path
) -> None:
    write_hudi(rows(spark, 0, "cast(id as int) AS old", "id AS gone"), path)
    with evolving(spark, path):
        spark.sql("ALTER TABLE evolved RENAME COLUMN old TO new")
        spark.sql("ALTER TABLE evolved ALTER COLUMN new TYPE bigint")
        spark.sql("ALTER TABLE evolved DROP COLUMN gone")
        spark.sql("ALTER TABLE evolved ADD COLUMNS (added string)")


EVOLUTIONS: dict[str, Any] = {
    "a later column": (with_a_later_column, FAST),
    "a later nested field": (with_a_later_nested_field, BOTH),
    "a wider type": (with_a_wider_type, BOTH),
    "columns renamed and dropped": (with_columns_renamed_and_dropped, MERGING),
}


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", quick_first([True, False]))
@pytest.mark.parametrize("evolution", quick_first(EVOLUTIONS))
def test_files_of_another_schema_are_left_to_the_merging_reader_unless_they_lack_a_column(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, evolution: str, row_writer: bool
) -> None:
    path = tmp_path / "t"
    evolve, readers = EVOLUTIONS[evolution]
    evolve(spark, write_hudi, path)
    writer = {"hoodie.datasource.write.row.writer.enable": row_writer}
    clustered(spark, str(path), ["a", "id"], readers if row_writer else MERGING, writer)
    # What that clustering wrote has the table's schema.
    clustered(spark, str(path), ["id", "a"], FAST)


def test_a_renamed_column_keeps_its_values(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = tmp_path / "t"
    with_columns_renamed_and_dropped(spark, write_hudi, path)
    hz.ZOrderTable(spark, str(path)).cluster(["new", "id"], target_file_size="4KB")

    assert read(spark, str(path)).where("new = id").count() == ROWS
    [low, *_, high] = base_files(spark, str(path))
    assert {"new", "added"} < set(pq.read_schema(low).names) == set(pq.read_schema(high).names)


@pytest.mark.parametrize(
    ("made", "change", "asked"),
    quick_first(
        [
            ("id AS old", "RENAME COLUMN old TO new", "new = id"),
            ("cast(id as int) AS old", "ALTER COLUMN old TYPE bigint", "old = id"),
        ]
    ),
)
def test_a_plan_from_before_a_change_on_read_gives_way(
    spark: SparkSession,
    write_hudi: WriteHudi,
    tmp_path: Path,
    made: str,
    change: str,
    asked: str,
) -> None:
    """Hudi takes files for those of the schema that the table had at the time in their names."""
    path = write_hudi(rows(spark, 0, made), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    planned = table.schedule(["id"])
    with evolving(spark, path):
        spark.sql(f"ALTER TABLE evolved {change}")
    files = base_files(spark, path)

    with pytest.raises(hz.ConflictError, match=r"has changed column '(old|new)'.*cluster again"):
        table.execute(planned)

    assert (base_files(spark, path), table.pending()) == (files, [])
    table.cluster(["id"])
    assert read(spark, path).where(asked).count() == ROWS


@pytest.mark.slow
def test_a_plan_from_before_an_added_column_is_executed(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(rows(spark, 0), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    planned = table.schedule(["id"])
    with evolving(spark, path):
        spark.sql("ALTER TABLE evolved ADD COLUMNS (added bigint)")

    table.execute(planned)

    assert read(spark, path).where("a = id * 2 and added IS NULL").count() == ROWS


def renamed(spark: SparkSession, write_hudi: WriteHudi, path: Path) -> str:
    """A table whose column ``old`` schema on read has renamed to ``new``."""
    table = write_hudi(rows(spark, 0, "id AS old"), path)
    with evolving(spark, table):
        spark.sql("ALTER TABLE evolved RENAME COLUMN old TO new")
    return table


def test_a_change_on_read_that_the_last_write_forgot_is_not_written_as_nulls(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """A writer without schema on read has Hudi forget it until one reconciles by the history."""
    path = renamed(spark, write_hudi, tmp_path / "t")
    write_hudi(rows(spark, ROWS, "id AS new"), path)
    files = base_files(spark, path)
    table = hz.ZOrderTable(spark, path)

    with pytest.raises(hz.OptionError, match=r"'new'.*reconcile.schema.*Nothing was planned"):
        table.cluster(["id"])

    assert base_files(spark, path) == files
    write_hudi(rows(spark, 2 * ROWS, "id AS new"), path, **RECONCILED)
    table.cluster(["id"])
    assert read(spark, path).where("new = id").count() == 3 * ROWS


@pytest.mark.slow
def test_what_is_written_since_a_forgotten_change_is_clustered(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = renamed(spark, write_hudi, tmp_path / "t")
    overwriting = {"datasource__write__operation": "insert_overwrite_table"}
    write_hudi(rows(spark, 0, "id AS new"), path, **overwriting)

    hz.ZOrderTable(spark, path).cluster(["id"])

    assert read(spark, path).where("new = id").count() == ROWS


@pytest.mark.parametrize("older", quick_first(["", "IF(id % 3 = 0, null, id) AS b"]))
def test_a_value_that_the_table_requires_and_a_file_lacks_is_not_made_up(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, older: str
) -> None:
    """As writers add a column with a default, by a schema of Avro; Spark's readers know none."""
    nullable = {"type": ["null", "long"], "default": None}
    fields = [{"name": "id", **nullable}, {"name": "a", **nullable}]
    fields.append({"name": "b", "type": "long", "default": 5})
    schema = json.dumps({"type": "record", "name": "r", "fields": fields})
    path = write_hudi(rows(spark, 0, *([older] if older else [])), tmp_path / "t")
    write_hudi(rows(spark, 300, "id AS b"), path, write__schema=schema)
    files = base_files(spark, path)

    with pytest.raises(hz.ClusteringError, match=r"rows of base file '.*' have no value of 'b'"):
        hz.ZOrderTable(spark, path).cluster(["a", "id"])

    assert base_files(spark, path) == files


@pytest.mark.slow
def test_hudis_own_clustering_writes_a_renamed_column_as_null(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # Why TableSchema is there. When this fails, Hudi has mended it, and README is to be changed.
    path = tmp_path / "t"
    with_columns_renamed_and_dropped(spark, write_hudi, path)
    cluster_by_call(spark, str(path), "id", clustering__execution__strategy__class=HUDIS_STRATEGY)

    assert read(spark, str(path)).where("new IS NULL").count() == ROWS


@pytest.mark.slow
def test_a_column_dropped_and_added_again_stays_empty(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = str(tmp_path / "t")
    write_hudi(rows(spark, 0, "id AS c"), path)
    with evolving(spark, path):
        spark.sql("ALTER TABLE evolved DROP COLUMN c")
        spark.sql("ALTER TABLE evolved ADD COLUMNS (c bigint)")
    clustered(spark, path, ["a", "id"], MERGING)
    assert read(spark, path).where("c IS NULL").count() == ROWS


@pytest.mark.slow
def test_a_table_of_several_formats_is_left_to_the_merging_reader(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(
        rows(spark, 0), tmp_path / "t", table__multiple__base__file__formats__enable="true"
    )
    clustered(spark, path, ["a", "id"], MERGING)


def test_timestamps_in_milliseconds_are_read_fast_and_stay_in_milliseconds(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    millis = {"type": "long", "logicalType": "timestamp-millis"}
    fields = [
        {"name": "id", "type": "long"},
        {"name": "at", "type": ["null", millis], "default": None},
    ]
    schema = json.dumps({"type": "record", "name": "r", "fields": fields})
    rows = spark.range(0, ROWS, 1, 3).selectExpr(
        "id", "IF(id % 7 = 0, null, timestamp_millis(id * 86400003 - 5)) AS at"
    )
    path = write_hudi(rows, tmp_path / "t", write__schema=schema)
    assert {unit_of(file, "at") for file in base_files(spark, path)} == {"ms"}
    clustered(spark, path, ["at", "id"], FAST)
    assert {unit_of(file, "at") for file in base_files(spark, path)} == {"ms"}


def test_a_vector_is_verified_by_the_reader_that_knows_it(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """Spark has it as an array, and files as bytes of a fixed length."""
    of_three = F.array(*(F.expr(f"cast(id + {n} as float)") for n in range(3)))
    rows = spark.range(0, ROWS, 1, 3).select(
        "id", F.expr("id * 7 % 100 AS a"), of_three.alias("v", metadata={"hudi_type": "VECTOR(3)"})
    )
    path = write_hudi(rows, tmp_path / "t")
    clustered(spark, path, ["a", "id"], MERGING)


@pytest.mark.slow
def test_decimals_in_bytes_are_verified_by_the_reader_that_knows_them(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    price = {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}
    fields = [{"name": "id", "type": "long"}, {"name": "price", "type": price}]
    rows = spark.range(0, ROWS, 1, 3).selectExpr("id", "cast(id / 100 as decimal(9,2)) AS price")
    path = write_hudi(
        rows,
        tmp_path / "t",
        write__schema=json.dumps({"type": "record", "name": "r", "fields": fields}),
        datasource__write__operation="insert",
    )
    writer = {"hoodie.datasource.write.row.writer.enable": False}
    # Hudi's queries leave such files to Spark's vectors, which cannot read them.
    with session_settings(spark, {"spark.sql.parquet.enableVectorizedReader": "false"}):
        clustered(spark, path, ["price", "id"], MERGING, writer)


def test_skeletons_of_a_bootstrap_are_left_to_the_merging_reader(
    spark: SparkSession, tmp_path: Path
) -> None:
    source, path = str(tmp_path / "source"), str(tmp_path / "t")
    spark.range(0, ROWS, 1, 3).selectExpr("id", "id * 7 % 100 AS a").write.parquet(source)
    spark.createDataFrame([], "").write.format("hudi").options(
        **{
            "hoodie.table.name": "t",
            "hoodie.datasource.write.operation": "bootstrap",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "",
            "hoodie.bootstrap.base.path": source,
            "hoodie.bootstrap.mode.selector": (
                "org.apache.hudi.client.bootstrap.selector.MetadataOnlyBootstrapModeSelector"
            ),
            "hoodie.bootstrap.parallelism": "2",
            # Hudi indexes no statistics while it bootstraps.
            "hoodie.metadata.index.column.stats.enable": "false",
        }
    ).mode("overwrite").save(path)
    # Skeletons have the meta columns alone.
    total = sum(file.stat().st_size for file in Path(source).glob("*.parquet"))
    assert hz.ZOrderTable(spark, path).plan(["a", "id"]).bytes > total
    clustered(spark, path, ["a", "id"], MERGING)
