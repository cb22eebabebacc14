"""Clustering through Hudi's own service: plans made, shown and executed.

Plans and results are read from the timeline's files; only the verbs themselves go to the JVM.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final
from uuid import uuid4

from pyspark.sql import SparkSession
from rich.console import RenderableType

from hudi_zorder import options as keys
from hudi_zorder.clustering.clustering_plan import ClusteringPlan
from hudi_zorder.clustering.concurrency import locked_here_alone, refuse_executing
from hudi_zorder.clustering.foretold_shares import ForetoldShare, foretold
from hudi_zorder.clustering.hudi_settings import HudiSettings
from hudi_zorder.clustering.layout_metrics import Measurement, layout_of
from hudi_zorder.clustering.plan_lines import plan_of
from hudi_zorder.clustering.result import ClusteringResult, Layout, result_of_plan
from hudi_zorder.clustering.rollback import Rollback
from hudi_zorder.clustering.statistics_guard import (
    WARN,
    StatisticsGuard,
    require,
    together,
    warn_of,
)
from hudi_zorder.errors import (
    ClusteringError,
    ConflictError,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    TableError,
    TableLockedError,
    with_outcome,
)
from hudi_zorder.hudi.history import written_file_groups
from hudi_zorder.hudi.pending_plans import ATTEMPT, AUTHOR, find_pending, plans_of_attempt
from hudi_zorder.hudi.plan_content import plan_columns
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.parallel import READERS
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.preview import Preview
from hudi_zorder.spark._jvm.write_client import ExecutionReport, HudiJvm
from hudi_zorder.spark.job_progress import held_interrupts, run_with_progress
from hudi_zorder.spark.location import open_snapshot
from hudi_zorder.stats.unsafe_statistics import UnsafeColumn

# Of a plan that is only looked at: each is sampled.
_FORETOLD_GROUPS: Final = 8


class ClusteringService:
    """Plans and executes the clusterings of one table.

    Args:
        spark: the session that does the work.
        path: the table's base path.
        readers: how many requests are under way at a time while its files are read.

    Attributes:
        path: the table's base path.
        rollback: what takes clusterings back.

    Raises:
        TableError: when there is no Hudi table at the path.
    """

    def __init__(self, spark: SparkSession, path: str, readers: int = READERS) -> None:
        self._spark = spark
        self.path = path
        self._readers = readers
        self.snapshot()
        self._hudi = HudiJvm(spark, path)
        self._settings = HudiSettings(spark, path, self._hudi, self.snapshot)
        self.rollback = Rollback(path, self._hudi, self._settings, self.snapshot)

    def schedule(
        self,
        options: ZOrderOptions,
        where: str | None,
        settings: Mapping[str, str],
        *,
        at_once: bool = False,
    ) -> tuple[str | None, str]:
        """Writes a plan; returns its instant, or None and why there is nothing to cluster.

        Args:
            options: the layout.
            where: a predicate over partition columns; None takes all partitions.
            settings: further Hudi configuration.
            at_once: whether this process goes on to execute it: when it dies, nobody does.
        """
        config, reason = self._settings.of_plan(options, where, settings)
        if config is None:
            return None, reason
        notes = {AUTHOR: self._hudi.process(), ATTEMPT: uuid4().hex} if at_once else {}
        instant = self._plan(config, notes)
        if instant:
            return instant, ""
        return None, self._settings.why_nothing(config, where)

    def plan(
        self,
        options: ZOrderOptions,
        where: str | None,
        settings: Mapping[str, str],
        *,
        foretell: bool = False,
    ) -> ClusteringPlan:
        """Makes the plan that ``schedule`` would write, and returns what it says.

        Args:
            options: the layout.
            where: a predicate over partition columns; None takes all partitions.
            settings: further Hudi configuration.
            foretell: whether rows are sampled to tell what the queries would read that files are
                cut for.

        Raises:
            OptionError: when another class is to plan, which does not say why.
        """
        columns = plan_columns(options.to_dict())
        config, reason = self._settings.of_plan(options, where, settings)
        if config is None:
            return ClusteringPlan(
                table=self.path, columns=columns, mode=options.mode, notes=(reason,)
            )
        planner = config[keys.PLAN_CLASS]
        if planner != keys.PLAN_STRATEGY:
            raise OptionError(
                f"Cannot show a plan: another class makes it, '{keys.PLAN_CLASS}' was "
                f"'{planner}'; leave it out, or call schedule() and pending()"
            )
        asked = foretell and config.get(keys.QUERIES, keys.NO_QUERIES) != keys.NO_QUERIES
        with jvm_errors(f"plan a clustering of '{self.path}'"):
            made = run_with_progress(
                self._spark,
                "Planning a clustering",
                lambda: self._hudi.plan(config, _FORETOLD_GROUPS if asked else 0),
            )
        plan = plan_of(self.path, columns, config[keys.MODE], made.lines)
        if not plan:
            return plan
        forecast = _shares(made.forecast)
        cut = sum(line.files > 1 for line in made.lines)
        note = (
            f"what queries read of the {cut:,} groups of several files is foretold by the "
            f"{_FORETOLD_GROUPS} largest"
        )
        notes = (note,) if forecast and cut > _FORETOLD_GROUPS else ()
        guard = self._settings.guard(self.snapshot(), columns, config, plan.file_groups)
        return replace(
            plan,
            forecast=forecast,
            notes=notes,
            unsafe_statistics=guard.unsafe(plan.file_groups),
        )

    @contextmanager
    def preview(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> Iterator[Preview]:
        """Makes the plan that ``schedule`` would write of all files, and keeps it to itself.

        Raises:
            TableError: when there is nothing to cluster.
        """
        whole = {**settings, keys.MODE: "full"}
        config, reason = self._settings.of_plan(options, where, whole)
        if config is None:
            raise TableError(f"Cannot forecast a clustering of '{self.path}': {reason}")
        with (
            jvm_errors(f"forecast a clustering of '{self.path}'"),
            self._hudi.preview(config) as preview,
        ):
            if preview is None:
                reason = self._settings.why_nothing(config, where)
                raise TableError(f"Cannot forecast a clustering of '{self.path}': {reason}")
            yield preview

    def require_safe(
        self,
        options: ZOrderOptions,
        where: str | None,
        settings: Mapping[str, str],
        unsafe_statistics: str,
    ) -> None:
        """Refuses, before anything is written, statistics that are not to be made.

        Raises:
            UnsafeStatisticsError: with columns, reasons and remedies.
        """
        if unsafe_statistics != WARN:
            require(unsafe_statistics, self.plan(options, where, settings).unsafe_statistics)

    def warn_of_plan(self, instant: str, settings: Mapping[str, str]) -> None:
        """Warns of the statistics that somebody makes who executes a plan by these settings."""
        snapshot = self.snapshot()
        pending = find_pending(snapshot, instant, "execute")
        guard = self._settings.guard(snapshot, pending.columns, settings, pending.file_groups)
        warn_of(self.path, guard.unsafe(pending.file_groups))

    def execute(
        self,
        instant: str,
        settings: Mapping[str, str],
        unsafe_statistics: str,
        snapshot: TableSnapshot | None = None,
    ) -> ClusteringResult:
        """Executes a pending plan and returns what it did.

        Args:
            instant: the plan's.
            settings: further Hudi configuration.
            unsafe_statistics: what to do about them.
            snapshot: the table as it was opened just now, if it was.
        """
        snapshot = snapshot or self.snapshot()
        pending = find_pending(snapshot, instant, "execute")
        refuse_executing(snapshot, instant, "execute")
        guard = self._settings.guard(snapshot, pending.columns, settings, pending.file_groups)
        guard, unsafe = guard.obeying(unsafe_statistics, pending.file_groups)
        warn_of(self.path, unsafe)
        config, notes = self._settings.of_execution(
            snapshot, pending, {**settings, **guard.setting}
        )
        before = layout_of(snapshot, pending.file_groups, pending.columns)
        planned = result_of_plan(self.path, snapshot, pending, before.layout)
        started = time.monotonic()
        with jvm_errors(f"leave columns out of the index of '{self.path}'"):
            self._hudi.ask_no_more(guard.unasked)
        notes += self._execute(planned, instant, config)
        seconds = time.monotonic() - started
        after, report, hidden = self._measured(instant, guard, snapshot)
        if report.locked_here_alone:
            notes.append(locked_here_alone(self.path))
        return replace(
            planned,
            after=after.layout,
            forecast=_shares(report.forecast),
            seconds={"execute": seconds, "total": seconds},
            phases=report.seconds,
            readers=report.readers,
            unsafe_statistics=together(unsafe, hidden),
            notes=tuple([*notes, *guard.notes, *before.notes, *after.notes]),
        )

    def _execute(
        self, planned: ClusteringResult, instant: str, config: Mapping[str, str]
    ) -> list[str]:
        """Executes a plan; returns what went wrong after the commit, one sentence each.

        A terminal shows what is planned, and what queries would read as soon as rows are sampled:
        of a single group that is before any of it is rewritten.
        """

        def told() -> list[RenderableType]:
            shares = _shares(self._hudi.report(instant).forecast)
            return [*planned.about_choice(), *foretold(shares)]

        try:
            with jvm_errors(f"execute the clustering '{instant}' of '{self.path}'"):
                self._run(instant, config, told)
        except KeyboardInterrupt:
            if not self.is_committed(instant):
                raise
            return [f"the clustering {instant} is committed, though it was interrupted"]
        except HudiZOrderError as fault:
            if isinstance(fault, HiddenRowsError) or not self.is_committed(instant):
                raise
            return [self._looked_after(instant, fault)]
        return []

    def _run(
        self, instant: str, config: Mapping[str, str], told: Callable[[], list[RenderableType]]
    ) -> None:
        """Runs Hudi's service with its progress; of an interrupt the fault that it hid, if any."""
        try:
            run_with_progress(
                self._spark,
                f"Clustering {instant}",
                lambda: self._hudi.execute(instant, config),
                told,
            )
        except KeyboardInterrupt as interrupt:
            # Of what is committed a fault says more: that it hides rows, for one.
            if (fault := interrupt.__cause__) and self.is_committed(instant):
                raise fault from None
            raise

    def _looked_after(self, instant: str, fault: HudiZOrderError) -> str:
        """Looks at what is committed although something failed; returns what to say of it.

        Raises:
            ConflictError: when it hid what others have written, and was taken back.
            HiddenRowsError: when it cannot be taken back.
        """
        failed = f"the clustering {instant} is committed, but then something failed: {fault}"
        try:
            with jvm_errors(f"look at the clustering '{instant}' of '{self.path}'"):
                self._hudi.look_after(instant)
        except HudiZOrderError as second:
            # Of a table that others lock nothing was taken back.
            found = isinstance(second, ConflictError | HiddenRowsError)
            if found and not isinstance(second, TableLockedError):
                raise
            return f"{failed}; nor could it be looked after: {second}"
        return failed

    def _measured(
        self, instant: str, guard: StatisticsGuard, before: TableSnapshot
    ) -> tuple[Measurement, ExecutionReport, tuple[UnsafeColumn, ...]]:
        """Returns what a committed clustering did, as far as that can be found out.

        It is done whatever goes wrong here, and an error would tell the user that it is not.

        Raises:
            ClusteringError: when it is not committed, for another process has rolled it back.
        """
        try:
            snapshot = self.snapshot().knowing(before)
            written = written_file_groups(snapshot, instant)
            # Before, a long value may have hidden between others of its file.
            unsafe = replace(guard, snapshot=snapshot).unsafe_values(written)
            after = layout_of(snapshot, written, guard.sorted_by)
            return after, self._hudi.report(instant), unsafe
        except ClusteringError:
            raise
        except (Exception, KeyboardInterrupt) as fault:
            why = str(fault).rstrip(".") or type(fault).__name__
            note = f"the clustering {instant} is committed, but what it did was not measured: {why}"
            return Measurement(Layout(rows=None), (note,)), ExecutionReport(), ()

    def is_committed(self, instant: str) -> bool:
        """Tells whether the table shows what a clustering wrote, in place of what it replaces."""
        timeline = self.snapshot().timeline
        return any(done.time == instant and timeline.is_whole(done) for done in timeline.completed)

    def _plan(self, config: Mapping[str, str], notes: Mapping[str, str]) -> str | None:
        planned: list[str | None] = []
        try:
            with jvm_errors(f"schedule a clustering of '{self.path}'"):
                run_with_progress(
                    self._spark,
                    "Planning a clustering",
                    lambda: planned.append(self._hudi.schedule(config, notes)),
                )
        except (HudiZOrderError, KeyboardInterrupt) as fault:
            with held_interrupts():
                outcome = self._unplanned(filter(None, planned), config, notes)
            raise with_outcome(fault, outcome) from fault.__cause__
        return planned[0]

    def _unplanned(
        self, told: Iterable[str], config: Mapping[str, str], notes: Mapping[str, str]
    ) -> str:
        """Drops a plan that was written in spite of an interrupt, or of storage that said no.

        Args:
            told: its instant, where Hudi has told it.
            config: Hudi options.
            notes: what tells it from all others, if it says so.

        Returns:
            What came of it, as sentences without the last stop; ``""`` if there is none.
        """
        try:
            found = [*told] or plans_of_attempt(self.snapshot(), notes.get(ATTEMPT))
        except HudiZOrderError as fault:
            return (
                f"Whether a plan was written could not be read: {fault}. pending() tells, and "
                "cancel() drops it, as hudi-zorder pending and cancel do"
            )
        return ". ".join(filter(None, (self.rollback.drop(plan, config) for plan in found)))

    def partitions(self, where: str) -> list[str]:
        """Returns the partitions that satisfy a predicate over partition columns.

        Raises:
            PredicateError: when the predicate is about more than these.
        """
        return self._settings.partitions(where)

    def snapshot(self) -> TableSnapshot:
        """Opens the table's files as they are now."""
        return open_snapshot(self._spark, self.path, self._readers)


def _shares(lines: Sequence[str]) -> tuple[ForetoldShare, ...]:
    return tuple(ForetoldShare.of(line) for line in lines)
