"""Thrift's compact protocol, page indexes and dictionaries, from sound and from damaged bytes."""

from __future__ import annotations

import contextlib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow.fs import LocalFileSystem

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.compact_protocol import CompactReader, Elements, ThriftError
from hudi_zorder.parquet.comparables import from_arrow
from hudi_zorder.parquet.footers import Footer, Footers
from hudi_zorder.parquet.page_index import FileDetails, _decode
from plain_table import write_plain_table

FILES = LocalFileSystem()


def footer_of(file: Path) -> Footer:
    return Footers(FILES, str(file.parent)).read([file.name], None)[file.name]


def details(path: Path, rows: pa.Table, **options: Any) -> tuple[FileDetails, Any]:
    file = path / "x.parquet"
    pq.write_table(rows, file, **options)
    footer = footer_of(file)
    return FileDetails(FILES, str(file), footer.schema), footer.leaves


def test_a_structure_of_every_type() -> None:
    content = bytes([0x11, 0x12, 0x15, 0x03, 0x16, 0x80, 0x01, 0x18, 0x02]) + b"ab"
    content += bytes([0x19, 0x25, 0x02, 0x04, 0x1C, 0x15, 0x06, 0x00, 0x17]) + b"8bytes.."
    content += bytes([0x13, 0x7F, 0x1B, 0x01, 0x58, 0x02, 0x00, 0x00])
    expected = {1: True, 2: False, 3: -2, 4: 64, 5: b"ab", 6: [1, 2], 7: {1: 3}, 8: b"8bytes.."}
    reader = CompactReader(content)
    assert reader.struct() == {**expected, 9: 0x7F, 10: None}
    assert reader.position == len(content)
    assert CompactReader(content).struct({6: None, 7: {}}) == {1: True, 2: False, 6: [1, 2], 7: {}}
    some = {6: Elements({1}, None)}
    assert CompactReader(content).struct(some, last=6) == {1: True, 2: False, 6: {1: 2}}
    with pytest.raises(ThriftError, match="in the place of a list"):
        CompactReader(content).struct({7: Elements({0}, None)})


def test_a_structure_is_passed_over_to_its_end() -> None:
    fields = bytes([0x11, 0x12, 0x15, 0x03, 0x16, 0x80, 0x01, 0x18, 0x02]) + b"ab"
    fields += bytes([0x05, 0x10, 0x7F, 0x08, 0x12, 0x80, 0x01]) + b"c" * 128  # numbers written out
    fields += bytes([0x13, 0x7F, 0x17]) + b"8bytes.." + bytes([0x19, 0x2C, 0x15, 0x02, 0x00, 0x00])
    content = bytes([0x1C]) + fields + bytes([0x00, 0x15, 0x06, 0x00])
    reader = CompactReader(content)
    assert reader.struct({2: None}) == {2: 3}
    assert reader.position == len(content)
    assert set(CompactReader(content).struct()[1]) == {1, 2, 3, 4, 5, 8, 9, 10, 11, 12}
    for end in range(len(content)):
        with pytest.raises(ThriftError):
            CompactReader(content[:end]).struct({2: None})


class Counting(FileDetails):
    """Counts the bytes that are read."""

    taken = 0

    def _read(self, start: int, size: int) -> bytes:
        self.taken += size
        return super()._read(start, size)


def test_the_bloom_filter_behind_the_row_groups_is_not_read(tmp_path: Path) -> None:
    file, rows = tmp_path / "x.parquet", pa.table({"i": [1, 2, 3]})
    with pq.ParquetWriter(file, rows.schema, write_page_index=True) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({"org.apache.hudi.bloomfilter": "/" * 400_000})
    footer = footer_of(file)
    with Counting(FILES, str(file), footer.schema, footer.leaves.values()) as found:
        (page,) = found.pages(0, footer.leaves["i"]) or ()
    assert (page.bounds.low, page.bounds.high) == (1, 3)
    assert found.taken < 150_000


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x15",
        b"\x18\x05ab",
        b"\x19\xf5\xff\xff\xff\x0f",
        b"\x1c" * 40,
        b"\x19\x1c" * 40,
        b"\x15" + b"\xff" * 12,
        b"\x1e\x00",
        b"\x19\x99" * 60,
    ],
)
def test_damaged_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(ThriftError):
        CompactReader(content).struct()
    with pytest.raises(ThriftError):
        CompactReader(content).struct({})


@given(st.binary(max_size=80))
@settings(max_examples=300)
def test_random_bytes_end_or_are_refused(content: bytes) -> None:
    with contextlib.suppress(ThriftError):
        CompactReader(content).struct()


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_and_dictionaries(tmp_path: Path, compression: str, version: str) -> None:
    rows = pa.table(
        {
            "i": [n // 10 for n in range(100)],
            "s": [None if n < 10 else f"é{n % 3}" for n in range(100)],
        }
    )
    found, leaves = details(
        tmp_path,
        rows,
        compression=compression,
        data_page_version=version,
        write_page_index=True,
        data_page_size=1,
        write_batch_size=10,
        row_group_size=50,
    )
    with found:
        pages = found.pages(1, leaves["i"])
        assert pages is not None
        assert [(p.first_row, p.bounds.low, p.bounds.high) for p in pages] == [
            (10 * n, 5 + n, 5 + n) for n in range(5)
        ]
        assert found.dictionary(1, leaves["i"]) == [5, 6, 7, 8, 9]
        texts = found.pages(0, leaves["s"])
        assert texts is not None
        assert texts[0].bounds.all_null
        assert (texts[1].bounds.low, texts[1].bounds.null_count) == ("é0".encode(), 0)
        assert sorted(found.dictionary(0, leaves["s"]) or ()) == [
            f"é{n}".encode() for n in range(3)
        ]
        sizes = found.page_sizes(0, leaves["s"])
        assert sizes is not None
        assert [first for first, _ in sizes] == [0, 10, 20, 30, 40]


@pytest.mark.parametrize(
    "arrow_type",
    [
        pa.int32(),
        pa.float32(),
        pa.float64(),
        pa.decimal128(20, 3),
        pa.decimal128(7, 2),
        pa.date32(),
        pa.binary(3),
    ],
)
def test_dictionaries_of_other_types(tmp_path: Path, arrow_type: pa.DataType) -> None:
    if pa.types.is_fixed_size_binary(arrow_type) and not pa.types.is_decimal(arrow_type):
        values = pa.array([b"abc", b"def", None, b"abc"], arrow_type)
    elif pa.types.is_decimal(arrow_type):
        values = pa.array([Decimal(1), Decimal("-2.5"), None, Decimal(1)], arrow_type)
    else:
        values = pa.array([1, -2, None, 1], pa.int32()).cast(arrow_type)
    found, leaves = details(tmp_path, pa.table({"v": values}))
    with found:
        assert found.dictionary(0, leaves["v"]) == from_arrow(values.unique().drop_null())


def test_a_chunk_that_fell_back_to_plain_values_has_no_dictionary(tmp_path: Path) -> None:
    rows = pa.table({"i": list(range(5000))})
    for version in ("1.0", "2.0"):
        found, leaves = details(
            tmp_path,
            rows,
            dictionary_pagesize_limit=100,
            write_batch_size=10,
            data_page_version=version,
        )
        with found:
            assert found.dictionary(0, leaves["i"]) is None


@pytest.mark.parametrize(
    ("version", "limit", "known"),
    [("1.0", 1 << 20, True), ("1.0", 100, False), ("2.6", 1 << 20, False), ("2.6", 100, False)],
)
def test_without_counts_by_page_encodings_tell_what_they_can(
    tmp_path: Path, version: str, limit: int, known: bool
) -> None:
    """As in files of older writers. One encoding of a dictionary is that of plain values, too."""
    rows = pa.table({"i": list(range(1000)) * 3})
    found, leaves = details(
        tmp_path, rows, version=version, dictionary_pagesize_limit=limit, write_batch_size=10
    )
    with found:
        del found._row_groups[0][1][leaves["i"].index][3][13]
        assert found.dictionary(0, leaves["i"]) == (list(range(1000)) if known else None)


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_dictionaries_beside_pages_of_either_version(
    spark: Any, tmp_path: Path, version: str
) -> None:
    """As Spark writes them, which names the version of pages; pyarrow calls all of them first."""
    rows = spark.range(0, 5000, 1, 1).selectExpr("id % 7 AS i")
    rows.write.option("parquet.writer.version", version).parquet(str(tmp_path / "t"))
    [file] = (tmp_path / "t").glob("*.parquet")
    footer = footer_of(file)
    with FileDetails(FILES, str(file), footer.schema) as found:
        kinds = {page[1] for page in found._row_groups[0][1][0][3][13]} - {2}
        assert kinds == ({0} if version == "v1" else {3})
        assert found.dictionary(0, footer.leaves["i"]) == list(range(7))


def test_without_indexes_nothing_is_known(tmp_path: Path) -> None:
    found, leaves = details(tmp_path, pa.table({"i": [1]}), use_dictionary=False)
    with found:
        assert found.pages(0, leaves["i"]) is None
        assert found.page_sizes(0, leaves["i"]) is None
        assert found.dictionary(0, leaves["i"]) is None
        assert found.pages(7, leaves["i"]) is None


def test_no_damage_to_a_file_s_pages_ends_in_an_untyped_error(tmp_path: Path) -> None:
    rows = pa.table({"i": [1, 2, 3, 4], "s": ["a", "b", "c", "d"]})
    options = {"write_page_index": True, "data_page_size": 1, "write_batch_size": 2}
    sound, leaves = details(tmp_path, rows, **options)
    sound.__exit__()
    file = tmp_path / "x.parquet"
    content = bytearray(file.read_bytes())
    schema = footer_of(file).schema
    for position in range(4, len(content), 3):
        damaged = bytearray(content)
        damaged[position] ^= 0x55
        file.write_bytes(damaged)
        with contextlib.suppress(ThriftError), FileDetails(FILES, str(file), schema) as found:
            for leaf in leaves.values():
                found.pages(0, leaf)
                found.dictionary(0, leaf)
                found.page_sizes(0, leaf)


def test_a_number_that_is_cut_short_is_no_bound(tmp_path: Path) -> None:
    rows = pa.table({"m": pa.array([Decimal("1.00")], pa.decimal128(30, 2))})
    leaf = TableSnapshot.open(write_plain_table(tmp_path / "t", [rows])).schema.leaves["m"]
    whole = (100).to_bytes(leaf.byte_length, "big")
    assert _decode(whole, leaf) == 100
    assert _decode(whole[:-1], leaf) is None
