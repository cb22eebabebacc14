"""A clustering gives way to writers: nothing that a writer was told is written is ever lost.

The interleavings are forced by the timeline's own files: an instant whose files are out of the way
for a while is one that somebody has not seen, or that has not ended yet.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import pending_instants, read
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.options import EXECUTION_CLASS, EXECUTION_STRATEGY

ROWS = 2_000
KINDS = ["COPY_ON_WRITE", pytest.param("MERGE_ON_READ", marks=pytest.mark.slow)]
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "20KB"}


def frame(spark: SparkSession, first: int = 0, rows: int = ROWS, version: int = 0) -> DataFrame:
    return spark.range(first, first + rows).selectExpr(
        "id",
        "cast(hash(id, 1) as int) AS a",
        "hash(id, 2) % 1000 + 0L AS b",
        "concat('region-', id % 2) AS region",
        f"{version} AS version",
    )


class Table:
    """A table and what its writers were told is in it: the version of each row, by its id."""

    def __init__(
        self, spark: SparkSession, made_once: Callable[..., str], path: Path, kind: str
    ) -> None:
        self.spark = spark
        self._options = {
            "datasource__write__table__type": kind,
            "datasource__write__partitionpath__field": "region",
        }
        self.path = made_once(path, lambda model: write(frame(spark), model, **self._options))
        self.told: dict[int, int] = dict.fromkeys(range(ROWS), 0)
        self.timeline = Path(self.path, ".hoodie", "timeline")

    def write(self, first: int, rows: int, version: int, operation: str = "upsert") -> str:
        """Writes and returns the instant."""
        before = self.instants()
        rows_in = frame(self.spark, first, rows, version)
        write(rows_in, self.path, **self._options, datasource__write__operation=operation)
        ids = range(first, first + rows)
        if operation == "delete":
            for row in ids:
                self.told.pop(row, None)
        else:
            if operation == "insert_overwrite_table":
                self.told.clear()
            self.told.update(dict.fromkeys(ids, version))
        [instant] = self.instants() - before
        return instant

    def instants(self) -> set[str]:
        """The writes on the timeline."""
        names = (entry.name for entry in self.timeline.iterdir())
        return {n.split(".")[0].split("_")[0] for n in names if "commit" in n and n[0] != "."}

    def files(self, instant: str, completed: bool | None = None) -> list[Path]:
        """The timeline's files of an instant: all, that of its completion, or the others."""
        return [
            entry
            for entry in self.timeline.iterdir()
            if instant in entry.name and (completed is None or completed == ("_" in entry.name))
        ]

    @contextmanager
    def unseen(self, instant: str, completed: bool | None = None) -> Iterator[Callable[[], None]]:
        """While it lasts, or until the function is called, the timeline has no such files."""
        # Not under the timeline, whose reader would take a hidden file for a damaged one.
        folder = Path(self.path, ".hoodie")
        aside = {path: folder / f".{path.name}" for path in self.files(instant, completed)}
        for path, there in aside.items():
            path.rename(there)

        def show() -> None:
            for path, there in aside.items():
                if there.exists():
                    there.rename(path)

        try:
            yield show
        finally:
            show()

    def check(self) -> None:
        """Holds the table to what its writers were told."""
        rows = read(self.spark, self.path).select("id", "version").collect()
        assert len(rows) == len(self.told)
        assert {row.id: row.version for row in rows} == self.told
        assert pending_instants(self.path) == []


@pytest.fixture(params=KINDS)
def table(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
) -> Table:
    return Table(spark, made_once, tmp_path / request.param, request.param)


@pytest.mark.parametrize("operation", quick_first(["upsert", "delete", "insert_overwrite_table"]))
def test_what_was_written_unseen_since_the_plan_makes_it_give_way(
    table: Table, operation: str
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        table.write(100, 50, 1, operation)

    with pytest.raises(hz.ConflictError, match="Nothing was changed, and the plan was withdrawn"):
        clustering.execute(instant)

    table.check()
    assert clustering.cluster(**LAYOUT)
    table.check()


def test_a_write_in_flight_that_changes_what_is_planned_is_given_way_to(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(100, 50, 1)
    with (
        table.unseen(written, completed=True),
        pytest.raises(hz.ConflictError, match=f"write {written}, which is under way"),
    ):
        clustering.execute(instant)
    table.check()


def test_a_write_of_which_nobody_knows_what_it_writes_is_waited_for(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    with table.unseen(written, completed=True) as end:
        thread = Thread(target=_a_second_after_rows_are_written, args=(table, instant, end))
        thread.start()
        result = clustering.execute(instant)
        thread.join()
    assert result.phases["wait for writers"] > 0.4
    table.check()


@pytest.mark.slow
def test_a_write_that_never_ends_is_waited_for_no_longer_than_asked(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, wait_for_writers=1)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")
    with (
        table.unseen(written, completed=True),
        pytest.raises(hz.ConflictError, match="has not ended within 1 seconds"),
    ):
        clustering.execute(instant)
    table.check()


@pytest.mark.slow
def test_a_write_in_flight_to_other_files_is_no_hindrance(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT, where="region = 'region-0'")
    with table.unseen(instant):
        before = table.instants()
        odd = frame(table.spark, 0, 40, 1).where("id % 2 = 1")
        write(odd, table.path, **table._options, datasource__write__operation="upsert")
        table.told.update({row: 1 for row in range(1, 40, 2)})
        [written] = table.instants() - before
    with table.unseen(written, completed=True):
        assert clustering.execute(instant)
    table.check()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hoodie.write.concurrency.mode": "single_writer"}, "was rolled back and changed nothing"),
        ({}, "as Hudi found when it held the lock; .* rolled back|was rolled back and changed"),
    ],
    ids=["unlocked", "locked"],
)
def test_a_write_hidden_by_the_commit_makes_it_roll_back(
    table: Table, settings: dict[str, str], message: str
) -> None:
    """The last gap: the writer appears after the last look before the commit."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(100, 50, 1)
    files = table.files(written)
    with table.unseen(written) as show:
        thread = Thread(target=_when_committing, args=(table, instant, show))
        thread.start()
        with pytest.raises(hz.ConflictError, match=message):
            clustering.execute(instant, hudi_options=settings)
        thread.join()
    assert all(path.exists() for path in files)
    table.check()


def test_a_plan_is_left_alone_while_another_process_executes_it(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    heartbeat = Path(table.path, ".hoodie", ".heartbeat", instant)
    heartbeat.parent.mkdir(exist_ok=True)
    heartbeat.touch()
    for act in (clustering.execute, clustering.cancel):
        with pytest.raises(hz.PlanInUseError, match="another process executes it"):
            act(instant)
    assert [plan.state for plan in clustering.pending()] == ["requested"]

    os.utime(heartbeat, times=(0, 0))  # killed long ago
    assert clustering.execute(instant)
    assert not heartbeat.exists()
    table.check()


@pytest.mark.slow
def test_an_execution_whose_files_another_one_has_deleted_is_not_committed(table: Table) -> None:
    """Hudi deletes the files of an execution before the next one can see its heartbeat."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        written = table.write(ROWS, 50, 1, "bulk_insert")

    def files() -> set[Path]:
        return {path for path in Path(table.path).glob("*/*.parquet") if instant in path.name}

    def another() -> None:
        found = files()
        while not found or found != files():  # until it waits for the writer
            found = files()
            time.sleep(4)
        client = ClusteringService(table.spark, table.path)._hudi
        with pytest.raises(Exception, match="another process executes it"):
            client.execute(instant, {EXECUTION_CLASS: EXECUTION_STRATEGY})
        end()

    with table.unseen(written, completed=True) as end:
        thread = Thread(target=another)
        thread.start()
        try:
            with pytest.raises(hz.ConflictError, match="another process has begun to execute it"):
                clustering.execute(instant)
        finally:
            thread.join()
    table.check()
    assert clustering.cluster(**LAYOUT).instant


def _a_second_after_rows_are_written(table: Table, instant: str, end: Callable[[], None]) -> None:
    while not any(Path(table.path).glob(f"*/*_{instant}.parquet")):
        time.sleep(0.01)
    time.sleep(1)
    end()


def _when_committing(table: Table, instant: str, show: Callable[[], None]) -> None:
    # The metadata table is written to between the last look and the commit.
    metadata = Path(table.path, ".hoodie", "metadata", ".hoodie", "timeline")
    while not any(instant in entry.name for entry in metadata.iterdir()):
        time.sleep(0.01)
    show()


@pytest.mark.slow
def test_of_two_plans_for_the_same_files_the_first_goes_on(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    first = clustering.schedule(**LAYOUT)
    with table.unseen(first):
        second = clustering.schedule(**LAYOUT)
    with pytest.raises(hz.ConflictError, match=f"clustering {first}, which was planned before"):
        clustering.execute(second)
    assert clustering.execute(first)
    table.check()


def test_of_two_clusterings_that_did_not_see_each_other_one_is_left(
    table: Table,
) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    first = clustering.schedule(**LAYOUT)
    with table.unseen(first):
        assert clustering.cluster(**LAYOUT)
    with pytest.raises(hz.ConflictError, match="wrote to"):
        clustering.execute(first)
    table.check()


def test_call_gives_way_as_well(table: Table) -> None:
    clustering = hz.ZOrderTable(table.spark, table.path)
    instant = clustering.schedule(**LAYOUT)
    with table.unseen(instant):
        table.write(100, 50, 1)
    key = "hoodie.clustering.execution.strategy.class"
    table.spark.conf.set(key, "io.hudizorder.ZOrderClusteringExecutionStrategy")
    try:
        with pytest.raises(Exception, match="Nothing was changed, and the plan was withdrawn"):
            table.spark.sql(
                f"CALL run_clustering(path => '{table.path}', op => 'execute')"
            ).collect()
    finally:
        table.spark.conf.unset(key)
    table.check()
