"""Whether values can satisfy a leaf of a predicate, when only something is known of them.

Every test of a column against literals is a set of intervals on the column's values, with two bits
more: whether null passes, and whether NaN does, which Spark puts above all other values. A test
says *no* only when no value that agrees with what is known can pass.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable

Point = Comparable | Fraction


@dataclass(frozen=True, slots=True)
class Interval:
    """Values between two ends; an end of None is open to infinity."""

    low: Point | None = None
    high: Point | None = None
    low_open: bool = False
    high_open: bool = False

    def meets(self, low: Point, high: Point) -> bool:
        """Returns whether a value of the closed range can lie in the interval."""
        above = self.low is None or high > self.low or (high == self.low and not self.low_open)  # type: ignore[operator]
        return above and not self.ends_before(low)

    def ends_before(self, low: Point) -> bool:
        """Returns whether every value in the interval is below another one."""
        if self.high is None:
            return False
        return low > self.high or (low == self.high and self.high_open)  # type: ignore[operator]


EVERYTHING = (Interval(),)
NOTHING: tuple[Interval, ...] = ()


def outside(points: Iterable[Point]) -> tuple[Interval, ...]:
    """Returns the intervals that hold every value but the points."""
    ends = [None, *sorted(set(points)), None]
    return tuple(
        Interval(low, high, low is not None, high is not None) for low, high in pairwise(ends)
    )


def within(ends: Iterable[tuple[Point, Point]]) -> tuple[Interval, ...]:
    """Returns the intervals that hold what lies in one of the closed ranges.

    Ranges that overlap are joined: a search needs intervals in order by both ends, and of two that
    lie one in the other the ends are not.
    """
    joined: list[tuple[Point, Point]] = []
    for low, high in sorted(ends):
        if joined and low <= joined[-1][1]:  # type: ignore[operator]
            low, last = joined.pop()
            high = max(high, last)
        joined.append((low, high))
    return tuple(Interval(*pair) for pair in joined)


@dataclass(frozen=True, slots=True)
class ValueTest:
    """What a column's value must be for a leaf to be true.

    Attributes:
        column: the column's name.
        text: the leaf in SQL.
        intervals: where a value passes that is neither null nor NaN; in order, by both ends.
        null_passes: whether null passes.
        nan_passes: whether NaN passes.
        convert: from a value to what the intervals are made of; never inverts an order.
        narrower: for single values, what must hold beside the intervals; None when nothing.
    """

    column: str
    text: str
    intervals: tuple[Interval, ...]
    null_passes: bool = False
    nan_passes: bool = False
    convert: Callable[[Comparable], Point] | None = None
    narrower: Callable[[Comparable], bool] | None = None

    @property
    def is_of_points(self) -> bool:
        """Whether the intervals are closed, and say all that there is to say of values."""
        return (
            self.convert is None
            and self.narrower is None
            and all(
                part.low is not None
                and part.high is not None
                and not part.low_open
                and not part.high_open
                for part in self.intervals
            )
        )

    def may_pass(self, bounds: Bounds) -> bool:
        """Returns whether a row may pass whose value agrees with the bounds."""
        return not self.why_not(bounds)

    def why_not(self, bounds: Bounds) -> str:
        """Returns why no row can pass, or nothing when one may."""
        if self.null_passes and bounds.null_count != 0:
            return ""
        if not self.intervals and not self.nan_passes:
            return "no value is null" if self.null_passes else "no value passes"
        if bounds.all_null:
            return "all values are null"
        if (self.nan_passes and bounds.may_hold_nan) or bounds.low is None or bounds.high is None:
            return ""
        low, high = self._converted(bounds.low), self._converted(bounds.high)
        if self._passes_between(low, high):
            return ""
        return "outside minimum and maximum"

    def surely_meets_an_end(self, bounds: Bounds) -> bool:
        """Returns whether the lowest or highest value passes, if there is such a value.

        Then a look at every single value is hardly worth its time.
        """
        ends = (bounds.low, bounds.high)
        return any(end is not None and self.passes(end) for end in ends)

    def may_pass_any(self, values: Iterable[Comparable], null_count: int | None) -> bool:
        """Returns whether one of the values, or a null, may pass.

        Args:
            values: every value that there may be, save null.
            null_count: how many nulls there are; None when unknown.
        """
        if self.null_passes and null_count != 0:
            return True
        return any(self.passes(value) for value in values)

    def passes(self, value: Comparable) -> bool:
        """Returns whether a value passes that is not null."""
        if isinstance(value, float) and math.isnan(value):
            return self.nan_passes
        point = self._converted(value)
        if not self._passes_between(point, point):
            return False
        return self.narrower is None or self.narrower(value)

    def _passes_between(self, low: Point, high: Point) -> bool:
        """Returns whether an interval has a value of a closed range; there may be thousands."""
        first = bisect_left(self.intervals, True, key=lambda part: not part.ends_before(low))
        return first < len(self.intervals) and self.intervals[first].meets(low, high)

    def _converted(self, value: Comparable) -> Point:
        return value if self.convert is None else self.convert(value)


def any_of(tests: Sequence[ValueTest]) -> ValueTest:
    """Returns the test that is passed where any of some is: all of one column, and of points."""
    first, *others = tests
    if not others:
        return first
    return ValueTest(
        first.column,
        " OR ".join(test.text for test in tests),
        within((part.low, part.high) for test in tests for part in test.intervals),  # type: ignore[misc]
        any(test.null_passes for test in tests),
        any(test.nan_passes for test in tests),
    )
