"""Queries with weights, as predicates on one table: from Python, or from a file.

A file has a query on each line: a condition as after WHERE, or a whole SELECT, UPDATE or DELETE.
A number and a tab may come before it, the query's weight, which is 1 otherwise; or the line is a
JSON object with ``query`` and perhaps ``weight``. Empty lines and those that begin with ``#`` or
``--`` are passed over::

    customer = 7 AND day > '2026-11-01'
    20	SELECT sum(price) FROM orders o WHERE o.customer IN (1, 2)
    {"query": "day = '2026-11-02'", "weight": 0.5}

Of a statement those conditions count that Spark hands to its read of the table: of WHERE and of the
joins' ON in the very SELECT that names it. What a SELECT around that one asks of a derived table or
of a CTE is not read.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from numbers import Real
from pathlib import Path
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hudi_zorder.advice.joins import FOREIGN, conditions_at
from hudi_zorder.errors import OptionError, PredicateError

_STATEMENT: Final = re.compile(r"\s*\(*\s*(select|with|update|delete)\b", re.IGNORECASE)
_WEIGHT: Final = re.compile(r"\s*([0-9.eE+-]+)\t(.*)")
_COMMENT: Final = ("#", "--")
_ALL: Final = "true"  # the condition of a statement without any


@dataclass(frozen=True)
class WeightedQuery:
    """A query.

    Attributes:
        text: as it was given.
        weight: how much it counts against the others, above 0.
        last: when it was asked last, in UTC; None where nobody knows.
    """

    text: str
    weight: float = 1.0
    last: datetime | None = None


GivenQueries = Mapping[str, float] | Sequence[str | tuple[str, float] | WeightedQuery]


def queries_of(queries: GivenQueries) -> list[WeightedQuery]:
    """Returns the queries that a call means, each text once: the sum of weights, the last time.

    Args:
        queries: texts, pairs of text and weight, what ``read_queries`` returned, or a mapping from
            text to weight.

    Raises:
        OptionError: for a weight that is no number above 0, or no query at all.
    """
    if isinstance(queries, str):
        raise OptionError(f"Cannot read queries: 'queries' was the text '{queries}'; write a list")
    given = queries.items() if isinstance(queries, Mapping) else queries
    weights: dict[str, float] = {}
    asked: dict[str, datetime] = {}
    for query in given:
        if isinstance(query, WeightedQuery):
            if query.last is not None:
                asked[query.text] = max(query.last, asked.get(query.text, query.last))
            query = (query.text, query.weight)
        elif isinstance(query, str):
            query = (query, 1.0)
        pair = isinstance(query, tuple | list) and len(query) == 2
        if not pair or not isinstance(query[0], str):
            raise OptionError(
                f"Cannot read queries: one of them was {query!r}; write a text, or a text and a "
                "weight"
            )
        text, weight = query
        number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not number or not math.isfinite(weight) or weight <= 0:
            raise OptionError(
                f"Cannot read queries: the weight of '{text}' was '{weight}'; "
                "write a number above 0"
            )
        weights[text] = weights.get(text, 0.0) + weight
    if not weights:
        raise OptionError("Cannot read queries: 'queries' is empty; give at least one")
    return [WeightedQuery(text, weight, asked.get(text)) for text, weight in weights.items()]


def read_queries(path: Path) -> list[WeightedQuery]:
    """Returns the queries in a file.

    Raises:
        OptionError: when the file cannot be read, or a line of it; it names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise OptionError(f"Cannot read queries: '{path}' is no readable text ({fault})") from fault
    found = [_line(path, n, line) for n, line in enumerate(lines, 1) if not _is_empty(line)]
    return queries_of([(query.text, query.weight) for query in found])


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(_COMMENT)


def _line(path: Path, number: int, line: str) -> WeightedQuery:
    if line.lstrip().startswith("{"):
        try:
            document = json.loads(line)
            return WeightedQuery(str(document["query"]), float(document.get("weight", 1)))
        except (ValueError, KeyError, TypeError) as fault:
            raise OptionError(
                f"Cannot read queries: line {number} of '{path}' was '{line}'; "
                'write {"query": "a = 5", "weight": 2}'
            ) from fault
    weighed = _WEIGHT.fullmatch(line)
    if not weighed:
        return WeightedQuery(line.strip())
    try:
        return WeightedQuery(weighed[2].strip(), float(weighed[1]))
    except ValueError as fault:
        raise OptionError(
            f"Cannot read queries: line {number} of '{path}' has the weight '{weighed[1]}'; "
            "write a number, a tab and the query"
        ) from fault


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
        statements = sqlglot.parse(text, read="spark")
    except (SqlglotError, RecursionError) as fault:
        why = re.sub(r"\x1b\[\d*m", "", str(fault)).partition("\n")[0].rstrip(".")
        raise PredicateError(
            f"Cannot parse a query: it was '{text}' ({why}); "
            "write a SELECT, or a condition as after WHERE"
        ) from fault
    found = [
        condition
        for statement in statements
        if statement is not None
        for condition in _conditions(statement, names, columns)
    ]
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
    tables = [table for table in read if table.name.lower() not in defined]
    ours = [table for table in tables if _is_named(table, names)]
    if not ours and len({(table.db, table.name) for table in tables}) == 1:
        ours = tables  # whatever it is called there, it can be no other
    for table in ours:
        scope = table.find_ancestor(exp.Select, exp.Update, exp.Delete)
        if scope is None:
            continue
        alone = len(read) == 1 and not any(scope.args.get(kind) for kind in ("joins", "laterals"))
        own = partial(_own, table=table, known=None if alone else columns)
        held = conditions_at(table, scope, own)
        yield exp.and_(*held).sql(dialect="spark", comments=False) if held else _ALL


def _is_named(table: exp.Table, names: Iterable[str]) -> bool:
    return any(table.name.rstrip("/").lower() == name.rstrip("/").lower() for name in names)


def _own(condition: exp.Expr, table: exp.Table, known: Collection[str] | None) -> exp.Expr:
    """Returns a condition with the table's columns bare, and those of other tables made useless.

    Args:
        condition: the condition.
        table: the table as the statement names it.
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
        if known is None or parts[0].lower() in own:
            return node
        return exp.func(FOREIGN, exp.Literal.string(".".join(parts)))

    return condition.transform(plain)
