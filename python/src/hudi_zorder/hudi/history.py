"""A table's completed clusterings, read from its timeline without Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any, Final

from hudi_zorder.errors import ClusteringError, OptionError
from hudi_zorder.hudi.avro_content import Wanted
from hudi_zorder.hudi.clusterings import (
    FileGroup,
    PastClustering,
    PastClusterings,
)
from hudi_zorder.hudi.plan_content import (
    gain_foretold,
    plan_columns,
    plan_parameters,
    plan_weights,
    planned_queries,
    taken_by_reason,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Instant, Timeline, seconds_between
from hudi_zorder.options import CUTS, MODE, NO_QUERIES, PREFIX, QUERIES, STRATEGY
from hudi_zorder.parallel import in_parallel

WRITTEN_GROUPS: Final[Wanted] = {"partitionToWriteStats": {"fileId": None}}
_DONE: Final[Wanted] = {
    "partitionToReplaceFileIds": None,
    "partitionToWriteStats": {"numWrites": None, "fileSizeInBytes": None},
}
_LAYOUT: Final[Wanted] = {"clusteringPlan": {"strategy": None}}
_GROUPS: Final[Wanted] = {"metrics": None, "slices": {"partitionPath": None}}
_PLANNED: Final[Wanted] = {"clusteringPlan": {"strategy": None, "inputGroups": _GROUPS}}
# What our plans say of each group; Hudi's own say it of its last file alone.
_BYTES: Final = PREFIX + "bytes"


def history(snapshot: TableSnapshot, last: int | None = None) -> PastClusterings:
    """Returns the completed clusterings, the oldest first, archived ones included.

    Args:
        snapshot: the table.
        last: how many of the newest to read at most; None for all. Archived ones are read where too
            few are active.
    """
    read = partial(_read, snapshot.timeline)
    active = _may_be_clusterings(reversed(snapshot.timeline.completed))
    found = chain(
        # Of a few of the newest the first reads tell which.
        map(read, active) if last else in_parallel(read, list(active), snapshot.readers),
        # An archive is read a row group at a time, which has many of them.
        map(read, _may_be_clusterings(_archived(snapshot.timeline))),
    )
    past = islice(filter(None, found), last)
    return PastClusterings(sorted(past, key=lambda clustering: clustering.instant))


def _read(timeline: Timeline, instant: Instant) -> PastClustering | None:
    """Returns what a replace commit has clustered; None for any other kind of it."""
    commit = _clustering_commit(timeline, instant, _DONE)
    return None if commit is None else _past(instant, commit, timeline.plan(instant, _PLANNED))


def clustering_commits(
    timeline: Timeline, wanted: Wanted
) -> Iterator[tuple[Instant, Mapping[str, Any]]]:
    """Yields the completed clusterings with what is wanted of their commits, the newest first."""
    for instant in _may_be_clusterings(newest_first(timeline)):
        commit = _clustering_commit(timeline, instant, wanted)
        if commit is not None:
            yield instant, commit


def active_clusterings(timeline: Timeline) -> Iterator[Instant]:
    """Yields the completed clusterings that are not archived, the newest first."""
    for instant in _may_be_clusterings(reversed(timeline.completed)):
        if _clustering_commit(timeline, instant, {}) is not None:
            yield instant


def _may_be_clusterings(instants: Iterable[Instant]) -> Iterator[Instant]:
    return (instant for instant in instants if instant.action == "replacecommit")


def _clustering_commit(
    timeline: Timeline, instant: Instant, wanted: Wanted
) -> Mapping[str, Any] | None:
    """Returns a replace commit; None where it is of an insert_overwrite or delete_partition."""
    commit = timeline.metadata(instant, {"operationType": None, **wanted})
    return commit if commit.get("operationType") == "CLUSTER" else None


def layout_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the sort columns to go on with, as ``layout_parameters`` has it; or none."""
    return plan_columns(layout_parameters(snapshot))


def layout_queries(snapshot: TableSnapshot) -> str:
    """Returns what the last clustering was cut for, as its plan keeps it; ``none`` for nothing."""
    return layout_parameters(snapshot).get(QUERIES, NO_QUERIES)


def layout_parameters(snapshot: TableSnapshot) -> Mapping[str, str]:
    """Returns the layout options to go on with: those of the last clustering of ours.

    Hudi's own strategies store nothing but the columns, and what ours has laid out stays; Java's
    ``LastLayout`` goes on with the same. Where there is none of ours, it is the last one of any.
    """
    others: Mapping[str, str] = {}
    for parameters in _layouts(snapshot):
        if CUTS in parameters:
            return parameters
        others = others or parameters
    return others


def clustered_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the sort columns of the table's last clustering, whoever made it; or none."""
    return plan_columns(next(_layouts(snapshot), {}))


def _layouts(snapshot: TableSnapshot) -> Iterator[Mapping[str, str]]:
    """Yields the layout options of each clustering by columns, the last one first."""
    for instant in _may_be_clusterings(newest_first(snapshot.timeline)):
        parameters = plan_parameters(snapshot.timeline.plan(instant, _LAYOUT))
        if plan_columns(parameters):
            yield parameters


def chosen_columns(snapshot: TableSnapshot, given: Sequence[str] | None) -> list[str]:
    """Returns the columns given, or else those of the table's last clustering.

    Raises:
        OptionError: when there are neither.
    """
    names = list(given or clustered_columns(snapshot))
    if not names:
        raise OptionError(
            "Cannot choose columns: no clustering by columns is recorded of the table; name some "
            "with --columns or columns=[...]"
        )
    return names


def written_file_groups(snapshot: TableSnapshot, instant: str) -> list[FileGroup]:
    """Returns partition and file id of what a completed clustering wrote.

    Raises:
        ClusteringError: when the instant is not completed.
    """
    for candidate in snapshot.timeline.completed:
        if candidate.time == instant:
            commit = snapshot.timeline.metadata(candidate, WRITTEN_GROUPS)
            return [(partition, stat["fileId"]) for partition, stat in write_stats(commit)]
    raise ClusteringError(
        f"Cannot read what a clustering did: '{snapshot.path}' has no completed instant "
        f"'{instant}'; another process may have rolled it back, see history()"
    )


def newest_first(timeline: Timeline) -> Iterator[Instant]:
    """Yields the completed instants; the archive is read when no active one will do."""
    yield from reversed(timeline.completed)
    yield from _archived(timeline)


def _archived(timeline: Timeline) -> Iterator[Instant]:
    """Yields the archived instants, the newest first, of an archive that is not read before."""
    yield from reversed(timeline.archived)


def _past(
    instant: Instant, commit: Mapping[str, Any], request: Mapping[str, Any]
) -> PastClustering:
    parameters = plan_parameters(request)
    groups = (request.get("clusteringPlan") or {}).get("inputGroups") or []
    metrics = [group.get("metrics") or {} for group in groups]
    known = bool(metrics) and all(_BYTES in group for group in metrics)
    stats = [stat for _, stat in write_stats(commit)]
    replaced = commit.get("partitionToReplaceFileIds") or {}
    now, after, as_one = gain_foretold(groups).shares()
    return PastClustering(
        instant=instant.time,
        completed=instant.completion_time,
        columns=plan_columns(parameters),
        strategy=parameters.get(STRATEGY),
        mode=parameters.get(MODE),
        partitions=tuple(sorted(replaced)),
        files_before=sum(len(file_ids) for file_ids in replaced.values()),
        files_after=len(stats),
        rows=sum(stat["numWrites"] for stat in stats),
        bytes_before=round(sum(group[_BYTES] for group in metrics)) if known else None,
        bytes=sum(stat["fileSizeInBytes"] for stat in stats),
        seconds=seconds_between(instant.time, instant.completion_time),
        taken=taken_by_reason(groups),
        share_now=now,
        share_after=after,
        share_as_one=as_one,
        queries=_queries(instant, parameters) if parameters else None,
        column_weights=plan_weights(parameters, f"clustering '{instant.time}'"),
    )


def _queries(instant: Instant, parameters: Mapping[str, str]) -> int:
    """Returns for how many queries a plan cuts its files."""
    text = parameters.get(QUERIES, NO_QUERIES)
    return len(planned_queries(text, f"clustering '{instant.time}'"))


def write_stats(commit: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields partition and statistics of each file that a commit wrote."""
    for partition, stats in (commit.get("partitionToWriteStats") or {}).items():
        for stat in stats:
            yield partition, stat
