"""Random predicates on a z-column's columns, of all types: none loses a row of a full scan."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import as_keywords, write
from hudi_tables import read, session_settings
from z_tables import ENABLED

# Each column as an expression of k, with awkward values of its type; every ninth k is null.
COLUMNS = {
    "i": "cast(k - 200 as int)",
    "l": "CASE k WHEN 3 THEN -9223372036854775808 WHEN 4 THEN 9223372036854775807 ELSE k * k END",
    "f": "CASE k % 50 WHEN 5 THEN float('NaN') WHEN 6 THEN float('-0.0') WHEN 7 THEN 0F "
    "WHEN 8 THEN float('-infinity') ELSE cast((k - 200) / 8 as float) END",
    "d": "CASE k % 50 WHEN 9 THEN double('NaN') WHEN 6 THEN -0.0D WHEN 7 THEN 0D "
    "WHEN 8 THEN double('infinity') ELSE (k - 200) / 10D END",
    "m": "cast((k - 200) / 7 as decimal(10, 2))",
    "w": "cast(k - 200 as decimal(38, 10)) * cast('10000000000000000' as decimal(17, 0))",
    "s": "CASE k % 4 WHEN 0 THEN '' WHEN 1 THEN concat('customer-', k) "
    "WHEN 2 THEN concat(substr('aAé漢😀%_', 1 + cast(k % 7 as int), 1), k) "
    "ELSE cast(k as string) END",
    "x": "unhex(lpad(hex(k * 91), 6, '0'))",
    "y": "date_add(date'1969-06-01', cast(k as int))",
    "t": "timestamp_micros((k - 200) * 3600000000 + k)",
    "u": "timestamp_ntz'1969-12-25 20:00:00' + make_interval(0, 0, 0, 0, k)",
    "b": "k % 3 = 0",
}
GROUPS = (("i", "s", "d", "t", "b", "m"), ("l", "f", "w", "x", "y", "u"))
ROWS = 400


@pytest.mark.slow
@pytest.mark.parametrize("columns", [*GROUPS, ("s", "d"), ("f", "w", "l")], ids="".join)
def test_some_random_predicates_lose_no_row(
    spark: SparkSession, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    _check(spark, tmp_path, columns, predicates=75, seed=1)


@pytest.mark.soak
@pytest.mark.parametrize("columns", [*GROUPS, ("s", "d"), ("f", "w", "l")], ids="".join)
def test_many_random_predicates_lose_no_row(
    spark: SparkSession, tmp_path: Path, columns: tuple[str, ...]
) -> None:
    _check(spark, tmp_path, columns, predicates=300, seed=2)


def _check(
    spark: SparkSession, path: Path, columns: tuple[str, ...], predicates: int, seed: int
) -> None:
    made = ", ".join(
        f"CASE WHEN (k + {n}) % 9 = 0 THEN NULL ELSE {COLUMNS[c]} END AS {c}"
        for n, c in enumerate(columns)
    )
    frame = spark.sql(f"SELECT k AS id, {made} FROM (SELECT id AS k FROM range({ROWS}))")
    options = hz.ZOrderOptions(columns=columns, z_column="_z")
    table = hz.ZOrderTable(spark, write(frame, path / "t", **as_keywords(options.writer())))
    draw = random.Random(seed)
    with session_settings(
        spark, {ENABLED: "false", "spark.sql.session.timeZone": "America/New_York"}
    ):
        asked: list[tuple[str, str]] = []
        for _ in range(predicates):
            predicate = _predicate(draw, columns)
            found = table.z_predicate(predicate, max_ranges=draw.choice([1, 2, 16]))
            if found is not None:
                asked.append((predicate, found))
        lost = [f"count_if(({p}) AND NOT coalesce({z}, false))" for p, z in asked]
        ranged = [f"count_if({z})" for _, z in asked]
        result = read(spark, table.path).selectExpr("count(*)", *lost, *ranged).first()
    assert result is not None
    rows, *counts = result
    assert rows == ROWS
    assert [p for (p, _), count in zip(asked, counts, strict=False) if count] == []
    assert len(asked) > predicates / 2
    assert sum(counts[len(asked) :]) < 0.95 * ROWS * len(asked)


def _predicate(draw: random.Random, columns: tuple[str, ...], depth: int = 2) -> str:
    kind = draw.random()
    if depth and kind < 0.45:
        parts = [_predicate(draw, columns, depth - 1) for _ in range(2)]
        return f"({draw.choice([' AND ', ' AND ', ' OR ']).join(parts)})"
    if depth and kind < 0.5:
        return f"NOT ({_predicate(draw, columns, depth - 1)})"
    column = draw.choice(columns)
    if kind < 0.58:
        return f"{column} IS {draw.choice(['', 'NOT '])}NULL"
    if column == "b":
        return draw.choice(["b", "NOT b", "b = false", "b <=> true"])
    if column == "s" and kind < 0.75:
        return (
            f"s LIKE '{draw.choice(['customer-1%', 'c%', '漢%', 'a_%', '', '%1', '1%2', '😀%'])}'"
        )
    values = [_value(draw, column) for _ in range(3)]
    if kind < 0.7:
        return f"{column} IN ({', '.join(values)})"
    if kind < 0.8:
        return f"{column} BETWEEN {values[0]} AND {values[1]}"
    return f"{column} {draw.choice(['=', '<', '<=', '>', '>=', '<=>', '<>'])} {values[0]}"


def _value(draw: random.Random, column: str) -> str:
    """Returns the value of some row, and sometimes one of another type."""
    k = draw.randrange(ROWS)
    if column in "fd" and draw.random() < 0.2:
        return draw.choice(["double('NaN')", "0", "-0.0D", "0.1", "'1.5'"])
    if column in "ilmw" and draw.random() < 0.2:
        return draw.choice(["5", "5.5", "7D", "'9'"])
    if column in "ytu" and draw.random() < 0.2:
        return draw.choice(["'1970-01-03'", "DATE'1970-01-05'", "TIMESTAMP'1970-01-02 03:04:05'"])
    value = re.sub(r"\bk\b", f"{k}L", COLUMNS[column])
    return f"({value})"
