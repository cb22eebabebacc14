"""How far statistics are trusted, by the program that wrote them."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from hudi_zorder.parquet.writer_traits import WriterTraits


def writer(created_by: str | None, **entries: str) -> WriterTraits:
    metadata = {f"org.apache.spark.{key}".encode(): text.encode() for key, text in entries.items()}
    return WriterTraits.of(SimpleNamespace(created_by=created_by, metadata=metadata or None))


@pytest.mark.parametrize(
    ("created_by", "nan_shows", "orders_bytes"),
    [
        ("parquet-mr version 1.13.1 (build db4183109d5b734ec5930d870cdae161e408ddba)", True, True),
        ("parquet-mr version 1.10.0 (build x)", True, True),
        ("parquet-mr version 1.15.2", True, True),
        ("parquet-mr version 1.16.0", False, True),
        ("parquet-mr version 2.0.0", False, True),
        ("parquet-mr version 1.8.1 (build x)", False, False),
        ("parquet-cpp-arrow version 26.0.1", False, True),
        ("impala version 4.0", False, True),
        ("", False, True),
        (None, False, True),
    ],
)
def test_writers(created_by: str | None, nan_shows: bool, orders_bytes: bool) -> None:
    found = writer(created_by)
    assert (found.nan_shows_in_bounds, found.orders_bytes) == (nan_shows, orders_bytes)
    assert found.trusts_bounds("INT64")
    assert found.trusts_bounds("FIXED_LEN_BYTE_ARRAY") == orders_bytes


@pytest.mark.parametrize(
    ("entries", "certain"),
    [
        ({"version": "3.5.9"}, True),
        ({"version": "4.0.0"}, True),
        ({"version": "2.4.8"}, False),
        ({"version": "3.0.0", "legacyDateTime": ""}, False),
        ({"version": "x"}, False),
        ({}, False),
    ],
)
def test_calendars(entries: dict[str, str], certain: bool) -> None:
    found = writer("parquet-mr version 1.13.1", **entries)
    assert found.calendar_is_certain == certain
    assert (found.certain_from(pa.date32()) is None) == certain
    assert (found.certain_from(pa.timestamp("us")) is None) == certain
    assert found.certain_from(pa.int64()) is None
