"""A table's clusterings, planned and done, read from its timeline without Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hudi_zorder.errors import ClusteringError, OptionError
from hudi_zorder.hudi.avro_content import Wanted
from hudi_zorder.hudi.clusterings import (
    FileGroup,
    PastClustering,
    PastClusterings,
    PendingClustering,
    PendingClusterings,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Instant, Timeline
from hudi_zorder.options import EXECUTION_STRATEGY, PREFIX, SORT_COLUMNS, STRATEGY

_WRITTEN: Final[Wanted] = {"partitionToWriteStats": {"fileId": None}}
_DONE: Final[Wanted] = {
    "operationType": None,
    "partitionToReplaceFileIds": None,
    "partitionToWriteStats": {"numWrites": None, "fileSizeInBytes": None},
}
_LAYOUT: Final[Wanted] = {"clusteringPlan": {"strategy": None}}
_PLANNED: Final[Wanted] = {"clusteringPlan": {"strategy": None, "inputGroups": {"metrics": None}}}
_FILES: Final = f"{PREFIX}files."


def pending(snapshot: TableSnapshot) -> PendingClusterings:
    """Returns the clusterings that are scheduled and not completed, the oldest first."""
    timeline = snapshot.timeline
    return PendingClusterings(
        _pending(instant, timeline.plan(instant)) for instant in timeline.pending_clustering
    )


def find_pending(snapshot: TableSnapshot, instant: str, verb: str) -> PendingClustering:
    """Returns the pending clustering of an instant, which ``verb`` is about to be done to.

    Raises:
        ClusteringError: when there is none; it names those that are.
    """
    plans = {plan.instant: plan for plan in pending(snapshot)}
    if instant in plans:
        return plans[instant]
    known = ", ".join(plans) or "none"
    raise ClusteringError(
        f"Cannot {verb} a clustering: no plan is pending in '{snapshot.path}', 'instant' was "
        f"'{instant}'; the pending ones are: {known}"
    )


def history(snapshot: TableSnapshot) -> PastClusterings:
    """Returns the completed clusterings, the oldest first, archived ones included."""
    timeline = snapshot.timeline
    past = []
    for instant in (*timeline.archived, *timeline.completed):
        if instant.action == "replacecommit":  # also insert_overwrite and delete_partition
            commit = timeline.metadata(instant, _DONE)
            if commit.get("operationType") == "CLUSTER":
                past.append(_past(instant, commit, timeline.plan(instant, _PLANNED)))
    return PastClusterings(sorted(past, key=lambda clustering: clustering.instant))


def layout_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the sort columns of the table's last clustering; none when there was none."""
    for instant in newest_first(snapshot.timeline):
        if instant.action != "replacecommit":
            continue
        if columns := _columns(_parameters(snapshot.timeline.plan(instant, _LAYOUT))):
            return columns
    return ()


def chosen_columns(snapshot: TableSnapshot, given: Sequence[str] | None) -> list[str]:
    """Returns the columns given, or else those of the table's last clustering.

    Raises:
        OptionError: when there are neither.
    """
    names = list(given or layout_columns(snapshot))
    if not names:
        raise OptionError(
            "Cannot choose columns: the table was never clustered; name some with --columns or "
            "columns=[...]"
        )
    return names


def written_file_groups(snapshot: TableSnapshot, instant: str) -> list[FileGroup]:
    """Returns partition and file id of what a completed clustering wrote.

    Raises:
        ClusteringError: when the instant is not completed.
    """
    for candidate in snapshot.timeline.completed:
        if candidate.time == instant:
            commit = snapshot.timeline.metadata(candidate, _WRITTEN)
            return [(partition, stat["fileId"]) for partition, stat in _write_stats(commit)]
    raise ClusteringError(
        f"Cannot read what a clustering did: '{snapshot.path}' has no completed instant "
        f"'{instant}'; another process may have rolled it back, see history()"
    )


def newest_first(timeline: Timeline) -> Iterator[Instant]:
    """Yields the completed instants; the archive is read when no active one will do."""
    yield from reversed(timeline.completed)
    yield from reversed(timeline.archived)


def _pending(instant: Instant, request: Mapping[str, Any]) -> PendingClustering:
    plan = request.get("clusteringPlan") or {}
    groups = plan.get("inputGroups") or []
    slices = [part for group in groups for part in group["slices"]]
    parameters = _parameters(request)
    return PendingClustering(
        instant=instant.time,
        state=instant.state,
        columns=_columns(parameters),
        partitions=tuple(sorted({part["partitionPath"] for part in slices})),
        groups=len(groups),
        file_groups=tuple((part["partitionPath"], part["fileId"]) for part in slices),
        execution_class=(plan.get("strategy") or {}).get("strategyClassName") or EXECUTION_STRATEGY,
        parameters=parameters,
        taken=_taken(groups),
    )


def _past(
    instant: Instant, commit: Mapping[str, Any], request: Mapping[str, Any]
) -> PastClustering:
    parameters = _parameters(request)
    stats = [stat for _, stat in _write_stats(commit)]
    replaced = commit.get("partitionToReplaceFileIds") or {}
    return PastClustering(
        instant=instant.time,
        completed=instant.completion_time,
        columns=_columns(parameters),
        strategy=parameters.get(STRATEGY),
        partitions=tuple(sorted(replaced)),
        files_before=sum(len(file_ids) for file_ids in replaced.values()),
        files_after=len(stats),
        rows=sum(stat["numWrites"] for stat in stats),
        bytes=sum(stat["fileSizeInBytes"] for stat in stats),
        taken=_taken((request.get("clusteringPlan") or {}).get("inputGroups") or []),
    )


def _write_stats(commit: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for partition, stats in (commit.get("partitionToWriteStats") or {}).items():
        for stat in stats:
            yield partition, stat


def _taken(groups: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Returns how many file slices the groups of a plan take, by the reason that each tells."""
    counted: Counter[str] = Counter()
    for group in groups:
        for name, number in (group.get("metrics") or {}).items():
            if name.startswith(_FILES):
                counted[name.removeprefix(_FILES)] += round(number)
    return dict(sorted(counted.items()))


def _parameters(request: Mapping[str, Any]) -> dict[str, str]:
    strategy = (request.get("clusteringPlan") or {}).get("strategy") or {}
    return dict(strategy.get("strategyParams") or {})


def _columns(parameters: Mapping[str, str]) -> tuple[str, ...]:
    names = parameters.get(SORT_COLUMNS, "").split(",")
    return tuple(name.strip() for name in names if name.strip())
