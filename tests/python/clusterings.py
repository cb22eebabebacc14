"""The ways to have a table clustered, each of which somebody may be beside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import hudi_zorder as hz
from conftest import as_keywords
from hudi_tables import cluster_by_call
from hudi_zorder.options import WAIT_FOR_WRITERS
from trial_table import LAYOUT, TrialTable

Settings = Mapping[str, str]
# Who has these waits longer for a lock than any test has somebody stopped.
PATIENT = {
    "hoodie.write.lock.client.num_retries": "200",
    "hoodie.write.lock.client.wait_time_ms_between_retry": "100",
}
# What Java says where no Python is between, and in the second line in either case. What cannot be
# told yet is told again: the clustering stays, and the next one looks.
GIVES_WAY = re.compile(
    r"io\.hudizorder\.concurrency\.(ConcurrentWrite|UnendedWrite|PlanInUse|HiddenRows)Exception: "
    "Cannot (commit|keep|execute|tell yet whether) clustering"
    "|HoodieWriteConflictException: .*Cannot resolve conflicts for overlapping writes"
)
# By which an execution ends with a plan that is inflight.
REFUSED = {"hoodie.precommit.validators": "no.such.Validator"}
LOCKED_OUT = "Unable to acquire the lock"
# What Hudi says, and what is said of it, where the plan is gone, or a file that is read or written.
IS_GONE = re.compile(
    r"Could not delete instant \[==>\d+__clustering__INFLIGHT\]"
    r"|Cannot execute clustering \d+: its plan is gone"
    r"|Unable to read clustering plan for instant"  # by CALL, as the next
    r"|No value present in Option\n(\tat .*\n)?\tat .*ClusteringCommitActionExecutor\.<init>"
    r"|Cannot cluster the files of partition '\w+': /"
    r"|Cannot read what a clustering did: .* has no completed instant"
    r"|Cannot execute a clustering: no plan is pending in "
    r"|File \S+ does not exist"
    r"|NoSuchFileException: /"
)


def is_patient(settings: Settings) -> bool:
    """Whether who has these settings waits longer for others than any is stopped."""
    return settings.items() >= PATIENT.items()


def _seconds_for_writers(settings: Settings) -> int:
    return 30 if is_patient(settings) else 1


def _clusters(table: TrialTable, path: Path, settings: Settings) -> None:
    table.cluster(path, hudi_options=settings, wait_for_writers=_seconds_for_writers(settings))


def _schedules_and_executes(table: TrialTable, path: Path, settings: Settings) -> None:
    clustering = hz.ZOrderTable(table.spark, path)
    layout = {**LAYOUT, "wait_for_writers": _seconds_for_writers(settings)}
    instant = clustering.schedule(**layout, hudi_options=settings)
    if instant is not None:
        clustering.execute(instant, hudi_options=settings)


def _calls(table: TrialTable, path: Path, settings: Settings) -> None:
    """In a session of its own, whose settings whoever is beside does not see."""
    session = table.spark.newSession()
    patience = {WAIT_FOR_WRITERS: _seconds_for_writers(settings)}
    options = as_keywords({**table.keeps, **settings, **patience})
    cluster_by_call(session, str(path), ",".join(LAYOUT["columns"]), **options)


CLUSTERINGS: Mapping[str, Callable[[TrialTable, Path, Settings], None]] = {
    "cluster": _clusters,
    "schedule, execute": _schedules_and_executes,
    "CALL": _calls,
}


def told_of(failed: BaseException) -> str:
    """Why somebody failed, in a line: of what the JVM threw, what is innermost says most."""
    thrown = getattr(failed, "java_exception", None) or getattr(failed, "_origin", None)
    while thrown is not None and thrown.getCause() is not None:
        thrown = thrown.getCause()
    if thrown is not None:
        return " ".join(str(thrown.toString()).split())[:400]
    return " ".join(f"{type(failed).__name__}: {failed}".split())[:400]


def require_given_way(failed: BaseException) -> None:
    """Raises why a clustering failed, unless it gave way to somebody, and says so."""
    if not _gave_way(failed):
        raise failed


def require_ended(failed: BaseException) -> None:
    """The same where somebody may have taken away its plan, or what it reads."""
    if not _gave_way(failed) and not IS_GONE.search(str(failed)):
        raise failed


def _gave_way(failed: BaseException) -> bool:
    told = str(failed)
    if LOCKED_OUT in told:
        return True
    if isinstance(failed, hz.HudiZOrderError):
        return isinstance(failed, hz.ConflictError | hz.HiddenRowsError)
    return GIVES_WAY.search(told) is not None


def with_inflight_plan(table: TrialTable, path: Path) -> tuple[hz.ZOrderTable, str]:
    """Returns a table, and the instant of a plan of it that was executed in vain."""
    clustering = hz.ZOrderTable(table.spark, path)
    instant = clustering.schedule(**LAYOUT)
    assert instant
    with pytest.raises(hz.ClusteringError):
        clustering.execute(instant, hudi_options=REFUSED)
    return clustering, instant


def cancel_what_waits(table: TrialTable, path: Path, settings: Settings | None = None) -> None:
    """Drops the plans of which those leave the decision to the user who plan and execute apart."""
    clustering = hz.ZOrderTable(table.spark, path)
    for plan in clustering.pending():
        clustering.cancel(plan.instant, force=True, hudi_options=settings)
