"""How far the queries of a table have moved from those that its files are cut for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hudi_zorder.workload.templates import template_of_boxes, text_of_boxes
from hudi_zorder.workload.weighted_queries import WeightedQuery

# Days move on with each load, and for other ones of the same template a layout is cut, too.
_NEAR_QUERIES: Final = 0.5
_NEAR_TEMPLATES: Final = 0.1
_ROUNDING: Final = 1e-9  # of weights as a plan keeps them


@dataclass(frozen=True)
class Drift:
    """Which part of the queries of a plan, by weight, are others than those of another.

    Attributes:
        queries: the share of other queries.
        templates: the share of those that are others whatever their literals.
    """

    queries: float
    templates: float

    @classmethod
    def of(
        cls,
        before: Iterable[Sequence[Any]],
        now: Iterable[Sequence[Any]],
        elsewhere: float = 0.0,
    ) -> Drift:
        """Compares queries as a plan keeps them: each a list of its weight and its boxes.

        Args:
            before: those of the plan.
            now: those of the other one.
            elsewhere: the weight of further ones, now, that ask none of the plan's columns.
        """
        some, others = _shown(before), _shown(now)
        return cls(
            queries=_distance(some, others, elsewhere, lambda text: text),
            templates=_distance(some, others, elsewhere, template_of_boxes),
        )

    def __bool__(self) -> bool:
        """Tells whether there is any, but for rounding."""
        return self.queries > _ROUNDING

    @property
    def is_small(self) -> bool:
        """Whether the files need not be cut anew."""
        return (
            self.queries <= _NEAR_QUERIES + _ROUNDING
            and self.templates <= _NEAR_TEMPLATES + _ROUNDING
        )

    def __str__(self) -> str:
        """Returns the beginning of a sentence."""
        return (
            f"of the queries, by weight, {self.queries:.1%} are others than those of the last "
            f"clustering, {self.templates:.1%} whatever their literals"
        )


def _shown(queries: Iterable[Sequence[Any]]) -> list[WeightedQuery]:
    return [WeightedQuery(text_of_boxes(boxes), weight) for weight, *boxes in queries]


def _distance(
    some: Sequence[WeightedQuery],
    others: Sequence[WeightedQuery],
    elsewhere: float,
    kind: Callable[[str], str],
) -> float:
    """Returns the total variation distance between the kinds of queries, by weight."""
    left: dict[str, float] = defaultdict(float)
    total_now = elsewhere + sum(query.weight for query in others)
    for queries, total in ((some, sum(query.weight for query in some)), (others, -total_now)):
        for query in queries:
            left[kind(query.text)] += query.weight / total
    further = elsewhere / total_now if elsewhere else 0.0
    return (sum(map(abs, left.values())) + further) / 2
