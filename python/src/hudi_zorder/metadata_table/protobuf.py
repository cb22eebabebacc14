"""Protobuf messages, as far as HFiles have any: fields that are numbers or bytes."""

from __future__ import annotations

from collections.abc import Iterator

from hudi_zorder.metadata_table.ranges import FormatError


def delimited(content: bytes, start: int) -> bytes:
    """Returns a message that its length comes before."""
    return _delimited(content, start)[0]


def _delimited(content: bytes, start: int) -> tuple[bytes, int]:
    """Returns it, and where it ends."""
    length, place = _varint(content, start)
    if place + length > len(content):
        raise FormatError("it has a Protobuf message that is cut short")
    return content[place : place + length], place + length


def fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yields the fields of a Protobuf message: numbers, and bytes."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        if tag & 7 == 0:
            number, place = _varint(message, place)
            yield tag >> 3, number
        elif tag & 7 == 2:
            value, place = _delimited(message, place)
            yield tag >> 3, value
        else:
            raise FormatError("it has a Protobuf message of other kinds than numbers and bytes")


def _varint(content: bytes, place: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(content):
            break
        byte = content[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
    raise FormatError("it has a number without an end")
