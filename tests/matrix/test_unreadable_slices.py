"""Slices that Hudi 0.15 has no reader for are refused before anything is planned, and they alone.

It has none for an evolution by schema on read, for merging records of Spark, and for skeletons.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bootstrapped_tables import ROWS, bootstrapped
from by_configuration import run_clustering, strategy
from cell import HUDI
from py4j.protocol import Py4JJavaError

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(HUDI != "0.15.0", reason="what other readers know is not asked here"),
]

STRATEGY = strategy(("a", "id"), 30_000)
HUDIS_PLANS = {
    "hoodie.clustering.plan.strategy.class": (
        "org.apache.hudi.client.clustering.plan.strategy.SparkSizeBasedClusteringPlanStrategy"
    ),
    "hoodie.clustering.plan.strategy.small.file.limit": str(10**9),
}
OF_SPARK = {
    "hoodie.datasource.write.record.merger.impls": "org.apache.hudi.HoodieSparkRecordMerger",
    "hoodie.logfile.data.block.format": "parquet",
}
EVOLVES = {
    "hoodie.schema.on.read.enable": "true",
    "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true",
}
MERGED_ON_READ = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
EVOLVED = "its schema evolved on read"


@contextmanager
def session_settings(spark: Any, settings: Mapping[str, str]) -> Iterator[None]:
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key in settings:
            spark.conf.unset(key)


def write(
    spark: Any,
    path: Path,
    operation: str,
    *columns: str,
    where: str = "true",
    more: Mapping[str, str] | None = None,
) -> None:
    """Writes the rows with these columns beside ``id``, ``part`` and ``a``."""
    frame = spark.range(0, ROWS, 1, 2).selectExpr(
        "id", "'p' || (id % 2) part", f"cast((id * 7919) % {ROWS} as int) a", *columns
    )
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": "id",
        "hoodie.datasource.write.operation": operation,
        "hoodie.parquet.small.file.limit": "0",
        **(more or {}),
    }
    frame.where(where).write.format("hudi").options(**options).mode("append").save(str(path))


def with_logs(spark: Any, path: Path, more: Mapping[str, str]) -> None:
    """A table whose partition ``p0`` alone has logs."""
    write(spark, path, "bulk_insert", "id old", more={**MERGED_ON_READ, **more})
    logged = {**MERGED_ON_READ, **more}
    write(spark, path, "upsert", "-id old", where="id % 10 = 0", more=logged)


def copied(spark: Any, path: Path) -> None:
    write(spark, path, "bulk_insert", "id old")


def evolve(spark: Any, path: Path) -> None:
    with session_settings(spark, EVOLVES):
        spark.sql(f"CREATE TABLE evolved USING hudi LOCATION '{path}'")
        try:
            spark.sql("ALTER TABLE evolved RENAME COLUMN old TO new")
        finally:
            spark.sql("DROP TABLE evolved")


def nothing(_spark: Any, _path: Path) -> None:
    """What is done to a table that has become unreadable by nothing but settings."""


@dataclass(frozen=True)
class Case:
    """A table that becomes one of slices that cannot be read.

    Attributes:
        make: the table, of which plans are made.
        change: what leaves slices of such a plan behind that cannot be read.
        why: they cannot be.
        withdrawn: whether nobody else could execute a plan from before the change either.
        planned_by: settings by which the former are planned.
        settings: of the process that clusters afterwards.
    """

    make: Callable[[Any, Path], None]
    change: Callable[[Any, Path], None]
    why: str
    withdrawn: bool = False
    planned_by: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)


CASES = {
    "logs, evolved": Case(
        lambda spark, path: with_logs(spark, path, {}), evolve, EVOLVED, withdrawn=True
    ),
    "evolved": Case(copied, evolve, EVOLVED, withdrawn=True),
    "logs of Spark's records": Case(
        lambda spark, path: with_logs(spark, path, OF_SPARK),
        nothing,
        "record.merger.impls",
        settings=OF_SPARK,
    ),
    "skeletons": Case(bootstrapped, nothing, "is bootstrapped", planned_by=HUDIS_PLANS),
}


def content(spark: Any, path: Path) -> list[Any]:
    reader = spark.read.format("hudi").option("hoodie.schema.on.read.enable", "true")
    rows = reader.load(str(path))
    columns = [name for name in rows.columns if not name.startswith("_hoodie")]
    return sorted(rows.select(columns).collect(), key=lambda row: row.id)


def files(path: Path) -> set[Path]:
    """Those that rows are in, and those that writers would look for."""
    return {
        found.relative_to(path)
        for found in path.rglob("*")
        if found.is_file()
        if found.suffix in (".parquet", ".requested", ".inflight") or ".log." in found.name
    }


def cluster(spark: Any, path: Path, op: str = "scheduleAndExecute", **more: str) -> None:
    chosen = {f"hoodie.{key.replace('__', '.')}": value for key, value in more.items()}
    run_clustering(spark, str(path), {**STRATEGY, **chosen}, op)


def assert_clustered(spark: Any, path: Path, rows: list[Any]) -> None:
    found = hz.ZOrderTable(spark, str(path))
    assert (len(found.history()), found.pending()) == (1, [])
    assert content(spark, path) == rows


@pytest.mark.parametrize("name", CASES)
def test_is_not_planned(spark: Any, tmp_path: Path, name: str) -> None:
    case, path = CASES[name], tmp_path / "t"
    case.make(spark, path)
    case.change(spark, path)
    rows, before = content(spark, path), files(path)
    settings = {**STRATEGY, **case.settings}

    for op in ("schedule", "scheduleAndExecute"):
        with pytest.raises(
            Py4JJavaError, match=f"{case.why}.*Hudi 1.0 or later. Nothing was planned"
        ):
            run_clustering(spark, str(path), settings, op)
    assert hz.open_table(path).pending() == []
    assert files(path) == before
    assert content(spark, path) == rows


@pytest.mark.parametrize("name", CASES)
def test_a_plan_of_them_stays_if_another_hudi_can(spark: Any, tmp_path: Path, name: str) -> None:
    case, path = CASES[name], tmp_path / "t"
    case.make(spark, path)
    run_clustering(spark, str(path), {**STRATEGY, **case.planned_by}, "schedule")
    [planned] = hz.open_table(path).pending()
    case.change(spark, path)
    rows, before = content(spark, path), files(path)
    outcome = "was taken off the timeline" if case.withdrawn else "stays pending for whoever can"

    with pytest.raises(Py4JJavaError, match=f"{case.why}.*{outcome}"):
        run_clustering(spark, str(path), {**STRATEGY, **case.settings}, "execute")

    left = [(plan.instant, plan.state) for plan in hz.open_table(path).pending()]
    assert left == ([] if case.withdrawn else [(planned.instant, "requested")])
    assert files(path) == {
        file for file in before if not case.withdrawn or planned.instant not in file.name
    }
    assert content(spark, path) == rows


def test_a_plan_without_them_is_executed(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    with_logs(spark, path, OF_SPARK)
    rows = content(spark, path)

    with session_settings(spark, OF_SPARK):
        cluster(spark, path, clustering__plan__strategy__partition__selected="p1")

    assert_clustered(spark, path, rows)


def test_files_since_an_evolution_are_clustered_and_proven(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    copied(spark, path)
    evolve(spark, path)
    write(spark, path, "insert_overwrite_table", "id new", more=EVOLVES)
    rows = content(spark, path)
    assert {row.new for row in rows} == set(range(ROWS))

    cluster(spark, path)

    assert_clustered(spark, path, rows)
    proof = hz.ZOrderTable(spark, str(path)).verify()
    assert (proof.passed, proof.proven) == (True, True)


@pytest.mark.parametrize("change_data", [False, True])
def test_what_has_no_logs_is_merged_by_nobody(
    spark: Any, tmp_path: Path, change_data: bool
) -> None:
    """Files that Hudi's reader reads, for they lack a field; logs of change data have no rows."""
    path = tmp_path / "t"
    more = {"hoodie.table.cdc.enabled": json.dumps(change_data)}
    write(spark, path, "bulk_insert", "named_struct('n', id) s", more=more)
    of_later_field = "named_struct('n', -id, 't', if(id < 0, null, id)) s"
    write(spark, path, "upsert", of_later_field, where="id >= 1000 and part = 'p0'", more=more)
    assert bool(list(path.rglob(".*.cdc"))) == change_data
    rows = content(spark, path)

    with session_settings(spark, OF_SPARK):
        cluster(spark, path)

    assert_clustered(spark, path, rows)
