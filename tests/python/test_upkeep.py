"""Run after every load: what is new is laid out, and no more than that pays."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import fingerprint, pending_instants, read, unfinished
from hudi_zorder.options import PLAN_CLASS
from loads import LAYOUT, LOAD_IDS, counted, names, rows

ROWS = 6_000


def timeline(path: str) -> set[str]:
    return {entry.name for entry in Path(path, ".hoodie", "timeline").iterdir()}


def planned(table: hz.ZOrderTable, **options: Any) -> hz.ClusteringPlan:
    """What ``plan`` returns; it changes no file, nor makes one."""
    before = everything(table.path)
    plan = table.plan(**options)
    assert everything(table.path) == before
    return plan


def everything(path: str) -> dict[Path, tuple[int, int]]:
    """Every file below the table's folder, with its size and time of change."""
    found = ((file, file.stat()) for file in Path(path).rglob("*") if file.is_file())
    return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in found}


def shares(
    of: hz.ClusteringPlan | hz.PendingClustering | hz.ClusteringResult | hz.PastClustering,
) -> tuple[float | None, ...]:
    """What a plan foretells, of which all that comes of it tells the same."""
    return of.share_now, of.share_after, of.share_as_one


def share_read(table: hz.ZOrderTable) -> float:
    """What an equality on a or b reads, by the column statistics of the table's files."""
    return table.clustering_information(["a", "b"]).share_read


# How near to what is read a plan's estimate is, by the ranges of some 30 files.
TOLERANCE = 0.05


@pytest.fixture(scope="module")
def first(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[hz.ZOrderTable, hz.ClusteringPlan]:
    """A table that was clustered once, and what had been planned."""
    path = write(rows(spark, 0, 8 * ROWS), tmp_path_factory.mktemp("upkeep") / "t")
    table = hz.ZOrderTable(spark, path)
    plan = planned(table, **LAYOUT)
    assert counted(plan.taken) == {"new": len(names(spark, path))}
    assert table.cluster(**LAYOUT)
    return table, plan


@pytest.fixture
def laid_out(
    spark: SparkSession, first: tuple[hz.ZOrderTable, hz.ClusteringPlan], tmp_path: Path
) -> hz.ZOrderTable:
    """A copy of it."""
    return hz.ZOrderTable(spark, shutil.copytree(first[0].path, tmp_path / "t"))


def test_a_second_run_plans_nothing(first: tuple[hz.ZOrderTable, hz.ClusteringPlan]) -> None:
    table, plan = first
    assert share_read(table) == pytest.approx(plan.share_after, rel=TOLERANCE)
    assert shares(table.history()[-1]) == pytest.approx(shares(plan))
    before = timeline(table.path)
    again = planned(table, **LAYOUT)
    assert not again
    assert counted(again.left_alone) == {"laid_out": plan.files_after}
    assert "Nothing to cluster." in str(again)
    nothing = table.cluster(**LAYOUT).to_dict()
    assert [nothing[name] for name in ("instant", "files_left", "bytes_left")] == [None] * 3
    assert timeline(table.path) == before
    # All of it anew: as good as it was.
    full = planned(table, **LAYOUT, mode="full")
    assert counted(full.taken) == {"full": plan.files_after}
    assert full.share_now == pytest.approx(plan.share_after, rel=TOLERANCE)
    with pytest.raises(hz.OptionError, match="another class makes it"):
        table.plan(**LAYOUT, hudi_options={PLAN_CLASS: "any.Other"})


def test_a_small_load_becomes_a_run_and_leaves_the_table_alone(
    spark: SparkSession, laid_out: hz.ZOrderTable
) -> None:
    table, path = laid_out, laid_out.path
    older = names(spark, path)
    assert len(older) > 8
    write(rows(spark, 1, ROWS), path)
    loaded = fingerprint(spark, path)

    plan = planned(table, **LAYOUT)
    instant = table.schedule(**LAYOUT)
    assert instant is not None
    (pending,) = table.pending()
    assert pending.file_groups == plan.file_groups
    assert pending.groups == plan.groups == 1
    reasons = {"new": plan.files}
    assert pending.taken == counted(plan.taken) == reasons
    assert pending.left_alone == counted(plan.left_alone) == {"laid_out": len(older)}
    assert shares(pending) == pytest.approx(shares(plan))
    meanwhile = planned(table, **LAYOUT)
    assert not meanwhile
    assert counted(meanwhile.left_alone)["pending_clustering"] == plan.files
    behind = table.clustering_information(["a", "b"]).upkeep
    assert (behind.runs, behind.files, behind.files_left) == (1, len(older), plan.files)
    result = table.execute(instant)

    assert result.before.rows == ROWS
    assert result.files_left == len(older)
    assert result.taken == table.history()[-1].taken == reasons
    assert shares(table.history()[-1]) == shares(result) == pytest.approx(shares(plan))
    assert result.left_alone == {"laid_out": len(older)}
    assert f": {len(older)} laid out\n" in str(result)
    assert f"an equality reads {result.share_after:.3f} of a partition, was" in str(result)
    found = table.clustering_information(["a", "b"])
    assert found.share_read == pytest.approx(plan.share_after, rel=TOLERANCE)
    upkeep = found.upkeep
    assert (upkeep.runs, upkeep.files_left, upkeep.share_laid_out) == (2, 0, 1.0)
    assert older <= names(spark, path)
    assert fingerprint(spark, path) == loaded
    assert not table.cluster(**LAYOUT)


@pytest.mark.slow
def test_an_update_keeps_its_file_in_the_run_and_other_columns_lead_all_of_it_over(
    spark: SparkSession, laid_out: hz.ZOrderTable
) -> None:
    table, path = laid_out, laid_out.path
    older = names(spark, path)
    write(rows(spark, 1, ROWS), path)
    assert table.cluster(**LAYOUT)

    write(
        read(spark, path).where("id = 5").select("id", "a", "b"),
        path,
        datasource__write__operation="upsert",
    )
    assert len(older - names(spark, path)) == 1
    assert not table.cluster(**LAYOUT)
    assert pending_instants(path) == []
    other = {**LAYOUT, "columns": ["b"]}
    bounded = planned(table, **other, max_bytes_per_plan="200KB")
    assert bounded.bytes <= 200 * 1024
    assert counted(bounded.left_alone).keys() == {"max_bytes_per_plan"}
    first = table.cluster(**other, max_bytes_per_plan="200KB")
    assert first.taken == counted(bounded.taken)
    assert first.left_alone == counted(bounded.left_alone)
    assert first.taken["other_layout"] > 0
    leading = table.clustering_information(["b"]).upkeep
    assert (leading.files, leading.files_left) == (first.after.files, first.files_left)
    assert 0 < first.before.bytes <= 200 * 1024
    rest = table.cluster(**other)
    assert rest.before.rows is not None
    assert first.before.rows is not None
    assert rest.before.rows >= 9 * ROWS - first.before.rows
    assert not table.cluster(**other)
    assert fingerprint(spark, path)[0] == 9 * ROWS


@pytest.mark.slow
def test_a_lower_threshold_is_obeyed_though_nothing_was_written(
    spark: SparkSession, laid_out: hz.ZOrderTable
) -> None:
    write(rows(spark, 1, ROWS), laid_out.path)
    assert laid_out.cluster(**LAYOUT)
    assert not laid_out.cluster(**LAYOUT)
    runs, before = names(spark, laid_out.path), fingerprint(spark, laid_out.path)

    assert laid_out.cluster(**LAYOUT, read_threshold=1.05).taken == {"merged": len(runs)}

    assert not laid_out.cluster(**LAYOUT, read_threshold=1.05)
    assert not laid_out.cluster(**LAYOUT)
    assert fingerprint(spark, laid_out.path) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "other",
    [
        {"column_weights": {"a": 4.0, "b": 1.0}},
        {"target_file_size": "100KB"},
        {"target_file_size": "16KB"},
    ],
    ids=["weights", "larger files", "smaller files"],
)
def test_other_weights_and_sizes_lead_the_table_over_in_bounded_steps(
    spark: SparkSession, laid_out: hz.ZOrderTable, other: dict[str, Any]
) -> None:
    layout = {**LAYOUT, **other, "max_bytes_per_plan": "400KB"}
    before, older = fingerprint(spark, laid_out.path), names(spark, laid_out.path)
    steps = 0
    while result := laid_out.cluster(**layout):
        steps += 1
        assert result.before.bytes <= 400 * 1024
        assert steps < 20, "it comes to an end"
    assert steps > 1
    assert not older & names(spark, laid_out.path)
    assert fingerprint(spark, laid_out.path) == before
    assert not laid_out.cluster(**{**LAYOUT, **other})


@pytest.mark.slow
def test_an_update_of_every_file_is_worth_it_only_where_rows_have_moved(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    """Hudi writes every file anew for it, in one commit, which must not pass for their layout."""
    path = write_hudi(rows(spark, 0, 2 * ROWS), tmp_path / "t")
    table = hz.ZOrderTable(spark, path)
    laid_out = table.cluster(**LAYOUT).after.files
    share = share_read(table)
    some = read(spark, path).where("id % 20 = 3").select("id", "a", "b").localCheckpoint()

    def update(changed: DataFrame) -> None:
        before = names(spark, path)
        write_hudi(changed, path, datasource__write__operation="upsert")
        assert not before & names(spark, path)

    update(some)
    assert not table.cluster(**LAYOUT)
    update(some.selectExpr("id", "1000000 - a AS a", "1000000 - b AS b"))
    assert share_read(table) > 1.8 * share
    assert table.cluster(**LAYOUT).taken["changed"] > laid_out / 2
    assert share_read(table) < 1.2 * share
    assert not table.cluster(**LAYOUT)


@pytest.mark.slow
@pytest.mark.parametrize("indexed", ["true", "false"])
def test_logs_that_move_rows_are_worth_it_where_the_index_tells_their_values(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path, indexed: str
) -> None:
    settings = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "metadata__index__column__stats__enable": indexed,
    }
    path = write_hudi(rows(spark, 0, 2 * ROWS), tmp_path / "t", **settings)
    table = hz.ZOrderTable(spark, path)
    laid_out = table.cluster(**LAYOUT).after.files
    share = share_of_slices(spark, path)
    some = read(spark, path).where("id % 20 = 3").select("id", "a", "b").localCheckpoint()

    def update(changed: DataFrame) -> None:
        before = names(spark, path)
        write_hudi(changed, path, **settings, datasource__write__operation="upsert")
        assert before & names(spark, path), "of logs alone"

    update(some)
    assert not table.plan(**LAYOUT)
    update(some.selectExpr("id", "1000000 - a AS a", "1000000 - b AS b"))
    assert share_of_slices(spark, path) > 1.8 * share
    asked = read(spark, path).where("id % 100 = 3").select("a", "_hoodie_file_name").collect()
    for value, file in asked:
        report = table.explain(f"a = {value}", source="index" if indexed == "true" else "footers")
        assert {kept.file.partition("_")[0] for kept in report.kept} >= {file.partition("_")[0]}
    skipped = [file for file in report.files if file.skipped_by]
    assert bool(skipped) == (indexed == "true"), "of files with logs, every one"
    plan = table.plan(**LAYOUT)
    if indexed == "true":
        assert counted(plan.taken)["changed"] > laid_out / 2
        before = fingerprint(spark, path)
        assert table.cluster(**LAYOUT)
        assert fingerprint(spark, path) == before
        assert share_of_slices(spark, path) < 1.2 * share
    assert not table.plan(**LAYOUT)


def share_of_slices(spark: SparkSession, path: str) -> float:
    """What an equality on a or b reads of file slices, by the values that their rows have."""
    part = F.regexp_extract("_hoodie_file_name", "^[^_]*", 0)
    ends = [f(c).alias(f.__name__ + c) for c in "ab" for f in (F.min, F.max)]
    table = read(spark, path)
    slices = table.groupBy(part).agg(F.count("*").alias("rows"), *ends).collect()
    asked = table.where("id % 100 = 7").select("a", "b").collect()
    touched = sum(
        held["rows"]
        for held in slices
        for values in asked
        for c in "ab"
        if held[f"min{c}"] <= values[c] <= held[f"max{c}"]
    )
    return touched / len(asked) / 2 / sum(held["rows"] for held in slices)


@pytest.mark.parametrize("path_of_rows", quick_first(["true", "false"]))
def test_loads_of_a_day_each_leave_older_days_alone(
    spark: SparkSession, laid_out: hz.ZOrderTable, path_of_rows: str
) -> None:
    settings = {"hoodie.datasource.write.row.writer.enable": path_of_rows}
    table, path = laid_out, laid_out.path
    older = names(spark, path)
    write(rows(spark, 1, 2 * ROWS, local=True), path)

    result = table.cluster(**LAYOUT, hudi_options=settings)

    assert result.before.rows == 2 * ROWS
    assert older <= names(spark, path)
    assert not table.cluster(**LAYOUT, hudi_options=settings)


def test_what_is_left_alone_has_its_reason(
    spark: SparkSession, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    """One file in each of two partitions, of which nothing is ever written by ``plan``."""
    frame = rows(spark, 0, 400).withColumn("part", F.expr("concat('p', id % 2)")).coalesce(1)
    settings = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "datasource__write__partitionpath__field": "part",
    }
    path = write_hudi(frame, tmp_path / "t", **settings)
    table = hz.ZOrderTable(spark, path)

    def reasons(**options: Any) -> dict[str, dict[str, int]]:
        plan = planned(table, **{**LAYOUT, **options})
        assert bool(plan) == any(part.taken for part in plan.partitions)
        return {part.partition: {**part.taken, **part.left_alone} for part in plan.partitions}

    assert reasons() == {"p0": {"new": 1}, "p1": {"new": 1}}
    assert reasons(where="part = 'p1'") == {"p1": {"new": 1}}
    assert reasons(where="part = 'p7'") == {}
    assert reasons(small_file_limit="1KB")["p0"] == {"small_file_limit": 1}
    assert reasons(max_groups=1) == {"p0": {"new": 1}, "p1": {"max_groups": 1}}
    # A file that is larger goes alone, or no plan would ever take it.
    bounded = {"p0": {"new": 1}, "p1": {"max_bytes_per_plan": 1}}
    assert reasons(max_bytes_per_plan="1KB") == bounded

    before = timeline(path)
    change = frame.where("part = 'p0'").withColumn("a", F.lit(1))
    write_hudi(change, path, **settings, datasource__write__operation="upsert")
    [completed] = [
        name for name in timeline(path) - before if re.match(r"\d+_\d+\.deltacommit$", name)
    ]
    folder = Path(path, ".hoodie")
    (folder / "timeline" / completed).rename(folder / completed)
    assert reasons() == {"p0": {"write_under_way": 1}, "p1": {"new": 1}}
    # Were that write rolled back, nothing on the timeline would tell of a change.
    instant = table.schedule(**LAYOUT) or ""
    assert unfinished(path, instant) == ["p0"]
    table.cancel(instant)
    (folder / completed).rename(folder / "timeline" / completed)
    assert reasons() == {"p0": {"new": 1}, "p1": {"new": 1}}
    at_once = "hoodie.compact.inline.max.delta.commits=1"
    spark.sql(f"CALL run_compaction(op => 'schedule', path => '{path}', options => '{at_once}')")
    assert reasons() == {"p0": {"pending_compaction": 1}, "p1": {"new": 1}}


EXECUTE = """
import sys
from pyspark.sql import SparkSession
import hudi_zorder as hz
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = hz.configure_spark(builder.config("spark.sql.session.timeZone", "UTC")).getOrCreate()
print(hz.ZOrderTable(spark, sys.argv[1]).execute(sys.argv[2]).instant)
"""


@pytest.mark.slow
def test_another_process_executes_as_planned(spark: SparkSession, laid_out: hz.ZOrderTable) -> None:
    """The plan tells the weights of its rows, and of which layout their files are."""
    table, path = laid_out, laid_out.path
    older = names(spark, path)
    write(rows(spark, 1, 2 * ROWS, local=True), path)
    instant = table.schedule(**LAYOUT)
    assert instant is not None

    command = [sys.executable, "-c", EXECUTE, path, instant]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)

    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.split()[-1] == instant
    assert older <= names(spark, path)
    # The new rows span a part of 'a' alone, and are cut by 'b'.
    new = read(spark, path).where(f"id >= {LOAD_IDS}").groupBy("_hoodie_file_name")
    ranges = new.agg(F.min("a"), F.max("a"), F.min("b"), F.max("b")).collect()
    assert len(ranges) > 2
    assert all(low < 1_100_000 and high > 1_900_000 for _, low, high, _, _ in ranges)
    assert not table.cluster(**LAYOUT)
