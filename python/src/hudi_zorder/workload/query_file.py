"""Queries with weights, read from a file.

Each line is a query: a condition as after WHERE, or a whole SELECT, UPDATE or DELETE. A number and
a tab may come before it, the query's weight, which is 1 otherwise; or the line is a JSON object
with ``query`` and perhaps ``weight``. Empty lines and those that begin with ``#`` or ``--`` are
passed over::

    customer = 7 AND day > '2026-11-01'
    20	SELECT sum(price) FROM orders o WHERE o.customer IN (1, 2)
    {"query": "day = '2026-11-02'", "weight": 0.5}
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from hudi_zorder.errors import OptionError
from hudi_zorder.workload.weighted_queries import WeightedQuery, queries_of

_WEIGHT: Final = re.compile(r"\s*([0-9.eE+-]+)\t(.*)")
_COMMENT: Final = ("#", "--")


def read_queries(path: Path) -> list[WeightedQuery]:
    """Returns the queries in a file.

    Raises:
        OptionError: when the file or a line of it cannot be read, or it has no query.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise OptionError(
            f"Cannot read queries: '{path}' is no readable text ({fault}); name a file with a "
            "query on each line"
        ) from fault
    found = [_line(path, n, line) for n, line in enumerate(lines, 1) if not _is_empty(line)]
    if not found:
        raise OptionError(f"Cannot read queries: '{path}' has none; write one on each line")
    return queries_of([(query.text, query.weight) for query in found])


def _is_empty(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(_COMMENT)


def _line(path: Path, number: int, line: str) -> WeightedQuery:
    if line.lstrip().startswith("{"):
        try:
            document = json.loads(line)
            if unknown := document.keys() - {"query", "weight"}:
                raise ValueError(f"unknown: {unknown}")
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
