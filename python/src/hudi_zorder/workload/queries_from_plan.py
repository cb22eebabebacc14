"""Queries that a plan keeps, as predicates again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import PredicateError
from hudi_zorder.hudi.plan_content import damaged_plan, planned_queries
from hudi_zorder.options import QUERIES
from hudi_zorder.parquet.comparables import is_binary, is_float
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.predicate.coercion import NotComparable, bind
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.tree import (
    EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    And,
    Comparison,
    Constant,
    NullTest,
    Or,
    Predicate,
)
from hudi_zorder.workload.asked_partitions import in_partitions, partitions_of_plan
from hudi_zorder.workload.bound_queries import BoundQuery
from hudi_zorder.workload.weighted_queries import WeightedQuery

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.snapshot import TableSnapshot

_TRUTHS: Final = {"false": False, "true": True}


def queries_of_plan(snapshot: TableSnapshot, text: str, most: int) -> list[BoundQuery]:
    """Returns the queries of the greatest weight that a plan keeps, bound to its table.

    Those are left out that are on columns which the table no longer has, or has in another type, of
    which what they ask for is no value.

    Args:
        snapshot: the table.
        text: as ``hudi_zorder.workload.queries_to_plan`` writes it, or ``none``.
        most: how many at most.

    Raises:
        TableError: when this library has not written the text.
    """
    clustering = f"the last clustering of '{snapshot.path}'"
    given = planned_queries(text, clustering)
    if not given:
        return []
    try:
        told = list(in_partitions(given, partitions_of_plan(json.loads(text))))
        bound = (_bound(snapshot, *query) for query in sorted(told, key=_weight)[:most])
        return [query for query in bound if query is not None]
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as fault:
        raise damaged_plan(clustering, QUERIES, text) from fault


def _weight(query: Sequence[Any]) -> float:
    return -float(query[0])


def _bound(snapshot: TableSnapshot, weight: float, *boxes: Mapping[str, Any]) -> BoundQuery | None:
    """Returns a query that a plan keeps; None when a column is gone, or of another type."""
    try:
        predicate = _either([_conditions(snapshot, box) for box in boxes])
        bound = bind_predicate(snapshot, predicate, None)
    except PredicateError:
        return None
    return BoundQuery(WeightedQuery(predicate.text, weight), (bound,))


def _conditions(snapshot: TableSnapshot, box: Mapping[str, Sequence[Any]]) -> Predicate:
    parts: list[Predicate] = []
    for name, ranges in box.items():
        leaf = snapshot.schema.find(name)
        if leaf is None:
            raise PredicateError(f"Cannot read a plan's queries: there is no column '{name}'")
        tests = [_test(name, one, leaf.arrow_type) for one in ranges]
        parts.append(_either(tests) if tests else Constant("false", False))
    return _both(parts)


def _test(column: str, given: Any, kind: pa.DataType) -> Predicate:
    if given == "null":
        return NullTest(column, negated=False)
    low, high, marks = (*given, "[]")[:3]
    if low is not None and low == high:
        return _comparison(column, EQUAL, low, kind)
    above = GREATER if marks[0] == "(" else GREATER_OR_EQUAL
    below = LESS if marks[1] == ")" else LESS_OR_EQUAL
    ends: list[Predicate] = [
        _comparison(column, operator, end, kind)
        for operator, end in ((above, low), (below, high))
        if end is not None
    ]
    return _both(ends) if ends else NullTest(column, negated=True)


def _either(parts: Sequence[Predicate]) -> Predicate:
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _both(parts: Sequence[Predicate]) -> Predicate:
    """Returns what is true where all parts are, without conjunctions of conjunctions."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def _comparison(column: str, operator: str, text: str, kind: pa.DataType) -> Comparison:
    """Returns the comparison of a column with a literal of the type that it has now.

    Raises:
        PredicateError: when it is none, for the column had another type when the plan was made.
    """
    try:
        found = Comparison(column, operator, _literal(text, kind))
        bind(found, kind, None)
    except (NotComparable, KeyError, ValueError, ArithmeticError) as fault:
        raise PredicateError(
            f"Cannot read a plan's queries: '{text}' is no value of {column}, which is {kind}"
        ) from fault
    return found


def _literal(text: str, kind: pa.DataType) -> Literal:
    import pyarrow.types as t

    if t.is_boolean(kind):
        return Literal(kinds.BOOLEAN, _TRUTHS[text])
    if t.is_signed_integer(kind):
        return Literal(kinds.INTEGER, int(text))
    if t.is_decimal(kind):
        return Literal(kinds.DECIMAL, Decimal(text))
    if is_float(kind):
        return Literal(kinds.DOUBLE, float(text))
    if t.is_date32(kind):
        return Literal(kinds.DATE, text)
    if t.is_timestamp(kind):
        return Literal(kinds.TIMESTAMP if kind.tz else kinds.TIMESTAMP_NTZ, text)
    if is_binary(kind):
        return Literal(kinds.BINARY, bytes.fromhex(text))
    return Literal(kinds.STRING, text)
