"""A table's completed clusterings, read from its timeline without Spark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hudi_zorder.errors import ClusteringError, OptionError, TableError
from hudi_zorder.hudi.avro_content import Wanted
from hudi_zorder.hudi.clusterings import (
    FileGroup,
    PastClustering,
    PastClusterings,
)
from hudi_zorder.hudi.reading_gain import ReadingGain, tells_of_reading
from hudi_zorder.hudi.shapes import ANY, Always, check_shape, parsed_json
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Instant, Timeline, seconds_between
from hudi_zorder.options import MODE, NO_QUERIES, PREFIX, QUERIES, SORT_COLUMNS, STRATEGY

_WRITTEN: Final[Wanted] = {"partitionToWriteStats": {"fileId": None}}
_DONE: Final[Wanted] = {
    "partitionToReplaceFileIds": None,
    "partitionToWriteStats": {"numWrites": None, "fileSizeInBytes": None},
}
_LAYOUT: Final[Wanted] = {"clusteringPlan": {"strategy": None}}
_GROUPS: Final[Wanted] = {"metrics": None, "slices": {"partitionPath": None}}
_PLANNED: Final[Wanted] = {"clusteringPlan": {"strategy": None, "inputGroups": _GROUPS}}
# What our plans say of each group; Hudi's own say it of its last file alone.
_BYTES: Final = PREFIX + "bytes"
_FILES: Final = PREFIX + "files."
_QUERIES: Final = {"queries": Always([[ANY]])}
_SHOWN: Final = 80  # letters of a value that an error shows


def history(snapshot: TableSnapshot) -> PastClusterings:
    """Returns the completed clusterings, the oldest first, archived ones included."""
    timeline = snapshot.timeline
    past = [
        _past(instant, commit, timeline.plan(instant, _PLANNED))
        for instant, commit in clustering_commits(timeline, _DONE)
    ]
    return PastClusterings(sorted(past, key=lambda clustering: clustering.instant))


def clustering_commits(
    timeline: Timeline, wanted: Wanted
) -> Iterator[tuple[Instant, Mapping[str, Any]]]:
    """Yields the completed clusterings with what is wanted of their commits, the newest first."""
    for instant in newest_first(timeline):
        if instant.action == "replacecommit":  # also insert_overwrite and delete_partition
            commit = timeline.metadata(instant, {"operationType": None, **wanted})
            if commit.get("operationType") == "CLUSTER":
                yield instant, commit


def layout_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the sort columns of the table's last clustering; none when there was none."""
    return plan_columns(layout_parameters(snapshot))


def layout_queries(snapshot: TableSnapshot) -> str:
    """Returns what the last clustering was cut for, as its plan keeps it; ``none`` for nothing."""
    return layout_parameters(snapshot).get(QUERIES, NO_QUERIES)


def layout_parameters(snapshot: TableSnapshot) -> Mapping[str, str]:
    """Returns the layout options of the table's last clustering; none when there was none."""
    for instant in newest_first(snapshot.timeline):
        if instant.action != "replacecommit":
            continue
        parameters = plan_parameters(snapshot.timeline.plan(instant, _LAYOUT))
        if plan_columns(parameters):
            return parameters
    return {}


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
            return [(partition, stat["fileId"]) for partition, stat in write_stats(commit)]
    raise ClusteringError(
        f"Cannot read what a clustering did: '{snapshot.path}' has no completed instant "
        f"'{instant}'; another process may have rolled it back, see history()"
    )


def newest_first(timeline: Timeline) -> Iterator[Instant]:
    """Yields the completed instants; the archive is read when no active one will do."""
    yield from reversed(timeline.completed)
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
    )


def _queries(instant: Instant, parameters: Mapping[str, str]) -> int:
    """Returns for how many queries a plan cuts its files."""
    text = parameters.get(QUERIES, NO_QUERIES)
    return len(planned_queries(text, f"clustering '{instant.time}'"))


def planned_queries(text: str, clustering: str) -> list[Any]:
    """Returns the queries that a plan cuts its files for, each with its weight and its boxes.

    ``hudi_zorder.workload.queries_to_plan`` has the form.

    Args:
        text: what the plan keeps of them, or ``none``.
        clustering: what it is the plan of, for the error.

    Raises:
        TableError: when this library has not written the text.
    """
    if text == NO_QUERIES:
        return []
    try:
        found = parsed_json(text)
        check_shape(found, _QUERIES)
    except ValueError as fault:
        raise damaged_plan(clustering, QUERIES, text) from fault
    queries: list[Any] = found["queries"]
    return queries


def damaged_plan(clustering: str, key: str, value: str) -> TableError:
    """Returns the error of a plan that stores what this library does not write."""
    return TableError(
        f"Cannot read the plan of {clustering}: '{key}' was '{value[:_SHOWN]}', which hudi-zorder "
        "has not written; use the version that made the plan, or repair the table with hudi-cli"
    )


def write_stats(commit: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields partition and statistics of each file that a commit wrote."""
    for partition, stats in (commit.get("partitionToWriteStats") or {}).items():
        for stat in stats:
            yield partition, stat


def taken_by_reason(groups: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Returns how many file slices the groups of a plan take, by the reason that each tells."""
    counted: Counter[str] = Counter()
    for group in groups:
        for name, number in (group.get("metrics") or {}).items():
            if name.startswith(_FILES):
                counted[name.removeprefix(_FILES)] += round(number)
    return dict(sorted(counted.items()))


def left_by_reason(plan: Mapping[str, Any]) -> dict[str, int]:
    """Returns how many file slices a plan leaves alone, by the reason that it tells."""
    told = plan.get("extraMetadata") or {}
    return {
        name.removeprefix(_FILES): int(number)
        for name, number in sorted(told.items())
        if name.startswith(_FILES)
    }


def gain_foretold(groups: Sequence[Mapping[str, Any]]) -> ReadingGain:
    """Returns what a plan has foretold; nothing unless each of its groups does."""
    by_partition: dict[str, ReadingGain] = {}
    for group in groups:
        metrics = {
            name.removeprefix(PREFIX): number
            for name, number in (group.get("metrics") or {}).items()
            if name.startswith(PREFIX)
        }
        if not tells_of_reading(metrics) or not group["slices"]:
            return ReadingGain()
        partition = group["slices"][0]["partitionPath"]
        by_partition.setdefault(partition, ReadingGain()).tell(metrics)
    total = ReadingGain()
    for gain in by_partition.values():
        total += gain
    return total


def plan_parameters(request: Mapping[str, Any]) -> dict[str, str]:
    """Returns the layout options that a plan has stored."""
    strategy = (request.get("clusteringPlan") or {}).get("strategy") or {}
    return dict(strategy.get("strategyParams") or {})


def plan_columns(parameters: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the sort columns among them."""
    names = parameters.get(SORT_COLUMNS, "").split(",")
    return tuple(name.strip() for name in names if name.strip())
