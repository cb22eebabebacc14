"""No skipped file, row group or page holds a matching row: random data, random predicates.

The oracle is DuckDB's full scan of the same rows in memory: like Spark it has three-valued logic,
takes NaN for equal to itself and greater than all else, and -0.0 for equal to 0.0.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import re
import tempfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import base_file, write_plain_table

UTC = dt.timezone.utc
EPOCH = dt.datetime(2020, 1, 1)
TYPES = {
    "i": pa.int32(),
    "l": pa.int64(),
    "d": pa.float64(),
    "f": pa.float32(),
    "m": pa.decimal128(9, 2),
    "w": pa.decimal128(38, 10),
    "s": pa.string(),
    "x": pa.binary(),
    "b": pa.bool_(),
    "y": pa.date32(),
    "t": pa.timestamp("us", tz="UTC"),
    "u": pa.timestamp("us"),
    "n": pa.struct([("a", pa.int32())]),
}
SCHEMA = pa.schema(list(TYPES.items()))
TEXTS = st.text("ab%_ é漢😀\u0001", max_size=3)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "i": st.integers(-4, 4) | st.sampled_from([-(2**31), 2**31 - 1]),
    "l": st.integers(-4, 4) | st.sampled_from([-(2**63), 2**63 - 1, 2**53, 2**53 + 1]),
    "d": st.integers(-3, 3).map(float)
    | st.sampled_from([-0.0, 0.5, math.nan, math.inf, -math.inf, 5e-324]),
    "f": st.integers(-3, 3).map(float) | st.sampled_from([-0.0, 0.5, math.nan, math.inf]),
    "m": st.integers(-6, 6).map(lambda n: Decimal(n * 25).scaleb(-2)),
    "w": st.integers(-3, 3).map(lambda n: Decimal(n * 10**25 + n).scaleb(-10)),
    "s": TEXTS | st.integers(0, 3).map(lambda n: "a" * 70 + str(n)),
    "x": st.binary(max_size=2),
    "b": st.booleans(),
    "y": st.integers(-3, 3).map(lambda n: EPOCH.date() + dt.timedelta(days=n)),
    "t": st.integers(-3, 3).map(lambda n: (EPOCH + dt.timedelta(hours=n)).replace(tzinfo=UTC)),
    "u": st.integers(-3, 3).map(lambda n: EPOCH + dt.timedelta(hours=n, microseconds=n)),
}


def sql(name: str, value: Any) -> str:
    """Returns a value as a literal that Spark and DuckDB read alike."""
    if name in ("d", "f"):
        number = repr(value)
        return f"{number}e0" if re.fullmatch(r"-?[0-9.]+", number) else f"CAST('{value}' AS DOUBLE)"
    if name == "x":
        return f"X'{value.hex()}'"
    if name == "y":
        return f"DATE '{value}'"
    if name == "t":
        return f"TIMESTAMP '{value:%Y-%m-%d %H:%M:%S.%f}+00:00'"
    if name == "u":
        return f"TIMESTAMP_NTZ '{value:%Y-%m-%d %H:%M:%S.%f}'"
    if name == "s":
        return "'" + value + "'"
    return str(value)


def summed(name: str, value: Any) -> str:
    """Returns a value as a literal, or as a sum that comes to it."""
    small = isinstance(value, int | Decimal) and not isinstance(value, bool) and abs(value) < 1000
    if name in ("i", "l", "m") and small:
        return f"({sql(name, value - 3)} + 1 * 3)"
    if name == "y":
        return f"({sql(name, value - dt.timedelta(days=40))} + 41 - 1)"
    return sql(name, value)


@st.composite
def leaf(draw: st.DrawFn, names: Sequence[str]) -> str:
    name = draw(st.sampled_from(names))
    domain = "i" if name == "n.a" else name
    spelled = draw(st.sampled_from([sql, sql, summed]))
    literal = VALUES[domain].map(lambda value: spelled(domain, value)) | st.just("NULL")
    kind = draw(st.sampled_from(["compare", "compare", "in", "between", "null", "like", "bare"]))
    if kind == "like" and name == "s":
        negation = draw(st.sampled_from(["", "NOT "]))
        return f"s {negation}LIKE '{draw(TEXTS)}{draw(st.sampled_from(['', '%']))}'"
    if kind == "bare" and name == "b":
        return "b"
    if kind == "null":
        return f"{name} IS {draw(st.sampled_from(['', 'NOT ']))}NULL"
    negation = draw(st.sampled_from(["", "NOT "]))
    if kind == "in":
        return f"{name} {negation}IN ({', '.join(draw(st.lists(literal, min_size=1, max_size=3)))})"
    if kind == "between":
        return f"{name} {negation}BETWEEN {draw(literal)} AND {draw(literal)}"
    operator = draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "<=>"]))
    return f"{name} {operator} {draw(literal)}"


def predicates_on(names: Sequence[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        leaf(names),
        lambda inner: st.one_of(
            inner.map(lambda p: f"NOT ({p})"),
            st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(
                lambda t: f"({t[0]} {t[1]} {t[2]})"
            ),
        ),
        max_leaves=4,
    )


PREDICATES = predicates_on([*VALUES, "n.a"])


@st.composite
def files(draw: st.DrawFn) -> list[pa.Table]:
    """Draws files of rows; some sorted, some of few distinct values, some with no null."""
    tables = []
    for _ in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 24))
        columns: dict[str, list[Any]] = {}
        for name in [*VALUES, "n"]:
            domain = VALUES["i" if name == "n" else name]
            pool = draw(st.lists(domain, min_size=1, max_size=draw(st.sampled_from([1, 2, 8]))))
            if draw(st.booleans()):
                pool = [*pool, None]
            values = draw(st.lists(st.sampled_from(pool), min_size=size, max_size=size))
            if name == "n":
                values = [None if v == 0 else {"a": v} for v in values]
            elif draw(st.booleans()):
                values.sort(key=lambda v: (v is None, v) if v is not None else (True, ""))
            columns[name] = values
        tables.append(pa.table(columns, schema=SCHEMA))
    return tables


@st.composite
def writer_options(draw: st.DrawFn) -> dict[str, Any]:
    pages = draw(st.booleans())
    return {
        "row_group_size": draw(st.sampled_from([3, 10, 1000])),
        "use_dictionary": draw(st.booleans()),
        "write_page_index": pages,
        "data_page_size": 1 if pages else None,
        "write_batch_size": draw(st.sampled_from([1, 2, 5])),
        "data_page_version": draw(st.sampled_from(["1.0", "2.0"])),
        "compression": draw(st.sampled_from(["snappy", "zstd", "none"])),
        "store_decimal_as_integer": draw(st.booleans()),
        "write_statistics": draw(st.sampled_from([True, True, True, False, ["i", "s"]])),
    }


def matching_rows(tables: list[pa.Table], predicates: list[str]) -> list[list[tuple[int, int]]]:
    """Returns number of the file and position of every row for which a predicate is true."""
    rows = pa.concat_tables(
        table.append_column("file", pa.array([number] * len(table))).append_column(
            "row", pa.array(range(len(table)))
        )
        for number, table in enumerate(tables)
    )
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        # Its own table: an Arrow table is scanned with fewer operators than SQL has.
        connection.register("arrow_rows", rows)
        connection.execute("CREATE TABLE rows AS SELECT * FROM arrow_rows")
        return [
            connection.sql(f"SELECT file, row FROM rows WHERE {translated(p)}").fetchall()
            for p in predicates
        ]


def translated(predicate: str) -> str:
    """Returns the predicate in DuckDB's spelling."""
    for pattern, spelling in (
        ("<=>", "IS NOT DISTINCT FROM"),
        (r"TIMESTAMP(?!_NTZ)", "TIMESTAMPTZ"),
        ("TIMESTAMP_NTZ", "TIMESTAMP"),
        (r"X('[0-9a-f]*')", r"from_hex(\1)"),
    ):
        predicate = re.sub(pattern, spelling, predicate)
    return predicate


@pytest.mark.slow
@given(files(), writer_options(), st.lists(PREDICATES, min_size=8, max_size=8))
@settings(
    max_examples=int(os.environ.get("SOUND_EXAMPLES", "150")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_no_skipped_page_holds_a_matching_row(
    tables: list[pa.Table], options: dict[str, Any], predicates: list[str]
) -> None:
    expected = matching_rows(tables, predicates)
    with tempfile.TemporaryDirectory() as folder:
        path = write_plain_table(Path(folder) / "t", tables, **options)
        snapshot = TableSnapshot.open(path)
        for predicate, rows in zip(predicates, expected, strict=True):
            report = explain(snapshot, predicate)
            kept = {file.file: file.kept_rows for file in report.files}
            for number, row in rows:
                ranges = kept[base_file(str(number))]
                assert any(low <= row < high for low, high in ranges), (
                    f"{predicate} is true of row {row} of file {number}, which is skipped:\n"
                    f"{tables[number].slice(row, 1).to_pylist()}\n{report}"
                )
