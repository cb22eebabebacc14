"""Tests of columns as boxes: the values that a row must have of each, as texts of JSON.

What cannot be said so, such as a function of a column, is taken to be true of all rows.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from posixpath import commonprefix
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.parquet.comparables import is_binary, is_float, is_text, is_time, to_python
from hudi_zorder.predicate.value_tests import EVERYTHING, Interval, Point, ValueTest

if TYPE_CHECKING:
    import pyarrow as pa

# "null", or both ends of an interval, None where there is none, and which of them are part of it.
Range = str | list[str | None]
Box = dict[str, list[Range]]

_MOST_RANGES: Final = 100  # of a column; a plan has up to 10,000 queries
_TOLD_DIGITS: Final = 16  # of a text in hexadecimal, by which texts are told apart


def box_of(tests: Sequence[ValueTest], kinds: Mapping[str, pa.DataType]) -> Box:
    """Returns the values that a row must have of each column for all tests to pass.

    Args:
        tests: of values of columns, all of which are to pass.
        kinds: the columns' types, by their names.
    """
    by_column: dict[str, list[ValueTest]] = defaultdict(list)
    for test in tests:
        by_column[test.column].append(test)
    box = {name: _ranges(own, kinds[name]) for name, own in by_column.items()}
    return {name: ranges for name, ranges in box.items() if ranges is not None}


def is_of_values(ranges: Sequence[Range]) -> bool:
    """Returns whether ranges ask for more than that there is a value, as Spark adds to filters."""
    return list(ranges) != [[None, None]]


def tells_values_apart(ranges: Sequence[Range]) -> bool:
    """Returns whether ranges tell values apart, not only nulls from values."""
    return is_of_values(ranges) and list(ranges) != ["null"]


def _ranges(tests: Sequence[ValueTest], kind: pa.DataType) -> list[Range] | None:
    """Returns the values that pass tests of one column; None when these say nothing of values."""
    intervals: Sequence[Interval] = EVERYTHING
    says = False
    nulls = nan = True
    for test in tests:
        own = _own_intervals(test, kind)
        if own is None:
            continue
        says = says or own != EVERYTHING or not test.null_passes
        nulls, nan = nulls and test.null_passes, nan and test.nan_passes
        intervals = _common(intervals, own)
    if not says:
        return None
    ranges: list[Range] = ["null"] if nulls else []
    parts = _few(intervals)
    ranges += (found for part in parts if (found := _range(part, kind)) is not None)
    if nan and is_float(kind) and not any(part.high is None for part in intervals):
        ranges.append(["NaN", "NaN"])
    return None if nulls and [None, None] in ranges else ranges


def _own_intervals(test: ValueTest, kind: pa.DataType) -> Sequence[Interval] | None:
    """Returns a test's intervals in values of the column; None when they tell nothing of these.

    They are of something else then, or all that there is, as of LIKE '%x%'.
    """
    import pyarrow.types as t

    if test.convert is None:
        says_nothing = test.narrower is not None and test.intervals == EVERYTHING
        return None if says_nothing else test.intervals
    if not (t.is_decimal(kind) or t.is_signed_integer(kind)):
        return None
    # Beside a double Spark casts the column; the scale is what that takes away.
    factor = 10 ** (kind.scale if t.is_decimal(kind) else 0)

    def scaled(point: Point | None) -> Point | None:
        finite = isinstance(point, float) and math.isfinite(point)
        return Fraction(str(point)) * factor if finite else None

    return tuple(
        Interval(scaled(part.low), scaled(part.high), part.low_open, part.high_open)
        for part in test.intervals
    )


def _common(some: Sequence[Interval], others: Sequence[Interval]) -> list[Interval]:
    """Returns where intervals meet others; of both, none meet one another, and all are in order."""
    found: list[Interval] = []
    i = j = 0
    while i < len(some) and j < len(others):
        a, b = some[i], others[j]
        if (both := _both(a, b)) is not None:
            found.append(both)
        if b.high is None or (a.high is not None and not b.ends_before(a.high)):
            i += 1
        else:
            j += 1
    return found


def _few(intervals: Sequence[Interval]) -> Sequence[Interval]:
    """Returns intervals, with the narrowest gaps closed where there are too many."""
    if len(intervals) <= _MOST_RANGES:
        return intervals
    shared = len(_shared([end for part in intervals for end in (part.low, part.high)]))
    gaps = [_width(a.high, b.low, shared) for a, b in pairwise(intervals)]
    least = sorted(gaps, reverse=True)[_MOST_RANGES - 2]
    left = [place for place, gap in enumerate(gaps) if gap > least]
    alike = [place for place, gap in enumerate(gaps) if gap == least]
    more = _MOST_RANGES - 1 - len(left)
    # Of those alike some from everywhere, for no range to take all.
    left += [alike[(n + 1) * (len(alike) + 1) // (more + 1) - 1] for n in range(more)]
    cuts = [0, *(place + 1 for place in sorted(left)), len(intervals)]
    parts = [intervals[low:high] for low, high in pairwise(cuts)]
    return [
        Interval(part[0].low, part[-1].high, part[0].low_open, part[-1].high_open) for part in parts
    ]


def _shared(ends: Sequence[Point | None]) -> str:
    """Returns what texts begin with alike; nothing of numbers."""
    return commonprefix([end.hex() for end in ends if isinstance(end, bytes)])


def _width(low: Any, high: Any, shared: int) -> Any:
    """Returns how far two values are apart; texts by what follows the digits that all share."""
    if not isinstance(low, bytes):
        return high - low
    digits = ((end.hex()[shared:] + "0" * _TOLD_DIGITS)[:_TOLD_DIGITS] for end in (low, high))
    first, second = (int(each, 16) for each in digits)
    return second - first


def _both(a: Interval, b: Interval) -> Interval | None:
    """Returns where two intervals meet."""
    low, low_open = max(
        ((part.low, part.low_open) for part in (a, b) if part.low is not None),
        default=(None, False),
    )
    high, closed = min(
        ((part.high, not part.high_open) for part in (a, b) if part.high is not None),
        default=(None, True),
    )
    if low is not None and high is not None and low > high:  # type: ignore[operator]
        return None
    return Interval(low, high, low_open, not closed)


def _range(part: Interval, kind: pa.DataType) -> Range | None:
    """Returns an interval with its ends as texts; None when there is nothing in it."""
    low, high, low_open, high_open = part.low, part.high, part.low_open, part.high_open
    if not (is_float(kind) or is_text(kind) or is_binary(kind)):
        # Of whole numbers each end is inside; those of decimals may be between two.
        if isinstance(low, int | Fraction) and not isinstance(low, bool):
            low, low_open = math.floor(low) + 1 if low_open else math.ceil(low), False
        if isinstance(high, int | Fraction) and not isinstance(high, bool):
            high, high_open = math.ceil(high) - 1 if high_open else math.floor(high), False
        if low is not None and high is not None and low > high:  # type: ignore[operator]
            return None
    if _is_beyond(low, kind, above=True) or _is_beyond(high, kind, above=False):
        return None
    ends = [_text(low, kind), _text(high, kind)]
    # A float meets a number between two floats as a double: the nearest one may lie on either side.
    low_open = low_open and ends[0] is not None and _is_exact(low, kind)
    high_open = high_open and ends[1] is not None and _is_exact(high, kind)
    marks = ("(" if low_open else "[") + (")" if high_open else "]")
    return ends if marks == "[]" else [*ends, marks]


def _is_beyond(end: Any, kind: pa.DataType, *, above: bool) -> bool:
    """Returns whether no value of a type is as high as a number, or as low."""
    limits = _limits(kind)
    if end is None or limits is None:
        return False
    return bool(end > limits[1] if above else end < limits[0])


def _limits(kind: pa.DataType) -> tuple[int, int] | None:
    """Returns the least and the greatest of whole numbers, or of decimals without their points."""
    import pyarrow.types as t

    if t.is_decimal(kind):
        most = 10**kind.precision - 1
        return -most, most
    if t.is_signed_integer(kind):
        end = 1 << kind.bit_width - 1
        return -end, end - 1
    return None


def _is_exact(end: Any, kind: pa.DataType) -> bool:
    import pyarrow.types as t

    if not t.is_float32(kind):
        return True
    try:
        nearest: float = struct.unpack("f", struct.pack("f", end))[0]
    except OverflowError:
        return False
    return bool(nearest == end)


def _text(value: Any, kind: pa.DataType) -> str | None:
    """Returns a value as a plan writes it; None for none, and for what no column can hold."""
    import pyarrow.types as t

    if value is None:
        return None
    if is_binary(kind):
        return str(value.hex())
    if isinstance(value, bool):
        return str(value).lower()
    if is_float(kind):
        special = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return special.get(value, str(float(value)))
    plain = to_python(value, kind)
    if is_time(kind):
        if isinstance(plain, int):  # before year 1 or after year 9999
            return None
        return str(plain.isoformat()).replace("+00:00", "Z")
    limits = _limits(kind)
    if limits is not None and not limits[0] <= int(value) <= limits[1]:
        return None
    return format(plain, "f") if t.is_decimal(kind) else str(plain)
