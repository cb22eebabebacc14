"""Which partitions queries ask for, as a plan keeps it beside their boxes.

The form is that of ``partitions`` in Java's ``io.hudizorder.option.QueriesOption``. Boxes tell of
which layout files are; partitions do not, so that files stay of theirs while days go on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

from hudi_zorder.workload.judged_queries import place_of
from hudi_zorder.workload.query_boxes import Box
from hudi_zorder.workload.templates import place_of_box, text_of_boxes
from hudi_zorder.workload.weighted_queries import LEAST_WEIGHT, WeightedQuery

PARTITIONS: Final = "partitions"

_QUERIES: Final = "queries"
_MOST: Final = 10_000  # that a plan keeps: a query may ask for any number of partitions
_MOST_LETTERS: Final = 750_000  # of these, told twice where a query is in both halves
_ROUNDING: Final = 1e-9

# The conditions on partition columns of each box, or once for all, as JSON, and their share.
Asked = Mapping[str, float]


class AskedPartitions:
    """The partitions that queries ask for, which are told apart by their boxes as JSON."""

    def __init__(self) -> None:
        self._weights: dict[tuple[str, str], float] = defaultdict(float)

    def add(self, boxes: str, conditions: Sequence[Box], weight: float) -> None:
        """Adds a query that asks for the partitions of some conditions, one for each box."""
        if not any(conditions):
            return  # it asks for every one
        alike = all(one == conditions[0] for one in conditions)
        told = json.dumps(conditions[:1] if alike else conditions, sort_keys=True)
        self._weights[boxes, told] += weight

    def left_out(self) -> int:
        """Returns how many are not kept: those of the least weight."""
        return len(self._weights) - len(self._kept)

    def of(self, queries: Iterable[WeightedQuery]) -> Mapping[str, Asked]:
        """Returns what is kept of queries, by their texts, which are their boxes."""
        weights = {query.text: query.weight for query in queries}
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for (boxes, told), weight in self._kept:
            if boxes in weights:
                share = float(f"{weight / weights[boxes]:.12g}")
                found[boxes][told] = max(LEAST_WEIGHT, share)
        return found

    @cached_property
    def _kept(self) -> Sequence[tuple[tuple[str, str], float]]:
        """Those of the greatest weight, when all are added."""
        every = [
            (WeightedQuery(json.dumps(key), weight), key) for key, weight in self._weights.items()
        ]
        every.sort(key=lambda one: place_of(one[0]))
        letters = accumulate(len(told) for _, (_, told) in every)
        most = min(_MOST, sum(length <= _MOST_LETTERS for length in letters))
        return [(key, one.weight) for one, key in every[:most]]


def partitions_to_plan(queries: Sequence[str], asked: Mapping[str, Asked]) -> list[list[Any]]:
    """Returns the partitions of queries as a plan keeps them.

    Args:
        queries: the boxes of each, as JSON, in the order of the plan.
        asked: by boxes.
    """
    return [
        [number, share, *json.loads(told)]
        for number, boxes in enumerate(queries)
        for told, share in asked.get(boxes, {}).items()
    ]


def in_partitions(
    queries: Iterable[Sequence[Any]], asked: Mapping[str, Asked]
) -> Iterator[list[Any]]:
    """Yields queries with their partition columns in their boxes, for each that they ask for.

    Args:
        queries: as a plan keeps them: each a list of its weight and its boxes.
        asked: by boxes, as JSON.
    """
    for weight, *boxes in queries:
        rest = 1.0
        for told, share in asked.get(json.dumps(boxes), {}).items():
            conditions = json.loads(told)
            each = conditions * len(boxes) if len(conditions) == 1 else conditions
            rest -= share
            yield [
                weight * share,
                *({**box, **one} for box, one in zip(boxes, each, strict=True)),
            ]
        if rest > _ROUNDING:
            yield [weight * rest, *boxes]


def partitions_of_plan(document: Mapping[str, Any]) -> Mapping[str, Asked]:
    """Returns the partitions that a plan keeps, by the boxes of a query as JSON.

    Raises:
        LookupError, TypeError, ValueError: when this library has not written it.
    """
    queries = [json.dumps(boxes) for _, *boxes in document[_QUERIES]]
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for number, share, *conditions in document.get(PARTITIONS) or ():
        # A query of both halves tells the same in either.
        found[queries[number]][json.dumps(conditions)] = float(share)
    return found


def with_partitions_of(kept: str, given: str) -> str:
    """Returns queries that a plan keeps, with the partitions for which others ask the same.

    Args:
        kept: as the plan has them.
        given: as another one would, whose queries are in the order of ``text_of_boxes``.

    Raises:
        LookupError, TypeError, ValueError: when this library has not written either.
    """
    document, other = json.loads(kept), json.loads(given)
    if not document.get(PARTITIONS) and not other.get(PARTITIONS):
        return kept
    before, now = partitions_of_plan(document), partitions_of_plan(other)
    given_now = {json.dumps(boxes) for _, *boxes in other[_QUERIES]}
    queries = {json.dumps(boxes): boxes for _, *boxes in document[_QUERIES]}
    alike = {text: text_of_boxes(boxes) for text, boxes in queries.items()}
    asked = {
        text: _as_ordered(boxes, now.get(alike[text], {}))
        if alike[text] in given_now
        else before.get(text, {})
        for text, boxes in queries.items()
    }
    told = partitions_to_plan([json.dumps(boxes) for _, *boxes in document[_QUERIES]], asked)
    document.pop(PARTITIONS, None)
    return plan_text({**document, **({PARTITIONS: told} if told else {})})


def _as_ordered(boxes: Sequence[Box], asked: Asked) -> Asked:
    """Returns what is asked of partitions by boxes as a plan has these, in whatever order."""
    order = sorted(range(len(boxes)), key=lambda place: place_of_box(boxes[place]))
    found: dict[str, float] = {}
    for told, share in asked.items():
        conditions = json.loads(told)
        if len(conditions) > 1:
            by_place = dict(zip(order, conditions, strict=True))
            conditions = [by_place[place] for place in range(len(boxes))]
        found[json.dumps(conditions)] = share
    return found


def plan_text(document: Mapping[str, Any]) -> str:
    """Returns what a plan keeps of queries as it writes it."""
    return json.dumps(document, separators=(",", ":"))
