"""Which conditions of a statement hold for the rows that it reads of one of its tables.

A condition of WHERE, or of a join's ON, speaks of a table's rows as they are after the joins before
it. An outer join adds rows of nulls in place of a table's, so that a condition above such a join
reaches the table only when it is not true of nulls: the join is then as good as an inner one, which
is what Spark makes of it. ``LEFT JOIN t ON ... WHERE t.a IS NULL`` reads all of ``t``. A column
that such a join merges, as by ``USING``, has a value in those rows, too: it tells nothing of nulls.

Of what is on the right of a semi or anti join nothing goes on to the joins after it, or to WHERE.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import Final, NamedTuple

from sqlglot import exp

from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.parser import parse

FOREIGN: Final = "column_of_another_table"  # no condition on it says anything of this table's rows

_ONE_SIDED: Final = ("SEMI", "ANTI")  # joins that put out no column of what is on their right

Rewrite = Callable[[exp.Expr], exp.Expr]


class _Part(NamedTuple):
    """A condition as the statement has it, and what it asks of the table alone."""

    written: exp.Expr
    own: exp.Expr


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
    if any(join.kind in _ONE_SIDED for join in _joins_inside(table, operand)):
        return []
    joins: Iterable[exp.Join] = scope.args.get("joins") or ()
    if isinstance(operand, exp.Join):
        joins = dropwhile(lambda join: join is not operand, joins)
    # What joins inside brackets make of it is not looked at.
    may_be_null = operand is not table and operand.this is not table
    nulls_by = list(operand.find_all(exp.Join)) if may_be_null else []
    held: list[exp.Expr] = []
    waiting: list[_Part] = []
    for parts, adding in _steps(scope, joins, operand, own, around):
        waiting += parts
        if not may_be_null or not _may_hold_of_nulls(_unmerged(waiting, table, nulls_by, own)):
            held += (part.own for part in waiting)
            waiting, may_be_null = [], False
        if adding is not None:
            may_be_null = True
            nulls_by.append(adding)
    # Of a merged column the table's rows have the value that those have which are joined to them.
    return held + [part.own for part in waiting if _rejects_nulls_of_one(part.own)]


def _joins_inside(table: exp.Expr, operand: exp.Expr) -> Iterator[exp.Join]:
    """Yields the joins on whose right a table is within the brackets of an operand."""
    node: exp.Expr | None = table
    while node is not None and node is not operand:
        if isinstance(node, exp.Join):
            yield node
        node = node.parent


def _unmerged(
    parts: Iterable[_Part], table: exp.Expr, joins: Sequence[exp.Join], own: Rewrite
) -> list[exp.Expr]:
    """Returns what conditions ask of a table by columns that none of the joins can have merged."""
    names = {part.name.lower() for join in joins for part in join.args.get("using") or ()}
    is_natural = any(join.method == "NATURAL" for join in joins)
    if not names and not is_natural:
        return [part.own for part in parts]
    called = table.alias_or_name.lower()

    def unmerged(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        first, *others = (part.name.lower() for part in node.parts)
        is_bare = called not in (first, *others[:-1]) if others else True
        is_merged = first in names or (is_natural and is_bare)
        return exp.func(FOREIGN, exp.Literal.string(first)) if is_merged else node

    asked = (part.written.transform(unmerged) for part in parts)
    return [part.own for part in _own_parts(asked, own)]


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
) -> Iterator[tuple[list[_Part], exp.Join | None]]:
    """Yields the conditions on a table and the join by which nulls come in its place after them.

    They come from the inside out, as far as the table's columns are there to ask.
    """
    for join in joins:
        applies, adds_nulls = _effects(join, is_right=join is operand)
        found = _own_parts(_conjuncts(join.args.get("on")), own) if applies else ()
        parts = [part for part in found if part.own.find(exp.Column) is not None]
        yield parts, join if adds_nulls else None
        if join is operand and join.kind in _ONE_SIDED:
            return
    where = scope.args.get("where")
    asked = [*_conjuncts(where and where.this), *around]
    yield list(_own_parts([*asked, *_carried(scope, asked)], own)), None


def _carried(scope: exp.Expr, asked: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Yields what is asked of columns that inner joins make equal, of each by the others' names."""
    joins: Sequence[exp.Join] = scope.args.get("joins") or ()
    if any(join.side or join.kind in _ONE_SIDED for join in joins):
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


def _own_parts(conditions: Iterable[exp.Expr], own: Rewrite) -> Iterator[_Part]:
    """Yields what conditions ask of the table alone, each once."""
    told: dict[str, _Part] = {}
    for condition in conditions:
        part = _own_part(own(condition))
        if part is not None:
            told.setdefault(part.sql(dialect="spark"), _Part(condition, part))
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


def _rejects_nulls_of_one(condition: exp.Expr) -> bool:
    """Returns whether a condition is on one column alone, and not true where that is null."""
    names = {_key(column) for column in condition.find_all(exp.Column)}
    return len(names) == 1 and not _may_hold_of_nulls([condition])


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
