"""A clustering and somebody beside it, in every order: what each was told is what the table has.

``INTERLEAVING`` is one, as a failure prints it; ``SEED`` (0) is what they are drawn by, ``COUNT``
how many, and ``BESIDE`` the one operation of which they are.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from beside import OPERATIONS, SETTINGS, UNAWARE, Trial
from clusterings import with_inflight_plan
from hudi_zorder.options import EXECUTION_CLASS, EXECUTION_STRATEGY, LOCKING
from interleavings import Interleaving, Interleavings, Outcome, stopping_storage
from storage_calls import StorageCalls
from trial_table import LAYOUT

SEED = int(os.environ.get("SEED", "0"))
COUNT = os.environ.get("COUNT")
BESIDE = os.environ.get("BESIDE")
GIVEN = os.environ.get("INTERLEAVING")
# Were every clustering refused, all rows would be as their writers were told.
LEAST_SHARE_DONE = 1 / 3
OURS = {EXECUTION_CLASS: EXECUTION_STRATEGY}
STRATEGY = "hoodie.write.lock.conflict.resolution.strategy"
# What is left are orders that cannot be, such as where the other makes the call at which it is to
# stop only beside somebody.
MOST_IN_ANOTHER_ORDER = 1 / 2


@pytest.fixture(scope="module")
def interleavings(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Interleavings]]:
    with stopping_storage(spark):
        yield cache(lambda kind: Interleavings(spark, kind, tmp_path_factory.mktemp(kind)))


def run_drawn(interleavings: Interleavings, count: int) -> None:
    """Runs so many, whichever fail, and tells of each that does how to run it again."""
    by = random.Random(SEED)
    outcomes: list[Outcome] = []
    failed = []
    started = time.monotonic()
    for _ in range(count):
        drawn = interleavings.draw(by, BESIDE)
        try:
            outcomes.append(interleavings.run(drawn))
            print(f"\n{drawn}\n    {outcomes[-1]}", flush=True)
        except Exception as fault:
            told = "\n    ".join(f"{type(fault).__name__}: {fault}".splitlines()[:4])
            failed.append(f"make interleaving INTERLEAVING='{drawn}'\n    {told}")
            print(f"\n{failed[-1]}", flush=True)
    seconds = time.monotonic() - started
    done = sum(outcome.clustering is None for outcome in outcomes)
    waited = sum(bool(outcome.waited) for outcome in outcomes)
    otherwise = sum(bool(outcome.otherwise) for outcome in outcomes)
    print(
        f"\n{count} in {seconds:.0f} s: {done} clusterings done, {len(failed)} failed; in"
        f" {waited} one waited for the lock, {otherwise} were in another order than was drawn"
    )
    assert not failed, "\n".join(failed)
    assert done >= count * LEAST_SHARE_DONE, f"of {count} clusterings, {done} were done"
    assert otherwise <= count * MOST_IN_ANOTHER_ORDER, f"of {count} orders, {otherwise} were others"


METADATA = ".hoodie/metadata/.hoodie/timeline"
ONCE_FAILED = [
    # The rows of a write that was rolled back were there again.
    "copy-on-write / cluster / list .hoodie/timeline 15 / rollback / unaware / its end",
    # The same, with the rollback half done when the clustering was taken back.
    f"merge-on-read / cluster / rename {METADATA}/{{time}}.deltacommit.inflight.{{id}} 1 / rollback"
    " / unaware / delete .hoodie/timeline/{time}.deltacommit.requested 1",
    # The markers of a clustering that was taken back stayed for ever.
    "copy-on-write / cluster / list .hoodie/metadata/partition_stats 1 / insert overwrite table"
    " / unaware / its end",
    # A file stayed that the clustering opened while somebody took its plan away.
    "copy-on-write / cluster / create p1/{id}-0_{task}_{time}.parquet 1 / cancel / unaware"
    " / its end",
]


ONCE_BROKE = [
    # The timeline shows one of the two commits of a plan; the other was never taken back.
    "copy-on-write / schedule, execute / list .hoodie/metadata/.hoodie/timeline 7"
    " / execution of Hudi's / unaware / its end",
    "copy-on-write / CALL / list .hoodie/metadata/.hoodie/.temp/{time} 2 / execution of Hudi's"
    " / unaware / its end",
    # That its plan was gone was told as "No value present in Option".
    "copy-on-write / schedule, execute / list .hoodie/timeline 10 / cancel / unaware / its end",
]


def run(interleavings: Callable[[str], Interleavings], text: str) -> Outcome:
    """Returns what became of both, who have acted in the order that the text has."""
    given = Interleaving.parse(text)
    outcome = interleavings(given.kind).run(given)
    assert outcome.as_asked, outcome
    return outcome


@pytest.mark.slow
@pytest.mark.parametrize("text", ONCE_BROKE)
def test_what_once_broke_a_table_does_not(
    interleavings: Callable[[str], Interleavings], text: str
) -> None:
    """Nor is it done: the clustering gives way to whoever executes or cancels its plan too."""
    outcome = run(interleavings, text)
    assert outcome.clustering is not None, outcome


@pytest.mark.slow
@pytest.mark.parametrize("text", ONCE_FAILED)
def test_what_once_failed_does_not(
    interleavings: Callable[[str], Interleavings], text: str
) -> None:
    outcome = run(interleavings, text)
    assert outcome.clustering is None, outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "waits"),
    [
        (
            "copy-on-write / cluster / unlock .hoodie/lock 2 / upsert / locked, patient / its end",
            "upsert",
        ),
        (
            "copy-on-write / cluster / lock .hoodie/lock 2 / upsert / locked, patient"
            " / unlock .hoodie/lock 1",
            "clustering",
        ),
    ],
)
def test_who_waits_for_the_lock_gets_it(
    interleavings: Callable[[str], Interleavings], text: str, waits: str
) -> None:
    given = Interleaving.parse(text)
    outcome = interleavings(given.kind).run(given)
    assert outcome.waited == waits, outcome
    assert outcome.beside is None, outcome


@pytest.mark.slow
def test_what_is_committed_before_who_cancels_it_has_the_lock_stays(
    spark: SparkSession, interleavings: Callable[[str], Interleavings]
) -> None:
    """Who has looked before; Hudi's own way would delete its files and its plan all the same."""
    table = interleavings("copy-on-write").table
    path = table.copy()
    clustering, instant = with_inflight_plan(table, path)
    calls = StorageCalls(spark)
    calls.watch(path, "create .hoodie/lock.{id} 2", "STOPS")
    with ThreadPoolExecutor(1) as pool:
        cancelling = pool.submit(clustering.cancel, instant, force=True)
        while not calls.stops():
            assert not cancelling.done()
            time.sleep(0.01)
        assert clustering.execute(instant, hudi_options=SETTINGS["locked in the process"])
        calls.resume(1)
    calls.end()

    with pytest.raises(hz.ClusteringError, match="it was committed just before"):
        cancelling.result()
    assert table.rows(path) == table.before
    assert not clustering.repair()
    assert [done.instant for done in clustering.history()] == [instant]
    table.check_rest(path)


@pytest.mark.slow
def test_who_cancels_keeps_the_lock_until_all_is_rolled_back(
    spark: SparkSession, interleavings: Callable[[str], Interleavings]
) -> None:
    """Who executes the plan and waits for the lock to commit finds no plan, and not half of it."""
    table = interleavings("copy-on-write").table
    path = table.copy()
    clustering, instant = with_inflight_plan(table, path)
    calls = StorageCalls(spark)
    calls.watch(path)
    clustering.cancel(instant)
    calls.end()
    names = [call.name for call in calls.journal()]
    locked = names[names.index("rename .hoodie/lock.{id} 2") : names.index("delete .hoodie/lock 2")]
    deleted = [name for name in names if name.startswith("delete ") and "/lock " not in name]
    assert "delete .hoodie/timeline/{time}.clustering.requested 1" in deleted
    assert set(deleted) <= set(locked)


# By either Hudi comes to the commit, the second without a lock.
LOCK, BEGINS = "create .hoodie/lock.{id} 1", f"create {METADATA}/{{time}}.deltacommit.requested 1"
HUDIS_OWN = "org.apache.hudi.client.transaction.PreferWriterConflictResolutionStrategy"
BATCHES = {"hoodie.metadata.streaming.write.enabled": "false"}
CANCELS, EXECUTES = "cancel", "execution of Hudi's"
GONE = "Cannot commit .* has taken it off the timeline. Nothing was changed"
NOTICED_BY_HUDI = "clustering.inflight does not exist"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "call", "beside", "told"),
    [
        (LOCKING, LOCK, CANCELS, GONE),
        (LOCKING, LOCK, EXECUTES, "Cannot commit .* has begun to execute it too"),
        ({**LOCKING, STRATEGY: HUDIS_OWN}, LOCK, CANCELS, NOTICED_BY_HUDI),
        (SETTINGS[UNAWARE], BEGINS, CANCELS, NOTICED_BY_HUDI),
    ],
    ids=["cancelled", "executed", "Hudi's strategy", "without a lock"],
)
def test_who_commits_when_others_have_taken_the_plan_away_leaves_nothing(
    spark: SparkSession,
    interleavings: Callable[[str], Interleavings],
    settings: Mapping[str, str],
    call: str,
    beside: str,
    told: str,
) -> None:
    """They come between the last look before the commit and the commit, as one waits for a lock."""
    table = interleavings("copy-on-write").table
    path = table.copy()
    clustering = hz.ZOrderTable(spark, path)
    instant = clustering.schedule(**LAYOUT) or ""
    calls = StorageCalls(spark)
    calls.watch(path, call, "STOPS")
    with ThreadPoolExecutor(1) as pool:
        executing = pool.submit(clustering.execute, instant, hudi_options={**settings, **BATCHES})
        while not calls.stops():
            assert not executing.done()
            time.sleep(0.01)
        # The one that is stopped keeps others of this process from its own lock.
        locks = SETTINGS["locked in the process"] if call == LOCK else settings
        if beside == CANCELS:
            clustering.cancel(instant, force=True, hudi_options=locks)
        else:
            with pytest.raises(Exception, match="another process executes it"):
                OPERATIONS[beside].does(Trial(table, path, {**locks, **OURS}, lambda: None))
        calls.resume(1)
    calls.end()

    with pytest.raises(hz.ClusteringError, match=told):
        executing.result()
    table.check_rest(path)
    assert table.rows(path) == table.before


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "count"), [("copy-on-write", 12), ("merge-on-read", 12)])
def test_a_few_interleavings(
    interleavings: Callable[[str], Interleavings], kind: str, count: int
) -> None:
    run_drawn(interleavings(kind), int(COUNT or count))


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("copy-on-write", 3000),
        ("merge-on-read", 3000),
        ("record-index", 1500),
        ("merge-on-read-record-index", 1500),
        ("version-6", 500),
        ("version-6-merge-on-read", 500),
    ],
)
def test_ten_thousand_interleavings(
    interleavings: Callable[[str], Interleavings], kind: str, count: int
) -> None:
    run_drawn(interleavings(kind), int(COUNT or count))


@pytest.mark.soak
@pytest.mark.skipif(GIVEN is None, reason="no interleaving is given")
def test_the_interleaving_that_is_given(interleavings: Callable[[str], Interleavings]) -> None:
    given = Interleaving.parse(GIVEN or "")
    print(interleavings(given.kind).run(given))
