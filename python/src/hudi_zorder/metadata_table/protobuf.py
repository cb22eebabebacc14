"""Protobuf messages, as far as HFiles have any: fields that are numbers or bytes."""

from __future__ import annotations

from collections.abc import Iterator

from hudi_zorder.metadata_table.ranges import FormatError
from hudi_zorder.varints import varint


def delimited(content: bytes, start: int) -> bytes:
    """Returns a message that its length comes before."""
    return _delimited(content, start)[0]


def _delimited(content: bytes, start: int) -> tuple[bytes, int]:
    """Returns it, and where it ends."""
    length, place = _number(content, start)
    if place + length > len(content):
        raise FormatError("it has a Protobuf message that is cut short")
    return content[place : place + length], place + length


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the fields of a Protobuf message: numbers, and bytes."""
    place = 0
    while place < len(message):
        tag, place = _number(message, place)
        if tag & 7 == 0:
            number, place = _number(message, place)
            yield tag >> 3, number
        elif tag & 7 == 2:
            value, place = _delimited(message, place)
            yield tag >> 3, value
        else:
            raise FormatError("it has a Protobuf message of other kinds than numbers and bytes")


def _number(content: bytes, place: int) -> tuple[int, int]:
    found = varint(content, place)
    if found is None:
        raise FormatError("it has a number without an end")
    return found
