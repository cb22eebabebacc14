"""Half a commit is its executor's to complete or to take back, as long as that lives."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import fingerprint
from hudi_zorder.clustering.rollback import Rollback
from hudi_zorder.errors import TableError
from hudi_zorder.hudi.crash_leftovers import examine
from hudi_zorder.hudi.pending_plans import pending
from hudi_zorder.hudi.snapshot import TableSnapshot
from plain_table import (
    CLUSTERED,
    HALF,
    INSTANT,
    PENDING,
    base_file,
    tell_of_clustering,
    write_clustered_table,
    write_plan,
)


def spoil(path: Path, instant: str, left: bytes = b"") -> Path:
    """Leaves of a clustering's commit an empty file, as a full disk does, and its markers."""
    [commit] = path.glob(f".hoodie/timeline/{instant}_*")
    commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)
    commit.write_bytes(left)
    (path / ".hoodie/.temp" / instant).mkdir(parents=True)
    return commit


def beat(path: Path, instant: str, silent: int) -> None:
    """Writes the heartbeat of an executor that has been silent for so many seconds."""
    file = path / ".hoodie/.heartbeat" / instant
    file.parent.mkdir(exist_ok=True)
    file.write_text("another-boot pid:[1] 1 1")
    then = time.time() - silent
    os.utime(file, (then, then))


@pytest.mark.parametrize("silent", [0, 600], ids=["alive", "dead"])
def test_repair_is_to_take_it_back_once_its_executor_is_dead(tmp_path: Path, silent: int) -> None:
    path = write_clustered_table(tmp_path / "t")
    tell_of_clustering(path, {})
    spoil(path, CLUSTERED)
    beat(path, CLUSTERED, silent)
    found = examine(TableSnapshot.open(path))
    assert [plan.instant for plan in found.plans] == ([CLUSTERED] if silent else [])
    assert found.last_looks == ()  # at nothing that tells what it did


@pytest.mark.parametrize("left", [b"", HALF], ids=["empty", "half"])
@pytest.mark.parametrize("planned", [INSTANT, "20250101000000000"], ids=["waits", "outdated"])
def test_it_is_to_be_taken_back_although_a_plan_of_other_files_waits(
    tmp_path: Path, left: bytes, planned: str
) -> None:
    path = write_clustered_table(tmp_path / "t")
    tell_of_clustering(path, {})
    spoil(path, CLUSTERED, left)
    pq.write_table(pa.table({"a": [1], "b": [2]}), path / base_file("5"))
    part = {"partitionPath": "", "fileId": "f5-0", "dataFilePath": base_file("5", planned)}
    plan = {"inputGroups": [{"slices": [part]}]}
    write_plan(path, json.dumps({"operationType": "CLUSTER", "clusteringPlan": plan}).encode())

    [waiting] = pending(TableSnapshot.open(path))
    assert waiting.outdated == (planned != INSTANT)
    assert waiting.bytes == (path / base_file("5")).stat().st_size
    found = examine(TableSnapshot.open(path))
    repaired = [CLUSTERED] if planned == INSTANT else [PENDING, CLUSTERED]
    assert [plan.instant for plan in found.plans] == repaired
    assert found.pending == ((PENDING,) if planned == INSTANT else ())


def test_whoever_cannot_read_half_a_commit_is_sent_to_repair_it(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    spoil(path, CLUSTERED, HALF)
    with pytest.raises(TableError, match="; run 'hudi-zorder repair', and where that finds"):
        TableSnapshot.open(path).slices  # noqa: B018


def test_a_process_ends_no_execution_but_its_own(tmp_path: Path) -> None:
    """Nor does it give up another's; a plan that nobody executes is its own to give up."""
    path = write_clustered_table(tmp_path / "t")
    beat(path, CLUSTERED, silent=0)
    ended: list[str] = []
    given_up: list[str] = []
    for process in ("another-boot pid:[1] 2 1", "another-boot pid:[1] 1 1"):
        hudi: Any = SimpleNamespace(
            process=lambda p=process: p, end_execution=ended.append, give_up=given_up.append
        )
        settings: Any = None  # which it does without
        rollback = Rollback(str(path), hudi, settings, lambda: TableSnapshot.open(path))
        rollback.end_execution(CLUSTERED)
        rollback.give_up(CLUSTERED)
        assert ended == given_up == ([CLUSTERED] if process.endswith(" 1 1") else [])
    rollback.give_up(PENDING)
    assert given_up == [CLUSTERED, PENDING]


def test_others_give_way_to_an_executor_that_lives(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path
) -> None:
    rows = spark.range(3_000).selectExpr("id", "cast(hash(id, 1) as int) AS a")
    path = made_once(tmp_path / "t", lambda path: write(rows, path))
    table = hz.ZOrderTable(spark, path)
    before = fingerprint(spark, path)
    instant = table.cluster(["a"], target_file_size="20KB").instant
    assert instant
    commit = spoil(Path(path), instant)
    beat(Path(path), instant, silent=0)

    assert not table.repair()
    with pytest.raises(hz.PlanInUseError, match="Cannot cluster beside the clustering"):
        table.cluster(["a"], target_file_size="20KB")
    with pytest.raises(hz.PlanInUseError, match="or give '--force' or force=True"):
        table.cancel(instant)
    assert commit.exists()
    table.cancel(instant, force=True)
    assert fingerprint(spark, path) == before
