"""Which conditions of a statement hold for the rows that it reads of one of its tables.

A condition of WHERE, or of a join's ON, speaks of a table's rows as they are after the joins before
it. An outer join adds rows of nulls in place of a table's, so that a condition above such a join
reaches the table only when it is not true of nulls: the join is then as good as an inner one, which
is what Spark makes of it. ``LEFT JOIN t ON ... WHERE t.a IS NULL`` reads all of ``t``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import Final

from sqlglot import exp

from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.parser import parse

FOREIGN: Final = "column_of_another_table"  # no condition on it says anything of this table's rows

Rewrite = Callable[[exp.Expr], exp.Expr]


def conditions_at(
    table: exp.Expr, scope: exp.Expr, own: Rewrite, around: Sequence[exp.Expr] = ()
) -> list[exp.Expr]:
    """Returns the conditions that hold for all rows that a statement needs of a table.

    Args:
        table: the table in the statement, or what stands for one.
        scope: the SELECT, UPDATE or DELETE that reads it.
        own: returns a condition with ``FOREIGN`` in place of columns of other tables.
        around: what queries around this one ask of its rows, as if it were in its WHERE.
    """
    operand = _operand(table, scope)
    joins: Iterable[exp.Join] = scope.args.get("joins") or ()
    if isinstance(operand, exp.Join):
        joins = dropwhile(lambda join: join is not operand, joins)
    # What joins inside brackets make of it is not looked at.
    may_be_null = operand is not table and operand.this is not table
    held: list[exp.Expr] = []
    waiting: list[exp.Expr] = []
    for conditions, adds_nulls in _steps(scope, joins, operand, own, around):
        waiting += conditions
        if not may_be_null or not _may_hold_of_nulls(waiting):
            held += waiting
            waiting, may_be_null = [], False
        may_be_null = may_be_null or adds_nulls
    return held


def _operand(table: exp.Expr, scope: exp.Expr) -> exp.Expr:
    """Returns the FROM or the join that a table is in; the table itself when it is in neither."""
    node: exp.Expr = table
    while node.parent is not None and node.parent is not scope:
        node = node.parent
    return node


def _steps(
    scope: exp.Expr,
    joins: Iterable[exp.Join],
    operand: exp.Expr,
    own: Rewrite,
    around: Sequence[exp.Expr],
) -> Iterator[tuple[list[exp.Expr], bool]]:
    """Yields the conditions on a table and whether nulls come in its place, from the inside out."""
    for join in joins:
        applies, adds_nulls = _effects(join, is_right=join is operand)
        found = _own_parts(_conjuncts(join.args.get("on")), own) if applies else ()
        yield [part for part in found if part.find(exp.Column) is not None], adds_nulls
    where = scope.args.get("where")
    asked = [*_conjuncts(where and where.this), *around]
    yield list(_own_parts([*asked, *_carried(scope, asked)], own)), False


def _carried(scope: exp.Expr, asked: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Yields what is asked of columns that inner joins make equal, of each by the others' names."""
    joins: Sequence[exp.Join] = scope.args.get("joins") or ()
    if any(join.side or join.kind in ("SEMI", "ANTI") for join in joins):
        return
    parts = [*asked, *(part for join in joins for part in _conjuncts(join.args.get("on")))]
    alike: dict[str, dict[str, exp.Column]] = defaultdict(dict)
    for part in parts:
        if isinstance(part, exp.EQ):
            columns = [side.unnest() for side in (part.this, part.expression)]
            first, second = ((c if isinstance(c, exp.Column) else None) for c in columns)
            if first is not None and second is not None:
                group = {**alike[_key(first)], **alike[_key(second)]}
                group |= {_key(first): first, _key(second): second}
                alike.update(dict.fromkeys(group, group))
    for part in parts:
        names = {_key(column) for column in part.find_all(exp.Column)}
        if len(names) == 1 and part.find(exp.Query) is None:
            for name, column in alike[names.pop()].items():
                if name != _key(next(part.find_all(exp.Column))):
                    yield part.transform(_as(column))


def _as(column: exp.Column) -> Rewrite:
    return lambda node: column.copy() if isinstance(node, exp.Column) else node


def _key(column: exp.Column) -> str:
    return ".".join(part.name.lower() for part in column.parts)


def _effects(join: exp.Join, *, is_right: bool) -> tuple[bool, bool]:
    """Returns whether a join's ON filters a table, and whether the join puts nulls in its place."""
    if join.kind == "SEMI":
        return True, False
    if join.kind == "ANTI":  # what is left does not satisfy ON
        return is_right, False
    if join.side == "FULL":
        return False, True
    is_filled = is_right if join.side == "LEFT" else join.side == "RIGHT" and not is_right
    return is_filled or not join.side, is_filled


def _conjuncts(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    condition = condition and condition.unnest()
    if isinstance(condition, exp.And):
        for part in condition.flatten():
            yield from _conjuncts(part)
    elif condition is not None:
        yield condition


def _own_parts(conditions: Iterable[exp.Expr], own: Rewrite) -> Iterator[exp.Expr]:
    """Yields what conditions ask of the table alone, each once."""
    told: dict[str, exp.Expr] = {}
    for condition in conditions:
        part = _own_part(own(condition))
        if part is not None:
            told.setdefault(part.sql(dialect="spark"), part)
    yield from told.values()


def _own_part(condition: exp.Expr) -> exp.Expr | None:
    """Returns what is true of the table's own columns wherever a condition is; None for nothing."""
    condition = condition.unnest()
    if all(call.name.lower() != FOREIGN for call in condition.find_all(exp.Anonymous)):
        return condition
    if not isinstance(condition, exp.And | exp.Or):
        return None
    parts = [_own_part(part) for part in condition.flatten()]
    known = [part for part in parts if part is not None]
    if isinstance(condition, exp.And):
        return exp.and_(*known) if known else None
    return exp.or_(*known) if len(known) == len(parts) else None


def _may_hold_of_nulls(conditions: Sequence[exp.Expr]) -> bool:
    """Returns whether conditions may all be true of a row in which every column is null."""
    if not conditions:
        return True
    return _is_true_of_nulls(parse(exp.and_(*conditions).sql(dialect="spark", comments=False)))


def _is_true_of_nulls(node: p.Predicate) -> bool:
    if isinstance(node, p.And | p.Or):
        parts = map(_is_true_of_nulls, node.parts)
        return all(parts) if isinstance(node, p.And) else any(parts)
    if isinstance(node, p.Constant):
        return node.holds
    if isinstance(node, p.NullTest):
        return not node.negated
    if isinstance(node, p.Comparison):
        return node.operator == p.NOT_SAME
    return isinstance(node, p.Unusable)
