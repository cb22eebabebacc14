"""Of more columns than a plan can have, those are chosen by which queries stay of use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import hudi_zorder as hz
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.workload.queries_to_plan import PlannedQueries, queries_for_plan
from plain_table import write_plain_table

NAMES = [*(f"c{n:02}" for n in range(18)), *(f"d{n:02}" for n in range(18)), "z"]


def any_of(names: Sequence[str]) -> str:
    return " OR ".join(f"{name} = 1" for name in names)


WIDE = any_of(NAMES[:17])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = pa.table({name: [1] for name in NAMES})
    return write_plain_table(tmp_path_factory.mktemp("cut") / "t", [rows])


def planned(table: Path, *queries: tuple[str, float]) -> PlannedQueries:
    return queries_for_plan(TableSnapshot.open(table), list(queries), "UTC", None)


def test_a_query_of_more_columns_than_there_can_be_is_refused_for_that(table: Path) -> None:
    with pytest.raises(hz.PredicateError, match="cut by at most 16 columns") as why:
        planned(table, (WIDE, 1.0))
    assert "none compares" not in str(why.value)


def test_it_takes_no_columns_from_others(table: Path) -> None:
    found = planned(table, (WIDE, 9.0), ("z = 1", 1.0))
    assert found.columns == ("z",)
    assert [query.text for query in found.used] == ["z = 1"]
    [note] = found.notes
    assert note.startswith("90% of the queries, by weight, compare no sort column")


def test_where_the_alternatives_of_all_do_not_fit_those_of_some_do(table: Path) -> None:
    """Of equal columns the first ones were some of each query, and none of use."""
    halves = NAMES[:20:2], NAMES[1:20:2]
    found = planned(table, *((any_of(half), 1.0) for half in halves))
    assert sorted(found.columns) in halves
    assert len(found.used) == 1


def test_16_alternatives_are_all_kept(table: Path) -> None:
    found = planned(table, (any_of(NAMES[:16]), 1.0), ("d00 = 1", 0.5))
    assert sorted(found.columns) == NAMES[:16]
    [[_, *boxes]] = json.loads(found.text)["queries"]
    assert len(boxes) == 16


def test_of_conditions_that_all_hold_some_are_enough(table: Path) -> None:
    found = planned(table, (" AND ".join(f"{name} = 1" for name in NAMES[:18]), 1.0))
    assert sorted(found.columns) == NAMES[:16]
    assert found.notes == ("2 columns that less is asked of were not looked at: c16, c17",)
