"""What a user asks of a table, and has done to it, by the version of Hudi that HUDI names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, IS_FIT
from made_tables import KINDS, ROWS, TARGET, assert_laid_out, assert_rows, by_python, made

import hudi_zorder as hz
from hudi_zorder.stats.index_bounds import ONE_SOURCE
from hudi_zorder.stats.stats_table import rows_of

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]


@pytest.mark.parametrize("kind", KINDS)
def test_schedules_executes_and_tells(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    ours = hz.ZOrderTable(spark, table.path)
    files = table.files()

    foretold = ours.plan(["a", "b"], target_file_size=TARGET)
    instant = ours.schedule(["a", "b"], target_file_size=TARGET)
    [pending] = ours.pending()
    assert (pending.instant, pending.groups, pending.files) == (instant, foretold.groups, files)
    assert set(pending.file_groups) == set(foretold.file_groups)
    result = ours.execute(instant)

    assert_laid_out(table)
    assert result.instant == instant
    assert foretold.share_after < 0.75 * foretold.share_now
    assert ours.pending() == []
    assert [entry.instant for entry in ours.history()] == [instant]
    proof = ours.verify(instant)
    assert (proof.passed, proof.proven, proof.rows_written) == (True, True, ROWS)


@pytest.mark.parametrize("kind", KINDS)
def test_cancels(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    ours = hz.ZOrderTable(spark, table.path)
    instant = ours.schedule(["a", "b"], target_file_size=TARGET)

    ours.cancel(instant)

    assert ours.pending() == []
    assert table.content() == table.rows


def killed(path: str) -> str:
    """Kills a process that clusters as it writes files, and returns its instant."""
    job = Path(__file__).with_name("killed_job.py")
    command = [sys.executable, str(job), path, HUDI, str(TARGET)]
    before = {*Path(path).glob("p?/*.parquet")}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        while not (new := {*Path(path).glob("p?/*.parquet")} - before):
            assert process.poll() is None, process.communicate()[0].decode()
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return new.pop().stem.rsplit("_", 1)[1]


@pytest.mark.parametrize("kind", KINDS)
def test_repairs_what_a_killed_process_has_left(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    instant = killed(table.path)
    ours = hz.ZOrderTable(spark, table.path)
    [left] = ours.pending()
    assert (left.instant, left.state, left.executor) == (instant, "inflight", "dead")

    done = ours.repair()

    assert [plan.instant for plan in done.plans] == [instant]
    assert ours.pending() == []
    assert not [*Path(table.path).glob(f"p?/*_{instant}.parquet")]
    assert_rows(table, table.rows)
    assert not ours.repair()
    by_python(spark, table)
    assert_laid_out(table)


# Whose scans do not tell Spark how many files they read.
COUNTS_NO_FILES = {("0.15.0", "MERGE_ON_READ")}


@pytest.mark.parametrize("kind", KINDS)
def test_tells_statistics_and_explains(spark: Any, tmp_path: Path, kind: str) -> None:
    table = made(spark, tmp_path / "t", kind)
    by_python(spark, table)
    ours = hz.ZOrderTable(spark, table.path)

    report = ours.explain("a = 77", audit=True)

    assert ours.column_stats(["a"], source="index").equals(
        ours.column_stats(["a"], source="footers")
    )
    assert 0 < len(report.kept) < len(report.files)
    assert report.audit is not None
    assert report.audit.wrongly_skipped == ()
    if (HUDI, kind) not in COUNTS_NO_FILES:
        assert report.audit.files_with_skipping < report.audit.files
    assert ours.clustering_information(["a", "b"]).share_read < 0.75


@pytest.mark.parametrize("kind", KINDS)
def test_its_column_statistics_are_read_without_spark(
    spark: Any, tmp_path: Path, kind: str
) -> None:
    path = made(spark, tmp_path / "t", kind).path
    assert [*Path(path, ".hoodie/metadata/column_stats").iterdir()]
    names = ("id", "a", "b", "price", "text", "at")
    tables: list[list[dict[str, Any]]] = []
    reports = []
    for source in ONE_SOURCE:
        table = hz.open_table(path)
        tables.append(rows_of(table.column_stats(names, source=source)))
        reports.append(
            [
                (f.file, f.rows, f.skipped_by, f.reason)
                for f in table.explain("a > 9000 AND price < 150", source=source).files
                if not f.log_files  # of which the index alone tells
            ]
        )

    assert tables[0] == tables[1]
    assert not any(row[f"{name}.unknown"] for row in tables[1] for name in names)
    assert reports[0] == reports[1]
    assert reports[0]


def test_forecasts(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t")

    forecast = hz.ZOrderTable(spark, table.path).forecast(["a", "b"], target_file_size=TARGET)

    (tree,) = (layout for layout in forecast.layouts if layout.layout == "tree")
    assert tree.mean < 0.75 < min(read.now for read in tree.reads)


def test_recommends(spark: Any, tmp_path: Path) -> None:
    table = made(spark, tmp_path / "t")
    queries = ["a < 900", "SELECT text FROM t WHERE b = 77 AND part = 'p1'"]

    found = hz.ZOrderTable(spark, table.path).recommend(queries, target_file_size=TARGET)

    assert set(found.columns) == {"a", "b"}
    assert found.share_after < 0.75 * found.share_now
