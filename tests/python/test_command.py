"""``hudi-zorder`` as a process of its own, with Spark: what it prints, and where Spark's log is."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
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


def end_of(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Code, output and errors of a command whose logs are in a folder."""
    folder.mkdir()
    command = [PROGRAM, *arguments, "--conf", "spark.master=local[1]"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    return done.returncode, done.stdout, done.stderr


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
