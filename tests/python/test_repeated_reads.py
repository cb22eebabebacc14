"""What a clustering reads of its table once, and what again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_zorder.hudi import file_slices, snapshot
from hudi_zorder.hudi.timeline import Instant, Timeline

IN_PARTITIONS = {"datasource__write__partitionpath__field": "p"}


class Reads:
    """How often a table was opened and listed, and each of its replace commits read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: Counter[str] = Counter()
        self._count(monkeypatch, snapshot, "read_config", lambda *_: "opened")
        self._count(monkeypatch, snapshot, "list_slices", lambda *_: "listed")
        self._count(monkeypatch, file_slices, "replaced_groups", self._replaced)

    @staticmethod
    def _replaced(_: Timeline, instant: Instant) -> str:
        return f"read {instant.time}"

    def _count(
        self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, what: Callable[..., str]
    ) -> None:
        function = getattr(module, name)

        def counted(*arguments: Any) -> Any:
            self.done[what(*arguments)] += 1
            return function(*arguments)

        monkeypatch.setattr(module, name, counted)


def clustered_twice(spark: SparkSession, path: Path) -> None:
    rows = spark.range(200).selectExpr("id", "hash(id) AS a", "id % 2 AS p")
    table = hz.ZOrderTable(spark, write(rows, path, **IN_PARTITIONS))
    assert table.cluster(["a"])
    assert table.cluster(["a"], mode="full")


@pytest.fixture
def table(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> hz.ZOrderTable:
    """A table that was clustered twice."""
    path = made_once(tmp_path / "t", lambda path: clustered_twice(spark, path))
    return hz.ZOrderTable(spark, path)


def test_a_clustering_lists_files_and_reads_each_replace_commit_once_before_and_after(
    table: hz.ZOrderTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = [f"read {clustering.instant}" for clustering in table.history()]
    reads = Reads(monkeypatch)
    result = table.cluster(["a"], mode="full", where="p = 0")
    assert reads.done == {"opened": 6, "listed": 2, f"read {result.instant}": 1} | dict.fromkeys(
        past, 1
    )


def test_the_execution_of_a_plan_lists_files_before_and_after(
    table: hz.ZOrderTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    past = [f"read {clustering.instant}" for clustering in table.history()]
    instant = table.schedule(["a"], mode="full")
    assert instant is not None
    reads = Reads(monkeypatch)
    assert table.execute(instant)
    assert reads.done == {"opened": 2, "listed": 2, f"read {instant}": 1} | dict.fromkeys(past, 1)
