"""A Hudi table to cluster, and to look at: the package's front door."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from hudi_zorder import clustering
from hudi_zorder._jvm import table_location
from hudi_zorder.clustering import ClusteringService, PendingClustering
from hudi_zorder.options import ZOrderOptions, options_from
from hudi_zorder.result import ClusteringResult

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger("hudi_zorder")


class ZOrderTable:
    """A Hudi table, by its path.

    Args:
        spark: a session made with ``configure_spark``.
        path: the table's base path, as Spark would load it.

    Raises:
        TableError: when there is no Hudi table at the path.
    """

    def __init__(self, spark: SparkSession, path: str | os.PathLike[str]) -> None:
        self.spark = spark
        self.path = os.fspath(path)
        self._service = ClusteringService(spark, self.path)

    @classmethod
    def for_name(cls, spark: SparkSession, name: str) -> ZOrderTable:
        """Returns the table that the catalog knows by a name such as ``db.orders``.

        Raises:
            TableError: when the catalog has no such table, or it is no Hudi table.
        """
        return cls(spark, table_location(spark, name))

    def __repr__(self) -> str:
        return f"ZOrderTable({self.path!r})"

    def cluster(
        self,
        columns: Sequence[str] | None = None,
        *,
        where: str | None = None,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> ClusteringResult:
        """Schedules and executes a clustering.

        When the execution fails, its plan is rolled back and the table is as before.

        Args:
            columns: the sort columns, the most important first.
            where: a predicate over partition columns; None takes all partitions.
            options: the whole layout, in place of ``columns`` and ``fields``.
            hudi_options: further Hudi configuration, which wins over what the options set.
            **fields: fields of ZOrderOptions, such as ``target_file_size="64MB"``.

        Returns:
            What was done; false, with the reason in ``notes``, when there was nothing to do.

        Raises:
            OptionError: for an option that cannot be used.
            ColumnError: for a column that cannot be used.
            PredicateError: when ``where`` is about more than partition columns.
            ClusteringError: when Hudi fails to plan or to execute.
        """
        chosen = options_from(options, fields, columns)
        return clustering.cluster(self._service, chosen, where, hudi_options or {})

    def schedule(
        self,
        columns: Sequence[str] | None = None,
        *,
        where: str | None = None,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> str | None:
        """Writes a clustering plan to the timeline, for ``execute`` here or elsewhere.

        Takes and raises what ``cluster`` does.

        Returns:
            The plan's instant; None, with the reason in the log, when there is nothing to do.
        """
        chosen = options_from(options, fields, columns)
        instant, reason = self._service.schedule(chosen, where, hudi_options or {})
        if instant is None:
            logger.warning(reason)
        return instant

    def execute(
        self, instant: str, *, hudi_options: Mapping[str, str] | None = None
    ) -> ClusteringResult:
        """Executes a pending plan by the layout that is stored in it.

        When that fails, the plan stays pending: ``execute`` tries again, ``cancel`` drops it.

        Raises:
            ClusteringError: when no such plan is pending, or its execution fails.
        """
        return self._service.execute(instant, hudi_options or {})

    def cancel(self, instant: str) -> None:
        """Drops a pending plan, with the files that an attempt to execute it has written.

        Raises:
            ClusteringError: when no such plan is pending, or it cannot be dropped.
        """
        self._service.cancel(instant)

    def pending(self) -> list[PendingClustering]:
        """Returns the plans that are scheduled and not completed, the oldest first."""
        return self._service.pending()
