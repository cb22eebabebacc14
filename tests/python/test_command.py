"""``hudi-zorder`` as a process of its own, with Spark: what it prints, and where Spark's log is."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import FAILS_IN_EXECUTION, fingerprint, pending_instants

PROGRAM = Path(sys.executable).with_name("hudi-zorder")


@pytest.fixture
def table(spark: SparkSession, tmp_path: Path) -> str:
    frame = spark.range(200).selectExpr("id", "hash(id) AS a", "hash(id, 2) AS b")
    return write(frame, tmp_path / "t")


def end_of(
    folder: Path,
    *arguments: str,
    meanwhile: Callable[[subprocess.Popen[str]], None] = lambda process: None,
) -> tuple[int, str, str]:
    """Code, output and errors of a command whose logs are in a folder."""
    folder.mkdir()
    process = subprocess.Popen(
        [PROGRAM, *arguments, "--conf", "spark.master=local[1]"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    meanwhile(process)
    printed, errors = process.communicate(timeout=600)
    return process.returncode, printed, errors


def pending(table: str) -> list[Path]:
    """The files of the timeline that plans have."""
    return sorted(Path(table, ".hoodie/timeline").glob("2*.clustering.*"))


def words(text: str) -> list[str]:
    """A text without its numbers and its lines, which a table is ruled with."""
    return re.sub(r"[\d.,]+|─+", " ", text).split()


def after_the_path(report: str) -> str:
    """A report but for its first line, which shortens a table's path as long as it is."""
    return report.partition("\n")[2]


@pytest.mark.slow
def test_a_clustering_prints_our_own_words_alone(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(table, copy / "t")
    said_here = str(hz.ZOrderTable(spark, copy / "t").cluster(columns=["a", "b"]))

    code, printed, errors = end_of(tmp_path / "logs", "cluster", table, "--columns", "a,b")

    assert (code, errors) == (0, "")
    assert printed.startswith("Clustered /")
    assert words(after_the_path(printed)) == words(after_the_path(said_here))
    assert [*(tmp_path / "logs").glob("*.log")] == []


@pytest.mark.slow
@pytest.mark.parametrize("streams", [">/dev/full", ">&- 2>&-"])
def test_a_clustering_that_nobody_can_read_of_is_committed_and_a_success(
    table: str, tmp_path: Path, streams: str
) -> None:
    command = [PROGRAM, "cluster", table, "-c", "a,b", "--conf", "spark.master=local[1]"]
    done = subprocess.run(
        ["bash", "-c", f'"$@" {streams}', "bash", *command],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    [past] = hz.open_table(table).history()
    told = f"Warning: The clustering {past.instant} of '{table}' is committed; "
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith(told) == (streams == ">/dev/full")
    assert done.stderr.count("\n") == (streams == ">/dev/full")


@pytest.mark.slow
def test_a_jvm_that_dies_while_it_clusters_is_told_of_and_its_log_named(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    before = fingerprint(spark, table)

    def kill(process: subprocess.Popen[str]) -> None:
        while not any(path.suffix == ".inflight" for path in pending(table)):
            assert process.poll() is None
            time.sleep(0.05)
        [jvm] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(jvm), signal.SIGKILL)

    code, printed, errors = end_of(tmp_path / "logs", "cluster", table, "-c", "a,b", meanwhile=kill)

    assert (code, printed) == (1, "")
    [log] = (tmp_path / "logs").glob("*.log")
    assert errors.startswith("Error: Cannot ")
    assert errors.count("\n") == 1
    instant = pending(table)[0].name.split(".")[0]
    assert f"The plan '{instant}' may still be pending" in errors
    assert errors.endswith(f". Spark's log is '{log}'\n")
    assert fingerprint(spark, table) == before
    assert hz.ZOrderTable(spark, table).cluster(columns=["a", "b"])
    assert fingerprint(spark, table) == before


@pytest.mark.slow
def test_a_clustering_that_fails_names_the_log_of_spark(
    spark: SparkSession, table: str, tmp_path: Path
) -> None:
    before = fingerprint(spark, table)
    [(key, value)] = FAILS_IN_EXECUTION.items()
    arguments = ["cluster", table, "--columns", "a,b", "--hudi", f"{key}={value}"]

    code, printed, errors = end_of(tmp_path / "logs", *arguments)

    assert (code, printed) == (1, "")
    assert re.fullmatch(r"Error: Cannot cluster [^\n]*\n", errors)
    [log] = (tmp_path / "logs").glob("*.log")
    assert errors.endswith(f". Spark's log is '{log}'\n")
    assert "CompressionCodecName" in log.read_text()
    assert fingerprint(spark, table) == before
    assert pending_instants(table) == []
