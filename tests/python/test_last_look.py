"""The look after a clustering's commit: what hides a write is taken back, or told of.

Whoever has committed looks, or in its place whoever repairs the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import as_keywords
from hudi_tables import read
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.hudi import processes
from hudi_zorder.options import LOCKING
from hudi_zorder.spark._jvm.write_client import HudiJvm
from seen_and_unseen import KINDS, LAYOUT, ROWS, Table, Unseen, locked, when_committing

ONCE = {
    "hoodie.write.lock.client.num_retries": "1",
    "hoodie.write.lock.client.wait_time_ms_between_retry": "100",
}


@pytest.fixture(params=KINDS)
def table(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
) -> Table:
    return Table(spark, made_once, tmp_path / request.param, request.param)


@pytest.mark.slow
@pytest.mark.parametrize("build", ["a write", "a plan"])
def test_what_is_built_on_a_clustering_that_is_to_be_taken_back_is_kept(
    table: Table, build: str
) -> None:
    """All lock; what is built appears between the look for it and the way back."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT) or ""
    unseen = Unseen.since(table, instant)
    built = []

    def built_since() -> AbstractContextManager[object]:
        if build == "a write":
            built.append(table.write(200, 50, 2, **as_keywords(LOCKING)))
        else:
            built.append(clustering.schedule(**LAYOUT, mode="full") or "")
        return table.unseen(built[0])

    with (
        unseen.shown(table, instant, built_since, lambda: time.sleep(1.5)),
        pytest.raises(hz.HiddenRowsError) as told,
    ):
        clustering.execute(instant)

    assert built[0] in str(told.value).partition("since its commit")[2]
    rows = read(table.spark, table.path).select("id", "version").collect()
    assert sorted(row.id for row in rows) == sorted(table.told), "lost or doubled"
    assert (build == "a write") == any(row.version == 2 for row in rows)
    for row in rows:
        assert row.id in range(100, 150) or row.version == table.told[row.id]
    assert build == "a write" or clustering.execute(built[0])


@pytest.mark.slow
def test_what_hides_a_write_and_could_not_be_taken_back_is_by_the_next_clustering(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT) or ""
    unseen = Unseen.since(table, instant)
    given_up = Event()
    with unseen.shown(table, instant, nullcontext, lambda: given_up.wait(60)):
        with pytest.raises(hz.HiddenRowsError, match=r"nor could it be rolled back: .* lock"):
            clustering.execute(instant, hudi_options=ONCE)
        given_up.set()

    result = clustering.cluster(**LAYOUT)

    assert f"the committed plan {instant} was rolled back" in " ".join(result.notes)
    table.check()


@contextmanager
def _endless(table: Table, instant: str) -> Iterator[None]:
    """A bulk insert, which begins when a clustering commits and tells nothing until it ends."""
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    heartbeat = Path(table.path, ".hoodie", ".heartbeat", written)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    with table.unseen(written, completed=True), table.unseen(written) as begin:
        thread = Thread(target=when_committing, args=(table, instant, begin))
        thread.start()
        try:
            yield
        finally:
            thread.join()


@pytest.mark.slow
@pytest.mark.parametrize("built", [False, True])
def test_a_clustering_stays_of_which_nobody_can_tell_yet_whether_it_hides_a_write(
    table: Table, built: bool
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, wait_for_writers=1) or ""
    with _endless(table, instant):
        result = clustering.execute(instant)
        [note] = result.notes
        assert "is committed, but then something failed: Cannot tell yet whether" in note
        if built:
            table.write(200, 50, 2, **as_keywords(LOCKING))
        with pytest.raises(hz.UnendedWriteError, match="Cannot tell yet whether clustering"):
            clustering.repair()

    assert clustering.repair().plans == ()

    assert [done.instant for done in clustering.history()] == [instant]
    assert not clustering.repair()
    table.check()


@pytest.mark.slow
def test_what_hides_a_write_is_taken_back_when_nobody_may_be_building_on_it_any_more(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, wait_for_writers=3) or ""
    with table.unseen(instant):
        hidden = table.write(100, 50, 1)
    with table.unseen(hidden) as show, _endless(table, instant):

        def when_committed() -> None:
            while not table.files(instant, completed=True):
                time.sleep(0.01)
            show()

        thread = Thread(target=when_committed)
        thread.start()
        with pytest.raises(hz.HiddenRowsError, match=r"nor could it be rolled back: .* not ended"):
            clustering.execute(instant)
        thread.join()

    [plan] = clustering.repair().plans

    assert plan.standing.startswith(f"write {hidden}, which was committed since it was planned")
    table.check()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:1])
def test_who_finds_the_table_locked_is_told_so_and_can_try_again(
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    """At once: whoever tries again by itself waits for the lock as long once more."""
    caplog.set_level("INFO", "hudi_zorder")
    table = Table(spark, made_once, tmp_path / kind, kind)
    clustering = hz.ZOrderTable(spark, table.path)
    with (
        locked(table),
        pytest.raises(hz.TableLockedError, match="others held the table's lock") as told,
    ):
        clustering.cluster(**LAYOUT, hudi_options=ONCE)
    assert told.value.exit_code == 4
    assert "Cannot" not in caplog.text
    table.check()
    assert clustering.cluster(**LAYOUT)
    table.check()


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[:1])
def test_a_plan_that_could_not_be_cancelled_does_not_stop_the_next_clustering(
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    """Somebody locks the table once it is planned, and for longer than anybody waits."""
    table = Table(spark, made_once, tmp_path / kind, kind)
    clustering = hz.ZOrderTable(spark, table.path)
    execute = ClusteringService.execute
    with ExitStack() as lock, monkeypatch.context() as patch:

        def locked_before(*arguments: Any) -> hz.ClusteringResult:
            lock.enter_context(locked(table))
            return execute(*arguments)

        patch.setattr(ClusteringService, "execute", locked_before)
        with pytest.raises(hz.TableLockedError, match=r"could not be cancelled: .* rolls it back"):
            clustering.cluster(**LAYOUT, hudi_options=ONCE)
    [plan] = clustering.pending()
    assert plan.executor == "dead"

    [note] = clustering.cluster(**LAYOUT).notes

    assert f"plan {plan.instant} was rolled back: its executor is dead" in note
    table.check()


@pytest.mark.slow
@pytest.mark.parametrize("fault", [hz.ClusteringError, KeyboardInterrupt])
@pytest.mark.parametrize("kind", KINDS[:1])
def test_neither_does_one_that_was_written_although_planning_it_failed(
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    fault: type[BaseException],
) -> None:
    table = Table(spark, made_once, tmp_path / kind, kind)
    clustering = hz.ZOrderTable(spark, table.path)
    schedule = HudiJvm.schedule
    with ExitStack() as lock, monkeypatch.context() as patch:

        def failing_after(*arguments: Any) -> str | None:
            schedule(*arguments)
            lock.enter_context(locked(table))
            raise fault("storage said no")

        patch.setattr(HudiJvm, "schedule", failing_after)
        with pytest.raises(fault, match=r"could not be cancelled: .* rolls it back"):
            clustering.cluster(**LAYOUT, hudi_options=ONCE)
    [plan] = clustering.pending()
    assert plan.executor == "dead"

    [note] = clustering.cluster(**LAYOUT).notes

    assert f"plan {plan.instant} was rolled back: its executor is dead" in note
    table.check()


@pytest.mark.parametrize("kind", KINDS[:1])
def test_nobody_takes_a_plan_away_while_others_hold_the_table_s_lock(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path, kind: str
) -> None:
    """Neither who cancels it nor who executes it and gives way."""
    table = Table(spark, made_once, tmp_path / kind, kind)
    clustering = hz.ZOrderTable(spark, table.path)
    instant = clustering.schedule(**LAYOUT) or ""
    with table.unseen(instant):
        table.write(100, 50, 1)
    for act in (clustering.cancel, clustering.execute):
        with locked(table), pytest.raises(hz.TableLockedError):
            act(instant, hudi_options=ONCE)
        [plan] = clustering.pending()
        assert plan.instant == instant
        assert plan.executor != "dead"  # or else the next clustering would take it away

    with pytest.raises(hz.ConflictError, match="the plan was withdrawn"):
        clustering.execute(instant)
    table.check()


@pytest.fixture
def unlooked(table: Table) -> tuple[str, str]:
    """A clustering, killed between its commit and its last look, and the write that it hides."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT) or ""
    with table.unseen(instant):
        hidden = table.write(100, 50, 1)
    with table.unseen(hidden):
        assert clustering.execute(instant)
    heartbeat = Path(table.path, ".hoodie", ".heartbeat", instant)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.write_text(" ".join([*processes._machine(), "999999999", "1"]))
    return instant, hidden


def test_repair_takes_back_what_hides_a_write_as_its_dead_executor_would_have(
    table: Table, unlooked: tuple[str, str]
) -> None:
    instant, hidden = unlooked
    clustering = hz.ZOrderTable(table.spark, table.path)
    assert clustering.repair(dry_run=True).last_looks == (instant,)
    did = clustering.repair()
    [plan] = did.plans
    assert (plan.instant, plan.state, plan.columns) == (instant, "committed", ("a", "b"))
    assert plan.standing.startswith(f"write {hidden}, which was committed since it was planned")
    assert f"Rolled back the committed plan {instant}: write {hidden}" in str(did)
    assert not list(Path(table.path).glob(f"*/*_{instant}.parquet"))
    assert not clustering.repair()
    table.check()
    assert clustering.cluster(**LAYOUT)
    table.check()


@pytest.mark.slow
def test_repair_takes_back_what_two_processes_have_committed(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT) or ""
    assert clustering.execute(instant)
    [commit] = Path(table.path, ".hoodie/timeline").glob(f"{instant}_*.replacecommit")
    later = str(int(commit.name[18:35]) + 1)
    commit.with_name(f"{instant}_{later}.replacecommit").write_bytes(commit.read_bytes())

    [plan] = clustering.repair().plans

    assert plan.instant == instant
    assert plan.standing == "another process has executed and committed it too"
    assert not list(Path(table.path).glob(f"*/*_{instant}.parquet"))
    assert not clustering.repair()
    table.check()
    assert clustering.cluster(**LAYOUT)
    table.check()


def _cleaned(table: Table) -> None:
    table.write(ROWS, 50, 1, "bulk_insert")
    settings = {"hoodie.clean.commits.retained": "1"}
    with ClusteringService(table.spark, table.path)._hudi._client(settings) as client:
        client.clean()


SINCE: dict[str, tuple[Callable[[Table, str], Any], str]] = {
    "built on": (lambda table, _: table.write(200, 50, 2), "write .* wrote to"),
    "cleaned": (lambda table, _: _cleaned(table), "what it replaced was deleted, of .* file group"),
    "metadata compacted": (
        lambda table, _: table.write(
            ROWS, 50, 1, "bulk_insert", metadata__compact__max__delta__commits="1"
        ),
        "the metadata table was compacted",
    ),
    "savepoint": (
        lambda table, instant: table.spark.sql(
            f"CALL create_savepoint(path => '{table.path}', commit_time => '{instant}')"
        ).collect(),
        "savepoint .* was made, which names its files",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("since", SINCE)
def test_repair_tells_of_hidden_rows_where_the_way_back_is_barred(
    table: Table, unlooked: tuple[str, str], since: str
) -> None:
    instant, hidden = unlooked
    happen, message = SINCE[since]
    with table.unseen(hidden):
        happen(table, instant)
    clustering = hz.ZOrderTable(table.spark, table.path)
    told = f"Cannot keep clustering {instant}, nor .*write {hidden}.* since its commit, {message}"
    with pytest.raises(hz.HiddenRowsError, match=told):
        clustering.repair()
    assert [past.instant for past in clustering.history()] == [instant]
    rows = read(table.spark, table.path).select("id", "version").collect()
    assert sorted(row.id for row in rows) == sorted(table.told), "lost or doubled"
    clustering.repair()  # which is told once
