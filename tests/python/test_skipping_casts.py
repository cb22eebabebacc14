"""Literals whose cast changes the value skip only what Spark's own value skips."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import write_plain_table

UTC_MIDNIGHT = pa.array([dt.datetime(2026, 1, 1)], pa.timestamp("us", "UTC"))
SINGLE_2_24 = pa.array([2.0**24], pa.float32())
NULL = pa.array([None], pa.int64())
NO_TIME = pa.array([None], pa.timestamp("us", "UTC"))
NO_DAY = pa.array([None], pa.date32())
NO_DOUBLE = pa.array([None], pa.float64())
DAY = dt.datetime(2026, 1, 1)
MIDNIGHT = pa.array([DAY], pa.timestamp("us"))
NOON = pa.array([DAY.replace(hour=12)], pa.timestamp("us"))
SINGLE = pa.array([1.1], pa.float32()).cast(pa.float64())


@pytest.mark.parametrize(
    ("held", "predicate", "skipped_by"),
    [
        (MIDNIGHT, "v = DATE '2026-01-01 12:00:00'", ""),
        (MIDNIGHT, "v = CAST('2026-01-01T12:00:00' AS DATE)", ""),
        (NOON, "v = date('2026-01-01 12:00:00')", "file"),
        (SINGLE, "v = CAST(1.1F AS DOUBLE)", ""),
        (pa.array([1.1]), "v = CAST(1.1F AS DOUBLE)", "file"),
        # Spark has a null here, which equals no number and differs from none.
        (pa.array([0]), "v <=> CAST('123.45' AS DECIMAL(3, 2))", ""),
        (NULL, "v <=> CAST('123.45' AS DECIMAL(3, 2))", ""),
        (NO_TIME, "v <=> '2026-01-01T01:30Z'", ""),
        (NO_TIME, "v <=> CAST('2026-01-01 01:30+02:00' AS TIMESTAMP)", ""),
        (NO_TIME, "v <=> '2026-01-01T01:30:00Z'", "file"),
        (NO_TIME, "v <=> '2026-01-01T01:30'", "file"),
        (NO_DOUBLE, "v <=> double('-nan')", ""),
        (NO_DOUBLE, "v <=> double('+nan')", ""),
        (NO_DOUBLE, "v <=> float('-nan')", ""),
        (NO_DOUBLE, "v <=> double('\u0661')", ""),
        (NO_DAY, "v <=> '\u0662\u0660\u0662\u0666-01-01'", ""),
        (NO_DAY, "v <=> '2026-01-01'", "file"),
        (NO_DOUBLE, "v <=> double('nan')", "file"),
        (NO_DOUBLE, "v <=> double('-inf')", "file"),
        # A time without zone may be any of a day and a half, within which the other one lies.
        (
            UTC_MIDNIGHT,
            "v IN (TIMESTAMP '2026-01-01 05:00:00', TIMESTAMP '2025-12-31 19:00:00Z')",
            "",
        ),
        (
            UTC_MIDNIGHT,
            "v IN (TIMESTAMP '2026-01-03 00:00:00', TIMESTAMP '2025-12-31 19:00:00Z')",
            "file",
        ),
        # 16777217 is no float: Spark rounds it, or with ANSI on compares doubles.
        (SINGLE_2_24, "v < 16777217", ""),
        (SINGLE_2_24, "v IN (16777217, 3)", ""),
        (SINGLE_2_24, "v >= 16777217", ""),
        (SINGLE_2_24, "v != 16777217", ""),
        (SINGLE_2_24, "v < 16777216", "file"),
        (SINGLE_2_24, "v > 16777217", ""),
        (SINGLE_2_24, "v = 16777218", "file"),
        # Beside a decimal that no bigint reaches Spark answers without a look at the column.
        (NULL, "v > -9223372036854775809", ""),
        (NULL, "v >= -9223372036854775808.5", ""),
        (NULL, "v <= 9223372036854775808", ""),
        (NULL, "NOT v > 9223372036854775808", ""),
        (NULL, "v < 9223372036854775807.5", ""),
        (NULL, "v > -9223372036854775808", "file"),
        (NULL, "v < 9223372036854775807", "file"),
        (NULL, "v > 9223372036854775808", "file"),
        (NULL, "v != 9223372036854775808", "file"),
    ],
)
def test_a_cast_literal_has_the_value_that_spark_gives_it(
    tmp_path: Path, held: pa.Array, predicate: str, skipped_by: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"v": held})])
    (file,) = explain(TableSnapshot.open(path), predicate).files
    assert file.skipped_by == skipped_by


@pytest.mark.parametrize(
    ("predicate", "skipped_by"),
    [
        # With ANSI off Spark goes on at the other end of the type.
        ("v = -2147483648 - 1", ""),
        ("v = 2147483647 + 1", ""),
        ("v = -2147483648 * -1", ""),
        ("v = -(-2147483648)", ""),
        ("v = - -2147483648", ""),
        ("v = -(-9223372036854775808)", ""),
        ("v = -9223372036854775808 - 1", ""),
        ("v = -cast(-128 as tinyint)", ""),
        ("v = -(-cast(-32768 as smallint))", ""),
        ("v = -2147483647 - 1", "file"),
        ("v = -2147483648", "file"),
        ("v = -(2147483648)", "file"),
        ("v = -2147483649 - 1", "file"),
        ("v = -9223372036854775808", "file"),
        ("v = -(-2) - 3", "file"),
    ],
)
def test_whole_numbers_that_may_go_on_at_the_other_end_keep_files(
    tmp_path: Path, predicate: str, skipped_by: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"v": [5, 2147483647]})])
    (file,) = explain(TableSnapshot.open(path), predicate).files
    assert file.skipped_by == skipped_by
