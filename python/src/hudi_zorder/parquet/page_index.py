"""Statistics of pages, dictionaries and encodings: what a Parquet file says below row groups.

pyarrow tells whether a file has page indexes, but not what they say, so that the file's footer is
read a second time, with ``hudi_zorder.parquet.compact_protocol``; field numbers are those of
``parquet.thrift`` of the Parquet format, version 2.10. Everything here is an addition to the
footer's statistics: whatever is missing, damaged or contradicts the footer is None, and skips
nothing.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.compact_protocol import (
    CompactReader,
    Elements,
    Struct,
    ThriftError,
    Wanted,
)
from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.parquet.file_metadata import TAIL, footer_length
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_FIRST_READ = 64 * 1024  # most footers fit, and one request is cheaper than two
# Of the footer: of each row group (4) its rows (3), and of each column chunk (1) where its page
# indexes lie (4 to 7) and, of its metadata (3), encodings (2), codec (4), first data page (9),
# dictionary page (11) and the encodings' page counts (13).
_METADATA = {2: None, 4: None, 9: None, 11: None, 13: None}
_CHUNK = {3: _METADATA, 4: None, 5: None, 6: None, 7: None}
_ROW_GROUPS = 4
_DATA_PAGES = (0, 3)  # DATA_PAGE, DATA_PAGE_V2
_PLAIN, _PLAIN_DICTIONARY, _RLE, _BIT_PACKED, _RLE_DICTIONARY = 0, 2, 3, 4, 8
_CODECS = {0: None, 1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}
_LARGEST_DICTIONARY = 64 << 20  # bytes; writers stop at 1 MB
# What a structure of another shape than the format's leads to.
_DAMAGED = (LookupError, TypeError, AttributeError, ValueError, OSError, struct.error)
_FIXED = {"INT32": "<i", "INT64": "<q", "FLOAT": "<f", "DOUBLE": "<d"}


@dataclass(frozen=True, slots=True)
class Page:
    """One data page.

    Attributes:
        first_row: its first row within the row group.
        bounds: its statistics; the rows in it are counted.
        compressed: its bytes in the file.
    """

    first_row: int
    bounds: Bounds
    compressed: int


class FileDetails:
    """Reads pages and dictionaries of one base file.

    Args:
        filesystem: where the file lies.
        path: the file in it.
        schema: its columns, from its footer.
        leaves: those of the columns that will be asked for; None for all.

    Raises:
        ThriftError: when the footer cannot be read this way.
        OSError: when the file cannot be read.
    """

    def __init__(
        self,
        filesystem: FileSystem,
        path: str,
        schema: FileSchema,
        leaves: Iterable[ColumnSchema] | None = None,
    ) -> None:
        self._schema = schema
        self._file = filesystem.open_input_file(path)
        asked = schema.leaves.values() if leaves is None else leaves
        chunks = Elements({leaf.index for leaf in asked}, _CHUNK)
        self._row_groups = self._read_row_groups({_ROW_GROUPS: {1: chunks, 3: None}})

    def __enter__(self) -> FileDetails:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def pages(self, row_group: int, leaf: ColumnSchema) -> list[Page] | None:
        """Returns the pages of a column chunk in order; None when it has no usable page index."""
        try:
            chunk = self._row_groups[row_group][1][leaf.index]
            column = CompactReader(self._read(chunk[6], chunk[7])).struct()
            offsets = CompactReader(self._read(chunk[4], chunk[5])).struct()
            return self._pages(leaf, self._row_groups[row_group][3], column, offsets[1])
        except _DAMAGED:
            return None

    def page_sizes(self, row_group: int, leaf: ColumnSchema) -> list[tuple[int, int]] | None:
        """Returns first row and compressed bytes of a chunk's pages; None when unknown."""
        try:
            chunk = self._row_groups[row_group][1][leaf.index]
            offsets = CompactReader(self._read(chunk[4], chunk[5])).struct()
            return [(place[3], place[2]) for place in offsets[1]]
        except _DAMAGED:
            return None

    def dictionary(self, row_group: int, leaf: ColumnSchema) -> list[Comparable] | None:
        """Returns every value but null that a chunk can hold.

        None when the chunk is not wholly dictionary-encoded, or its dictionary cannot be read.
        """
        import pyarrow as pa

        try:
            chunk = self._row_groups[row_group][1][leaf.index][3]
            if not _wholly_dictionary(chunk):
                return None
            start = chunk.get(11)
            if not start or start > chunk[9]:  # old writers leave the place out, or set it to 0
                return None
            return _dictionary_values(self._read(start, chunk[9] - start), chunk[4], leaf)
        except (*_DAMAGED, pa.ArrowException):
            return None

    def _read_row_groups(self, wanted: Wanted) -> list[Struct]:
        def parsed(footer: bytes) -> list[Struct]:
            fields = CompactReader(footer).struct(wanted, _ROW_GROUPS)
            groups: list[Struct] = fields.get(_ROW_GROUPS, [])
            return groups

        size = self._file.size()
        tail = self._read(max(0, size - _FIRST_READ), min(size, _FIRST_READ))
        length = footer_length(tail)
        if length is None:
            raise ThriftError("the file does not end as a Parquet file does")
        start = size - TAIL - length
        if start < 0:
            raise ThriftError("the footer is longer than the file")
        if length <= len(tail) - TAIL:
            return parsed(tail[len(tail) - TAIL - length : len(tail) - TAIL])
        # Behind the row groups may be a Bloom filter of Hudi's, which makes a footer so long.
        with contextlib.suppress(ThriftError):
            return parsed(self._read(start, _FIRST_READ))
        return parsed(self._read(start, length))

    def _read(self, start: int, size: int) -> bytes:
        if start < 0 or size < 0 or start + size > self._file.size():
            raise ThriftError("a place lies outside the file")
        content: bytes = self._file.read_at(size, start)
        return content

    def _pages(
        self, leaf: ColumnSchema, rows: int, column: Struct, places: Sequence[Struct]
    ) -> list[Page] | None:
        firsts = [place[3] for place in places]
        starts = [*firsts, rows]
        null_pages, lows, highs = column[1], column[2], column[3]
        null_counts = column.get(5) or [None] * len(places)
        if not leaf.bounds_are_ordered:
            return None
        if not len(places) == len(null_pages) == len(lows) == len(highs) == len(null_counts):
            return None
        if not places or firsts[0] != 0 or any(a >= b for a, b in pairwise(starts)):
            return None
        pages = []
        for i, place in enumerate(places):
            size = starts[i + 1] - starts[i]
            if null_pages[i]:
                bounds = Bounds(size, size, None, None)
            else:
                low, high = _decode(lows[i], leaf), _decode(highs[i], leaf)
                bounds = Bounds.of_written(
                    size,
                    null_counts[i],
                    None if low is None or high is None else (low, high),
                    is_float=leaf.is_float,
                    nan_shows=self._schema.nan_shows_in_bounds,
                )
            pages.append(Page(firsts[i], leaf.certain_bounds(bounds), place[2]))
        return pages


def _decode(raw: bytes, leaf: ColumnSchema) -> Comparable | None:
    """Returns a bound that is stored as a plain value without a length; None when it is none."""
    if leaf.to_comparable is None:
        return None
    layout = _FIXED.get(leaf.physical_type)
    if layout is not None:
        return leaf.to_comparable(*struct.unpack(layout, raw))
    if leaf.physical_type == "BOOLEAN":
        return leaf.to_comparable(raw != b"\x00")
    if leaf.byte_length and len(raw) != leaf.byte_length:
        return None  # a number cut short is another number
    return leaf.to_comparable(raw)


def _wholly_dictionary(chunk: Struct) -> bool:
    """Returns whether every data page holds places in the dictionary and no value of its own."""
    pages = chunk.get(13)
    if pages:
        data = [page for page in pages if page[1] in _DATA_PAGES and page[3] > 0]
        return bool(data) and all(page[2] in (_PLAIN_DICTIONARY, _RLE_DICTIONARY) for page in data)
    # Without counts by page: a first-version chunk that fell back to plain values names PLAIN. A
    # second-version chunk names PLAIN for the dictionary itself, so that nothing is known.
    encodings = set(chunk[2])
    return _PLAIN_DICTIONARY in encodings and encodings <= {_PLAIN_DICTIONARY, _RLE, _BIT_PACKED}


def _dictionary_values(page: bytes, codec: int, leaf: ColumnSchema) -> list[Comparable] | None:
    import pyarrow as pa

    if leaf.to_comparable is None:
        return None
    reader = CompactReader(page)
    header = reader.struct()
    dictionary = header[7]
    if dictionary[2] not in (_PLAIN, _PLAIN_DICTIONARY):
        return None
    # A value takes a byte at least.
    if not 1 <= dictionary[1] <= header[2] <= _LARGEST_DICTIONARY:
        return None
    body = page[reader.position : reader.position + header[3]]
    if len(body) != header[3]:
        return None
    name = _CODECS[codec]
    if name is not None:
        body = pa.Codec(name).decompress(body, decompressed_size=header[2], asbytes=True)
    raw = _plain_values(body, dictionary[1], leaf)
    values = list(map(leaf.to_comparable, raw))
    return values if all(map(leaf.is_certain, values)) else None


def _plain_values(body: bytes, count: int, leaf: ColumnSchema) -> Sequence[Any]:
    """Returns values of Parquet's PLAIN encoding; raises ValueError when there are not so many."""
    layout = _FIXED.get(leaf.physical_type)
    if layout is not None:
        many = f"<{count}{layout[1]}"
        return struct.unpack(many, _exactly(body, struct.calcsize(many)))
    if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY":
        size = leaf.byte_length
        body = _exactly(body, count * size)
        return [body[i * size : (i + 1) * size] for i in range(count)]
    if leaf.physical_type != "BYTE_ARRAY":
        raise ValueError(f"{leaf.physical_type} has no dictionary")
    values, position = [], 0
    for _ in range(count):
        start = position + 4
        position = start + int.from_bytes(body[start - 4 : start], "little")
        values.append(body[start:position])
    _exactly(body, position)
    return values


def _exactly(body: bytes, size: int) -> bytes:
    if len(body) < size:
        raise ValueError("the bytes end within a value")
    return body[:size]
