"""Every sortable type, and the orders in which the built-in curve is at fault."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from conftest import quick_first
from hudi_tables import base_files, cluster_by_call, fingerprint, ordered_column, read_shares
from hudi_zorder.demo.flights import flights

pytestmark = pytest.mark.usefixtures("without_metadata_table")

WriteHudi = Callable[..., str]
NAN = float("nan")
INF = float("inf")

# Each list ascends; None is null and sorts first.
ASCENDING: dict[str, list[Any]] = {
    "boolean": [None, False, True],
    "smallint": [None, -32768, -1, 0, 1, 32767],
    "int": [None, -(2**31), -1, 0, 1, 2**31 - 1],
    "bigint": [None, -(2**63), -(2**40), -1, 0, 1, 2**40, 2**63 - 1],
    "float": [None, -INF, -1.5, -(2.0**-149), 0.0, 2.0**-149, 1.5, INF, NAN],
    "double": [None, -INF, -2.5, -5e-324, 0.0, 5e-324, 2.5, INF, NAN],
    "decimal(9,2)": [None, *map(Decimal, ["-9.99", "-0.01", "0.00", "0.01", "0.02", "9.99"])],
    "decimal(38,10)": [
        None,
        *map(Decimal, ["-1234567890123456789012345678.5", "-0.0000000001", "0", "0.0000000001"]),
        *map(Decimal, ["0.5", "0.5000000001", "1234567890123456789012345678.5"]),
    ],
    "date": [
        None,
        dt.date(1900, 1, 1),
        dt.date(1969, 12, 31),
        dt.date(1970, 1, 1),
        dt.date(2026, 11, 21),
    ],
    "timestamp": [
        None,
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(1970, 1, 1),
        dt.datetime(2026, 11, 21, 8, 0, 0, 1),
        dt.datetime(2026, 11, 21, 8, 0, 0, 2),
    ],
    "timestamp_ntz": [
        None,
        dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        dt.datetime(2026, 11, 21, 8, 0, 0, 1),
        dt.datetime(2026, 11, 21, 8, 0, 0, 2),
    ],
    "string": [
        None,
        "",
        "a",
        "aa",
        "b",
        "prefix-common-1",
        "prefix-common-2",
        "z",
        "é",
        "你",
        "🙂",
    ],
    "binary": [None, b"", b"\x00", b"\x01", b"\x7f", b"\x80", b"\xff"],
}


def key(values: list[Any], value: Any) -> int:
    """The place of a value in its ascending list."""
    if isinstance(value, float) and math.isnan(value):
        return len(values) - 1
    if isinstance(value, dt.datetime):
        value = value.replace(tzinfo=None)
    return values.index(value)


# The words are the same for every curve: two types stand for all.
SORTS = [
    *[("ZORDER", kind) for kind in ASCENDING],
    *[(strategy, kind) for strategy in ("HILBERT", "LINEAR") for kind in ("double", "string")],
]


@pytest.mark.parametrize(("strategy", "kind"), quick_first(SORTS))
def test_one_column_of_any_type_becomes_a_sort(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, kind: str, strategy: str
) -> None:
    values = ASCENDING[kind]
    rows = [(i, values[i * 7 % len(values)]) for i in range(len(values) * 9)]
    frame = spark.createDataFrame(rows, f"id int, v {kind}").repartition(3)
    path = write_hudi(frame, tmp_path / "t")
    before = fingerprint(spark, path)

    cluster_by_call(spark, path, "v", layout__optimize__strategy=strategy)

    assert fingerprint(spark, path) == before
    [file] = base_files(spark, path)
    places = [key(values, value) for value in ordered_column(file, "v")]
    assert places == sorted(places)


def shares_after(
    spark: SparkSession,
    write_hudi: WriteHudi,
    path: Path,
    columns: dict[str, str],
    rows: int = 16_000,
    **options: str,
) -> tuple[dict[str, float], int]:
    """Writes columns made by SQL expressions of ``id``, clusters by all; shares read, and files."""
    frame = spark.range(rows).selectExpr(
        "id", *[f"{sql} AS {name}" for name, sql in columns.items()]
    )
    written = write_hudi(frame, path)
    before = fingerprint(spark, written)
    size = sum(file.stat().st_size for file in base_files(spark, written))
    options.setdefault("clustering__plan__strategy__target__file__max__bytes", str(size // 16 + 1))
    cluster_by_call(spark, written, ",".join(columns), **options)
    assert fingerprint(spark, written) == before
    return read_shares(spark, written, list(columns)), len(base_files(spark, written))


UNIFORM = "abs(hash(id, {})) % 1000000"
PAIRS = {
    "an int beside a long": {"a": UNIFORM.format(1), "b": f"{UNIFORM.format(2)} + 0L"},
    "0.0 among negatives": {
        "a": f"-1.0D * ({UNIFORM.format(1)} % 5000)",
        "b": f"1.0D * ({UNIFORM.format(2)} - 500000)",
    },
    "NaN": {
        "a": f"IF(id % 5 = 0, double('NaN'), 1.0D * {UNIFORM.format(1)})",
        "b": UNIFORM.format(2),
    },
    "strings of any length": {
        "a": f"cast({UNIFORM.format(1)} as string)",
        "b": f"cast({UNIFORM.format(2)} % 9973 as string)",
    },
    "a prefix of 20 characters": {
        "a": f"concat('https://example.org/', lpad({UNIFORM.format(1)}, 7, '0'))",
        "b": f"concat('https://example.org/', {UNIFORM.format(2)})",
    },
    "decimal fractions": {
        "a": f"cast({UNIFORM.format(1)} / 1000000 as decimal(12,6))",
        "b": f"cast({UNIFORM.format(2)} / 1000000 as decimal(30,6))",
    },
    "timestamps within a millisecond": {
        "a": "timestamp_micros(1700000000000000L + abs(hash(id, 1)) % 1000)",
        "b": UNIFORM.format(2),
    },
    "nulls beside the maximum": {
        "a": f"IF(id % 3 = 0, null, 9223372036854775807L - {UNIFORM.format(1)})",
        "b": UNIFORM.format(2),
    },
    "skew": {
        "a": f"cast(exp(10.0 * ({UNIFORM.format(1)}) / 1000000) * 100 as int)",
        "b": f"cast(pow({UNIFORM.format(2)} / 1000000D, 6) * 1e9 as bigint)",
    },
}


@pytest.mark.parametrize("data", quick_first(PAIRS))
def test_both_columns_skip_near_the_optimum(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, data: str
) -> None:
    shares, files = shares_after(spark, write_hudi, tmp_path / "t", PAIRS[data])

    assert files >= 12
    optimum = files**-0.5
    # A third or a fifth of a column is one value, which no layout can divide.
    bound = 1.45 if data in ("NaN", "nulls beside the maximum") else 1.15
    for column, share in shares.items():
        assert share < bound * optimum, (column, share, optimum)


@pytest.mark.slow
def test_real_flights_skip_on_every_column(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    source = tmp_path / "flights.parquet"
    pq.write_table(flights().slice(0, 60_000), source)
    path = write_hudi(spark.read.parquet(str(source)), tmp_path / "t")
    before = fingerprint(spark, path)
    target = sum(file.stat().st_size for file in base_files(spark, path)) // 25

    cluster_by_call(
        spark,
        path,
        "distance,dep_time",
        clustering__plan__strategy__target__file__max__bytes=str(target),
    )

    assert fingerprint(spark, path) == before
    files = len(base_files(spark, path))
    assert files >= 20
    shares = read_shares(spark, path, ["distance", "dep_time"])
    assert max(shares.values()) < 1.8 * files**-0.5
    assert sum(shares.values()) / 2 < 1.15 * files**-0.5


@pytest.mark.parametrize("strategy", quick_first(["ZORDER", "HILBERT"]))
def test_equal_cuts_stay_within_what_a_curve_can_do(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, strategy: str
) -> None:
    shares, files = shares_after(
        spark,
        write_hudi,
        tmp_path / "t",
        PAIRS["skew"],
        clustering__zorder__cuts="equal",
        layout__optimize__strategy=strategy,
    )

    assert max(shares.values()) < 1.8 * files**-0.5


@pytest.mark.slow
def test_linear_keeps_the_users_column_order(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    columns = {"z": UNIFORM.format(1), "a": UNIFORM.format(2)}
    shares, files = shares_after(
        spark, write_hudi, tmp_path / "t", columns, layout__optimize__strategy="LINEAR"
    )

    assert shares["z"] < 1.2 / files
    assert shares["a"] > 0.9


def test_a_nested_field_is_a_sort_column(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    frame = spark.range(3000).selectExpr(
        "id", f"named_struct('x', {UNIFORM.format(1)}, 'tags', array('a', 'b')) AS place"
    )
    path = write_hudi(frame, tmp_path / "t")
    before = fingerprint(spark, path)

    cluster_by_call(spark, path, "place.x")

    assert fingerprint(spark, path) == before
    [file] = base_files(spark, path)
    found = [place["x"] for place in ordered_column(file, "place")]
    assert found == sorted(found)


@pytest.mark.slow
def test_a_users_column_of_our_helpers_name_is_kept(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    columns = {
        "__hudi_zorder_key": UNIFORM.format(1),
        "__HUDI_ZORDER_TARGET": UNIFORM.format(2),
    }
    shares, files = shares_after(spark, write_hudi, tmp_path / "t", columns)

    assert max(shares.values()) < 1.15 * files**-0.5


@pytest.mark.slow
@pytest.mark.parametrize("value", quick_first(["null", "7"]))
def test_a_column_of_one_value_leaves_the_splits_to_the_other(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, value: str
) -> None:
    columns = {"constant": f"cast({value} as int)", "b": UNIFORM.format(2)}
    frame = spark.range(8000).selectExpr(
        "id", *[f"{sql} AS {name}" for name, sql in columns.items()]
    )
    path = write_hudi(frame, tmp_path / "t")
    before = fingerprint(spark, path)
    target = str(sum(file.stat().st_size for file in base_files(spark, path)) // 8 + 1)

    cluster_by_call(
        spark,
        path,
        "constant,b",
        clustering__plan__strategy__target__file__max__bytes=target,
    )

    assert fingerprint(spark, path) == before
    files = base_files(spark, path)
    assert len(files) == 8
    assert read_shares(spark, path, ["b"])["b"] < 1.3 / 8
