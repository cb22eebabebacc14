"""Queries with weights, read from a file.

A query is a condition as after WHERE, on a line of its own, or a whole statement. Statements go on
to a ``;`` at the end of a line; where a file has none, each line is one. A number and a tab may
come before a query, its weight, which is 1 otherwise; or a line is a JSON object with ``query`` and
perhaps ``weight``. Empty lines and those that begin with ``#`` or ``--`` are passed over::

    customer = 7 AND day > '2026-11-01'
    {"query": "day = '2026-11-02'", "weight": 0.5}
    20	SELECT sum(price)
    FROM orders o
    WHERE o.customer IN (1, 2);
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Final

from sqlglot import exp

from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.predicate.parser import parse
from hudi_zorder.workload.statement_texts import WHOLE, is_statement
from hudi_zorder.workload.statements import parsed_statements
from hudi_zorder.workload.weighted_queries import WeightedQuery, queries_of

_WEIGHT: Final = re.compile(r"\s*([0-9.eE+-]+)\t")
_COMMENT: Final = ("#", "--")
# What a statement does not end in; or, as the one group, the end of one.
_PIECE: Final = re.compile(
    rf"{WHOLE}|(;)(?:[ \t\r]|/\*(?:[^*\n]|\*(?!/))*\*/)*(?:--[^\n]*)?(?:\n|\Z)", re.DOTALL
)
_SHOWN: Final = 200


def read_queries(path: Path) -> list[WeightedQuery]:
    """Returns the queries in a file.

    Raises:
        OptionError: when the file or a line of it cannot be read, or it has no query.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise OptionError(
            f"Cannot read queries: '{path}' is no readable text ({fault}); name a file with a "
            "query on each line"
        ) from fault
    found = [_query(path, number, part) for number, part in _parts(text)]
    if not found:
        raise OptionError(f"Cannot read queries: '{path}' has none; write one on each line")
    return queries_of([(query.text, query.weight) for query in found])


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Yields the queries of a file, each with the number of its first line."""
    lines = text.split("\n")  # a text in a query may have other ends of lines
    at = place = by_line = 0
    while at < len(lines):
        line = lines[at]
        length = 0 if not line.strip() or line.lstrip().startswith(_COMMENT) else 1
        if length and at >= by_line and is_statement(text, _unweighed(text, place)):
            length = _lines_of_statement(text, place)
            if not _is_one(lines[at : at + length]):
                by_line, length = at + length, 1
        if length:
            yield at + 1, "\n".join(lines[at : at + length])
        for passed in lines[at : at + max(1, length)]:
            place += len(passed) + 1
        at += max(1, length)


def _unweighed(text: str, place: int) -> int:
    weight = _WEIGHT.match(text, place)
    return weight.end() if weight else place


def _lines_of_statement(text: str, place: int) -> int:
    """Returns how many lines there are to the end of a statement, or of the file."""
    end = next((piece.start() for piece in _PIECE.finditer(text, place) if piece[1]), len(text))
    return text.count("\n", place, end) + 1


def _is_one(lines: Sequence[str]) -> bool:
    """Returns whether lines are one query together, rather than each of them by itself."""
    first, *others = lines
    if not others:
        return True
    try:
        whole = parsed_statements("\n".join((first[_unweighed(first, 0) :], *others)))
    except PredicateError:
        whole = []
    understood = whole and not any(isinstance(part, exp.Command) for part in whole)
    return bool(understood) or not all(map(_is_query, lines))


def _is_query(line: str) -> bool:
    if not line.strip() or line.lstrip().startswith((*_COMMENT, "{")):
        return True
    text = _bare(line[_unweighed(line, 0) :])
    try:
        _ = parsed_statements(text) if is_statement(text) else parse(text)
    except PredicateError:
        return False
    return True


def _bare(text: str) -> str:
    return text.strip().removesuffix(";").rstrip()


def _query(path: Path, number: int, part: str) -> WeightedQuery:
    """Returns a query as it is written, with its weight; a condition is one that can be read."""
    is_json = part.lstrip().startswith("{")
    try:
        query = _of_json(part) if is_json else _of_text(part)
        if not is_statement(query.text):
            parse(query.text)
        return queries_of([(query.text, query.weight)])[0]
    except ValueError as fault:  # of JSON, too
        why = str(fault).removeprefix("Cannot read queries: ").rstrip(".")
        remedy = '; write {"query": "a = 5", "weight": 2}' if is_json else ""
        raise OptionError(
            f"Cannot read queries: line {number} of '{path}' was "
            f"'{shorten(part, _SHOWN, placeholder=' ...')}' ({why}){remedy}"
        ) from fault


def _of_json(line: str) -> WeightedQuery:
    document = json.loads(line)
    if unknown := document.keys() - {"query", "weight"}:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    text, weight = document.get("query"), document.get("weight", 1)
    if not isinstance(text, str):
        raise ValueError("'query' is no text")
    if isinstance(weight, bool) or not isinstance(weight, str | int | float):
        raise ValueError("'weight' is no number")
    return WeightedQuery(_bare(text), float(weight))


def _of_text(part: str) -> WeightedQuery:
    weighed = _WEIGHT.match(part)
    if weighed is None:
        return WeightedQuery(_bare(part))
    return WeightedQuery(_bare(part[weighed.end() :]), float(weighed[1]))
