"""Clustering through Hudi's own service: schedule a plan, execute it, cancel it.

Plans and results are read from the timeline's files; only the verbs themselves go to the JVM.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Final
from uuid import uuid4

from pyspark.sql import SparkSession

from hudi_zorder import options as keys
from hudi_zorder.clustering.clustering_plan import ClusteringPlan
from hudi_zorder.clustering.concurrency import locking, refuse_executing
from hudi_zorder.clustering.layout_metrics import Measurement, layout_of
from hudi_zorder.clustering.plan_lines import plan_of
from hudi_zorder.clustering.result import ClusteringResult, Layout
from hudi_zorder.errors import (
    ClusteringError,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    PredicateError,
    TableError,
)
from hudi_zorder.hudi.history import written_file_groups
from hudi_zorder.hudi.pending_plans import ATTEMPT, AUTHOR, find_pending, plans_of_attempt
from hudi_zorder.hudi.repairs import half_commits
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import ZOrderOptions, check_own_keys, union_list
from hudi_zorder.spark._jvm.exceptions import jvm_errors, translated
from hudi_zorder.spark._jvm.write_client import ExecutionReport, HudiJvm, Preview
from hudi_zorder.spark.filesystem import open_snapshot
from hudi_zorder.spark.progress import held_interrupts, run_with_progress

# In older ones Hudi takes a clustering's own plan for a write that conflicts with it.
_FIRST_TO_LOCK: Final = 8

# A clustering that a person asks for takes every partition, now, whatever else the session's
# settings would make Hudi wait for.
_AT_ONCE: Final = {
    "hoodie.table.services.incremental.enabled": "false",
    keys.SCHEDULE_INLINE: "false",
    keys.INLINE: "false",
    keys.ASYNC: "false",
}
_FILTER_MODE: Final = "hoodie.clustering.plan.partition.filter.mode"
_SELECTED: Final = "hoodie.clustering.plan.strategy.partition.selected"
_REGEX: Final = "hoodie.clustering.plan.strategy.partition.regex.pattern"
_STATS_LIMIT: Final = "hoodie.metadata.index.column.stats.max.columns.to.index"
_META_COLUMN: Final = "_hoodie_"


class ClusteringService:
    """The verbs of clustering for one table.

    Args:
        spark: the session that does the work.
        path: the table's base path.

    Raises:
        TableError: when there is no Hudi table at the path.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self.path = path
        self.snapshot()
        self._hudi = HudiJvm(spark, path)

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
        config, reason = self._config(options, where, settings)
        if config is None:
            return None, reason
        notes = {AUTHOR: self._hudi.process(), ATTEMPT: uuid4().hex} if at_once else {}
        instant = self._plan(config, notes)
        if instant:
            return instant, ""
        reason = self._why_nothing({} if where else settings)
        if config[keys.MODE] != "full":
            reason += "; mode='full' lays all files out again"
        return None, reason

    def plan(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> ClusteringPlan:
        """Makes the plan that ``schedule`` would write, and returns what it says.

        Raises:
            OptionError: when another class is to plan, which does not say why.
        """
        config, reason = self._config(options, where, settings)
        if config is None:
            return ClusteringPlan(
                table=self.path, columns=tuple(options.columns), mode=options.mode, notes=(reason,)
            )
        planner = config[keys.PLAN_CLASS]
        if planner != keys.PLAN_STRATEGY:
            raise OptionError(
                f"Cannot show a plan: another class makes it, '{keys.PLAN_CLASS}' was "
                f"'{planner}'; leave it out, or call schedule() and pending()"
            )
        with jvm_errors(f"plan a clustering of '{self.path}'"):
            lines = run_with_progress(
                self._spark, "Planning a clustering", lambda: self._hudi.plan(config)
            )
        columns = [name.strip() for name in config[keys.SORT_COLUMNS].split(",")]
        return plan_of(self.path, columns, config[keys.MODE], lines)

    @contextmanager
    def preview(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> Iterator[Preview]:
        """Makes the plan that ``schedule`` would write of all files, and keeps it to itself.

        Raises:
            TableError: when there is nothing to cluster.
        """
        whole = {**settings, keys.MODE: "full"}
        config, reason = self._config(options, where, whole)
        if config is None:
            raise TableError(f"Cannot forecast a clustering of '{self.path}': {reason}")
        with (
            jvm_errors(f"forecast a clustering of '{self.path}'"),
            self._hudi.preview(config) as preview,
        ):
            if preview is None:
                reason = self._why_nothing(settings)
                raise TableError(f"Cannot forecast a clustering of '{self.path}': {reason}")
            yield preview

    def execute(self, instant: str, settings: Mapping[str, str]) -> ClusteringResult:
        """Executes a pending plan and returns what it did."""
        check_own_keys(settings)
        snapshot = self.snapshot()
        pending = find_pending(snapshot, instant, "execute")
        refuse_executing(snapshot, instant, "execute")
        notes = []
        statistics, note = self._statistics(pending.columns, settings)
        if note:
            notes.append(note)
        # The plan names the layout; the class, alas, Hudi takes from the executor.
        config = {
            **self._locking(snapshot, settings),
            **pending.parameters,
            keys.EXECUTION_CLASS: pending.execution_class,
            keys.METADATA: "true",
            keys.COLUMN_STATS: "true",
            **settings,
            **statistics,
        }
        files = self.snapshot()
        before = layout_of(files, pending.file_groups, pending.columns)
        taken = set(pending.file_groups)
        left = [part for part in files.slices if (part.partition, part.file_id) not in taken]
        started = time.monotonic()
        notes += self._execute(instant, config)
        seconds = time.monotonic() - started
        after, report = self._measured(instant, pending.columns)
        if pending.groups > len(pending.partitions):
            notes.append(
                f"{pending.groups} groups share {len(pending.partitions)} partitions, and overlap "
                "as their files did; raise 'max_bytes_per_group' to skip more files"
            )
        return ClusteringResult(
            table=self.path,
            instant=instant,
            columns=pending.columns,
            partitions=pending.partitions,
            groups=pending.groups,
            before=before.layout,
            after=after.layout,
            taken=pending.taken,
            files_left=len(left),
            bytes_left=sum(part.size for part in left),
            seconds={"execute": seconds, "total": seconds},
            phases=report.seconds,
            readers=report.readers,
            notes=tuple([*notes, *before.notes, *after.notes]),
        )

    def _execute(self, instant: str, config: Mapping[str, str]) -> list[str]:
        """Executes a plan; returns what went wrong after the commit, one sentence each."""
        try:
            with jvm_errors(f"execute the clustering '{instant}' of '{self.path}'"):
                run_with_progress(
                    self._spark,
                    f"Clustering {instant}",
                    lambda: self._hudi.execute(instant, config),
                )
        except KeyboardInterrupt:
            if not self.is_committed(instant):
                raise
            return [f"the clustering {instant} is committed, though it was interrupted"]
        except HudiZOrderError as fault:
            if isinstance(fault, HiddenRowsError) or not self.is_committed(instant):
                raise
            return [f"the clustering {instant} is committed, but then something failed: {fault}"]
        return []

    def _measured(
        self, instant: str, columns: Sequence[str]
    ) -> tuple[Measurement, ExecutionReport]:
        """Returns what a committed clustering did, as far as that can be found out.

        It is done whatever goes wrong here, and an error would tell the user that it is not.

        Raises:
            ClusteringError: when it is not committed, for another process has rolled it back.
        """
        try:
            snapshot = self.snapshot()
            after = layout_of(snapshot, written_file_groups(snapshot, instant), columns)
            return after, self._hudi.report(instant)
        except ClusteringError:
            raise
        except (Exception, KeyboardInterrupt) as fault:
            why = str(fault).rstrip(".") or type(fault).__name__
            note = f"the clustering {instant} is committed, but what it did was not measured: {why}"
            return Measurement(Layout(rows=None), (note,)), ExecutionReport({}, {})

    def is_committed(self, instant: str) -> bool:
        """Tells whether the table shows what a clustering wrote, in place of what it replaces."""
        timeline = self.snapshot().timeline
        return any(done.time == instant and timeline.is_whole(done) for done in timeline.completed)

    def is_pending(self, instant: str) -> bool:
        """Tells whether a plan is there to be cancelled, be it half committed."""
        snapshot = self.snapshot()
        found = [*snapshot.timeline.pending_clustering, *half_commits(snapshot)]
        return any(plan.time == instant for plan in found)

    def cancel(self, instant: str, *, force: bool = False) -> None:
        """Removes a pending plan and whatever an attempt to execute it has left.

        Args:
            instant: the plan's.
            force: whether to do so although a process executes it, be it this one.
        """
        snapshot = self.snapshot()
        if any(half.time == instant for half in half_commits(snapshot)):
            with jvm_errors(f"take back half a commit of '{instant}' of '{self.path}'"):
                self._hudi.take_back(instant, self._locking(snapshot, {}))
            snapshot = self.snapshot()
        pending = find_pending(snapshot, instant, "cancel")
        if not force:
            refuse_executing(snapshot, instant, "cancel", "give '--force' or force=True")
        config = {
            **self._locking(snapshot, {}),
            keys.EXECUTION_CLASS: pending.execution_class,
        }
        with jvm_errors(f"cancel the clustering '{instant}' of '{self.path}'"):
            self._hudi.cancel(instant, config)

    def last_look(self, instant: str) -> str:
        """Looks at a committed clustering, in place of its executor, for what it hides.

        Returns:
            Why it was rolled back; ``""`` if it hides nothing.

        Raises:
            ConflictError: when nobody can tell yet, as a write is under way.
            HiddenRowsError: when it cannot be rolled back.
        """
        config = self._locking(self.snapshot(), {})
        with jvm_errors(f"look at the clustering '{instant}' of '{self.path}'"):
            return self._hudi.last_look(instant, config)

    def remove_leftovers(self, instants: Sequence[str]) -> None:
        """Removes heartbeats and markers of instants that are no more pending."""
        with jvm_errors(f"remove what dead executors have left in '{self.path}'"):
            for instant in instants:
                self._hudi.remove_leftovers(instant)

    def _config(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> tuple[dict[str, str] | None, str]:
        """Returns the configuration of a plan, or None and why there is nothing to plan."""
        check_own_keys(settings)
        if not self._hudi.has_commits():
            return None, "Nothing to cluster: nothing was ever written to the table"
        config = {
            **self._locking(self.snapshot(), settings),
            **options.to_dict(),
            **_AT_ONCE,
            **settings,
        }
        if where is not None:
            partitions = self.partitions(where)
            if not partitions:
                return None, f"Nothing to cluster: no partition satisfies {where}"
            # The mode of that name would also keep to the range that a session may have.
            config |= {_FILTER_MODE: "NONE", _SELECTED: ",".join(partitions)}
        return config, ""

    def _plan(self, config: Mapping[str, str], notes: Mapping[str, str]) -> str | None:
        planned: list[str | None] = []
        try:
            with jvm_errors(f"schedule a clustering of '{self.path}'"):
                run_with_progress(
                    self._spark,
                    "Planning a clustering",
                    lambda: planned.append(self._hudi.schedule(config, notes)),
                )
        except KeyboardInterrupt:
            with held_interrupts():
                for instant in filter(None, planned):  # written in spite of the interrupt
                    self.cancel(instant, force=True)
            raise
        except HudiZOrderError:
            if notes:
                with held_interrupts():  # written, though storage said that it failed
                    for instant in plans_of_attempt(self.snapshot(), notes[ATTEMPT]):
                        self.cancel(instant, force=True)
            raise
        return planned[0]

    def partitions(self, where: str) -> list[str]:
        """Returns the partitions that satisfy a predicate over partition columns.

        Raises:
            PredicateError: when the predicate is about more than these.
        """
        snapshot = self.snapshot()
        fields = snapshot.config.partition_fields
        try:
            chosen = self._hudi.partitions(where)
        except Exception as error:
            if "Only partition predicates" not in str(error):
                raise translated(error, f"read the predicate '{where}'", PredicateError) from error
            by = f"partitioned by {', '.join(fields)}" if fields else "not partitioned"
            raise PredicateError(
                f"Cannot choose partitions: '{self.path}' is {by}, 'where' was '{where}'; a "
                "clustering takes whole partitions, so name nothing but partition columns"
            ) from error
        _refuse_commas(where, chosen, {part.partition for part in snapshot.slices})
        return chosen

    def _statistics(
        self, columns: Sequence[str], settings: Mapping[str, str]
    ) -> tuple[dict[str, str], str]:
        """Returns the list of columns with statistics to set, if any, and what to say about it.

        The list of whoever writes decides which columns of the new files get statistics; it may
        leave columns out that the index has, to be rid of them. Without a list they are the first
        32 top-level columns, which may leave sort columns out. Hudi looks for them as they are
        spelt there, which sort columns need not be.
        """
        schema = self.snapshot().schema
        columns = [leaf.name if (leaf := schema.find(name)) else name for name in columns]
        given = self._setting(keys.COLUMN_STATS_LIST, settings)
        if given:
            listed = [name.strip() for name in given.split(",")]
            added = [name for name in columns if name not in listed]
            if not added:
                return {}, ""
            return {keys.COLUMN_STATS_LIST: union_list(listed, added)}, (
                f"'{keys.COLUMN_STATS_LIST}' was '{given}', which leaves out "
                f"{', '.join(added)}; the new files have statistics for these too"
            )
        limit = int(self._setting(_STATS_LIMIT, settings) or 32)
        top_level = [n for n in schema.leaves if "." not in n and not n.startswith(_META_COLUMN)]
        default = top_level[:limit]
        if all(column in default for column in columns):
            return {}, ""
        indexed = self._hudi.indexed_columns()
        recorded = [name for name in indexed if not name.startswith(_META_COLUMN)]
        return {keys.COLUMN_STATS_LIST: union_list(recorded or default, columns)}, ""

    def _locking(self, snapshot: TableSnapshot, settings: Mapping[str, str]) -> dict[str, str]:
        if snapshot.config.version < _FIRST_TO_LOCK:
            return {}
        return locking(settings, lambda key: self._spark.conf.get(key, None))

    def _setting(self, key: str, settings: Mapping[str, str]) -> str | None:
        return settings.get(key) or self._spark.conf.get(key, None)

    def _why_nothing(self, settings: Mapping[str, str]) -> str:
        plans = self.snapshot().timeline.pending_clustering
        if plans:
            instants = ", ".join(plan.time for plan in plans)
            return (
                f"Nothing to cluster: the files are taken by pending plans ({instants}); "
                f"hudi-zorder pending {self.path} says how to go on with these"
            )
        filters = ((key, self._setting(key, settings)) for key in (_FILTER_MODE, _SELECTED, _REGEX))
        leaving = [
            f"'{key}' was '{value}'" for key, value in filters if value not in (None, "NONE")
        ]
        return (
            "Nothing to cluster: every file is laid out as asked, or below 'small_file_limit' no "
            "more, or a compaction is pending for it"
        ) + (f", or its partition is left out, as {', '.join(leaving)}" if leaving else "")

    def snapshot(self) -> TableSnapshot:
        """Opens the table's files as they are now."""
        return open_snapshot(self._spark, self.path)


def _refuse_commas(where: str, chosen: Sequence[str], partitions: Set[str]) -> None:
    """Refuses what may be a partition with a comma: Hudi gives and takes partitions by commas."""
    for partition in sorted(partitions):
        if "," in partition and set(partition.split(",")) <= set(chosen):
            raise PredicateError(
                f"Cannot choose partitions: 'where' was '{where}', which may take '{partition}'; "
                "Hudi divides the names of chosen partitions at commas and would take others, so "
                "choose partitions without a comma, or leave 'where' out to cluster all"
            )
