"""Which partitions a plan looks at: Hudi's filters, ``where``, and what the next plan remembers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_tables import fingerprint, session_settings, unfinished

DAYS = [f"2026-11-0{day}" for day in range(1, 5)]
LAYOUT: dict[str, Any] = {"columns": ["a"], "target_file_size": "1MB"}
PLANNER = "hoodie.clustering.plan.strategy."
BY_DAY = {"datasource__write__partitionpath__field": "day"}
INSERT = {**BY_DAY, "datasource__write__operation": "insert"}


def frame(spark: SparkSession, load: int, *days: str) -> DataFrame:
    """Ten rows for each day."""
    rows = spark.range(1000 * load, 1000 * load + 10).crossJoin(
        spark.createDataFrame([(day,) for day in days], "day string")
    )
    return rows.selectExpr("concat(id, day) AS id", "cast(hash(id, day) as int) AS a", "day")


@pytest.fixture(scope="module")
def days(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> hz.ZOrderTable:
    path = tmp_path_factory.mktemp("filters") / "days"
    return hz.ZOrderTable(spark, write(frame(spark, 0, *DAYS).coalesce(1), path, **BY_DAY))


def planned(table: hz.ZOrderTable, settings: Mapping[str, str], **options: Any) -> list[str]:
    """The partitions that a plan would take."""
    plan = table.plan(**LAYOUT, **options, hudi_options=settings)
    return sorted(part.partition for part in plan.partitions if part.groups)


def mode(name: str, **settings: object) -> dict[str, str]:
    return {
        "hoodie.clustering.plan.partition.filter.mode": name,
        **{PLANNER + key.replace("__", "."): str(value) for key, value in settings.items()},
    }


@pytest.mark.parametrize(
    ("settings", "taken"),
    [
        (mode("NONE"), DAYS),
        (mode("NONE", partition__regex__pattern="2026-11-0[13]"), [DAYS[0], DAYS[2]]),
        (mode("NONE", partition__selected=f"{DAYS[3]},{DAYS[0]},gone"), [DAYS[0], DAYS[3]]),
        (mode("RECENT_DAYS", daybased__lookback__partitions=3), DAYS[1:]),
        (
            mode(
                "RECENT_DAYS",
                daybased__lookback__partitions=1,
                daybased__skipfromlatest__partitions=2,
                partition__regex__pattern="2026-11-0[234]",
            ),
            [DAYS[1]],
        ),
        # Of which Hudi itself fails, such as on a table's first day.
        (mode("RECENT_DAYS", daybased__skipfromlatest__partitions=5), []),
        (
            mode(
                "SELECTED_PARTITIONS",
                cluster__begin__partition=DAYS[1],
                cluster__end__partition=DAYS[2],
            ),
            DAYS[1:3],
        ),
        (mode("SELECTED_PARTITIONS", cluster__begin__partition=DAYS[2]), DAYS[2:]),
    ],
    ids=["none", "regex", "selected", "recent", "recent-skip-regex", "too-few", "range", "begin"],
)
def test_a_plan_takes_the_partitions_of_a_filter(
    days: hz.ZOrderTable, settings: Mapping[str, str], taken: list[str]
) -> None:
    assert planned(days, settings) == taken


def test_day_rolling_takes_each_hour_its_partitions(days: hz.ZOrderTable) -> None:
    def plan_of_this_hour() -> tuple[int, list[str]]:
        hour = datetime.now().hour
        # What does not exist, before the day that stands at the hour's place.
        before = [f"0000-{place:02}" for place in range(hour)]
        selected = ",".join([*before, *DAYS[1:3]])
        return hour, planned(days, mode("DAY_ROLLING", partition__selected=selected))

    hour, taken = plan_of_this_hour()
    if hour != datetime.now().hour:
        _, taken = plan_of_this_hour()
    assert taken == [DAYS[1]]


def test_where_takes_its_partitions_whatever_filter_the_session_has(
    spark: SparkSession, days: hz.ZOrderTable
) -> None:
    writers = mode("SELECTED_PARTITIONS", cluster__begin__partition=DAYS[3])
    writers[PLANNER + "partition.regex.pattern"] = "nothing"
    with session_settings(spark, writers):
        assert planned(days, {}, where=f"day < '{DAYS[2]}'") == DAYS[:2]
        assert planned(days, {}) == []


def only(days: list[str]) -> dict[str, Any]:
    listed = ", ".join(f"'{day}'" for day in days)
    return {"where": f"day IN ({listed})"}


@pytest.mark.parametrize(
    ("options", "left"),
    quick_first(
        [
            (only(DAYS[1:2]), [DAYS[0], *DAYS[2:]]),
            ({"max_groups": 1}, DAYS[1:]),
            # A file that is larger goes alone.
            ({"max_bytes_per_plan": "1KB"}, DAYS[1:]),
            ({"hudi_options": mode("NONE", partition__regex__pattern=".*4")}, DAYS[:3]),
            # What is not recent is none of its business, as Hudi has it.
            (
                {
                    "hudi_options": mode(
                        "RECENT_DAYS",
                        daybased__lookback__partitions=1,
                        daybased__skipfromlatest__partitions=1,
                    )
                },
                DAYS[3:],
            ),
            ({}, []),
        ],
        quick=2,
    ),
)
def test_a_plan_tells_the_next_one_what_it_has_left(
    days: hz.ZOrderTable, options: dict[str, Any], left: list[str]
) -> None:
    """The next planner may be a writer, which looks only where something was written since."""
    instant = days.schedule(**LAYOUT, **options)
    assert instant is not None
    try:
        assert unfinished(days.path, instant) == left
    finally:
        days.cancel(instant)


@pytest.mark.slow
def test_a_plan_tells_the_next_one_where_it_has_left_logs_to_be_compacted(
    spark: SparkSession, tmp_path: Path
) -> None:
    """What they hold is in base files after a compaction, which is no write of a delta commit."""
    logs = {**BY_DAY, "datasource__write__table__type": "MERGE_ON_READ"}
    path = write(frame(spark, 0, *DAYS[:3]).coalesce(1), tmp_path / "t", **logs)
    table = hz.ZOrderTable(spark, path)
    assert table.cluster(**LAYOUT)
    moved = frame(spark, 0, DAYS[0]).withColumn("a", F.lit(1))
    write(moved, path, **logs, datasource__write__operation="upsert")
    write(frame(spark, 1, DAYS[1]).coalesce(1), path, **logs)

    instant = table.schedule(**LAYOUT)

    [plan] = table.pending()
    assert plan.partitions == (DAYS[1],)
    assert unfinished(path, instant) == [DAYS[0]]


@pytest.mark.slow
def test_a_writer_clusters_what_an_earlier_plan_has_left(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(frame(spark, 0, *DAYS[:3]).coalesce(1), tmp_path / "t", **BY_DAY)
    table = hz.ZOrderTable(spark, path)
    assert table.cluster(**LAYOUT, where=f"day = '{DAYS[0]}'")
    before = fingerprint(spark, path)

    inline = as_keywords(hz.ZOrderOptions(**LAYOUT).inline(max_commits=1))
    write(frame(spark, 1, DAYS[1]).coalesce(1), path, **{**inline, **INSERT})

    assert table.history()[-1].partitions == (DAYS[1], DAYS[2])
    assert fingerprint(spark, path)[0] == before[0] + 10
    assert not table.cluster(**LAYOUT)


def test_a_filter_that_leaves_nothing_is_named(
    days: hz.ZOrderTable, caplog: pytest.LogCaptureFixture
) -> None:
    filters = mode("RECENT_DAYS", partition__regex__pattern="nothing")

    assert days.schedule(**LAYOUT, hudi_options=filters) is None
    assert "'hoodie.clustering.plan.partition.filter.mode' was 'RECENT_DAYS'" in caplog.text
    assert "partition.regex.pattern' was 'nothing'" in caplog.text
