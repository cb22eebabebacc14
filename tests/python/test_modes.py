"""Every mode in which Hudi runs a clustering, from PySpark, with plans that take what is new."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import StreamingQueryException

import hudi_zorder as hz
from conftest import SMALL_BLOOM_FILTERS, as_keywords, quick_first, write
from hudi_tables import (
    PLAN_STRATEGY,
    STRATEGY,
    fingerprint,
    read,
    unfinished,
)
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    EXECUTION_CLASS,
    MAX_BYTES_PER_PLAN,
    MODE,
    PLAN_CLASS,
    READ_THRESHOLD,
)
from hudi_zorder.options import STRATEGY as STRATEGY_OPTION
from jvm_threads import threads

OPTIONS = hz.ZOrderOptions(columns=["a", "b"], target_file_size="20KB")
INSERT = {"datasource__write__operation": "insert"}
VERSION_6 = {"write__table__version": "6", "write__auto__upgrade": "false"}
BY_REGION = {"datasource__write__partitionpath__field": "region"}
ROWS = 1_000
CONF = Path(__file__).parents[2] / "conf"


def frame(spark: SparkSession, load: int, rows: int = ROWS) -> DataFrame:
    return spark.range(load * 100_000, load * 100_000 + rows, 1, 1).selectExpr(
        "id",
        "cast(hash(id, 1) as int) AS a",
        "hash(id, 2) % 1000000 + 0L AS b",
        "concat('r', id % 3) AS region",
    )


def news(table: hz.ZOrderTable) -> list[int]:
    """How many files each clustering of a table took since they were new, the oldest first."""
    return [past.taken["new"] for past in table.history()]


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> hz.ZOrderTable:
    """A partitioned table that is laid out, and has a file of another load in each partition."""
    path = tmp_path_factory.mktemp("modes") / "t"
    write(frame(spark, 0), path, **BY_REGION)
    table = hz.ZOrderTable(spark, path)
    assert table.cluster(options=OPTIONS)
    write(frame(spark, 1, 300), path, **BY_REGION)
    return table


def call(table: hz.ZOrderTable, arguments: str, **settings: str) -> list[Any]:
    """Names no size of files: it is that of the last clustering, or all would be taken again."""
    chosen = {PLAN_CLASS: PLAN_STRATEGY, EXECUTION_CLASS: STRATEGY, **settings}
    options = ",".join(f"{key}={value}" for key, value in chosen.items())
    statement = f"CALL run_clustering(path => '{table.path}', {arguments}, options => '{options}')"
    return table.spark.sql(statement).collect()


@pytest.mark.parametrize(
    ("chosen", "partitions"),
    [
        ("predicate => 'region > \\'r0\\''", ("r1", "r2")),
        ("selected_partitions => 'r0,r2,r0'", ("r0", "r2")),
        # By another spelling of its folder Hudi replaces no file of it.
        ("selected_partitions => 'r0/,.//r2,r0'", ("r0", "r2")),
        ("partition_regex_pattern => 'r[01]'", ("r0", "r1")),
    ],
)
def test_call_plans_the_partitions_that_it_names(
    table: hz.ZOrderTable, chosen: str, partitions: tuple[str, ...]
) -> None:
    call(table, f"op => 'schedule', order => 'a,b', {chosen}")
    [plan] = table.pending()
    table.cancel(plan.instant)
    assert plan.partitions == partitions
    assert len(plan.file_groups) == len({*plan.file_groups})
    assert (plan.ours, plan.columns, plan.taken["new"]) == (True, ("a", "b"), len(partitions))
    call(table, "op => 'schedule', order => 'a,b', predicate => 'region = \\'r9\\''")
    assert table.pending() == []


def test_call_schedules_executes_and_does_both(table: hz.ZOrderTable) -> None:
    before = fingerprint(table.spark, table.path)
    call(table, "op => 'schedule', order => 'a,b', selected_partitions => 'r0'")
    call(table, "op => 'execute'")
    call(table, "op => 'scheduleAndExecute', order => 'a,b'")
    first, second = table.history()[-2:]
    assert (first.partitions, second.partitions) == (("r0",), ("r1", "r2"))
    assert (first.taken["new"], second.taken["new"]) == (1, 2)
    call(table, "op => 'scheduleAndExecute', order => 'a,b'")
    assert table.history()[-1] == second
    assert table.pending() == []
    assert fingerprint(table.spark, table.path) == before


@pytest.mark.slow
def test_call_looks_where_nothing_was_written_if_it_asks_for_more(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = hz.ZOrderTable(spark, write(frame(spark, 0), tmp_path / "t", **BY_REGION))
    assert table.cluster(options=OPTIONS)

    def planned(arguments: str, **settings: str) -> dict[str, int]:
        call(table, f"op => 'schedule', {arguments}", **settings)
        if not table.pending():
            return {}
        [plan] = table.pending()
        regions = {"r0", "r1", "r2"}
        assert {*plan.partitions, *unfinished(table.path, plan.instant)} == regions
        table.cancel(plan.instant)
        return dict(plan.taken)

    assert planned("order => 'a,b'") == {}
    assert planned("order => 'a,b'", **{READ_THRESHOLD: "1.2"}) == {}
    files = len(read(spark, table.path).inputFiles())
    assert planned("order => 'a,b'", **{MODE: "full"}) == {"full": files}
    assert planned("order => 'a'") == {"other_layout": files}
    [first] = planned("order => 'a', selected_partitions => 'r0'").values()
    assert 0 < first < files


@pytest.mark.slow
def test_call_goes_on_where_a_limit_has_ended_a_plan_though_a_table_has_no_partitions(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = hz.ZOrderTable(spark, write(frame(spark, 0, 4 * ROWS), tmp_path / "t"))
    table.cluster(options=OPTIONS)
    [first] = table.history()
    limit = {MAX_BYTES_PER_PLAN: str(first.bytes * 2 // 3)}
    before = fingerprint(spark, table.path)

    for _ in range(3):
        call(table, "op => 'scheduleAndExecute', order => 'b'", **limit)

    led_over = [past.taken.get("other_layout", 0) for past in table.history()]
    assert (len(led_over), sum(led_over)) == (3, first.files_after)
    assert fingerprint(spark, table.path) == before


@pytest.mark.slow
def test_call_by_the_last_columns_goes_on_with_their_weights(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(frame(spark, 0), tmp_path / "t", **BY_REGION)
    table = hz.ZOrderTable(spark, path)
    weights = {"a": 1.0, "b": 0.33}
    assert table.cluster(options=replace(OPTIONS, column_weights=weights, strategy="HILBERT"))
    write(frame(spark, 1, 300), path, **BY_REGION)
    call(table, "op => 'schedule', order => 'A,b'")
    [plan] = table.pending()
    assert plan.taken["new"] == 3
    assert "other_layout" not in plan.taken
    assert plan.parameters[COLUMN_WEIGHTS] == "a=1.0,b=0.33"
    assert plan.parameters[STRATEGY_OPTION] == "HILBERT"
    call(table, "op => 'execute'")
    [_, past] = table.history()
    assert (past.strategy, past.column_weights) == ("HILBERT", {"b": 0.33})


@pytest.mark.parametrize("version", quick_first([{}, VERSION_6]), ids=["newest", "version 6"])
def test_a_writer_clusters_inline_and_takes_what_is_new(
    spark: SparkSession, tmp_path: Path, version: dict[str, str]
) -> None:
    inline = {**as_keywords(OPTIONS.inline(max_commits=2)), **INSERT, **version}
    table = hz.ZOrderTable(spark, write(frame(spark, 0), tmp_path / "t", **inline))
    assert table.history() == []
    write(frame(spark, 1), table.path, **inline)
    assert news(table) == [2]
    write(frame(spark, 2, 50), table.path, **inline)
    assert len(table.history()) == 1
    write(frame(spark, 3, 50), table.path, **inline)
    assert news(table) == [2, 2]
    assert read(spark, table.path).count() == 2 * ROWS + 100
    assert table.pending() == []


@pytest.mark.slow
def test_a_writer_plans_and_another_executes(spark: SparkSession, tmp_path: Path) -> None:
    planning = {**as_keywords(OPTIONS.scheduled(max_commits=1)), **INSERT}
    table = hz.ZOrderTable(spark, write(frame(spark, 0), tmp_path / "t", **planning))
    [plan] = table.pending()
    assert (plan.ours, plan.state, plan.taken) == (True, "requested", {"new": 1})
    with pytest.raises(hz.PlanInUseError, match=f"run hudi-zorder execute .* {plan.instant}"):
        table.cluster(options=OPTIONS)
    # What is written meanwhile is for the next plan.
    write(frame(spark, 1, 50), table.path, **planning)
    assert [pending.instant for pending in table.pending()] == [plan.instant]
    assert table.execute(plan.instant).files_left == 1

    write(frame(spark, 2, 50), table.path, **planning)
    [plan] = table.pending()
    assert plan.taken["new"] == 2
    call(table, "op => 'execute'")
    assert news(table) == [1, 2]
    assert read(spark, table.path).count() == ROWS + 100
    assert table.pending() == []


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)


class Stream:
    """A stream into the table ``t`` that clusters it beside itself."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder
        self._query: Any = None

    def load(self, rows: DataFrame | None = None) -> None:
        """Feeds rows, and waits until they are there."""
        source = str(self._folder / "source")
        if rows is not None:
            rows.coalesce(1).write.mode("append").parquet(source)
        if self._query is None or not self._query.isActive:
            schema = self._spark.read.parquet(source).schema
            written = self._spark.readStream.schema(schema).parquet(source).writeStream
            written = written.format("hudi").options(
                **{
                    "hoodie.table.name": "t",
                    "hoodie.datasource.write.recordkey.field": "id",
                    "hoodie.upsert.shuffle.parallelism": "2",
                    "hoodie.parquet.small.file.limit": "0",
                    SMALL_BLOOM_FILTERS[0]: SMALL_BLOOM_FILTERS[1],
                },
                **OPTIONS.async_(max_commits=1),
            )
            checkpoint = str(self._folder / "checkpoint")
            started = written.option("checkpointLocation", checkpoint)
            self._query = started.start(str(self._folder / "t"))
        with self._freed():
            self._query.processAllAvailable()

    def stop(self) -> None:
        """Ends the query, and waits until nothing clusters beside it: Hudi lets that go on."""
        if self._query is not None:
            with self._freed():
                self._query.stop()
            until(lambda: not self._clusters())

    @contextmanager
    def _freed(self) -> Iterator[None]:
        """Ends Hudi's wait of a failed clustering for itself, which holds the query for a day."""
        done = Event()

        def watch() -> None:
            while not done.wait(2):
                self._clusters()

        watching = Thread(target=watch)
        watching.start()
        try:
            yield
        finally:
            done.set()
            watching.join()

    def _clusters(self) -> bool:
        """Whether a service does anything but wait for plans; ends its wait for itself."""
        busy = False
        for thread, calls in threads(self._spark, "async_clustering_thread"):
            methods = {call.rpartition(".")[2] for call in calls}
            busy |= "fetchNextAsyncServiceInstant" not in methods
            if {"reset", "awaitTermination"} <= methods:
                thread.interrupt()
        return busy


@pytest.fixture
def stream(spark: SparkSession, tmp_path: Path) -> Iterator[Stream]:
    stream = Stream(spark, tmp_path)
    yield stream
    stream.stop()


@pytest.mark.slow
def test_a_stream_that_keeps_writing_is_clustered_beside_it(
    spark: SparkSession, tmp_path: Path, stream: Stream
) -> None:
    stream.load(frame(spark, 0))
    table = hz.ZOrderTable(spark, tmp_path / "t")
    until(lambda: len(table.history()) == 1)
    stream.load(frame(spark, 1, 100))
    until(lambda: len(table.history()) == 2)
    assert news(table) == [1, 1]
    assert read(spark, table.path).count() == ROWS + 100
    assert table.pending() == []


@pytest.mark.slow
def test_a_stream_that_updates_clusters_within_its_batches(
    spark: SparkSession, tmp_path: Path
) -> None:
    source, path = str(tmp_path / "source"), str(tmp_path / "t")
    inline = {**OPTIONS.inline(max_commits=2), "hoodie.datasource.write.recordkey.field": "id"}
    inline |= {"hoodie.table.name": "t", SMALL_BLOOM_FILTERS[0]: SMALL_BLOOM_FILTERS[1]}

    def load(batch: DataFrame, number: int) -> None:
        batch.write.format("hudi").options(**inline).mode("append").save(path)

    for rows in (frame(spark, 0), frame(spark, 0, 100).withColumn("b", F.lit(-1).cast("long"))):
        rows.coalesce(1).write.mode("append").parquet(source)
        time.sleep(0.01)  # a stream takes files by their times
    changes = spark.readStream.schema(frame(spark, 0).schema).option("maxFilesPerTrigger", "1")
    written = changes.parquet(source).writeStream.foreachBatch(load).trigger(availableNow=True)
    written.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()

    [past] = hz.ZOrderTable(spark, path).history()
    assert (past.taken, past.rows) == ({"new": 1}, ROWS)
    rows = read(spark, path)
    assert (rows.count(), rows.where("b = -1").count()) == (ROWS, 100)


@pytest.mark.slow
def test_a_stream_that_updates_what_is_clustered_beside_it_loses_nothing(
    spark: SparkSession, tmp_path: Path, stream: Stream
) -> None:
    """The clustering gives way; Hudi ends the query then, which goes on when it is run again."""
    stream.load(frame(spark, 0, 20 * ROWS))
    table = hz.ZOrderTable(spark, tmp_path / "t")
    until(lambda: len(table.history()) == 1)
    ended = 0
    for version in range(1, 9):
        update = frame(spark, 0, 20 * ROWS).withColumn("b", F.lit(-version).cast("long"))
        try:
            stream.load(update.where(f"id % 8 = {version % 8}"))
        except StreamingQueryException as fault:
            if "Async clustering service shutdown unexpectedly" not in str(fault):
                raise
            ended += 1
            stream.load()
    stream.stop()
    table.repair()
    for plan in table.pending():
        table.execute(plan.instant)
    rows = read(spark, table.path)
    assert rows.count() == 20 * ROWS
    assert rows.where("b <> -(CASE WHEN id % 8 = 0 THEN 8 ELSE id % 8 END)").count() == 0
    assert ended or len(table.history()) > 1
    print(f"The query was ended {ended} times, for {len(table.history())} clusterings.")


def job_client(spark: SparkSession, path: str, properties: Path) -> Any:
    """A write client of one process, made of a file of properties alone, as a job makes it."""
    hudi: Any = spark._jvm.org.apache.hudi  # type: ignore[union-attr]
    file = hudi.storage.StoragePath(properties.as_uri())
    hadoop = spark._jsc.hadoopConfiguration()  # type: ignore[attr-defined]
    props = hudi.common.config.DFSPropertiesConfiguration(hadoop, file).getProps()
    storage = hudi.hadoop.fs.HadoopFSUtils.getStorageConf(hadoop)
    metadata = hudi.common.table.HoodieTableMetaClient.builder()
    metadata = metadata.setBasePath(path).setConf(storage).build()
    schema = hudi.common.table.TableSchemaResolver(metadata).getTableSchema(False).toString()
    config = hudi.config.HoodieWriteConfig.newBuilder().withPath(path).forTable("t")
    config = config.combineInput(True, True).withSchema(schema).withProps(props).build()
    context = hudi.client.common.HoodieSparkEngineContext(spark._jsc)  # type: ignore[attr-defined]
    return hudi.client.SparkRDDWriteClient(context, config)


@pytest.mark.slow
def test_the_example_configures_a_job_that_plans_and_one_that_executes(
    spark: SparkSession, tmp_path: Path
) -> None:
    """``HoodieClusteringJob``, which is not in the bundle, makes two such clients."""
    path = write(frame(spark, 0), tmp_path / "t")
    before = fingerprint(spark, path)
    text = (CONF / "clustering.properties").read_text(encoding="utf-8")
    properties = tmp_path / "clustering.properties"
    properties.write_text(f"{text}hoodie.clustering.plan.strategy.sort.columns=a,b\n")
    none = spark._jvm.org.apache.hudi.common.util.Option.empty()  # type: ignore[union-attr]

    planner = job_client(spark, path, properties)
    instant = planner.scheduleClustering(none).get()
    planner.close()
    executor = job_client(spark, path, properties)
    executor.cluster(instant)
    executor.close()

    [past] = hz.ZOrderTable(spark, path).history()
    assert (past.instant, past.columns, past.taken) == (instant, ("a", "b"), {"new": 1})
    assert fingerprint(spark, path) == before


@pytest.mark.slow
def test_of_two_runs_from_cron_one_clusters_and_the_other_finds_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(frame(spark, 0, 200_000), tmp_path / "t")
    before = fingerprint(spark, path)
    program = "from hudi_zorder.cli import main; main()"
    command = [sys.executable, "-c", program, "cluster", path, "--columns", "a,b"]
    command += ["--conf", "spark.master=local[1]", "--output", "json"]

    def run() -> tuple[int, str]:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout or done.stderr

    with ThreadPoolExecutor(2) as pool:
        ends = sorted(pool.map(lambda _: run(), range(2)))

    table = hz.ZOrderTable(spark, path)
    [past] = table.history()
    (code, said), (other, words) = ends
    assert code == 0
    instants = [json.loads(said)["instant"]]
    if other == 4:
        assert json.loads(words)["error"]["kind"] in ("PlanInUseError", "ConflictError")
    else:
        assert other == 0
        instants.append(json.loads(words)["instant"])
    assert [instant for instant in instants if instant] == [past.instant]
    assert table.pending() == []
    assert fingerprint(spark, path) == before
