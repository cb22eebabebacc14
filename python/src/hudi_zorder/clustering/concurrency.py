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
from hudi_zorder.hudi.timeline import INFLIGHT, REQUESTED, WRITE_ACTIONS, Instant
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PREFIX, LOCK_PROVIDER, LOCKING
from hudi_zorder.spark.job_progress import status

if TYPE_CHECKING:
    from hudi_zorder.clustering.service import ClusteringService
    from hudi_zorder.hudi.clusterings import PendingClustering

_SECONDS_BETWEEN_LOOKS: Final = 0.5
_OF_SQL: Final = "spark."  # before Hudi's own keys, those that its SQL alone takes


def writes_under_way(snapshot: TableSnapshot) -> list[Instant]:
    """Returns the writes, clusterings apart, that may yet be completed."""
    writes = [instant for instant in snapshot.timeline.pending if instant.action in WRITE_ACTIONS]
    if not writes:
        return []
    clusterings = set(snapshot.timeline.pending_clustering)
    beats = heartbeats(snapshot)
    return [
        write
        for write in writes
        if write not in clusterings and not _is_dead(snapshot, write, beats.get(write.time))
    ]


def busy_writes(snapshot: TableSnapshot) -> list[str]:
    """Returns the instants of those that have begun, for which plans may leave files out."""
    return [write.time for write in writes_under_way(snapshot) if write.state == INFLIGHT]


def _is_dead(snapshot: TableSnapshot, write: Instant, beat: Heartbeat | None) -> bool:
    """Tells whether a write cannot be completed any more; ``isDead`` in Java says the same.

    A writer that beats, as all do that lock the table, cannot commit once its heart has stopped.
    Without a beat, writers that look for expired partitions leave a request to delete some after
    each write by which none has expired.
    """
    if beat is not None:
        return beat.dead
    return (
        write.state == REQUESTED
        and snapshot.timeline.age(write) >= SECONDS_ALIVE
        and snapshot.timeline.deletes_partitions(write)
    )


def await_writes(service: ClusteringService, patience: float, unended: set[str]) -> list[str]:
    """Waits for the writes that are under way now, for later ones will see the plan.

    Args:
        service: the table's.
        patience: seconds to wait at most; what has not ended by then may be of a dead writer.
        unended: writes that were waited for in vain, which are no more; this wait's are added.

    Returns:
        The instants of those whose writers do not lock the table, for they show no heartbeat, as
        when it locks Hudi does of all but deletions of expired partitions.

    Raises:
        DamagedInstantError: when one of them has left half a request.
    """
    snapshot = service.snapshot()
    found = writes_under_way(snapshot)
    _refuse_half_requests(snapshot, found)
    beating = heartbeats(snapshot) if found else {}
    waiting = {write.time for write in found} - unended
    deadline = time.monotonic() + patience
    with status("Waiting for writes to end") as tell:
        while waiting and time.monotonic() < deadline:
            tell(f"Waiting for write {min(waiting)} to end")
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            waiting &= {write.time for write in writes_under_way(service.snapshot())}
    unended |= waiting
    silent = (write for write in found if write.time not in beating)
    return [write.time for write in silent if not snapshot.timeline.deletes_partitions(write)]


def _refuse_half_requests(snapshot: TableSnapshot, writes: Collection[Instant]) -> None:
    """Refuses what Hudi plans nothing beside, however long it is waited for.

    Raises:
        DamagedInstantError: when half of a request is there, as a full disk leaves it.
    """
    for write in writes:
        if write.action == "replacecommit":
            snapshot.timeline.plan(write, {"operationType": None})


def refuse_busy(snapshot: TableSnapshot, unended: Set[str]) -> None:
    """Refuses to call a table clustered of which parts may have been left out for a writer.

    Args:
        snapshot: the table.
        unended: writes that were waited for in vain.

    Raises:
        ConflictError: when a write is under way.
        UnendedWriteError: when it is one of those, and to try again would be in vain, too.
    """
    writes = busy_writes(snapshot)
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


def locked_here_alone(path: str) -> str:
    """Returns what is told where the lock that was taken is of this process."""
    return (
        f"writers of other processes were not locked out: the store of '{path}' has no lock on the "
        "class path; add Hudi's bundle for the cloud to the jars, or name another lock by "
        f"{LOCK_PROVIDER}"
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


def locking(
    settings: Mapping[str, str],
    session: Mapping[str, str],
    default_of: Callable[[str], str | None],
) -> dict[str, str]:
    """Returns the settings of a lock that Hudi's client of a clustering needs to be told.

    Those of the call, the session's own and Hudi's defaults it knows. What Hudi's SQL takes of the
    session besides it does not: for both to lock the same, these are returned. Ours are, where
    nobody has any.

    Args:
        settings: Hudi options of the call.
        session: settings of the session.
        default_of: returns what Hudi's defaults say of a key.
    """

    def known(key: str) -> str | None:
        return session.get(key) or default_of(key)

    chosen = (CONCURRENCY_MODE, LOCK_PROVIDER)
    if any(map(settings.get, chosen)):
        return {}
    named = ((name.removeprefix(_OF_SQL), value) for name, value in session.items())
    by_sql = {
        key: value
        for key, value in named
        if (key in LOCKING or key.startswith(LOCK_PREFIX)) and not known(key)
    }
    return by_sql if any(by_sql.get(key) or known(key) for key in chosen) else dict(LOCKING)
