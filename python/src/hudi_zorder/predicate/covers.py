"""Few alternatives in place of many: neighbours are covered by what holds of each of them.

An alternative is tests of which all pass. A cover is true of every row of which one of its
alternatives is, and of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hudi_zorder.predicate.value_tests import Interval, Point, ValueTest, any_of

Alternative = tuple[ValueTest, ...]


def covered(alternatives: Sequence[Alternative], most: int) -> list[Alternative]:
    """Returns alternatives of which one is true wherever one of those given is, a few of them.

    Args:
        alternatives: more than these, if need be; those near one another are covered together.
        most: how many are returned at most, above 0.
    """
    if len(alternatives) <= most:
        return list(alternatives)
    near = sorted(alternatives, key=_place)
    ends = [len(near) * i // most for i in range(most + 1)]
    found = [_cover(near[low:high]) for low, high in pairwise(ends)]
    return [()] if () in found else found


def _place(tests: Alternative) -> tuple[list[str], list[Any]]:
    tests = tuple(sorted(tests, key=lambda test: test.column))
    lows = [test.intervals[0].low if test.intervals else None for test in tests]
    return [test.column for test in tests], [(low is not None, low) for low in lows]


def _cover(alternatives: Sequence[Alternative]) -> Alternative:
    """Returns a test of each column that all alternatives test."""
    if len(alternatives) == 1:
        return alternatives[0]
    shared = set.intersection(*({test.column for test in tests} for tests in alternatives))
    hulls = (
        _hull([[test for test in tests if test.column == column] for tests in alternatives])
        for column in sorted(shared)
    )
    return tuple(hull for hull in hulls if hull is not None)


def _hull(alternatives: Sequence[Sequence[ValueTest]]) -> ValueTest | None:
    """Returns one test of a column for all alternatives; None where they measure it by others."""
    tests = [test for own in alternatives for test in own]
    if any(test.convert is not None for test in tests):
        return None
    if len(tests) == len(alternatives) and all(test.is_of_points for test in tests):
        return any_of(tests)
    ends = [_ends(own) for own in alternatives if all(test.intervals for test in own)]
    lows, highs = [low for low, _ in ends], [high for _, high in ends]
    return ValueTest(
        tests[0].column,
        " OR ".join(test.text for test in tests),
        (Interval(_least(lows), _greatest(highs)),) if ends else (),
        any(all(test.null_passes for test in own) for own in alternatives),
        any(all(test.nan_passes for test in own) for own in alternatives),
    )


def _ends(tests: Sequence[ValueTest]) -> tuple[Point | None, Point | None]:
    """Returns where the values that pass all tests begin and end; None where they do not."""
    lows = [test.intervals[0].low for test in tests]
    highs = [test.intervals[-1].high for test in tests]
    return (
        max((low for low in lows if low is not None), default=None),
        min((high for high in highs if high is not None), default=None),
    )


def _least(lows: Sequence[Point | None]) -> Point | None:
    return None if None in lows else min(lows)  # type: ignore[type-var]


def _greatest(highs: Sequence[Point | None]) -> Point | None:
    return None if None in highs else max(highs)  # type: ignore[type-var]
