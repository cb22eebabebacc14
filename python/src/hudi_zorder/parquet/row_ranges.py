"""Sets of rows, by parquet-java's name: sorted half-open ranges that neither meet nor touch."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

RowRanges = tuple[tuple[int, int], ...]

_STOP: Final = itemgetter(1)


def joined(ranges: Iterable[tuple[int, int]]) -> RowRanges:
    """Returns the rows that are in any of the ranges, which may come in any order."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted(ranges):
        if start >= stop:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(stop, found[-1][1]))
        else:
            found.append((start, stop))
    return tuple(found)


def common(first: RowRanges, second: RowRanges) -> RowRanges:
    """Returns the rows that are in both."""
    found = []
    i = j = 0
    while i < len(first) and j < len(second):
        start, stop = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if start < stop:
            found.append((start, stop))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return tuple(found)


def complement(ranges: RowRanges, total: int) -> RowRanges:
    """Returns the rows below ``total`` that are in none of the ranges."""
    ends = [0, *(end for pair in ranges for end in pair), total]
    return tuple((ends[i], ends[i + 1]) for i in range(0, len(ends), 2) if ends[i] < ends[i + 1])


def count(ranges: RowRanges) -> int:
    """Returns the number of rows."""
    return sum(stop - start for start, stop in ranges)


def meets(ranges: RowRanges, start: int, stop: int) -> bool:
    """Returns whether a row of the half-open range is among them."""
    first = bisect_right(ranges, start, key=_STOP)  # of those that end behind it
    return first < len(ranges) and ranges[first][0] < stop
