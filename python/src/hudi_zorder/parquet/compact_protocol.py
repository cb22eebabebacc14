"""A reader of Thrift's compact protocol: what Parquet's metadata structures are written in.

Written from the protocol's specification (``doc/specs/thrift-compact-protocol.md`` of Apache
Thrift). It exists because pyarrow hands out neither page indexes nor where they lie. A structure
becomes a dict from field number to value; the bytes are not trusted: whatever would leave the
buffer, nest too deeply or hold more elements than there are bytes is a ``ThriftError``.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any, Final

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY = 1, 2, 3, 4, 5, 6, 7, 8
_LIST, _SET, _MAP, _STRUCT = 9, 10, 11, 12
_DEEPEST: Final = 16  # Parquet's structures nest seven deep
_LONGEST_VARINT: Final = 10  # bytes of a 64-bit number

Struct = dict[int, Any]
Wanted = Mapping[int, Any]
"""The fields to be read of a structure, or of a list's structures; the rest is passed over.

The value is what is wanted of the field in turn; None for all of it, ``Elements`` for some of a
list.
"""


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements to be read of a list, which becomes a dict from place to element.

    Attributes:
        places: their places.
        wanted: what is wanted of each; None for all of it.
    """

    places: Container[int]
    wanted: Wanted | None


class ThriftError(ValueError):
    """The bytes are not what the compact protocol writes."""


class CompactReader:
    """Reads structures from a buffer, one after the other.

    Args:
        buffer: the bytes.

    Attributes:
        position: the byte after what was read last.
    """

    def __init__(self, buffer: bytes) -> None:
        self._buffer = buffer
        self.position = 0

    def struct(self, wanted: Wanted | None = None, last: int | None = None) -> Struct:
        """Reads one structure.

        Args:
            wanted: the fields to be read; None for all.
            last: the field to end with, whatever follows it; None for the structure's end.

        Raises:
            ThriftError: when the bytes are no structure.
        """
        try:
            return self._struct(wanted, 0, last)
        except IndexError:
            raise ThriftError("the bytes end within a structure") from None

    def list_size(self) -> int:
        """Reads where the next field begins, a list, and returns how many elements follow.

        Raises:
            ThriftError: when it is no list.
        """
        try:
            kind = self._bytes(1)[0] & 0x0F
            size = self._list_header(0)[1]
        except IndexError:
            raise ThriftError("the bytes end within a list") from None
        if kind != _LIST:
            raise ThriftError("there is no list where one is to be")
        return size

    def _struct(self, wanted: Wanted | None, depth: int, last: int | None = None) -> Struct:
        if depth > _DEEPEST:
            raise ThriftError(f"structures nest deeper than {_DEEPEST}")
        fields: Struct = {}
        number = 0
        while last is None or number != last:
            header = self._buffer[self.position]
            self.position += 1
            kind = header & 0x0F
            if not kind:
                return fields
            delta = header >> 4
            number = number + delta if delta else _zigzag(self._varint())
            if kind <= _FALSE:
                fields[number] = kind == _TRUE
            elif wanted is None:
                fields[number] = self._value(kind, None, depth)
            elif number in wanted:
                fields[number] = self._value(kind, wanted[number], depth)
            else:
                self._skip(kind, depth)
        return fields

    def _value(self, kind: int, wanted: Any, depth: int) -> Any:
        if _I16 <= kind <= _I64:
            return _zigzag(self._varint())
        if kind == _BINARY:
            return self._bytes(self._varint())
        if kind == _STRUCT:
            if isinstance(wanted, Elements):
                raise ThriftError("there is a structure in the place of a list")
            return self._struct(wanted, depth + 1)
        if kind in (_LIST, _SET):
            element, size = self._list_header(depth)
            if isinstance(wanted, Elements):
                return self._elements(element, size, wanted, depth)
            return [self._value(element, wanted, depth + 1) for _ in range(size)]
        if kind <= _FALSE:  # an element of a list, which takes a byte of its own
            return self._bytes(1)[0] == _TRUE
        if kind == _BYTE:
            return self._bytes(1)[0]
        if kind == _DOUBLE:
            return self._bytes(8)
        return self._skip(kind, depth)  # Parquet has no maps

    def _elements(self, kind: int, size: int, wanted: Elements, depth: int) -> dict[int, Any]:
        found = {}
        for place in range(size):
            if place in wanted.places:
                found[place] = self._value(kind, wanted.wanted, depth + 1)
            else:
                self._skip(kind, depth + 1)
        return found

    def _skip(self, kind: int, depth: int) -> None:
        if _I16 <= kind <= _I64:
            while self._buffer[self.position] > 0x7F:
                self.position += 1
            self.position += 1
        elif kind == _BINARY:
            self._bytes(self._varint())
        elif kind == _STRUCT:
            self._skip_struct(depth + 1)
        elif kind in (_LIST, _SET):
            element, size = self._list_header(depth)
            for _ in range(size):
                self._skip(element, depth + 1)
        elif kind == _MAP:
            self._skip_map(depth)
        elif kind == _DOUBLE:
            self._bytes(8)
        elif kind in (_TRUE, _FALSE, _BYTE):
            self._bytes(1)
        else:
            raise ThriftError(f"there is no type {kind}")

    def _skip_struct(self, depth: int) -> None:
        """Passes over a structure, as over most of a footer: without a call for each field."""
        if depth > _DEEPEST:
            raise ThriftError(f"structures nest deeper than {_DEEPEST}")
        buffer, position = self._buffer, self.position
        while kind := buffer[position] & 0x0F:
            numbers = (buffer[position] < 0x10) + (_I16 <= kind <= _I64)  # of the field, its value
            position += 1
            for _ in range(numbers):
                while buffer[position] > 0x7F:
                    position += 1
                position += 1
            if kind == _BINARY and buffer[position] < 0x80:
                position += 1 + buffer[position]
            elif kind == _BYTE or kind > _I64:
                self.position = position
                self._skip(kind, depth)
                position = self.position
        self.position = position + 1

    def _list_header(self, depth: int) -> tuple[int, int]:
        """Reads the type of a list's elements and their number."""
        if depth > _DEEPEST:
            raise ThriftError(f"lists nest deeper than {_DEEPEST}")
        header = self._buffer[self.position]
        self.position += 1
        size = header >> 4
        if size == 15:
            size = self._varint()
        self._check(size)  # every element takes a byte at least
        return header & 0x0F, size

    def _skip_map(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise ThriftError(f"maps nest deeper than {_DEEPEST}")
        size = self._varint()
        self._check(size)
        kinds = self._bytes(1)[0] if size else 0
        for _ in range(size):
            self._skip(kinds >> 4, depth + 1)
            self._skip(kinds & 0x0F, depth + 1)

    def _bytes(self, size: int) -> bytes:
        self._check(size)
        start = self.position
        self.position += size
        return self._buffer[start : self.position]

    def _varint(self) -> int:
        byte = self._buffer[self.position]
        self.position += 1
        if byte < 0x80:
            return byte
        number = byte & 0x7F
        for shift in range(7, 7 * _LONGEST_VARINT, 7):
            byte = self._buffer[self.position]
            self.position += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
        raise ThriftError(f"a number is longer than {_LONGEST_VARINT} bytes")

    def _check(self, size: int) -> None:
        if size > len(self._buffer) - self.position:
            raise ThriftError("the bytes end within a value")


def _zigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)
