"""Statistics from footers: types, nulls, NaN, evolved schemas, and the table they come in."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder.errors import ColumnError, TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.stats.stats_table import aggregate, rows_of
from plain_table import base_file, write_plain_table

UTC = dt.timezone.utc
TYPED: dict[str, tuple[pa.DataType, Any, Any]] = {
    "boolean": (pa.bool_(), False, True),
    "byte": (pa.int8(), -128, 127),
    "short": (pa.int16(), -5, 300),
    "int": (pa.int32(), -(2**31), 2**31 - 1),
    "long": (pa.int64(), -(2**63), 2**63 - 1),
    "float": (pa.float32(), -1.5, 2.25),
    "double": (pa.float64(), -math.inf, 5e-324),
    "decimal": (pa.decimal128(7, 2), Decimal("-12345.67"), Decimal("0.05")),
    "wide": (pa.decimal128(38, 10), Decimal("-" + "9" * 28 + ".0123456789"), Decimal("1E-10")),
    "date": (pa.date32(), dt.date(1815, 12, 10), dt.date(2026, 11, 21)),
    "timestamp": (
        pa.timestamp("us", tz="UTC"),
        dt.datetime(1900, 1, 1, tzinfo=UTC),
        dt.datetime(2026, 1, 1, 0, 0, 0, 1, tzinfo=UTC),
    ),
    "millis": (pa.timestamp("ms"), dt.datetime(1969, 12, 31), dt.datetime(1970, 1, 1, 0, 0, 1)),
    "string": (pa.string(), "a", "漢😀"),
    "binary": (pa.binary(), b"\x00", b"\xff\x00"),
}


def stats_of(
    path: Path, files: Sequence[pa.Table], columns: Sequence[str] | None = None, **options: Any
) -> pa.Table:
    return footer_stats(
        TableSnapshot.open(write_plain_table(path / "t", files, **options)), columns
    )


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("row_group_size", [1, 10])
def test_one_column_has_its_own_type(tmp_path: Path, name: str, row_group_size: int) -> None:
    arrow_type, low, high = TYPED[name]
    rows = pa.table({name: pa.array([high, None, low], arrow_type)})
    stats = stats_of(tmp_path, [rows], [name], row_group_size=row_group_size)
    assert stats.column_names == [
        "file",
        "partition",
        "column",
        "min",
        "max",
        "null_count",
        "rows",
        "bytes",
    ]
    assert stats.schema.field("min").type == arrow_type
    (row,) = stats.to_pylist()
    assert (row["min"], row["max"], row["null_count"], row["rows"]) == (low, high, 1, 3)
    assert row["bytes"] > 0
    assert (row["file"], row["partition"], row["column"]) == (base_file("0"), "", name)


def test_columns_of_several_types_keep_theirs(tmp_path: Path) -> None:
    rows = pa.table({k: pa.array([low, high], t) for k, (t, low, high) in TYPED.items()})
    stats = stats_of(tmp_path, [rows, rows.slice(0, 1)])
    found = {(r["file"], r["column"]): (r["min"], r["max"]) for r in stats.to_pylist()}
    assert found == {
        (base_file(str(file)), name): (low, (high, low)[file])
        for file in (0, 1)
        for name, (_, low, high) in TYPED.items()
    }
    frame = stats.to_pandas()
    assert frame["max"].tolist() == stats["max"].to_pylist()
    assert json.loads(stats.schema.metadata[b"files_with_logs"]) == []
    assert stats.schema.metadata[b"source"] == b"footers"


def test_rows_survive_the_way_through_the_table(tmp_path: Path) -> None:
    rows = pa.table({k: pa.array([low, None], t) for k, (t, low, _) in TYPED.items()})
    stats = stats_of(tmp_path, [rows])
    types: dict[str, pa.DataType] = {}
    parsed = rows_of(stats, types)
    assert types == {name: arrow_type for name, (arrow_type, _, _) in TYPED.items()}
    assert [row.column for row in parsed] == list(TYPED)
    filtered = stats.take([2, 0])
    assert [row.column for row in rows_of(filtered)] == ["short", "boolean"]
    assert stats.equals(stats_of(tmp_path / "again", [rows]))


def test_nested_columns(tmp_path: Path) -> None:
    value = {"a": 1, "b": {"c": "x"}, "l": [1, 2]}
    rows = pa.table({"n": [value, None, {"a": None, "b": None, "l": None}], "m": [1, 2, 3]})
    stats = stats_of(tmp_path, [rows], ["n.b.c", "N.A"])
    assert [(r["column"], r["min"], r["null_count"]) for r in stats.to_pylist()] == [
        ("n.b.c", "x", 2),
        ("n.a", 1, 2),
    ]
    everything = footer_stats(TableSnapshot.open(tmp_path / "t"))
    assert everything["column"].to_pylist() == ["n.a", "n.b.c", "m"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["idd"], "there is no column 'idd'; did you mean 'id'"),
        (["l"], "'l' has type list"),
        (["n"], "'n' has type struct"),
        (["id", "ID"], "'id' is named twice"),
        (["nanos"], "'nanos' has type timestamp"),
    ],
)
def test_columns_without_statistics_are_refused(
    tmp_path: Path, columns: list[str], message: str
) -> None:
    nanos = pa.array([1], pa.timestamp("ns"))
    rows = pa.table({"id": [1], "l": [[1]], "n": [{"a": 1}], "nanos": nanos})
    with pytest.raises(ColumnError, match=message):
        stats_of(tmp_path, [rows], columns, version="2.6")


def test_a_nan_makes_bounds_unknown_or_is_left_out(tmp_path: Path) -> None:
    """Arrow's writer leaves NaN out of the bounds, which then do not bound it."""
    snapshot = TableSnapshot.open(
        write_plain_table(tmp_path / "t", [pa.table({"d": [1.0, math.nan]})])
    )
    (row,) = rows_of(footer_stats(snapshot))
    assert (row.min, row.max) == (1.0, 1.0)
    (footer,) = snapshot.footers.read([base_file("0")], None).values()
    bounds = footer.bounds("d")
    assert bounds is not None
    assert bounds.may_hold_nan
    alone = stats_of(tmp_path / "alone", [pa.table({"d": [math.nan]})])
    assert rows_of(alone)[0].min is None


def test_missing_statistics_are_unknown(tmp_path: Path) -> None:
    rows = pa.table({"i": [1, 2], "j": [3, None]})
    stats = stats_of(tmp_path, [rows], write_statistics=["i"])
    assert [(r["min"], r["null_count"]) for r in stats.to_pylist()] == [(1, 0), (None, None)]
    (_, total) = aggregate(stats).to_pylist()
    assert (total["min"], total["null_count"], total["rows"]) == (None, None, 2)


def test_columns_that_came_or_changed_later(tmp_path: Path) -> None:
    old = pa.table({"i": pa.array([1, 2], pa.int32())})
    new = pa.table({"i": pa.array([3], pa.int64()), "added": ["x"]})
    path = write_plain_table(tmp_path / "t", [old])
    later = write_plain_table(tmp_path / "later", [new])
    instant = "20260105000000000"
    name = base_file("1", instant)
    (later / base_file("0")).rename(path / name)
    (path / f".hoodie/timeline/{instant}_20260105000001000.commit").touch()
    rows = {(r.file, r.column): r for r in rows_of(footer_stats(TableSnapshot.open(path)))}
    assert rows[name, "i"].min == 3
    assert rows[name, "added"].min == b"x"
    before = rows[base_file("0"), "i"]
    assert (before.min, before.null_count, before.rows) == (None, 0, 2)  # of another type
    missing = rows[base_file("0"), "added"]
    assert (missing.min, missing.null_count, missing.rows, missing.bytes) == (None, None, 2, 0)


def test_slices_with_log_files_are_reported(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", {"p=1/0": pa.table({"i": [1]})})
    for file_id in ("f0-0", "f1-0"):
        (path / f"p=1/.{file_id}_20260101000000000.log.1_0-0-0").touch()
    stats = footer_stats(TableSnapshot.open(path), ["i"])
    log = ".f1-0_20260101000000000.log.1_0-0-0"
    assert json.loads(stats.schema.metadata[b"files_with_logs"]) == [log, base_file("0")]
    by_file = {row["file"]: row for row in stats.to_pylist()}
    assert by_file[base_file("0")]["min"] == 1
    assert by_file[log] == {
        "file": log,
        "partition": "p=1",
        "column": "i",
        "min": None,
        "max": None,
        "null_count": None,
        "rows": None,
        "bytes": None,
    }


def test_aggregate_sums_over_files(tmp_path: Path) -> None:
    files = [
        pa.table({"i": [1, None], "s": ["b", "a"]}),
        pa.table({"i": [None, 9], "s": ["", "c"]}),
    ]
    total = aggregate(stats_of(tmp_path, files)).to_pylist()
    assert [
        (t["column"], t["min"], t["max"], t["null_count"], t["rows"], t["files"]) for t in total
    ] == [("i", 1, 9, 2, 4, 2), ("s", "", "c", 0, 4, 2)]


def test_a_table_without_base_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"there is no base file in '.*'; write rows"):
        stats_of(tmp_path, [])


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"i": [1]})])
    (path / base_file("0")).write_bytes(b"PAR1 no, it is not PAR1")
    with pytest.raises(TableError, match=f"{base_file('0')}' is no readable Parquet file"):
        footer_stats(TableSnapshot.open(path))
