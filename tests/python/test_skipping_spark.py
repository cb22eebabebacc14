"""Spark is the oracle: no row is skipped that Spark finds a predicate true of, and skipping works.

The table is written by Hudi with small row groups and pages and holds awkward values of every type.
Spark reads its base files whole, with every predicate as a column, so that it skips nothing itself.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conftest import write
from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from hudi_zorder.spark_table import SparkTable
from plain_table import write_plain_table

ZONE = "America/New_York"
ROWS = 2880

# One expression of k, which is id DIV 4, for each column; every seventh k is null. Values grow, so
# that files, row groups and pages have narrow ranges, save where awkward values are mixed in.
COLUMNS = {
    "b": "k >= 360",
    "i": "cast(k - 360 as int)",
    "l": "CASE WHEN k < 3 THEN 9007199254740992 + k WHEN k = 719 THEN 9223372036854775807 "
    "WHEN k = 3 THEN -9223372036854775808 ELSE k - 360 END",
    "f": "CASE WHEN k % 240 = 5 THEN float('NaN') WHEN k % 97 = 6 THEN float('-0.0') "
    "WHEN k % 97 = 7 THEN 0.1F ELSE cast((k - 360) / 8 as float) END",
    "d": "CASE WHEN k % 240 = 5 THEN double('NaN') WHEN k = 400 THEN double('-0.0') "
    "WHEN k = 401 THEN double('infinity') WHEN k = 402 THEN 0.1D ELSE (k - 360) / 10D END",
    "m": "cast((k - 360) / 7 as decimal(7, 2))",
    "w": "cast((k - 360) as decimal(38, 10)) * cast('10000000000000000' as decimal(17, 0))",
    "s": "concat(substr('aAé漢😀%_\\\\', 1 + cast(k / 90 as int), 1), lpad(k, 4, '0'))",
    "p": "concat(repeat('=', 70), lpad(k, 4, '0'))",
    "x": "unhex(lpad(hex(k * 91), 6, '0'))",
    "y": "date_add(date'2020-10-20', cast(k / 60 as int))",
    "t": "timestamp_micros(1603580000000000 + k * 60000000 + k)",
    "u": "timestamp_ntz'2020-10-24 20:00:00' + make_interval(0, 0, 0, 0, 0, k)",
    "n": "named_struct('a', cast(k - 360 as int), 'z', concat('z', lpad(k, 4, '0')))",
}

# Of these every one must skip something; of OTHERS nothing must be skipped wrongly.
SKIPPING = """
i = -350 | i = '-350' | i < -300 | -300 > i | i <=> -350 | i IN (-350, NULL, 5) | i > 350.5
i BETWEEN 3 AND 5 | NOT (i > -300) | NOT (i > -300 OR i IS NULL) | i = 7.0 | i >= 349.5D
l = 9223372036854775807 | l > 9007199254740992 | l < -1e15 | l IN (400, 401) | f < -40
d < -35.05 | d = -35 | d <= -35.5D | d IN (-30, -31.5) | m = -51.43 | m < -51
m BETWEEN 50.005 AND 51.4299 | m IN (1, 2.00) | w < -3500000000000000000 | w = 123
w IN (0, 10000000000000000) | s = 'a0001' | s LIKE 'a00%' | s LIKE '漢0%' | s >= '😀'
s LIKE '\\\\%04%' | s < 'B' | startswith(s, 'é') | s LIKE '!_0%' ESCAPE '!'
s IN ('é0200', 'none') | s LIKE '漢____' | s NOT LIKE 'a0%' AND s < 'b'
p > '======================================================================05'
p LIKE '======================================================================00%' | x = X'000000'
x < X'0050' | x > X'00FFFF' | y = DATE '2020-10-22' | y = '2020-10-22' | y > DATE'2020-10-30'
y IN ('2020-10-21', '2020-10-20') | t = TIMESTAMP '2020-10-25 01:30:00'
t < '2020-10-24 19:00:00' | t > DATE '2020-10-25' | t < TIMESTAMP '2020-10-24 23:00:00Z'
t >= '2020-10-25T06:30:00+00:00' | u < TIMESTAMP_NTZ '2020-10-24 20:01:00.5'
u = '2020-10-24 20:01:00' | u > DATE '2020-11-01' | n.a = -350 | n.z LIKE 'z01%'
n.a > 300 AND n.z < 'z0700' | NOT b AND i > 200 | b AND i < -100 | b = false AND i >= 100
b IS NOT TRUE AND i > 300 | i < -340 OR s > '😀0700'
(i < -340 OR i > 340) AND d > -100 AND NOT i > 340
"""
OTHERS = """
i IS NULL | i IS NOT NULL | i != 5 | NOT i = 5 | i NOT IN (1, 2) | i NOT IN (1, NULL)
NOT (i <=> 5) | i = 2.5 | i = '5.5' | i IN ('5', 6) | i > '3' | i + 1 > 3
cast(i as string) = '5' | i IN (3, 4.5D) | l = 9007199254740993 | l = 9007199254740992D
l = 9007199254740993D | l > 9007199254740992D | l <= 9007199254740993D
l IN (9007199254740993, 1.5D) | f = 0 | f = 0.1 | f = 0.1F | f = 0.1D | f > 44 | f >= 44.875
f = double('NaN') | f > double('NaN') | f <= double('NaN') | f != 0 | f IN (0, 0.1)
f IN (0.1F, 0.5F) | f NOT IN (0) | f <=> double('NaN') | f < double('NaN') | NOT f < 40
f BETWEEN 40 AND 50 | f IS NULL | f = 16777217 | f != double('NaN') | d = 0 | d = -0.0D | d = 0.1
d > 35.8 | d = double('NaN') | d >= double('infinity') | d != 0 | d IN (0, double('NaN'))
d IN (0,1,2,3,4,5,6,7,8,9,10,11,12) | d NOT IN (0,1,2,3,4,5,6,7,8,9,10,11) | NOT d <= 35
d <=> double('NaN') | d > 0.1F | d = '0.1' | d > '35' | m = 0.1D | m = 51.429 | m = '51.43'
m > 51.4 | m != 0 | m < 1e10 | m = 1 | m NOT IN (0) | w = 1e16 | w >= 3590000000000000000
w = 9999999999999999999999999999999999999 | w > 1.123456789012345678 | s = 'A0100' | s > 'A'
s LIKE '%9' | s LIKE '_0100' | s LIKE '%' | s NOT LIKE '%' | s LIKE 'a' | s LIKE '\\\\\\\\0%'
s RLIKE 'a0' | s ILIKE 'A00%' | upper(s) = 'A0001' | s = 5 | s > 5 | s LIKE '' | s = ''
s <=> NULL | s = NULL | NOT s = NULL | s BETWEEN 'a' AND 'b' | s NOT BETWEEN 'a' AND 'b'
s > DATE '2020-01-01' | p > '============================================================'
p = '======================================================================' | p LIKE '===%0719'
x > X'' | x = X'' | x IS NULL | x != X'000000' | y = '2020-10-2' | y >= '2020'
y > TIMESTAMP '2020-10-25 00:00:00' | y NOT IN ('2020-10-22') | y <=> DATE '2020-10-22'
year(y) = 2020 | y != DATE '2020-10-20' | t = '2020-10-25 01:30:00'
t BETWEEN '2020-10-25 01:00:00' AND '2020-10-25 02:00:00' | t > '2020-10-25'
t IN ('2020-10-25 01:30:00') | t NOT IN ('2020-10-25 01:30:00')
t != TIMESTAMP '2020-10-25 01:30:00' | t > TIMESTAMP_NTZ '2020-10-25 01:30:00'
t = '2020-10-25 01:30:00.000001' | date(t) = '2020-10-25' | t >= '2020-10-24 20:13:20'
t IN (TIMESTAMP '2020-10-25 01:30:00') | t < 'tomorrow' | t > '2020-10-25 1:2:3'
u = TIMESTAMP '2020-10-24 20:01:00' | u > '2020-10-24 20:11:00.000001'
u IN ('2020-10-24 20:01:00') | n.a IS NULL | n.a IS NOT NULL | n.z IS NULL | n IS NULL | n.a = n.a
n.a != 3 | size(array(i)) = 1 | b | NOT b | b IS NULL | b = true | b != true | b <=> NULL
b IS NOT FALSE | b IN (true) | NOT (b AND i > 0) | true | false | null | 1 = 1 | i = l
NOT (i = l) | i > 0 AND null | i > 0 OR null | NOT null | (i > 0) = true | (i > 0) IS TRUE
NOT ((i > 0) IS TRUE) | CASE WHEN i > 0 THEN true END | coalesce(b, i > 3) | s = 'a\\u0030'
s = 'it''s' | s = r'\\0702' | i = 5 OR upper(s) LIKE 'A%' | i = -350 AND rand() < 2
m <=> 12345678901234567890123456789012345678 | NOT (w <=> 12345678901234567890123456789012345678)
i > -9223372036854775809 | NOT l > 9223372036854775807.5 | i < 1e30BD OR i <= -1e30BD
i = '99999999999' | i <=> '99999999999' | NOT (i <=> '99999999999') | i <=> '-350'
NOT i = 5 AND l > 3 | ! i = 5 OR b | NOT b = true AND i BETWEEN 1 AND 5 OR l IN (3) AND NOT d < 3
"""


def listed(text: str) -> list[str]:
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


@pytest.fixture(scope="module")
def table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableSnapshot]:
    from pyspark.sql import functions as F

    columns = [
        F.expr(f"CASE WHEN k % 7 != {number % 7} THEN {sql} END").alias(name)
        for number, (name, sql) in enumerate(COLUMNS.items())
    ]
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    path = tmp_path_factory.mktemp("skipping") / "awkward"
    # Four files, cut here: repartitionByRange draws a sample by how many jobs the session has run.
    rows = spark.range(0, ROWS, 1, 4).selectExpr("id", "id DIV 4 AS k").select("id", *columns)
    small = {"parquet__block__size": "32768", "parquet__page__size": "64"}
    write(rows.sortWithinPartitions("id"), path, bulkinsert__sort__mode="NONE", **small)
    yield TableSnapshot.open(path)
    spark.conf.set("spark.sql.session.timeZone", zone)


@pytest.fixture(scope="module")
def matches(spark: Any, table: TableSnapshot) -> dict[str, set[tuple[str, int]]]:
    """For each predicate, the file and position of the rows that Spark finds it true of."""
    from pyspark.sql import functions as F

    predicates = [*listed(SKIPPING), *listed(OTHERS)]
    files = [str(Path(table.path) / part.path) for part in table.slices]
    frame = spark.read.parquet(*files).select(
        F.col("_metadata.file_name"),
        F.col("_metadata.row_index"),
        *(F.expr(f"coalesce({predicate}, false)") for predicate in predicates),
    )
    found: dict[str, set[tuple[str, int]]] = {predicate: set() for predicate in predicates}
    for file, row, *holds in frame.collect():
        for predicate, true in zip(predicates, holds, strict=True):
            if true:
                found[predicate].add((file, row))
    return found


@pytest.mark.parametrize("zone", [ZONE, None])
@pytest.mark.parametrize("predicate", [*listed(SKIPPING), *listed(OTHERS)])
def test_no_row_that_spark_finds_is_skipped(
    table: TableSnapshot,
    matches: dict[str, set[tuple[str, int]]],
    predicate: str,
    zone: str | None,
) -> None:
    report = explain(table, predicate, time_zone=zone)
    kept = {
        (file.file, row)
        for file in report.files
        for low, high in file.kept_rows
        for row in range(low, high)
    }
    missed = matches[predicate] - kept
    assert not missed, f"{predicate} is true of skipped rows {sorted(missed)[:5]}\n{report}"


@pytest.mark.parametrize("predicate", listed(SKIPPING))
def test_what_statistics_can_decide_is_skipped(table: TableSnapshot, predicate: str) -> None:
    report = explain(table, predicate, time_zone=ZONE)
    assert report.page_level.rows_left < ROWS * 0.9, str(report)


def test_the_table_has_several_row_groups_and_pages(table: TableSnapshot) -> None:
    report = explain(table, "i IS NOT NULL")
    assert report.impala["NumRowGroups"] > len(table.slices)
    assert report.impala["NumPages"] > 2 * report.impala["NumRowGroups"]


def test_counts_fall_from_level_to_level(table: TableSnapshot) -> None:
    report = explain(table, "i BETWEEN -350 AND -345")
    levels = [report.file_level, report.row_group_level, report.page_level]
    assert [level.rows_left for level in levels] == sorted(
        (level.rows_left for level in levels), reverse=True
    )
    assert report.file_level.skipped == 3
    assert 0 < report.page_level.rows_left < report.row_group_level.rows_left


ESCAPED = "spark.sql.parser.escapedStringLiterals"
ANSI = "spark.sql.ansi.enabled"
QUOTED = "spark.sql.ansi.doubleQuotedIdentifiers"


@pytest.mark.parametrize(
    ("settings", "predicate", "refused_by"),
    [
        ([ESCAPED], r"s = 'a\\b'", ESCAPED),
        ([ESCAPED], "s = 'ab'", ""),
        ([ANSI, QUOTED], 's = "ab"', QUOTED),
        ([QUOTED], 's = "ab"', ""),
    ],
    ids=["escape", "no escape", "name in quotes", "text in quotes"],
)
def test_a_predicate_that_the_session_reads_in_another_way_is_refused(
    spark: Any, tmp_path: Path, settings: list[str], predicate: str, refused_by: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"s": ["ab"]})])
    for name in settings:
        spark.conf.set(name, "true")
    try:
        refused = ""
        SparkTable(spark, path).explain(predicate)
    except PredicateError as fault:
        refused = str(fault)
    finally:
        for name in settings:
            spark.conf.unset(name)
    assert f"'{refused_by}' is 'true'" in refused if refused_by else not refused


@pytest.mark.parametrize(
    ("zone", "skipped"), [("UTC", 2), ("Pacific/Auckland", 1), ("PST", 2), ("+08:00:30", 1)]
)
def test_times_without_a_zone_are_in_that_of_the_session(
    spark: Any, tmp_path: Path, zone: str, skipped: int
) -> None:
    """One with seconds is known to Java alone: such times skip what they skip in every zone."""
    noons = [dt.datetime(2026, 1, day, 12, tzinfo=dt.timezone.utc) for day in (1, 2, 3, 4)]
    files = [pa.table({"t": [noon], "a": [1]}) for noon in noons]
    table = SparkTable(spark, write_plain_table(tmp_path / "t", files))
    of_tests = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        report = table.explain("t >= '2026-01-03'", select=["a"])
        found = table.clustering_information(["t"], queries=["t >= '2026-01-03'"], source="index")
    finally:
        spark.conf.set("spark.sql.session.timeZone", of_tests)
    assert report.file_level.skipped == skipped
    assert found.source == "index"
    assert found.queries is not None
    assert found.queries.share_read == (4 - skipped) / 4
    with pytest.raises(OptionError, match="knows no pages"):
        table.explain("a = 1", select=["a"], source="index")
