"""Statements as conditions on one of the tables that they read.

Of a statement those conditions count that Spark hands to its read of the table: of WHERE and of the
joins' ON in the SELECT that names it, and in those that read this one as a derived table or CTE.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hudi_zorder.errors import PredicateError
from hudi_zorder.predicate.parser import REMEMBERED
from hudi_zorder.workload.derived_tables import puts_out, uses_of, within
from hudi_zorder.workload.join_conditions import FOREIGN, conditions_at
from hudi_zorder.workload.statement_texts import is_statement, reading_parts
from hudi_zorder.workload.table_expressions import cte_of
from hudi_zorder.workload.table_names import TableNames

_MOST_USES: Final = 32  # of a table in one statement
_ALL: Final = "true"  # the condition of a statement without any


class ReadsOthers(PredicateError):
    """A statement does not read the table.

    Attributes:
        tables: the tables that it reads, as it names them; none where it reads none at all.
    """

    def __init__(self, message: str, tables: tuple[str, ...]) -> None:
        super().__init__(message)
        self.tables = tables


def parsed_statements(text: str) -> list[exp.Expr]:
    """Returns the statements of a text that may read tables; of EXPLAIN what it explains.

    Raises:
        PredicateError: when one cannot be parsed.
    """
    try:
        found = [
            statement
            for part in reading_parts(text)
            for statement in sqlglot.parse(part, read="spark")
        ]
    except (SqlglotError, RecursionError) as fault:
        why = re.sub(r"\x1b\[\d*m", "", str(fault)).partition("\n")[0].rstrip(".")
        raise PredicateError(
            f"Cannot parse a query: it was '{text}' ({why}); "
            "write a SELECT, or a condition as after WHERE"
        ) from fault
    return [statement for statement in found if statement is not None]


def conditions_of(text: str, names: TableNames, columns: Collection[str]) -> list[str]:
    """Returns the conditions, as after WHERE, by which a query reads a table.

    Args:
        text: a condition, or a statement.
        names: what the table may be called.
        columns: the table's columns.

    Returns:
        One condition for each time that the statement reads the table.

    Raises:
        ReadsOthers: when a statement does not read the table.
        PredicateError: when it cannot be parsed.
    """
    if not is_statement(text):
        return [text]
    return list(_statement_conditions(text, names, frozenset(columns)))


@lru_cache(REMEMBERED)  # it is asked for when queries are given, divided and planned
def _statement_conditions(text: str, names: TableNames, columns: frozenset[str]) -> tuple[str, ...]:
    statements = parsed_statements(text)
    read = [table for statement in statements for table in _read(statement)]
    try:
        found = tuple(
            condition
            for statement in statements
            for condition in _conditions(statement, names, columns)
        )
    except RecursionError as fault:
        raise PredicateError(
            f"Cannot read a query: it was '{text}' (it nests too deeply); write shorter sums, or "
            "the condition alone, as after WHERE"
        ) from fault
    if not found:
        tables = dict.fromkeys(exp.table_name(table, dialect="spark") for table in read)
        raise ReadsOthers(
            f"Cannot tell what a query reads: it was '{text}', which does not read the table "
            f"'{names.shown}'; write its condition alone, as after WHERE",
            tuple(tables),
        )
    return found


def _read(statement: exp.Expr) -> Iterator[exp.Table]:
    """Yields the tables that a statement reads; of a view nothing is read when it is made."""
    if isinstance(statement, exp.Create) and statement.kind == "VIEW":
        return
    for table in statement.find_all(exp.Table):
        is_read = table.find_ancestor(exp.Select, exp.Update, exp.Delete) is not None
        if (is_read or _is_merged(table)) and table.name and cte_of(table) is None:
            yield table


def _is_merged(source: exp.Expr) -> bool:
    """Returns whether MERGE takes its rows from there, all of them."""
    return isinstance(source.parent, exp.Merge) and source.parent.args["using"] is source


def _is_sampled(source: exp.Expr, scope: exp.Expr) -> bool:
    """Returns whether rows are drawn of a source before a condition is asked of them."""
    node: exp.Expr | None = source
    while node is not None and node is not scope:
        if node.args.get("sample"):
            return True
        node = node.parent
    return False


def _conditions(statement: exp.Expr, names: TableNames, columns: Collection[str]) -> Iterator[str]:
    """Yields the condition of each part of a statement that reads the table."""
    sources = [*statement.find_all(exp.Table), *statement.find_all(exp.Subquery)]
    called = Counter(source.alias_or_name.lower() for source in sources)
    alone = sum(isinstance(source, exp.Table) for source in sources) == 1

    found: dict[int, list[list[exp.Expr]]] = {}

    def held_of(source: exp.Expr, known: Collection[str], *, alone: bool) -> list[list[exp.Expr]]:
        """Returns the conditions on a table, or on a SELECT read as one, for each of its uses."""
        scope = source.find_ancestor(exp.Select, exp.Update, exp.Delete)
        if scope is None:
            return [[]] if _is_merged(source) else []
        alone = alone and not any(scope.args.get(kind) for kind in ("joins", "laterals"))
        others = called - Counter([source.alias_or_name.lower()])
        own = partial(
            _own,
            table=source,
            others=others,
            known=None if alone else known,
            database=names.database,
        )
        if id(scope) not in found:
            found[id(scope)] = asked_of(scope)
        if _is_sampled(source, scope):
            return [[] for _ in found[id(scope)]]
        return [conditions_at(source, scope, own, around) for around in found[id(scope)]]

    def asked_of(scope: exp.Expr) -> list[list[exp.Expr]]:
        """Returns what queries around a SELECT ask of its rows, for each of its uses."""
        uses = uses_of(scope)
        if not isinstance(scope, exp.Select) or not uses:
            return [[]]
        known = columns if (put_out := puts_out(scope)) is None else put_out
        held = [part for use in uses for part in held_of(use, known, alone=True)]
        return [list(within(scope, part)) for part in held] if len(held) <= _MOST_USES else [[]]

    for table in filter(names.mean, _read(statement)):
        for held in held_of(table, columns, alone=alone):
            yield exp.and_(*held).sql(dialect="spark", comments=False) if held else _ALL


def _own(
    condition: exp.Expr,
    table: exp.Expr,
    others: Collection[str],
    known: Collection[str] | None,
    database: str,
) -> exp.Expr:
    """Returns a condition with the table's columns bare, and those of other tables made useless.

    Args:
        condition: the condition.
        table: the table as the statement names it, or a SELECT that is read as one.
        others: what other tables are called in the statement; a column of ours may be, too.
        known: the table's columns where there are other tables; None where there are not.
        database: where the table is if the statement does not say; empty where nobody knows.
    """
    called = table.alias_or_name.lower()
    own = {name.split(".")[0].lower() for name in known or ()}

    def is_ours(before: Sequence[str]) -> bool:
        """Returns whether the table's name after these parts, if any, is not another table's."""
        if known is None or not before:
            return True
        return _is_in(table, before, database, is_shared=called in others)

    def plain(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column):
            return node
        parts = [part.name for part in node.parts]
        named = (i for i, part in enumerate(parts[:-1]) if part.lower() == called)
        places = [i for i in named if is_ours(parts[:i])]
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


def _is_in(table: exp.Expr, before: Sequence[str], database: str, *, is_shared: bool) -> bool:
    """Returns whether a table is in the database, and catalog, that stand before its name.

    Args:
        table: the table as the statement names it, or what is read as one.
        before: the parts before its name.
        database: where the table is if the statement does not say; empty where nobody knows.
        is_shared: whether another table has the name, which the parts then may tell from it.
    """
    if not isinstance(table, exp.Table) or cte_of(table) is not None:
        return False
    *catalog, last = (part.lower() for part in before)
    own = table.db.lower() or database
    if own != last and (own or is_shared):
        return False
    return not catalog or not table.catalog or catalog == [table.catalog.lower()]
