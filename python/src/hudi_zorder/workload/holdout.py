"""Queries held back from a layout, to tell whether it serves those that it has not seen."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.workload.weighted_queries import WeightedQuery, hash_of

LEAST_QUERIES: Final = 4  # of fewer, no half says anything about the other

# A quoted text that is no key of JSON, or a number that is no part of a name.
_LITERAL: Final = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"(?!\s*:)|(?<![\w.`])[-+]?\d[\w.]*"""
)
_LITERALS: Final = re.compile(r"\?(?:\s*,\s*\?)+")


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
    """Holds back the later half of each template's queries, or those by a hash without times.

    A layout is for the queries to come, which are more like the latest ones. Queries are of one
    template that are the same but for their literals: a report that runs its templates one after
    another is not to be judged by those alone that come last.
    """
    if len(queries) < LEAST_QUERIES:
        return Holdout(queries, queries)
    ordered = sorted(queries, key=_place)
    templates: dict[str, list[WeightedQuery]] = defaultdict(list)
    for query in ordered:
        templates[template_of(query)].append(query)
    alone = [query for group in templates.values() for query in group if len(group) == 1]
    groups = [*(group for group in templates.values() if len(group) > 1), alone]
    later: set[WeightedQuery] = set()
    odd = 0
    for group in groups:
        later.update(group[(len(group) + odd % 2) // 2 :])
        odd += len(group) % 2
    return Holdout(
        [query for query in ordered if query not in later],
        [query for query in ordered if query in later],
    )


def are_timed(queries: Sequence[WeightedQuery]) -> bool:
    """Returns whether it is known when any of enough queries was asked."""
    return len(queries) >= LEAST_QUERIES and any(query.last for query in queries)


def _place(query: WeightedQuery) -> tuple[float, bytes]:
    asked = query.last.timestamp() if query.last else 0.0
    return asked, hash_of(query)


def template_of(query: WeightedQuery) -> str:
    """Returns a query, SQL or its boxes as JSON, without literals and their number."""
    return _LITERALS.sub("?", _LITERAL.sub("?", query.text))
