"""What a crash has left of clusterings, and what became of it."""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.hudi.clusterings import PendingClusterings
from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.heartbeats import Heartbeat, heartbeats
from hudi_zorder.hudi.instant_content import DamagedInstantError
from hudi_zorder.hudi.metadata_indexes import metadata_path
from hudi_zorder.hudi.pending_plans import pending
from hudi_zorder.hudi.plan_content import plan_columns, plan_parameters
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.table_config import METADATA_FOLDER
from hudi_zorder.hudi.timeline import REQUESTED, Instant
from hudi_zorder.options import EXECUTION_STRATEGY
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.texts import plural, whole

if TYPE_CHECKING:
    import pyarrow as pa

_MARKERS: Final = ".temp"
_ROLLED_BACK: Final = {"instantToRollback": None}
_NEVER: Final = "9"  # later than any time


@dataclass(frozen=True, kw_only=True)
class RepairedPlan:
    """A plan that is rolled back.

    Attributes:
        instant: the plan's.
        state: ``requested``, ``inflight`` when files may have been written, or ``committed``.
        columns: its sort columns.
        standing: why, as a sentence.
    """

    instant: str
    state: str
    columns: tuple[str, ...]
    standing: str


@dataclass(frozen=True, kw_only=True)
class Repair(Tabular):
    """What a repair has done, or would do.

    Attributes:
        table: the table's path or URL.
        dry_run: whether nothing was done.
        plans: the plans that are rolled back.
        last_looks: the committed clusterings whose executors died before they had looked whether
            these hide what others wrote, or which somebody has rolled back since or meanwhile, or
            committed too; that is done for them, and what does is among ``plans``.
        leftovers: instants of which dead executors have left heartbeats or markers.
        pending: the plans that stay, since they are executed or wait for somebody to.
    """

    table: str
    dry_run: bool
    plans: tuple[RepairedPlan, ...]
    last_looks: tuple[str, ...]
    leftovers: tuple[str, ...]
    pending: tuple[str, ...]

    def __bool__(self) -> bool:
        """Tells whether there is anything to repair."""
        return bool(self.plans or self.leftovers)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def to_arrow(self) -> pa.Table:
        """Returns one row for each plan that is rolled back."""
        return arrow_table(RepairedPlan, self.plans)

    def parts(self) -> Iterator[RenderableType]:
        """Yields a sentence for each thing."""
        if not self:
            yield Text("Nothing to repair.")
        for plan in self.plans:
            verb = "Would roll back" if self.dry_run else "Rolled back"
            yield Text(f"{verb} the {plan.state} plan {plan.instant}: {plan.standing}.")
        rolled_back = {plan.instant for plan in self.plans}
        for instant in self.last_looks:
            hides = f"whether the clustering {instant} hides what others wrote"
            why = "as its executor died before it had, or others rolled it back or committed it too"
            if self.dry_run:
                yield Text(f"Would look {hides}, {why}.")
            elif instant not in rolled_back:
                yield Text(f"Looked {hides}, {why}: it does not.")
        if self.leftovers:
            verb = "Would remove" if self.dry_run else "Removed"
            dead = plural(len(self.leftovers), "dead executor")
            yield Text(f"{verb} heartbeats and markers of {dead}.")
        if self.pending:
            stay = "stays" if len(self.pending) == 1 else "stay"
            yield Text(f"{plural(len(self.pending), 'plan')} {stay} pending; look with")
            yield whole(f"  hudi-zorder pending {shlex.quote(self.table)}")


def examine(snapshot: TableSnapshot) -> Repair:
    """Returns what there is to repair; nothing is done.

    A plan is to be rolled back when nobody executes it, and whoever was to is dead, or nobody can
    any more. What lives, or may live, is left alone.
    """
    plans = pending(snapshot)
    broken = [plan for plan in plans if plan.repairable]
    marked = _marked_commits(snapshot)
    beats = heartbeats(snapshot)
    living = {beat.instant for beat in beats.values() if not beat.dead}
    half = [done for done in _not_whole(snapshot, marked) if done.time not in living]
    doubted = [*_unseen(snapshot, beats), *_rolled_back(snapshot), *_executed_twice(snapshot)]
    unseen = list(dict.fromkeys(doubted))
    return Repair(
        table=snapshot.url,
        dry_run=True,
        plans=tuple(
            RepairedPlan(
                instant=plan.instant,
                state=plan.state,
                columns=plan.columns,
                standing=plan.standing,
            )
            for plan in broken
        )
        + tuple(committed(snapshot, done, "its commit was not written whole") for done in half),
        last_looks=tuple(done.time for done in unseen),
        leftovers=tuple(_leftovers(beats.values(), plans, [*marked, *unseen], half)),
        pending=tuple(plan.instant for plan in plans if not plan.repairable),
    )


def half_commits(snapshot: TableSnapshot) -> list[Instant]:
    """Returns the clusterings whose commit was not written whole; what failed has left its markers.

    By an empty one Hudi shows what was written beside what it replaces, so that rows are doubled.
    An executor that lives takes its own back.
    """
    return _not_whole(snapshot, _marked_commits(snapshot))


def _not_whole(snapshot: TableSnapshot, marked: Sequence[Instant]) -> list[Instant]:
    return [instant for instant in marked if not snapshot.timeline.is_whole(instant)]


def _unseen(snapshot: TableSnapshot, beats: Mapping[str, Heartbeat]) -> list[Instant]:
    """Returns the clusterings by our class at which their dead executors have not looked again.

    The heartbeat of one that lives is gone as soon as it has.
    """
    dead = {beat.instant: beat for beat in beats.values() if beat.dead}
    return [
        instant
        for instant in snapshot.timeline.completed
        if instant.action == "replacecommit"
        and instant.time in dead
        and snapshot.timeline.is_whole(instant)
        and _is_ours(snapshot.timeline.plan(instant), dead[instant.time])
    ]


def _rolled_back(snapshot: TableSnapshot) -> list[Instant]:
    """Returns the clusterings that somebody has rolled back, though they were committed meanwhile.

    Whoever executes a plan that is inflight rolls it back, and may have waited for the very lock
    under which it was committed, or have died before its rollback had ended.
    """
    done = {
        instant.time: instant
        for instant in snapshot.timeline.completed
        if instant.action == "replacecommit" and instant.completion_time
    }
    if not done:
        return []
    first = min(instant.completion_time or "" for instant in done.values())
    rollbacks = [
        instant
        for instant in snapshot.timeline.instants
        if instant.action == "rollback" and (instant.completion_time or _NEVER) > first
    ]
    return [
        clustering
        for rollback in rollbacks
        if (clustering := done.get(_undone(snapshot, rollback)))
        and (rollback.completion_time or _NEVER) > (clustering.completion_time or "")
        and snapshot.timeline.plan(clustering).get("clusteringPlan")
    ]


def _undone(snapshot: TableSnapshot, rollback: Instant) -> str:
    """Returns what a rollback takes back; nothing of one whose plan was not written whole.

    Nobody can execute that: Hudi passes it over, and beside writers that lock it stays for ever.
    """
    try:
        plan = snapshot.timeline.plan(rollback, _ROLLED_BACK)
    except DamagedInstantError:
        if rollback.state != REQUESTED:
            raise
        return ""
    return str((plan.get("instantToRollback") or {}).get("commitTime", ""))


def _executed_twice(snapshot: TableSnapshot) -> list[Instant]:
    """Returns the clusterings that two processes have committed, as Hudi lets them.

    Either has had what the other wrote deleted, or its rows are there twice.
    """
    timeline = snapshot.timeline
    return [
        instant
        for instant in timeline.completed_twice
        if instant.action == "replacecommit" and timeline.plan(instant).get("clusteringPlan")
    ]


def _is_ours(request: Mapping[str, Any], beat: Heartbeat) -> bool:
    plan = request.get("clusteringPlan")
    if not plan:
        return False
    # Hudi shows the heartbeat itself where it lets clusterings expire, and names no process.
    strategy = plan.get("strategy") or {}
    return bool(beat.process) or strategy.get("strategyClassName") == EXECUTION_STRATEGY


def committed(snapshot: TableSnapshot, instant: Instant, standing: str) -> RepairedPlan:
    """Returns what is told of a committed clustering that is rolled back."""
    return RepairedPlan(
        instant=instant.time,
        state="committed",
        columns=plan_columns(plan_parameters(snapshot.timeline.plan(instant))),
        standing=standing,
    )


def _leftovers(
    beats: Collection[Heartbeat],
    plans: PendingClusterings,
    marked: Sequence[Instant],
    half: Sequence[Instant],
) -> list[str]:
    """Returns the instants that are no more pending of which heartbeats or markers of ours tell."""
    ours = {beat.instant for beat in beats if beat.process and beat.dead}
    done = {instant.time for instant in marked} - {beat.instant for beat in beats if not beat.dead}
    taken_back = {instant.time for instant in half}
    return sorted((ours | done) - taken_back - {plan.instant for plan in plans})


def _marked_commits(snapshot: TableSnapshot) -> list[Instant]:
    """Returns the clusterings of which markers are left.

    Those of an overwrite are its writer's, who may be about to remove them, and shows no heartbeat
    where it writes alone.
    """
    marked = _marked(snapshot)
    timeline = snapshot.timeline
    return [
        instant
        for instant in timeline.completed
        if instant.action == "replacecommit"
        and instant.time in marked
        and timeline.plan(instant).get("clusteringPlan")
    ]


def _marked(snapshot: TableSnapshot) -> set[str]:
    """Returns the instants with markers, of the table or of its metadata table."""
    found = set()
    for table in (snapshot.path, metadata_path(snapshot)):
        folder = posixpath.join(table, METADATA_FOLDER, _MARKERS)
        entries = listed(snapshot.filesystem, folder)
        found |= {file.base_name for file in entries if not file.is_file}
    return found
