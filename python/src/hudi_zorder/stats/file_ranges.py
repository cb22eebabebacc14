"""Which files hold a value between their minimum and maximum, for many files and values at once.

A set of files is an array of truth values, one for each file, so that the sets of several columns
are combined with ``&``. Values of any type are compared once, when they are ranked: from then on
ranks are, in memory that grows with the files and not with their square.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Files = NDArray[np.bool_]


class FileRanges:
    """The ranges of one column in every file.

    Args:
        bounds: the column's bounds in each file; None for a file of which nothing is known, such as
            one with log files: no value can be ruled out there.
    """

    def __init__(self, bounds: Sequence[Bounds | None]) -> None:
        import numpy as np

        ends = [(part.low, part.high) if part is not None else (None, None) for part in bounds]
        found = {end for pair in ends for end in pair if end is not None}
        self._values: list[Comparable] = sorted(found)
        ranks = {value: rank for rank, value in enumerate(self._values)}
        # A file without a value ends before it begins, and so meets none; one of which nothing is
        # known spans them all.
        nothing, everything = (len(ranks) + 1, -2), (-1, len(ranks))
        spans = [
            (ranks[low], ranks[high])
            if low is not None and high is not None
            else nothing
            if part is not None and part.known
            else everything
            for part, (low, high) in zip(bounds, ends, strict=True)
        ]
        self._lows, self._highs = np.array(spans, np.int32).reshape(-1, 2).T.copy()
        self._unknown = np.array([not (part and part.known) for part in bounds], np.bool_)
        nan = [part is not None and part.may_hold_nan for part in bounds]
        self._may_hold_nan = self._unknown | np.array(nan, np.bool_)

    @property
    def unknown(self) -> Files:
        """The files that no value can be ruled out for."""
        return self._unknown

    def holding(self, value: Comparable) -> Files:
        """Returns the files that may hold the value."""
        if isinstance(value, float) and math.isnan(value):
            return self._may_hold_nan
        return self.overlapping(value, value)

    def overlapping(self, low: Comparable, high: Comparable) -> Files:
        """Returns the files that may hold a value of the closed range."""
        first = bisect_left(self._values, low)
        last = bisect_right(self._values, high) - 1
        return self._meeting(first, last) | self._unknown

    def meeting(self, number: int) -> Files:
        """Returns the files whose ranges meet that of a file, itself included if it has a range."""
        return self._meeting(self._lows[number], self._highs[number])

    @cached_property
    def overlaps(self) -> list[int]:
        """The number of other files whose ranges meet that of each file."""
        import numpy as np

        filled = self._lows <= self._highs
        lows, highs = self._lows[filled], self._highs[filled]
        begun = np.sort(lows).searchsorted(highs, side="right")
        ended = np.sort(highs).searchsorted(lows, side="left")
        counts = np.zeros(len(filled), np.intp)
        counts[filled] = begun - ended - 1
        return list(counts.tolist())

    def _meeting(self, first: int, last: int) -> Files:
        return (self._lows <= last) & (self._highs >= first)
