"""Beside a clustering every writer ends as it would alone: it is not refused, nor rolled back.

Each write is stopped at a call to storage, with a plan that it has not seen made and executed in
the meantime; it goes on when the clustering has given way, or waits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from beside import OPERATIONS, SETTINGS, Trial, locks_of
from clusterings import CLUSTERINGS, require_given_way
from conftest import quick_first
from interleavings import stopping_storage
from storage_calls import StorageCalls
from trial_table import TrialTable

# The writer's last call before it tells others something, by its operation and the kind of table.
INFLIGHT = ".hoodie/timeline/{time}.%sinflight.{id} 1"
BEGUN = ".hoodie/metadata/.hoodie/timeline/{time}.deltacommit.inflight.{id} 1"
COMMITTED = ".hoodie/timeline/{time}_{time}.%s.{id} 1"
MOMENTS = {
    "has chosen": "rename " + INFLIGHT,
    "writes": "create p0/%s{id}-0_%s 1",
    "writes metadata": "rename " + BEGUN,
    "commits": "rename " + COMMITTED,
}
# Who clusters, and by which settings the writer writes; "cluster" locks the table in any case.
UNAWARE, LOCKED, NEITHER = "unaware", "locked", "neither"
# As often as Hudi does where a session does not say otherwise, as that of the tests does.
ATTEMPTS_TO_LOCK = {"hoodie.write.lock.client.num_retries": "50"}
# How long a clustering that has begun may take to look for others, or to end.
LOOKS = 1.5
PATIENCE = 60.0


def call_of(kind: str, operation: str, moment: str) -> str:
    """The name of the call at which a writer is stopped, as ``StorageCalls`` gives it."""
    overwrites = operation.startswith("insert overwrite")
    logs = kind == "merge-on-read" and operation == "upsert"
    action = "replacecommit" if overwrites else "deltacommit" if logs else "commit"
    call = MOMENTS[moment]
    if moment == "has chosen":
        return call % ("" if action == "commit" else f"{action}.")
    if moment == "writes":
        return call % ((".", "{time}.log.1_{task}") if logs else ("", "{task}_{time}.parquet"))
    return call % action if moment == "commits" else call


@pytest.fixture(scope="module")
def tables(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], TrialTable]]:
    with stopping_storage(spark):
        yield cache(lambda kind: TrialTable(spark, kind, tmp_path_factory.mktemp(kind)))


def both(
    table: TrialTable,
    path: Path,
    operation: str,
    call: str,
    clustering: str,
    how: str,
    **more: str,
) -> tuple[BaseException | None, BaseException | None]:
    """Stops a write at a call until a clustering has ended or waits; returns why both failed."""
    writes = SETTINGS[UNAWARE if how == NEITHER else how]
    locks: Mapping[str, str] = {**(writes if how == NEITHER else locks_of(writes)), **more}
    settings = {**writes, **ATTEMPTS_TO_LOCK, **more}
    calls = StorageCalls(table.spark)
    calls.watch(path, call, "STOPS")
    trial = Trial(table, path, settings, lambda: None)
    with ThreadPoolExecutor(2) as pool:
        write = pool.submit(OPERATIONS[operation].does, trial)
        _await(lambda: write.done() or calls.stops() > 0)
        assert calls.stops(), f"the write makes no call '{call}'; {write.exception()}"
        clusters = pool.submit(CLUSTERINGS[clustering], table, path, locks)
        _await(lambda: clusters.done() or _executed(path))
        _await(clusters.done, LOOKS)
        assert not write.done()
        calls.resume(1)
        failed = write.exception(), clusters.exception()
    calls.end()
    return failed


def _executed(path: Path) -> bool:
    return any(path.glob(".hoodie/timeline/*.clustering.inflight"))


def _await(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)


CASES = [
    ("copy-on-write", operation, moment, clustering, how)
    for operation in ("upsert", "insert overwrite")
    for clustering, how in (
        ("CALL", UNAWARE),
        ("cluster", LOCKED),
        ("schedule, execute", NEITHER),
        ("cluster", UNAWARE),
        ("cluster", NEITHER),
        ("CALL", NEITHER),
        ("CALL", LOCKED),
    )
    for moment in MOMENTS
]
QUICK = ("copy-on-write", "upsert", "has chosen", "CALL", NEITHER)
SLOW = [
    ("copy-on-write", "upsert", "writes", "schedule, execute", UNAWARE),
    *(case for case in CASES if case != QUICK),
    *(("merge-on-read", *case) for _, *case in CASES if case[2] != "writes metadata"),
]


@pytest.mark.parametrize(
    ("kind", "operation", "moment", "clustering", "how"), quick_first([QUICK, *SLOW])
)
def test_a_write_that_has_not_seen_the_plan_succeeds_and_is_rolled_back_by_nobody(
    tables: Callable[[str], TrialTable],
    kind: str,
    operation: str,
    moment: str,
    clustering: str,
    how: str,
) -> None:
    table = tables(kind)
    path = table.copy()
    before = _instants(path)
    call = call_of(kind, operation, moment)

    refused, given_way = both(table, path, operation, call, clustering, how)

    assert_written(table, path, operation, before, refused)
    if given_way is not None:
        require_given_way(given_way)


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["true", "false"])
@pytest.mark.parametrize(("clustering", "how"), [("CALL", NEITHER), ("cluster", UNAWARE)])
def test_a_bulk_insert_that_writes_metadata_is_rolled_back_by_nobody(
    tables: Callable[[str], TrialTable], streams: str, clustering: str, how: str
) -> None:
    """Where Hudi writes metadata in one go, no heartbeat keeps others from rolling that back."""
    table = tables("copy-on-write")
    path = table.copy()
    before = _instants(path)
    call = call_of("copy-on-write", "bulk insert", "writes metadata")

    refused, given_way = both(
        table,
        path,
        "bulk insert",
        call,
        clustering,
        how,
        **{"hoodie.metadata.streaming.write.enabled": streams},
    )

    assert_written(table, path, "bulk insert", before, refused)
    if given_way is not None:
        require_given_way(given_way)


def assert_written(
    table: TrialTable,
    path: Path,
    operation: str,
    before: set[str],
    refused: BaseException | None,
) -> None:
    """Fails unless a write has ended, and nobody has rolled it back, here or in the metadata."""
    assert refused is None, str(refused)
    assert table.by_id(table.rows(path)) == OPERATIONS[operation].after(table)
    written = _written(path, _instants(path) - before)
    for timeline in (path / ".hoodie/timeline", path / ".hoodie/metadata/.hoodie/timeline"):
        assert any(file.name.startswith(f"{written}_") for file in timeline.iterdir())
        rollbacks = [file.read_bytes() for file in timeline.glob("*.rollback*")]
        assert not any(written.encode() in rollback for rollback in rollbacks)


def _instants(path: Path) -> set[str]:
    return {file.name[:17] for file in path.glob(".hoodie/timeline/2*commit*")}


def _written(path: Path, instants: set[str]) -> str:
    """The write among new instants: a clustering has a plan."""
    plans = {file.name[:17] for file in path.glob(".hoodie/timeline/*.clustering.requested")}
    [written] = instants - plans
    return written
