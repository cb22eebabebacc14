"""What a layout is cut for, and what it is judged by, are two halves of the queries."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from itertools import product
from typing import Any

import pytest

from hudi_zorder.workload.drift import Drift
from hudi_zorder.workload.holdout import hold_out
from hudi_zorder.workload.templates import template_of_boxes, template_of_sql
from hudi_zorder.workload.weighted_queries import WeightedQuery

START = datetime(2026, 11, 1, tzinfo=timezone.utc)


def sql(column: str, *values: str) -> str:
    return f"{column} IN ({', '.join(map(repr, values))})"


def boxes(column: str, *values: str) -> str:
    return json.dumps([{column: [[value, value] for value in values]}])


IN_EITHER_FORM = pytest.mark.parametrize(
    ("written", "template_of"), [(sql, template_of_sql), (boxes, template_of_boxes)]
)
Written = Callable[..., str]
TemplateOf = Callable[[str], str]


def test_the_later_half_is_held_back_where_times_are_known() -> None:
    queries = [WeightedQuery(f"a = {n}", 1.0, (START + timedelta(hours=-n),)) for n in range(7)]
    holdout = hold_out(queries, template_of_sql)
    assert [query.text for query in holdout.known] == ["a = 6", "a = 5", "a = 4"]
    assert [query.text for query in holdout.held_back] == ["a = 3", "a = 2", "a = 1", "a = 0"]


def test_a_hash_divides_them_alike_in_any_order_where_they_are_not() -> None:
    queries = [WeightedQuery(f"a = {n}") for n in range(100)]
    holdout = hold_out(queries, template_of_sql)
    assert holdout == hold_out(queries[::-1], template_of_sql)
    assert {*holdout.known, *holdout.held_back} == set(queries)
    assert (len(holdout.known), len(holdout.held_back)) == (50, 50)
    early = sum(query in queries[:50] for query in holdout.known)
    assert 15 < early < 35


def test_of_very_few_each_half_is_all_of_them() -> None:
    queries = [WeightedQuery(f"a = {n}") for n in range(3)]
    holdout = hold_out(queries, template_of_sql)
    assert list(holdout.known) == list(holdout.held_back) == queries
    assert not holdout.are_apart
    assert hold_out([*queries, WeightedQuery("b = 1")], template_of_sql).are_apart


@IN_EITHER_FORM
def test_templates_that_ran_one_after_another_are_halved_each(
    written: Written, template_of: TemplateOf
) -> None:
    """However many values each query has."""
    columns = ("a", "b", "c")
    queries = [
        WeightedQuery(
            written(columns[n // 10], *(f"{n}-{i}" for i in range(1 + n % 3))),
            1.0,
            (START + timedelta(seconds=n),),
        )
        for n in range(30)
    ]
    known = hold_out(queries, template_of).known
    assert known == [query for n, query in enumerate(queries) if n % 10 < 5]


def test_boxes_of_the_same_columns_are_of_one_template() -> None:
    queries = [
        WeightedQuery(json.dumps([{name: [[str(n), None]]}]), 1.0, (START + timedelta(hours=h),))
        for h, (name, n) in enumerate(product(("day", "city"), range(6)))
    ]
    known = hold_out(queries, template_of_boxes).known
    assert [query.text[3:6] for query in known] == ["day"] * 3 + ["cit"] * 3


@pytest.mark.parametrize(
    "box",
    [
        {"day": [["1", "1"]]},
        {"city": [["1", None]]},
        {"city": [[None, "1"]]},
        {"city": [[None, "1", "[)"], ["1", None, "(]"]]},
        {"city": ["null"]},
        {"city": [["1", "1"], "null"]},
        {"city": [[None, None]]},
        {"city": [["1", "1"]], "day": [["1", "1"]]},
    ],
)
def test_boxes_that_ask_in_another_way_are_of_another_template(box: Mapping[str, Any]) -> None:
    assert template_of_boxes(json.dumps([box])) != template_of_boxes(boxes("city", "1"))


LESS, NOT_LESS = [None, "1", "[)"], ["1", None]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([["1", "1"]], [["1", "2"]]),
        ([["1", "1"], ["2", "2"]], [["1", "2"]]),
        ([[None, "1", "[)"], ["1", None, "(]"]], [LESS, ["1", "3", "()"], ["3", None, "(]"]]),
        (["null"], ["null", LESS]),
        (["null", ["0", "1"], NOT_LESS], ["null", LESS, NOT_LESS]),
    ],
)
def test_boxes_are_of_one_template_that_java_writes_alike(one: list[Any], other: list[Any]) -> None:
    """It joins ranges whose words follow one another, such as nulls and the least values."""
    texts = (json.dumps([{"day": values}]) for values in (one, other))
    first, second = map(template_of_boxes, texts)
    assert first == second


@pytest.mark.parametrize("last", ["2026-11-02", "2026-11-08"])
def test_days_are_of_one_template_however_many_a_report_asks(last: str) -> None:
    customer, day = {"customer": [["7", "7"]]}, "2026-11-02"
    before = [[0.6, customer], [0.4, {"day": [[day, day]]}]]
    drift = Drift.of(before, [[0.6, customer], [0.4, {"day": [[day, last]]}]])
    assert drift.templates == 0
    assert drift.is_small


@pytest.mark.parametrize(
    "values",
    [
        "1, -2, 3",
        "'x', 'it\\'s', 'y, z'",
        "1.5D, 1e-05D",
        "DATE '2026-11-01', DATE '2026-11-02'",
        "TIMESTAMP '2026-11-01 00:00:00Z', TIMESTAMP '2026-11-02'",
        "TIMESTAMP_NTZ '2026-11-01', TIMESTAMP_NTZ '2026-11-02'",
        "X'00', X'01', X'02'",
    ],
)
def test_lists_of_other_lengths_are_of_one_template(values: str) -> None:
    assert template_of_sql(f"a IN ({values}) AND b1 = 5") == "a IN (?) AND b1 = ?"


def test_an_odd_query_goes_to_either_half_by_turns() -> None:
    queries = [WeightedQuery(f"{column} = {n}") for column in "abcd" for n in range(3)]
    holdout = hold_out(queries, template_of_sql)
    assert (len(holdout.known), len(holdout.held_back)) == (6, 6)


def test_a_query_that_comes_again_is_in_both_halves_with_what_it_weighs_there() -> None:
    days = [START + timedelta(days=n) for n in range(60)]
    dashboards = [WeightedQuery(f"a = {n}", 60.0, tuple(days)) for n in range(10)]
    once = [WeightedQuery(f"b = {n}", 1.0, (days[n % 3],)) for n in range(40)]
    holdout = hold_out([*dashboards, *once], template_of_sql)
    for half, asked in ((holdout.known, days[:30]), (holdout.held_back, days[30:])):
        again = [query for query in half if query.weight != 1]
        assert sorted(query.text for query in again) == [f"a = {n}" for n in range(10)]
        assert {(query.weight, query.asked) for query in again} == {(30.0, tuple(asked))}
        assert len(half) == 30


@IN_EITHER_FORM
def test_the_cut_lies_in_time_and_not_in_each_query(
    written: Written, template_of: TemplateOf
) -> None:
    days = [START + timedelta(days=n) for n in range(40)]
    first, second = written("a", "Berlin"), written("a", "Paris", "Rome")
    early = WeightedQuery(first, 20.0, tuple(days[:20]))
    late = WeightedQuery(second, 20.0, tuple(days[15:35]))
    others = [WeightedQuery(written(name, "x")) for name in "bc"]
    holdout = hold_out([early, late, *others], template_of)
    known, held_back = (
        {query.text: query.weight for query in half} for half in (holdout.known, holdout.held_back)
    )
    assert (known[first], known[second]) == (18, 2)
    assert (held_back[first], held_back[second]) == (2, 18)
