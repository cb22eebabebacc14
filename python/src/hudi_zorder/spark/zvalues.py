"""The curve at query time: the z-ranges that cover a box, and the next z-value of a box.

A box is a sequence of (low, high) words, unsigned 64 bits, both inside, the first column first. A
z-value has 8 bytes a column, as ``java/KEY_FORMAT.md`` lays down. Computed by the session's JVM.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from operator import index
from typing import Final

from hudi_zorder.errors import OptionError
from hudi_zorder.option_checks import MAX_COLUMNS, is_whole
from hudi_zorder.spark._jvm.z_box import ZBox

_WORD_BYTES: Final = 8
_WORDS: Final = 1 << 64

Box = Sequence[tuple[int, int]]


def z_ranges(box: Box, max_ranges: int | None = None) -> list[tuple[bytes, bytes]]:
    """Returns the ranges of z-values that cover a box, in ascending order, both ends inside.

    Args:
        box: (low, high) words of each column, both inside, first column first.
        max_ranges: how many ranges may cover the box: of all such covers one with the fewest
            z-values outside the box. By default the exact cover, of at most 1,000,000 ranges.

    Raises:
        OptionError: for a box that is none, or one whose exact cover has more ranges.
        SessionError: when no Spark session runs.
    """
    if max_ranges is not None and (not is_whole(max_ranges) or max_ranges < 1):
        raise OptionError(
            f"Cannot cover a box: 'max_ranges' was '{max_ranges}'; allow at least one range"
        )
    return _z_box(box).ranges(None if max_ranges is None else int(max_ranges))


def bigmin(z: bytes, box: Box) -> bytes | None:
    """Returns the least z-value of a box above another, or None when there is none.

    Args:
        z: any z-value of as many columns, inside the box or outside.
        box: (low, high) words of each column, both inside, first column first.

    Raises:
        OptionError: for a box that is none, or a z-value of other columns.
        SessionError: when no Spark session runs.
    """
    return _z_box(box).bigmin(_z_value(z, len(box)))


def litmax(z: bytes, box: Box) -> bytes | None:
    """Returns the greatest z-value of a box below another, or None when there is none.

    Args:
        z: any z-value of as many columns, inside the box or outside.
        box: (low, high) words of each column, both inside, first column first.

    Raises:
        OptionError: for a box that is none, or a z-value of other columns.
        SessionError: when no Spark session runs.
    """
    return _z_box(box).litmax(_z_value(z, len(box)))


def _z_box(box: Box) -> ZBox:
    if not isinstance(box, Sized) or not isinstance(box, Iterable):
        raise OptionError(
            f"Cannot read a box: 'box' was {box!r}; pass a pair of words for each column"
        )
    if not 1 <= len(box) <= MAX_COLUMNS:
        raise OptionError(
            f"Cannot read a box: it has 1 to {MAX_COLUMNS} columns, 'box' was of {len(box)}; "
            "pass a pair of words for each column"
        )
    pairs = [_pair(column, pair) for column, pair in enumerate(box)]
    low, high = (b"".join(words) for words in zip(*pairs, strict=True))
    return ZBox(low, high)


def _pair(column: int, pair: tuple[int, int]) -> tuple[bytes, bytes]:
    try:
        low, high = (index(word) for word in pair)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"Cannot read a box: column {column} was '{pair!r}'; pass a low and a high word"
        ) from error
    if not (0 <= low < _WORDS and 0 <= high < _WORDS):
        raise OptionError(
            f"Cannot read a box: column {column} was '{low}' to '{high}', and a word has unsigned "
            f"64 bits; pass words from 0 to {_WORDS - 1}"
        )
    if low > high:
        raise OptionError(
            f"Cannot read a box: column {column} was '{low}' to '{high}', and low is above high; "
            "exchange them"
        )
    return low.to_bytes(_WORD_BYTES, "big"), high.to_bytes(_WORD_BYTES, "big")


def _z_value(z: bytes, columns: int) -> bytes:
    if not isinstance(z, bytes | bytearray) or len(z) != columns * _WORD_BYTES:
        found = f"{len(z)} bytes" if isinstance(z, bytes | bytearray) else repr(z)
        raise OptionError(
            f"Cannot search a box: 'z' was of {found}, and a z-value of {columns} columns has "
            f"{columns * _WORD_BYTES} bytes; pass all of them"
        )
    return bytes(z)
