"""A clustering writes rows as the session that asks for it would, whatever thread Spark sees."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import STRATEGY, fingerprint, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot

CALENDAR = "spark.sql.parquet.datetimeRebaseModeInWrite"
CALENDAR_OF_LOGS = "spark.sql.avro.datetimeRebaseModeInRead"
CALENDAR_OF_FILES = "spark.sql.parquet.datetimeRebaseModeInRead"
LEGACY_MARK = b"org.apache.spark.legacyDateTime"
RECORD_INDEX = {"metadata__global__record__level__index__enable": "true"}
# One from before the Gregorian calendar, which a session without the setting does not write.
OLD = (
    "date'1000-01-01' + int(id) AS d",
    "timestamp'1000-01-01' + make_dt_interval(int(id)) AS t",
)


@pytest.mark.parametrize("target", ["5KB", "1MB"], ids=["a group", "small groups"])
@pytest.mark.parametrize("calendar", quick_first(["LEGACY", "CORRECTED"]))
@pytest.mark.parametrize(
    "another", quick_first([True, False]), ids=["another session", "the first"]
)
def test_old_times_are_written_in_the_calendar_of_the_session(
    spark: SparkSession, tmp_path: Path, calendar: str, another: bool, target: str
) -> None:
    asking = spark.newSession() if another else spark
    with session_settings(asking, {CALENDAR: calendar}):
        rows = asking.range(0, 400, 1, 2).selectExpr("id", *OLD)
        path = write(rows, tmp_path / "t", metadata__enable="false")
        before = fingerprint(spark, path)

        assert hz.ZOrderTable(asking, path).cluster(["d", "t"], target_file_size=target)

    assert fingerprint(spark, path) == before
    for part in TableSnapshot.open(path).slices:
        footer = pq.read_metadata(tmp_path / "t" / part.path).metadata
        assert (LEGACY_MARK in footer) == (calendar == "LEGACY")


@pytest.mark.parametrize("target", quick_first(["1MB", "5KB"]), ids=["small groups", "a group"])
def test_old_times_in_logs_are_read_in_the_calendar_of_the_session_by_a_proof_of_content_too(
    spark: SparkSession, tmp_path: Path, target: str
) -> None:
    logged = {"metadata__enable": "false", "datasource__write__table__type": "MERGE_ON_READ"}
    with session_settings(spark, {CALENDAR: "LEGACY", CALENDAR_OF_LOGS: "LEGACY"}):
        rows = spark.range(0, 400, 1, 2).selectExpr("id", *OLD)
        path = write(rows, tmp_path / "t", **logged)
        write(rows.where("id < 90"), path, **logged, datasource__write__operation="upsert")
        before = fingerprint(spark, path)

        hz.ZOrderTable(spark, path).cluster(["d", "t"], target_file_size=target, verify="content")

        assert fingerprint(spark, path) == before


def test_old_times_in_logs_are_read_as_records_in_the_calendar_of_the_session_too(
    spark: SparkSession, tmp_path: Path
) -> None:
    logged = {"metadata__enable": "false", "datasource__write__table__type": "MERGE_ON_READ"}
    # What writes records writes no calendar into a file.
    calendars = {CALENDAR: "CORRECTED", CALENDAR_OF_FILES: "CORRECTED", CALENDAR_OF_LOGS: "LEGACY"}
    with session_settings(spark, calendars):
        rows = spark.range(0, 400, 1, 2).selectExpr("id", *OLD)
        path = write(rows, tmp_path / "t", **logged)
        write(rows.where("id < 90"), path, **logged, datasource__write__operation="upsert")
        before = fingerprint(spark, path)

        records = {"hoodie.datasource.write.row.writer.enable": False}
        hz.ZOrderTable(spark, path).cluster(["d", "t"], hudi_options=records)

        assert fingerprint(spark, path) == before


@pytest.mark.parametrize("index", quick_first([{}, RECORD_INDEX]), ids=["collected", "pinned"])
def test_rows_that_cannot_be_written_are_refused_with_the_reason_and_the_remedy(
    spark: SparkSession, tmp_path: Path, index: dict[str, str]
) -> None:
    with session_settings(spark, {CALENDAR: "CORRECTED"}):
        rows = spark.range(0, 40, 1, 2).selectExpr("id", *OLD)
        path = write(rows, tmp_path / "t", **index)
    before = fingerprint(spark, path)

    why = rf"40 of 40 rows could not be written, as of one: .*You can set \"{CALENDAR}\" to"
    with pytest.raises(hz.ClusteringError, match=why) as refused:
        hz.ZOrderTable(spark, path).cluster(["d"], target_file_size="3KB")

    assert "Please report" not in str(refused.value)
    assert fingerprint(spark, path) == before


@pytest.mark.parametrize("active", quick_first([True, False]), ids=["active", "none"])
def test_whoever_asks_by_another_session_keeps_the_active_one(
    spark: SparkSession, tmp_path: Path, active: bool
) -> None:
    rows = spark.range(40).selectExpr("id", "id % 2 AS p")
    path = write(rows, tmp_path / "t", datasource__write__partitionpath__field="p")
    sessions = spark._jvm.org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession().get()
    if not active:
        sessions.clearActiveSession()
    try:
        table = hz.ZOrderTable(spark.newSession(), path)
        assert table.plan(["id"], where="p = 1")
        found = sessions.getActiveSession()
        assert found.isDefined() == active
        assert not active or found.get().equals(before)
    finally:
        sessions.setActiveSession(before)


@pytest.mark.parametrize(
    ("setting", "value"),
    quick_first(
        [
            ("hoodie.table.services.enabled", "false"),  # of writers who leave these to others
            ("hoodie.clustering.enable.expirations", "true"),
        ]
    ),
)
def test_what_a_session_says_of_services_keeps_nobody_from_clustering(
    spark: SparkSession, tmp_path: Path, setting: str, value: str
) -> None:
    path = write(spark.range(400).selectExpr("id", "id % 7 AS a"), tmp_path / "t")
    with session_settings(spark, {setting: value}):
        assert hz.ZOrderTable(spark, path).cluster(["a"])
    assert list(Path(path, ".hoodie/.heartbeat").glob("2*")) == []


@pytest.mark.slow
def test_whoever_executes_by_call_shows_that_it_lives_where_its_client_has_not_planned(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Hudi lets clusterings expire by a heart of the client that has planned them, by its words."""
    path = write(spark.range(400).selectExpr("id", "id % 7 AS a"), tmp_path / "t")
    settings = {
        "hoodie.clustering.enable.expirations": "true",
        "hoodie.clustering.execution.strategy.class": STRATEGY,
        "hoodie.precommit.validators": "no.such.Validator",
    }
    call = f"CALL run_clustering(path => '{path}', order => 'a', op => '{{}}')"
    with session_settings(spark, settings):
        spark.sql(call.format("schedule")).collect()
        [beat] = Path(path, ".hoodie/.heartbeat").glob("2*")
        os.utime(beat, times=(0, 0))
        with pytest.raises(Exception, match=r"no\.such\.Validator"):
            spark.sql(call.format("execute")).collect()
    assert beat.read_text() == hz.ZOrderTable(spark, path)._service._hudi.process()
