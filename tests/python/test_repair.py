"""What a killed process, or a restore, leaves of a clustering, and how it is brought in order.

One process is killed while it clusters several tables, each at another moment; what is read and
written afterwards is read and written by Hudi alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import fastavro
import pytest
from pyspark.sql import DataFrame, SparkSession
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import HUDIS_STRATEGY, fingerprint, pending_instants, read
from hudi_zorder.cli import app
from hudi_zorder.clustering.repair import repair
from hudi_zorder.hudi import processes
from hudi_zorder.hudi.crash_leftovers import examine
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import LOCK_PROVIDER, LOCKING
from killed_clusterings import heartbeats, kill, timeline
from plain_table import (
    CLUSTERED,
    HALF,
    PENDING,
    tell_of_clustering,
    write_clustered_table,
    write_plan,
)

ROWS = 3_000
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "20KB"}
AS_FLAGS = ["--columns", "a,b", "--target-file-size", "20KB"]


def frame(spark: SparkSession, first: int = 0, rows: int = ROWS) -> DataFrame:
    columns = ("id", "cast(hash(id, 1) as int) AS a", "hash(id, 2) % 1000 + 0L AS b")
    return spark.range(first, first + rows).selectExpr(*columns)


@dataclass(frozen=True)
class Killed:
    """The tables of a killed process by the moment, and what was in them before."""

    folder: Path
    before: tuple[int, Any]


@pytest.fixture(scope="module")
def killed(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Killed:
    """One process is killed for all tests; what none that runs is about, it does not come to."""
    cases = (test.callspec.params for test in request.session.items if hasattr(test, "callspec"))
    folder = tmp_path_factory.mktemp("killed")
    table = write(frame(spark), folder / "t")
    kill(folder, {case.get("moment") for case in cases})
    return Killed(folder, fingerprint(spark, table))


@pytest.fixture
def run(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session

    def run(*arguments: Any, code: int = 0) -> Any:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == code, result.output
        return result

    return run


def upsert(rows: DataFrame, path: Path | str) -> None:
    write(rows, path, datasource__write__operation="upsert", table__name="t")


def check(spark: SparkSession, path: Path, before: tuple[int, Any]) -> None:
    """Holds a table to its rows, to have nothing pending, and to take an update of each file."""
    assert fingerprint(spark, str(path)) == before
    assert pending_instants(str(path)) == []
    assert heartbeats(path) == []
    upsert(read(spark, str(path)).where("id % 100 = 7").selectExpr("id", "-1 AS a", "b"), path)
    rows = read(spark, str(path))
    assert (rows.count(), rows.where("a = -1").count()) == (ROWS, ROWS // 100)


@pytest.mark.parametrize(
    ("moment", "told"),
    quick_first(
        [
            ("written", "the inflight plan {} was rolled back: its executor is dead: its process"),
            ("locked", None),
            ("planned", "the requested plan {} was rolled back: the process that planned it"),
            ("indexed", "the inflight plan {} was rolled back: its executor is dead: its process"),
            ("committed", None),
        ]
    ),
)
def test_the_same_command_run_again_clusters(
    spark: SparkSession,
    killed: Killed,
    run: Callable[..., Any],
    tmp_path: Path,
    moment: str,
    told: str | None,
) -> None:
    path = Path(shutil.copytree(killed.folder / moment, tmp_path / moment))
    plans = pending_instants(str(path))
    said = run("cluster", path, *AS_FLAGS, "--output", "json").stdout
    result = json.loads(said)
    if told is None:
        assert plans == []
    else:
        [note] = result["notes"]
        assert note.startswith(told.format(plans[0].split(".")[0]))
    assert (result["instant"] is None) == (moment == "committed")
    assert len(hz.open_table(path).history()) == 1
    check(spark, path, killed.before)


def test_a_killed_process_is_dead_at_once_even_before_anybody_asked_for_its_end() -> None:
    process = subprocess.Popen(["sleep", "60"])
    name = " ".join(
        [*processes._machine(), str(process.pid), processes._stat(str(process.pid))[19]]
    )
    try:
        assert processes.is_alive(name)
        assert not processes.is_dead(name)
        assert processes.is_dead(f"{name}1")  # another process of that number, later
        for unknown in ("", f"other-{name}"):  # of another machine
            assert not processes.is_dead(unknown)
            assert not processes.is_alive(unknown)
    finally:
        process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert processes.is_dead(name)
    process.wait()
    assert processes.is_dead(name)


def test_pending_tells_who_is_dead_and_repair_ends_it(
    spark: SparkSession, killed: Killed, run: Callable[..., Any], tmp_path: Path
) -> None:
    path = Path(shutil.copytree(killed.folder / "written", tmp_path / "t"))
    [plan] = hz.open_table(path).pending()
    assert (plan.state, plan.executor, plan.ours) == ("inflight", "dead", True)
    assert (plan.columns, plan.mode) == (("a", "b"), "incremental")
    assert (plan.groups, plan.files, plan.outdated) == (1, len(plan.file_groups), 0)
    bases = [file for file in path.glob("*.parquet") if plan.instant not in file.name]
    assert plan.bytes == sum(file.stat().st_size for file in bases)
    assert 0 < plan.heartbeat <= plan.age < 600
    assert plan.command == f"hudi-zorder repair {path}"
    assert plan.command in run("pending", path).stdout
    with pytest.raises(Exception, match="pending clustering"):
        upsert(frame(spark, 0, 10), path)

    before = timeline(path)
    assert "Would roll back the inflight plan" in run("repair", path, "--dry-run").stdout
    assert timeline(path) == before
    assert f"Rolled back the inflight plan {plan.instant}" in run("repair", path).stdout
    assert list(path.glob(f"*_{plan.instant}.parquet")) == []
    assert list(path.glob(".hoodie/.temp/*")) == []
    assert run("repair", path).stdout.strip() == "Nothing to repair."
    check(spark, path, killed.before)


def test_repair_removes_what_a_committed_clustering_has_left(
    spark: SparkSession, killed: Killed, tmp_path: Path
) -> None:
    path = Path(shutil.copytree(killed.folder / "committed", tmp_path / "t"))
    table = hz.ZOrderTable(spark, path)
    [past] = table.history()
    would = table.repair(dry_run=True)
    assert (would.last_looks, would.leftovers) == ((past.instant,), (past.instant,))
    assert f"Would look whether the clustering {past.instant} hides" in " ".join(str(would).split())
    did = table.repair()
    assert (did.last_looks, did.plans, did.leftovers) == ((past.instant,), (), (past.instant,))
    assert "or committed it too: it does not." in " ".join(str(did).split())
    assert list(path.glob(".hoodie/.temp/*")) == []
    assert str(table.repair()) == "Nothing to repair."
    check(spark, path, killed.before)


@pytest.mark.parametrize(
    "place", [".hoodie", ".hoodie/metadata/.hoodie"], ids=["table", "metadata"]
)
@pytest.mark.parametrize("silent", [0, 600], ids=["alive", "dead"])
def test_what_a_committed_clustering_has_left_is_there_as_long_as_its_executor_lives(
    tmp_path: Path, place: str, silent: int
) -> None:
    path = write_clustered_table(tmp_path / "t")
    tell_of_clustering(path, {})
    left = path / place / ".temp" / CLUSTERED
    left.mkdir(parents=True)
    beat = path / ".hoodie/.heartbeat" / CLUSTERED
    beat.parent.mkdir()
    beat.write_text("another-boot pid:[1] 1 1")
    then = time.time() - silent
    os.utime(beat, (then, then))
    assert examine(TableSnapshot.open(path)).leftovers == ((CLUSTERED,) if silent else ())
    beat.unlink()
    assert examine(TableSnapshot.open(path)).leftovers == (CLUSTERED,)


@pytest.mark.parametrize("requested", [b"", b'{"operationType": "INSERT_OVERWRITE"}'])
def test_what_an_overwrite_has_not_yet_removed_is_left_to_it(
    tmp_path: Path, requested: bytes
) -> None:
    """Hudi removes markers after the commit, and a writer that is alone shows no heartbeat."""
    path = write_clustered_table(tmp_path / "t")
    (path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested").write_bytes(requested)
    (path / ".hoodie/.temp" / CLUSTERED).mkdir(parents=True)

    assert not examine(TableSnapshot.open(path))


@pytest.mark.parametrize(
    ("rolled_back", "ended", "doubted"),
    [
        ("20260103120000000", "20260103130000000", False),
        ("20260103120000000", "20260104120000000", True),
        ("20260103120000000", "", True),
        ("20260104120000000", "", True),
    ],
)
def test_what_was_rolled_back_before_its_commit_is_as_good_as_any(
    tmp_path: Path, rolled_back: str, ended: str, doubted: bool
) -> None:
    """A plan stays when its execution is rolled back, and is executed again."""
    path = write_clustered_table(tmp_path / "t")
    timeline = path / ".hoodie/timeline"
    [first] = timeline.glob("*.replacecommit")
    plan = {"operationType": "CLUSTER", "clusteringPlan": {"inputGroups": []}}
    write_plan(path, json.dumps(plan).encode())
    shutil.copy(first, timeline / f"{PENDING}_20260104000000000.replacecommit")
    undone = {"instantToRollback": {"commitTime": PENDING}}
    (timeline / f"{rolled_back}.rollback.requested").write_text(json.dumps(undone))
    if ended:
        (timeline / f"{rolled_back}_{ended}.rollback").touch()
    assert examine(TableSnapshot.open(path)).last_looks == ((PENDING,) if doubted else ())


@pytest.mark.parametrize("twice", [False, True])
def test_what_was_committed_twice_is_to_be_looked_at(tmp_path: Path, twice: bool) -> None:
    path = write_clustered_table(tmp_path / "t")
    tell_of_clustering(path, {})
    [commit] = path.glob(f".hoodie/timeline/{CLUSTERED}_*.replacecommit")
    if twice:
        shutil.copy(commit, commit.with_name(f"{CLUSTERED}_{PENDING}.replacecommit"))
    assert examine(TableSnapshot.open(path)).last_looks == ((CLUSTERED,) if twice else ())


@pytest.mark.parametrize("gone", [True, False])
def test_what_another_process_rolls_back_at_the_same_time_is_told_by_that_one(
    tmp_path: Path, gone: bool
) -> None:
    path = write_clustered_table(tmp_path / "t")
    plan = write_plan(path, b"")  # which was not written whole

    def cancel(_: str, settings: dict[str, str]) -> None:
        if gone:
            plan.unlink()
        raise hz.ClusteringError("Cannot delete a file")

    rollback = SimpleNamespace(
        cancel=cancel,
        is_pending=lambda instant: instant == PENDING and plan.exists(),
        remove_leftovers=lambda *_: None,
    )
    service: Any = SimpleNamespace(
        path=str(path), rollback=rollback, snapshot=lambda: TableSnapshot.open(path)
    )
    with nullcontext() if gone else pytest.raises(hz.ClusteringError, match="Cannot delete"):
        assert repair(service, {}).plans == ()


@pytest.fixture
def table(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> hz.ZOrderTable:
    path = made_once(tmp_path / "t", lambda path: write(frame(spark), path))
    return hz.ZOrderTable(spark, path)


@pytest.mark.slow
@pytest.mark.parametrize("ours", quick_first([True, False]), ids=["ours", "hudis"])
def test_a_plan_that_a_restore_brought_back_is_ended(
    spark: SparkSession, table: hz.ZOrderTable, ours: bool
) -> None:
    """Hudi's restore undoes a clustering's commit, and leaves its plan, which refuses updates."""
    first = timeline(Path(table.path))[0].split("_")[0].split(".")[0]
    before = fingerprint(spark, table.path)
    place = f"path => '{table.path}'"
    spark.sql(f"CALL create_savepoint({place}, commit_time => '{first}')").collect()
    if ours:
        table.execute(table.schedule(**LAYOUT) or "")
    else:
        spark.sql(f"CALL run_clustering({place}, order => 'a')").collect()
    [past] = table.history()
    spark.sql(f"CALL rollback_to_savepoint({place}, instant_time => '{first}')").collect()

    [plan] = table.pending()
    assert (plan.instant, plan.executor, plan.ours) == (past.instant, "none", ours)
    assert "it was completed once, and restore" in plan.standing
    if ours:
        notes = " ".join(table.cluster(**LAYOUT).notes)
        assert f"{past.instant} was rolled back: it was completed once" in notes
    else:
        with pytest.raises(Exception, match="pending clustering"):
            upsert(frame(spark, 0, 10), table.path)
        assert [repaired.instant for repaired in table.repair().plans] == [past.instant]
    check(spark, Path(table.path), before)


@pytest.mark.parametrize("ours", quick_first([False, True]), ids=["hudis", "ours"])
def test_a_plan_that_waits_is_left_alone(
    spark: SparkSession, table: hz.ZOrderTable, ours: bool
) -> None:
    if ours:
        table.schedule(**LAYOUT)
    else:
        call = f"CALL run_clustering(path => '{table.path}', order => 'a', op => 'schedule')"
        spark.sql(call).collect()
    [plan] = table.pending()
    assert (plan.executor, plan.ours) == ("none", ours)
    assert plan.command == f"hudi-zorder execute {table.path} {plan.instant}"
    assert (plan.execution_class in str(table.pending())) == (not ours)
    assert ("Hudi runs a strategy of its own" in " ".join(str(table.pending()).split())) == ours
    assert not table.repair()
    with pytest.raises(hz.PlanInUseError, match=f"run {plan.command}"):
        table.cluster(**LAYOUT)
    assert table.execute(plan.instant, hudi_options={})
    assert not ours or table.history()[0].mode == "incremental"
    assert (plan.execution_class == HUDIS_STRATEGY) == (not ours)


@pytest.mark.parametrize("kind", quick_first(["COPY_ON_WRITE", "MERGE_ON_READ"]))
def test_a_plan_whose_files_changed_since_is_dropped(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path, kind: str
) -> None:
    options = {"datasource__write__table__type": kind}
    path = made_once(tmp_path / kind, lambda path: write(frame(spark), path, **options))
    table = hz.ZOrderTable(spark, path)
    instant = table.schedule(**LAYOUT)
    [plan] = Path(table.path, ".hoodie/timeline").glob(f"{instant}*")
    aside = plan.rename(Path(table.path, ".hoodie", ".aside"))
    write(frame(spark, 0, 10), path, datasource__write__operation="upsert", **options)
    aside.rename(plan)
    [pending] = table.pending()
    assert (pending.outdated, pending.repairable) == (1, True)
    assert "1 file group of its" in pending.standing
    assert table.repair()
    assert pending_instants(table.path) == []


@pytest.mark.parametrize("share", quick_first([0.5, 0.0], quick=0), ids=["half", "empty"])
def test_a_plan_that_was_not_written_whole_is_dropped(
    spark: SparkSession, table: hz.ZOrderTable, share: float
) -> None:
    """A full disk leaves such a plan at its name; half of one stops Hudi's readers and writers."""
    before = fingerprint(spark, table.path)
    instant = table.schedule(**LAYOUT)
    [plan] = Path(table.path, ".hoodie/timeline").glob(f"{instant}.*")
    content = plan.read_bytes()
    plan.with_name(f".{plan.name}.crc").unlink(missing_ok=True)
    plan.write_bytes(content[: int(len(content) * share)])
    if share:
        with pytest.raises(Exception, match="pending clustering"):
            fingerprint(spark, table.path)

    [pending] = table.pending()
    assert pending.standing == "nobody can execute it: it was not written whole"
    assert table.cluster(**LAYOUT)

    check(spark, Path(table.path), before)


@pytest.mark.slow
def test_half_a_plan_is_dropped_in_a_table_of_version_6_too(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(frame(spark), tmp_path / "t", write__table__version="6")
    table = hz.ZOrderTable(spark, path)
    before = fingerprint(spark, path)
    instant = table.schedule(**LAYOUT)
    [plan] = Path(path, ".hoodie").glob(f"{instant}.*")
    content = plan.read_bytes()
    plan.with_name(f".{plan.name}.crc").unlink(missing_ok=True)
    plan.write_bytes(content[: len(content) // 2])
    with pytest.raises(hz.TableError, match="is damaged in"):
        table.cluster(**LAYOUT)

    os.utime(plan, (time.time() - 61,) * 2)

    assert table.cluster(**LAYOUT)
    assert fingerprint(spark, path) == before
    assert table.pending() == []


@pytest.mark.parametrize("left", quick_first([HALF, b""]), ids=["half", "empty"])
def test_a_rollback_whose_plan_was_not_written_whole_stops_nobody(
    spark: SparkSession, table: hz.ZOrderTable, left: bytes
) -> None:
    """As of a cancelling for which the disk was full: beside those who lock it stays for ever."""
    before = fingerprint(spark, table.path)
    began = f"{datetime.now():%Y%m%d%H%M%S%f}"[:17]
    damaged = Path(table.path, ".hoodie/timeline", f"{began}.rollback.requested")
    damaged.write_bytes(left)

    assert table.cluster(**LAYOUT)

    assert str(table.repair()) == "Nothing to repair."
    assert damaged.exists()
    check(spark, Path(table.path), before)


@pytest.fixture
def beating(table: hz.ZOrderTable) -> Iterator[str]:
    """The instant of a plan that a process executes, by the heartbeat of Hudi's own."""
    instant = table.schedule(**LAYOUT)
    assert instant is not None
    beat = Path(table.path, ".hoodie/.heartbeat", instant)
    beat.parent.mkdir(exist_ok=True)
    beat.touch()
    stopped = Event()

    def beats() -> None:
        while not stopped.wait(1.2):
            beat.touch()

    thread = Thread(target=beats)
    thread.start()
    yield instant
    stopped.set()
    thread.join()


def test_what_lives_is_left_alone_unless_forced(
    table: hz.ZOrderTable, beating: str, run: Callable[..., Any]
) -> None:
    [plan] = table.pending()
    assert (plan.executor, plan.command) == ("alive", "")
    assert "Wait until it has ended." in str(table.pending())
    assert not table.repair()
    said = " ".join(run("cluster", table.path, *AS_FLAGS, code=4).stderr.split())
    assert f"its files are taken by the requested plan {beating}" in said
    assert "that it lives; cluster again when it has ended" in said
    with pytest.raises(hz.PlanInUseError, match="or give '--force' or force=True"):
        table.cancel(beating)
    with pytest.raises(hz.ClusteringError, match="Unable to load class"):
        table.cancel(beating, force=True, hudi_options={LOCK_PROVIDER: "no.such.Lock"})
    run("cancel", table.path, beating, "--force")
    assert table.pending() == []


@pytest.mark.slow
def test_a_plan_with_an_option_of_another_version_is_refused_with_the_reason(
    spark: SparkSession, table: hz.ZOrderTable
) -> None:
    before = fingerprint(spark, table.path)
    instant = table.schedule(**LAYOUT) or ""
    [file] = Path(table.path, ".hoodie/timeline").glob(f"{instant}.*")
    with file.open("rb") as content:
        plan = fastavro.reader(content)
        schema, [request] = plan.writer_schema, list(plan)
    parameters = request["clusteringPlan"]["strategy"]["strategyParams"]
    parameters["hoodie.clustering.zorder.newer"] = "1"
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    with file.open("wb") as content:
        fastavro.writer(content, schema, [request])

    with pytest.raises(hz.OptionError, match=r"zorder\.newer'.* was taken off the timeline"):
        table.execute(instant)

    check(spark, Path(table.path), before)


def late_rollback(
    spark: SparkSession, client: Any, instant: str, *, begun: bool, ends: bool
) -> Callable[[], None]:
    """What ``HoodieTable.rollbackInflightInstant`` does under a lock for which it has waited.

    ``begun`` tells whether it has had its time before that, ``ends`` whether it lives to its end.
    """
    jvm: Any = spark._jvm
    config, engine = client.getConfig(), client.getEngineContext()
    opened = jvm.org.apache.hudi.table.HoodieSparkTable.create(config, engine)
    meta_client = opened.getMetaClient()
    inflight = jvm.org.apache.hudi.common.util.ClusteringUtils.getInflightClusteringInstant(
        instant, opened.getActiveTimeline(), meta_client.getInstantGenerator()
    ).get()
    before = meta_client.createNewInstantTime(False)

    def roll_back() -> None:
        time = before if begun else meta_client.createNewInstantTime(False)
        by_markers = config.shouldRollbackUsingMarkers()
        opened.scheduleRollback(engine, time, inflight, False, by_markers, False)
        if not ends:
            return
        opened.rollback(engine, time, inflight, False, False)
        opened.getActiveTimeline().revertInstantFromInflightToRequested(inflight)

    return roll_back


@pytest.mark.slow
@pytest.mark.parametrize(("begun", "ends"), [(False, True), (True, True), (True, False)])
def test_a_clustering_that_was_rolled_back_after_its_commit_is_taken_back(
    spark: SparkSession, table: hz.ZOrderTable, begun: bool, ends: bool
) -> None:
    """By who has waited for the lock under which it was committed, as Hudi's own executors do."""
    before = fingerprint(spark, table.path)
    instant = table.schedule(**LAYOUT) or ""
    with pytest.raises(hz.ClusteringError):
        table.execute(instant, hudi_options={"hoodie.precommit.validators": "no.such.Validator"})
    with table._service._hudi._client(LOCKING) as client:
        roll_back = late_rollback(spark, client, instant, begun=begun, ends=ends)
        table.execute(instant)
        roll_back()
    if ends:
        assert fingerprint(spark, table.path) != before, "Hudi keeps the rows by itself: simplify"

    assert table.repair(dry_run=True).last_looks == (instant,)
    [taken_back] = table.repair().plans

    assert (taken_back.instant, taken_back.state) == (instant, "committed")
    assert not table.repair()
    check(spark, Path(table.path), before)
    rollbacks = {file.name[:17] for file in Path(table.path).glob(".hoodie/timeline/2*.rollback.*")}
    ended = {file.name[:17] for file in Path(table.path).glob(".hoodie/timeline/2*_*.rollback")}
    assert rollbacks == ended
    assert table.cluster(**LAYOUT)
