"""Whole numbers of as many bytes as they need, as Protobuf and Thrift write them."""

from __future__ import annotations

from typing import Final

_LONGEST: Final = 10  # bytes, of 64 bits


def varint(content: bytes, place: int = 0) -> tuple[int, int] | None:
    """Returns the number that begins at a place, and where it ends; None where none does.

    Seven bits a byte, the lowest first, and the last byte with a high bit of 0.
    """
    number = 0
    for position, byte in enumerate(content[place : place + _LONGEST]):
        number |= (byte & 0x7F) << 7 * position
        if byte < 0x80:
            return number, place + position + 1
    return None
