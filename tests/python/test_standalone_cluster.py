"""On a cluster of several processes: the files of local mode, row for row, and no row at risk."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from hudi_tables import base_files, fingerprint
from standalone_cluster import StandaloneCluster, standalone_cluster, start_clustering

pytestmark = pytest.mark.slow

ROWS = 120_000
TARGET_FILE_SIZE = 400_000
SHUFFLED_BYTES = 500_000
ADAPTIVE = "spark__sql__adaptive__enabled"
# Executors come when tasks wait for a second, and go when they have been idle for one.
DYNAMIC = {
    "spark__executor__cores": "1",
    "spark__dynamicAllocation__enabled": "true",
    "spark__dynamicAllocation__minExecutors": "0",
    "spark__dynamicAllocation__initialExecutors": "1",
    "spark__dynamicAllocation__maxExecutors": "2",
    "spark__dynamicAllocation__executorIdleTimeout": "1s",
}
SESSIONS = {
    "adaptive": {ADAPTIVE: "true"},
    "not adaptive": {ADAPTIVE: "false"},
    "dynamic allocation": {
        **DYNAMIC,
        "spark__dynamicAllocation__shuffleTracking__enabled": "true",
    },
    "external shuffle service": {**DYNAMIC, "spark__shuffle__service__enabled": "true"},
}
Unlaid = Callable[[str], str]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    with standalone_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture
def unlaid(
    spark: SparkSession,
    write_hudi: Callable[..., str],
    made_once: Callable[..., str],
    tmp_path: Path,
) -> Unlaid:
    """Returns a function that gives each test the same table, which nobody has clustered."""
    rows = spark.range(0, ROWS, 1, 4).select(
        "id",
        F.expr("hash(id, 1)").alias("a"),
        F.expr("cast(pow(10, 9 * rand(7)) as bigint)").alias("b"),
        F.expr("sha2(cast(id as string), 256)").alias("text"),
    )
    return lambda name: made_once(tmp_path / name / "t", lambda path: write_hudi(rows, path))


def ended_well(job: subprocess.Popen[str]) -> None:
    _, told = job.communicate(timeout=300)
    assert job.returncode == 0, told


def files(spark: SparkSession, path: str) -> list[dict[str, list[object]]]:
    """The rows of each file in the file's own order, by a reader that is not ours."""
    columns = ["id", "a", "b", "text"]
    read = [pq.read_table(file, columns=columns).to_pydict() for file in base_files(spark, path)]
    return sorted(read, key=lambda rows: rows["id"][0])


@pytest.mark.parametrize("session", SESSIONS)
def test_files_are_those_of_local_mode_row_for_row(
    spark: SparkSession, cluster: StandaloneCluster, unlaid: Unlaid, session: str
) -> None:
    here, there = unlaid("here"), unlaid("there")
    hz.ZOrderTable(spark, here).cluster(["a", "b"], target_file_size=TARGET_FILE_SIZE)
    settings = {
        **SESSIONS[session],
        "spark__shuffle__service__port": str(cluster.shuffle_service),
    }
    ended_well(start_clustering(cluster.master, there, TARGET_FILE_SIZE, **settings))
    expected = files(spark, here)
    assert len(expected) > 15
    assert files(spark, there) == expected


def test_an_executor_killed_in_mid_shuffle_costs_no_row_and_doubles_none(
    spark: SparkSession, cluster: StandaloneCluster, unlaid: Unlaid
) -> None:
    path = unlaid("killed")
    before = fingerprint(spark, path)
    job = start_clustering(cluster.master, path, TARGET_FILE_SIZE)
    cluster.kill_an_executor_in_mid_shuffle(job, SHUFFLED_BYTES)
    ended_well(job)
    assert fingerprint(spark, path) == before
    [run] = hz.ZOrderTable(spark, path).history()
    assert run.files_after == len(base_files(spark, path)) > 15
