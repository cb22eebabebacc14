"""Whether a table's files still serve what is asked, by their footers and a few of their rows."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.advice.conditions import Asked, asked_on, heaviest
from hudi_zorder.advice.kept_queries import kept_queries
from hudi_zorder.advice.logged import workload_of
from hudi_zorder.advice.real_files import as_they_are, file_set
from hudi_zorder.advice.simulated_files import FileSet
from hudi_zorder.advice.workload import GivenQueries, WeightedQuery, queries_of
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.history import layout_columns, layout_queries
from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.stats.fit_report import QueriesFit, ServedQuery
from hudi_zorder.stats.row_sample import sample_rows

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.file_schema import ColumnSchema
    from hudi_zorder.predicate.evaluator import BoundPredicate
    from hudi_zorder.predicate.value_tests import ValueTest

_SAMPLED: Final = 1024  # rows
_SHOWN: Final = 10
_WORSE: Final = 1.2  # what cluster's own guard calls clearly more

_Row = Mapping[str, Comparable | None]


def queries_fit(
    snapshot: TableSnapshot, queries: GivenQueries | Queries, zone: str | None = None
) -> QueriesFit:
    """Returns how well the files serve queries, beside those that they were cut for.

    Args:
        snapshot: the table.
        queries: as ``cluster`` takes them.
        zone: the session's time zone.

    Raises:
        OptionError: for a weight that cannot be used, or no query at all.
        PredicateError: when a query cannot be parsed or names an unknown column.
        TableError: when a file cannot be read.
    """
    given = (
        workload_of(queries, snapshot, zone).queries
        if isinstance(queries, Queries)
        else queries_of(queries)
    )
    known = kept_queries(snapshot, layout_queries(snapshot))
    asked, known_asked = (_asked(snapshot, part, zone) for part in (given, known))
    service = _Service.of(snapshot, [*asked, *known_asked])
    served = [service.served(part) for part in asked]
    now, before = _Mean.of(served), _Mean.of([service.served(part) for part in known_asked])
    expected = now.least_share * (before.above_least if before else 1.0)
    fits = now.above_least <= _WORSE * before.above_least if before and now else None
    return QueriesFit(
        queries=len(asked),
        share_read=now.share_read,
        least_share=now.least_share,
        known_queries=len(known_asked),
        known_share_read=before.share_read if before else None,
        known_least_share=before.least_share if before else None,
        fits=fits,
        gain=max(0.0, now.share_read - expected),
        most_read=tuple(sorted(served, key=_below_what_is_read)[:_SHOWN]),
        advice="" if fits else _advice(snapshot),
    )


def _asked(
    snapshot: TableSnapshot, queries: Sequence[WeightedQuery], zone: str | None
) -> list[Asked]:
    return asked_on(snapshot, heaviest(queries), zone)


def _below_what_is_read(served: ServedQuery) -> float:
    return served.weight * (served.least_share - served.share_read)


def _advice(snapshot: TableSnapshot) -> str:
    words = ["hudi-zorder", "forecast", snapshot.url]
    if columns := layout_columns(snapshot):
        words += ["--columns", ",".join(columns)]
    return shlex.join([*words, "--queries", "FILE"])


@dataclass(frozen=True)
class _Mean:
    """What queries read, and the least they could; false when there are none."""

    share_read: float = 0.0
    least_share: float = 0.0

    def __bool__(self) -> bool:
        return self.least_share > 0

    @classmethod
    def of(cls, served: Sequence[ServedQuery]) -> _Mean:
        """Returns it by the queries' weights."""
        weight = math.fsum(one.weight for one in served)
        if not weight:
            return cls()
        return cls(
            math.fsum(one.weight * one.share_read for one in served) / weight,
            math.fsum(one.weight * one.least_share for one in served) / weight,
        )

    @property
    def above_least(self) -> float:
        return self.share_read / self.least_share


@dataclass(frozen=True)
class _Service:
    """The files as they are, and some of their rows."""

    files: FileSet
    rows: Sequence[_Row]

    @classmethod
    def of(cls, snapshot: TableSnapshot, asked: Sequence[Asked]) -> _Service:
        """Reads footers and rows of the columns that are asked of."""
        leaves: dict[str, ColumnSchema] = {}
        for part in asked:
            for bound in part.bounds:
                leaves |= bound.leaves
        slices = snapshot.slices
        files = file_set(snapshot, as_they_are(snapshot, slices, leaves))
        bases = [part.base.path for part in slices if part.base]
        footers = snapshot.footers.read(bases, list(leaves))
        names = [name for name, leaf in leaves.items() if leaf.is_written]
        rows = sample_rows(snapshot, footers, names, _SAMPLED) if names else []
        return cls(files, [dict(zip(names, row, strict=True)) for row in rows])

    def served(self, part: Asked) -> ServedQuery:
        """Returns what a query reads of the files."""
        least = math.fsum(map(self._least, part.bounds)) / len(part.bounds)
        read = part.share_of(self.files)
        return ServedQuery(part.query.text, part.query.weight, read, min(least, read))

    def _least(self, bound: BoundPredicate) -> float:
        """Returns the share of rows in as few full files as can hold those that match."""
        files = len(self.files.files)
        if not files:
            return 0.0
        matching = sum(_matches(bound, row) for row in self.rows)
        share = matching / len(self.rows) if self.rows else 1.0
        return max(1, math.ceil(share * files)) / files


def _matches(bound: BoundPredicate, row: _Row) -> bool:
    """Tells whether a row may satisfy a predicate, as far as it can be tested."""

    def passes(test: ValueTest) -> bool:
        value = row.get(test.column)
        return test.null_passes if value is None else test.passes(value)

    return bound.may_hold(passes)
