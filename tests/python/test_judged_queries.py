"""Which queries layouts are judged by, without Spark."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from hudi_zorder.recommendation.column_search import ColumnSearch
from hudi_zorder.workload.bound_queries import BoundQuery
from hudi_zorder.workload.judged_queries import heaviest, left_out
from hudi_zorder.workload.weighted_queries import WeightedQuery


def search_of(files: int, asked: list[BoundQuery]) -> ColumnSearch:
    group = SimpleNamespace(files=files)
    found: Any = SimpleNamespace(
        now=SimpleNamespace(files=[None] * files), preview=SimpleNamespace(groups=[group])
    )
    options: Any = None
    return ColumnSearch(found, options, asked, print)


def query(text: str, weight: float = 1.0) -> BoundQuery:
    predicate: Any = SimpleNamespace(leaves={})
    return BoundQuery(WeightedQuery(text, weight), (predicate,))


@pytest.mark.parametrize("files", [1_000, 10_000, 60_000])
def test_of_queries_of_one_weight_some_of_either_half_are_looked_at(files: int) -> None:
    asked = [query(f"{'a' if i < 100 else 'b'} = {i}") for i in range(200)]
    search = search_of(files, asked)
    halves = Counter(part.query.text[0] for part in search.asked)
    assert len(search.asked) >= 50
    assert min(halves.values()) > 15
    [note] = search.notes
    assert note == (
        "150 of 200 queries, with 75.0% of all weight, were left out: to save time; "
        "the heaviest stayed, of equal ones some"
    )


def test_the_heaviest_are_looked_at_and_the_note_tells_what_the_others_weigh() -> None:
    asked = [query(f"a = {i}", weight=30.0 if i >= 190 else 1.0) for i in range(200)]
    search = search_of(10_000, asked)
    assert {part.query.text for part in asked[190:]} <= {p.query.text for p in search.asked}
    assert search.asked[:10] == asked[190:]
    assert "150 of 200 queries, with 30.6% of all weight" in search.notes[0]
    assert search.all_weight == 340.0


def test_few_queries_are_all_looked_at_in_their_order() -> None:
    asked = [query("a = 1"), query("b = 1", 2.0), query("c = 1")]
    assert [part.query.text for part in search_of(10, asked).asked] == ["b = 1", "a = 1", "c = 1"]
    assert search_of(10, asked).notes == []
    assert heaviest(asked, 3) == asked
    assert left_out(asked, asked, "") == []


def test_which_of_equal_weight_are_looked_at_depends_on_no_order() -> None:
    queries = [WeightedQuery(f"a = {i}") for i in range(100)]
    assert set(heaviest(queries, 10)) == set(heaviest(queries[::-1], 10))
    assert heaviest(queries, 10) != queries[:10]
