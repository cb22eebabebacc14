"""Queries held back from a layout, to tell whether it serves those that it has not seen."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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


def hold_out(queries: Sequence[WeightedQuery], template_of: Callable[[str], str]) -> Holdout:
    """Holds back the later half of each template's queries, or those by a hash without times.

    A layout is for the queries to come, which are more like the latest ones. Queries are of one
    template that are the same but for their literals: a report that runs its templates one after
    another is not to be judged by those alone that come last.

    What is halved are the times that a template was asked: a query that comes again and again is
    in both halves, with what it weighs in each.

    Args:
        queries: all of them.
        template_of: returns the template of a query's text.
    """
    if len(queries) < LEAST_QUERIES:
        return Holdout(queries, queries)
    ordered = sorted(queries, key=_place)
    templates: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for place, query in enumerate(ordered):
        templates[template_of(query.text)] += ((time, place) for time in _times(query))
    alone = [group[0] for group in templates.values() if len(group) == 1]
    groups = [*(group for group in templates.values() if len(group) > 1), alone]
    later: Counter[int] = Counter()
    odd = 0
    for group in groups:
        later.update(place for _, place in sorted(group)[(len(group) + odd % 2) // 2 :])
        odd += len(group) % 2
    halves = [_halves(query, later[place]) for place, query in enumerate(ordered)]
    return Holdout(
        [known for known, _ in halves if known], [held_back for _, held_back in halves if held_back]
    )


def are_timed(queries: Sequence[WeightedQuery]) -> bool:
    """Returns whether it is known when any of enough queries was asked."""
    return len(queries) >= LEAST_QUERIES and any(query.asked for query in queries)


def _place(query: WeightedQuery) -> tuple[float, bytes]:
    asked = query.last.timestamp() if query.last else 0.0
    return asked, hash_of(query)


def _times(query: WeightedQuery) -> Sequence[float]:
    """Returns when a query was asked; once and before all others where nobody knows."""
    return [time.timestamp() for time in query.asked] or [0.0]


def _halves(query: WeightedQuery, later: int) -> tuple[WeightedQuery | None, WeightedQuery | None]:
    """Returns a query as it was asked at first and, the given number of times, at last."""
    times = len(query.asked) or 1
    if later == 0:
        return query, None
    if later == times:
        return None, query
    cut = times - later
    return (
        replace(query, weight=query.weight * cut / times, asked=query.asked[:cut]),
        replace(query, weight=query.weight * later / times, asked=query.asked[cut:]),
    )
