"""The entries of a block of an HFile, found one by one and then looked at all together.

An entry is two lengths, the key between what HBase needs, and the value: ``HFileDataBlock`` of Hudi
1.2.0 reads them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hudi_zorder.metadata_table.ranges import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

_LENGTHS: Final = struct.Struct(">ii")
_HEAD: Final = [("key", ">i4"), ("value", ">i4"), ("row", ">i2")]  # lengths, before a key
_HEAD_SIZE: Final = 10


class Entries(NamedTuple):
    """Some entries: where in a content the key and the value of each lie.

    Attributes:
        content: holds them.
        rows: where each key begins.
        row_lengths: the bytes of each.
        starts: where each value begins.
        ends: where it ends.
    """

    content: bytes
    rows: Places
    row_lengths: Places
    starts: Places
    ends: Places

    @classmethod
    def of(cls, content: bytes, prefix: bytes) -> Entries:
        """Returns those of a block whose keys begin so.

        Raises:
            FormatError: when it is no block of entries.
        """
        import numpy as np

        places = _places(content)
        head = _parts(content, places[:-1], _HEAD)
        rows, row_lengths = places[:-1] + _HEAD_SIZE, head["row"].astype(np.int64)
        if ((row_lengths < 0) | (row_lengths > head["key"] - 2)).any():
            raise FormatError("it has an entry that goes beyond its block")
        found = cls(content, rows, row_lengths, places[:-1] + 8 + head["key"], places[1:] - 1)
        if not prefix:
            return found
        found = found.at(row_lengths >= len(prefix))
        return found.at(_parts(content, found.rows, f"V{len(prefix)}") == np.void(prefix))

    @property
    def keys(self) -> list[bytes]:
        """The keys."""
        content, ends = self.content, self.rows + self.row_lengths
        return [content[a:b] for a, b in zip(self.rows.tolist(), ends.tolist(), strict=True)]

    def at(self, places: Places | NDArray[np.bool_]) -> Entries:
        """Returns those at some places, or those that a mask has."""
        return Entries(self.content, *(field[places] for field in self[1:]))

    def key_ends(self, count: int) -> list[bytes]:
        """Returns what the keys end with, none of which may be shorter."""
        ends = self.rows + self.row_lengths
        found: list[bytes] = _parts(self.content, ends - count, f"V{count}").tolist()
        return found


def _places(content: bytes) -> Places:
    """Returns where each entry of a block begins, and the end."""
    import numpy as np

    place, end = 0, len(content)
    found = [0]
    unpack, head = _LENGTHS.unpack_from, _HEAD_SIZE
    while place + head <= end:
        key_length, value_length = unpack(content, place)
        place += 9 + key_length + value_length  # with a byte of a version that Hudi leaves 0
        if key_length < 2 or value_length < 0 or place > end:
            raise FormatError("it has an entry that goes beyond its block")
        found.append(place)
    if place != end:
        raise FormatError("it has a block that ends within an entry")
    return np.array(found, np.int64)


def _parts(content: bytes, places: Places, kind: Any) -> NDArray[Any]:
    """Returns what lies at some places as values of a type, which may overlap."""
    import numpy as np

    size = np.dtype(kind).itemsize
    count = max(0, len(content) - size + 1)
    every = np.ndarray((count,), kind, content, strides=(1,))
    return every[places]
