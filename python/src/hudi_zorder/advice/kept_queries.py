"""Queries as a plan keeps them, back as conditions in Spark's SQL; ``asked`` goes the other way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hudi_zorder.advice.asked import Box, Range
from hudi_zorder.advice.workload import WeightedQuery
from hudi_zorder.options import NO_QUERIES
from hudi_zorder.parquet.comparables import is_binary, is_float, is_text, is_time

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.snapshot import TableSnapshot


def kept_queries(snapshot: TableSnapshot, text: str) -> list[WeightedQuery]:
    """Returns the queries that a plan keeps, those left out whose columns are no longer there."""
    if text == NO_QUERIES:
        return []
    queries = []
    for weight, *boxes in json.loads(text)["queries"]:
        if all(snapshot.schema.find(name) for box in boxes for name in box):
            parts = [_condition(snapshot, box) for box in boxes]
            queries.append(WeightedQuery(" OR ".join(f"({part})" for part in parts), weight))
    return queries


def _condition(snapshot: TableSnapshot, box: Box) -> str:
    """Returns what a row must be to lie in a box."""
    parts = []
    for name, ranges in box.items():
        leaf = snapshot.schema.column(name)
        column = snapshot.schema.in_sql(leaf.name)
        each = [_within(column, part, leaf.arrow_type) for part in ranges]
        parts.append(f"({' OR '.join(each) or 'false'})")
    return " AND ".join(parts)


def _within(column: str, part: Range, kind: pa.DataType) -> str:
    if isinstance(part, str):
        return f"{column} IS NULL"
    low, high, marks = (*part, "[]")[:3]
    if low == high and low is not None:
        return f"{column} = {_literal(low, kind)}"
    ends = [
        f"{column} {sign}{'=' if mark in '[]' else ''} {_literal(end, kind)}"
        for sign, end, mark in ((">", low, str(marks)[0]), ("<", high, str(marks)[1]))
        if end is not None
    ]
    return " AND ".join(ends)


def _literal(value: str, kind: pa.DataType) -> str:
    import pyarrow.types as t

    if is_binary(kind):
        return f"X'{value}'"
    if is_float(kind):
        return f"CAST('{value}' AS DOUBLE)"
    if is_text(kind):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if t.is_date(kind):
        return f"DATE '{value}'"
    if is_time(kind):
        return f"TIMESTAMP{'' if kind.tz else '_NTZ'} '{value}'"
    return value
