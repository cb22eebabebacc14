"""Whether queries still fit a table's layout, from footers and sampled rows, without Spark."""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from hudi_zorder.advice.conditions import Asked, asked_on
from hudi_zorder.advice.files_now import file_set, files_now
from hudi_zorder.advice.kept import kept_on
from hudi_zorder.advice.logged import Workload, workload_of
from hudi_zorder.advice.simulated_files import FileSet
from hudi_zorder.advice.workload import GivenQueries, WeightedQuery, queries_of
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.history import layout_queries
from hudi_zorder.hudi.last_layout import last_target
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest
from hudi_zorder.stats.queries_fit import QueriesFit, QueryFit
from hudi_zorder.stats.row_sample import SampledRow, rows_to_sample, sample_rows

_MOST: Final = 500  # queries looked at
_MOST_MET: Final = 5_000_000  # files times queries
_LEAST: Final = 20  # queries looked at however many files there are
_ROWS: Final = 2_048
_SHOWN: Final = 5
_UNKNOWN_TIMES: Final = 2.0  # above the least, of a layout that nobody cut for queries
_TOLERATED: Final = 1.2  # times what is expected
_LEAST_GAIN: Final = 0.01  # of the table


def queries_fit(
    snapshot: TableSnapshot, queries: GivenQueries | Queries, zone: str | None = None
) -> QueriesFit:
    """Returns how well the table's layout fits queries.

    They no longer fit when they read more than 1.2 times, and by a hundredth of the table more
    than, what they would of a layout that is as many times above their least as the present one is
    above the least of the queries that it was cut for; or twice their least, when it was cut for
    none.

    Args:
        snapshot: the table.
        queries: conditions or statements, with weights; or those of event logs.
        zone: the session's time zone, for times that are written without one.

    Raises:
        PredicateError: when a query cannot be parsed or names an unknown column.
        OptionError: for an unknown time zone, a weight that is none, or no query at all.
        TableError: when a file cannot be read.
    """
    work = (
        workload_of(queries, snapshot, zone)
        if isinstance(queries, Queries)
        else Workload(tuple(queries_of(queries)))
    )
    most = _most(snapshot)
    asked = asked_on(snapshot, sorted(work.queries, key=_place)[:most], zone)
    known = kept_on(snapshot, layout_queries(snapshot), most)
    reads = _Reads.of(snapshot, [*asked, *known])
    found = [reads.fit(part) for part in asked]
    now, before = _Means.of(found), _Means.of([reads.fit(part) for part in known])
    times = before.read / before.least if before.least else _UNKNOWN_TIMES
    expected = min(now.read, times * now.least)
    fits = now.read <= _TOLERATED * expected or now.read - expected < _LEAST_GAIN
    told = () if len(asked) == len(work.queries) else (_left_out(len(work.queries), most),)
    return QueriesFit(
        queries=len(asked),
        weight=now.weight,
        share_read=now.read,
        share_least=now.least,
        known_queries=len(known),
        known_share_read=before.read if known else None,
        known_share_least=before.least if known else None,
        share_expected=expected,
        fits=fits,
        gain_per_byte=now.weight * (now.read - now.least),
        sampled_rows=len(reads.rows),
        worst=_worst(found),
        advice="" if fits else _command(snapshot, logged=isinstance(queries, Queries)),
        notes=(*work.notes, *told),
    )


def known_fits(snapshot: TableSnapshot) -> tuple[QueryFit, ...]:
    """Returns what those queries read now that the last clustering was cut for.

    Those of the greatest weight, that first; none where it was cut for none.
    """
    known = kept_on(snapshot, layout_queries(snapshot), _most(snapshot))
    reads = _Reads.of(snapshot, known)
    return tuple(reads.fit(part) for part in known)


def _most(snapshot: TableSnapshot) -> int:
    return min(_MOST, max(_LEAST, _MOST_MET // max(1, len(snapshot.slices))))


def _place(query: WeightedQuery) -> tuple[float, bytes]:
    """Orders by weight, and equal ones by a hash, so that the first of them are like the others."""
    return -query.weight, hashlib.sha256(query.text.encode()).digest()


def _left_out(found: int, most: int) -> str:
    return f"of {found:,} queries the {most:,} of the greatest weight were looked at"


def _command(snapshot: TableSnapshot, *, logged: bool) -> str:
    """Returns the forecast to ask, of files as large as those of the table."""
    target = last_target(snapshot)
    size = "" if target is None else f" --target-file-size {target}"
    source = "--event-log LOGS" if logged else "--queries FILE"
    return f"hudi-zorder forecast {shlex.quote(snapshot.url)}{size} {source}"


class _Reads:
    """What queries read of the files as they are, and the least that they could.

    Args:
        files: the files.
        leaves: the columns whose values are sampled.
        rows: the sampled rows.
    """

    def __init__(
        self, files: FileSet, leaves: Sequence[ColumnSchema], rows: Sequence[SampledRow]
    ) -> None:
        self.files = files
        self.rows = rows
        self._places = {leaf.name: place for place, leaf in enumerate(leaves)}
        self._passing: dict[ValueTest, list[bool]] = {}

    @classmethod
    def of(cls, snapshot: TableSnapshot, asked: Sequence[Asked]) -> _Reads:
        bounds = [bound for part in asked for bound in part.bounds]
        looked = {name: leaf for bound in bounds for name, leaf in bound.leaves.items()}
        written = [leaf for leaf in looked.values() if leaf.is_written]
        bases = [part.base.path for part in snapshot.slices if part.base]
        footers = snapshot.footers.read(bases, list(looked))
        names = [leaf.name for leaf in written]
        places = rows_to_sample(snapshot, footers, names)
        rows = sample_rows(snapshot, places, names, _ROWS) if names else []
        files = file_set(snapshot, files_now(snapshot, snapshot.slices, looked))
        return cls(files, written, rows)

    def fit(self, asked: Asked) -> QueryFit:
        """Returns what a query reads, in the mean of its conditions."""
        return QueryFit(
            query=asked.query.text,
            weight=asked.query.weight,
            share_read=asked.share_of(self.files),
            share_least=fmean(self._least(bound) for bound in asked.bounds),
        )

    def _least(self, bound: BoundPredicate) -> float:
        """Returns the share of as few files as matching rows fill; of one, if rows may match."""
        files = len(self.files.files)
        matching = sum(
            bound.may_hold(lambda test, row=row: self._passes(test)[row])  # type: ignore[misc]
            for row in range(len(self.rows))
        )
        full = math.ceil(matching * files / len(self.rows)) if self.rows else 1
        return min(max(1, full) / files, self.files.share_of_predicate(bound)) if files else 0.0

    def _passes(self, test: ValueTest) -> list[bool]:
        if test not in self._passing:
            place = self._places.get(test.column)
            values = (None if place is None else row[place] for row in self.rows)
            self._passing[test] = [
                test.null_passes if value is None else test.passes(value) for value in values
            ]
        return self._passing[test]


@dataclass(frozen=True)
class _Means:
    """Means over queries by weight."""

    weight: float
    read: float
    least: float

    @classmethod
    def of(cls, queries: Sequence[QueryFit]) -> _Means:
        weight = math.fsum(query.weight for query in queries)
        if not weight:
            return cls(0.0, 0.0, 0.0)
        read = math.fsum(query.weight * query.share_read for query in queries)
        least = math.fsum(query.weight * query.share_least for query in queries)
        return cls(weight, read / weight, least / weight)


def _worst(queries: Sequence[QueryFit]) -> tuple[QueryFit, ...]:
    above = [query for query in queries if query.share_read > query.share_least]
    above.sort(key=lambda query: -query.weight * (query.share_read - query.share_least))
    return tuple(above[:_SHOWN])
