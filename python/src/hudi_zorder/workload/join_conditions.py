"""Which conditions of a statement hold for the rows that it reads of one of its tables.

A condition of WHERE, or of a join's ON, speaks of a table's rows as they are after the joins before
it. An outer join adds rows of nulls in place of a table's, so that a condition above such a join
reaches the table only when it is not true of nulls: the join is then as good as an inner one, which
is what Spark makes of it. ``LEFT JOIN t ON ... WHERE t.a IS NULL`` reads all of ``t``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import Final

from sqlglot import exp

from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.parser import parse

FOREIGN: Final = "column_of_another_table"  # no condition on it says anything of this table's rows

Rewrite = Callable[[exp.Expr], exp.Expr]


def conditions_at(table: exp.Table, scope: exp.Expr, own: Rewrite) -> list[exp.Expr]:
    """Returns the conditions that hold for all rows that a statement needs of a table.

    Args:
        table: the table in the statement.
        scope: the SELECT, UPDATE or DELETE that reads it.
        own: returns a condition with ``FOREIGN`` in place of columns of other tables.
    """
    operand = _operand(table, scope)
    joins: Iterable[exp.Join] = scope.args.get("joins") or ()
    if isinstance(operand, exp.Join):
        joins = dropwhile(lambda join: join is not operand, joins)
    # What joins inside brackets make of it is not looked at.
    may_be_null = operand is not table and operand.this is not table
    held: list[exp.Expr] = []
    waiting: list[exp.Expr] = []
    for conditions, adds_nulls in _steps(scope, joins, operand, own):
        waiting += conditions
        if not may_be_null or not _may_hold_of_nulls(waiting):
            held += waiting
            waiting, may_be_null = [], False
        may_be_null = may_be_null or adds_nulls
    return held


def _operand(table: exp.Table, scope: exp.Expr) -> exp.Expr:
    """Returns the FROM or the join that a table is in; the table itself when it is in neither."""
    node: exp.Expr = table
    while node.parent is not None and node.parent is not scope:
        node = node.parent
    return node


def _steps(
    scope: exp.Expr, joins: Iterable[exp.Join], operand: exp.Expr, own: Rewrite
) -> Iterator[tuple[list[exp.Expr], bool]]:
    """Yields the conditions on a table and whether nulls come in its place, from the inside out."""
    for join in joins:
        on = own(join.args["on"]) if join.args.get("on") else exp.true()
        applies, adds_nulls = _effects(join, is_right=join is operand)
        yield [part for part in _conjuncts(on) if applies and _is_told(part)], adds_nulls
    where = scope.args.get("where")
    yield [part for part in _conjuncts(own(where.this)) if _is_own(part)] if where else [], False


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


def _conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    condition = condition.unnest()
    if isinstance(condition, exp.And):
        for part in condition.flatten():
            yield from _conjuncts(part)
    else:
        yield condition


def _is_told(condition: exp.Expr) -> bool:
    """Returns whether a condition is on the table's own columns, and on no other."""
    return condition.find(exp.Column) is not None and _is_own(condition)


def _is_own(condition: exp.Expr) -> bool:
    """Returns whether a condition is on no column of another table."""
    return all(call.name.lower() != FOREIGN for call in condition.find_all(exp.Anonymous))


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
