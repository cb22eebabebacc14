"""A Hudi table to look at, without Spark or Java."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi import history
from hudi_zorder.hudi.crash_leftovers import Repair, examine
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import column_names
from hudi_zorder.parallel import READERS
from hudi_zorder.seen_table import SeenTable

# Each method imports what it alone needs: who looks at a table rarely asks for all there is.
if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.eventlog.queries import Queries
    from hudi_zorder.skipping.skipping_report import SkippingReport
    from hudi_zorder.stats.column_stats import Source
    from hudi_zorder.stats.index_bounds import OneSource
    from hudi_zorder.stats.information_report import ClusteringInformation
    from hudi_zorder.workload.weighted_queries import GivenQueries


def open_table(
    path: str | os.PathLike[str],
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    readers: int = READERS,
) -> HudiTable:
    """Opens a table to look at; neither Spark nor Java is needed.

    Args:
        path: a local path, or a URL of a file system that pyarrow or an fsspec package serves;
            of Azure the package adlfs, unless the URL has ``?credential_kind=default`` or the like.
        filesystem: one of pyarrow or fsspec that the path is on, whatever its scheme.
        storage_options: what the URL's fsspec package is to be opened with, such as credentials.
        readers: how many requests are under way at a time; more are faster on an object store.

    Raises:
        OptionError: for fewer readers than one.
        TableError: when there is no Hudi table at the path.
    """
    return HudiTable(
        TableSnapshot.open(
            path, filesystem=filesystem, storage_options=storage_options, readers=readers
        )
    )


class HudiTable(SeenTable):
    """A Hudi table as it stands when it is first looked at: open it again to see later commits.

    Made by ``open_table``; ``ZOrderTable`` looks at a table by the same means.

    Args:
        snapshot: the table.
    """

    def __init__(self, snapshot: TableSnapshot) -> None:
        self._snapshot = snapshot

    @property
    def path(self) -> str:
        """The path or URL that the table was opened by."""
        return self._snapshot.url

    def _seen(self) -> TableSnapshot:
        return self._snapshot

    def __repr__(self) -> str:
        """Returns the path, as ``open_table`` takes it."""
        return f"open_table({self.path!r})"

    def column_stats(
        self, columns: Sequence[str] | None = None, *, source: Source = "footers"
    ) -> pa.Table:
        """Returns minimum, maximum and nulls of columns in their own types, a row for each file.

        ``hudi_zorder.stats.stats_table`` describes the table's columns; the ``source`` and a
        ``note`` are in its ``schema.metadata``.

        Args:
            columns: the columns, nested ones as ``a.b``; None for all that can have statistics.
            source: ``footers``, which are the truth; ``index``, the metadata table's, as it is: by
                it Spark skips files, and of many files it is read sooner; or ``auto``, the index
                with its gaps filled and its faults corrected by footers, as an IndexWarning says.

        Raises:
            OptionError: for another source.
            ColumnError: for a column that the table does not have, or not with statistics.
        """
        from hudi_zorder.stats.column_stats import column_stats

        names = None if columns is None else column_names("columns", columns)
        return column_stats(self._snapshot, names, source)

    def clustering_information(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        time_zone: str | None = None,
        source: OneSource = "footers",
    ) -> ClusteringInformation:
        """Returns how well the table is clustered by any columns, clustered by them or not.

        Args:
            columns: the columns; None for those of the last clustering.
            queries: those of the last weeks, as ``cluster`` takes them: whether they still fit the
                layout is told in ``queries`` of what is returned. An empty list is refused.
            time_zone: that of times in queries without one; any, when it is None. Refused where
                there are no queries.
            source: where ranges and rows are from: ``footers``, or ``index``, the metadata table's
                column statistics. By the index no footers are opened but those of files that it
                lacks a column of, or has it in a way that a fault of Hudi's may have made, and of
                the 64 files at most that rows are sampled from. Upkeep is then told by the names of
                files alone: what a bulk insert has laid out counts as left. Queries are judged by
                footers all the same.

        Raises:
            ColumnError: for a column that the table does not have, or not with statistics.
            PredicateError: when a query cannot be parsed or names an unknown column.
            OptionError: for an unknown time zone or source, a time zone of no queries, queries that
                are none, or where there are no columns to ask about.
        """
        from hudi_zorder.predicate.binding import checked_time_zone
        from hudi_zorder.stats.clustering_information import clustering_information

        if columns is None:
            columns = history.chosen_columns(self._snapshot, None)
        names = column_names("columns", columns)
        if checked_time_zone(time_zone) is not None and queries is None:
            raise OptionError(
                f"Cannot measure clustering: 'time_zone' was '{time_zone}', and there are no "
                "queries whose times are in it; give queries (--queries or --event-log), or leave "
                "it out"
            )
        found = clustering_information(self._snapshot, names, source)
        if queries is None:
            return found
        from hudi_zorder.fit.queries_fit import queries_fit

        return replace(found, queries=queries_fit(self._snapshot, queries, time_zone))

    def explain(
        self,
        predicate: str,
        *,
        select: Sequence[str] | None = None,
        time_zone: str | None = None,
        source: OneSource = "footers",
    ) -> SkippingReport:
        """Explains which partitions, files, row groups and pages a predicate skips, and why not.

        Args:
            predicate: in Spark's SQL, as after WHERE.
            select: the columns whose pages are counted; None for those of the predicate.
            time_zone: that of times without one; any, when it is None.
            source: ``footers``, or ``index``, the metadata table's column statistics, which tell of
                files and neither of row groups nor of pages. Files are skipped as footers have it:
                the footer is read of a file that the index lacks a column of, or has it in a way
                that a fault of Hudi's may have made (bounds about 0 of a float, for a NaN; nulls
                alone, or among texts, for values too long; another type; dates before 15 October
                1582, times before 1900), and of the 64 files at most that rows are sampled from; no
                others are opened. Files with logs, which footers always keep, are skipped where the
                index tells of each log, unless a class of the user's merges rows, or what they lack
                is filled in.

        Raises:
            PredicateError: when the predicate cannot be parsed or names an unknown column.
            OptionError: for an unknown time zone or source, or ``select`` beside the index.
        """
        from hudi_zorder.skipping.explain import explain

        counted = None if select is None else column_names("select", select)
        return explain(
            self._snapshot, predicate, time_zone=time_zone, select=counted, source=source
        )

    def repair(self, *, dry_run: Literal[True]) -> Repair:
        """Returns what ``ZOrderTable.repair`` would roll back; that itself needs Spark.

        Raises:
            OptionError: when it is to be done.
        """
        if not dry_run:
            raise OptionError(
                f"Cannot repair a table without Spark: 'dry_run' was '{dry_run}'; call "
                "ZOrderTable(spark, path).repair()"
            )
        return examine(self._snapshot)
