"""The conditions of a scan as one predicate, without those that tell nothing of the query."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.eventlog.plan_text import NESTED, NOT_SIMPLE, RUN_TIME, UNQUOTED, ZONE, Condition
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.tree import And, Constant, Or, Predicate, Unusable, leaves_of

NO_CONDITION: Final = "without a condition"
_GRAVE: Final = (UNQUOTED, NESTED, NOT_SIMPLE, ZONE, RUN_TIME, NO_CONDITION)
_ATTRIBUTE: Final = re.compile(r"([^\W\d]\w*)#(\d+)L?((?:\.\w+)*)")


@dataclass(frozen=True)
class WhereClause:
    """What is left of the conditions of a scan.

    Attributes:
        predicate: in Spark's SQL; None when nothing is left.
        left_out: reason and text of each condition that is not in it, the gravest first.
        supposed: whether it holds only if no text of a list has a comma in it.
    """

    predicate: str | None
    left_out: tuple[tuple[str, str], ...]
    supposed: bool = False


def where_clause(conditions: Sequence[Condition], met: Collection[str]) -> WhereClause:
    """Returns what is to be said after WHERE.

    Args:
        conditions: all of which hold for the rows that the scan returns.
        met: numbers of the attributes that meet those of other tables, for which Spark adds that
            they are not null.
    """
    kept: list[Predicate] = []
    left_out: list[tuple[str, str]] = []
    supposed = False
    for condition in conditions:
        if _is_added(condition, conditions, met):
            continue
        usable = _usable(condition.meaning, left_out)
        if usable is not None and not isinstance(usable, Constant):
            kept += usable.parts if isinstance(usable, And) else (usable,)
            supposed |= condition.supposed
    left_out.sort(key=lambda part: _GRAVE.index(part[0]))
    if not kept:
        return WhereClause(None, tuple(left_out) or ((NO_CONDITION, ""),))
    return WhereClause(_sql(And(tuple(kept))), tuple(left_out), supposed)


def _is_added(condition: Condition, conditions: Sequence[Condition], met: Collection[str]) -> bool:
    """Tells whether Spark has derived that a column is not null from what else is asked of it."""
    test = condition.meaning
    if not isinstance(test, p.NullTest) or not test.negated:
        return False
    attribute = _ATTRIBUTE.search(condition.text)
    if attribute is None:
        return False
    named = attribute[1] + attribute[3], attribute[2]
    return named[1] in met or any(
        _refuses_null(other, *named) for other in conditions if other is not condition
    )


def _refuses_null(condition: Condition, column: str, number: str) -> bool:
    if any(isinstance(leaf, Unusable) for leaf in leaves_of(condition.meaning)):
        return any(found[2] == number for found in _ATTRIBUTE.finditer(condition.text))
    return _is_null_refused(condition.meaning, column)


def _is_null_refused(part: Predicate, column: str) -> bool:
    if isinstance(part, And | Or):
        some = any if isinstance(part, And) else all
        return some(_is_null_refused(inner, column) for inner in part.parts)
    if isinstance(part, p.NullTest):
        return False
    if isinstance(part, p.Comparison):
        return part.column == column and part.operator != p.NOT_SAME
    return isinstance(part, p.InList | p.Like | p.Truth) and part.column == column


def _usable(part: Predicate, left_out: list[tuple[str, str]]) -> Predicate | None:
    """Returns what is left without what is unusable, which is true wherever the whole is."""
    if isinstance(part, Unusable):
        left_out.append((part.reason, _ATTRIBUTE.sub(r"\1\3", part.text)))
        return None
    if isinstance(part, And):
        parts = [_usable(inner, left_out) for inner in part.parts]
        known = tuple(inner for inner in parts if inner is not None)
        return And(known) if len(known) > 1 else next(iter(known), None)
    if isinstance(part, Or):
        parts = [_usable(inner, left_out) for inner in part.parts]
        known = tuple(inner for inner in parts if inner is not None)
        return Or(known) if len(known) == len(parts) else None
    return part


def _sql(part: Predicate) -> str:
    if not isinstance(part, And | Or):
        return part.text
    word = " AND " if isinstance(part, And) else " OR "
    texts = (
        f"({_sql(inner)})" if isinstance(inner, And | Or) and len(part.parts) > 1 else _sql(inner)
        for inner in part.parts
    )
    return word.join(texts)
