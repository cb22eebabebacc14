"""What a crash has left of clusterings, rolled back by Hudi's own means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.errors import ClusteringError, OptionError
from hudi_zorder.hudi.crash_leftovers import Repair, committed, examine
from hudi_zorder.hudi.snapshot import TableSnapshot


def repair(
    service: ClusteringService, settings: Mapping[str, str], *, dry_run: bool = False
) -> Repair:
    """Rolls back what nobody executes and nobody is to, and removes what dead executors left.

    In place of an executor that died between its commit and its last look it looks whether the
    clustering hides what others wrote, and rolls it back then. With ``dry_run`` it does nothing.

    Raises:
        OptionError: for settings beside ``dry_run``, which does without.
        PlanInUseError: when somebody begins to execute such a plan meanwhile.
        ConflictError: when nobody can tell yet, as a write is under way.
        HiddenRowsError: when a clustering hides rows, and cannot be rolled back.
        ClusteringError: when Hudi cannot roll it back.
    """
    if not dry_run:
        return repaired(service, settings)[0]
    if settings:
        raise OptionError(
            f"Cannot repair a table: 'hudi_options' was {dict(settings)}, for what 'dry_run' "
            "leaves undone; leave out one of the two"
        )
    return examine(service.snapshot())


def repaired(
    service: ClusteringService, settings: Mapping[str, str]
) -> tuple[Repair, TableSnapshot | None]:
    """Does what ``repair`` does; returns the table besides, where it still is as it was opened.

    That is so where nothing is done, and no plan is pending that somebody may complete meanwhile.
    """
    snapshot = service.snapshot()
    found = examine(snapshot)
    same = not (found or found.last_looks or found.pending)
    plans = [plan for plan in found.plans if _rolled_back(service, plan.instant, settings)]
    unlooked = [
        committed(snapshot, instant, "")
        for instant in snapshot.timeline.completed
        if instant.time in found.last_looks
    ]
    taken_back = [
        replace(plan, standing=hidden)
        for plan in unlooked
        if (hidden := service.rollback.last_look(plan.instant, settings))
    ]
    service.rollback.remove_leftovers(found.leftovers, settings)
    done = replace(found, table=service.path, dry_run=False, plans=(*plans, *taken_back))
    return done, snapshot if same else None


def _rolled_back(service: ClusteringService, instant: str, settings: Mapping[str, str]) -> bool:
    """Rolls a plan back; returns false if another process does that at the same time."""
    try:
        service.rollback.cancel(instant, settings)
    except ClusteringError:
        if service.rollback.is_pending(instant):
            raise
        return False
    return True
