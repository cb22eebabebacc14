"""What queries read of a table's files, and the least that they could, by sampled rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Final

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.found_once import FoundOnce
from hudi_zorder.simulation.present_files import file_set, present_files
from hudi_zorder.stats.fit_report import QueryFit
from hudi_zorder.stats.row_sample import (
    PartialRow,
    Unread,
    rows_unchanged,
    sample_partial_rows,
)
from hudi_zorder.workload.bound_queries import BoundQuery
from hudi_zorder.workload.judged_queries import leaves_of

_SAMPLED_ROWS: Final = 2_048


class QueryReads:
    """What queries read of the files as they are, and the least that they could.

    Args:
        files: the files.
        leaves: the columns whose values are sampled.
        rows: the sampled rows.
    """

    def __init__(
        self, files: FileSet, leaves: Sequence[ColumnSchema], rows: Sequence[PartialRow]
    ) -> None:
        self.files = files
        self.rows = rows
        self._places = {leaf.name: place for place, leaf in enumerate(leaves)}
        self._passing = FoundOnce(self._passes)

    @classmethod
    def of(cls, snapshot: TableSnapshot, queries: Sequence[BoundQuery]) -> QueryReads:
        """Samples the columns that queries are about, from the table's files as they are."""
        looked = leaves_of(queries)
        written = [leaf for leaf in looked.values() if leaf.is_written]
        bases = [part.base.path for part in snapshot.slices if part.base]
        footers = snapshot.footers.read(bases, list(looked))
        names = [leaf.name for leaf in written]
        places = rows_unchanged(snapshot, footers)
        rows = sample_partial_rows(snapshot, places, names, _SAMPLED_ROWS) if names else []
        files = file_set(snapshot, present_files(snapshot, snapshot.slices, looked))
        return cls(files, written, rows)

    def fit(self, query: BoundQuery) -> QueryFit:
        """Returns what a query reads, in the mean of its predicates."""
        return QueryFit(
            query=query.query.text,
            weight=query.query.weight,
            share_read=self.files.share_of_query(query),
            share_least=fmean(self._least(bound) for bound in query.predicates),
        )

    def _least(self, bound: BoundPredicate) -> float:
        """Returns the share of as few files as matching rows fill; of one, if rows may match.

        Where no row was seen, fewer files than are read now are promised of nothing.
        """
        files = len(self.files.files)
        rows = self._rows_with(bound.columns)
        matching = sum(
            bound.may_hold(lambda test, row=row: self._passing.of(test)[row])  # type: ignore[misc]
            for row in rows
        )
        full = math.ceil(matching * files / len(rows)) if rows else files
        return min(max(1, full) / files, self.files.share_of_predicate(bound)) if files else 0.0

    def _rows_with(self, columns: Sequence[str]) -> list[int]:
        """Returns the places of those sampled rows of which all values are known."""
        places = [self._places[name] for name in columns if name in self._places]
        return [
            number
            for number, row in enumerate(self.rows)
            if not any(row[place] is Unread.VALUE for place in places)
        ]

    def _passes(self, test: ValueTest) -> list[bool]:
        place = self._places.get(test.column)
        values = (None if place is None else row[place] for row in self.rows)
        return [
            test.null_passes if value is None else value is not Unread.VALUE and test.passes(value)
            for value in values
        ]
