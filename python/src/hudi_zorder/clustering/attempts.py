"""Clusterings from their plan to their commit: tried again, rolled back, or left to go on with."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import replace
from typing import Final

from hudi_zorder.clustering.concurrency import (
    await_writes,
    refuse_busy,
    refuse_half_committed,
    refuse_taken,
)
from hudi_zorder.clustering.fixed_options import refuse_others
from hudi_zorder.clustering.repair import repaired
from hudi_zorder.clustering.result import ClusteringResult
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.clustering.statistics_guard import WARN
from hudi_zorder.errors import (
    ConflictError,
    HudiZOrderError,
    PlanInUseError,
    TableLockedError,
    UnendedWriteError,
    with_outcome,
)
from hudi_zorder.hudi.pending_plans import find_pending
from hudi_zorder.hudi.plan_content import plan_columns
from hudi_zorder.options import EXECUTION_CLASS, PLAN_CLASS, PLAN_STRATEGY, ZOrderOptions
from hudi_zorder.spark.job_progress import held_interrupts
from hudi_zorder.texts import first_line

logger = logging.getLogger("hudi_zorder")

# What was waited for already, or cannot be.
_IN_VAIN: Final = (PlanInUseError, TableLockedError, UnendedWriteError)

# How often a clustering is planned when writers come first.
_ATTEMPTS: Final = 5


def cluster(
    service: ClusteringService,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    unsafe_statistics: str,
) -> ClusteringResult:
    """Schedules and executes, and does it again when a writer came first.

    What a dead executor has left is rolled back before. Nothing is left behind by a plan that
    fails, or gives way to a writer.

    Raises:
        UnsafeStatisticsError: for statistics that are not to be made; before anything is written.
        ConflictError: when writers came first each time.
        UnendedWriteError: when a write does not end, such as that of a dead writer.
        TableLockedError: when others held the table's lock for too long.
        HiddenRowsError: when a clustering hides rows of others, be it that of a dead executor.
    """
    started = time.monotonic()
    service.require_safe(options, where, settings, unsafe_statistics)
    rolled_back: list[str] = []
    unended: set[str] = set()
    for attempt in range(1, _ATTEMPTS + 1):
        unlocked = await_writes(service, options.wait_for_writers, unended)
        repair, snapshot = repaired(service, settings)
        rolled_back += (
            f"the {plan.state} plan {plan.instant} was rolled back: {plan.standing}"
            for plan in repair.plans
        )
        refuse_half_committed(snapshot or service.snapshot())
        try:
            result = _cluster_once(service, options, where, settings, unsafe_statistics, unended)
            break
        except ConflictError as conflict:
            if attempt == _ATTEMPTS or isinstance(conflict, _IN_VAIN):
                raise
            logger.info("%s", conflict)
    notes = [*result.notes, *rolled_back]
    if unlocked:
        notes.append(
            f"write {unlocked[0]} was under way, and its writer does not lock the table; for "
            "certainty beside writers let these lock it too, as the README says"
        )
    seconds = {**result.seconds, "total": time.monotonic() - started}
    return replace(result, seconds=seconds, notes=tuple(notes))


def _cluster_once(
    service: ClusteringService,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    unsafe_statistics: str,
    unended: Set[str],
) -> ClusteringResult:
    started = time.monotonic()
    instant, reason = service.schedule(options, where, settings, at_once=True)
    scheduled = time.monotonic() - started
    if instant is None:
        refuse_busy(service.snapshot(), unended)
        refuse_taken(service, where)
        return ClusteringResult(
            table=service.path,
            instant=None,
            columns=plan_columns(options.to_dict()),
            seconds={"schedule": scheduled},
            notes=(reason,),
        )
    try:
        result = service.execute(instant, unplanned(options, settings), unsafe_statistics)
    except PlanInUseError:
        raise
    except BaseException as fault:
        with held_interrupts():
            outcome = _undone(service, instant, settings)
        raise with_outcome(fault, outcome) from fault.__cause__
    return replace(result, seconds={"schedule": scheduled, **result.seconds})


def unplanned(options: ZOrderOptions, settings: Mapping[str, str]) -> dict[str, str]:
    """Returns what a plan does not carry, and whoever executes it says.

    That is what gets statistics; where a class of others plans, all but the sort columns.
    """
    layout = options.statistics()
    if settings.get(PLAN_CLASS, PLAN_STRATEGY) != PLAN_STRATEGY:
        layout = options.to_dict()
        del layout[PLAN_CLASS], layout[EXECUTION_CLASS]
    return {**layout, **settings}


def schedule(
    service: ClusteringService,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    unsafe_statistics: str,
) -> str | None:
    """Writes a plan and returns its instant; None, with the reason in the log, when it made none.

    Raises:
        UnsafeStatisticsError: for statistics that are not to be made; before anything is written.
    """
    service.require_safe(options, where, settings, unsafe_statistics)
    instant, reason = service.schedule(options, where, settings)
    if instant is None:
        logger.warning(reason)
    elif unsafe_statistics == WARN:
        try:
            service.warn_of_plan(instant, {**options.statistics(), **settings})
        except (Exception, KeyboardInterrupt) as fault:
            # Whoever is not told the instant of the plan, which is written, cannot execute it.
            logger.warning(
                "Plan %s is written; which of its statistics would lose rows is not known: %s",
                instant,
                first_line(fault),
            )
    return instant


def execute(
    service: ClusteringService,
    instant: str,
    settings: Mapping[str, str],
    unsafe_statistics: str,
) -> ClusteringResult:
    """Executes a plan; one that fails stays pending, and the error says how to go on.

    Raises:
        OptionError: for an option that is not as the plan has it.
        ConflictError: when a writer came first; the plan is cancelled.
    """
    snapshot = service.snapshot()
    refuse_others(instant, find_pending(snapshot, instant, "execute").parameters, settings)
    try:
        return service.execute(instant, settings, unsafe_statistics, snapshot)
    except PlanInUseError:
        raise
    except (HudiZOrderError, KeyboardInterrupt) as fault:
        # A plan that a writer has overtaken can be executed no more.
        gave_way = isinstance(fault, ConflictError) and not isinstance(fault, TableLockedError)
        with held_interrupts():
            outcome = _undone(service, instant, settings) if gave_way else _kept(service, instant)
        raise with_outcome(fault, outcome) from fault.__cause__


def _undone(service: ClusteringService, instant: str, settings: Mapping[str, str]) -> str:
    """Cancels what failed; returns what came of it, be it a commit; nothing if it is gone."""
    return service.rollback.drop(instant, settings) or _where_it_stands(service, instant)


def _kept(service: ClusteringService, instant: str) -> str:
    """Ends the execution of a plan that stays; returns what became of it, as ``_undone`` does."""
    with suppress(HudiZOrderError):  # what cannot be read, or written, is told below or times out
        if service.rollback.is_pending(instant):
            # What a validator has stopped beats on, as if it were being committed.
            service.rollback.end_execution(instant)
    return _where_it_stands(service, instant)


def _where_it_stands(service: ClusteringService, instant: str) -> str:
    """Returns whether a plan is still pending, or committed after all; nothing if it is gone."""
    try:
        if service.rollback.is_pending(instant):
            return (
                f"The plan is still pending: execute('{instant}') tries again, "
                f"cancel('{instant}') drops it, as hudi-zorder execute and cancel do"
            )
        return f"The clustering {instant} is committed" if service.is_committed(instant) else ""
    except HudiZOrderError as second:
        return f"Whether the clustering '{instant}' is committed could not be read: {second}"
