"""A clustering that dies, or whose storage fails, at any one call: no row is lost, all goes on.

``CRASH`` is one schedule, as a failure prints it; ``SEED`` (0) is what schedules are drawn by, and
``COUNT`` how many of each table.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator

import pytest
from pyspark.sql import SparkSession

from crashes import COMMIT, COMMIT_OF_METADATA, DEATHS, PLAN, Crashes, Schedule
from hudi_tables import session_settings
from storage_calls import faulty_storage
from trial_table import KINDS, ROWS

SEED = int(os.environ.get("SEED", "0"))
COUNT = os.environ.get("COUNT")
CRASH = os.environ.get("CRASH")
REMOTE_TIMEOUT = "hoodie.filesystem.view.remote.timeout.secs"


@pytest.fixture(scope="module")
def crashes(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Crashes]]:
    made: dict[str, Crashes] = {}

    def of(kind: str) -> Crashes:
        if kind not in made:
            made[kind] = Crashes(spark, kind, tmp_path_factory.mktemp(kind))
        return made[kind]

    # Where Hudi's server fails to write a marker, who asks for it waits as long: HUDI_FAULTS.md.
    with faulty_storage(spark), session_settings(spark, {REMOTE_TIMEOUT: "15"}):
        yield of


def run_all(crashes: Crashes, schedules: list[Schedule]) -> None:
    """Runs all, whichever fail, and tells of each that does how to run it again."""
    failed = []
    started = time.monotonic()
    for schedule in schedules:
        try:
            crashes.run(schedule)
        except Exception as fault:
            failed.append(f"make crash CRASH='{schedule}'\n    {_first_lines(fault)}")
            print(f"\n{failed[-1]}", flush=True)
    seconds = time.monotonic() - started
    print(f"\n{len(schedules)} schedules in {seconds:.0f} s, {len(failed)} failed")
    assert not failed, "\n".join(failed)


def _first_lines(fault: Exception) -> str:
    return "\n    ".join(f"{type(fault).__name__}: {fault}".splitlines()[:4])


@pytest.mark.slow
def test_a_death_at_any_call(crashes: Callable[[str], Crashes]) -> None:
    """What fails in a process that lives is the first of those that once failed."""
    found = crashes("copy-on-write")
    deaths = [schedule for schedule in found.schedules() if schedule.fault in DEATHS]
    run_all(found, random.Random(SEED).sample(deaths, 1))


@pytest.mark.slow
def test_the_journal_of_a_dead_process_is_all_that_it_has_left(
    crashes: Callable[[str], Crashes],
) -> None:
    found = crashes("copy-on-write")
    changes = [call.name for call in found.journal if call.changes]
    died, replayed = found.files_of_the_dead(random.Random(SEED).choice(changes))
    assert died == replayed


_MARKERS_OF_METADATA = ".hoodie/metadata/.hoodie/.temp/{time}"
_COMMIT_REQUESTED_OF_METADATA = ".hoodie/metadata/.hoodie/timeline/{time}.deltacommit.requested 1"
# What has failed once, for a fault of ours or of Hudi's, each by its schedule.
FOUND = [
    f"copy-on-write / FAILS / write {COMMIT} / again",
    f"copy-on-write / DISK_IS_FULL / write {COMMIT} / again",
    f"copy-on-write / DISK_IS_FULL / write {PLAN} / again",
    f"copy-on-write / FAILS / write {PLAN} / again",
    f"copy-on-write / SAYS_THAT_IT_FAILS / write {PLAN} / again",
    "copy-on-write / FAILS / delete .hoodie/lock 1 / again",
    "copy-on-write / FAILS / list .hoodie/timeline 11 / again",
    "copy-on-write / amid / write .hoodie/.temp/{time}/MARKERS.type 1 / writer",
    "copy-on-write / after / create .hoodie/lock.{id} 1 / again",
    "copy-on-write / SAYS_THAT_IT_FAILS / rename .hoodie/lock.{id} 1 / again",
    f"copy-on-write / SAYS_THAT_IT_FAILS / delete {_MARKERS_OF_METADATA}/column_stats 1 / again",
    f"copy-on-write / FAILS / delete {_MARKERS_OF_METADATA} 1 / again",
    "copy-on-write / after / create .hoodie/.heartbeat/{time}.{id} 1 / cleaner",
    f"copy-on-write / DISK_IS_FULL / write {COMMIT_OF_METADATA} / again",
    "copy-on-write / FAILS_ALWAYS / list .hoodie/metadata/.hoodie/timeline 9 / again",
    f"merge-on-read / SAYS_THAT_IT_FAILS / create {_COMMIT_REQUESTED_OF_METADATA} / again",
    "merge-on-read / FAILS / delete .hoodie/.heartbeat/{time} 1 / again",
    "merge-on-read / FAILS_ALWAYS / delete .hoodie/lock 2 / again",
]


@pytest.mark.slow
@pytest.mark.parametrize("text", FOUND)
def test_what_once_failed_does_not(crashes: Callable[[str], Crashes], text: str) -> None:
    schedule = Schedule.parse(text)
    crashes(schedule.table).run(schedule)


@pytest.mark.slow
def test_hudi_shows_every_row_twice_by_a_commit_that_it_could_not_write(
    crashes: Callable[[str], Crashes],
) -> None:
    """The reproduction of what HUDI_FAULTS.md says, by Hudi's own strategy."""
    found = crashes("copy-on-write")
    assert found.rows_after_hudis_own(f"write {COMMIT}", "FAILS") == 2 * ROWS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "count"), [("copy-on-write", 50), ("merge-on-read", 30), ("record-index", 20)]
)
def test_a_hundred_faults(crashes: Callable[[str], Crashes], kind: str, count: int) -> None:
    found = crashes(kind)
    run_all(found, random.Random(SEED).sample(found.schedules(), int(COUNT or count)))


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_every_fault(crashes: Callable[[str], Crashes], kind: str) -> None:
    found = crashes(kind)
    schedules = found.schedules()
    print(f"\n{kind}: {len(found.journal)} calls, {len(schedules)} schedules")
    random.Random(SEED).shuffle(schedules)
    run_all(found, schedules)


@pytest.mark.soak
@pytest.mark.skipif(CRASH is None, reason="no schedule is given")
def test_the_schedule_that_is_given(crashes: Callable[[str], Crashes]) -> None:
    schedule = Schedule.parse(CRASH or "")
    crashes(schedule.table).run(schedule)
