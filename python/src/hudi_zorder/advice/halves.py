"""Queries in two halves: those that a layout is cut for, and those that tell whether it serves."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.advice.workload import WeightedQuery

LEAST: Final = 4  # of fewer, no half says anything about the other


@dataclass(frozen=True)
class Halves:
    """The two; of very few queries each is all of them.

    Attributes:
        used: those that the layout may know.
        held_back: those that it is judged by.
    """

    used: Sequence[WeightedQuery]
    held_back: Sequence[WeightedQuery]

    @property
    def are_apart(self) -> bool:
        """Whether the layout is judged by other queries than it may know."""
        return self.used is not self.held_back


def halves_of(queries: Sequence[WeightedQuery]) -> Halves:
    """Returns the earlier half and the later one, or two by a hash where no times are known.

    A layout is for the queries to come, which are more like the latest ones.
    """
    if len(queries) < LEAST:
        return Halves(queries, queries)
    ordered = sorted(queries, key=_place)
    middle = len(ordered) // 2
    return Halves(ordered[:middle], ordered[middle:])


def are_timed(queries: Sequence[WeightedQuery]) -> bool:
    """Returns whether it is known when any of enough queries was asked."""
    return len(queries) >= LEAST and any(query.last for query in queries)


def _place(query: WeightedQuery) -> tuple[float, bytes]:
    asked = query.last.timestamp() if query.last else 0.0
    return asked, hashlib.sha256(query.text.encode()).digest()
