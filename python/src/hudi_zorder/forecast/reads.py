"""What is read of a layout's files, beside what is read now and of independent columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from hudi_zorder.forecast.forecast_report import COLUMN, ForecastRead
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.simulation.dry_run import DryRun
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.found_once import FoundOnce
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.workload.bound_queries import BoundQuery


class Reads:
    """What is read for columns and queries; what all layouts have in common is found once.

    Args:
        found: the plan and the sample.
        columns: the sort columns.
        asked: the queries, by their kinds.
    """

    def __init__(
        self,
        found: DryRun,
        columns: Sequence[str],
        asked: Mapping[str, Sequence[BoundQuery]],
    ) -> None:
        self._names = columns
        self._columns = [found.sample.columns[name] for name in columns]
        self._asked = [(kind, part) for kind, parts in asked.items() for part in parts]
        self._columns_now = [found.now.share_of_column(column) for column in self._columns]
        self._asked_now = [found.now.share_of_query(part) for _, part in self._asked]
        by_column = found.sample.columns
        # Which rows pass by a column that was not sampled, their folders tell.
        self._selectivity = FoundOnce(
            lambda test: by_column[test.column].selectivity(test) if test.column in by_column else 1
        )

    def of(self, files: FileSet, options: ZOrderOptions) -> list[ForecastRead]:
        """Returns what is read of a layout's files: for each column, then for each query."""
        return [*self._of_columns(files, options), *self._of_queries(files)]

    def _of_columns(self, files: FileSet, options: ZOrderOptions) -> list[ForecastRead]:
        grids = (rows * number ** (-1 / len(self._names)) for rows, number in files.parts())
        even = sum(grids) / files.rows
        columns = zip(self._names, self._columns, self._columns_now, options.columns, strict=True)
        return [
            ForecastRead(
                kind=COLUMN,
                text=name,
                now=now,
                after=files.share_of_column(column),
                independent_share=even,
                weight=options.column_weights.get(named, 1.0),
            )
            for name, column, now, named in columns
        ]

    def _of_queries(self, files: FileSet) -> list[ForecastRead]:
        return [
            ForecastRead(
                kind=kind,
                text=part.query.text,
                now=now,
                after=files.share_of_query(part),
                independent_share=fmean(
                    independent_share_of_parts(
                        bound, files.parts(bound), self._names, self._selectivity.of
                    )
                    for bound in part.predicates
                ),
                weight=part.query.weight,
            )
            for (kind, part), now in zip(self._asked, self._asked_now, strict=True)
        ]
