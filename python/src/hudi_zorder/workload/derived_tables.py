"""What queries ask of a SELECT that they read in place of a table, as conditions within it.

A condition goes through a SELECT that only chooses and renames columns, filters and joins. Groups,
limits, windows, samples and sets of several SELECTs keep it outside: what it leaves out may count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sqlglot import exp

from hudi_zorder.workload.join_conditions import FOREIGN
from hudi_zorder.workload.table_expressions import cte_of

_PLAIN: Final = (
    *("with_", "hint", "distinct", "expressions", "from_", "joins", "where"),
    *("order", "sort", "cluster", "distribute"),
)


def uses_of(select: exp.Expr) -> list[exp.Expr]:
    """Returns where a statement reads a SELECT in place of a table; none where that is not plain.

    Each is a SELECT in brackets, or the name of a CTE.
    """
    if not isinstance(select, exp.Select) or not _is_plain(select):
        return []
    parent = select.parent
    while isinstance(parent, exp.Subquery) and isinstance(parent.parent, exp.Subquery):
        if not _is_bare(parent):
            return []
        parent = parent.parent
    if isinstance(parent, exp.CTE) and not parent.alias_column_names:
        names = parent.root().find_all(exp.Table)
        uses: list[exp.Expr] = [table for table in names if cte_of(table) is parent]
    else:
        uses = [parent] if isinstance(parent, exp.Subquery) else []
    return uses if all(map(_is_source, uses)) else []


def puts_out(select: exp.Select) -> set[str] | None:
    """Returns the names of a SELECT's columns, in lower case; None where a star has any."""
    names = {part.alias_or_name.lower() for part in select.expressions if not part.is_star}
    return None if any(part.is_star for part in select.expressions) else names


def within(select: exp.Select, conditions: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """Yields conditions on a SELECT's columns as conditions in its WHERE."""
    for condition in conditions:
        yield condition.transform(lambda node: _source_of(node, select))


def _is_plain(select: exp.Select) -> bool:
    if any(value for name, value in select.args.items() if name not in _PLAIN):
        return False
    return not any(part.find(exp.AggFunc, exp.Window) for part in select.expressions)


def _is_bare(brackets: exp.Subquery) -> bool:
    return not any(value for name, value in brackets.args.items() if name != "this")


def _is_source(source: exp.Expr) -> bool:
    """Returns whether a SELECT is read as it is, by FROM or a join."""
    parts = [name for name, value in source.args.items() if value and name not in ("this", "alias")]
    renamed = source.alias_column_names if isinstance(source, exp.Table | exp.Subquery) else True
    return isinstance(source.parent, exp.From | exp.Join) and not parts and not renamed


def _source_of(node: exp.Expr, select: exp.Select) -> exp.Expr:
    """Returns what a column of a SELECT is within it."""
    if not isinstance(node, exp.Column):
        return node
    first, *fields = (part.name for part in node.parts)
    found = _projected(first, select)
    for name in fields:
        found = exp.Dot(this=found, expression=exp.to_identifier(name, quoted=True))
    return found


def _projected(name: str, select: exp.Select) -> exp.Expr:
    named = [part for part in select.expressions if part.alias_or_name.lower() == name.lower()]
    stars = [part for part in select.expressions if part.is_star]
    if len(named) == 1 and isinstance(column := named[0].unalias(), exp.Column):
        return column.copy()
    if not named and len(stars) == 1 and _is_whole(stars[0]):
        return exp.column(name, table=stars[0].args.get("table"), quoted=True, copy=True)
    return exp.func(FOREIGN, exp.Literal.string(name))


def _is_whole(star: exp.Expr) -> bool:
    """Returns whether a star leaves no column out, and renames none."""
    return not any(any(part.args.values()) for part in star.find_all(exp.Star))
