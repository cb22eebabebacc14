"""The log files of a file slice of the metadata table: which blocks count, and in what order.

A log file is blocks, each with its length before and after it, and a header of texts: the instant
that wrote it, and what a command or a compaction of the log is about. A block that a crash cut
short is passed over. Blocks of an instant that a rollback block names do not count, and what a
compacted block has the place of comes in its place. The sources are ``HoodieLogFileReader``,
``HoodieLogBlock`` and ``BaseHoodieLogRecordReader.scanInternal`` of Hudi 1.2.0.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hudi_zorder.metadata_table.ranges import FormatError, Part, RangeReader

_MAGIC: Final = b"#HUDI#"
_LONG: Final = struct.Struct(">q")
_INT: Final = struct.Struct(">i")
_HEAD: Final = struct.Struct(">qii")  # what follows the magic: length, version, type
_VERSION: Final = 1
COMMAND, DELETE, HFILE = 0, 1, 4
_INSTANT, _TARGET, _SCHEMA, _COMPACTED = 0, 1, 2, 4  # of a header
_LONGEST_HEADER: Final = 1 << 20  # bytes; a schema has some ten thousand
_MOST_BLOCKS: Final = 10_000  # in one file; the metadata table is compacted after some ten commits
_SCANNED: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class LogBlock:
    """One block.

    Attributes:
        kind: ``COMMAND``, ``DELETE``, ``HFILE`` or another number.
        header: its texts by number.
        content: what it holds.
    """

    kind: int
    header: Mapping[int, bytes]
    content: Part

    @property
    def instant(self) -> str:
        """The instant that wrote it."""
        return self.header.get(_INSTANT, b"").decode("utf-8", "replace")

    @property
    def schema(self) -> bytes | None:
        """The schema of its records; None where it tells none."""
        return self.header.get(_SCHEMA)

    @property
    def target(self) -> str:
        """The instant that a command is about."""
        return self.header.get(_TARGET, b"").decode("utf-8", "replace")

    @property
    def compacted(self) -> tuple[str, ...]:
        """The instants whose blocks it has the place of."""
        return tuple(self.header.get(_COMPACTED, b"").decode("utf-8", "replace").split(","))

    @property
    def is_compacted(self) -> bool:
        """Whether it has the place of others."""
        return _COMPACTED in self.header


def blocks_that_count(
    blocks: Iterable[LogBlock], is_visible: Callable[[str], bool]
) -> list[LogBlock]:
    """Returns the blocks that a reader takes, the oldest first.

    Args:
        blocks: those of the log files of a slice, in the files' order.
        is_visible: tells whether what an instant wrote can be seen.
    """
    by_instant: dict[str, list[LogBlock]] = {}
    for block in blocks:
        if block.kind == COMMAND:  # there is one command alone, that takes an instant back
            by_instant.pop(block.target, None)
        elif is_visible(block.instant):
            by_instant.setdefault(block.instant, []).append(block)
    newest_first: list[str] = []
    replaced: dict[str, str] = {}
    for instant in reversed(by_instant):
        first = by_instant[instant][0]
        final = replaced.get(instant, instant)
        if first.is_compacted:
            replaced.update(dict.fromkeys(first.compacted, final))
        elif final not in newest_first and final in by_instant:
            newest_first.append(final)
    return [block for instant in reversed(newest_first) for block in by_instant[instant]]


def log_blocks(reader: RangeReader) -> Iterator[LogBlock]:
    """Yields the blocks of a log file.

    Raises:
        FormatError: when it is none.
    """
    place = 0
    for _ in range(_MOST_BLOCKS):
        if reader.size - place < len(_MAGIC):
            return
        if reader.read(place, len(_MAGIC)) != _MAGIC:
            raise FormatError(f"it has no block at {place:,}")
        start = place + len(_MAGIC)
        end = _end(reader, start)
        if end is None:
            place = _next(reader, start)
            continue
        yield _block(reader, start, end)
        place = end
    raise FormatError(f"it has more than {_MOST_BLOCKS:,} blocks")


def _end(reader: RangeReader, start: int) -> int | None:
    """Returns where a block ends; None when it was not written whole."""
    if reader.size - start < _LONG.size:
        return None
    length = _long(reader, start)
    end = start + _LONG.size + length
    if length < _LONG.size or end > reader.size:
        return None
    again = _long(reader, end - _LONG.size)
    follows = reader.read(end, min(len(_MAGIC), reader.size - end))
    whole = again == length + len(_MAGIC) and (len(follows) < len(_MAGIC) or follows == _MAGIC)
    return end if whole else None


def _long(reader: RangeReader, place: int) -> int:
    (number,) = _LONG.unpack(reader.read(place, _LONG.size))
    return int(number)


def _next(reader: RangeReader, start: int) -> int:
    """Returns where the next block begins, or the file ends."""
    place = start
    while place < reader.size:
        held = reader.read(place, min(_SCANNED, reader.size - place))
        found = held.find(_MAGIC)
        if found >= 0:
            return place + found
        place += max(1, len(held) - len(_MAGIC) + 1)
    return reader.size


def _block(reader: RangeReader, start: int, end: int) -> LogBlock:
    part = Part(reader, start, end - start)
    _, version, kind = _HEAD.unpack(part.read(0, _HEAD.size))
    if version != _VERSION:
        raise FormatError(f"it has a block of version {version}")
    header, place = _texts(part, _HEAD.size)
    (length,) = _LONG.unpack(part.read(place, _LONG.size))
    content = place + _LONG.size
    if not 0 <= length <= part.size - content:
        raise FormatError(f"it has a block of {length:,} bytes, which it has no room for")
    return LogBlock(kind, header, Part(reader, start + content, length))


def _texts(part: Part, place: int) -> tuple[dict[int, bytes], int]:
    (count,) = _INT.unpack(part.read(place, _INT.size))
    place += _INT.size
    found = {}
    for _ in range(count):
        number, length = (_INT.unpack(part.read(place + i, _INT.size))[0] for i in (0, _INT.size))
        place += 2 * _INT.size
        if not 0 <= length <= _LONGEST_HEADER:
            raise FormatError(f"it has a header of {length:,} bytes")
        found[number] = part.read(place, length)
        place += length
    return found, place
