"""Tables of two loads that lie in any order, ways to cluster them, and what holds afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from by_configuration import run_clustering, strategy
from elsewhere import rows_elsewhere
from pyspark.sql import functions as F

import hudi_zorder as hz

KINDS = ("COPY_ON_WRITE", "MERGE_ON_READ")
ROWS = 20_000
COLUMNS = ("a", "b")
TARGET = 200_000
STRATEGY = strategy(COLUMNS, TARGET)
# Without the time, whose zone each reader has its own mind of.
READ_ELSEWHERE = ("id", "part", "a", "b", "price", "text")


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
    chosen = {f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()}
    run_clustering(spark, table.path, {**STRATEGY, **chosen}, op)


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
