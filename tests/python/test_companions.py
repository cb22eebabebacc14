"""Which columns go together, by a sample of their rows, without Spark."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.recommendation.column_search import CORRELATED, ColumnSearch
from hudi_zorder.simulation.grouped_sample import GroupedSample


def strength(one: Sequence[Any], other: Sequence[Any]) -> float:
    """How well two columns go together."""
    leaves = {name: ColumnSchema(name, 0, pa.int64(), "INT64", 0, None) for name in ("a", "b")}
    values = [pa.array(column, pa.int64(), from_pandas=True) for column in (one, other)]
    groups = pa.array(np.zeros(len(one), np.int32))
    sample = GroupedSample(groups, values, leaves, [""], [len(one)], nan_shows=True)
    found: Any = SimpleNamespace(
        sample=sample, now=SimpleNamespace(files=[]), preview=SimpleNamespace(groups=[])
    )
    options: Any = None
    return ColumnSearch(found, options, [], print).companion("b", ["a"])[1]


@pytest.mark.parametrize("values", [0, 1, 2, 4, 29])
def test_a_column_of_a_few_values_goes_with_none_by_chance(values: int) -> None:
    other = [*range(values), *[None] * (1000 - values)]
    assert strength(range(1000), other) == 0.0


def test_a_column_of_some_values_goes_with_the_one_that_it_follows() -> None:
    for step in (1, 10, 25):
        other = [2 * n if n % step == 0 else None for n in range(1000)]
        assert strength(range(1000), other) == pytest.approx(1.0)


def test_rows_from_all_of_the_sample_are_compared() -> None:
    """The first rows are of one file, in which the columns go together as nowhere else."""
    chance = np.random.default_rng(0)
    one = np.arange(200_000)
    other = np.concatenate([np.arange(20_000), chance.integers(0, 200_000, 180_000)])
    assert strength(one, other) < CORRELATED / 2
    assert strength(one, np.full(200_000, 7)) == 0.0
