"""A Hudi table to cluster, and to look at: the package's front door."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from hudi_zorder.call_defaults import (
    FORECAST_SAMPLE_ROWS,
    RECOMMEND_COLUMNS,
    RECOMMEND_SAMPLE_ROWS,
)
from hudi_zorder.clustering import attempts
from hudi_zorder.clustering import statistics_guard as guard
from hudi_zorder.clustering.given_layout import GivenLayout
from hudi_zorder.clustering.hudi_options import as_settings
from hudi_zorder.clustering.layout_choice import LayoutChoice
from hudi_zorder.clustering.repair import repair
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.errors import OptionError
from hudi_zorder.option_fields import LayoutFields, SharedFields
from hudi_zorder.options import QUERIES, ZOrderOptions
from hudi_zorder.parallel import READERS
from hudi_zorder.spark._jvm.session_state import table_location
from hudi_zorder.spark_table import SparkTable

# What clustering never needs is imported by the methods that do: it takes as long as all the rest.
if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hudi_zorder.clustering.clustering_plan import ClusteringPlan
    from hudi_zorder.clustering.result import ClusteringResult
    from hudi_zorder.clustering.verification_report import Verification
    from hudi_zorder.eventlog.queries import Queries
    from hudi_zorder.forecast.forecast_report import Forecast
    from hudi_zorder.hudi.crash_leftovers import Repair
    from hudi_zorder.recommendation.recommendation_report import Recommendation
    from hudi_zorder.simulation.dry_run import Scope
    from hudi_zorder.workload.weighted_queries import GivenQueries

logger = logging.getLogger("hudi_zorder")


class ZOrderTable(SparkTable):
    """A Hudi table, by its path, to cluster and to look at.

    Args:
        spark: a session made with ``configure_spark``.
        path: the table's base path, as Spark would load it.
        readers: how many requests of this process are under way at a time; more are faster on an
            object store.

    Raises:
        OptionError: for fewer readers than one.
        SessionError: for what is no session, or one of Spark Connect.
        TableError: when there is no Hudi table at the path.
    """

    def __init__(
        self, spark: SparkSession, path: str | os.PathLike[str], *, readers: int = READERS
    ) -> None:
        super().__init__(spark, path, readers=readers)
        self._service = ClusteringService(spark, self.path, self.readers)

    @classmethod
    def for_name(cls, spark: SparkSession, name: str, *, readers: int = READERS) -> ZOrderTable:
        """Returns the table that the catalog knows by a name such as ``db.orders``.

        Takes ``readers`` as the constructor does.

        Raises:
            OptionError: for fewer readers than one.
            TableError: when the catalog has no such table, or it is no Hudi table.
        """
        return cls(spark, table_location(spark, name), readers=readers)

    def __repr__(self) -> str:
        """Returns the path, as the constructor takes it."""
        return f"ZOrderTable({self.path!r})"

    def cluster(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        where: str | None = None,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, Any] | None = None,
        unsafe_statistics: str = guard.WARN,
        **fields: Unpack[LayoutFields],
    ) -> ClusteringResult:
        """Schedules and executes a clustering.

        When the execution fails, or is interrupted, its plan is rolled back and the table is as
        before. Once it is committed, a failure or an interrupt is a note of the result.

        Args:
            columns: the sort columns, the most important first; what is not given is as the last
                clustering had it, if that was by the same columns in the same order. None takes
                those that ``queries`` compare with values; without queries it goes on with the
                options of the last clustering, save for what ``fields`` say.
            queries: what the files are to be cut for, as ``recommend`` takes it. None goes on with
                the queries of the last clustering by the same columns, as an incremental clustering
                does while those given are much the same; ``[]`` forgets them.
            where: a predicate over partition columns; None takes all partitions.
            options: the whole layout, in place of ``columns`` and ``fields``, but for weights where
                it has none.
            hudi_options: further Hudi configuration, which wins over what the options set.
            unsafe_statistics: what to do about columns by whose statistics Hudi would lose rows of
                queries, such as those with a NaN: ``warn`` of them, ``refuse`` to cluster, or
                ``leave-out`` of the statistics. All but ``warn`` plan once more beforehand.
            **fields: fields of ZOrderOptions, such as ``target_file_size="64MB"``.

        Returns:
            What was done; false, with the reason in ``notes``, when there was nothing to do.

        Raises:
            OptionError: for an option that cannot be used.
            ColumnError: for a column that cannot be used.
            PredicateError: when ``where`` is about more than partition columns, or queries cannot
                be used.
            UnsafeStatisticsError: for statistics that ``unsafe_statistics`` refuses, or that cannot
                be left out; nothing was written.
            ClusteringError: when Hudi fails to plan or to execute.
        """
        what = guard.checked(unsafe_statistics)
        chosen = self._chosen(queries, columns, options, fields, hudi_options)
        result = attempts.cluster(self._service, chosen.options, where, chosen.settings, what)
        return replace(result, notes=(*result.notes, *chosen.told))

    def schedule(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        where: str | None = None,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, Any] | None = None,
        unsafe_statistics: str = guard.WARN,
        **fields: Unpack[LayoutFields],
    ) -> str | None:
        """Writes a clustering plan to the timeline, for ``execute`` here or elsewhere.

        Takes and raises what ``cluster`` does. Whoever executes says what gets statistics, so that
        ``unsafe_statistics`` goes by an executor configured as this call is; ``leave-out`` is for
        ``execute`` alone.

        Returns:
            The plan's instant; None, with the reason in the log, when there is nothing to do.
        """
        what = guard.checked_of_plan(unsafe_statistics)
        chosen = self._chosen(queries, columns, options, fields, hudi_options)
        for note in chosen.told:
            logger.warning(note)
        return attempts.schedule(self._service, chosen.options, where, chosen.settings, what)

    def plan(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        where: str | None = None,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, Any] | None = None,
        unsafe_statistics: str = guard.WARN,
        **fields: Unpack[LayoutFields],
    ) -> ClusteringPlan:
        """Returns what ``schedule`` would plan now, why, and what it would leave alone.

        Nothing is written. Takes what ``cluster`` does.

        Returns:
            The plan; false when there is nothing to do.

        Raises:
            OptionError: for an option that cannot be used.
            ColumnError: for a column that cannot be used.
            PredicateError: when ``where`` is about more than partition columns, or queries cannot
                be used.
            UnsafeStatisticsError: for statistics that ``unsafe_statistics`` refuses, or that cannot
                be left out.
            ClusteringError: when Hudi fails to plan.
        """
        what = guard.checked(unsafe_statistics)
        chosen = self._chosen(queries, columns, options, fields, hudi_options)
        # Those of the last clustering are no news, and to sample rows takes time.
        foretell = queries is not None or QUERIES in (hudi_options or {})
        found = self._service.plan(chosen.options, where, chosen.settings, foretell=foretell)
        guard.require(what, found.unsafe_statistics)
        return replace(found, notes=(*found.notes, *chosen.told))

    def execute(
        self,
        instant: str,
        *,
        hudi_options: Mapping[str, Any] | None = None,
        unsafe_statistics: str = guard.WARN,
    ) -> ClusteringResult:
        """Executes a pending plan by the options that are stored in it.

        When that fails, the plan stays pending: ``execute`` tries again, ``cancel`` drops it.
        One that gives way to a writer is dropped, and so is one that our strategy must refuse,
        since nobody could execute it.

        Raises:
            OptionError: when ``hudi_options`` have an option of ours, such as ``verify``, that is
                not as the plan has it.
            ConflictError: when a writer came first; schedule again.
            UnsafeStatisticsError: as ``cluster`` does.
            ClusteringError: when no such plan is pending, or its execution fails.
        """
        what = guard.checked(unsafe_statistics)
        return attempts.execute(self._service, instant, as_settings(hudi_options), what)

    def cancel(
        self,
        instant: str,
        *,
        force: bool = False,
        hudi_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Drops a pending plan, with the files that an attempt to execute it has written.

        ``hudi_options``, here as of ``repair``, name the lock that others take.

        Raises:
            ClusteringError: when no such plan is pending, or it cannot be dropped.
            PlanInUseError: when a process executes it; with ``force`` that one fails instead.
        """
        self._service.rollback.cancel(instant, as_settings(hudi_options), force=force)

    def repair(
        self, *, dry_run: bool = False, hudi_options: Mapping[str, Any] | None = None
    ) -> Repair:
        """Rolls back plans that a crash or a restore has left, for which Hudi refuses updates.

        What is executed, or waits for it, is left alone. A clustering whose executor was killed
        right after its commit is looked at for rows of others that it hides, and rolled back then.
        ``cluster`` does the same before it plans.
        With ``dry_run`` it tells what there is to do, and does nothing.

        Raises:
            OptionError: for ``hudi_options`` beside ``dry_run``, which does without.
            ConflictError: when nobody can tell yet what is hidden, as a write is under way.
            HiddenRowsError: when a clustering hides rows, and cannot be rolled back.
            ClusteringError: when Hudi cannot roll a plan back.
        """
        return repair(self._service, as_settings(hudi_options), dry_run=dry_run)

    def verify(
        self, instant: str | None = None, *, hudi_options: Mapping[str, Any] | None = None
    ) -> Verification:
        """Proves that a committed clustering has kept all rows, and that metadata agrees with them.

        The rows that it replaced are compared with those that it wrote, by Hudi's own reader, as
        long as the cleaner has left both; whichever class has executed it. The column-statistics
        index is held against the footers of the table's files, the record index against its rows.

        Args:
            instant: the clustering's, as ``history`` has it; None for the last one.
            hudi_options: further Hudi configuration, by which its rows are read.

        Returns:
            What was found; a fault is no exception.

        Raises:
            OptionError: for an option that cannot be used.
            TableError: when the table has no such clustering.
            ClusteringError: when its files cannot be read.
        """
        from hudi_zorder.clustering.verification import verify

        settings = as_settings(hudi_options)
        return verify(self.spark, self._service.snapshot(), instant, settings)

    def forecast(
        self,
        columns: Sequence[str] | None = None,
        *,
        queries: GivenQueries | Queries | None = None,
        predicates: Sequence[str] | Queries = (),
        where: str | None = None,
        sample_rows: int = FORECAST_SAMPLE_ROWS,
        options: ZOrderOptions | None = None,
        hudi_options: Mapping[str, Any] | None = None,
        **fields: Unpack[LayoutFields],
    ) -> Forecast:
        """Returns what each layout would skip, and what it would cost; nothing is written.

        Takes ``columns``, ``where``, ``options``, ``hudi_options`` and fields as ``cluster`` does.
        What is forecast is a clustering of all files, in ``mode="full"`` where some are laid out
        already, as the command says: ``mode``, ``max_bytes_per_plan`` and ``read_threshold`` change
        nothing of it, nor do ``strategy`` and ``cuts``; ``plan`` tells of any. Shares are of the
        rows that it would cluster.

        Args:
            columns: the sort columns, the most important first; with ``queries`` they may be left
                out, as in ``cluster``.
            queries: what files are to be cut for, as ``cluster`` takes it. A layout is forecast
                that is cut for the earlier half of each template, and each layout by the later
                half, which is held back; where no times are known a hash divides them.
            predicates: conditions in Spark's SQL, as after WHERE, to be forecast besides; or what
                ``queries_from_event_log`` returned, of which those on this table are taken.
            where: a predicate over partition columns; None takes all partitions.
            sample_rows: rows to look at; more where many files need them, or all there are.
            options: the whole layout, in place of ``columns`` and ``fields``.
            hudi_options: further Hudi configuration, which wins over what the options set.
            **fields: fields of ZOrderOptions, such as ``target_file_size="64MB"``.

        Raises:
            OptionError: for an option that cannot be used.
            ColumnError: for a column that cannot be used.
            PredicateError: when a predicate cannot be parsed or names an unknown column.
            TableError: when there is nothing to cluster.
        """
        from hudi_zorder.forecast.forecast import forecast
        from hudi_zorder.workload.weighted_queries import counted

        queries = None if queries is None else counted(queries)
        given = GivenLayout.of(columns, options, fields, hudi_options)
        scope = self._scope(where, given.settings, sample_rows)
        snapshot = self._service.snapshot()
        chosen = LayoutChoice.of_forecast(self.spark, snapshot, queries, given)
        layout = chosen.with_known_statistics(snapshot).options
        asked = queries is not None and len(queries) > 0
        found = forecast(scope, layout, predicates, queries if asked else None)
        return replace(found, notes=(*found.notes, *filter(None, [chosen.kept])))

    def recommend(
        self,
        queries: GivenQueries | Queries,
        *,
        where: str | None = None,
        max_columns: int = RECOMMEND_COLUMNS,
        sample_rows: int = RECOMMEND_SAMPLE_ROWS,
        hudi_options: Mapping[str, Any] | None = None,
        **fields: Unpack[SharedFields],
    ) -> Recommendation:
        """Returns the columns and weights by which queries read least; nothing is written.

        Sets of the columns that the queries compare with values are laid out on a sample, and what
        the queries would read of the files is what counts.

        Args:
            queries: conditions as after WHERE or whole statements in Spark's SQL; pairs of such a
                text and its weight; or a mapping from text to weight. Or what
                ``queries_from_event_log`` returned, of which those on this table are taken.
            where: a predicate over partition columns; None takes all partitions.
            max_columns: the largest set to try.
            sample_rows: rows to look at; more where many files need them, or all there are.
            hudi_options: further Hudi configuration, which wins over what the options set.
            **fields: fields of ZOrderOptions but ``columns`` and ``column_weights``, such as
                ``target_file_size="64MB"``.

        Raises:
            OptionError: for an option or a weight that cannot be used.
            PredicateError: when a query cannot be parsed, names an unknown column, or none of them
                compares a column with a value.
            TableError: when there is nothing to cluster.
        """
        from hudi_zorder.recommendation.recommend import recommend

        given = GivenLayout.of(None, None, fields, hudi_options)
        for name in sorted({"columns", "column_weights", "z_column"} & set(given.fields)):
            raise OptionError(
                f"Cannot recommend columns: '{name}' was given, which goes by columns that are to "
                "be found; call forecast to see what given ones bring"
            )
        given.options(["any"])  # refuses what is no option
        scope = self._scope(where, given.settings, sample_rows)
        return recommend(scope, queries, given.fields, max_columns)

    def _chosen(
        self,
        queries: GivenQueries | Queries | None,
        columns: Sequence[str] | None,
        options: ZOrderOptions | None,
        fields: LayoutFields,
        hudi_options: Mapping[str, Any] | None,
    ) -> LayoutChoice:
        given = GivenLayout.of(columns, options, fields, hudi_options)
        snapshot = self._service.snapshot()
        chosen = LayoutChoice.of(self.spark, snapshot, queries, given)
        return chosen.with_known_statistics(snapshot)

    def _scope(self, where: str | None, settings: Mapping[str, str], sample_rows: int) -> Scope:
        from hudi_zorder.simulation.dry_run import Scope

        return Scope(
            spark=self.spark,
            service=self._service,
            where=where,
            settings=settings,
            sample_rows=sample_rows,
        )
