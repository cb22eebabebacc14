"""The strategy inside Hudi's clustering service, by Hudi's own configuration alone."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hudi import HudiTableBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from conftest import METADATA_TABLE, quick_first
from hudi_tables import (
    PLAN_STRATEGY,
    STRATEGY,
    base_files,
    cluster_by_call,
    fingerprint,
    ordered_column,
    pending_instants,
    read,
    read_shares,
    session_settings,
)
from hudi_zorder import ZOrderTable
from hudi_zorder.spark.scan_metrics import scan_metrics

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 12_000
TARGET = {"clustering__plan__strategy__target__file__max__bytes": "40000"}
WriteHudi = Callable[..., str]


def frame(spark: SparkSession, rows: int = ROWS) -> DataFrame:
    return spark.range(rows).select(
        F.col("id"),
        F.expr("cast(hash(id, 1) as int)").alias("a"),
        F.expr("hash(id, 2) % 1000000 + 0L").alias("b"),
        F.expr("concat('region-', id % 2)").alias("region"),
        F.expr("md5(cast(id as string))").alias("text"),
    )


def with_updates(spark: SparkSession, path: str, write_hudi: WriteHudi, **options: str) -> None:
    """Changes a tenth of the rows and deletes a few, into log files where the table has logs."""
    changed = frame(spark).where("id % 10 = 3").withColumn("b", F.lit(-1).cast("long"))
    write_hudi(changed, path, **{**options, "datasource__write__operation": "upsert"})
    gone = frame(spark).where("id % 1000 = 7")
    write_hudi(gone, path, **{**options, "datasource__write__operation": "delete"})


@pytest.mark.parametrize("row_writer", quick_first(["true", "false"]))
@pytest.mark.parametrize("partition", quick_first(["region", ""]))
@pytest.mark.parametrize("kind", quick_first(["MERGE_ON_READ", "COPY_ON_WRITE"]))
def test_rows_survive_and_files_are_skipped(
    spark: SparkSession,
    write_hudi: WriteHudi,
    tmp_path: Path,
    kind: str,
    partition: str,
    row_writer: str,
) -> None:
    options = {"datasource__write__table__type": kind}
    if partition:
        options["datasource__write__partitionpath__field"] = partition
    path = write_hudi(frame(spark), tmp_path / "t", **options)
    with_updates(spark, path, write_hudi, **options)
    before = fingerprint(spark, path)
    assert before[0] == ROWS - 12

    cluster_by_call(spark, path, "a,b", **TARGET, datasource__write__row__writer__enable=row_writer)

    assert fingerprint(spark, path) == before
    assert pending_instants(path) == []
    files = base_files(spark, path)
    assert len(files) >= 8
    per_partition = len(files) / (2 if partition else 1)
    shares = read_shares(spark, path, ["a", "b"])
    assert max(shares.values()) < 1.3 * per_partition**-0.5
    # Another reader finds the same rows.
    batches = HudiTableBuilder.from_base_uri(path).build().read()
    assert sum(batch.num_rows for batch in batches) == before[0]


@pytest.mark.slow
def test_inline_clustering_runs_with_the_write(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    inline = {
        **TARGET,
        "clustering__inline": "true",
        "clustering__inline__max__commits": "1",
        "clustering__execution__strategy__class": STRATEGY,
        "clustering__plan__strategy__class": PLAN_STRATEGY,
        "clustering__plan__strategy__sort__columns": "a,b",
    }
    path = write_hudi(frame(spark), tmp_path / "t", **inline)

    assert read(spark, path).count() == ROWS
    assert len(base_files(spark, path)) >= 8
    assert max(read_shares(spark, path, ["a", "b"]).values()) < 0.6


def test_a_query_reads_fewer_files_by_sparks_own_metrics(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    index = {"metadata__index__column__stats__enable": "true"}
    with session_settings(spark, {METADATA_TABLE: "true"}):
        path = write_hudi(frame(spark), tmp_path / "t", **index)
        reads_fewer_files(spark, path, **index)


def reads_fewer_files(spark: SparkSession, path: str, **index: str) -> None:
    [value] = read(spark, path).where("id = 4711").select("a").collect()

    def question() -> DataFrame:
        return read(spark, path).where(F.col("a") == value[0]).select("id", "a", "b")

    asked = question()
    answer = asked.collect()
    files_before = scan_metrics(asked).files
    cluster_by_call(spark, path, "a,b", **TARGET, **index)
    spark.catalog.refreshByPath(path)
    asked_again = question()

    assert asked_again.collect() == answer
    after = scan_metrics(asked_again)
    total = len(base_files(spark, path))
    assert files_before == 2
    assert after.files < 0.6 * total
    assert after.rows < 0.6 * ROWS


def test_the_plan_is_obeyed_by_an_executor_with_other_settings(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t")
    plan = {
        "hoodie.clustering.plan.strategy.class": PLAN_STRATEGY,
        "hoodie.clustering.execution.strategy.class": STRATEGY,
        "hoodie.clustering.plan.strategy.target.file.max.bytes": "40000",
    }
    options = ",".join(f"{key}={value}" for key, value in plan.items())
    call = "CALL run_clustering(path => '{}', op => '{}', {} options => '{}')"
    spark.sql(call.format(path, "schedule", "order => 'b',", options)).collect()
    assert len(pending_instants(path)) == 1
    # Nothing but the class: Hudi takes it from the executor's configuration.
    other = f"hoodie.clustering.execution.strategy.class={STRATEGY}"
    other += (
        ",hoodie.clustering.plan.strategy.sort.columns=a,hoodie.layout.optimize.strategy=linear"
    )
    spark.sql(call.format(path, "execute", "", other)).collect()

    shares = read_shares(spark, path, ["a", "b"])
    assert shares["b"] < 0.2
    assert shares["a"] > 0.8


@pytest.mark.parametrize("rows", quick_first([0, 1, 2]))
def test_a_tiny_table_clusters(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, rows: int
) -> None:
    path = write_hudi(frame(spark, 2), tmp_path / "t")
    gone = frame(spark, 2).where(F.col("id") >= rows)
    if rows < 2:
        write_hudi(gone, path, datasource__write__operation="delete")
    before = fingerprint(spark, path)
    assert before[0] == rows
    files = set(Path(path).glob("*.parquet"))

    cluster_by_call(spark, path, "a,b")

    assert fingerprint(spark, path) == before
    assert len(set(Path(path).glob("*.parquet")) - files) == min(1, rows)
    assert pending_instants(path) == []


def test_log_files_without_a_base_file_are_clustered(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "index__type": "INMEMORY",
        "datasource__write__operation": "upsert",
    }
    path = write_hudi(frame(spark, 500), tmp_path / "t", **options)
    before = fingerprint(spark, path)

    cluster_by_call(spark, path, "a", index__type="INMEMORY")

    assert fingerprint(spark, path) == before
    assert all(file.suffix == ".parquet" for file in base_files(spark, path))


@pytest.mark.slow
def test_the_same_table_clusters_to_the_same_files(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    layouts = []
    for attempt in ("first", "second"):
        path = write_hudi(frame(spark), tmp_path / attempt)
        cluster_by_call(spark, path, "a,b", **TARGET)
        layouts.append({tuple(ordered_column(file, "id")) for file in base_files(spark, path)})

    assert layouts[0] == layouts[1]


def test_a_group_that_fails_stops_the_others_before_the_clustering_returns(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = frame(spark, 200_000).withColumn("p", F.expr("if(id < 100, 'bad', 'good')"))
    path = write_hudi(rows, tmp_path / "t", datasource__write__partitionpath__field="p")
    bad = next(file for file in base_files(spark, path) if file.parent.name == "bad")
    bad.write_bytes(b"no Parquet file")

    with pytest.raises(Exception, match=re.escape(bad.name)):
        cluster_by_call(spark, path, "a,b")

    # An attempt that goes on would write files that the next one's rollback does not know.
    time.sleep(0.5)  # what Spark tells of its jobs lags behind them
    for _ in range(20):
        assert list(spark.sparkContext.statusTracker().getActiveJobsIds()) == []
        time.sleep(0.1)


def test_a_partition_is_one_group_while_no_limit_is_chosen(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark).repartition(2), tmp_path / "t")
    files = base_files(spark, path)
    assert len(files) > 1
    for file in files:
        _stretch(file, 3 << 30)  # Hudi's default limit is 2 GiB
    settings = {
        "hoodie.clustering.plan.strategy.class": PLAN_STRATEGY,
        "hoodie.clustering.zorder.mode": "full",
    }
    with session_settings(spark, settings):
        spark.sql(f"CALL run_clustering(path => '{path}', op => 'schedule', order => 'a')")
        [plan] = spark.sql(f"CALL show_clustering(path => '{path}')").collect()

    assert plan["input_group_size"] == 1


def _stretch(file: Path, size: int) -> None:
    """Moves a file's footer away from its rows; what lies between takes no room on the disk."""
    content = file.read_bytes()
    footer = content[-8 - int.from_bytes(content[-8:-4], "little") :]
    os.truncate(file, size - len(footer))
    with file.open("ab") as grown:
        grown.write(footer)
    file.with_name(f".{file.name}.crc").unlink()


def test_every_partition_is_planned_while_no_limit_is_chosen(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = frame(spark, 320).withColumn("p", F.col("id") % 32)
    by_p = {"datasource__write__partitionpath__field": "p"}
    path = write_hudi(rows, tmp_path / "t", **by_p)
    call = f"CALL run_clustering(path => '{path}', op => 'schedule', order => 'a')"
    ours = {"hoodie.clustering.plan.strategy.class": PLAN_STRATEGY}
    table = ZOrderTable(spark, path)

    for limit, groups in (({}, 32), ({"hoodie.clustering.plan.strategy.max.num.groups": "3"}, 3)):
        with session_settings(spark, {**ours, **limit}):
            spark.sql(call).collect()
            [plan] = table.pending()
            assert plan.groups == groups
            table.cancel(plan.instant)


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", quick_first(["true", "false"]))
def test_partition_columns_that_files_leave_out_are_not_written(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, row_writer: str
) -> None:
    left_out = {
        "datasource__write__partitionpath__field": "region",
        "datasource__write__drop__partition__columns": "true",
        "datasource__write__hive_style_partitioning": "true",
    }
    rows = frame(spark, 400)
    # Not by bulk insert: Hudi's row writer drops the last columns, whichever they are.
    path = write_hudi(rows, tmp_path / "t", **left_out, datasource__write__operation="insert")
    written = base_files(spark, path)
    before = fingerprint(spark, path)
    names = pq.read_schema(written[0]).names
    assert "region" not in names

    cluster_by_call(spark, path, "a,b", datasource__write__row__writer__enable=row_writer)

    clustered = base_files(spark, path)
    assert not set(clustered) & set(written)
    assert pq.read_schema(clustered[0]).names == names
    assert fingerprint(spark, path) == before
    changed = rows.where("id < 40").withColumn("b", F.lit(-1).cast("long"))
    write_hudi(changed, path, **left_out | {"datasource__write__operation": "upsert"})
    after = read(spark, path)
    assert after.count() == 400
    assert after.where("b = -1 AND region = concat('region-', id % 2)").count() == 40


@pytest.mark.slow
def test_rows_that_share_a_record_key_are_laid_out_like_others(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = frame(spark, 60_000).withColumn("key", F.lit("k"))
    path = write_hudi(rows, tmp_path / "t", datasource__write__recordkey__field="key")
    before = fingerprint(spark, path)

    cluster_by_call(
        spark,
        path,
        "a,b",
        clustering__plan__strategy__target__file__max__bytes="200000",
        layout__optimize__build__curve__sample__size="10000",
    )

    assert fingerprint(spark, path) == before
    files = base_files(spark, path)
    assert len(files) > 8
    assert max(read_shares(spark, path, ["a", "b"]).values()) < 1.6 * len(files) ** -0.5
