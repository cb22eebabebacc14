"""Few alternatives in place of many are true of every row that any of the many is true of."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from hudi_zorder.predicate.covers import Alternative, covered
from hudi_zorder.predicate.value_tests import Interval, ValueTest, within

VALUES = range(8)
ENDS = st.none() | st.sampled_from(VALUES)
INTERVALS = st.one_of(
    st.builds(Interval, ENDS, ENDS, st.booleans(), st.booleans()).map(lambda part: (part,)),
    st.lists(st.sampled_from(VALUES), max_size=2).map(lambda ns: within((n, n) for n in ns)),
)
TESTS = st.builds(
    ValueTest, st.sampled_from("abc"), st.just("t"), INTERVALS, st.booleans(), st.booleans()
)
ALTERNATIVES = st.lists(st.lists(TESTS, min_size=1, max_size=3).map(tuple), min_size=1, max_size=9)
ROWS = st.lists(st.tuples(*[st.none() | st.sampled_from([*VALUES, float("nan")])] * 3), max_size=9)


def is_true(alternatives: Sequence[Alternative], row: Sequence[float | None]) -> bool:
    values = dict(zip("abc", row, strict=True))
    return any(
        all(
            test.null_passes if (value := values[test.column]) is None else test.passes(value)
            for test in tests
        )
        for tests in alternatives
    )


@settings(max_examples=300)
@given(ALTERNATIVES, st.integers(1, 5), ROWS)
def test_a_cover_is_true_where_what_it_covers_is(
    alternatives: list[Alternative], most: int, rows: list[tuple[float | None, ...]]
) -> None:
    few = covered(alternatives, most)
    assert len(few) <= max(most, 1)
    for row in rows:
        assert is_true(few, row) or not is_true(alternatives, row)
