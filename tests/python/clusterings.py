"""The ways to have a table clustered, each of which somebody may be beside."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import hudi_zorder as hz
from conftest import as_keywords
from hudi_tables import cluster_by_call
from hudi_zorder.options import WAIT_FOR_WRITERS
from trial_table import LAYOUT, TrialTable

Settings = Mapping[str, str]
# Seconds that are enough for whoever is not stopped.
PATIENCE = 1
# By what Java says of it where no Python is between.
REFUSED = re.compile(
    "Cannot (commit|keep|execute) clustering|Unable to acquire the lock"
    "|Cannot resolve conflicts for overlapping writes"
)


def _clusters(table: TrialTable, path: Path, settings: Settings) -> None:
    table.cluster(path, hudi_options=settings, wait_for_writers=PATIENCE)


def _schedules_and_executes(table: TrialTable, path: Path, settings: Settings) -> None:
    clustering = hz.ZOrderTable(table.spark, path)
    layout = {**LAYOUT, "wait_for_writers": PATIENCE}
    instant = clustering.schedule(**layout, hudi_options=settings)
    if instant is not None:
        clustering.execute(instant, hudi_options=settings)


def _calls(table: TrialTable, path: Path, settings: Settings) -> None:
    """In a session of its own, whose settings whoever is beside does not see."""
    session = table.spark.newSession()
    options = as_keywords({**settings, WAIT_FOR_WRITERS: PATIENCE})
    cluster_by_call(session, str(path), ",".join(LAYOUT["columns"]), **options)


CLUSTERINGS: Mapping[str, Callable[[TrialTable, Path, Settings], None]] = {
    "cluster": _clusters,
    "schedule, execute": _schedules_and_executes,
    "CALL": _calls,
}


def require_given_way(failed: BaseException) -> None:
    """Raises why a clustering failed, unless it is as it should be that it failed so."""
    if not isinstance(failed, hz.HudiZOrderError) and not REFUSED.search(str(failed)):
        raise failed


def cancel_what_waits(table: TrialTable, path: Path, settings: Settings | None = None) -> None:
    """Drops the plans of which those leave the decision to the user who plan and execute apart."""
    clustering = hz.ZOrderTable(table.spark, path)
    for plan in clustering.pending():
        clustering.cancel(plan.instant, force=True, hudi_options=settings)
