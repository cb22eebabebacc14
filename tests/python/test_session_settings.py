"""A clustering writes rows as the session that asks for it would, whatever thread Spark sees."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import fingerprint, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot

CALENDAR = "spark.sql.parquet.datetimeRebaseModeInWrite"
LEGACY_MARK = b"org.apache.spark.legacyDateTime"
# One from before the Gregorian calendar, which a session without the setting does not write.
OLD = (
    "date'1000-01-01' + int(id) AS d",
    "timestamp'1000-01-01' + make_dt_interval(int(id)) AS t",
)


@pytest.mark.parametrize("calendar", quick_first(["LEGACY", "CORRECTED"]))
@pytest.mark.parametrize(
    "another", quick_first([True, False]), ids=["another session", "the first"]
)
def test_old_times_are_written_in_the_calendar_of_the_session(
    spark: SparkSession, tmp_path: Path, calendar: str, another: bool
) -> None:
    asking = spark.newSession() if another else spark
    with session_settings(asking, {CALENDAR: calendar}):
        rows = asking.range(0, 400, 1, 2).selectExpr("id", *OLD)
        path = write(rows, tmp_path / "t", metadata__enable="false")
        before = fingerprint(spark, path)

        assert hz.ZOrderTable(asking, path).cluster(["d", "t"], target_file_size="5KB")

    assert fingerprint(spark, path) == before
    for part in TableSnapshot.open(path).slices:
        footer = pq.read_metadata(tmp_path / "t" / part.path).metadata
        assert (LEGACY_MARK in footer) == (calendar == "LEGACY")
