"""Queries bound to a table: the conditions by which each reads it, as predicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudi_zorder.errors import ColumnError, PredicateError
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.workload.statements import conditions_of
from hudi_zorder.workload.table_names import TableNames
from hudi_zorder.workload.weighted_queries import WeightedQuery

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot


@dataclass(frozen=True)
class BoundQuery:
    """A query on a table.

    Attributes:
        query: as it was given.
        predicates: its condition each time that it reads the table.
        conditions: the same, as text; none of a query that a plan has kept.
    """

    query: WeightedQuery
    predicates: tuple[BoundPredicate, ...]
    conditions: tuple[str, ...] = ()


def bind_queries(
    snapshot: TableSnapshot, queries: Iterable[WeightedQuery], zone: str | None
) -> Iterator[BoundQuery]:
    """Yields queries bound to a table.

    Raises:
        PredicateError: when one cannot be parsed, or names an unknown column.
    """
    bind = binder(snapshot, zone)
    for query in queries:
        try:
            yield bind(query)
        except (ColumnError, PredicateError) as fault:
            kind = ColumnError if isinstance(fault, ColumnError) else PredicateError
            raise kind(f'{fault} (in the query "{query.shown}")') from fault


def binder(snapshot: TableSnapshot, zone: str | None) -> Callable[[WeightedQuery], BoundQuery]:
    """Returns what binds a query to a table.

    That raises ReadsOthers for a statement that does not read the table, and PredicateError for
    what cannot be parsed, or names an unknown column.
    """
    schema, names = snapshot.schema, TableNames.of(snapshot)
    columns = frozenset((*schema.leaves, *schema.others, *snapshot.config.partition_fields))

    def bind(query: WeightedQuery) -> BoundQuery:
        conditions = conditions_of(query.text, names, columns)
        predicates = tuple(bind_predicate(snapshot, part, zone) for part in conditions)
        return BoundQuery(query, predicates, tuple(conditions))

    return bind
