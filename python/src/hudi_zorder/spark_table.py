"""A Hudi table to look at, by means of a Spark session."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

from hudi_zorder.clustering.hudi_options import as_settings
from hudi_zorder.errors import OptionError
from hudi_zorder.hudi_table import HudiTable
from hudi_zorder.parallel import READERS, checked_readers
from hudi_zorder.seen_table import SeenTable
from hudi_zorder.spark import z_column
from hudi_zorder.spark.location import located, open_snapshot
from hudi_zorder.spark.session import check_predicate_settings, session_time_zone
from hudi_zorder.spark.z_column import DEFAULT_RANGES

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.eventlog.queries import Queries
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.skipping.skipping_report import SkippingReport
    from hudi_zorder.stats.column_stats import Source
    from hudi_zorder.stats.index_bounds import OneSource
    from hudi_zorder.stats.information_report import ClusteringInformation
    from hudi_zorder.workload.weighted_queries import GivenQueries


class SparkTable(SeenTable):
    """A Hudi table, each time as it stands, by the file system and settings of a session.

    It is what ``ZOrderTable``, whose arguments it takes, can do without changing the table.
    """

    def __init__(
        self, spark: SparkSession, path: str | os.PathLike[str], *, readers: int = READERS
    ) -> None:
        self.spark = spark
        self.readers = checked_readers(readers)
        self.path = located(spark, path)

    def column_stats(
        self, columns: Sequence[str] | None = None, *, source: Source = "auto"
    ) -> pa.Table:
        """Returns minimum, maximum and nulls of columns in their own types, a row for each file.

        The values are those of the metadata table's index, by which Spark skips files; Parquet
        footers fill its gaps and correct it, and an IndexWarning says where that was needed.
        ``hudi_zorder.stats.stats_table`` describes the table's columns; the ``source`` and a
        ``note`` are in its ``schema.metadata``.

        Args:
            columns: the columns, nested ones as ``a.b``; None for all that can have statistics.
            source: ``auto``, or ``index`` or ``footers`` for one of the two alone.

        Raises:
            OptionError: for another source.
            ColumnError: for a column that the table does not have, or not with statistics.
        """
        return self._as_it_stands().column_stats(columns, source=source)

    def clustering_information(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        source: OneSource = "footers",
    ) -> ClusteringInformation:
        """Returns how well the table is clustered by any columns, clustered by them or not.

        Args:
            columns: the columns; None for those of the last clustering.
            queries: those of the last weeks, as ``cluster`` takes them: whether they still fit the
                layout is told in ``queries`` of what is returned. An empty list is refused.
            source: ``footers``, or ``index``, as ``HudiTable.clustering_information`` describes it.

        Raises:
            ColumnError: for a column that the table does not have, or not with statistics.
            PredicateError: when a query cannot be parsed or names an unknown column.
            OptionError: for queries that are none, another source, or where there are no columns
                to ask about.
        """
        zone = None if queries is None else session_time_zone(self.spark)
        return self._as_it_stands().clustering_information(
            columns, queries=queries, time_zone=zone, source=source
        )

    def explain(
        self,
        predicate: str,
        *,
        select: Sequence[str] | None = None,
        audit: bool = False,
        source: OneSource = "footers",
        hudi_options: Mapping[str, Any] | None = None,
    ) -> SkippingReport:
        """Explains which partitions, files, row groups and pages a predicate skips, and why not.

        Args:
            predicate: in Spark's SQL, as after WHERE; times without a zone are in the session's.
            select: the columns whose pages are counted; None for those of the predicate.
            audit: whether to prove, by reading the whole table, that nothing that is skipped holds
                a matching row, and that Spark loses none by Hudi's own data skipping. The report's
                ``audit`` says what was found; a fault is no exception.
            source: ``footers``, or ``index``, as ``HudiTable.explain`` describes it.
            hudi_options: by which the queries of the audit read the table, besides what it sets.

        Raises:
            PredicateError: when the predicate cannot be parsed, names an unknown column or cannot
                be audited.
            OptionError: for another source, ``audit`` or ``select`` beside the index, or options
                of Hudi's without an audit.
            TableError: when the table is written to during the audit.
        """
        if audit:
            from hudi_zorder.skipping.explain import require_footers

            require_footers(source)
        settings = as_settings(hudi_options)
        if settings and not audit:
            raise OptionError(
                f"Cannot explain a predicate: 'hudi_options' was {settings}, which is for the "
                "queries of an audit; give audit=True, too"
            )
        check_predicate_settings(self.spark, predicate)
        time_zone = session_time_zone(self.spark)
        snapshot = self._seen()
        report = HudiTable(snapshot).explain(
            predicate, select=select, time_zone=time_zone, source=source
        )
        if not audit:
            return report
        from hudi_zorder.skipping.audit import audit as audited

        return replace(report, audit=audited(self.spark, snapshot, report, settings))

    def where_z(
        self, frame: DataFrame, predicate: str, *, max_ranges: int = DEFAULT_RANGES
    ) -> DataFrame:
        """Returns the rows of a data frame of this table that satisfy a predicate.

        They are those of ``frame.where(predicate)``. Where the table has a z-column whose values
        are known to be true, ranges of it are asked besides, as the session's extension does by
        itself; this does it where that is switched off.

        Args:
            frame: rows of the table as they were loaded, the z-column among them.
            predicate: in Spark's SQL, as after WHERE.
            max_ranges: how many ranges of z-values may be asked.

        Raises:
            PredicateError: when the predicate cannot be parsed or names an unknown column.
            OptionError: for a number of ranges that cannot be.
        """
        return z_column.where_z(frame, predicate, max_ranges)

    def z_predicate(self, predicate: str, *, max_ranges: int = DEFAULT_RANGES) -> str | None:
        """Returns what a predicate means for the z-column, as text for SQL of any engine.

        It holds for the table as it is now, and is to be asked besides the predicate. None when the
        table has no z-column, or the predicate says nothing of it.

        Takes and raises what ``where_z`` does.
        """
        return z_column.z_predicate(self.spark, self.path, predicate, max_ranges)

    def _as_it_stands(self) -> HudiTable:
        return HudiTable(self._seen())

    def _seen(self) -> TableSnapshot:
        return open_snapshot(self.spark, self.path, self.readers)
