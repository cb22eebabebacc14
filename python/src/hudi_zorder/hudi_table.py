"""A Hudi table to look at, without Spark or Java."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hudi_zorder.advice.fit import queries_fit
from hudi_zorder.advice.workload import GivenQueries
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi import history
from hudi_zorder.hudi.clusterings import PastClusterings, PendingClusterings
from hudi_zorder.hudi.pending_plans import pending
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parallel import READERS
from hudi_zorder.skipping.explain import explain
from hudi_zorder.skipping.report import SkippingReport
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.stats.information_report import ClusteringInformation

if TYPE_CHECKING:
    import pyarrow as pa


def open_table(
    path: str | os.PathLike[str],
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    readers: int = READERS,
) -> HudiTable:
    """Opens a table to look at; neither Spark nor Java is needed.

    Args:
        path: a local path, or a URL of a file system that pyarrow or an fsspec package serves.
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


class HudiTable:
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

    def __repr__(self) -> str:
        """Returns the path, as ``open_table`` takes it."""
        return f"open_table({self.path!r})"

    def pending(self) -> PendingClusterings:
        """Returns the plans that are scheduled and not completed, the oldest first."""
        return pending(self._snapshot)

    def history(self) -> PastClusterings:
        """Returns the completed clusterings, the oldest first, archived ones included."""
        return history.history(self._snapshot)

    def column_stats(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Returns minimum, maximum and nulls of columns in their own types, a row for each file.

        The values are those of Parquet footers, as ``ZOrderTable.column_stats`` has them with
        ``source="footers"``; ``hudi_zorder.stats.stats_table`` describes the table's columns.

        Args:
            columns: the columns, nested ones as ``a.b``; None for all that can have statistics.

        Raises:
            ColumnError: for a column that the table does not have, or not with statistics.
        """
        return footer_stats(self._snapshot, columns)

    def clustering_information(
        self,
        columns: Sequence[str],
        *,
        queries: GivenQueries | Queries | None = None,
        time_zone: str | None = None,
    ) -> ClusteringInformation:
        """Returns how well the table is clustered by any columns, clustered by them or not.

        Args:
            columns: the columns.
            queries: those of the last weeks, as ``cluster`` takes them: whether they still fit the
                layout is told in ``queries`` of what is returned.
            time_zone: that of times in queries without one; any, when it is None.

        Raises:
            ColumnError: for a column that the table does not have, or not with statistics.
            PredicateError: when a query cannot be parsed or names an unknown column.
            OptionError: for an unknown time zone, or queries that are none.
        """
        found = clustering_information(self._snapshot, columns)
        if queries is None:
            return found
        return replace(found, queries=queries_fit(self._snapshot, queries, time_zone))

    def explain(
        self, predicate: str, *, select: Sequence[str] | None = None, time_zone: str | None = None
    ) -> SkippingReport:
        """Explains which partitions, files, row groups and pages a predicate skips, and why not.

        Args:
            predicate: in Spark's SQL, as after WHERE.
            select: the columns whose pages are counted; None for those of the predicate.
            time_zone: that of times without one; any, when it is None.

        Raises:
            PredicateError: when the predicate cannot be parsed or names an unknown column.
            OptionError: for an unknown time zone.
        """
        return explain(self._snapshot, predicate, time_zone=time_zone, select=select)
