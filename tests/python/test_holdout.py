"""What a layout is cut for, and what it is judged by, are two halves of the queries."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from itertools import product

from hudi_zorder.workload.holdout import hold_out
from hudi_zorder.workload.weighted_queries import WeightedQuery

START = datetime(2026, 11, 1, tzinfo=timezone.utc)


def test_the_later_half_is_held_back_where_times_are_known() -> None:
    queries = [WeightedQuery(f"a = {n}", 1.0, (START + timedelta(hours=-n),)) for n in range(7)]
    holdout = hold_out(queries)
    assert [query.text for query in holdout.known] == ["a = 6", "a = 5", "a = 4"]
    assert [query.text for query in holdout.held_back] == ["a = 3", "a = 2", "a = 1", "a = 0"]


def test_a_hash_divides_them_alike_in_any_order_where_they_are_not() -> None:
    queries = [WeightedQuery(f"a = {n}") for n in range(100)]
    holdout = hold_out(queries)
    assert holdout == hold_out(queries[::-1])
    assert {*holdout.known, *holdout.held_back} == set(queries)
    assert (len(holdout.known), len(holdout.held_back)) == (50, 50)
    early = sum(query in queries[:50] for query in holdout.known)
    assert 15 < early < 35


def test_of_very_few_each_half_is_all_of_them() -> None:
    queries = [WeightedQuery(f"a = {n}") for n in range(3)]
    holdout = hold_out(queries)
    assert list(holdout.known) == list(holdout.held_back) == queries
    assert not holdout.are_apart
    assert hold_out([*queries, WeightedQuery("b = 1")]).are_apart


def test_templates_that_ran_one_after_another_are_halved_each() -> None:
    columns = ("a", "b", "c")
    queries = []
    for n in range(30):
        values = ", ".join(["'x'"] * (1 + n % 3))
        text = f"{columns[n // 10]} = {n} AND d IN ({values})"
        queries.append(WeightedQuery(text, 1.0, (START + timedelta(seconds=n),)))
    holdout = hold_out(queries)
    for column in columns:
        own = [query for query in queries if query.text.startswith(column)]
        assert [query for query in own if query in holdout.known] == own[:5]


def test_boxes_of_the_same_columns_are_of_one_template() -> None:
    queries = [
        WeightedQuery(json.dumps([{name: [[str(n), None]]}]), 1.0, (START + timedelta(hours=h),))
        for h, (name, n) in enumerate(product(("day", "city"), range(6)))
    ]
    assert [query.text[3:6] for query in hold_out(queries).known] == ["day"] * 3 + ["cit"] * 3


def test_an_odd_query_goes_to_either_half_by_turns() -> None:
    queries = [WeightedQuery(f"{column} = {n}") for column in "abcd" for n in range(3)]
    holdout = hold_out(queries)
    assert (len(holdout.known), len(holdout.held_back)) == (6, 6)


def test_a_query_that_comes_again_is_in_both_halves_with_what_it_weighs_there() -> None:
    days = [START + timedelta(days=n) for n in range(60)]
    dashboards = [WeightedQuery(f"a = {n}", 60.0, tuple(days)) for n in range(10)]
    once = [WeightedQuery(f"b = {n}", 1.0, (days[n % 3],)) for n in range(40)]
    holdout = hold_out([*dashboards, *once])
    for half, asked in ((holdout.known, days[:30]), (holdout.held_back, days[30:])):
        again = [query for query in half if query.weight != 1]
        assert sorted(query.text for query in again) == [f"a = {n}" for n in range(10)]
        assert {(query.weight, query.asked) for query in again} == {(30.0, tuple(asked))}
        assert len(half) == 30


def test_the_cut_lies_in_time_and_not_in_each_query() -> None:
    days = [START + timedelta(days=n) for n in range(40)]
    early = WeightedQuery("a = 1", 20.0, tuple(days[:20]))
    late = WeightedQuery("a = 2", 20.0, tuple(days[15:35]))
    holdout = hold_out([early, late, WeightedQuery("b = 1"), WeightedQuery("c = 1")])
    known, held_back = (
        {query.text: query.weight for query in half} for half in (holdout.known, holdout.held_back)
    )
    assert (known["a = 1"], known["a = 2"]) == (18, 2)
    assert (held_back["a = 1"], held_back["a = 2"]) == (2, 18)
