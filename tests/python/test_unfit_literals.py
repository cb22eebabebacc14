"""What is refused as a literal that a column cannot be is what Spark answers with no row at all."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from hudi_zorder.errors import PredicateError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.predicate.literals import STRING, Literal
from hudi_zorder.predicate.tree import EQUAL, Comparison
from hudi_zorder.predicate.unfit_literals import check_literals
from hudi_zorder.skipping.explain import explain
from plain_table import write_plain_table

TYPES = {
    "int": pa.int32(),
    "decimal(9,2)": pa.decimal128(9, 2),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
}
TEXTS = ["abc", "", "1", " 12 ", "+5", "1d", ".5e3", "1e", "Infinity", "nan", "0x1", "1,000", "yes"]
TEXTS += [
    "tRue",
    "on",
    "2026",
    "2026-1",
    "2026-1-2",
    "2026-01-02T",
    "2026-01-02 12:30",
    "2026-13-1",
]
TEXTS += [
    "2026-02-30",
    "2024-02-29",
    "12:30",
    "T12:30",
    "10000-01-01",
    "+2026-01-02",
    "epoch",
    "x1",
]
LITERALS = [*(f"'{text}'" for text in TEXTS), "5", "1.5", "2D", "DATE '2026-01-02'"]


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    found = set()
    for kind, arrow_type in TYPES.items():
        folder = tmp_path_factory.mktemp("t") / "t"
        path = write_plain_table(folder, [pa.table({"v": pa.nulls(1, arrow_type)})])
        snapshot = TableSnapshot.open(path)
        for literal in LITERALS:
            try:
                explain(snapshot, f"v = {literal}")
            except PredicateError:
                found.add((kind, literal))
    return found


@pytest.mark.slow
def test_spark_finds_nothing_by_what_is_refused(
    spark: SparkSession, refused: set[tuple[str, str]]
) -> None:
    useful = []
    for kind, literal in sorted(refused):
        try:
            # A value that is not null makes the comparison true or false, unless the literal is.
            text = f"CAST({1 if kind not in ('date', 'timestamp') else 'current_date'} AS {kind})"
            row = spark.sql(f"SELECT ({text} = {literal}) IS NULL").first()
        except AnalysisException:
            continue
        if row != (True,):
            useful.append((kind, literal))
    assert useful == []


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        *((kind, "'abc'") for kind in TYPES),
        ("int", "DATE '2026-01-02'"),
        ("date", "5"),
        ("timestamp", "2D"),
        ("date", "'2026-02-30'"),
        ("boolean", "'on'"),
    ],
)
def test_what_nothing_can_equal_is_refused(
    refused: set[tuple[str, str]], kind: str, literal: str
) -> None:
    assert (kind, literal) in refused


@pytest.mark.parametrize(
    ("kind", "value", "predicate"),
    [
        ("int", 5, "v IN ('', '5')"),
        ("int", 5, "v IN (5, 'n/a')"),
        ("decimal(9,2)", Decimal(5), "v IN ('', '5.00')"),
        ("double", 5.0, "v IN ('abc', '5.0')"),
        ("date", date(2026, 1, 2), "v IN ('', '2026-01-02')"),
        ("int", 5, "v NOT IN ('abc')"),
        ("int", 5, "NOT v <=> 'abc'"),
        ("date", None, "v <=> 'abc'"),
        ("int", None, "v <=> ''"),
    ],
)
def test_what_is_true_of_rows_beside_an_unfit_literal_is_no_mistake(
    spark: SparkSession, tmp_path: Path, kind: str, value: object, predicate: str
) -> None:
    rows = pa.table({"v": pa.array([value], TYPES[kind])})
    path = write_plain_table(tmp_path / "t", [rows])
    [file] = explain(TableSnapshot.open(path), predicate).files
    assert not file.skipped_by
    frame = spark.createDataFrame([(value,)], f"v {kind}")
    assert frame.where(predicate).count() == 1


def test_a_year_may_have_any_number_of_digits() -> None:
    """Python reads no more than 4,300 of them as a number."""

    def check(day: str) -> None:
        literal = Literal(STRING, f"{'9' * 5000}-{day}")
        check_literals(Comparison("v", EQUAL, literal), pa.date32())

    check("01-02")
    with pytest.raises(PredicateError, match="write a date"):
        check("02-29")


@pytest.mark.parametrize(
    ("text", "skipped"),
    [("2147483647", True), ("2147483648", False), ("-2147483648", True), ("-2147483649", False)],
)
def test_a_text_of_a_number_beyond_the_column_s_type_is_a_null(
    tmp_path: Path, text: str, skipped: bool
) -> None:
    table = pa.table({"v": pa.array([1, None], pa.int32())})
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", [table]))
    [file] = explain(snapshot, f"v <=> '{text}'").files
    assert bool(file.skipped_by) == skipped


@pytest.mark.parametrize(("digits", "skipped"), [(38, True), (39, False)])
def test_a_number_of_more_digits_than_decimals_have_proves_nothing(
    tmp_path: Path, digits: int, skipped: bool
) -> None:
    table = pa.table({"v": pa.array([Decimal(1)], pa.decimal128(9, 0))})
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", [table]))
    [file] = explain(snapshot, f"v > {'9' * digits}").files
    assert bool(file.skipped_by) == skipped
