"""Queries held back from a layout, to tell whether it serves those that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.workload.weighted_queries import WeightedQuery, hash_of

LEAST_QUERIES: Final = 4  # of fewer, no half says anything about the other


@dataclass(frozen=True)
class Holdout:
    """Queries in two halves; of very few queries each is all of them.

    Attributes:
        known: those that the layout may know.
        held_back: those that it is judged by.
    """

    known: Sequence[WeightedQuery]
    held_back: Sequence[WeightedQuery]

    @property
    def are_apart(self) -> bool:
        """Whether the layout is judged by other queries than it may know."""
        return self.known is not self.held_back


def hold_out(queries: Sequence[WeightedQuery]) -> Holdout:
    """Holds back the later half of queries, or one by a hash where no times are known.

    A layout is for the queries to come, which are more like the latest ones.
    """
    if len(queries) < LEAST_QUERIES:
        return Holdout(queries, queries)
    ordered = sorted(queries, key=_place)
    middle = len(ordered) // 2
    return Holdout(ordered[:middle], ordered[middle:])


def are_timed(queries: Sequence[WeightedQuery]) -> bool:
    """Returns whether it is known when any of enough queries was asked."""
    return len(queries) >= LEAST_QUERIES and any(query.last for query in queries)


def _place(query: WeightedQuery) -> tuple[float, bytes]:
    asked = query.last.timestamp() if query.last else 0.0
    return asked, hash_of(query)
