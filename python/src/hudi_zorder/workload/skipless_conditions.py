"""What to say of the conditions of queries that skip no file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from hudi_zorder.skipping.passed_over import passed_over
from hudi_zorder.workload.bound_queries import BoundQuery

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

_MOST_TOLD: Final = 5


def skipless_conditions(snapshot: TableSnapshot, asked: Iterable[BoundQuery]) -> list[str]:
    """Returns a sentence for each condition or column; of many those of the first queries.

    By some no statistics skip, and by others those of Hudi's index do not, of which what the
    footers say is what is judged.
    """
    bound = [predicate for query in asked for predicate in query.predicates]
    unusable = dict.fromkeys(part for predicate in bound for part in predicate.unusable)
    return [
        *_first([f"{part.text} skips nothing: {part.reason}" for part in unusable]),
        *_first([str(fault) for fault in passed_over(snapshot, (part.source for part in bound))]),
    ]


def _first(notes: list[str]) -> list[str]:
    others = len(notes) - _MOST_TOLD
    if others <= 0:
        return notes
    return [*notes[:_MOST_TOLD], f"the like is to be said of {others:,} more"]
