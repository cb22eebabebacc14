"""Clustering real Hudi tables from Python: every verb, and what is refused."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, write
from hudi_tables import FAILS_IN_EXECUTION, session_settings
from hudi_zorder.options import STRATEGY, VERIFY
from hudi_zorder.spark._jvm.write_client import HudiJvm
from hudi_zorder.stats.column_stats import IndexWarning

ROWS = 20_000
WriteHudi = Callable[..., str]


def frame(spark: SparkSession, rows: int = ROWS, start: int = 0) -> DataFrame:
    """Rows whose columns ``a`` and ``b`` are independent; ``day`` has three values."""
    return spark.range(start, start + rows).select(
        "id",
        F.expr("cast(hash(id) as int)").alias("a"),
        F.expr("cast(xxhash64(id, 7) % 1000000 as double) / 8").alias("b"),
        F.expr("concat('2026-11-0', 1 + id % 3)").alias("day"),
        F.expr("repeat(md5(cast(id as string)), 2)").alias("text"),
    )


def fingerprint(spark: SparkSession, path: str) -> tuple[Any, ...]:
    """Row count and an order-independent hash over all columns of the user's."""
    rows = spark.read.format("hudi").load(path)
    columns = sorted(name for name in rows.columns if not name.startswith("_hoodie_"))
    hashes = rows.select(F.xxhash64(*columns).cast("decimal(38,0)").alias("h"))
    return tuple(hashes.agg(F.count("h"), F.sum("h")).first() or ())


@pytest.fixture
def path(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    return made_once(tmp_path / "flat", lambda path: write(frame(spark), path))


@pytest.fixture
def partitioned(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    options = {"datasource__write__partitionpath__field": "day"}
    rows = frame(spark, 3000).withColumn("tags", F.array("text"))
    return made_once(tmp_path / "days", lambda path: write(rows, path, **options))


def test_cluster_changes_no_row_and_lets_files_be_skipped(spark: SparkSession, path: str) -> None:
    before = fingerprint(spark, path)
    table = hz.ZOrderTable(spark, path)
    result = table.cluster(["a", "b"], target_file_size="50KB")
    assert fingerprint(spark, path) == before
    assert result
    assert result.before.rows == result.after.rows == ROWS
    assert result.before.files == 2
    assert result.after.files > 8
    assert result.before.bytes > 0 < result.after.bytes
    assert result.partitions == ("",)
    assert result.groups == 1
    for column in ("a", "b"):
        assert result.before.overlap[column] == pytest.approx(1.0)
        assert result.after.overlap[column] < 1.8 * result.after.files**-0.5
    assert {"schedule", "execute", "total"} <= result.seconds.keys()
    assert sum(result.phases.values()) > 0
    assert table.pending() == []
    assert json.loads(json.dumps(result.to_dict()))["instant"] == result.instant
    [past] = table.history()
    assert (past.instant, past.columns, past.strategy) == (result.instant, ("a", "b"), "ZORDER")
    assert (past.rows, past.files_after) == (ROWS, result.after.files)
    # A real query skips by the index; what it skips by is right in the footers, too.
    stats = table.column_stats(["a", "b"])
    assert stats.schema.metadata[b"source"] == b"index"
    assert stats.equals(table.column_stats(["a", "b"], source="footers"))


@pytest.mark.slow
def test_a_second_clustering_lays_out_by_other_columns(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    table.cluster(["a"], target_file_size="300KB")
    result = table.cluster(["text"], target_file_size="300KB")
    assert result.after.overlap["text"] < 1.8 / result.after.files
    assert [past.columns for past in table.history()] == [("a",), ("text",)]


def test_a_plan_carries_its_layout_to_whoever_executes_it(spark: SparkSession, path: str) -> None:
    options = hz.ZOrderOptions(
        columns=["b", "a"], strategy="HILBERT", seed=5, column_weights={"b": 2}
    )
    instant = hz.ZOrderTable(spark, path).schedule(options=options)
    assert instant is not None
    table = hz.ZOrderTable(spark, path)
    [plan] = table.pending()
    assert (plan.instant, plan.state, plan.columns) == (instant, "requested", ("b", "a"))
    assert (plan.groups, len(plan.file_groups)) == (1, 2)
    assert plan.parameters["hoodie.layout.optimize.strategy"] == "HILBERT"
    assert plan.parameters["hoodie.clustering.zorder.seed"] == "5"
    for key, other, own in ((VERIFY, "content", "count"), (STRATEGY, "LINEAR", "HILBERT")):
        with pytest.raises(hz.OptionError, match=f"'{other}', .* has '{own}'; leave it out"):
            table.execute(instant, hudi_options={key: other})
    result = table.execute(instant, hudi_options={**options.to_dict(), VERIFY: "COUNT"})
    assert (result.instant, result.columns) == (instant, ("b", "a"))
    assert table.history()[0].strategy == "HILBERT"


def test_a_failed_execution_can_be_tried_again_or_cancelled(spark: SparkSession, path: str) -> None:
    before = fingerprint(spark, path)
    table = hz.ZOrderTable(spark, path)
    instant = table.schedule(["a"])
    assert instant is not None
    with pytest.raises(hz.ClusteringError, match=instant) as caught:
        table.execute(instant, hudi_options=FAILS_IN_EXECUTION)
    assert str(caught.value).startswith("Cannot cluster the table's files: ")
    assert caught.value.__cause__ is not None
    assert [plan.state for plan in table.pending()] == ["inflight"]
    assert fingerprint(spark, path) == before
    # Hudi tells nobody of what fails between the last group and the commit.
    with pytest.raises(hz.ClusteringError, match=f"The plan is still pending: execute.'{instant}'"):
        table.execute(instant, hudi_options={"hoodie.precommit.validators": "no.such.Validator"})
    assert table.execute(instant)
    again = table.schedule(["b"])
    assert again is not None
    with pytest.raises(hz.ClusteringError):
        table.execute(again, hudi_options=FAILS_IN_EXECUTION)
    # By a task that has opened it before somebody deleted the markers.
    unmarked = Path(path, f"unmarked-0_0-0-0_{again}.parquet")
    unmarked.touch()
    table.cancel(again)
    assert not unmarked.exists()
    assert table.pending() == []
    assert fingerprint(spark, path) == before


def test_who_has_failed_ends_its_own_heartbeat_and_no_other(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    instant = table.schedule(["a"])
    assert instant is not None
    beat = Path(path, ".hoodie/.heartbeat", instant)
    beat.parent.mkdir(exist_ok=True)
    beat.write_text("another-boot pid:[1] 1 1")
    table._service.rollback.end_execution(instant)
    assert beat.exists()
    beat.write_text(table._service._hudi.process())
    table._service.rollback.end_execution(instant)
    assert not beat.exists()


def test_cluster_leaves_nothing_behind_when_it_fails(spark: SparkSession, path: str) -> None:
    before = fingerprint(spark, path)
    table = hz.ZOrderTable(spark, path)
    with pytest.raises(hz.ClusteringError, match=r"\. The plan was rolled back"):
        table.cluster(["a"], hudi_options=FAILS_IN_EXECUTION)
    assert table.pending() == []
    assert fingerprint(spark, path) == before
    assert table.cluster(["a"])


def test_a_scheduled_plan_can_be_cancelled(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    instant = table.schedule(["a"])
    assert instant is not None
    with pytest.raises(hz.PlanInUseError, match=f"plan {instant}: it waits for somebody to exec"):
        table.cluster(["b"])
    assert table.schedule(["b"]) is None
    table.cancel(instant)
    assert table.pending() == []
    for verb in (table.execute, table.cancel):
        with pytest.raises(hz.ClusteringError, match=rf"'instant' was '{instant}'.*are: none"):
            verb(instant)


@pytest.mark.parametrize("fault", [hz.TableError("the store has ended"), KeyboardInterrupt()])
def test_a_plan_that_is_written_is_named_whatever_comes_after(
    spark: SparkSession,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: BaseException,
) -> None:
    """Nobody else would know which plan to execute, and Hudi refuses updates to its files."""
    table = hz.ZOrderTable(spark, path)

    def warn_of_plan(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(table._service, "warn_of_plan", warn_of_plan)
    instant = table.schedule(["a"])
    assert [plan.instant for plan in table.pending()] == [instant]
    assert f"Plan {instant} is written" in caplog.text
    assert caplog.text.strip().endswith(str(fault) or "KeyboardInterrupt")


def test_where_chooses_partitions(spark: SparkSession, partitioned: str) -> None:
    table = hz.ZOrderTable(spark, partitioned)
    result = table.cluster(["a"], where="day >= '2026-11-02'")
    assert result.partitions == ("2026-11-02", "2026-11-03")
    assert (result.groups, result.before.rows, result.after.rows) == (2, 2000, 2000)
    nothing = table.cluster(["a"], where="day = '1999-01-01'")
    assert not nothing
    assert nothing.to_dict()["after"]["files"] == 0
    assert "no partition satisfies day = '1999-01-01'" in str(nothing)
    with pytest.raises(hz.PredicateError, match=r"partitioned by day, 'where' was 'a > 3'"):
        table.cluster(["a"], where="a > 3")
    with pytest.raises(hz.PredicateError, match=r"Cannot read the predicate 'day >'.*Syntax"):
        table.cluster(["a"], where="day >")
    for where in ("dy = '2026-11-02'", "day = HNL"):
        with pytest.raises(hz.PredicateError, match=r"partitioned by day, .* put texts in quotes"):
            table.cluster(["a"], where=where)
    with pytest.raises(hz.PredicateError, match=r"""Then write "day = '2026-11-02'\""""):
        table.cluster(["a"], where="day = 2026-11-02")
    with pytest.raises(hz.PredicateError, match=r"'where' was \['day=1'\]; write a condition as"):
        table.cluster(["a"], where=["day=1"])  # type: ignore[arg-type]
    assert table.pending() == []


def test_a_chosen_partition_with_a_comma_is_refused(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """Hudi would cluster the partitions x and y in place of the one that is called 'x,y'."""
    rows = frame(spark, 400).withColumn(
        "p", F.expr("element_at(array('x', 'y', 'x,y'), cast(id % 3 as int) + 1)")
    )
    options = {"datasource__write__partitionpath__field": "p"}
    table = hz.ZOrderTable(spark, write_hudi(rows, tmp_path / "commas", **options))
    with pytest.raises(hz.PredicateError, match=r"'where' was 'p = 'x,y'', which may take 'x,y'"):
        table.cluster(["a"], where="p = 'x,y'")
    assert table.pending() == []
    assert table.cluster(["a"], where="p = 'x'").partitions == ("x",)


def test_faults_are_refused_by_name_before_a_plan_is_written(
    spark: SparkSession, partitioned: str
) -> None:
    table = hz.ZOrderTable(spark, partitioned)
    for arguments, message in (
        ({"columns": ["txt"]}, "'txt'.*'text'"),
        ({"columns": ["a", "tags"]}, "'tags'"),
        ({"columns": ["day"]}, "'day'.*partition column"),
        ({"columns": ["a"], "cut": "tree"}, "'cut'; did you mean 'cuts'"),
        ({"columns": ["a"], "stats_columns": ["txt"]}, "no column 'txt'; did you mean 'text'"),
        ({"columns": ["a"], "hudi_options": {"hoodie.clustering.zorder.sed": "1"}}, "'.*seed'"),
        ({"columns": ["a"], "hudi_options": {"hoodie.clustering.zorder.seed": "x"}}, "seed.*'x'"),
    ):
        for verb in (table.cluster, table.schedule):
            with pytest.raises(hz.OptionError, match=message) as caught:
                verb(**arguments)
            assert str(caught.value).startswith("Cannot ")
    assert table.pending() == []


def test_hudi_waits_as_long_for_markers_as_the_session_says(
    spark: SparkSession, tmp_path: Path
) -> None:
    hudi = HudiJvm(spark, write(frame(spark, 10), tmp_path / "t", metadata__enable="false"))

    def interval() -> int:
        with hudi._client({"hoodie.metadata.enable": "false"}) as client:
            return client.getConfig().getMarkersTimelineServerBasedBatchIntervalMs()

    assert interval() == 5
    with session_settings(spark, {"hoodie.markers.timeline_server_based.batch.interval_ms": "70"}):
        assert interval() == 70


def test_there_must_be_a_hudi_table(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(hz.TableError, match=rf"no Hudi table, 'path' was '{tmp_path}'"):
        hz.ZOrderTable(spark, tmp_path)


def test_tables_have_names(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spark.sql(
        "create table named (id bigint, a int) using hudi tblproperties (primaryKey = 'id') "
        f"location '{tmp_path}/named'"
    )
    try:
        table = hz.ZOrderTable.for_name(spark, "default.named")
        # Nothing was written yet, which is no fault.
        assert not table.cluster(["a"])
        with caplog.at_level(logging.WARNING, "hudi_zorder"):
            assert table.schedule(["a"]) is None
        assert "nothing was ever written" in caplog.text
        spark.sql("insert into named select id, cast(id as int) a from range(100)")
        result = table.cluster(["a"])
        assert result.after.rows == 100
        with pytest.raises(hz.TableError, match="Cannot find the table 'nowhere'"):
            hz.ZOrderTable.for_name(spark, "nowhere")
    finally:
        spark.sql("drop table named")


def test_a_name_leads_to_a_location_with_a_space(spark: SparkSession, tmp_path: Path) -> None:
    """Hudi creates the folder with %20 in place of the space, which a URI spells %2520."""
    spark.sql(
        "create table spaced (id bigint, a int) using hudi tblproperties (primaryKey = 'id') "
        f"location '{tmp_path}/a name'"
    )
    try:
        path = hz.ZOrderTable.for_name(spark, "spaced").path
    finally:
        spark.sql("drop table spaced")
    assert [Path(path.removeprefix("file:"))] == list(tmp_path.iterdir())


def test_log_files_are_merged(spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path) -> None:
    options = {"datasource__write__table__type": "MERGE_ON_READ", "compact__inline": "false"}
    path = write_hudi(frame(spark, 2000), tmp_path / "logs", **options)
    changed = frame(spark, 500).withColumn("a", F.lit(-1))
    write_hudi(changed, path, datasource__write__operation="upsert", **options)
    before = fingerprint(spark, path)
    result = hz.ZOrderTable(spark, path).cluster(["a"])
    assert fingerprint(spark, path) == before
    assert result.before.rows is None
    assert result.before.files > 2
    assert result.after.rows == 2000
    assert "merged, of which rows and overlap before know nothing" in str(result)


def test_sort_columns_get_statistics_whatever_the_list_of_the_process(
    spark: SparkSession, path: str
) -> None:
    key = "hoodie.metadata.index.column.stats.column.list"
    table = hz.ZOrderTable(spark, path)
    with pytest.warns(hz.UnsafeStatisticsWarning) as told:
        result = table.cluster(["b"], hudi_options={key: "id"})
    assert "statistics of 'a' lose rows" in " ".join(str(warning.message) for warning in told)
    assert f"'{key}' was 'id', which leaves out b" in result.notes[0]
    stats = table.column_stats(["id", "b", "a"], source="index")
    known = {name for name in ("id", "b", "a") if stats[f"{name}.min"].null_count == 0}
    assert known == {"id", "b"}
    assert set(stats["a.unknown"].to_pylist()) == {"the index has no entry of it"}


def test_columns_beyond_the_default_of_statistics_get_them(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    wide = spark.range(50).select("id", *[F.col("id").alias(f"c{i}") for i in range(40)])
    table = hz.ZOrderTable(spark, write_hudi(wide, tmp_path / "wide"))
    with pytest.warns(IndexWarning, match="empty for these columns"):
        assert table.column_stats(["c39"]).schema.metadata[b"source"] == b"footers"
    table.cluster(["c0", "c39"])
    assert table.column_stats(["c39", "c0"]).schema.metadata[b"source"] == b"index"


@pytest.mark.slow
def test_inline_clustering_by_a_writer(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = as_keywords(hz.ZOrderOptions(columns=["a"]).inline(max_commits=2))
    options["datasource__write__operation"] = "insert"
    for start in (0, 1000):
        path = write_hudi(frame(spark, 1000, start), tmp_path / "inline", **options)
    [past] = hz.ZOrderTable(spark, path).history()
    assert (past.columns, past.rows) == (("a",), 2000)


def test_a_plan_of_hudis_own_strategy_is_executed_by_it(spark: SparkSession, path: str) -> None:
    spark.sql(f"call run_clustering(path => '{path}', order => 'a', op => 'schedule')").collect()
    table = hz.ZOrderTable(spark, path)
    [plan] = table.pending()
    assert plan.execution_class.endswith("SparkSortAndSizeExecutionStrategy")
    result = table.execute(plan.instant)
    assert (result.after.rows, result.phases) == (ROWS, {})


def test_an_interrupt_leaves_nothing_behind(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fingerprint(spark, path)
    table = hz.ZOrderTable(spark, path)
    execute = HudiJvm.execute

    def interrupted(*arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        execute(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(HudiJvm, "execute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            table.cluster(["a"], target_file_size="20KB")
    assert table.pending() == []
    assert fingerprint(spark, path) == before
    assert table.cluster(["a"])


def test_an_interrupt_of_a_rollback_tells_of_it_once_it_is_done(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hz.ZOrderTable(spark, path)
    instant = str(table.schedule(["a"]))
    cancel = HudiJvm.cancel

    def interrupted(*arguments: Any, **named: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        cancel(*arguments, **named)

    monkeypatch.setattr(HudiJvm, "cancel", interrupted)
    told = f"Interrupted. The plan {instant} was rolled back"
    with pytest.raises(KeyboardInterrupt, match=re.escape(told)):
        table.cancel(instant)
    assert table.pending() == []


def test_a_plan_that_is_cancelled_as_its_execution_begins_is_said_to_be_gone(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hz.ZOrderTable(spark, path)
    execute = HudiJvm.execute
    before = fingerprint(spark, path)

    def after_somebody_has_cancelled(jvm: HudiJvm, instant: str, *config: Any) -> None:
        [requested] = Path(path, ".hoodie").glob(f"**/{instant}.clustering.requested")
        requested.unlink()
        execute(jvm, instant, *config)

    with monkeypatch.context() as patch:
        patch.setattr(HudiJvm, "execute", after_somebody_has_cancelled)
        with pytest.raises(hz.ConflictError, match="its plan is gone, for another process has"):
            table.cluster(["a"])
    assert fingerprint(spark, path) == before
    assert table.cluster(["a"])


def interrupt_twice(spark: SparkSession, path: str) -> None:
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)


def fail_in_the_jvm(spark: SparkSession, path: str) -> None:
    jvm: Any = spark._jvm
    jvm.java.lang.Integer.parseInt("no number")


def hide_the_table(spark: SparkSession, path: str) -> None:
    properties = Path(path, ".hoodie", "hoodie.properties")
    properties.rename(properties.with_name("hidden"))


@pytest.mark.parametrize(
    ("afterwards", "told"),
    [
        (interrupt_twice, "is committed, though it was interrupted"),
        (fail_in_the_jvm, 'is committed, but then something failed: Cannot .*"no number"'),
        (hide_the_table, "is committed, but what it did was not measured: Cannot open"),
    ],
)
def test_what_fails_after_the_commit_does_not_hide_it(
    spark: SparkSession,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    afterwards: Callable[[SparkSession, str], None],
    told: str,
) -> None:
    table = hz.ZOrderTable(spark, path)
    execute = HudiJvm.execute

    def and_then(*arguments: Any) -> None:
        execute(*arguments)
        afterwards(spark, path)

    monkeypatch.setattr(HudiJvm, "execute", and_then)
    result = table.cluster(["a"])
    hidden = Path(path, ".hoodie", "hidden")
    if hidden.exists():
        hidden.rename(hidden.with_name("hoodie.properties"))
    assert result.instant is not None
    assert [done.instant for done in table.history()] == [result.instant]
    [note] = result.notes
    assert re.search(f"{result.instant} {told}", note)
    assert result.instant in str(result)


def test_who_cannot_look_after_a_committed_clustering_says_so(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hz.ZOrderTable(spark, path)
    execute = HudiJvm.execute
    no_file_system = {"fs.file.impl.disable.cache": "true", "fs.file.impl": "no.such.FileSystem"}
    with ExitStack() as settings, monkeypatch.context() as patch:

        def and_then(*arguments: Any) -> None:
            execute(*arguments)
            settings.enter_context(session_settings(spark, no_file_system))
            fail_in_the_jvm(spark, path)

        patch.setattr(HudiJvm, "execute", and_then)
        result = table.cluster(["a"])
    assert [done.instant for done in table.history()] == [result.instant]
    said = "is committed, but then something failed: Cannot execute"
    assert result.notes[0].startswith(f"the clustering {result.instant} {said}")
    assert "; nor could it be looked after: Cannot look at the clustering" in result.notes[0]


@pytest.mark.parametrize("interrupted", [False, True])
def test_an_error_about_a_clustering_that_is_committed_says_so(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    table = hz.ZOrderTable(spark, path)
    execute = HudiJvm.execute

    def and_then(*arguments: Any) -> None:
        execute(*arguments)
        if interrupted:
            interrupt_twice(spark, path)
        raise hz.HiddenRowsError("Cannot keep it")

    monkeypatch.setattr(HudiJvm, "execute", and_then)
    with pytest.raises(hz.HiddenRowsError) as told:
        table.cluster(["a"])
    [done] = table.history()
    assert str(told.value) == f"Cannot keep it. The clustering {done.instant} is committed"


def test_a_relative_path_is_taken_from_the_working_folder(
    spark: SparkSession, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(path).parent)
    table = hz.ZOrderTable(spark, Path(path).name)
    assert table.path == path
    assert table.pending() == []
