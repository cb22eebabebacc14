"""Queries in the form in which a plan keeps them, for its tree to be cut for.

The form is that of Java's ``io.hudizorder.option.QueriesOption``: each query with its weight and
its boxes, each box with the values that it takes of every column, literals as texts. What cannot be
said so, such as a function of a column, is taken to be true of all rows.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.advice.halves import are_timed, halves_of
from hudi_zorder.advice.logged import Workload, workload_of
from hudi_zorder.advice.workload import GivenQueries, WeightedQuery, conditions_of, queries_of
from hudi_zorder.errors import PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.parquet.comparables import is_binary, is_float, is_text, is_time, to_python
from hudi_zorder.parquet.file_schema import META_COLUMNS
from hudi_zorder.predicate.value_tests import EVERYTHING, Interval, Point, ValueTest
from hudi_zorder.skipping.explain import bind_predicate

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.snapshot import TableSnapshot

VERSION: Final = 1

_MOST_QUERIES: Final = 10_000
_MOST_COLUMNS: Final = 16
_LEAST_WEIGHT: Final = 0.05  # of the column that is asked most

# As JSON has them: "null", or both ends of an interval, and which of them are part of it.
_Range = str | list[str | None]
_Box = dict[str, list[_Range]]


@dataclass(frozen=True)
class AskedQueries:
    """What is asked of a table.

    Attributes:
        text: the queries as a plan keeps them.
        columns: the columns that they compare with values, that of the greatest weight first.
        weights: how often each of these is asked, against the one that is asked most.
        notes: what was found and left out, one sentence each.
    """

    text: str
    columns: tuple[str, ...]
    weights: Mapping[str, float]
    notes: tuple[str, ...]


def asked_of(
    snapshot: TableSnapshot,
    queries: GivenQueries | Queries,
    zone: str | None,
    columns: Sequence[str] | None,
) -> AskedQueries:
    """Returns the queries on a table as its plan is to keep them.

    Args:
        snapshot: the table.
        queries: conditions or statements, with weights; or those of event logs.
        zone: the session's time zone.
        columns: the sort columns; None for those that the queries ask.

    Raises:
        PredicateError: when a query cannot be parsed, names an unknown column, or none of them
            compares a sort column with a value.
    """
    work = (
        workload_of(queries, snapshot, zone)
        if isinstance(queries, Queries)
        else Workload(tuple(queries_of(queries)))
    )
    names = [snapshot.config.name, snapshot.url, snapshot.path]
    known = [*snapshot.schema.leaves, *snapshot.schema.others, *snapshot.config.partition_fields]
    constant = {name.lower() for name in (*META_COLUMNS, *snapshot.config.partition_fields)}
    sorted_by = None if columns is None else {name.lower() for name in columns}
    weights: Counter[str] = Counter()
    last: dict[str, datetime] = {}
    use: dict[str, float] = defaultdict(float)
    idle = 0.0
    for query in work.queries:
        boxes: list[_Box] = []
        for condition in conditions_of(query.text, names, known):
            bound = bind_predicate(snapshot, condition, zone)
            kinds = {name: leaf.arrow_type for name, leaf in bound.leaves.items()}
            boxes += (_box(tests, kinds) for tests in bound.conjunctions())
        boxes = [
            {
                name: ranges
                for name, ranges in box.items()
                if name.lower() not in constant and (sorted_by is None or name.lower() in sorted_by)
            }
            for box in boxes
        ]
        if not boxes or not all(boxes):
            idle += query.weight
            continue
        kept = json.dumps(boxes)
        weights[kept] += query.weight  # type: ignore[assignment]
        if query.last is not None:
            last[kept] = max(query.last, last.get(kept, query.last))
        for name in {name for box in boxes for name in box}:
            use[name] += query.weight
    if not weights:
        which = "a column of the table" if columns is None else f"one of {', '.join(columns)}"
        raise PredicateError(
            f"Cannot cluster for queries: none compares {which} with a value in all that it reads; "
            "give queries such as \"customer = 7 AND day > '2026-11-01'\", or columns that they ask"
        )
    notes = list(work.notes)
    if idle:
        share = idle / (idle + sum(weights.values()))
        notes.append(f"{share:.0%} of the queries, by weight, compare no sort column with a value")
    if len(weights) > _MOST_QUERIES:
        left = len(weights) - _MOST_QUERIES
        notes.append(f"{left:,} queries of the least weight were left out of the plan")
    chosen = sorted(use, key=lambda name: -use[name])[:_MOST_COLUMNS]
    most = use[chosen[0]]
    return AskedQueries(
        text=_text_of(
            [
                WeightedQuery(boxes, weight, last.get(boxes))
                for boxes, weight in weights.most_common(_MOST_QUERIES)
            ]
        ),
        columns=tuple(chosen),
        weights={name: max(_LEAST_WEIGHT, round(use[name] / most, 3)) for name in chosen},
        notes=tuple(notes),
    )


def _text_of(queries: Sequence[WeightedQuery]) -> str:
    """Returns queries, whose texts are their boxes, as a plan keeps them.

    Where times are known, the earlier half comes first, and the clustering is judged by the other.
    """
    told = {}
    if are_timed(queries):
        halves = halves_of(queries)
        told = {"earlier": len(halves.used)}
        queries = [*halves.used, *halves.held_back]
    kept = [[round(float(query.weight), 6), *json.loads(query.text)] for query in queries]
    return json.dumps({"version": VERSION, **told, "queries": kept}, separators=(",", ":"))


def _box(tests: Sequence[ValueTest], kinds: Mapping[str, pa.DataType]) -> _Box:
    """Returns the values that a row must have of each column for all tests to pass."""
    by_column: dict[str, list[ValueTest]] = defaultdict(list)
    for test in tests:
        by_column[test.column].append(test)
    box = {name: _ranges(own, kinds[name]) for name, own in by_column.items()}
    return {name: ranges for name, ranges in box.items() if ranges is not None}


def _ranges(tests: Sequence[ValueTest], kind: pa.DataType) -> list[_Range] | None:
    """Returns the values that pass tests of one column; None when these say nothing of values."""
    intervals: Sequence[Interval] = EVERYTHING
    says = False
    nulls = nan = True
    for test in tests:
        own = _own_intervals(test, kind)
        if own is None:
            continue
        says = says or own != EVERYTHING
        nulls, nan = nulls and test.null_passes, nan and test.nan_passes
        intervals = [both for a in intervals for b in own if (both := _both(a, b)) is not None]
    if not says:
        return None
    ranges: list[_Range] = ["null"] if nulls else []
    ranges += (found for part in intervals if (found := _range(part, kind)) is not None)
    if nan and is_float(kind) and not any(part.high is None for part in intervals):
        ranges.append(["NaN", "NaN"])
    return None if [None, None] in ranges else ranges


def _own_intervals(test: ValueTest, kind: pa.DataType) -> Sequence[Interval] | None:
    """Returns a test's intervals in values of the column; None when they are of something else."""
    import pyarrow.types as t

    if test.convert is None:
        return test.intervals
    if not (t.is_decimal(kind) or t.is_signed_integer(kind)):
        return None
    # Beside a double Spark casts the column; the scale is what that takes away.
    factor = 10 ** (kind.scale if t.is_decimal(kind) else 0)

    def scaled(point: Point | None) -> Point | None:
        finite = isinstance(point, float) and math.isfinite(point)
        return Fraction(str(point)) * factor if finite else None

    return tuple(
        Interval(scaled(part.low), scaled(part.high), part.low_open, part.high_open)
        for part in test.intervals
    )


def _both(a: Interval, b: Interval) -> Interval | None:
    """Returns where two intervals meet."""
    low, low_open = max(
        ((part.low, part.low_open) for part in (a, b) if part.low is not None),
        default=(None, False),
    )
    high, closed = min(
        ((part.high, not part.high_open) for part in (a, b) if part.high is not None),
        default=(None, True),
    )
    if low is not None and high is not None and low > high:  # type: ignore[operator]
        return None
    return Interval(low, high, low_open, not closed)


def _range(part: Interval, kind: pa.DataType) -> _Range | None:
    """Returns an interval with its ends as texts; None when there is nothing in it."""
    low, high, low_open, high_open = part.low, part.high, part.low_open, part.high_open
    if not (is_float(kind) or is_text(kind) or is_binary(kind)):
        # Of whole numbers each end is inside; those of decimals may be between two.
        if isinstance(low, int | Fraction) and not isinstance(low, bool):
            low, low_open = math.floor(low) + 1 if low_open else math.ceil(low), False
        if isinstance(high, int | Fraction) and not isinstance(high, bool):
            high, high_open = math.ceil(high) - 1 if high_open else math.floor(high), False
        if low is not None and high is not None and low > high:  # type: ignore[operator]
            return None
    ends = [_text(low, kind), _text(high, kind)]
    marks = ("(" if low_open and ends[0] else "[") + (")" if high_open and ends[1] else "]")
    return ends if marks == "[]" else [*ends, marks]


def _text(value: Any, kind: pa.DataType) -> str | None:
    """Returns a value as a plan writes it; None for none, and for what no column can hold."""
    import pyarrow.types as t

    if value is None:
        return None
    if is_binary(kind):
        return str(value.hex())
    if isinstance(value, bool):
        return str(value).lower()
    if is_float(kind):
        special = {math.inf: "Infinity", -math.inf: "-Infinity"}
        return special.get(value, str(float(value)))
    plain = to_python(value, kind)
    if is_time(kind):
        if isinstance(plain, int):  # before year 1 or after year 9999
            return None
        return str(plain.isoformat()).replace("+00:00", "Z")
    if t.is_decimal(kind):
        digits = len(str(abs(int(value))))
        return format(plain, "f") if digits <= kind.precision else None
    if t.is_signed_integer(kind) and not -(1 << kind.bit_width - 1) <= value < (
        1 << kind.bit_width - 1
    ):
        return None
    return str(plain)
