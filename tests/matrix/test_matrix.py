"""What is promised of every version of Hudi, on the one that HUDI names; see make matrix.

A process has one version on its class path: each is run by a pytest of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, IS_FIT, NEWEST, SCALA, SPARK
from elsewhere import rows_elsewhere
from py4j.protocol import Py4JJavaError
from pyspark.errors import IllegalArgumentException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from hudi_zorder.stats.index_bounds import ONE_SOURCE
from hudi_zorder.stats.stats_table import rows_of

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]

ROWS = 20_000
EXECUTION = "io.hudizorder.ZOrderClusteringExecutionStrategy"
PLAN = "io.hudizorder.ZOrderClusteringPlanStrategy"
PARTITIONER = "io.hudizorder.ZOrderBulkInsertPartitioner"
VALIDATOR = "io.hudizorder.RowPreservationValidator"
COLUMNS = "a,b"
TARGET = 200_000
# Without the time, whose zone each reader has its own mind of.
READ_ELSEWHERE = ("id", "part", "a", "b", "price", "text")


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    session = hz.configure_spark(builder, hudi=HUDI).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    jvm: Any = session._jvm
    assert jvm.io.hudizorder.spark.SparkRelease.scala() == SCALA
    assert session.version == (SPARK or session.version)
    yield session
    session.stop()


@dataclass(frozen=True)
class Table:
    """A table before a test, and means to ask it afterwards."""

    spark: Any
    path: str
    rows: list[Any]

    def read(self) -> Any:
        """The latest rows."""
        return self.spark.read.format("hudi").load(self.path)

    def content(self) -> list[Any]:
        """The rows in the order of their keys, without what Hudi adds."""
        return sorted(self.read().select("id", "part", "a", "b", "price", "text", "at").collect())

    def files(self) -> int:
        """The number of files that have rows."""
        return self.read().select("_hoodie_file_name").distinct().count()

    def share_of_files(self, column: str) -> float:
        """Share of files that the bounds of the rows leave, for every hundredth value."""
        bounds = (
            self.read()
            .groupBy("_hoodie_file_name")
            .agg({column: "min", "_hoodie_file_name": "count"})
        )
        least = {row[0]: row[f"min({column})"] for row in bounds.collect()}
        most = {
            row[0]: row[1]
            for row in self.read().groupBy("_hoodie_file_name").agg({column: "max"}).collect()
        }
        values = range(0, ROWS, ROWS // 100)
        kept = sum(least[f] <= value <= most[f] for value in values for f in least)
        return kept / len(values) / len(least)


def frame(spark: Any, first: int = 0, rows: int = ROWS) -> Any:
    return spark.range(first, first + rows, 1, 4).selectExpr(
        "id",
        "'p' || (id % 2) part",
        f"cast((id * 7919) % {ROWS} as int) a",
        f"cast((id * 104729 + 17) % {ROWS} as int) b",
        "cast(id / 100 as decimal(9, 2)) price",
        "concat('text ', id % 1000, ' ', sha2(cast(id as string), 256)) text",
        "cast('2026-01-01' as timestamp) + make_dt_interval(0, 0, 0, id) at",
    )


def options(kind: str, **more: str) -> dict[str, str]:
    return {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.table.type": kind,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": "at",
        "hoodie.metadata.index.column.stats.enable": "true",
        "hoodie.index.bloom.num_entries": "1000",
        **{f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()},
    }


def made(spark: Any, path: Path, kind: str = "COPY_ON_WRITE", **more: str) -> Table:
    """A table of two loads; one merged on read has updates in its logs, too."""
    write = options(kind, datasource__write__operation="bulk_insert", **more)
    half = ROWS // 2
    for load in (0, half):
        frame(spark, load, half).write.format("hudi").options(**write).mode("append").save(
            str(path)
        )
    if kind == "MERGE_ON_READ":
        changed = frame(spark, 0, 500).withColumn("text", F.lit("changed"))
        upsert = options(kind, datasource__write__operation="upsert", **more)
        changed.write.format("hudi").options(**upsert).mode("append").save(str(path))
    table = Table(spark, str(path), [])
    return Table(spark, str(path), table.content())


def by_call(spark: Any, table: Table, op: str = "scheduleAndExecute", **more: str) -> None:
    settings = {
        "hoodie.clustering.plan.strategy.class": PLAN,
        "hoodie.clustering.execution.strategy.class": EXECUTION,
        "hoodie.clustering.plan.strategy.sort.columns": COLUMNS,
        "hoodie.clustering.plan.strategy.target.file.max.bytes": str(TARGET),
        "hoodie.metadata.index.column.stats.enable": "true",
        **{f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()},
    }
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        spark.sql(f"CALL run_clustering(path => '{table.path}', op => '{op}')").collect()
    finally:
        for key in settings:
            spark.conf.unset(key)


def by_python(spark: Any, table: Table, **more: Any) -> Any:
    return hz.ZOrderTable(spark, table.path).cluster(["a", "b"], target_file_size=TARGET, **more)


def by_two_calls(spark: Any, table: Table) -> None:
    by_call(spark, table, op="schedule")
    assert len(hz.ZOrderTable(spark, table.path).pending()) == 1
    by_call(spark, table, op="execute")


def assert_rows(table: Table, rows: list[Any]) -> None:
    """By Spark, and by a reader that is neither Hudi's own nor ours."""
    assert table.content() == rows
    told = [tuple(row)[: len(READ_ELSEWHERE)] for row in rows]
    assert rows_elsewhere(table.path, READ_ELSEWHERE) == told


def assert_laid_out(table: Table) -> None:
    assert_rows(table, table.rows)
    assert table.files() > 4
    assert table.share_of_files("a") < 0.75
    assert table.share_of_files("b") < 0.75


KINDS = ("COPY_ON_WRITE", "MERGE_ON_READ")
WAYS: Mapping[str, Callable[[Any, Table], Any]] = {
    "call": by_call,
    "two calls": by_two_calls,
    "call, records": lambda spark, table: by_call(
        spark, table, datasource__write__row__writer__enable="false"
    ),
    "call, validated": lambda spark, table: by_call(spark, table, precommit__validators=VALIDATOR),
    "python": by_python,
    "python, content verified": lambda spark, table: by_python(spark, table, verify="content"),
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
        assert table.content() == table.rows
        return
    WAYS[way](spark, table)

    assert_laid_out(table)


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
        "hoodie.clustering.plan.strategy.class": PLAN,
        "hoodie.clustering.execution.strategy.class": EXECUTION,
        "hoodie.clustering.plan.strategy.sort.columns": COLUMNS,
        "hoodie.clustering.plan.strategy.target.file.max.bytes": str(TARGET),
    }
    write = options(kind, datasource__write__operation="upsert")
    again = frame(spark).where("id BETWEEN 1000 AND 1009")

    again.write.format("hudi").options(**write, **inline).mode("append").save(table.path)

    assert_laid_out(table)


@pytest.mark.parametrize("kind", KINDS)
def test_schedules_executes_and_tells(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    ours = hz.ZOrderTable(spark, table.path)

    instant = ours.schedule(["a", "b"], target_file_size=TARGET)
    assert [plan.instant for plan in ours.pending()] == [instant]
    result = ours.execute(instant)

    assert_laid_out(table)
    assert result.instant == instant
    assert ours.pending() == []
    assert [entry.instant for entry in ours.history()] == [instant]


@pytest.mark.parametrize("kind", KINDS)
def test_cancels(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    ours = hz.ZOrderTable(spark, table.path)
    instant = ours.schedule(["a", "b"], target_file_size=TARGET)

    ours.cancel(instant)

    assert ours.pending() == []
    assert table.content() == table.rows


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


def test_lays_out_a_bulk_insert(spark: Any, tmp_path: Path) -> None:
    table = made(
        spark,
        tmp_path / "t",
        bulkinsert__user__defined__partitioner__class=PARTITIONER,
        clustering__plan__strategy__sort__columns=COLUMNS,
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


# Whose scans do not tell Spark how many files they read.
COUNTS_NO_FILES = {("0.15.0", "MERGE_ON_READ")}


@pytest.mark.parametrize("kind", KINDS)
def test_tells_statistics_and_explains(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    by_python(spark, table)
    ours = hz.ZOrderTable(spark, table.path)

    report = ours.explain("a = 77", audit=True)

    assert ours.column_stats(["a"], source="index").equals(
        ours.column_stats(["a"], source="footers")
    )
    assert 0 < len(report.kept) < len(report.files)
    assert report.audit is not None
    assert report.audit.wrongly_skipped == ()
    if (HUDI, kind) not in COUNTS_NO_FILES:
        assert report.audit.files_with_skipping < report.audit.files
    assert ours.clustering_information(["a", "b"]).share_read < 0.75


@pytest.mark.parametrize("kind", KINDS)
def test_its_column_statistics_are_read_without_spark(
    spark: Any, tmp_path: Path, kind: str
) -> None:
    path = made(spark, tmp_path / "t", kind).path
    assert [*Path(path, ".hoodie/metadata/column_stats").iterdir()]
    names = ("id", "a", "b", "price", "text", "at")
    tables: list[list[dict[str, Any]]] = []
    reports = []
    for source in ONE_SOURCE:
        table = hz.open_table(path)
        tables.append(rows_of(table.column_stats(names, source=source)))
        reports.append(
            [
                (f.file, f.rows, f.skipped_by, f.reason)
                for f in table.explain("a > 9000 AND price < 150", source=source).files
            ]
        )

    assert tables[0] == tables[1]
    assert not any(row[f"{name}.unknown"] for row in tables[1] for name in names)
    assert reports[0] == reports[1]


def test_forecasts(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t")

    forecast = hz.ZOrderTable(spark, table.path).forecast(["a", "b"], target_file_size=TARGET)

    (tree,) = (layout for layout in forecast.layouts if layout.layout == "tree")
    assert tree.mean < 0.75 < min(read.now for read in tree.reads)


def test_keeps_a_z_column_true_or_refuses_it(spark: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "t")
    write = {
        **options("COPY_ON_WRITE", clustering__plan__strategy__sort__columns=COLUMNS),
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
