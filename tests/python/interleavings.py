"""A clustering and somebody beside it, each stopped at a call to storage until the other has acted.

The file system of ``tests/java/io/hudizorder/crash`` stops the clustering at a call; then the other
begins, and ends, or stops at a call of its own until the clustering has ended. So every order of
two actors is forced in which each is interrupted once. Whoever waits for what the other holds, as
for a lock, ends the stop: then the order is another, and the outcome says so. Writers alone change
rows, and what each was told is what has to be there.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from pyspark.sql import SparkSession

import hudi_zorder as hz
from beside import OPERATIONS, SETTINGS, UNAWARE, Trial, locks_of, require_refused
from clusterings import (
    CLUSTERINGS,
    cancel_what_waits,
    is_patient,
    require_ended,
    require_given_way,
    told_of,
    with_inflight_plan,
)
from hudi_zorder.options import LOCK_PROVIDER, LOCKING
from metadata_listing import apart
from storage_calls import StorageCalls, faulty_storage, watched_locks
from trial_table import Rows, TrialTable, age_heartbeats

END = "its end"
# After so many seconds somebody who is patient is taken for one who waits for who stopped, as all
# are who were refused the lock more often than the others try; those are refused before, or slow.
WAITS, IS_SLOW = 8.0, 20.0
MOST_REFUSALS = 4
_TRANSITION = re.compile(r"timeline/|\.hoodie/\{time\}|lock \.hoodie/lock ")
# Into which of its files Hudi writes a marker depends on the moment; and who was stopped within a
# lock's own calls would stop all who ask for it.
_NO_STOP = re.compile(r"/MARKERS|^(list|create|write|rename|delete) \.hoodie/lock\b")
# Whoever has waited for a lock so long is refused.
SHORT_WAITS = {
    "hoodie.write.lock.client.num_retries": "1",
    "hoodie.write.lock.client.wait_time_ms_between_retry": "100",
    "hoodie.write.lock.num_retries": "3",
    "hoodie.write.lock.wait_time_ms_between_retry": "100",
    "hoodie.write.lock.max_wait_time_ms_between_retry": "100",
    "hoodie.write.lock.wait_time_ms": "1000",
}


@contextmanager
def stopping_storage(spark: SparkSession) -> Iterator[None]:
    """While it lasts, somebody can be stopped at a call, and nobody waits long for a lock."""
    # Whoever is refused is told so; Hudi and Spark log it besides, at length.
    spark.sparkContext.setLogLevel("OFF")
    watched_locks(spark)
    with faulty_storage(spark, SHORT_WAITS):
        yield
    spark.sparkContext.setLogLevel("ERROR")


@dataclass(frozen=True, slots=True)
class Interleaving:
    """Whom a clustering meets, and where either stops; ``make interleaving`` takes its text.

    Attributes:
        kind: one of those of ``trial_table``.
        clustering: one of ``CLUSTERINGS``.
        call: of the clustering, which stops there.
        operation: one of ``OPERATIONS``, which begins then.
        settings: one of ``SETTINGS``, of the operation.
        until: the call at which the operation stops until the clustering has ended, or ``END``.
    """

    kind: str
    clustering: str
    call: str
    operation: str
    settings: str
    until: str

    def __str__(self) -> str:
        return " / ".join(
            (self.kind, self.clustering, self.call, self.operation, self.settings, self.until)
        )

    @classmethod
    def parse(cls, text: str) -> Interleaving:
        """Returns that of a text."""
        return cls(*text.split(" / "))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a clustering and of whoever was beside it.

    Attributes:
        clustering: why it failed, None where it is done.
        beside: the same of the other.
        operation: what the other did.
        waited: who waited for the lock that the other held; "" where nobody did.
        otherwise: why the order was another than was asked for, but for that wait; "" if it was it.
    """

    clustering: BaseException | None
    beside: BaseException | None
    operation: str
    waited: str
    otherwise: str

    @property
    def as_asked(self) -> bool:
        """Whether both acted in the order that was asked for."""
        return not self.waited and not self.otherwise

    def __str__(self) -> str:
        waited = self.waited and f"the {self.waited} waited for the lock"
        order = self.otherwise and f"in another order: {self.otherwise}"
        told = f"clustering: {_told(self.clustering)}; {self.operation}: {_told(self.beside)}"
        return "; ".join(filter(None, (told, waited, order)))


def _told(failed: BaseException | None) -> str:
    return "done" if failed is None else told_of(failed)


class Interleavings:
    """A clustering of one table, and those who use it meanwhile.

    Args:
        spark: a session with ``faulty_storage``.
        kind: one of those of ``trial_table``.
        folder: for the table and its copies.
    """

    def __init__(self, spark: SparkSession, kind: str, folder: Path) -> None:
        self.table = TrialTable(spark, kind, folder)
        self._calls = StorageCalls(spark)
        self._stopped, self._resumed = Event(), Event()
        self._calls_of_clusterings: dict[tuple[str, str], list[str]] = {}
        self._transitions: dict[tuple[str, str], list[str]] = {}

    def draw(self, by: random.Random, beside: str | None = None) -> Interleaving:
        """Draws one of all there are, or of those with one operation beside the clustering."""
        fitting = [name for name, one in OPERATIONS.items() if one.fits(self.table)]
        operation = beside or by.choice(fitting)
        wants_lock = OPERATIONS[operation].wants_lock
        locking = [name for name in SETTINGS if name != UNAWARE]
        settings = by.choice(locking if wants_lock else [UNAWARE, *locking])
        clustering = by.choice(list(CLUSTERINGS))
        call = by.choice(self._calls_of(clustering, settings))
        until = by.choice([END, *self._transitions_of(operation, settings)])
        # As often to its end as not.
        until = by.choice([END, until])
        return Interleaving(self.table.kind, clustering, call, operation, settings, until)

    def run(self, interleaving: Interleaving) -> Outcome:
        """Fails unless every row is as its last writer was told; returns what became of both."""
        path = self.table.copy()
        try:
            outcome = self._both(path, interleaving)
            try:
                self._check(path, interleaving, outcome)
            except AssertionError as fault:
                raise AssertionError(f"{fault}; {outcome}") from fault
        finally:
            shutil.rmtree(path)
        return outcome

    def _check(self, path: Path, interleaving: Interleaving, outcome: Outcome) -> None:
        operation, settings = OPERATIONS[interleaving.operation], SETTINGS[interleaving.settings]
        clustering, beside = outcome.clustering, outcome.beside
        alone = self.table.is_old and interleaving.settings == UNAWARE
        lists_logs = not (alone and operation.hides_logs)
        clustered = hz.ZOrderTable(self.table.spark, path)
        # A clustering waits for no writer longer than it was told to, and leaves the look at
        # what it hides then to whoever is next; of one that has failed it hides nothing.
        looks = beside is None and clustered.repair(dry_run=True).last_looks
        if operation.breaks_clustering or looks:
            clustered.repair(hudi_options=locks_of(settings))
        found = self._rows(path)
        allowed = [operation.after(self.table) if beside is None else self.table.states[-1]]
        if beside is None and operation.is_in_vain(path):
            allowed.append(self.table.states[-1])
        assert found in allowed, f"rows are not as was told, {apart(found, allowed[0])}"
        if clustering is not None:
            may_end = operation.ends_clustering or alone
            require = require_ended if may_end else require_given_way
            require(clustering)
        if beside is not None:
            require_refused(operation, beside)
        left = hz.open_table(path).pending()
        said = "may still be pending" in str(clustering)
        if interleaving.clustering == "cluster" and not said and not operation.leaves_plans:
            assert not left, str(left)
        # Before the next one mends anything.
        self.table.check_indexes(path, lists_logs=lists_logs)

        if clustering is not None and interleaving.clustering != "cluster":
            cancel_what_waits(self.table, path)
        if clustering is not None and operation.ends_clustering:
            # Hudi tells nobody of what ends it just before the commit: its heart beats on.
            age_heartbeats(path)
        if beside is not None:
            found = self._tidy(path, settings, found)
        if beside is not None and operation.breaks_clustering:
            # Hudi leaves markers of an execution whose plan is gone by the time it begins.
            shutil.rmtree(path / ".hoodie/.temp", ignore_errors=True)
        self.table.cluster(path)
        assert self._rows(path) == found, "the next clustering changed rows"
        self.table.check_rest(path, lists_logs=lists_logs)

    def _both(self, path: Path, interleaving: Interleaving) -> Outcome:
        """Runs both."""
        name, settings = interleaving.operation, SETTINGS[interleaving.settings]
        operation, does = OPERATIONS[name], CLUSTERINGS[interleaving.clustering]
        patience = WAITS if operation.is_patient or is_patient(settings) else IS_SLOW
        ends = interleaving.until == END
        waited, otherwise = [], []

        def stops() -> bool:
            """Whether whoever is beside has come to where they stop."""
            return self._calls.stops() > 1 or self._stopped.is_set()

        def turn(who: str, acts: Future[None], comes: Callable[[], bool] = lambda: False) -> None:
            """Waits until somebody has acted."""
            before = self._calls.refusals()

            def waits_for_lock() -> bool:
                return self._calls.refusals() - before > MOST_REFUSALS

            self._await(lambda: acts.done() or comes() or waits_for_lock(), patience)
            if waits_for_lock():
                waited.append(who)
            elif not acts.done() and not comes():
                otherwise.append(f"the {who} waited, or was slow")

        self._stopped.clear()
        self._resumed.clear()
        self._calls.watch(path, interleaving.call, "STOPS")
        with ThreadPoolExecutor(2) as pool:
            clustering = pool.submit(does, self.table, path, locks_of(settings))
            self._await(lambda: clustering.done() or self._calls.stops() > 0)
            no_call = f"no call has the name '{interleaving.call}'"
            assert self._calls.stops(), f"{no_call}; clustering: {_told(clustering.exception())}"
            self._calls.stop_next(None if ends else interleaving.until)
            beside = pool.submit(operation.does, Trial(self.table, path, settings, self._halt))
            turn(name, beside, stops)
            if not ends and beside.done() and beside.exception() is None:
                otherwise.append(f"the {name} made no such call")
            self._calls.resume(1)
            if stops():
                turn("clustering", clustering)
            self._calls.resume(2)
            self._resumed.set()
            failed = clustering.exception(), beside.exception()
        self._calls.end()
        return Outcome(*failed, name, " and the ".join(waited), " and ".join(otherwise))

    def _halt(self) -> None:
        """Stops an operation that does so by itself."""
        self._stopped.set()
        self._resumed.wait()

    def _await(self, holds: Callable[[], bool], seconds: float = 120.0) -> bool:
        end = time.monotonic() + seconds
        while not (held := holds()) and time.monotonic() < end:
            time.sleep(0.01)
        return held

    def _tidy(self, path: Path, settings: Mapping[str, str], rows: Rows) -> Rows:
        """A writer and a cleaner roll back what somebody has left who was refused."""
        age_heartbeats(path)
        row, (_, _, a, *_) = next(iter(rows.items()))
        try:
            self.table.write(path, [row], str(a), settings=settings)
        except Exception as fault:
            # A rollback that Hudi planned and does not allow stops who is alone: HUDI_FAULTS.md.
            if "rollback greater commits first" not in str(fault):
                raise
            self.table.write(path, [row], str(a), settings=LOCKING)
        with self.table.client(path, settings) as client:
            client.clean()
        return {**rows, **self.table.written([row], a)}

    def _rows(self, path: Path) -> Rows:
        return self.table.by_id(self.table.rows(path))

    def _journal(
        self, act: Callable[[Path], object], before: Callable[[Path], object] = lambda path: None
    ) -> list[str]:
        """The calls of somebody who is alone, and may be had to stop at each."""
        path = self.table.copy()
        try:
            before(path)
            self._calls.watch(path)
            act(path)
        finally:
            self._calls.end()
            shutil.rmtree(path)
        return [call.name for call in self._calls.journal() if not _NO_STOP.search(call.name)]

    def _calls_of(self, clustering: str, settings: str) -> list[str]:
        """Those of a clustering that is alone, by the lock that it takes."""
        key = clustering, locks_of(SETTINGS[settings])[LOCK_PROVIDER]
        if key not in self._calls_of_clusterings:
            does, locks = CLUSTERINGS[clustering], locks_of(SETTINGS[settings])
            self._calls_of_clusterings[key] = self._journal(
                lambda path: does(self.table, path, locks)
            )
        return self._calls_of_clusterings[key]

    def _transitions_of(self, operation: str, settings: str) -> list[str]:
        """The calls of an operation, alone, that change a timeline or take and release a lock."""
        key = operation, SETTINGS[settings].get(LOCK_PROVIDER, UNAWARE)
        if key not in self._transitions:
            does = OPERATIONS[operation].does
            plans = OPERATIONS[operation].wants_plan
            calls = self._journal(
                lambda path: does(Trial(self.table, path, SETTINGS[settings], lambda: None)),
                lambda path: plans and with_inflight_plan(self.table, path),
            )
            self._transitions[key] = [
                call for call in calls if not call.startswith("list ") and _TRANSITION.search(call)
            ]
        return self._transitions[key]
