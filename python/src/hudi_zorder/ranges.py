"""Which files hold a value between their minimum and maximum, for many files and values at once.

A set of files is an ``int`` whose bit i stands for file i: the sets of several columns are combined
with ``&``, and ``int.bit_count`` is the number of files.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from operator import or_

from hudi_zorder.bounds import Bounds
from hudi_zorder.values import Comparable


class FileRanges:
    """The ranges of one column in every file.

    Args:
        bounds: the column's bounds in each file; None for a file of which nothing is known, such as
            one with log files: no value can be ruled out there.
    """

    def __init__(self, bounds: Sequence[Bounds | None]) -> None:
        ranged = [
            (part.low, part.high, 1 << i)
            for i, part in enumerate(bounds)
            if part is not None and part.low is not None and part.high is not None
        ]
        self._unknown = _set_of(i for i, part in enumerate(bounds) if not (part and part.known))
        self._may_hold_nan = self._unknown | _set_of(
            i for i, part in enumerate(bounds) if part is not None and part.may_hold_nan
        )
        by_low = sorted(((low, bit) for low, _, bit in ranged), key=lambda pair: pair[0])
        by_high = sorted(((high, bit) for _, high, bit in ranged), key=lambda pair: pair[0])
        self._lows = [low for low, _ in by_low]
        self._highs = [high for high, _ in by_high]
        self._begun = list(accumulate((bit for _, bit in by_low), or_, initial=0))
        self._ended = list(accumulate((bit for _, bit in by_high), or_, initial=0))

    @property
    def unknown(self) -> int:
        """The files that no value can be ruled out for."""
        return self._unknown

    def holding(self, value: Comparable) -> int:
        """Returns the files that may hold the value."""
        if isinstance(value, float) and math.isnan(value):
            return self._may_hold_nan
        return self.overlapping(value, value)

    def overlapping(self, low: Comparable, high: Comparable) -> int:
        """Returns the files that may hold a value of the closed range."""
        begun = self._begun[bisect_right(self._lows, high)]
        ended = self._ended[bisect_left(self._highs, low)]
        return (begun & ~ended) | self._unknown


def members(files: int) -> Iterator[int]:
    """Yields the numbers of the files in a set."""
    while files:
        lowest = files & -files
        yield lowest.bit_length() - 1
        files ^= lowest


def _set_of(numbers: Iterator[int]) -> int:
    files = 0
    for number in numbers:
        files |= 1 << number
    return files
