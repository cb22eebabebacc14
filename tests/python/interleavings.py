"""A clustering and somebody beside it, each stopped at a call to storage until the other has acted.

The file system of ``tests/java/io/hudizorder/crash`` stops the clustering at a call; then the other
begins, and ends, or stops at a call of its own until the clustering has ended. Whoever waits for
what the other holds, as for a lock, ends the stop. So every order of two actors is forced in which
each is interrupted once; writers alone change rows, and what each was told is what has to be there.
"""

from __future__ import annotations

import random
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from pyspark.sql import SparkSession

import hudi_zorder as hz
from beside import OPERATIONS, SETTINGS, UNAWARE, Rows, Trial, locks_of
from clusterings import CLUSTERINGS, cancel_what_waits, require_ended, require_given_way
from hudi_zorder.options import LOCK_PROVIDER, LOCKING
from storage_calls import StorageCalls, faulty_storage
from trial_table import TrialTable, age_heartbeats, apart

END = "its end"
CLUSTERING_DONE = "clustering: done;"
# After so long somebody who is not done is taken for one who waits for the one who stopped.
WAITS = 4.0
_TRANSITION = re.compile(r"timeline/|\.hoodie/\{time\}|/lock")
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

    def run(self, interleaving: Interleaving) -> str:
        """Fails unless every row is as its last writer was told; returns what became of both."""
        path = self.table.copy()
        operation = OPERATIONS[interleaving.operation]
        settings = SETTINGS[interleaving.settings]
        try:
            clustering, beside = self._both(path, interleaving)
            allowed = [operation.after(self.table)]
            if beside is not None or operation.is_in_vain(path):
                allowed.append(self.table.states[-1])
            clustered = hz.ZOrderTable(self.table.spark, path)
            # A clustering waits for no writer longer than it was told to, and leaves the look at
            # what it hides then to whoever is next; of one that has failed it hides nothing.
            looks = beside is None and clustered.repair(dry_run=True).last_looks
            if operation.breaks_clustering or looks:
                clustered.repair(hudi_options=locks_of(settings))
            found = self._rows(path)
            outcome = f"clustering: {_told(clustering)}; {interleaving.operation}: {_told(beside)}"
            lost = apart(found, allowed[0])
            assert found in allowed, f"rows are not as was told, {lost}; {outcome}"
            if clustering is not None:
                alone = self.table.is_old and interleaving.settings == UNAWARE
                may_end = operation.ends_clustering or alone
                require = require_ended if may_end else require_given_way
                require(clustering)
            if clustering is not None and interleaving.clustering != "cluster":
                cancel_what_waits(self.table, path)
            if clustering is not None and operation.ends_clustering:
                # Hudi tells nobody of what ends it just before the commit: its heart beats on.
                age_heartbeats(path)
            if beside is not None:
                self._tidy(path, settings, found)
            if beside is not None and operation.breaks_clustering:
                # Hudi leaves markers of an execution whose plan is gone by the time it begins.
                shutil.rmtree(path / ".hoodie/.temp", ignore_errors=True)
            self.table.cluster(path)
            assert self._rows(path) == found, f"the next clustering changed rows; {outcome}"
            try:
                self.table.check_rest(path)
            except AssertionError as fault:
                raise AssertionError(f"{fault}; {outcome}") from fault
        finally:
            shutil.rmtree(path)
        return outcome

    def _both(
        self, path: Path, interleaving: Interleaving
    ) -> tuple[BaseException | None, BaseException | None]:
        """Runs both; returns what they failed by."""
        operation, settings = OPERATIONS[interleaving.operation], SETTINGS[interleaving.settings]
        self._stopped.clear()
        self._resumed.clear()
        self._calls.watch(path, interleaving.call, "STOPS")
        does = CLUSTERINGS[interleaving.clustering]
        with ThreadPoolExecutor(2) as pool:
            clustering = pool.submit(does, self.table, path, locks_of(settings))
            self._await(lambda: clustering.done() or self._calls.stops() > 0)
            assert self._calls.stops(), f"no call has the name '{interleaving.call}'"
            self._calls.stop_next(None if interleaving.until == END else interleaving.until)
            beside = pool.submit(operation.does, Trial(self.table, path, settings, self._halt))
            self._await(
                lambda: beside.done() or self._calls.stops() > 1 or self._stopped.is_set(), WAITS
            )
            self._calls.resume(1)
            self._await(clustering.done, WAITS)
            self._calls.resume(2)
            self._resumed.set()
            failed = clustering.exception(), beside.exception()
        self._calls.end()
        return failed

    def _halt(self) -> None:
        """Stops an operation that does so by itself."""
        self._stopped.set()
        self._resumed.wait()

    def _await(self, holds: Callable[[], bool], seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not holds() and time.monotonic() < end:
            time.sleep(0.01)

    def _tidy(self, path: Path, settings: Mapping[str, str], rows: Rows) -> None:
        """A writer and a cleaner roll back what somebody has left who was refused."""
        age_heartbeats(path)
        row, a = next(iter(rows.items()))
        try:
            self.table.write(path, [row], str(a), settings=settings)
        except Exception as fault:
            # A rollback that Hudi planned and does not allow stops who is alone: HUDI_FAULTS.md.
            if "rollback greater commits first" not in str(fault):
                raise
            self.table.write(path, [row], str(a), settings=LOCKING)
        with self.table.client(path, settings) as client:
            client.clean()

    def _rows(self, path: Path) -> Rows:
        found = self.table.rows(path)
        rows = {row[2]: row[3] for row in found}
        assert found.total() == len(rows), "an id is there twice"
        return rows

    def _journal(self, act: Callable[[Path], object]) -> list[str]:
        path = self.table.copy()
        self._calls.watch(path)
        try:
            act(path)
        finally:
            self._calls.end()
            shutil.rmtree(path)
        return [call.name for call in self._calls.journal()]

    def _calls_of(self, clustering: str, settings: str) -> list[str]:
        """Those of a clustering that is alone, by the lock that it takes."""
        key = clustering, SETTINGS[settings].get(LOCK_PROVIDER, LOCKING[LOCK_PROVIDER])
        if key not in self._calls_of_clusterings:
            does, locks = CLUSTERINGS[clustering], locks_of(SETTINGS[settings])
            self._calls_of_clusterings[key] = [
                call
                for call in self._journal(lambda path: does(self.table, path, locks))
                # Into which of its files Hudi writes a marker depends on the moment.
                if "/MARKERS" not in call
            ]
        return self._calls_of_clusterings[key]

    def _transitions_of(self, operation: str, settings: str) -> list[str]:
        """The calls of an operation, alone, that change a timeline or take and release a lock."""
        key = operation, settings
        if key not in self._transitions:
            does = OPERATIONS[operation].does
            calls = self._journal(
                lambda path: does(Trial(self.table, path, SETTINGS[settings], lambda: None))
            )
            self._transitions[key] = [
                call for call in calls if not call.startswith("list ") and _TRANSITION.search(call)
            ]
        return self._transitions[key]


def _told(failed: BaseException | None) -> str:
    """Why somebody failed, in a line: what is innermost says most."""
    if failed is None:
        return "done"
    lines = str(failed).splitlines() or [type(failed).__name__]
    causes = [line for line in lines if line.startswith("Caused by: ")]
    named = " ".join(line for line in lines[:2] if not line.startswith("\tat "))
    told = f"{type(failed).__name__}: {named} {causes[-1] if causes else ''}"
    return " ".join(told.split())[:400]
