"""Which columns files are cut by, where queries compare more of them than a plan can have."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hudi_zorder.workload.judged_queries import most_asked, place_of
from hudi_zorder.workload.weighted_queries import WeightedQuery


@dataclass(frozen=True)
class AskedColumns:
    """The columns that a query compares with values.

    Attributes:
        query: the query.
        names: the columns by which files can be cut for it.
        apart: those of them of which it tells values apart, not only nulls from values.
        boxes: all of each alternative of it.
    """

    query: WeightedQuery
    names: frozenset[str]
    apart: frozenset[str]
    boxes: tuple[frozenset[str], ...]

    @property
    def least(self) -> int:
        """How many columns it needs at least, lest it read everything."""
        return len(frozenset().union(*(box for box in self.boxes if len(box) == 1)))

    def is_torn_by(self, columns: Iterable[str]) -> bool:
        """Returns whether it asks some of the columns, and yet reads everything by these alone."""
        kept = frozenset(columns)
        return not self.names.isdisjoint(kept) and any(map(kept.isdisjoint, self.boxes))


def columns_to_cut_by(asked: Sequence[AskedColumns], most: int) -> tuple[list[str], list[str]]:
    """Returns the columns that are asked most, and the note that others were left out.

    A query that would read everything by these alone has no say in which they are: those that need
    more columns than there can be have none at all, and of others the heaviest have it.

    Args:
        asked: the columns of each query.
        most: how many columns there can be.
    """
    left = list(asked)
    while True:
        columns, note = most_asked(column_weights(left), most)
        torn = [one for one in left if note and one.is_torn_by(columns)]
        if not torn:
            return columns, note
        torn.sort(key=lambda one: place_of(one.query))
        hopeless = [one for one in torn if one.least > most]
        # Half of them at a time, for there can be thousands.
        without = {id(one) for one in hopeless or torn[len(torn) // 2 :]}
        left = [one for one in left if id(one) not in without]


def column_weights(asked: Iterable[AskedColumns]) -> dict[str, float]:
    """Returns how much is asked of each column."""
    return _weights((one.names, one.query.weight) for one in asked)


def weights_of_values(asked: Iterable[AskedColumns]) -> dict[str, float]:
    """Returns how much is asked of each column's values: what cuts at these are worth.

    One cut serves all who ask for the nulls of a column, or for none of them.
    """
    return _weights((one.apart, one.query.weight) for one in asked)


def _weights(asked: Iterable[tuple[frozenset[str], float]]) -> dict[str, float]:
    weights: dict[str, list[float]] = defaultdict(list)
    for names, weight in asked:
        for name in names:
            weights[name].append(weight)
    return {name: math.fsum(parts) for name, parts in weights.items()}
