"""Statements as conditions on one of the tables that they read.

Of a statement those conditions count that Spark hands to its read of the table: of WHERE and of the
joins' ON in the very SELECT that names it. What a SELECT around that one asks of a derived table or
of a CTE is not read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hudi_zorder.errors import PredicateError
from hudi_zorder.workload.join_conditions import FOREIGN, conditions_at

# Comments may come before it.
_STATEMENT: Final = re.compile(
    r"(\s|\(|--[^\n]*|/\*[\s\S]*?\*/)*(select|with|update|delete)\b", re.IGNORECASE
)
_ALL: Final = "true"  # the condition of a statement without any


def conditions_of(text: str, names: Sequence[str], columns: Collection[str]) -> list[str]:
    """Returns the conditions, as after WHERE, by which a query reads a table.

    Args:
        text: a condition, or a statement.
        names: the table's name, and its path or URL.
        columns: the table's columns.

    Returns:
        One condition for each time that the statement reads the table.

    Raises:
        PredicateError: when a statement cannot be parsed, or it is not clear which of its tables is
            meant.
    """
    if not _STATEMENT.match(text):
        return [text]
    try:
        found = [
            condition
            for statement in sqlglot.parse(text, read="spark")
            if statement is not None
            for condition in _conditions(statement, names, columns)
        ]
    except (SqlglotError, RecursionError) as fault:
        why = re.sub(r"\x1b\[\d*m", "", str(fault)).partition("\n")[0].rstrip(".")
        raise PredicateError(
            f"Cannot parse a query: it was '{text}' ({why}); "
            "write a SELECT, or a condition as after WHERE"
        ) from fault
    if not found:
        raise PredicateError(
            f"Cannot tell what a query reads: it was '{text}', which does not name the table "
            f"'{names[0]}'; write its condition alone, as after WHERE"
        )
    return found


def _conditions(
    statement: exp.Expr, names: Sequence[str], columns: Collection[str]
) -> Iterator[str]:
    """Yields the condition of each part of a statement that reads the table."""
    defined = {cte.alias.lower() for cte in statement.find_all(exp.CTE)}
    read = list(statement.find_all(exp.Table))
    tables = [table for table in read if not _is_defined(table, defined)]
    ours = [table for table in tables if _is_named(table, names)]
    if not ours and len({(table.db, table.name) for table in tables}) == 1:
        ours = tables  # whatever it is called there, it can be no other
    sources = [*read, *statement.find_all(exp.Subquery)]
    for table in ours:
        scope = table.find_ancestor(exp.Select, exp.Update, exp.Delete)
        if scope is None:
            continue
        alone = len(read) == 1 and not any(scope.args.get(kind) for kind in ("joins", "laterals"))
        others = {source.alias_or_name.lower() for source in sources if source is not table}
        own = partial(_own, table=table, others=others, known=None if alone else columns)
        held = conditions_at(table, scope, own)
        yield exp.and_(*held).sql(dialect="spark", comments=False) if held else _ALL


def _is_named(table: exp.Table, names: Iterable[str]) -> bool:
    return any(table.name.rstrip("/").lower() == name.rstrip("/").lower() for name in names)


def _is_defined(table: exp.Table, defined: Collection[str]) -> bool:
    """Returns whether a name is of a CTE; one may be called as the table that it reads."""
    name = table.name.lower()
    within = table.find_ancestor(exp.CTE)
    own = within is not None and within.alias.lower() == name
    return name in defined and not table.db and not own


def _own(
    condition: exp.Expr,
    table: exp.Table,
    others: Collection[str],
    known: Collection[str] | None,
) -> exp.Expr:
    """Returns a condition with the table's columns bare, and those of other tables made useless.

    Args:
        condition: the condition.
        table: the table as the statement names it.
        others: what other tables are called in the statement; a column of ours may be, too.
        known: the table's columns where there are other tables; None where there are not.
    """
    called = {table.alias_or_name.lower()}
    own = {name.split(".")[0].lower() for name in known or ()}

    def plain(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        parts = [part.name for part in node.parts]
        places = [i for i, part in enumerate(parts[:-1]) if part.lower() in called]
        if places:  # o.a, db.o.a, o.struct.a
            first, *fields = parts[places[0] + 1 :]
            bare: exp.Expr = exp.column(first, quoted=True)
            for name in fields:
                bare = exp.Dot(this=bare, expression=exp.to_identifier(name, quoted=True))
            return bare
        foreign = len(parts) > 1 and parts[0].lower() in others
        if not foreign and (known is None or parts[0].lower() in own):
            return node
        return exp.func(FOREIGN, exp.Literal.string(".".join(parts)))

    return condition.transform(plain)
