"""A clustering gives way to writers: nothing that a writer was told is written is ever lost.

``seen_and_unseen`` forces the interleavings.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread, Timer
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import FAILS_IN_EXECUTION, read, session_settings
from hudi_zorder.clustering.concurrency import (
    await_writes,
    busy_writes,
    locking,
    refuse_busy,
    writes_under_way,
)
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import (
    CONCURRENCY_MODE,
    EXECUTION_CLASS,
    EXECUTION_STRATEGY,
    LOCK_PREFIX,
    LOCK_PROVIDER,
    LOCKING,
    WAIT_FOR_WRITERS,
)
from jvm_threads import threads
from plain_table import HALF, PENDING, write_plain_table, write_plan
from seen_and_unseen import KINDS, LAYOUT, ROWS, Table, frame, locked, when_committing

WAITS_FOR_WRITES = "WritesInFlight.await"
WAITS_FOR_LOCK = "LockManager.lock"
HEARTBEAT_INTERVAL = "hoodie.client.heartbeat.interval_in_ms"
ROWS_OF_ONE_REGION = dict.fromkeys(range(1, 40, 2), 1)


@pytest.fixture(params=KINDS)
def table(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
) -> Table:
    return Table(spark, made_once, tmp_path / request.param, request.param)


@pytest.mark.parametrize(
    ("file", "silent", "under_way"),
    [
        ("inflight", None, True),
        ("deltacommit.requested", 30, True),
        ("inflight", 600, False),  # of a writer that has died
        ("replacecommit.requested", None, True),
        ("clustering.requested", None, False),
        ("rollback.inflight", None, False),
    ],
)
def test_writes_are_under_way_until_their_writers_die(
    tmp_path: Path, file: str, silent: int | None, under_way: bool
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    (path / f".hoodie/timeline/{PENDING}.{file}").touch()
    if silent is not None:
        beat = path / ".hoodie/.heartbeat" / PENDING
        beat.parent.mkdir()
        beat.touch()
        os.utime(beat, (time.time() - silent,) * 2)
    assert len(writes_under_way(TableSnapshot.open(path))) == under_way


@pytest.mark.parametrize(
    ("operation", "seconds", "begun", "is_busy", "under_way"),
    [
        ("DELETE_PARTITION", 170, False, False, True),  # it may yet find expired partitions
        ("DELETE_PARTITION", 190, False, False, False),
        ("DELETE_PARTITION", 190, True, True, True),
        ("INSERT_OVERWRITE", 190, False, False, True),
    ],
)
def test_a_request_to_delete_expired_partitions_is_dead_where_none_are_deleted(
    tmp_path: Path, operation: str, seconds: int, begun: bool, is_busy: bool, under_way: bool
) -> None:
    """As inline TTL leaves one after each write, until the next."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    content = json.dumps({"operationType": operation}).encode()
    request = write_plan(path, content, "replacecommit")
    os.utime(request, (time.time() - seconds,) * 2)
    if begun:
        (request.parent / f"{PENDING}.replacecommit.inflight").touch()
    snapshot = TableSnapshot.open(path)
    assert len(writes_under_way(snapshot)) == under_way
    assert len(busy_writes(snapshot)) == is_busy
    table: Any = Opened(path)
    unlocked = await_writes(table, 0, set())
    assert unlocked == ([PENDING] if operation == "INSERT_OVERWRITE" else [])


def test_a_clustering_locks_as_its_session_does_and_not_where_somebody_has_said_how() -> None:
    lock = {LOCK_PROVIDER: "a.Lock", LOCK_PREFIX + "filesystem.path": "/locks/orders"}
    by_sql = {f"spark.{key}": value for key, value in lock.items()}
    mode = {CONCURRENCY_MODE: "single_writer"}
    other = {LOCK_PROVIDER: "b.Lock"}
    path = {LOCK_PREFIX + "filesystem.path": "/locks/orders"}
    assert locking({}, {"spark.hoodie.a": "b"}, {}.get) == LOCKING
    assert locking({}, by_sql | {"spark.hoodie.a": "b"}, {}.get) == lock
    # What else SQL takes is taken along with what is known already.
    assert locking({}, by_sql | mode, {}.get) == locking({}, by_sql, mode.get) == lock
    assert locking({}, by_sql | other, {}.get) == locking({}, by_sql, other.get) == path
    assert locking({}, {}, other.get) == locking(other, by_sql, {}.get) == {}
    assert locking(mode, by_sql, {}.get) == {}


def test_the_settings_of_a_session_s_lock_are_those_of_its_clusterings(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = str(write_plain_table(tmp_path / "t", [pa.table({"a": [1]})]))
    service = ClusteringService(spark, table)
    path = LOCK_PREFIX + "filesystem.path"
    with session_settings(spark, {f"spark.{path}": "/locks/orders"}):
        told = service._settings.of_table(service.snapshot(), {})
    assert {key: told.get(key) for key in (path, *LOCKING)} == {path: "/locks/orders", **LOCKING}


def test_a_lock_in_hudis_defaults_is_not_replaced(spark: SparkSession, tmp_path: Path) -> None:
    service = ClusteringService(
        spark, str(write_plain_table(tmp_path / "t", [pa.table({"a": [1]})]))
    )
    defaults = spark._jvm.org.apache.hudi.common.config.DFSPropertiesConfiguration
    assert LOCK_PROVIDER in service._settings.of_table(service.snapshot(), {})
    try:
        defaults.addToGlobalProps(LOCK_PROVIDER, "a.Lock")
        assert LOCK_PROVIDER not in service._settings.of_table(service.snapshot(), {})
    finally:
        defaults.refreshGlobalProps()


def test_a_clustering_of_an_older_table_is_no_write(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    write_plan(path, b'{"operationType": "CLUSTER"}', "replacecommit")
    assert writes_under_way(TableSnapshot.open(path)) == []


@pytest.mark.parametrize("operation", quick_first(["upsert", "delete", "insert_overwrite_table"]))
def test_what_was_written_unseen_since_the_plan_makes_it_give_way(
    table: Table, operation: str
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        table.write(100, 50, 1, operation)

    with pytest.raises(hz.ConflictError, match="Nothing was changed, and the plan was withdrawn"):
        clustering.execute(instant)

    table.check()
    assert clustering.cluster(**LAYOUT)
    table.check()


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_a_table_is_planned_again_where_a_writer_came_first_four_times_at_most(
    table: Table, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    execute = ClusteringService.execute
    overtaken: list[str] = []

    def written_before(service: ClusteringService, instant: str, *others: Any) -> Any:
        if len(overtaken) < times:
            overtaken.append(instant)
            with table.unseen(instant):
                # The fifth would compact, which is another instant.
                table.write(100, 50, len(overtaken), compact__inline__max__delta__commits="9")
        return execute(service, instant, *others)

    monkeypatch.setattr(ClusteringService, "execute", written_before)
    if times == 5:
        with pytest.raises(hz.ConflictError, match="Nothing was changed"):
            clustering.cluster(**LAYOUT)
    else:
        assert clustering.cluster(**LAYOUT).instant not in [None, *overtaken]
    assert len(overtaken) == times
    table.check()


def test_a_write_in_flight_that_changes_what_is_planned_is_given_way_to(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(100, 50, 1)
    with (
        table.unseen(written, completed=True),
        pytest.raises(hz.ConflictError, match=f"write {written}, which is under way"),
    ):
        clustering.execute(instant)
    table.check()


def test_the_write_for_which_nothing_is_planned_is_named(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    written = table.write(100, 50, 1)
    with table.unseen(written, completed=True):
        assert hz.ZOrderTable(table.spark, table.path).schedule(**LAYOUT) is None
    assert f"write {written} is under way" in caplog.text


@pytest.mark.slow
def test_a_write_of_which_nobody_knows_what_it_writes_is_waited_for(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    with table.unseen(written, completed=True) as end:
        thread = Thread(target=_a_second_after_rows_are_written, args=(table, instant, end))
        thread.start()
        result = clustering.execute(instant)
        thread.join()
    assert result.phases["wait for writers"] > 0.4
    table.check()


class Opened:
    """A table as it is read each time that somebody looks."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def snapshot(self) -> TableSnapshot:
        """As the service has it."""
        return TableSnapshot.open(self._path)


def test_a_write_that_does_not_end_is_waited_for_once(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    (path / f".hoodie/timeline/{PENDING}.inflight").touch()
    table: Any = Opened(path)
    unended: set[str] = set()
    started = time.monotonic()
    await_writes(table, 1, unended)
    assert time.monotonic() - started >= 1
    assert unended == {PENDING}
    await_writes(table, 600, unended)
    assert time.monotonic() - started < 60
    with pytest.raises(hz.UnendedWriteError, match=f"write {PENDING} is under way"):
        refuse_busy(table.snapshot(), unended)
    (path / f".hoodie/timeline/{int(PENDING) + 1}.inflight").touch()
    for waited_for in (set(), unended):
        with pytest.raises(hz.ConflictError, match="cluster again when it has ended") as again:
            refuse_busy(table.snapshot(), waited_for)
        assert not isinstance(again.value, hz.UnendedWriteError)


def test_half_a_request_is_not_waited_for(tmp_path: Path) -> None:
    """Beside it Hudi plans nothing, whatever it was to be."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    write_plan(path, HALF, "replacecommit")
    table: Any = Opened(path)
    with pytest.raises(
        hz.TableError, match=r"is damaged in '.*requested'.*repair .* with hudi-cli"
    ):
        await_writes(table, 600, set())


def test_of_the_writes_under_way_those_without_a_heartbeat_do_not_lock(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    (path / f".hoodie/timeline/{PENDING}.inflight").touch()
    table: Any = Opened(path)
    assert await_writes(table, 0, set()) == [PENDING]
    beat = path / ".hoodie/.heartbeat" / PENDING
    beat.parent.mkdir()
    beat.touch()
    assert await_writes(table, 0, set()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "patience", [{"wait_for_writers": 1}, {"hudi_options": {WAIT_FOR_WRITERS: " 1"}}]
)
def test_for_a_dead_writer_nothing_is_planned_again(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture, patience: dict[str, Any]
) -> None:
    """It shows no heartbeat, and so nobody knows that it is dead."""
    rows = spark.range(100).selectExpr("id", "id % 7 AS a")
    path = write(rows, tmp_path / "t")
    (Path(path) / f".hoodie/timeline/{PENDING}.commit.requested").touch()
    caplog.set_level("INFO", "hudi_zorder")
    with pytest.raises(hz.UnendedWriteError, match="has not ended within 1 seconds"):
        hz.ZOrderTable(spark, path).cluster(["a"], **patience)
    assert [told for told in caplog.messages if told.startswith("Cannot")] == []


@pytest.mark.slow
def test_beside_a_writer_that_looks_for_expired_partitions_is_clustered(table: Table) -> None:
    write(frame(table.spark, 0, 50, 1), table.path, **table.options, partition__ttl__inline="true")
    [request] = Path(table.path, ".hoodie/timeline").glob("*.replacecommit.requested")
    assert b"DELETE_PARTITION" in request.read_bytes()
    os.utime(request, (time.time() - 190,) * 2)
    result = hz.ZOrderTable(table.spark, table.path).cluster(**LAYOUT, wait_for_writers=1)
    assert result.instant
    assert [note for note in result.notes if "under way" in note] == []
    assert read(table.spark, table.path).where("version = 1").count() == 50


@pytest.mark.slow
def test_a_write_that_never_ends_is_waited_for_no_longer_than_asked(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, wait_for_writers=1)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    with (
        table.unseen(written, completed=True),
        pytest.raises(hz.ConflictError, match="has not ended within 1 seconds"),
    ):
        clustering.execute(instant)
    table.check()


@pytest.mark.slow
def test_a_write_in_flight_to_other_files_is_no_hindrance(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, where="region = 'region-0'")
    with table.unseen(instant):
        written = _write_to_one_region(table, datasource__write__operation="upsert")
        table.told.update(ROWS_OF_ONE_REGION)
    with table.unseen(written, completed=True):
        assert clustering.execute(instant)
    table.check()


@pytest.mark.slow
def test_an_overwrite_may_replace_what_it_writes_no_row_to(table: Table) -> None:
    """As SQL's does, which overwrites all partitions of what it names."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, where="region = 'region-0'", wait_for_writers=1)
    with table.unseen(instant):
        written = _write_to_one_region(
            table,
            datasource__write__operation="insert_overwrite",
            static__overwrite__partition__paths="region-0,region-1",
        )
        table.told = dict(ROWS_OF_ONE_REGION)
    with (
        table.unseen(written, completed=True),
        pytest.raises(hz.ConflictError, match="has not ended within 1 seconds"),
    ):
        clustering.execute(instant)
    table.check()


@pytest.mark.slow
@pytest.mark.parametrize("optimized", [True, False])
def test_hudi_loses_an_sql_update_of_logs_that_began_before_a_clustering_s_commit(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path, optimized: bool
) -> None:
    """Unless it is told to look its rows up; HUDI_FAULTS.md."""
    table = Table(spark, made_once, tmp_path / "table", "MERGE_ON_READ")
    updated = read(spark, table.path).where("id < 10").withColumn("version", F.lit(1))
    updated._jdf.queryExecution().toRdd()  # as UPDATE does before it has an instant
    assert hz.ZOrderTable(spark, table.path).cluster(**LAYOUT)

    options = {f"hoodie.{key.replace('__', '.')}": value for key, value in table.options.items()}
    writer = updated.write.format("hudi").options(**options)
    writer = writer.option("hoodie.table.name", "table")
    writer.option("_hoodie.spark.sql.writes.prepped", str(optimized).lower()).mode("append").save(
        table.path
    )

    if not optimized:
        table.told.update(dict.fromkeys(range(10), 1))
    table.check()


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", [True, False])
def test_what_a_writer_has_written_whose_clock_is_ahead_is_kept(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path, row_writer: bool
) -> None:
    """Its logs are in a plan whose instant is before theirs."""
    table = Table(spark, made_once, tmp_path / "table", "MERGE_ON_READ")
    [first] = table.instants()
    instant = str(int(first) + 1)
    assert table.write(100, 50, 1) > instant
    service = ClusteringService(spark, table.path)
    now = {**hz.ZOrderOptions(**LAYOUT).inline(max_commits=1), **UNLOCKED}
    with service._hudi._client(now) as client:
        assert client.scheduleClusteringAtInstant(instant, service._hudi._option().empty())

    # Under optimistic concurrency Hudi takes the write for one since, and refuses the clustering.
    options = {**UNLOCKED, "hoodie.datasource.write.row.writer.enable": row_writer}
    assert hz.ZOrderTable(spark, table.path).execute(instant, hudi_options=options)

    table.check()


UNLOCKED = {"hoodie.write.concurrency.mode": "single_writer"}
TAKEN_BACK = "was rolled back and changed nothing"


@pytest.mark.parametrize(
    ("settings", "operation", "message"),
    [
        (UNLOCKED, "upsert", TAKEN_BACK),
        pytest.param(UNLOCKED, "insert_overwrite_table", TAKEN_BACK, marks=pytest.mark.slow),
        pytest.param(
            {},
            "upsert",
            "as Hudi found when it held the lock; .* rolled back|was rolled back and changed",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["unlocked", "overwrite", "locked"],
)
def test_a_write_hidden_by_the_commit_makes_it_roll_back(
    table: Table, settings: dict[str, str], operation: str, message: str
) -> None:
    """The last gap: the writer appears after the last look before the commit."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(100, 50, 1, operation)
    files = table.files(written)
    with table.unseen(written) as show:
        thread = Thread(target=when_committing, args=(table, instant, show))
        thread.start()
        with pytest.raises(hz.ConflictError, match=message):
            clustering.execute(instant, hudi_options=settings)
        thread.join()
    assert all(path.exists() for path in files)
    table.check()


@pytest.mark.slow
def test_a_rollback_hidden_by_the_commit_makes_it_roll_back(table: Table) -> None:
    """Another process began to execute the plan after the last look before the commit."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    for _ in range(2):  # the second execution has Hudi roll back what the first has written
        with pytest.raises(hz.ClusteringError):
            clustering.execute(instant, hudi_options=FAILS_IN_EXECUTION)
    [rollback] = {path.name[:17] for path in table.timeline.glob("2*.rollback*")}
    with table.unseen(rollback) as show:
        thread = Thread(target=when_committing, args=(table, instant, show))
        thread.start()
        with pytest.raises(hz.ConflictError, match="another process has begun to execute it too"):
            clustering.execute(instant, hudi_options=UNLOCKED)
        thread.join()
    table.check()


def test_a_plan_is_left_alone_while_another_process_executes_it(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    heartbeat = Path(table.path, ".hoodie", ".heartbeat", instant)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    inflight = table.timeline / f"{instant}.clustering.inflight"
    for state in ("requested", "inflight"):
        for act in (clustering.execute, clustering.cancel):
            with pytest.raises(hz.PlanInUseError, match="another process executes it"):
                act(instant)
        assert [plan.state for plan in clustering.pending()] == [state]
        inflight.touch()

    inflight.unlink()
    os.utime(heartbeat, times=(0, 0))  # killed long ago
    assert clustering.execute(instant)
    assert not heartbeat.exists()
    table.check()


@pytest.mark.slow
def test_a_plan_is_left_alone_however_long_its_commit_takes(table: Table) -> None:
    """As long as another holds the table's lock; a heart that has no commit beats ten times."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    hudi_options = {**LOCKING, HEARTBEAT_INTERVAL: "1000"}
    executing = Thread(
        target=clustering.execute,
        args=(instant,),
        kwargs={"hudi_options": hudi_options},
    )
    with locked(table):
        executing.start()
        while not any(WAITS_FOR_LOCK in calls for _, calls in threads(table.spark)):
            assert executing.is_alive()
            time.sleep(0.1)
        time.sleep(13)
        heartbeat = Path(table.path, ".hoodie", ".heartbeat", instant)
        assert time.time() - heartbeat.stat().st_mtime < 2
    executing.join()
    assert not heartbeat.exists()
    assert clustering.pending() == []
    table.check()


@pytest.mark.slow
def test_an_execution_whose_files_another_one_has_deleted_is_not_committed(
    table: Table,
) -> None:
    """Hudi deletes the files of an execution before the next one can see its heartbeat."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    ended = Event()

    def another() -> None:
        while not any(WAITS_FOR_WRITES in calls for _, calls in threads(table.spark)):
            if ended.wait(0.2):
                return
        client = ClusteringService(table.spark, table.path)._hudi
        with pytest.raises(Exception, match=r"another process (executes it|has taken it off)"):
            client.execute(instant, {EXECUTION_CLASS: EXECUTION_STRATEGY})
        end()

    with table.unseen(written, completed=True) as end:
        thread = Thread(target=another)
        thread.start()
        try:
            with pytest.raises(hz.ConflictError, match="another process has begun to execute it"):
                clustering.execute(instant)
        finally:
            ended.set()
            thread.join()
    table.check()
    assert clustering.cluster(**LAYOUT).instant


@pytest.mark.slow
@pytest.mark.parametrize(("settings", "noted"), [(UNLOCKED, True), (LOCKING, False)])
def test_a_write_under_way_is_noted_unless_its_writer_locks_the_table(
    table: Table, settings: dict[str, str], noted: bool
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    with clustering._service._hudi._client(settings) as client:
        written = client.startCommit()
        end = Timer(1, client.rollback, [written])
        end.start()
        result = clustering.cluster(**LAYOUT)
        end.join()
    assert result.instant
    assert any(f"write {written} was under way" in note for note in result.notes) == noted
    table.check()


def _write_to_one_region(table: Table, **settings: str) -> str:
    """Writes the rows of region-1 alone, and returns the instant."""
    before = table.instants()
    odd = frame(table.spark, 0, 40, 1).where("id % 2 = 1")
    write(odd, table.path, **table.options, **settings)
    [written] = table.instants() - before
    return written


def _a_second_after_rows_are_written(table: Table, instant: str, end: Callable[[], None]) -> None:
    while not any(Path(table.path).glob(f"*/*_{instant}.parquet")):
        time.sleep(0.01)
    time.sleep(1)
    end()


@pytest.mark.slow
def test_of_two_plans_for_the_same_files_the_first_goes_on(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    first = clustering.schedule(**LAYOUT)
    with table.unseen(first):
        second = clustering.schedule(**LAYOUT)
    with pytest.raises(hz.ConflictError, match=f"clustering {first}, which was planned before"):
        clustering.execute(second)
    assert clustering.execute(first)
    table.check()


def test_of_two_clusterings_that_did_not_see_each_other_one_is_left(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    first = clustering.schedule(**LAYOUT)
    with table.unseen(first):
        assert clustering.cluster(**LAYOUT)
    with pytest.raises(hz.ConflictError, match="wrote to"):
        clustering.execute(first)
    table.check()


@pytest.mark.slow
def test_call_gives_way_as_well(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        table.write(100, 50, 1)
    key = "hoodie.clustering.execution.strategy.class"
    table.spark.conf.set(key, "io.hudizorder.ZOrderClusteringExecutionStrategy")
    try:
        with pytest.raises(Exception, match="Nothing was changed, and the plan was withdrawn"):
            table.spark.sql(
                f"CALL run_clustering(path => '{table.path}', op => 'execute')"
            ).collect()
    finally:
        table.spark.conf.unset(key)
    table.check()
