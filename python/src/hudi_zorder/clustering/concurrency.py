"""Who else works on a table: writes under way, and processes that execute a plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Set
from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import ConflictError, PlanInUseError, UnendedWriteError
from hudi_zorder.hudi.crash_leftovers import half_commits
from hudi_zorder.hudi.heartbeats import SECONDS_ALIVE, Heartbeat, heartbeats
from hudi_zorder.hudi.pending_plans import Executor, pending
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import WRITE_ACTIONS
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER, LOCKING
from hudi_zorder.spark.job_progress import status

if TYPE_CHECKING:
    from hudi_zorder.clustering.service import ClusteringService
    from hudi_zorder.hudi.clusterings import PendingClustering

_SECONDS_BETWEEN_LOOKS: Final = 0.5


def writes_under_way(snapshot: TableSnapshot) -> list[str]:
    """Returns the instants of writes, clusterings apart, that are not completed.

    A writer that beats, as all do that lock the table, cannot commit once its heart has stopped.
    """
    writes = [instant for instant in snapshot.timeline.pending if instant.action in WRITE_ACTIONS]
    if not writes:
        return []
    clusterings = {instant.time for instant in snapshot.timeline.pending_clustering}
    dead = {beat.instant for beat in heartbeats(snapshot).values() if beat.dead}
    return [write.time for write in writes if write.time not in clusterings | dead]


def await_writes(service: ClusteringService, patience: float, unended: set[str]) -> list[str]:
    """Waits for the writes that are under way now, for later ones will see the plan.

    Args:
        service: the table's.
        patience: seconds to wait at most; what has not ended by then may be of a dead writer.
        unended: writes that were waited for in vain, which are no more; this wait's are added.

    Returns:
        The instants of those whose writers do not lock the table, for they show no heartbeat.

    Raises:
        DamagedInstantError: when one of them has left half a request.
    """
    snapshot = service.snapshot()
    found = writes_under_way(snapshot)
    _refuse_half_requests(snapshot, found)
    beating = heartbeats(snapshot) if found else {}
    waiting = set(found) - unended
    deadline = time.monotonic() + patience
    with status("Waiting for writes to end") as tell:
        while waiting and time.monotonic() < deadline:
            tell(f"Waiting for write {min(waiting)} to end")
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            waiting &= set(writes_under_way(service.snapshot()))
    unended |= waiting
    return [write for write in found if write not in beating]


def _refuse_half_requests(snapshot: TableSnapshot, writes: Collection[str]) -> None:
    """Refuses what Hudi plans nothing beside, however long it is waited for.

    Raises:
        DamagedInstantError: when half of a request is there, as a full disk leaves it.
    """
    for instant in snapshot.timeline.pending:
        if instant.action == "replacecommit" and instant.time in writes:
            snapshot.timeline.plan(instant, {"operationType": None})


def refuse_busy(snapshot: TableSnapshot, unended: Set[str]) -> None:
    """Refuses to call a table clustered of which parts may have been left out for a writer.

    Args:
        snapshot: the table.
        unended: writes that were waited for in vain.

    Raises:
        ConflictError: when a write is under way.
        UnendedWriteError: when it is one of those, and to try again would be in vain, too.
    """
    writes = writes_under_way(snapshot)
    if writes and unended >= set(writes):
        raise UnendedWriteError(
            f"Cannot cluster '{snapshot.path}': write {writes[0]} is under way wherever something "
            "could be clustered, and has not ended while it was waited for; if its writer is dead, "
            "let the next write roll it back, or raise 'wait_for_writers'"
        )
    if writes:
        raise ConflictError(
            f"Cannot cluster '{snapshot.path}': write {writes[0]} is under way wherever something "
            "could be clustered; cluster again when it has ended"
        )


def is_executing(snapshot: TableSnapshot, instant: str) -> bool:
    """Tells whether a process has shown of late that it executes a plan."""
    return _beating(snapshot, instant) is not None


def _beating(snapshot: TableSnapshot, instant: str) -> Heartbeat | None:
    beat = heartbeats(snapshot).get(instant)
    return None if beat is None or beat.dead else beat


def refuse_executing(snapshot: TableSnapshot, instant: str, verb: str, remedy: str = "") -> None:
    """Refuses to touch a plan while a process executes it, whose files Hudi would delete.

    Raises:
        PlanInUseError: when the plan's executor has shown that it lives.
    """
    beat = _beating(snapshot, instant)
    if beat is not None:
        raise PlanInUseError(
            f"Cannot {verb} the clustering '{instant}': another process executes it, and has "
            f"shown {beat.seconds:.0f} s ago that it lives; wait until it has ended, or "
            f"{SECONDS_ALIVE} s if it was killed{remedy and f', or {remedy}'}"
        )


def refuse_half_committed(snapshot: TableSnapshot) -> None:
    """Refuses to plan while half a commit shows, which its executor completes or takes back.

    Raises:
        PlanInUseError: when such an executor has shown that it lives.
    """
    for half in half_commits(snapshot):
        refuse_executing(snapshot, half.time, "cluster beside")


def refuse_taken(service: ClusteringService, where: str | None) -> None:
    """Refuses to call a table clustered of which files are left out for another plan.

    Of an executor that may have died just now, it waits for the next sign of life.

    Raises:
        PlanInUseError: when such a plan is executed, or waits for somebody to execute it.
        ConflictError: when it was executed, or its executor has died: to be tried again.
    """
    first = _in_the_way(service, where)
    if first is None:
        return
    deadline = time.monotonic() + SECONDS_ALIVE
    plan: PendingClustering | None = first
    with status(f"Waiting for clustering {first.instant} to end") as tell:
        while plan is not None and plan.executor == Executor.ALIVE.value:
            tell(f"Waiting for clustering {plan.instant} to end, or to show that it lives")
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            before, plan = plan, _in_the_way(service, where)
            if plan is None or plan.instant != before.instant or time.monotonic() > deadline:
                break
            if (plan.heartbeat or 0.0) < (before.heartbeat or 0.0):
                break  # a new beat: it lives
    if plan is None or plan.repairable:
        raise ConflictError(
            f"Cannot cluster '{service.path}': clustering {first.instant} was pending for its "
            "files, and has just ended; cluster again"
        )
    raise PlanInUseError(
        f"Cannot cluster '{service.path}': its files are taken by the {plan.state} plan "
        f"{plan.instant}: {plan.standing}; "
        f"{_remedy(plan)}"
    )


def _remedy(plan: PendingClustering) -> str:
    if plan.command:
        return f"run {plan.command}"
    if plan.heartbeat is None:
        return (
            "cluster again when it has ended, or, if its author has failed meanwhile, run "
            f"hudi-zorder cancel with {plan.instant}"
        )
    return "cluster again when it has ended"


def _in_the_way(service: ClusteringService, where: str | None) -> PendingClustering | None:
    snapshot = service.snapshot()
    if not snapshot.timeline.pending_clustering:
        return None
    chosen = None if where is None else service.partitions(where)
    return next(iter(plans_of(snapshot, chosen)), None)


def plans_of(
    snapshot: TableSnapshot, partitions: Collection[str] | None
) -> list[PendingClustering]:
    """Returns the pending plans that take files of some partitions; of any where that is None."""
    plans = pending(snapshot)
    return [p for p in plans if partitions is None or set(partitions) & set(p.partitions)]


def locking(settings: Mapping[str, str], session: Callable[[str], str | None]) -> dict[str, str]:
    """Returns the settings of a lock, where neither these settings nor the session have any.

    Args:
        settings: Hudi options of the call.
        session: returns a setting of the session, or of Hudi's defaults, by its key.
    """
    if any(settings.get(key) or session(key) for key in (CONCURRENCY_MODE, LOCK_PROVIDER)):
        return {}
    # What Hudi's SQL takes from the session, its clustering does not.
    chosen = {key: value for key in LOCKING if (value := session(f"spark.{key}"))}
    return chosen or dict(LOCKING)
