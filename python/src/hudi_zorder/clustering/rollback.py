"""Clusterings taken back: plans, half commits, and what dead executors have left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from hudi_zorder import options as keys
from hudi_zorder.clustering.concurrency import is_executing, refuse_executing
from hudi_zorder.clustering.hudi_settings import HudiSettings
from hudi_zorder.errors import HudiZOrderError
from hudi_zorder.hudi.clusterings import PendingClustering
from hudi_zorder.hudi.crash_leftovers import half_commits
from hudi_zorder.hudi.heartbeats import heartbeats
from hudi_zorder.hudi.pending_plans import find_pending
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.write_client import HudiJvm
from hudi_zorder.spark.job_progress import held_interrupts


class Rollback:
    """Takes back what was planned, executed or left behind of one table's clusterings.

    Each such step comes to its end in spite of Ctrl-C, which then tells of it.

    Args:
        path: the table's base path.
        hudi: the table in the JVM.
        settings: what Hudi is configured by.
        snapshot: opens the table's files as they are now.
    """

    def __init__(
        self,
        path: str,
        hudi: HudiJvm,
        settings: HudiSettings,
        snapshot: Callable[[], TableSnapshot],
    ) -> None:
        self._path = path
        self._hudi = hudi
        self._settings = settings
        self._snapshot = snapshot

    def is_pending(self, instant: str) -> bool:
        """Tells whether a plan is there to be cancelled, be it half committed."""
        snapshot = self._snapshot()
        found = [*snapshot.timeline.pending_clustering, *half_commits(snapshot)]
        return any(plan.time == instant for plan in found)

    def cancel(self, instant: str, settings: Mapping[str, str], *, force: bool = False) -> None:
        """Removes a pending plan and whatever an attempt to execute it has left.

        Args:
            instant: the plan's.
            settings: further Hudi configuration, such as the lock that others take.
            force: whether to do so although a process executes it.
        """
        plan, snapshot = self._to_cancel(instant, settings, force=force)
        self._cancel(plan, snapshot, settings, executing=is_executing(snapshot, instant))

    def drop(self, instant: str, settings: Mapping[str, str]) -> str:
        """Cancels a plan that this process has made or executed, and does no more.

        Where that fails the plan is left as that of somebody dead, so that the next clustering
        does it.

        Returns:
            What came of it, as sentences without the last stop; ``""`` if the plan was gone.
        """
        try:
            if not self.is_pending(instant):
                return ""  # our execution strategy has removed it, and says so in its message
            plan, snapshot = self._to_cancel(instant, settings, force=True)
            self._cancel(plan, snapshot, settings, executing=False)
        except HudiZOrderError as fault:
            with suppress(HudiZOrderError):  # the message tells what to do then
                self.give_up(instant)
            return (
                f"The plan '{instant}' may still be pending, for it could not be cancelled: "
                f"{fault}. The next clustering rolls it back, at the latest once this process has "
                f"ended; cancel('{instant}') does at once, as hudi-zorder cancel does"
            )
        return "The plan was rolled back and the table is as before"

    def _to_cancel(
        self, instant: str, settings: Mapping[str, str], *, force: bool
    ) -> tuple[PendingClustering, TableSnapshot]:
        """Returns a plan that is pending, be it again: a half commit of it is taken back."""
        snapshot = self._snapshot()
        if any(half.time == instant for half in half_commits(snapshot)):
            _refuse_executing(snapshot, instant, force=force)
            with (
                held_interrupts(f"Half a commit of {instant} was taken back; its plan is pending"),
                jvm_errors(f"take back half a commit of '{instant}' of '{self._path}'"),
            ):
                self._hudi.take_back(instant, self._settings.of_change(snapshot, settings))
            snapshot = self._snapshot()
        plan = find_pending(snapshot, instant, "cancel")
        _refuse_executing(snapshot, instant, force=force)
        return plan, snapshot

    def _cancel(
        self,
        plan: PendingClustering,
        snapshot: TableSnapshot,
        settings: Mapping[str, str],
        *,
        executing: bool,
    ) -> None:
        with (
            held_interrupts(f"The plan {plan.instant} was rolled back"),
            jvm_errors(f"cancel the clustering '{plan.instant}' of '{self._path}'"),
        ):
            config = {
                **self._settings.of_change(snapshot, settings),
                keys.EXECUTION_CLASS: plan.executor_class,
            }
            self._hudi.cancel(plan.instant, plan.partitions, config, executing=executing)

    def end_execution(self, instant: str) -> None:
        """Lets others execute or cancel a plan that this process has failed to execute."""
        beat = heartbeats(self._snapshot()).get(instant)
        with jvm_errors(f"remove the heartbeat of '{instant}' of '{self._path}'"):
            if beat is not None and beat.process == self._hudi.process():
                self._hudi.end_execution(instant)

    def give_up(self, instant: str) -> None:
        """Has the next clustering roll a plan back that this process could not cancel."""
        beat = heartbeats(self._snapshot()).get(instant)
        with jvm_errors(f"give up the plan '{instant}' of '{self._path}'"):
            if beat is None or beat.process == self._hudi.process():
                self._hudi.give_up(instant)

    def last_look(self, instant: str, settings: Mapping[str, str]) -> str:
        """Looks at a committed clustering, in place of its executor, for what it hides.

        Returns:
            Why it was rolled back; ``""`` if it hides nothing.

        Raises:
            ConflictError: when nobody can tell yet, as a write is under way.
            HiddenRowsError: when it cannot be rolled back.
        """
        with (
            held_interrupts(
                f"The clustering {instant} was looked at, and rolled back if it hid rows of others"
            ),
            jvm_errors(f"look at the clustering '{instant}' of '{self._path}'"),
        ):
            config = self._settings.of_change(self._snapshot(), settings)
            return self._hudi.last_look(instant, config)

    def remove_leftovers(self, instants: Sequence[str], settings: Mapping[str, str]) -> None:
        """Removes heartbeats, markers and files that instants have that are no more pending.

        And what the metadata table has of them, under the table's lock.
        """
        for instant in instants:
            with jvm_errors(f"remove what dead executors have left in '{self._path}'"):
                config = self._settings.of_change(self._snapshot(), settings)
                self._hudi.remove_leftovers(instant, config)


def _refuse_executing(snapshot: TableSnapshot, instant: str, *, force: bool) -> None:
    if not force:
        refuse_executing(snapshot, instant, "cancel", "give '--force' or force=True to 'cancel'")
