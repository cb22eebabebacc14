"""What cannot be done is refused before anything is written, and leaves nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_tables import (
    PLAN_STRATEGY,
    STRATEGY,
    cluster_by_call,
    fingerprint,
    pending_instants,
    session_settings,
)
from hudi_zorder import ZOrderTable
from hudi_zorder.options import CONCURRENCY_MODE, LOCKING

WriteHudi = Callable[..., str]


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A table of which no refusal changes a row."""
    frame = spark.range(100).selectExpr(
        "id",
        "cast(id % 7 as int) AS distance",
        "array(id) AS tags",
        "map('k', id) AS counts",
        "named_struct('x', id) AS place",
        "concat('p', id % 2) AS region",
    )
    table = tmp_path_factory.mktemp("refusals") / "t"
    path = write(frame, table, datasource__write__partitionpath__field="region")
    before = fingerprint(spark, path)
    yield path
    assert fingerprint(spark, path) == before


# What the plan itself holds, whoever plans.
OF_THE_PLAN = [
    ("distanse", {}, "there is no such column; did you mean 'distance'?"),
    ("place.y", {}, "no such column in 'place'; did you mean 'x'?"),
    ("tags", {}, "values of type array<bigint> have no order"),
    ("counts", {}, "values of type map<string,bigint> have no order"),
    ("place", {}, "name one of its fields, such as 'place.x'"),
    ("distance,distance", {}, "it is named twice"),
    ("distance,region", {}, "it is a partition column"),
    ("distance,", {}, "name the columns to cluster by, separated by commas"),
    (",".join(f"c{i}" for i in range(129)), {}, "at most 128"),
]
# What Hudi's planner does not store, so that it is the executing process's alone.
OF_THE_PROCESS = [
    (
        "distance",
        {"clustering__zorder__seeds": "1"},
        "did you mean 'hoodie.clustering.zorder.seed'",
    ),
    ("distance", {"clustering__zorder__seed": "one"}, "'one' is not a number"),
    ("distance", {"clustering__zorder__column__weights": "x=1"}, "'x' is not a sort column"),
    ("distance", {"layout__optimize__strategy": "HILBURT"}, "did you mean 'HILBERT'?"),
    ("distance", {"layout__optimize__curve__build__method": "GUESS"}, "DIRECT, SAMPLE"),
    ("distance", {"layout__optimize__build__curve__sample__size": "-1"}, "must lie between 1"),
]
# Hudi's own limits, which it stores as numbers.
OF_THE_PLANNER = [
    ("distance", {f"clustering__plan__strategy__{key}": value}, message)
    for key, value, message in [
        ("target__file__max__bytes", "128MB", "'128MB' is not a number"),
        ("target__file__max__bytes", "-1", "must lie between 1"),
        ("target__file__max__bytes", "0", "must lie between 1"),
        ("max__num__groups", "0", "must lie between 1"),
        ("max__bytes__per__group", "many", "'many' is not a number"),
        ("small__file__limit", "-5", "must lie between 1"),
    ]
]
BY_US = {"clustering__plan__strategy__class": PLAN_STRATEGY}


def refusal(spark: SparkSession, path: str, columns: str, options: dict[str, str]) -> str:
    """What a clustering is refused with, which must leave the files as they were."""
    files = sorted(Path(path).rglob("*.parquet"))

    with pytest.raises(Exception, match="Cannot cluster") as refused:
        cluster_by_call(spark, path, columns, **options)

    assert sorted(Path(path).rglob("*.parquet")) == files
    return str(refused.value)


@pytest.mark.parametrize(
    ("columns", "options", "message"), [*OF_THE_PLAN, *OF_THE_PROCESS, *OF_THE_PLANNER]
)
def test_a_fault_is_named_with_its_remedy_and_nothing_is_planned(
    spark: SparkSession, path: str, columns: str, options: dict[str, str], message: str
) -> None:
    said = refusal(spark, path, columns, options | BY_US)

    assert message in said
    assert "Nothing was planned" in said
    assert pending_instants(path) == []


@pytest.mark.parametrize(("columns", "options", "message"), quick_first(OF_THE_PLAN, quick=2))
def test_a_plan_that_nobody_can_execute_is_taken_off_the_timeline(
    spark: SparkSession, path: str, columns: str, options: dict[str, str], message: str
) -> None:
    said = refusal(spark, path, columns, options)

    assert message in said
    assert "was taken off the timeline" in said
    assert pending_instants(path) == []


@pytest.mark.parametrize(("columns", "options", "message"), quick_first(OF_THE_PROCESS, quick=2))
def test_a_fault_of_the_executing_process_leaves_the_plan_as_it_was(
    spark: SparkSession, path: str, columns: str, options: dict[str, str], message: str
) -> None:
    said = refusal(spark, path, columns, options)

    [plan] = pending_instants(path)
    ZOrderTable(spark, path).cancel(plan.split(".")[0])  # the next test wants these files
    assert message in said
    assert "stays pending" in said
    assert plan.endswith(".requested")


def test_a_plan_meant_for_another_class_stays_for_it(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    frame = spark.range(50).selectExpr("id", "array(id) AS tags")
    path = write_hudi(frame, tmp_path / "t")
    before = fingerprint(spark, path)
    call = f"CALL run_clustering(path => '{path}', op => '{{}}', order => 'tags')"
    spark.sql(call.format("schedule")).collect()

    with (
        session_settings(spark, {"hoodie.clustering.execution.strategy.class": STRATEGY}),
        pytest.raises(Exception, match="stays pending"),
    ):
        spark.sql(call.format("execute")).collect()

    assert len(pending_instants(path)) == 1
    # Hudi's own class, which the plan's author meant, sorts by an array.
    spark.sql(call.format("execute")).collect()
    assert pending_instants(path) == []
    assert fingerprint(spark, path) == before


def test_a_plan_of_another_version_is_executed_as_planned_or_refused(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(spark.range(50).selectExpr("id", "id % 7 AS a"), tmp_path / "t")
    table = ZOrderTable(spark, path)
    instant = table.schedule(columns=["a"])
    assert instant is not None
    plan = Path(path, ".hoodie", "timeline", f"{instant}.clustering.requested")
    ours = hz.__version__
    content = plan.read_bytes()
    assert content.count(ours.encode()) == 1

    def rewrite(version: str) -> None:
        plan.write_bytes(content.replace(ours.encode(), version.encode()))
        plan.with_name(f".{plan.name}.crc").unlink(missing_ok=True)

    other = f"9{ours[1:]}"
    rewrite(other)
    [pending] = table.pending()
    assert pending.standing.startswith(f"hudi-zorder {other} has planned it, and {ours} refuses")
    assert pending.command.startswith("hudi-zorder cancel ")
    with pytest.raises(hz.HudiZOrderError) as refused:
        table.execute(instant)
    assert f"'hudizorder.version' of the plan was '{other}'" in str(refused.value)
    assert "stays pending" in str(refused.value)
    assert len(pending_instants(path)) == 1

    rewrite(f"{ours[:-1]}9")  # a fix later, of the same line
    [pending] = table.pending()
    assert pending.command.startswith("hudi-zorder execute ")
    assert table.execute(instant).after.rows == 50


def test_a_refusal_inline_keeps_the_rows_just_written(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    frame = spark.range(50).selectExpr("id", "id AS distance")
    options = {
        "clustering__inline": "true",
        "clustering__inline__max__commits": "1",
        "clustering__execution__strategy__class": "io.hudizorder.ZOrderClusteringExecutionStrategy",
        "clustering__plan__strategy__sort__columns": "distanse",
    }

    with pytest.raises(Exception, match="did you mean 'distance'"):
        write_hudi(frame, tmp_path / "t", **options)

    assert fingerprint(spark, str(tmp_path / "t"))[0] == 50
    assert pending_instants(str(tmp_path / "t")) == []


BUCKETS = {
    "index__type": "BUCKET",
    "bucket__index__hash__field": "id",
    "datasource__write__recordkey__field": "id",
}
SIMPLE = {**BUCKETS, "bucket__index__num__buckets": "2"}
CONSISTENT = {
    **BUCKETS,
    "index__bucket__engine": "CONSISTENT_HASHING",
    "bucket__index__num__buckets": "4",
    "datasource__write__table__type": "MERGE_ON_READ",
}
NON_BLOCKING = {**LOCKING, CONCURRENCY_MODE: "NON_BLOCKING_CONCURRENCY_CONTROL"}
# The only tables for which Hudi has non-blocking concurrency control.
WITHOUT_CONFLICTS = {
    **SIMPLE,
    **as_keywords(NON_BLOCKING),
    "datasource__write__table__type": "MERGE_ON_READ",
    "table__type": "MERGE_ON_READ",  # what Hudi looks at while there is no table yet
}


@pytest.mark.parametrize(
    ("index", "told", "planner"),
    quick_first(
        [
            (SIMPLE, {}, BY_US),
            # Told of the index, Hudi's planner refuses it before us, and so does Hudi the other.
            (SIMPLE, SIMPLE, BY_US),
            (SIMPLE, {}, {}),
            (WITHOUT_CONFLICTS, {}, BY_US),
            (WITHOUT_CONFLICTS, WITHOUT_CONFLICTS, BY_US),
            (CONSISTENT, {}, BY_US),
            (CONSISTENT, {}, {}),
        ]
    ),
)
def test_buckets_are_refused_whatever_the_process_is_told_of_the_index(
    spark: SparkSession,
    write_hudi: WriteHudi,
    tmp_path: Path,
    index: dict[str, str],
    told: dict[str, str],
    planner: dict[str, str],
) -> None:
    options = {**index, "datasource__write__operation": "upsert"}
    rows = spark.range(50).selectExpr("id", "id AS distance")
    path = write_hudi(rows, tmp_path / "t", **options)

    with pytest.raises(Exception, match="are hash buckets that no other layout may replace"):
        cluster_by_call(spark, path, "distance", **told, **planner)

    assert pending_instants(path) == []
    write_hudi(rows.where("id < 9"), path, **options)
    assert fingerprint(spark, path)[0] == 50


@pytest.mark.parametrize("index", quick_first([SIMPLE, CONSISTENT]))
def test_a_bulk_insert_by_a_layout_leaves_buckets_alone_that_it_is_not_told_of(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, index: dict[str, str]
) -> None:
    upsert = {**index, "datasource__write__operation": "upsert"}
    rows = spark.range(50).selectExpr("id", "id AS distance")
    path = write_hudi(rows, tmp_path / "t", **upsert)
    layout = as_keywords(hz.ZOrderOptions(columns=["distance"]).bulk_insert())

    with pytest.raises(Exception, match="are hash buckets, beside which no writer finds other"):
        write_hudi(rows, path, **layout)

    write_hudi(rows.where("id < 9"), path, **upsert)
    assert fingerprint(spark, path)[0] == 50


def test_a_table_of_orc_is_refused(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(spark.range(9).selectExpr("id", "id AS distance"), tmp_path / "t")
    properties = Path(path, ".hoodie", "hoodie.properties")
    with properties.open("a", encoding="utf-8") as file:
        file.write("hoodie.table.base.file.format=ORC\n")
    properties.with_name(".hoodie.properties.crc").unlink(missing_ok=True)

    with pytest.raises(Exception, match=r"base files of the table are of ORC; only .* of Parquet"):
        cluster_by_call(spark, path, "distance", **BY_US)

    assert pending_instants(path) == []


def test_a_table_of_a_version_that_hudi_only_reads_is_refused(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    older = {"write__table__version": "6", "write__auto__upgrade": "false"}
    path = write_hudi(spark.range(9).selectExpr("id", "id AS distance"), tmp_path / "t", **older)
    properties = Path(path, ".hoodie", "hoodie.properties")
    lines = properties.read_text("utf-8").splitlines()
    kept = [line for line in lines if not re.match(r"hoodie\.table\.(version|checksum)=", line)]
    properties.write_text("\n".join([*kept, "hoodie.table.version=5", ""]), "utf-8")
    properties.with_name(".hoodie.properties.crc").unlink(missing_ok=True)
    files = sorted(Path(path).rglob("*.parquet"))

    with pytest.raises(hz.OptionError, match=r"table\.version' was '5', .*; upgrade it first"):
        ZOrderTable(spark, path).cluster(["distance"])

    assert list(properties.parent.glob("*replacecommit*")) == []
    assert sorted(Path(path).rglob("*.parquet")) == files
    assert len(hz.open_table(path).column_stats(["distance"])) == len(files)


def test_non_blocking_concurrency_control_hudi_refuses_of_all_tables_but_those_of_buckets(
    spark: SparkSession, path: str
) -> None:
    with pytest.raises(hz.ClusteringError, match="requires the MOR table with simple bucket index"):
        ZOrderTable(spark, path).cluster(columns=["distance"], hudi_options=NON_BLOCKING)
    with pytest.raises(Exception, match="requires the MOR table with simple bucket index"):
        cluster_by_call(spark, path, "distance", **as_keywords(NON_BLOCKING), **BY_US)

    assert pending_instants(path) == []


def test_a_table_whose_logs_may_hold_deleted_rows_as_rows_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = _with_operations(spark, tmp_path / "t", "MERGE_ON_READ")
    before = [*Path(table).rglob("*.parquet"), *Path(table).rglob("*commit*")]

    with pytest.raises(hz.HudiZOrderError, match="the column '_hoodie_operation', as Flink writes"):
        ZOrderTable(spark, table).cluster(["a"])
    assert [*Path(table).rglob("*.parquet"), *Path(table).rglob("*commit*")] == before


def _with_operations(spark: SparkSession, path: Path, kind: str) -> str:
    """A table as Flink's writer of changelogs leaves it, with the column in every file."""
    rows = spark.range(10).selectExpr("id", "cast(id as int) AS a")
    table = write(
        rows,
        path,
        datasource__write__table__type=kind,
        datasource__write__operation="bulk_insert",
    )
    for file in Path(table).glob("[!.]*.parquet"):
        there = pq.read_table(file).replace_schema_metadata(pq.read_schema(file).metadata)
        operations = pa.array(["I"] * len(there))
        pq.write_table(there.add_column(5, "_hoodie_operation", operations), file)
        file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    return table


def test_the_column_of_operations_stays_where_rows_are_merged_as_they_are_written(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = _with_operations(spark, tmp_path / "t", "COPY_ON_WRITE")
    rows = spark.read.format("hudi").load(table)
    kept = ["id", "a", "_hoodie_operation"]
    before = rows.select(kept).sort("id").collect()

    done = ZOrderTable(spark, table).cluster(["a"])

    [file] = Path(table).glob(f"*_{done.instant}.parquet")
    assert pq.read_table(file, columns=kept).to_pylist() == [row.asDict() for row in before]
    after = spark.read.format("hudi").load(table)
    assert after.columns == rows.columns
    assert after.select(kept).sort("id").collect() == before


def test_records_that_lack_a_column_of_the_table_are_refused_before_they_are_planned(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Spark would take each column for its neighbour."""
    table = ZOrderTable(spark, _with_operations(spark, tmp_path / "t", "COPY_ON_WRITE"))
    by_records = {"hoodie.datasource.write.row.writer.enable": False}
    with pytest.raises(
        hz.HudiZOrderError, match="'_hoodie_operation', which Hudi leaves out where"
    ):
        table.schedule(["a"], hudi_options=by_records)
    assert table.pending() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "damaged"), [("distanse", False), ("distance", True)], ids=["no column", "no footer"]
)
def test_a_stream_goes_on_although_nothing_can_be_planned_beside_it(
    spark: SparkSession, tmp_path: Path, column: str, damaged: bool
) -> None:
    """Hudi would write a batch that is committed twice more, and then end the JVM."""
    source, table = str(tmp_path / "source"), str(tmp_path / "t")
    frame = spark.range(10).selectExpr("id", "cast(id % 7 as int) AS distance")
    query = None
    try:
        for batch in range(2):
            frame.selectExpr(f"id + {10 * batch} AS id", "distance").write.mode("append").parquet(
                source
            )
            if query is None:
                rows = spark.readStream.schema(frame.schema).parquet(source).writeStream
                query = (
                    rows.format("hudi")
                    .options(
                        **{
                            "hoodie.table.name": "t",
                            "hoodie.datasource.write.recordkey.field": "id",
                            "hoodie.datasource.write.operation": "insert",
                            "hoodie.datasource.write.insert.drop.duplicates": "false",
                            "hoodie.combine.before.insert": "false",
                            "hoodie.parquet.small.file.limit": "0",
                        },
                        **hz.ZOrderOptions(columns=[column]).async_(max_commits=2),
                    )
                    .option("checkpointLocation", str(tmp_path / "checkpoint"))
                    .start(table)
                )
            query.processAllAvailable()
            if batch == 0:
                [file] = Path(table).glob("*.parquet")
                content = file.read_bytes()
                if damaged:
                    file.write_bytes(bytes(len(content)))
        assert query.isActive
        file.write_bytes(content)
    finally:
        if query is not None:
            query.stop()
    assert spark.read.format("hudi").load(table).count() == 20
    assert pending_instants(table) == []


def test_a_writer_that_would_sort_by_hudis_own_strategy_plans_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Hudi stores which class would execute, and has the writer's configuration choose it."""
    options = hz.ZOrderOptions(columns=["distance"]).inline(max_commits=1)
    del options["hoodie.clustering.execution.strategy.class"]
    table = tmp_path / "t"

    with pytest.raises(Exception, match=f"set it to '{STRATEGY}'. Nothing was planned"):
        write(spark.range(9).selectExpr("id", "id AS distance"), table, **as_keywords(options))

    assert pending_instants(str(table)) == []
    assert spark.read.format("hudi").load(str(table)).count() == 9
