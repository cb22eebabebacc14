"""Partitionings: told where they clearly help or harm, by what the table then really reads."""

from __future__ import annotations

import datetime as dt
import json
import statistics
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_zorder.recommendation.partitioning import MONTH, VALUE, Partitioning
from hudi_zorder.recommendation.partitioning_trials import PartitioningTrials, partition_of
from hudi_zorder.times import time_zone

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 20_000
SIZE = "64KB"
MONTHS = [f"day >= '2026-{m:02}-01' AND day < '2026-{m + 1:02}-01'" for m in range(1, 12)]


def events(spark: SparkSession) -> DataFrame:
    """Eleven months of days, five kinds, twelve buckets, and independent ``a`` and ``b``."""
    return spark.range(ROWS).select(
        "id",
        F.expr("cast(hash(id) as int)").alias("a"),
        F.expr("xxhash64(id, 7) % 1000000").alias("b"),
        F.expr("concat('kind', pmod(hash(id, 3), 5))").alias("kind"),
        F.expr("date_add(date'2026-01-01', pmod(hash(id, 5), 334))").alias("day"),
        F.expr("repeat(md5(cast(id as string)), 2)").alias("text"),
        F.expr("pmod(hash(id, 11), 12)").alias("bucket"),
    )


@pytest.fixture(scope="module")
def whole(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(events(spark), tmp_path_factory.mktemp("partitionings") / "events")


@pytest.fixture(scope="module")
def divided(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A quarter of it in twelve partitions, none of which fills a file."""
    path = tmp_path_factory.mktemp("partitionings") / "divided"
    return write(
        events(spark).where("id % 4 = 0"), path, datasource__write__partitionpath__field="bucket"
    )


def recommended(spark: SparkSession, path: str, queries: Any, **options: Any) -> hz.Recommendation:
    return hz.ZOrderTable(spark, path).recommend(queries, target_file_size=SIZE, **options)


def test_months_that_are_asked_whole_are_worth_partitions(spark: SparkSession, whole: str) -> None:
    found = recommended(spark, whole, MONTHS)
    best = found.partitioning
    assert best is not None
    assert (best.column, best.unit, best.partitions) == ("day", "month", 11)
    assert best.share == pytest.approx(1 / 11, rel=0.02)
    assert best.share <= 0.8 * best.share_otherwise
    assert best.share_otherwise <= found.share_after
    assert found.advice[-1] == best.advice


@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/New_York"])
def test_a_time_at_an_end_of_the_calendar_is_in_a_month(zone: str) -> None:
    ends = (dt.datetime.min, dt.datetime.max)
    parts = [
        partition_of(end.replace(tzinfo=dt.timezone.utc), MONTH, time_zone(zone)) for end in ends
    ]
    assert parts == ["0001-01", "9999-12"]


def test_what_sorting_does_as_well_is_not_worth_partitions(spark: SparkSession, whole: str) -> None:
    kinds = [f"kind = 'kind{i}'" for i in range(5)]
    found = recommended(spark, whole, [*kinds, ("a = 5", 5)])
    assert "kind" in found.columns
    assert [part.column for part in found.partitionings] == ["kind"]
    assert found.partitioning is None
    assert "no partitioning is clearly better: partitioned by kind" in found.advice[-1]


def test_no_partitions_are_better_than_files_of_which_nothing_is_read() -> None:
    nothing: Any = SimpleNamespace(
        shares=lambda _: [0.0], weighed=sum, opened=lambda _: 0.0, files=[None] * 4, bytes=1
    )
    trials = PartitioningTrials(nothing, nothing, {}, nothing, 1, None)
    tried = Partitioning(
        column="kind",
        unit=VALUE,
        partitions=2,
        small_partitions=0,
        files=4,
        opened=0.0,
        share=0.0,
        share_otherwise=0.0,
    )
    assert not trials.is_clearly_better(tried)


def test_partitions_that_no_query_asks_are_told_of(spark: SparkSession, divided: str) -> None:
    found = recommended(spark, divided, ["a = 5", "b = 7"])
    best = found.partitioning
    assert best is not None
    assert (best.column, best.partitions) == ("", 1)
    assert best.opened < 0.5 * found.opened_after
    assert best.share < 0.8 * found.share_after
    assert "without its partitions" in best.advice
    assert json.loads(json.dumps(found.to_dict()))["partitioning"]["files"] == best.files
    assert all(len(line) <= 80 for line in str(found).splitlines())


def test_partitions_that_queries_ask_are_kept(spark: SparkSession, divided: str) -> None:
    found = recommended(spark, divided, [("bucket = 5 AND a > 0", 9), "a = 5"])
    assert [part.column for part in found.partitionings] == [""]
    assert found.partitioning is None


@pytest.mark.slow
def test_what_is_told_of_partitions_comes_true(
    spark: SparkSession, whole: str, tmp_path: Path
) -> None:
    told = recommended(spark, whole, MONTHS).partitioning
    assert told is not None
    months = events(spark).withColumn("month", F.expr("date_format(day, 'yyyy-MM')"))
    path = write(months, tmp_path / "months", datasource__write__partitionpath__field="month")
    table = hz.ZOrderTable(spark, path)
    result = table.cluster(["day"], target_file_size=SIZE)
    assert result.after.files == pytest.approx(told.files, rel=0.1)
    real = [table.explain(month).share_read for month in MONTHS]
    assert statistics.fmean(real) == pytest.approx(told.share, rel=0.02)
