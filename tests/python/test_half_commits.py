"""Half a commit is its executor's to complete or to take back, as long as that lives."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import fingerprint
from hudi_zorder.clustering.rollback import Rollback
from hudi_zorder.hudi.crash_leftovers import examine
from hudi_zorder.hudi.snapshot import TableSnapshot
from plain_table import CLUSTERED, tell_of_clustering, write_clustered_table


def spoil(path: Path, instant: str) -> Path:
    """Leaves of a clustering's commit an empty file, as a full disk does, and its markers."""
    [commit] = path.glob(f".hoodie/timeline/{instant}_*")
    commit.with_name(f".{commit.name}.crc").unlink(missing_ok=True)
    commit.write_bytes(b"")
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


def test_a_process_ends_no_execution_but_its_own(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    beat(path, CLUSTERED, silent=0)
    ended: list[str] = []
    for process in ("another-boot pid:[1] 2 1", "another-boot pid:[1] 1 1"):
        hudi: Any = SimpleNamespace(process=lambda p=process: p, end_execution=ended.append)
        settings: Any = None  # which it does without
        rollback = Rollback(str(path), hudi, settings, lambda: TableSnapshot.open(path))
        rollback.end_execution(CLUSTERED)
        assert ended == ([CLUSTERED] if process.endswith(" 1 1") else [])


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
