"""Faults of Hudi 1.2.0's statistics, each reproduced: the audit catches it, and the way around.

When one fails with another Hudi, the fault may be mended, and ``HUDI_FAULTS.md`` out of date.
"""

from __future__ import annotations

import datetime as dt
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.audit_report import Audit
from hudi_zorder.skipping.disordered import FORMAT, ORDER
from hudi_zorder.skipping.known_faults import explained
from hudi_zorder.stats.column_stats import IndexWarning
from plain_table import base_file, write_plain_table

AS_WRITTEN = {"bulkinsert__sort__mode": "NONE"}
BY_P = {**AS_WRITTEN, "datasource__write__partitionpath__field": "p"}
SINCE, OF_MONTH = "datediff('2027-01-01', day)", "date_format(day, 'd')"
FRUITS = "element_at(array('apple', 'banana', 'cherry'), 1 + cast(id DIV 100 AS int))"


# Columns of types that Hudi makes something of its own of.
TYPED = {
    "a": "id",
    "b": "id < 100",
    "s": "concat('v', lpad(id, 3, '0'))",
    "raw": "cast(concat('v', lpad(id, 3, '0')) AS binary)",
    "st": "named_struct('b', id)",
    "day": "date_add(date'2026-01-01', cast(id AS int))",
    "at": "timestamp'2026-01-01 00:00:00' + make_dt_interval(0, id)",
    "ntz": "timestamp_ntz'2026-01-01 00:00:00' + make_dt_interval(0, id)",
}


def days(first: int, end: int) -> str:
    start = dt.date(2026, 1, 1)
    return ", ".join(f"DATE'{start + dt.timedelta(days=n)}'" for n in range(first, end))


def times(first: int, end: int, kind: str = "") -> str:
    start = dt.datetime(2026, 1, 1)
    return ", ".join(f"TIMESTAMP{kind}'{start + dt.timedelta(hours=n)}'" for n in range(first, end))


def written(
    spark: Any, path: Path, options: Mapping[str, str] = AS_WRITTEN, **columns: str
) -> hz.ZOrderTable:
    """Writes ids 0 to 299 into three files of a hundred rows."""
    rows = spark.range(300).selectExpr("id", *(f"{sql} AS {name}" for name, sql in columns.items()))
    return hz.ZOrderTable(spark, write(rows.repartitionByRange(3, "id"), path, **options))


def mixed(spark: Any, path: Path) -> hz.ZOrderTable:
    return written(
        spark,
        path,
        s=f"concat({FRUITS}, lpad(id, 3, '0'))",
        d="CASE id WHEN 150 THEN double('NaN') ELSE id END",
        t="if(id = 150, repeat('x', 5000), concat('v', lpad(id, 3, 0)))",
        day="date_add(date'2026-01-01', cast(id DIV 10 AS int))",
        letter="if(id % 2 = 0, 'a', 'B')",
        note="if(id % 50 = 0, '', cast(date_add(date'2026-01-01', cast(id AS int)) AS string))",
        **{"`größe`": f"concat({FRUITS}, lpad(id, 3, '0'))"},
    )


def added(spark: Any, path: Path) -> hz.ZOrderTable:
    table = written(spark, path, a="id")
    later = spark.range(300, 400).selectExpr("id", "id AS a", "if(id % 2 = 0, id, NULL) AS c")
    write(later, table.path, **AS_WRITTEN)
    return table


def emojis(spark: Any, path: Path) -> hz.ZOrderTable:
    texts = "concat(if(id < 100, '\uff01', '\U0001f600'), lpad(id, 3, '0'))"
    return written(spark, path, BY_P, s=texts, p="'a'")


def groups(spark: Any, path: Path) -> hz.ZOrderTable:
    rows = spark.range(3000).selectExpr(
        "id", "concat(if(id < 1500, '\uff01', '\U0001f600'), lpad(id, 4, '0')) AS s"
    )
    small = {"parquet__block__size": "8192", "parquet__page__size": "64"}
    return hz.ZOrderTable(spark, write(rows.coalesce(1), path, **AS_WRITTEN, **small))


MADE = {make.__name__: make for make in (mixed, added, emojis, groups)}
Tables = Callable[[str], hz.ZOrderTable]


@pytest.fixture(scope="module")
def tables(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Makes each of them once, when a test asks for it."""
    folder = tmp_path_factory.mktemp("faults")

    @cache
    def made(name: str) -> hz.ZOrderTable:
        return MADE[name](spark, folder / name)

    return made


def audit(table: hz.ZOrderTable, predicate: str) -> Audit:
    report = table.explain(predicate, audit=True)
    assert report.audit is not None
    assert report.audit.explain_is_sound
    return report.audit


def least(compared: str) -> str:
    """Returns the same of a value, which Hudi does not look up."""
    return f"least({compared}, {compared})"


# One of each issue, then others of them.
# Per case: table, predicate, issue, matching rows, rows lost by Hudi's skipping, the way around.
FAULTS = [
    ("mixed", "s LIKE 'b%'", "hudi#18791", 100, 100, "s >= 'b' AND s < 'c'"),
    ("mixed", "d > 10", "hudi#18754", 289, 100, None),
    ("mixed", "t > 'v0'", "hudi#18755", 300, 100, None),
    ("added", "c IS NULL AND a >= 0", "hudi#19645", 350, 300, "(c + 0) IS NULL AND a >= 0"),
    ("emojis", "s = '\U0001f600150'", "", 1, 1, "p = 'a' AND s = '\U0001f600150'"),
    ("groups", "s > '\uff012'", "", 1500, 1500, None),
    ("mixed", "s LIKE 'b%9'", "hudi#18791", 10, 10, "s >= 'b' AND s < 'c' AND s LIKE '%9'"),
    ("mixed", "day LIKE '2026-01-0%'", "hudi#18791", 90, 90, None),
    ("mixed", "startswith(day, '2026')", "hudi#18791", 300, 300, None),
    ("mixed", "lower(letter) = 'a'", ORDER, 150, 150, f"{least('lower(letter)')} = 'a'"),
    ("mixed", "letter ILIKE 'a'", ORDER, 150, 150, f"{least('lower(letter)')} = 'a'"),
    ("mixed", "id * -1 = -5", ORDER, 1, 1, f"{least('id * -1')} = -5"),
    ("mixed", "datediff('2027-01-01', day) = 365", ORDER, 10, 10, f"{least(SINCE)} = 365"),
    ("mixed", "log2(id) <= 0", ORDER, 1, 1, f"{least('log2(id)')} <= 0"),
    ("mixed", "note = date'2026-02-15'", ORDER, 1, 1, f"{least('date(note)')} = '2026-02-15'"),
    ("mixed", "date_format(day, 'd') = '5'", FORMAT, 10, 10, f"{least(OF_MONTH)} = '5'"),
    ("mixed", "d = 120", "hudi#18754", 1, 1, None),
    ("mixed", "d = double('NaN')", "hudi#18754", 1, 1, None),
    ("mixed", "t = 'v120'", "hudi#18755", 1, 1, None),
    ("added", "c <=> NULL AND a < 50", "hudi#19645", 50, 50, "(c + 0) IS NULL AND a < 50"),
]


@pytest.mark.parametrize(
    ("table", "predicate", "issue", "rows", "lost", "instead"), quick_first(FAULTS, quick=2)
)
def test_the_audit_catches_a_known_fault(
    spark: Any,
    tables: Tables,
    table: str,
    predicate: str,
    issue: str,
    rows: int,
    lost: int,
    instead: str | None,
) -> None:
    found = audit(tables(table), predicate)
    assert (found.passed, found.hudi_is_sound) == (False, False)
    assert (found.matching_rows, found.lost_rows) == (rows, lost)
    assert sum(file.lost for file in found.different_files) == lost
    assert {file.issue for file in found.different_files} == {issue}
    assert [fault.issue for fault in found.faults] == [issue]
    assert "no known fault" not in found.faults[0].cause
    assert "'hoodie.enable.data.skipping' = 'false'" in found.faults[0].remedy
    reader = spark.read.format("hudi")
    off = reader.option("hoodie.enable.data.skipping", "false").load(tables(table).path)
    assert off.where(predicate).count() == rows
    if instead is not None:
        assert spark.read.format("hudi").load(tables(table).path).where(instead).count() == rows


@pytest.mark.parametrize(
    ("predicate", "issue"),
    [("day LIKE '2026%'", "hudi#18791"), ("at LIKE '2026%'", "hudi#18791"), ("a LIKE '1%'", "")],
)
def test_like_on_a_time_loses_files_as_on_texts_and_on_a_number_none(
    tmp_path: Path, predicate: str, issue: str
) -> None:
    times = {"day": [dt.date(2026, 1, 1)], "at": [dt.datetime(2026, 1, 1)], "a": [10]}
    path = write_plain_table(tmp_path / "t", [pa.table(times)])
    place = "", base_file("0")
    issues, [fault] = explained(TableSnapshot.open(path), predicate, [place])
    assert issues == {place: issue}
    assert fault.remedy.startswith("read with 'hoodie.enable.data.skipping' = 'false'")


@pytest.mark.parametrize(
    ("predicate", "text", "issue"),
    [
        ("lower(s) LIKE 'b%'", "LOWER(s)", ORDER),
        ("s ILIKE 'b%'", "LOWER(s)", ORDER),
        ("-5 = (a * -1)", "a * -1", ORDER),
        ("NOT (shiftleft(a, 30) > 0 OR a > 5)", "SHIFTLEFT(a, 30)", ORDER),
        ("log1p(a) < 1", "LOG1P(a)", ORDER),
        ("S IN (date'2026-01-01')", "CAST(s AS DATE)", ORDER),
        ("cast(a AS tinyint) BETWEEN 1 AND 2", "CAST(a AS TINYINT)", ORDER),
        ("from_unixtime(a, 'ss') = '05'", "FROM_UNIXTIME(a, 'ss')", FORMAT),
        ("date_add(day, 3) > '2026-01-01' AND a = 5", None, ""),
        ("a * b = 5", None, ""),  # of two columns nothing is looked up
        ("s <=> date'2026-01-01'", None, ""),
    ],
)
def test_a_function_is_named_that_is_looked_up_as_if_it_kept_the_order(
    tmp_path: Path, predicate: str, text: str | None, issue: str
) -> None:
    row = {"s": ["b"], "a": [1], "b": [1], "day": [dt.date(2026, 1, 1)]}
    path = write_plain_table(tmp_path / "t", [pa.table(row)])
    place = "", base_file("0")
    issues, [fault] = explained(TableSnapshot.open(path), predicate, [place])
    assert issues == {place: issue}
    assert fault.cause.startswith(f"'{text}' skips a file by") == (text is not None)
    assert (f'write "least({text}, {text})"' in fault.remedy) == (text is not None)


@pytest.mark.slow
def test_a_remedy_can_be_copied_into_a_query(spark: Any, tables: Tables) -> None:
    """Spark takes no letters but those of English outside of backticks."""
    table = tables("mixed")
    [fault] = audit(table, "`größe` LIKE 'b%'").faults
    query = fault.remedy.split('"')[1]
    assert query == "`größe` >= 'b' AND `größe` < 'c'"
    assert spark.read.format("hudi").load(table.path).where(query).count() == 100


@pytest.mark.parametrize(
    ("table", "predicate", "rows"),
    quick_first(
        [
            ("mixed", "s LIKE '%9'", 30),
            ("mixed", "id LIKE '1%'", 111),
            ("mixed", "date_add(day, 1) = date'2026-01-05'", 10),
            ("mixed", "s NOT LIKE 'a%'", 200),
            ("mixed", "d < 20", 20),
            ("mixed", "t IS NULL", 0),
            ("added", "c IS NULL", 350),
            ("added", "c IS NOT NULL AND a >= 0", 50),
        ],
        quick=3,
    ),
)
def test_what_the_faults_leave_alone_passes(
    tables: Tables, table: str, predicate: str, rows: int
) -> None:
    found = audit(tables(table), predicate)
    assert (found.passed, found.matching_rows, found.faults) == (True, rows, ())


@pytest.fixture(scope="module")
def typed(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> hz.ZOrderTable:
    return written(spark, tmp_path_factory.mktemp("faults") / "typed", **TYPED)


# Per case: predicate, issue, the way around.
PASSED_OVER = [
    (f"day IN ({days(0, 12)})", "", f"day IN ({days(0, 10)}) OR day IN ({days(10, 12)})"),
    ("st.b = 5", "hudi#5804", None),
    ("b", "", "b >= true"),
    ("NOT b", "", "b <= false"),
    ("b IN (true)", "", "b >= true"),
    ("b IS FALSE", "", "b <= false"),
    ("(b OR a < 5) AND a >= 0", "", "(b >= true OR a < 5) AND a >= 0"),
    ("a <=> 5", "", "a = 5"),
    ("s LIKE 'v0_5'", "", "s >= 'v0' AND s < 'v1' AND s LIKE 'v0_5'"),
    ("s LIKE 'v!_%' ESCAPE '!' OR a = 5", "", "(s >= 'v_' AND s < 'va') OR a = 5"),
    (f"at IN ({times(0, 12)}) AND a < 50", "", f"at IN ({times(0, 3)}) AND a < 50"),
    (f"ntz IN ({times(0, 12, '_NTZ')})", "", f"ntz IN ({times(0, 10, '_NTZ')})"),
    (f"a = 250 OR day IN ({days(0, 12)})", "", "a = 250"),
    ("raw = X'76303035' AND a < 9", "hudi#18810", None),
    ("length(raw) = 4 AND a < 5", "hudi#18810", None),
]


@pytest.mark.parametrize(("predicate", "issue", "instead"), quick_first(PASSED_OVER))
def test_what_hudi_skips_no_file_by_is_told(
    typed: hz.ZOrderTable, predicate: str, issue: str, instead: str | None
) -> None:
    report = typed.explain(predicate, audit=True)
    assert report.audit is not None
    assert (report.audit.passed, report.audit.files_with_skipping) == (True, 3)
    assert len(report.kept) < 3
    [fault] = report.audit.faults
    assert (fault.issue, str(fault) in report.notes) == (issue, True)
    if instead is not None:
        found = audit(typed, instead)
        assert (found.passed, found.faults) == (True, ())
        assert found.files_with_skipping < 3


@pytest.mark.slow
def test_a_longer_list_of_dates_is_a_list_to_a_session_that_says_so(
    spark: Any, typed: hz.ZOrderTable
) -> None:
    spark.conf.set("spark.sql.optimizer.inSetConversionThreshold", "12")
    try:
        assert audit(typed, f"day IN ({days(0, 12)})").files_with_skipping == 1
    finally:
        spark.conf.unset("spark.sql.optimizer.inSetConversionThreshold")


@pytest.mark.parametrize(
    "predicate",
    quick_first(
        [
            f"day IN ({days(0, 10)})",
            f"a IN ({', '.join(map(str, range(12)))})",
            f"day IN ({days(0, 12).replace('DATE', '')})",
            f"day NOT IN ({days(0, 12)}) AND a < 100",
            "s LIKE '%v%' AND a < 5",
            "(b AND a < 5) OR a = 250",
        ]
    ),
)
def test_nothing_is_told_of_what_hudi_skips_files_by(typed: hz.ZOrderTable, predicate: str) -> None:
    report = typed.explain(predicate, audit=True)
    assert report.audit is not None
    assert (report.audit.passed, report.audit.faults, report.notes) == (True, (), ())
    assert report.audit.files_with_skipping == len(report.kept) < 3


@pytest.mark.slow
def test_a_comparison_of_bytes_fails_where_no_partition_is_named(
    spark: Any, tmp_path: Path
) -> None:
    table = written(spark, tmp_path / "t", BY_P, **TYPED, p="id DIV 100")
    found = audit(table, "raw = X'76303035'")
    assert (found.passed, found.lost_rows, found.matching_rows) == (False, 0, 1)
    assert "cannot be cast" in found.error
    assert [fault.issue for fault in found.faults] == ["hudi#18810"]
    assert "fails where it compares it" in found.faults[0].cause
    assert audit(table, "raw = X'76303035' AND p = 0").passed
    listed = {**BY_P, "metadata__index__column__stats__column__list": "id,a,p"}
    table = written(spark, tmp_path / "listed", listed, **TYPED, p="id DIV 100")
    found = audit(table, "raw = X'76303035' AND a < 9")
    assert (found.passed, found.files_with_skipping, found.faults) == (True, 1, ())


@pytest.mark.slow
def test_leaving_a_column_out_of_the_statistics_avoids_its_faults(
    spark: Any, tmp_path: Path
) -> None:
    rows = spark.range(300).selectExpr("id", "CASE id WHEN 150 THEN double('NaN') ELSE id END AS d")
    listed = {"metadata__index__column__stats__column__list": "id"}
    path = write(rows.repartitionByRange(3, "id"), tmp_path / "t", **AS_WRITTEN, **listed)
    found = audit(hz.ZOrderTable(spark, path), "d > 10")
    assert (found.passed, found.matching_rows, found.files_with_skipping) == (True, 289, 3)


@pytest.mark.slow
def test_clustering_leaves_a_column_out_of_the_statistics(spark: Any, tmp_path: Path) -> None:
    table = written(spark, tmp_path / "t", d="CASE id WHEN 150 THEN double('NaN') ELSE id END")
    assert not audit(table, "d > 10").passed
    assert table.cluster(columns=["id"], unsafe_statistics="leave-out").notes
    for predicate in ("d > 10", "d > 10 AND id > 10"):
        found = audit(table, predicate)
        assert (found.passed, found.matching_rows) == (True, 289)
    indexed = table.column_stats(["id", "d"], source="index")
    assert indexed["id.bytes"].null_count == 0
    assert indexed["d.bytes"].null_count == indexed.num_rows


def test_what_the_index_makes_of_long_values_contradicts_the_footers(
    tables: Tables,
) -> None:
    with pytest.warns(IndexWarning, match=r"about t in 1 file .*\(hudi#18755\)"):
        found = tables("mixed").column_stats(["t"])
    (unknown,) = (row for row in found.to_pylist() if row["t.unknown"])
    assert (unknown["t.min"], unknown["t.null_count"], unknown["rows"]) == (None, None, 100)


@pytest.mark.slow
def test_clustering_writes_an_added_column_to_every_file(
    spark: Any, tables: Tables, tmp_path: Path
) -> None:
    copy = shutil.copytree(tables("added").path, tmp_path / "t")
    table = hz.ZOrderTable(spark, copy)
    assert table.cluster(columns=["a"], target_file_size="1MB")
    found = audit(table, "c IS NULL AND a >= 0")
    assert (found.passed, found.matching_rows) == (True, 350)


@pytest.mark.slow
def test_files_with_statistics_of_other_columns_are_lost_to_a_query_about_both(
    spark: Any, tmp_path: Path
) -> None:
    rows = "SELECT id, cast(id AS int) a, cast(id AS int) b FROM range({}, {})"
    one = {"metadata__index__column__stats__column__list": "a"}
    table = write(spark.sql(rows.format(0, 100)), tmp_path / "t", **one)
    write(spark.sql(rows.format(100, 200)), table)
    frame = spark.read.format("hudi").load(table)
    assert frame.where("b < 50").count() == frame.where("a < 50").count() == 50
    assert frame.where("a < 50 AND b < 50").count() == 0
    whole = spark.read.format("hudi").option("hoodie.enable.data.skipping", "false").load(table)
    assert whole.where("a < 50 AND b < 50").count() == 50
