"""Clustering through Hudi's own service: schedule a plan, execute it, cancel it.

Plans and results are read from the timeline's files; only the verbs themselves go to the JVM.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pyspark.sql import SparkSession

from hudi_zorder import options as keys
from hudi_zorder._jvm import HudiJvm, jvm_errors, translated
from hudi_zorder.errors import ClusteringError, HudiZOrderError, PredicateError
from hudi_zorder.measure import FileGroup, layout_of
from hudi_zorder.options import ZOrderOptions, check_own_keys, union_list
from hudi_zorder.progress import progress_bar
from hudi_zorder.result import ClusteringResult
from hudi_zorder.snapshot import TableSnapshot

logger = logging.getLogger("hudi_zorder")

# A clustering that a person asks for takes every partition, now, whatever else the session's
# settings would make Hudi wait for.
_AT_ONCE: Final = {
    "hoodie.table.services.incremental.enabled": "false",
    "hoodie.clustering.schedule.inline": "false",
    keys.INLINE: "false",
    keys.ASYNC: "false",
}
_FILTER_MODE: Final = "hoodie.clustering.plan.partition.filter.mode"
_SELECTED: Final = "hoodie.clustering.plan.strategy.partition.selected"
_STATS_LIMIT: Final = "hoodie.metadata.index.column.stats.max.columns.to.index"
_META_COLUMN: Final = "_hoodie_"


@dataclass(frozen=True, kw_only=True)
class PendingClustering:
    """A plan that is not completed.

    Attributes:
        instant: its instant, for ``execute`` and ``cancel``.
        state: ``requested``, or ``inflight`` when an execution has begun, or failed.
        columns: the sort columns.
        partitions: the partitions whose files it takes.
        groups: its clustering groups.
        file_groups: partition and file id of what it replaces; Hudi refuses updates to these.
        execution_class: the Java class that executes it.
        parameters: the layout options stored in the plan.
    """

    instant: str
    state: str
    columns: tuple[str, ...]
    partitions: tuple[str, ...]
    groups: int
    file_groups: tuple[FileGroup, ...]
    execution_class: str
    parameters: Mapping[str, str]


class ClusteringService:
    """The verbs of clustering for one table.

    Args:
        spark: the session that does the work.
        path: the table's base path.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self.path = path
        self._hudi = HudiJvm(spark, path)

    def schedule(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> tuple[str | None, str]:
        """Writes a plan; returns its instant, or None and why there is nothing to cluster."""
        check_own_keys(settings)
        if not self._hudi.has_commits():
            return None, "Nothing to cluster: nothing was ever written to the table"
        config = {**options.to_dict(), **_AT_ONCE, **settings}
        if where is not None:
            partitions = self._partitions(where)
            if not partitions:
                return None, f"Nothing to cluster: no partition satisfies {where}"
            config |= {_FILTER_MODE: "SELECTED_PARTITIONS", _SELECTED: ",".join(partitions)}
        with jvm_errors(f"schedule a clustering of '{self.path}'"):
            instant = self._hudi.schedule(config)
        return instant, "" if instant else self._why_nothing()

    def execute(self, instant: str, settings: Mapping[str, str]) -> ClusteringResult:
        """Executes a pending plan and returns what it did."""
        check_own_keys(settings)
        pending = self.find_pending(instant, "execute")
        notes = []
        statistics, note = self._statistics(pending.columns, settings)
        if note:
            notes.append(note)
        # The plan names the layout; the class, alas, Hudi takes from the executor.
        config = {
            **pending.parameters,
            keys.EXECUTION_CLASS: pending.execution_class,
            keys.METADATA: "true",
            keys.COLUMN_STATS: "true",
            **settings,
            **statistics,
        }
        before = layout_of(self._snapshot(), pending.file_groups, pending.columns)
        started = time.monotonic()
        with (
            progress_bar(self._spark, f"Clustering {instant}"),
            jvm_errors(f"execute the clustering '{instant}' of '{self.path}'"),
        ):
            self._hudi.execute(instant, config)
        seconds = time.monotonic() - started
        snapshot = self._snapshot()
        commit = _commit(snapshot, instant)
        written = [(partition, stat["fileId"])
                   for partition, stats in commit["partitionToWriteStats"].items()
                   for stat in stats]
        after = layout_of(snapshot, written, pending.columns)
        report = self._hudi.report(instant)
        return ClusteringResult(
            table=self.path,
            instant=instant,
            columns=pending.columns,
            partitions=pending.partitions,
            groups=pending.groups,
            before=before.layout,
            after=after.layout,
            seconds={"execute": seconds, "total": seconds},
            phases=report.seconds,
            notes=tuple([*notes, *before.notes, *after.notes]),
        )

    def cancel(self, instant: str) -> None:
        """Removes a pending plan and whatever an attempt to execute it has left."""
        pending = self.find_pending(instant, "cancel")
        config = {keys.EXECUTION_CLASS: pending.execution_class}
        with jvm_errors(f"cancel the clustering '{instant}' of '{self.path}'"):
            self._hudi.cancel(instant, config)

    def pending(self) -> list[PendingClustering]:
        """Returns the plans that are not completed, the oldest first."""
        timeline = self._snapshot().timeline
        return [
            _pending(instant.time, instant.state, timeline.plan(instant))
            for instant in timeline.pending_clustering
        ]

    def find_pending(self, instant: str, verb: str) -> PendingClustering:
        """Returns one pending plan; refuses an instant that is none, with those that are."""
        plans = {plan.instant: plan for plan in self.pending()}
        if instant in plans:
            return plans[instant]
        known = ", ".join(plans) or "none"
        raise ClusteringError(
            f"Cannot {verb} a clustering: no plan is pending in '{self.path}', 'instant' was "
            f"'{instant}'; the pending ones are: {known}"
        )

    def _partitions(self, where: str) -> list[str]:
        fields = self._snapshot().config.partition_fields
        try:
            return self._hudi.partitions(where)
        except Exception as error:
            if "Only partition predicates" not in str(error):
                raise translated(error, f"read the predicate '{where}'", PredicateError) from error
            by = f"partitioned by {', '.join(fields)}" if fields else "not partitioned"
            raise PredicateError(
                f"Cannot choose partitions: '{self.path}' is {by}, 'where' was '{where}'; a "
                "clustering takes whole partitions, so name nothing but partition columns"
            ) from error

    def _statistics(
        self, columns: Sequence[str], settings: Mapping[str, str]
    ) -> tuple[dict[str, str], str]:
        """Returns the list of columns with statistics to set, if any, and what to say about it.

        The list of whoever writes decides which columns of the new files get statistics. Without
        one they are the first 32 top-level columns, which may leave sort columns out.
        """
        given = self._setting(keys.COLUMN_STATS_LIST, settings)
        recorded = [name for name in self._hudi.indexed_columns()
                    if not name.startswith(_META_COLUMN)]
        if given:
            listed = [name.strip() for name in given.split(",")]
            added = [name for name in (*columns, *recorded) if name not in listed]
            if not added:
                return {}, ""
            return {keys.COLUMN_STATS_LIST: union_list(listed, added)}, (
                f"'{keys.COLUMN_STATS_LIST}' was '{given}', which leaves out "
                f"{', '.join(dict.fromkeys(added))}; the new files have statistics for these too"
            )
        limit = int(self._setting(_STATS_LIMIT, settings) or 32)
        default = [name for name in self._column_names() if not name.startswith(_META_COLUMN)]
        default = default[:limit]
        if all(column in default for column in columns):
            return {}, ""
        return {keys.COLUMN_STATS_LIST: union_list(recorded or default, columns)}, ""

    def _setting(self, key: str, settings: Mapping[str, str]) -> str | None:
        return settings.get(key) or self._spark.conf.get(key, None)

    def _column_names(self) -> list[str]:
        return self._spark.read.format("hudi").load(self.path).columns

    def _why_nothing(self) -> str:
        plans = self.pending()
        if plans:
            instants = ", ".join(plan.instant for plan in plans)
            return (
                f"Nothing to cluster: the files are taken by pending plans ({instants}); "
                "execute() or cancel() these first"
            )
        return "Nothing to cluster: the table has no files that could be rewritten"

    def _snapshot(self) -> TableSnapshot:
        return TableSnapshot.open(self.path)


def cluster(
    service: ClusteringService,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
) -> ClusteringResult:
    """Schedules and executes; a plan that fails is cancelled, so that nothing is left behind."""
    started = time.monotonic()
    instant, reason = service.schedule(options, where, settings)
    scheduled = time.monotonic() - started
    if instant is None:
        return ClusteringResult(
            table=service.path,
            instant=None,
            columns=tuple(options.columns),
            seconds={"schedule": scheduled, "total": scheduled},
            notes=(reason,),
        )
    try:
        result = service.execute(instant, settings)
    except HudiZOrderError as error:
        raise _after_cancelling(service, instant, error) from error.__cause__
    except BaseException:
        # Its jobs may still run, so that their files must not be removed yet.
        logger.warning("Interrupted: plan %s is pending; execute() or cancel() it", instant)
        raise
    seconds = {"schedule": scheduled, **result.seconds}
    return replace(result, seconds=seconds | {"total": time.monotonic() - started})


def _after_cancelling(
    service: ClusteringService, instant: str, error: HudiZOrderError
) -> HudiZOrderError:
    if all(plan.instant != instant for plan in service.pending()):
        return error  # our execution strategy has removed it already, and said so
    try:
        service.cancel(instant)
        outcome = "The plan was rolled back and the table is as before"
    except HudiZOrderError as second:
        outcome = f"The plan '{instant}' is still pending, for: {second}"
    return type(error)(f"{error}. {outcome}")


def _pending(instant: str, state: str, request: Mapping[str, Any]) -> PendingClustering:
    plan = request.get("clusteringPlan") or {}
    strategy = plan.get("strategy") or {}
    parameters = dict(strategy.get("strategyParams") or {})
    groups = plan.get("inputGroups") or []
    slices = [part for group in groups for part in group["slices"]]
    sorted_by = parameters.get(keys.SORT_COLUMNS, "")
    return PendingClustering(
        instant=instant,
        state=state,
        columns=tuple(name.strip() for name in sorted_by.split(",") if name.strip()),
        partitions=tuple(sorted({part["partitionPath"] for part in slices})),
        groups=len(groups),
        file_groups=tuple((part["partitionPath"], part["fileId"]) for part in slices),
        execution_class=strategy.get("strategyClassName") or keys.EXECUTION_STRATEGY,
        parameters=parameters,
    )


def _commit(snapshot: TableSnapshot, instant: str) -> dict[str, Any]:
    for candidate in snapshot.timeline.completed:
        if candidate.time == instant:
            return snapshot.timeline.metadata(candidate)
    raise ClusteringError(
        f"Cannot read what a clustering did: '{snapshot.path}' has no completed instant "
        f"'{instant}'; another process may have rolled it back, see history()"
    )
