"""What a clustering leaves behind when it dies, or its storage fails, at any one call to storage.

A clustering is recorded once, by the file system of ``tests/java/io/hudizorder/crash``: every call
that changes or lists something in the table's folder, with what it writes. A dead process touches
storage no more, so that the table after its death is the table before with the journal's first
calls done again. A call that fails in a process that lives is had to fail in a clustering anew.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder.options import LOCKING
from jvm_threads import threads
from storage_calls import StorageCalls
from trial_table import ROWS, UPDATED, TrialTable, age_heartbeats, unfinished

# When a process dies: once a call is done, or with half of what it writes written.
DEATHS = ("after", "amid")
# What a call does in a process that lives, by the names of Java's StorageCalls.Fault.
FAILURES = ("FAILS", "SAYS_THAT_IT_FAILS", "FAILS_ALWAYS", "DISK_IS_FULL", "SLOW")


PLAN = ".hoodie/timeline/{time}.clustering.requested.{id} 1"
COMMIT = ".hoodie/timeline/{time}_{time}.replacecommit.{id} 1"
COMMIT_OF_METADATA = ".hoodie/metadata/.hoodie/timeline/{time}_{time}.deltacommit.{id} 1"
# Half of what Hudi then leaves at its name stops every reader until it is repaired: HUDI_FAULTS.md.
STOPS_READERS = {("DISK_IS_FULL", f"write {PLAN}"), ("DISK_IS_FULL", f"write {COMMIT}")}


@dataclass(frozen=True, slots=True)
class Schedule:
    """A fault at a call, and how the table is used next; ``make crash`` takes its text."""

    table: str
    fault: str
    call: str
    restart: str

    def __str__(self) -> str:
        return " / ".join((self.table, self.fault, self.call, self.restart))

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Returns that of a text."""
        return cls(*text.split(" / "))


class Crashes:
    """The faults of one clustering of one table.

    Args:
        spark: a session with ``faulty_storage``.
        kind: one of ``trial_table.KINDS``.
        folder: for the table and its copies.
    """

    def __init__(self, spark: SparkSession, kind: str, folder: Path) -> None:
        self._spark = spark
        self._calls = StorageCalls(spark)
        self._of = TrialTable(spark, kind, folder)
        copy = self._of.copy()
        self._calls.watch(copy)
        assert self._of.cluster(copy)
        self._calls.end()
        self.journal = self._calls.journal()

    def schedules(self) -> list[Schedule]:
        """All there are, in the order of the calls."""
        return [
            Schedule(self._of.kind, fault, call.name, restart)
            for call in self.journal
            for fault in (*DEATHS, *FAILURES)
            if call.changes or fault not in (*DEATHS, "SAYS_THAT_IT_FAILS")
            if call.operation == "write" or fault not in ("amid", "DISK_IS_FULL")
            for restart in (RESTARTS if fault in DEATHS else ("again",))
        ]

    def run(self, schedule: Schedule) -> None:
        """Fails unless the table is whole after the fault, and can be used on."""
        table = self._left_by(schedule)
        try:
            if (schedule.fault, schedule.call) in STOPS_READERS:
                with pytest.raises(Py4JJavaError, match=r"pending clustering|CommitMetadata"):
                    self._of.rows(table)
            else:
                assert self._of.rows(table) == self._of.before, "the fault changed rows"
            written = RESTARTS[schedule.restart](self, table)
            self._check(table, written)
            assert self._of.cluster(table, mode="full"), "the next clustering did nothing"
            self._check(table, written)
            self._check_writer(table)
        finally:
            shutil.rmtree(table)

    def _left_by(self, schedule: Schedule) -> Path:
        table = self._of.copy()
        if schedule.fault in DEATHS:
            calls = [call.name for call in self.journal].index(schedule.call)
            for call in self.journal[:calls]:
                call.do_again(table)
            self.journal[calls].do_again(table, 0.5 if schedule.fault == "amid" else 1.0)
            self._bury(table)
            return table
        # Of who has died amid a commit they beat for a while: elsewhere it is a process of its own.
        others = self._hearts()
        self._calls.watch(table, schedule.call, schedule.fault)
        try:
            with suppress(hz.HudiZOrderError):  # whose text tells what became of the plan
                self._of.cluster(table)
        finally:
            met = self._calls.end()
        # Into which of its files, and how many at once, Hudi writes markers depends on the moment,
        # and so does how many tasks find no folder for those of the metadata table, and how often
        # those who read that table at once look at its timeline.
        by_chance = (
            "/MARKERS",
            "mkdirs .hoodie/metadata/.hoodie/.temp/",
            "list .hoodie/metadata/.hoodie/timeline",
        )
        known = met or any(part in schedule.call for part in by_chance)
        assert known, f"no call has the name '{schedule.call}'"
        self._require_still(others)
        if schedule.fault in ("FAILS_ALWAYS", "DISK_IS_FULL"):
            self._bury(table)  # nobody goes on with such a process
        return table

    def _require_still(self, others: set[str]) -> None:
        """Fails if a heart beats but those; a thread that was stopped ends a little later."""
        for _ in range(20):
            if self._hearts() <= others:
                return
            time.sleep(0.1)
        raise AssertionError("a heart beats")

    def _hearts(self) -> set[str]:
        return {str(thread.getName()) for thread, _ in threads(self._spark, "heartbeat of ")}

    def rows_after_hudis_own(self, call: str, fault: str) -> int:
        """How many rows Hudi shows when its own clustering meets a fault, and nobody repairs it."""
        table = self._of.copy()
        self._calls.watch(table, call, fault)
        with pytest.raises(Py4JJavaError, match="Storage failed"):
            self._spark.sql(f"CALL run_clustering(path => '{table}', order => 'a')").collect()
        assert self._calls.end()
        return int(self._spark.read.format("hudi").load(str(table)).count())

    def files_of_the_dead(self, call: str) -> tuple[dict[str, int], dict[str, int]]:
        """What a process left that died at a call, and what the journal says that it left."""
        died = self._of.copy()
        self._calls.watch(died, call, "DIES")
        with suppress(hz.HudiZOrderError):
            self._of.cluster(died)
        assert self._calls.end()
        replayed = self._of.copy()
        for done in self._calls.journal():
            done.do_again(replayed)
        return _files(died), _files(replayed)

    def _bury(self, table: Path) -> None:
        """Has the name by which this process signed be that of one that has ended, long ago.

        Hudi rolls back what a writer of its metadata table began once its heartbeat is old.
        """
        living = str(self._spark._jvm.io.hudizorder.concurrency.ProcessIdentity.ofThis()).encode()
        names, started = living.rsplit(b" ", 1)
        dead = names + b" " + b"1" * len(started)
        for file in table.rglob(".hoodie/**/*"):
            if file.is_file() and living in (content := file.read_bytes()):
                file.write_bytes(content.replace(living, dead))
        age_heartbeats(table)

    def again(self, table: Path) -> bool:
        """The same command."""
        self._of.cluster(table)
        return False

    def writer(self, table: Path) -> bool:
        """An update of each file; Hudi refuses it while a clustering is pending."""
        try:
            self._of.write(table, UPDATED, "-1")
        except Exception as fault:
            if "pending clustering" not in str(fault):
                raise
            assert hz.ZOrderTable(self._spark, table).repair(), "refused for nothing"
            self._of.write(table, UPDATED, "-1")
        self._of.cluster(table)
        return True

    def locked_writer(self, table: Path) -> bool:
        """An update of each file under the lock that a clustering takes."""
        self._of.write(table, UPDATED, "-1", settings=LOCKING)
        self._of.cluster(table)
        return True

    def repair(self, table: Path) -> bool:
        """What is to be repaired is, and nothing remains."""
        clustering = hz.ZOrderTable(self._spark, table)
        clustering.repair()
        assert str(clustering.repair()) == "Nothing to repair."
        assert clustering.pending() == []
        self._of.cluster(table)
        return False

    def cleaner(self, table: Path) -> bool:
        """Hudi's cleaner, which rolls back what failed."""
        settings = {"hoodie.clean.commits.retained": "1"}
        with hz.ZOrderTable(self._spark, table)._service._hudi._client(settings) as client:
            client.clean()
        self._of.cluster(table)
        return False

    def _check(self, path: Path, written: bool) -> None:
        rows, before = self._of.rows(path), self._of.before
        if written:
            changed = {i for _, _, i, a, *_ in rows if a == -1}
            assert changed == set(UPDATED), "what the writer wrote is not there"
            own = Counter(row[2:] for row in rows.elements() if row[2] not in changed)
            assert own == Counter(row[2:] for row in before.elements() if row[2] not in changed)
            assert rows.total() == ROWS
        else:
            assert rows == before, "rows are not those before"
        self._of.check_rest(path)

    def _check_writer(self, path: Path) -> None:
        """A write rolls back what a dead process began in the metadata table; no clustering does.

        Hudi does so where it looks whether that table needs services, which its clusterings do not.
        """
        timeline = path / ".hoodie/metadata/.hoodie/timeline"
        if unfinished(timeline):
            self._of.write(path, UPDATED, "-1")
            left = unfinished(timeline)
            assert left == [], f"the metadata table's timeline holds {left}"


RESTARTS: Mapping[str, Callable[[Crashes, Path], bool]] = {
    "again": Crashes.again,
    "writer": Crashes.writer,
    "locked-writer": Crashes.locked_writer,
    "repair": Crashes.repair,
    "cleaner": Crashes.cleaner,
}


def _files(table: Path) -> dict[str, int]:
    """Every file and folder of a table, with the sizes of files."""
    found = {}
    for place, _, names in os.walk(table):
        found[os.path.relpath(place, table)] = -1
        for name in names:
            file = Path(place, name)
            found[str(file.relative_to(table))] = file.stat().st_size
    return {path: size for path, size in found.items() if not path.endswith("lock.guard")}
