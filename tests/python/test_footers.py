"""Statistics from footers: types, nulls, NaN, evolved schemas, and the table they come in."""

from __future__ import annotations

import copy
import datetime as dt
import json
import math
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.cli import app
from hudi_zorder.errors import ColumnError, TableError
from hudi_zorder.hudi.committed_schema import committed_kinds
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import cast
from hudi_zorder.skipping.explain import explain
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.stats.stats_table import ColumnValues, columns_of, rows_of, totals, values_of
from plain_table import INSTANT, PENDING, base_file, write_enum_table, write_plain_table

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
    fields = [f"{name}.{field}" for field in ("min", "max", "null_count", "bytes", "unknown")]
    assert stats.column_names == ["partition", "file", "log_files", "rows", "bytes", *fields]
    assert stats.schema.field(f"{name}.min").type == arrow_type
    (row,) = stats.to_pylist()
    partition, file, logs, count, size, *others, of_column, unknown = row.values()
    assert (partition, file, logs, count) == ("", base_file("0"), 0, 3)
    assert others == [low, high, 1]
    assert size > of_column > 0
    assert unknown is None


def test_columns_of_several_types_keep_theirs(tmp_path: Path) -> None:
    rows = pa.table({k: pa.array([low, high], t) for k, (t, low, high) in TYPED.items()})
    stats = stats_of(tmp_path, [rows, rows.slice(0, 1)])
    assert columns_of(stats) == list(TYPED)
    for name, (arrow_type, low, high) in TYPED.items():
        assert stats.schema.field(f"{name}.max").type == arrow_type
        assert stats[f"{name}.min"].to_pylist() == [low, low]
        assert stats[f"{name}.max"].to_pylist() == [high, low]
        assert values_of(stats, name).arrow_type == arrow_type
    assert stats.schema.metadata[b"source"] == b"footers"
    assert stats.equals(stats_of(tmp_path / "again", [rows, rows.slice(0, 1)]))


def test_parquet_duckdb_and_pandas_take_every_type(tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    values = {k: pa.array([low, high, None], t) for k, (t, low, high) in TYPED.items()}
    nested = {"n": [{"a.b": 1}, {"a.b": 2}, None], "nan": [math.nan, 1.0, None]}
    rows = pa.table({**values, **nested})
    stats = stats_of(tmp_path, [rows, rows.slice(0, 1), rows.slice(2)])
    pq.write_table(stats, tmp_path / "stats.parquet")
    written = pq.read_table(tmp_path / "stats.parquet")
    assert written.equals(stats)
    framed = stats.to_pandas(types_mapper=pd.ArrowDtype)
    assert pa.Table.from_pandas(framed, preserve_index=False).equals(stats)
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        for name, (_, low, high) in {**TYPED, "n.a.b": (pa.int64(), 1, 2)}.items():
            asked = f'SELECT "{name}.min", "{name}.max", "{name}.null_count" FROM '
            for source in ("stats", f"'{tmp_path}/stats.parquet'"):
                found = db.sql(f"{asked}{source} ORDER BY file").to_arrow_table().to_pylist()
                assert [tuple(row.values()) for row in found] == [
                    (low, high, 1),
                    (low, low, 0),
                    (None, None, 1),
                ], name
            frame = stats.slice(0, 2).to_pandas()  # by pandas' own types
            assert frame[f"{name}.max"].tolist() == [high, low], name
            assert frame[f"{name}.null_count"].dtype == "int64"
        told = db.sql('SELECT "nan.min", "nan.unknown" FROM stats ORDER BY file').fetchall()
    assert told[0] == (1.0, None)  # Arrow's writer leaves NaN out of the bounds
    assert told[1] == (None, "the file has no statistics of it, or a NaN among the values")
    assert told[2] == (None, None)  # nulls alone are no unknown values


def test_an_enum_is_text_as_spark_reads_it(tmp_path: Path) -> None:
    path = write_enum_table(tmp_path / "t", {"0": "BLUE", "1": "RED"})
    # As Spark's row writer has it.
    pq.write_table(pa.table({"color": ["GREEN"]}), path / base_file("2"))
    found = footer_stats(TableSnapshot.open(path), None)
    assert found["color.min"].to_pylist() == ["BLUE", "RED", "GREEN"]
    assert found["color.max"].to_pylist() == ["BLUE", "RED", "GREEN"]
    report = explain(TableSnapshot.open(path), "color = 'RED'")
    assert [file.skipped_by for file in report.files] == ["file", "", "file"]
    assert report.independent_share == pytest.approx(2 / 3, rel=0.1)  # so rows were read
    assert report.notes == ()


def test_a_type_that_a_schema_has_told_once_is_known_by_its_name() -> None:
    enum = {"type": "enum", "name": "Currency", "namespace": "of.ours", "symbols": ["EUR", "USD"]}
    fields = [
        {"name": "debit", "type": ["null", enum]},
        {"name": "credit", "type": ["null", "of.ours.Currency"]},
        {"name": "other", "type": "Currency"},
        {"name": "number", "type": "int"},
    ]
    schema = json.dumps({"type": "record", "name": "t", "namespace": "of.ours", "fields": fields})
    kinds = {"debit": "enum", "credit": "enum", "other": "enum", "number": "int"}
    assert committed_kinds(schema) == kinds


def test_a_folder_of_an_enum_is_skipped(tmp_path: Path) -> None:
    path = write_enum_table(
        tmp_path / "t",
        {"color=BLUE/0": "BLUE", "color=RED/1": "RED"},
        properties={
            "hoodie.table.partition.fields": "color",
            "hoodie.table.keygenerator.type": "SIMPLE",
            "hoodie.datasource.write.hive_style_partitioning": "true",
        },
    )
    report = explain(TableSnapshot.open(path), "color = 'RED'")
    assert [file.skipped_by for file in report.files] == ["partition", ""]


def test_nested_columns(tmp_path: Path) -> None:
    value = {"a": 1, "b": {"c": "x"}, "l": [1, 2]}
    rows = pa.table({"n": [value, None, {"a": None, "b": None, "l": None}], "m": [1, 2, 3]})
    stats = stats_of(tmp_path, [rows], ["n.b.c", "N.A"])
    assert columns_of(stats) == ["n.b.c", "n.a"]
    (row,) = stats.to_pylist()
    assert (row["n.b.c.min"], row["n.b.c.null_count"]) == ("x", 2)
    assert (row["n.a.min"], row["n.a.null_count"]) == (1, 2)
    everything = footer_stats(TableSnapshot.open(tmp_path / "t"))
    assert columns_of(everything) == ["n.a", "n.b.c", "m"]


def test_columns_that_are_named_like_statistics_keep_theirs(tmp_path: Path) -> None:
    names = ["file", "rows", "x", "x.min", "x.unknown", "X.min.max"]
    rows = pa.table({name: [n] for n, name in enumerate(names)})
    stats = stats_of(tmp_path, [rows])
    assert columns_of(stats) == names
    assert len(set(stats.column_names)) == 5 + 5 * len(names)
    assert [stats[f"{name}.min"][0].as_py() for name in names] == list(range(len(names)))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["idd"], "there is no column 'idd'; did you mean 'id'"),
        (["l"], "'l' has type list"),
        (["n"], "'n' has type struct"),
        (["id", "ID"], "'id' is named twice"),
        (["nanos"], r"'nanos' has type timestamp.*; name a column of another"),
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
    values = values_of(footer_stats(snapshot), "d")
    assert (values.low, values.high) == ([1.0], [1.0])
    (footer,) = snapshot.footers.read([base_file("0")], None).values()
    bounds = footer.bounds("d")
    assert bounds is not None
    assert bounds.may_hold_nan
    alone = stats_of(tmp_path / "alone", [pa.table({"d": [math.nan]})])
    assert values_of(alone, "d").low == [None]


def test_missing_statistics_are_unknown(tmp_path: Path) -> None:
    rows = pa.table({"i": [1, 2], "j": [3, None]})
    stats = stats_of(tmp_path, [rows], write_statistics=["i"])
    (row,) = stats.to_pylist()
    assert (row["i.min"], row["i.null_count"], row["i.unknown"]) == (1, 0, None)
    assert (row["j.min"], row["j.null_count"]) == (None, None)
    assert row["j.unknown"] == "the file has no statistics of it"
    (_, total) = totals(stats)
    assert (total.min, total.null_count, total.rows) == (None, None, 2)


def test_texts_that_a_writer_leaves_out_or_cuts_are_unknown(tmp_path: Path) -> None:
    rows = pa.table({"s": ["a", "b" * 5000]})  # longer than the statistics that Arrow writes
    assert stats_of(tmp_path, [rows]).to_pylist()[0]["s.unknown"] is not None
    values = ColumnValues(pa.string(), [b"a", b"\xe6\xbc"], [b"b", b"\xe6\xbd"], [0, 0], [1, 1])
    values.unknown = [None, None]
    low, high, *_, unknown = values.arrays()
    assert (low.to_pylist(), high.to_pylist()) == (["a", None], ["b", None])
    assert unknown.to_pylist() == [None, "it is cut within a character"]


def evolved(tmp_path: Path, old: pa.Table, new: pa.Table) -> list[dict[str, Any]]:
    """Returns the statistics of two files, the second of which is the newest."""
    path = write_plain_table(tmp_path / "t", [old])
    instant = "20260105000000000"
    pq.write_table(new, path / base_file("1", instant))
    (path / f".hoodie/timeline/{instant}_20260105000001000.commit").touch()
    rows: list[dict[str, Any]] = footer_stats(TableSnapshot.open(path)).to_pylist()
    return rows


def test_a_column_that_came_later_is_unknown_before(tmp_path: Path) -> None:
    old, new = evolved(tmp_path, pa.table({"i": [1, 2]}), pa.table({"i": [3], "added": ["x"]}))
    assert (new["i.min"], new["added.min"]) == (3, "x")
    assert (old["added.min"], old["added.null_count"], old["rows"]) == (None, None, 2)
    assert (old["added.bytes"], old["added.unknown"]) == (0, "the file has no such column")


@pytest.mark.parametrize(
    ("own", "value", "wanted", "found"),
    [
        (pa.int32(), 7, pa.int64(), 7),
        (pa.int64(), 7, pa.int32(), 7),
        (pa.int64(), 2**31, pa.int32(), None),
        (pa.int32(), -7, pa.decimal128(12, 2), Decimal("-7.00")),
        (pa.int64(), 10**9, pa.decimal128(10, 2), None),
        (pa.decimal128(5, 2), Decimal("1.25"), pa.decimal128(12, 4), Decimal("1.2500")),
        (pa.decimal128(5, 2), Decimal("1.25"), pa.decimal128(5, 1), None),
        (pa.int32(), 2**24, pa.float32(), 2.0**24),
        (pa.int64(), 2**53 + 1, pa.float64(), None),
        (pa.float32(), 0.1, pa.float64(), None),  # of which Hudi makes 0.1, by way of its text
        (pa.int32(), 7, pa.string(), None),  # in another order
        (pa.string(), "a", pa.binary(), None),
        (pa.timestamp("us"), dt.datetime(2026, 1, 1), pa.timestamp("us", tz="UTC"), None),
        (pa.binary(2), b"ab", pa.binary(3), None),
    ],
)
def test_bounds_of_another_type_are_cast_where_no_value_is_lost(
    tmp_path: Path, own: pa.DataType, value: Any, wanted: pa.DataType, found: Any
) -> None:
    was, now = (pa.table({"c": pa.array(v, t)}) for v, t in (([value], own), ([None], wanted)))
    old, _ = evolved(tmp_path, was, now)
    assert (old["c.min"], old["c.max"], old["c.null_count"]) == (found, found, 0)
    assert old["c.unknown"] == (None if found is not None else f"it is {own} in the file")


def test_slices_with_log_files_are_reported(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", {"p=1/0": pa.table({"i": [1]})})
    for file_id in ("f0-0", "f1-0"):
        (path / f"p=1/.{file_id}_20260101000000000.log.1_0-0-0").touch()
    log = ".f1-0_20260101000000000.log.1_0-0-0"
    alone, both = footer_stats(TableSnapshot.open(path), ["i"]).to_pylist()
    assert (both["file"], both["log_files"], both["i.min"]) == (base_file("0"), 1, 1)
    assert alone == {
        "partition": "p=1",
        "file": log,
        "log_files": 1,
        "rows": None,
        "bytes": 0,
        "i.min": None,
        "i.max": None,
        "i.null_count": None,
        "i.bytes": None,
        "i.unknown": "there are log files alone",
    }


def test_totals_are_over_files(tmp_path: Path) -> None:
    files = [
        pa.table({"i": [1, None], "s": ["b", "a"], "n": pa.nulls(2, pa.int8())}),
        pa.table({"i": [None, 9], "s": ["", "c"], "n": pa.nulls(2, pa.int8())}),
    ]
    found = totals(stats_of(tmp_path, files))
    assert [(t.column, t.min, t.max, t.null_count, t.rows, t.files) for t in found] == [
        ("i", 1, 9, 2, 4, 2),
        ("s", "", "c", 0, 4, 2),
        ("n", None, None, 4, 4, 2),
    ]


@pytest.mark.parametrize("kind", [pa.timestamp("us", tz="UTC"), pa.timestamp("ms"), pa.date32()])
def test_what_lies_beyond_the_years_of_python_is_a_number(
    tmp_path: Path, kind: pa.DataType
) -> None:
    beyond = 1 << (50 if pa.types.is_timestamp(kind) else 23)
    beyond *= 1000 if kind == pa.timestamp("us", tz="UTC") else 1
    stats = stats_of(tmp_path, [pa.table({"v": pa.array([0, beyond], kind)})])
    (total,), (row,) = totals(stats), rows_of(stats)
    assert list(row) == stats.column_names
    assert (row["v.min"], row["v.max"]) == (total.min, total.max)
    assert total.min.isoformat().startswith("1970-01-01")
    assert total.max == beyond * (1000 if kind == pa.timestamp("ms") else 1)
    told = CliRunner().invoke(app, ["stats", str(tmp_path / "t"), "--output", "json"])
    assert json.loads(told.stdout)["files"][0]["v.max"] == total.max


def test_a_table_without_base_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"there is no base file in '.*'; write rows"):
        stats_of(tmp_path, [])


def test_threads_that_ask_one_table_for_other_columns_get_what_they_ask_for(
    tmp_path: Path,
) -> None:
    names = "abcd"
    files = [pa.table({name: [n, n + 1] for name in names}) for n in range(100)]
    path = write_plain_table(tmp_path / "t", files)
    for _ in range(3):
        explain = hz.open_table(path).explain
        with ThreadPoolExecutor(len(names)) as threads:
            found = threads.map(explain, [f"{name} = 7" for name in names])
        assert [len(one.kept) for one in found] == [2] * len(names)


def test_other_processes_and_copies_answer_as_the_table_does(tmp_path: Path) -> None:
    rows = pa.table({k: pa.array([low, high], t) for k, (t, low, high) in TYPED.items()})
    table = hz.open_table(write_plain_table(tmp_path / "t", [rows, rows]))
    explained = table.explain("long = 7 OR millis < '1960-01-01'")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as processes:
        assert [*processes.map(table.explain, [explained.predicate])] == [explained]
    assert copy.deepcopy(table).explain(explained.predicate) == explained


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"i": [1]})])
    (path / base_file("0")).write_bytes(b"PAR1 no, it is not PAR1")
    with pytest.raises(TableError, match=f"{base_file('0')}' is no readable Parquet file"):
        footer_stats(TableSnapshot.open(path))


@pytest.mark.parametrize("enabled", ["true", "TRUE", "false"])
def test_a_table_of_several_formats_is_not_told_of_in_part(tmp_path: Path, enabled: str) -> None:
    properties = {"hoodie.table.multiple.base.file.formats.enable": enabled}
    rows = pa.table({"i": [1]})
    path = write_plain_table(tmp_path / "t", [rows], properties=properties)
    for number, instant in ((1, INSTANT), (2, PENDING)):
        other = path / base_file(str(number), instant).replace(".parquet", ".orc")
        other.write_bytes(b"ORC")
    snapshot = TableSnapshot.open(path)
    if enabled == "false":  # for Hudi passes them over, too
        assert footer_stats(snapshot).num_rows == 1
        return
    assert [part.path.rpartition(".")[2] for part in snapshot.slices] == ["parquet", "orc"]
    for call in (footer_stats, partial(explain, predicate="i = 1")):
        with pytest.raises(TableError, match=r"\.orc' is of another format than the table"):
            call(snapshot)


@pytest.mark.parametrize(("wanted", "exact"), [(pa.float32(), 1 << 24), (pa.float64(), 1 << 53)])
def test_a_whole_number_is_one_of_floats_as_far_as_these_have_each(
    wanted: pa.DataType, exact: int
) -> None:
    convert = cast(pa.int64(), wanted)
    assert convert is not None
    assert [convert(n) for n in (-exact, exact)] == [-exact, exact]
    assert [convert(n) for n in (-exact - 1, exact + 1)] == [None, None]
