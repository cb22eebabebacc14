"""Queries in the form in which a plan keeps them, for its tree to be cut for.

The form is that of Java's ``io.hudizorder.option.QueriesOption``: each query with its weight and
its boxes, each box with the values that it takes of every column, literals as texts; and which
partitions it asks for.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.partition_values import told_columns
from hudi_zorder.parquet.comparables import shortened
from hudi_zorder.parquet.file_schema import META_COLUMNS
from hudi_zorder.predicate.tree import Unusable
from hudi_zorder.skipping.audit_report import Fault
from hudi_zorder.skipping.known_faults import like_fault
from hudi_zorder.texts import plural
from hudi_zorder.workload.asked_partitions import (
    PARTITIONS,
    AskedPartitions,
    partitions_to_plan,
    plan_text,
)
from hudi_zorder.workload.bound_queries import BoundQuery, bind_queries
from hudi_zorder.workload.cut_columns import (
    AskedColumns,
    column_weights,
    columns_to_cut_by,
    weights_of_values,
)
from hudi_zorder.workload.holdout import are_timed, hold_out
from hudi_zorder.workload.judged_queries import most_asked, place_of
from hudi_zorder.workload.query_boxes import Box, Range, box_of, is_of_values, tells_values_apart
from hudi_zorder.workload.templates import place_of_box, template_of_boxes, text_of_boxes
from hudi_zorder.workload.weighted_queries import LEAST_WEIGHT, GivenQueries, WeightedQuery
from hudi_zorder.workload.workload import Workload, workload_of

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

LEAST_COLUMN_WEIGHT: Final = 0.05  # of the column that is asked most

_VERSION: Final = 1
_MOST_QUERIES: Final = 10_000
_MOST_LETTERS: Final = (
    2_500_000  # of queries in a plan, which everybody reads who asks for the last
)
_MOST_COLUMNS: Final = 16
_LONGEST_EXAMPLE: Final = 120


@dataclass(frozen=True)
class PlannedQueries:
    """Queries that a plan is to keep.

    Attributes:
        text: the queries as a plan keeps them.
        columns: the columns that they compare with values, that of the greatest weight first.
        weights: how much is asked of the values of each, against the one of which it is most.
        used: those of the queries given that files are cut for.
        notes: what was found and left out, one sentence each.
    """

    text: str
    columns: tuple[str, ...]
    weights: Mapping[str, float]
    used: tuple[WeightedQuery, ...]
    notes: tuple[str, ...]


def queries_for_plan(
    snapshot: TableSnapshot,
    queries: GivenQueries | Queries,
    zone: str | None,
    columns: Sequence[str] | None,
) -> PlannedQueries:
    """Returns the queries on a table as its plan is to keep them.

    Args:
        snapshot: the table.
        queries: conditions or statements, with weights; or those of event logs.
        zone: the session's time zone.
        columns: the sort columns; None for those that the queries ask.

    Raises:
        PredicateError: when a query cannot be parsed, names an unknown column, or none of them
            compares a sort column with a value.
    """
    return workload_for_plan(snapshot, workload_of(queries, snapshot, zone), zone, columns)


def workload_for_plan(
    snapshot: TableSnapshot, work: Workload, zone: str | None, columns: Sequence[str] | None
) -> PlannedQueries:
    """Returns a workload as ``queries_for_plan`` does; it may be a part of what was given."""
    bound = list(bind_queries(snapshot, work.queries, zone))
    boxed = _Boxed(snapshot, columns, bound, of_log=work.of_log)
    less_asked: Sequence[str] = ()
    if columns is None and len(boxed.column_weights) > _MOST_COLUMNS:
        most, less_asked = columns_to_cut_by(boxed.asked, _MOST_COLUMNS)
        if not most:
            raise PredicateError(
                f"Cannot cluster for queries: files are cut by at most {_MOST_COLUMNS} columns, by "
                f'which each of them reads everything, such as "{boxed.asked[0].query.shown}"; '
                "give queries with fewer alternatives"
            )
        boxed = _Boxed(snapshot, most, bound, of_log=work.of_log)  # others are idle
    if not boxed.weights:
        others = " that is none of its partitions" if snapshot.config.partition_fields else ""
        any_column = f"a column of the table{others}"
        which = any_column if columns is None else f"one of {', '.join(columns)}"
        raise PredicateError(
            f"Cannot cluster for queries: none compares {which} with a value in all that it reads; "
            "give queries such as \"customer = 7 AND day > '2026-11-01'\", or columns that they ask"
        )
    weights = boxed.columns()
    return PlannedQueries(
        text=_text_of(boxed.heaviest, boxed.partitions),
        columns=tuple(weights),
        weights=weights,
        used=tuple(asked.query for asked in boxed.asked),
        notes=(*work.notes, *less_asked, *boxed.notes()),
    )


class _Boxed:
    """Queries by their boxes, as JSON; those that have the same ones are one query.

    Args:
        snapshot: the table.
        columns: the sort columns, which alone count; None for any.
        queries: all of them.
        of_log: whether the queries are as Spark has logged them. It asks of the columns of a join
            that they are not null, which makes them no columns to sort by.
    """

    def __init__(
        self,
        snapshot: TableSnapshot,
        columns: Sequence[str] | None,
        queries: Iterable[BoundQuery],
        *,
        of_log: bool,
    ) -> None:
        self._snapshot = snapshot
        self._of_log = of_log
        self._lost: dict[WeightedQuery, Fault] = {}
        self.weights: dict[str, float] = defaultdict(float)
        self._asked: dict[str, list[datetime]] = defaultdict(list)
        self.asked: list[AskedColumns] = []
        self.partitions = AskedPartitions()
        self._idle: list[WeightedQuery] = []
        self._of_partitions: list[WeightedQuery] = []
        self._of_unclear_partitions: list[WeightedQuery] = []
        self._unread: list[tuple[WeightedQuery, Unusable]] = []
        self._partitioned_by = {name.lower() for name in snapshot.config.partition_fields}
        self._told = told_columns(snapshot.config, snapshot.schema)
        self._constant = self._partitioned_by.union(map(str.lower, META_COLUMNS))
        self._sorted_by = None if columns is None else {name.lower() for name in columns}
        for query in queries:
            self._add(query)

    def _add(self, bound: BoundQuery) -> None:
        query = bound.query
        parts = [box for box in _boxes(bound) if all(map(box.get, self._known_in(box)))]
        boxes = [self._of_sort_columns(box) for box in parts]
        by = {name.lower() for box in parts for name in box}.intersection(self._partitioned_by)
        names = {name for box in boxes for name in box if self._counts(box[name])}
        if not names or not all(boxes):
            (self._of_partitions if by else self._idle).append(query)
            return
        if by - self._told:
            self._of_unclear_partitions.append(query)
        apart = {name for box in boxes for name in box if tells_values_apart(box[name])}
        self.asked.append(
            AskedColumns(query, frozenset(names), frozenset(apart), tuple(map(frozenset, boxes)))
        )
        kept = text_of_boxes(boxes)
        self.weights[kept] += query.weight
        asked = [
            (box, self._of_told_partitions(part)) for box, part in zip(boxes, parts, strict=True)
        ]
        asked.sort(key=lambda pair: (place_of_box(pair[0]), json.dumps(pair[1], sort_keys=True)))
        self.partitions.add(kept, [told for _, told in asked], query.weight)
        self._asked[kept] += query.asked
        unusable = [part for predicate in bound.predicates for part in predicate.unusable]
        if unusable:
            self._unread.append((query, unusable[0]))
        for condition in bound.conditions:
            fault = like_fault(self._snapshot, condition)
            if fault is not None:
                self._lost[query] = fault

    def _counts(self, ranges: Sequence[Range]) -> bool:
        return not self._of_log or is_of_values(ranges)

    def _of_sort_columns(self, box: Box) -> Box:
        return {name: ranges for name, ranges in box.items() if self._is_sorted(name.lower())}

    def _of_told_partitions(self, box: Box) -> Box:
        return {name: ranges for name, ranges in box.items() if name.lower() in self._told}

    def _known_in(self, box: Box) -> list[str]:
        """Returns the columns of a box of which a plan keeps what is asked."""
        return [*self._of_sort_columns(box), *self._of_told_partitions(box)]

    def _is_sorted(self, name: str) -> bool:
        return name not in self._constant and (self._sorted_by is None or name in self._sorted_by)

    @cached_property
    def column_weights(self) -> dict[str, float]:
        """How much is asked of each column."""
        return column_weights(self.asked)

    @cached_property
    def heaviest(self) -> list[WeightedQuery]:
        """Those of the greatest weight, as many as a plan keeps; boxes are their texts."""
        queries = [
            WeightedQuery(boxes, weight, tuple(sorted(self._asked[boxes])))
            for boxes, weight in self.weights.items()
        ]
        # Of equal weight by what looks random: every other one is held back of a template.
        ordered = sorted(queries, key=place_of)[:_MOST_QUERIES]
        # One that was asked again may be in both halves.
        letters = accumulate(len(query.text) * min(2, len(query.asked) or 1) for query in ordered)
        return ordered[: max(1, sum(length <= _MOST_LETTERS for length in letters))]

    def columns(self) -> dict[str, float]:
        """Returns the columns, those asked most first, and how much is asked of their values.

        That is told against the one whose values are asked most.
        """
        names, _ = most_asked(self.column_weights, _MOST_COLUMNS)
        weights = weights_of_values(self.asked) or self.column_weights
        most = max(weights.values())
        return {
            name: max(LEAST_COLUMN_WEIGHT, round(weights.get(name, 0) / most, 3)) for name in names
        }

    def notes(self) -> list[str]:
        """Returns what a plan does not keep, one sentence each."""
        notes = []
        left_out = math.fsum(query.weight for query in (*self._idle, *self._of_partitions))
        total = left_out + math.fsum(self.weights.values())
        for queries, what in (
            (self._idle, "compare no sort column with a value in all that they read"),
            (
                self._of_partitions,
                "compare partition columns alone with a value in a part or all of what they read, "
                "for which no file is cut",
            ),
            (
                self._of_unclear_partitions,
                "compare partition columns, too, which a plan does not keep: files are cut for "
                "them in every partition",
            ),
        ):
            if queries:
                share = math.fsum(query.weight for query in queries) / total
                notes.append(
                    f'{share:.0%} of the queries, by weight, {what}, such as "{queries[0].shown}"'
                )
        if self._unread:
            part = self._unread[0][1]
            share = math.fsum(query.weight for query, _ in self._unread) / total
            notes.append(
                f"{share:.0%} of the queries, by weight, have conditions by which no file can be "
                f'cut, such as "{shortened(part.text, _LONGEST_EXAMPLE)}": {part.reason}'
            )
        if left := len(self.weights) - len(self.heaviest):
            one, more = "query of the least weight was", "queries of the least weight were"
            notes.append(f"{plural(left, one, more)} left out of the plan")
        if left := self.partitions.left_out():
            notes.append(
                f"{left:,} conditions on partition columns of the least weight were left out of "
                "the plan: files are cut for their queries in every partition"
            )
        if self._lost:
            query, fault = next(iter(self._lost.items()))
            notes.append(
                f"Hudi loses rows of {len(self._lost):,} of the queries, whatever the layout "
                f'({fault.issue}: {fault.cause}): of "{query.shown}"; {fault.remedy}'
            )
        return notes


def _boxes(bound: BoundQuery) -> Iterator[Box]:
    for predicate in bound.predicates:
        kinds = {name: leaf.arrow_type for name, leaf in predicate.leaves.items()}
        yield from (box_of(tests, kinds) for tests in predicate.conjunctions())


def _text_of(queries: Sequence[WeightedQuery], partitions: AskedPartitions) -> str:
    """Returns queries, whose texts are their boxes, as a plan keeps them.

    Where times are known, the earlier half comes first, and the clustering is judged by the other;
    a query of both halves is in the text twice, each time with what it weighs there. Weights are
    against the greatest, the ``unit``, and of either half the heaviest come first, so that the same
    queries are the same layout however long they were counted.

    Args:
        queries: the queries, the heaviest first.
        partitions: which they ask for.
    """
    asked = partitions.of(queries)
    unit = queries[0].weight
    told: dict[str, Any] = {"unit": float(f"{unit:.9g}")}
    if are_timed(queries):
        holdout = hold_out(queries, template_of_boxes)
        told["earlier"] = len(holdout.known)
        halves = (holdout.known, holdout.held_back)
        queries = [query for half in halves for query in sorted(half, key=place_of)]
    kept = [
        [max(LEAST_WEIGHT, float(f"{query.weight / unit:.12g}")), *json.loads(query.text)]
        for query in queries
    ]
    of_partitions = partitions_to_plan([query.text for query in queries], asked)
    beside = {PARTITIONS: of_partitions} if of_partitions else {}
    return plan_text({"version": _VERSION, **told, "queries": kept, **beside})
