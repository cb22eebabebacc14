"""A table's clusterings that are planned and not completed, and how each of them stands.

A plan is looked at from outside: by its files on the timeline, by the heartbeat of whoever executes
it, and by what became of the file groups that it names. What can be told for certain is told;
``Verdict`` has the sentences.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from hudi_zorder import __version__
from hudi_zorder.errors import ClusteringError
from hudi_zorder.hudi.clusterings import FileGroup, PendingClustering, PendingClusterings
from hudi_zorder.hudi.file_slices import FileSlice, ReplacedGroups, holds_changes
from hudi_zorder.hudi.heartbeats import SECONDS_ALIVE, Heartbeat, heartbeats
from hudi_zorder.hudi.instant_content import DamagedInstantError
from hudi_zorder.hudi.plan_content import (
    gain_foretold,
    left_by_reason,
    plan_columns,
    plan_parameters,
    taken_by_reason,
)
from hudi_zorder.hudi.processes import is_alive, is_dead
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import REQUESTED, Instant
from hudi_zorder.option_checks import checked_instant
from hudi_zorder.options import EXECUTION_STRATEGY, MODE, PLAN_VERSION
from hudi_zorder.texts import duration, plural

AUTHOR: Final = "hudi-zorder.executor"
"""Where a plan that its author executes at once names the author's process; ``""`` for unknown."""

ATTEMPT: Final = "hudi-zorder.attempt"
"""Where such a plan is told from all others, those of the same process among them."""

# By then a process has shown a heartbeat for what it is to execute at once.
_SECONDS_TO_BEGIN: Final = 600
_RESTORED: Final = {"instantsToRollback": None}


class Executor(str, Enum):
    """What is known of the process that executes a plan."""

    ALIVE = "alive"
    DEAD = "dead"
    NONE = "none"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is the matter with a plan, and the safe thing to do."""

    executor: Executor
    standing: str
    verb: str  # of the command line; "" when it is to wait


def pending(snapshot: TableSnapshot) -> PendingClusterings:
    """Returns the clusterings that are scheduled and not completed, the oldest first."""
    requests = _requests(snapshot)
    if not requests:
        return PendingClusterings()
    beats = heartbeats(snapshot)
    restores = _restores(snapshot)
    current = _current(snapshot) if any(map(_planned, requests.values())) else {}
    return PendingClusterings(
        _pending(snapshot, instant, request, current, beats.get(instant.time), restores)
        for instant, request in requests.items()
    )


def find_pending(snapshot: TableSnapshot, instant: str, verb: str) -> PendingClustering:
    """Returns the pending clustering of an instant, which ``verb`` is about to be done to.

    Raises:
        OptionError: for an instant that is no text.
        ClusteringError: when there is none; it names those that are.
    """
    checked_instant("instant", instant)
    plans = {plan.instant: plan for plan in pending(snapshot)}
    if instant in plans:
        return plans[instant]
    known = ", ".join(plans) or "none"
    raise ClusteringError(
        f"Cannot {verb} a clustering: no plan is pending in '{snapshot.path}', 'instant' was "
        f"'{instant}'; the pending ones are: {known}"
    )


def plans_of_attempt(snapshot: TableSnapshot, attempt: str | None) -> list[str]:
    """Returns the instants of the pending plans that were made by an attempt; None has none."""
    if attempt is None:
        return []
    return [
        instant.time
        for instant, request in _requests(snapshot).items()
        if (request.get("extraMetadata") or {}).get(ATTEMPT) == attempt
    ]


def _pending(
    snapshot: TableSnapshot,
    instant: Instant,
    request: Mapping[str, Any],
    current: Mapping[FileGroup, FileSlice],
    beat: Heartbeat | None,
    restores: Mapping[str, str],
) -> PendingClustering:
    plan = request.get("clusteringPlan") or {}
    groups = plan.get("inputGroups") or []
    slices = _planned(request)
    file_groups = tuple((part["partitionPath"], part["fileId"]) for part in slices)
    named = (plan.get("strategy") or {}).get("strategyClassName")
    parameters = plan_parameters(request)
    facts = _Facts(
        requested=instant.state == REQUESTED,
        whole=bool(request),
        age=snapshot.timeline.age(instant),
        beat=beat,
        author=(request.get("extraMetadata") or {}).get(AUTHOR),
        restore=restores.get(instant.time, ""),
        outdated=sum(1 for part in slices if _names(part) != _current_names(current, part)),
        file_groups=len(slices),
        version=parameters.get(PLAN_VERSION, __version__),
    )
    verdict = facts.verdict()
    now, after, as_one = gain_foretold(groups).shares()
    command = ["hudi-zorder", verdict.verb, snapshot.url]
    if verdict.verb in ("execute", "cancel"):
        command.append(instant.time)
    return PendingClustering(
        instant=instant.time,
        state=instant.state,
        age=facts.age,
        columns=plan_columns(parameters),
        mode=parameters.get(MODE),
        partitions=tuple(sorted({part["partitionPath"] for part in slices})),
        groups=len(groups),
        files=sum(len(_names(part)) for part in slices),
        bytes=sum(part.size for group in file_groups if (part := current.get(group))),
        file_groups=file_groups,
        outdated=facts.outdated,
        execution_class=named or "",
        ours=named == EXECUTION_STRATEGY,
        executor=verdict.executor.value,
        heartbeat=beat.seconds if beat else None,
        standing=verdict.standing,
        command=shlex.join(command) if verdict.verb else "",
        parameters=parameters,
        taken=taken_by_reason(groups),
        left_alone=left_by_reason(plan),
        share_now=now,
        share_after=after,
        share_as_one=as_one,
    )


def _current(snapshot: TableSnapshot) -> dict[FileGroup, FileSlice]:
    """Returns the latest file slices, although half a commit may be there that is to be repaired.

    Whatever that has replaced, no plan of other file groups is outdated for it.
    """
    try:
        slices = snapshot.slices
    except DamagedInstantError:
        slices = replace(snapshot, replaced=ReplacedGroups(passes_over_halves=True)).slices
    return {(part.partition, part.file_id): part for part in slices}


def _planned(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the file slices that a plan takes."""
    groups = (request.get("clusteringPlan") or {}).get("inputGroups") or []
    return [part for group in groups for part in group["slices"]]


def _requests(snapshot: TableSnapshot) -> dict[Instant, dict[str, Any]]:
    """Returns what was requested by each pending clustering, the oldest first."""
    return {i: _request(snapshot, i) for i in snapshot.timeline.pending_clustering}


def _request(snapshot: TableSnapshot, instant: Instant) -> dict[str, Any]:
    """Returns what was requested; nothing of a plan that its process failed to write.

    Hudi moves a plan to its name although it could not be written, and reads none of the table
    while half of one is there.
    """
    try:
        return snapshot.timeline.plan(instant)
    except DamagedInstantError:
        return {}


@dataclass(frozen=True, slots=True)
class _Facts:
    """What can be seen of a plan."""

    requested: bool
    whole: bool
    age: float
    beat: Heartbeat | None
    author: str | None  # None of a plan that waits for anybody
    restore: str
    outdated: int
    file_groups: int
    version: str  # of this library, that has made it

    def verdict(self) -> Verdict:
        if self.beat is not None and not self.beat.dead:
            ago = duration(self.beat.seconds)
            return Verdict(Executor.ALIVE, f"its executor has shown {ago} ago that it lives", "")
        if self.restore:
            return Verdict(
                Executor.NONE,
                f"it was completed once, and restore {self.restore} has brought it back as a plan",
                "repair",
            )
        if not self.whole:
            return Verdict(
                Executor.NONE, "nobody can execute it: it was not written whole", "repair"
            )
        if self.beat is not None:
            return Verdict(Executor.DEAD, f"its executor is dead: {self._last_sign()}", "repair")
        if self.author is not None and not self.requested and self.age >= _SECONDS_TO_BEGIN:
            return Verdict(
                Executor.DEAD, "its execution has ended: it shows no heartbeat", "repair"
            )
        if self.author is not None and self._is_gone(self.author):
            return Verdict(
                Executor.DEAD,
                "the process that planned it, to execute it at once, is dead",
                "repair",
            )
        if self.requested and self.outdated:
            return Verdict(
                Executor.NONE,
                f"nobody can execute it: {plural(self.outdated, 'file group')} of its "
                f"{self.file_groups:,} changed since it was planned",
                "repair",
            )
        if self.author is not None and self.age < _SECONDS_TO_BEGIN:
            return Verdict(Executor.ALIVE, "its author is about to execute it", "")
        if self.author is not None:
            return Verdict(
                Executor.ALIVE,
                "the process that planned it, to execute it at once, lives, and has not begun for "
                f"{duration(self.age)}; make sure that it has given up",
                "cancel",
            )
        if self.requested and _line(self.version) != _line(__version__):
            return Verdict(
                Executor.NONE,
                f"hudi-zorder {self.version} has planned it, and {__version__} refuses to execute "
                "it; execute it with the former, or plan anew",
                "cancel",
            )
        if self.requested:
            return Verdict(Executor.NONE, "it waits for somebody to execute it", "execute")
        return Verdict(
            Executor.UNKNOWN,
            "an execution has begun, which has failed or shows no heartbeat; make sure that no "
            "process executes it",
            "cancel",
        )

    def _last_sign(self) -> str:
        seconds = self.beat.seconds if self.beat else 0.0
        if seconds >= SECONDS_ALIVE:
            return f"its heartbeat stopped {duration(seconds)} ago"
        return f"its process has ended, at most {duration(seconds)} ago"

    def _is_gone(self, author: str) -> bool:
        return is_dead(author) or (self.age >= _SECONDS_TO_BEGIN and not is_alive(author))


def _line(version: str) -> list[str]:
    """Returns what versions have in common that execute each other's plans; PlanVersion in Java."""
    parts = version.split(".")
    return parts[: 2 if parts[0] == "0" else 1]


def _restores(snapshot: TableSnapshot) -> dict[str, str]:
    """Returns the restore that took each instant back."""
    found = {}
    for instant in snapshot.timeline.completed:
        if instant.action == "restore":
            for undone in (
                snapshot.timeline.metadata(instant, _RESTORED).get("instantsToRollback") or ()
            ):
                found[undone] = instant.time
    return found


def _names(part: Mapping[str, Any]) -> frozenset[str]:
    """Returns the names of the files that a plan read rows of a file group from."""
    names = map(posixpath.basename, _paths(part))
    # Hudi counts those of change data among the logs.
    return frozenset(name for name in names if not holds_changes(name))


def _paths(part: Mapping[str, Any]) -> Iterator[str]:
    if part.get("dataFilePath"):
        yield part["dataFilePath"]
    yield from part.get("deltaFilePaths") or ()


def _current_names(
    current: Mapping[FileGroup, FileSlice], part: Mapping[str, Any]
) -> frozenset[str]:
    found = current.get((part["partitionPath"], part["fileId"]))
    if found is None:
        return frozenset()
    bases = [found.base.name] if found.base else []
    return frozenset([*bases, *(log.name for log in found.logs)])
