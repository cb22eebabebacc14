"""HFile, the format of the metadata table's base files and log blocks: keys in order with values.

A file is blocks of entries, the load-on-open section (the index of those blocks, that of blocks
without entries, facts of the file), and a trailer of 4 kB. Each block has a header of 33 bytes and
is compressed by itself. The index has the first key of each block, or one between it and the last
key of the block before, so that keys that begin alike are found without reading all. The sources
are ``HFileReaderImpl``, ``HFileTrailer``, ``HFileBlock``, ``HFileRootIndexBlock``,
and ``HFileLeafIndexBlock`` of Hudi 1.2.0, which reads what HBase wrote for Hudi
before 1.0, too.
"""

from __future__ import annotations

import struct
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

from hudi_zorder.metadata_table.hfile_entries import Entries
from hudi_zorder.metadata_table.protobuf import delimited, fields
from hudi_zorder.metadata_table.ranges import FormatError

_TRAILER_SIZE: Final = 4096
_TRAILER, _ROOT_INDEX, _LEAF_INDEX = b'TRABLK"$', b"IDXROOT2", b"IDXLEAF2"
_BRANCH_INDEX, _FILE_INFO, _DATA = b"IDXINTE2", b"FILEINF2", b"DATABLK*"
_VERSION: Final = 3
_PROTOBUF: Final = b"PBUF"
_HEADER: Final = struct.Struct(">8siiqBii")
_PLACE: Final = struct.Struct(">qi")
_GZIP, _NONE = 1, 2
# Fields of the trailer.
_LOAD_ON_OPEN, _BLOCKS, _LEVELS, _CODEC = 2, 5, 8, 12
_MOST_LEVELS: Final = 8
_LARGEST_BLOCK: Final = 1 << 25  # bytes; Hudi's own end at a megabyte
_READ_AT_ONCE: Final = 8 << 20  # bytes of neighbouring blocks


class Source(Protocol):
    """What a file is read from."""

    @property
    def size(self) -> int:
        """The bytes it has."""

    def read(self, offset: int, count: int) -> bytes:
        """Returns so many bytes from a place on; raises FormatError where there are none."""


class _Block(NamedTuple):
    """Where a block lies, and a key that is its first or lies before it and after all before."""

    key: bytes
    offset: int
    size: int


class HFile:
    """One file, opened.

    Args:
        source: its bytes.

    Raises:
        FormatError: when it is none that Hudi writes.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        trailer = self._read_trailer()
        self._codec = trailer.get(_CODEC, _NONE)
        if self._codec not in (_GZIP, _NONE):
            raise FormatError(f"its compression is number {self._codec}, and Hudi has none such")
        start, end = trailer.get(_LOAD_ON_OPEN, 0), source.size - _TRAILER_SIZE
        section = source.read(start, end - start)
        root, after = self._content(section, 0, _ROOT_INDEX)
        _, after = self._content(section, after, _ROOT_INDEX)  # of blocks without entries
        info, _ = self._content(section, after, _FILE_INFO)
        self.info: Mapping[bytes, bytes] = dict(_file_info(info))
        self._blocks = self._all_blocks(list(_root_blocks(root, trailer.get(_BLOCKS, 0))), trailer)
        self._keys = [block.key for block in self._blocks]

    def entries(self, prefix: bytes) -> Iterator[Entries]:
        """Yields the entries whose keys begin so, some at a time, in the order of the keys.

        Raises:
            FormatError: when a block is damaged.
        """
        first = max(0, bisect_right(self._keys, prefix) - 1)
        last = bisect_left(self._keys, _after(prefix))
        for content in self._contents(self._blocks[first:last]):
            yield Entries.of(content, prefix)

    def _read_trailer(self) -> dict[int, int]:
        size = self._source.size
        if size < _TRAILER_SIZE:
            raise FormatError("it is shorter than a trailer")
        trailer = self._source.read(size - _TRAILER_SIZE, _TRAILER_SIZE)
        version = int.from_bytes(trailer[-3:], "big")
        if not trailer.startswith(_TRAILER) or version != _VERSION:
            raise FormatError(f"it has no trailer of an HFile of version {_VERSION}")
        content = delimited(trailer, len(_TRAILER))
        return {field: value for field, value in fields(content) if isinstance(value, int)}

    def _all_blocks(self, blocks: list[_Block], trailer: Mapping[int, int]) -> list[_Block]:
        """Returns the blocks of entries, which an index of several levels leads to."""
        levels = trailer.get(_LEVELS, 1)
        if not 1 <= levels <= _MOST_LEVELS:
            raise FormatError(f"its index has {levels} levels")
        for level in range(levels - 1, 0, -1):
            magic = _BRANCH_INDEX if level > 1 else _LEAF_INDEX
            below: list[_Block] = []
            for content in self._contents(self._apart(blocks), magic):
                below += _leaf_blocks(content)
                if len(below) * _HEADER.size > self._source.size:
                    raise FormatError("its index names more blocks than it has room for")
            blocks = below
        return self._apart(blocks)

    def _apart(self, blocks: list[_Block]) -> list[_Block]:
        """Returns blocks that lie one after the other: none is read twice."""
        end = 0
        for block in blocks:
            if not (end <= block.offset and _HEADER.size <= block.size <= _LARGEST_BLOCK):
                raise FormatError("its index has blocks that overlap, or are none of Hudi's")
            end = block.offset + block.size
        return blocks

    def _contents(self, blocks: list[_Block], magic: bytes = _DATA) -> Iterator[bytes]:
        for run in _runs(blocks):
            start = run[0].offset
            held = self._source.read(start, run[-1].offset + run[-1].size - start)
            for block in run:
                yield self._content(held, block.offset - start, magic)[0]

    def _content(self, held: bytes, start: int, magic: bytes) -> tuple[bytes, int]:
        """Returns what a block holds, and where the next begins."""
        try:
            found, on_disk, size, _, _, _, data_end = _HEADER.unpack_from(held, start)
        except struct.error as fault:
            raise FormatError("it ends within a block") from fault
        end = start + _HEADER.size + on_disk
        if found != magic or not start + _HEADER.size <= start + data_end <= end <= len(held):
            raise FormatError(f"it has no block {magic!r} where its index has one")
        if not 0 <= size <= _LARGEST_BLOCK:
            raise FormatError(f"it has a block of {size:,} bytes")
        packed = held[start + _HEADER.size : start + data_end]
        return (packed[:size] if self._codec == _NONE else _unpacked(packed, size)), end


def _unpacked(packed: bytes, size: int) -> bytes:
    try:
        content = zlib.decompressobj(wbits=31).decompress(packed, size + 1)
    except zlib.error as fault:
        raise FormatError(f"it has a block that is not compressed by gzip ({fault})") from fault
    if len(content) != size:
        raise FormatError(f"it has a block that is not of {size:,} bytes")
    return content


def _runs(blocks: list[_Block]) -> Iterator[list[_Block]]:
    """Yields blocks that lie one after the other, to be read at once."""
    run: list[_Block] = []
    for block in blocks:
        if run:
            end = run[-1].offset + run[-1].size
            if block.offset != end or end + block.size - run[0].offset > _READ_AT_ONCE:
                yield run
                run = []
        run.append(block)
    if run:
        yield run


def _root_blocks(content: bytes, count: int) -> Iterator[_Block]:
    place = 0
    for _ in range(count):
        offset, size = _checked(_PLACE.unpack_from, content, place)
        length, place = _hadoop_number(content, place + _PLACE.size)
        yield _Block(_row(content[place : place + length]), offset, size)
        place += length


def _leaf_blocks(content: bytes) -> Iterator[_Block]:
    (count,) = _checked(struct.unpack_from, ">i", content)
    if not 0 <= count <= len(content) // 4:
        raise FormatError(f"its index has a part of {count:,} blocks")
    starts = _checked(struct.unpack_from, f">{count + 1}i", content, 4)
    base = 4 + 4 * len(starts)
    for start, end in pairwise(starts):
        offset, size = _checked(_PLACE.unpack_from, content, base + start)
        yield _Block(_row(content[base + start + _PLACE.size : base + end]), offset, size)


def _row(key: bytes) -> bytes:
    """Returns what Hudi calls the key, of what HBase does: two bytes of its length come first."""
    length = int.from_bytes(key[:2], "big")
    if len(key) < length + 2:
        raise FormatError("its index has a key that is cut short")
    return key[2 : 2 + length]


def _after(prefix: bytes) -> bytes:
    """Returns what all keys lie before that begin so, and none that lies after those."""
    cut = prefix.rstrip(b"\xff")
    return cut[:-1] + bytes([cut[-1] + 1]) if cut else b"\xff" * (len(prefix) + 1)


def _hadoop_number(content: bytes, place: int) -> tuple[int, int]:
    """Returns a whole number from 0 as Hadoop's ``WritableUtils`` writes it, and what follows."""
    first = _checked(struct.unpack_from, ">b", content, place)[0]
    if first >= 0:
        return first, place + 1
    length = -112 - first
    if not 1 <= length <= 4 or place + 1 + length > len(content):
        raise FormatError("its index has a key of no length")
    return int.from_bytes(content[place + 1 : place + 1 + length], "big"), place + 1 + length


def _file_info(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields facts of the file by name: a message of pairs."""
    if not content.startswith(_PROTOBUF):
        raise FormatError("its facts are no Protobuf message")
    for _, pair in fields(delimited(content, len(_PROTOBUF))):
        if isinstance(pair, bytes):
            found = dict(fields(pair))
            name, value = found.get(1), found.get(2)
            if isinstance(name, bytes) and isinstance(value, bytes):
                yield name, value


def _checked(unpack: Callable[..., tuple[int, ...]], *arguments: object) -> tuple[int, ...]:
    try:
        return unpack(*arguments)
    except struct.error as fault:
        raise FormatError("its index is cut short") from fault
