"""A column that a write adds while a clustering runs stays a column of the table.

The write was requested before the clustering and is committed since it was planned.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_tables import read
from seen_and_unseen import LAYOUT, ROWS, Table, frame, when_committing

ADDED = 50


@pytest.fixture
def table(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> Table:
    return Table(spark, made_once, tmp_path / "table", "COPY_ON_WRITE")


def add_column(table: Table, first: int) -> str:
    """Writes new rows with a further column, which may be null; returns the instant."""
    before = table.instants()
    rows = frame(table.spark, first, ADDED).withColumn(
        "added", F.when(F.col("id") >= 0, F.col("id") * 2)
    )
    write(rows, table.path, datasource__write__operation="bulk_insert", **table.options)
    table.told.update(dict.fromkeys(range(first, first + ADDED), 0))
    [instant] = table.instants() - before
    return instant


def planned_beside(table: Table) -> tuple[hz.ZOrderTable, str, str]:
    """Plans beside a write that adds a column; returns the clusterer, the write and the plan."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    written = add_column(table, ROWS)
    with table.unseen(written):
        plan = clustering.schedule(**LAYOUT)
    assert plan is not None
    complete_after(table, written, plan)
    return clustering, written, plan


def complete_after(table: Table, written: str, plan: str) -> None:
    """Has a write be completed right after a plan was requested."""
    [file] = [f for f in table.files(written, completed=True) if not f.name.startswith(".")]
    file.rename(file.with_name(f"{written}_{int(plan) + 1}.{file.name.split('.')[1]}"))


def added(table: Table) -> int:
    """How many rows have the value that was written with them."""
    return read(table.spark, table.path).where("added = id * 2").count()


def beating(table: Table, plan: str, show: Callable[[], None]) -> None:
    """Shows something once a clustering has read the timeline, before its last look."""
    heartbeat = Path(table.path, ".hoodie", ".heartbeat", plan)
    while not heartbeat.exists():
        time.sleep(0.01)
    show()


@pytest.mark.slow
@pytest.mark.parametrize("when", [when_committing, beating])
def test_a_column_that_a_write_adds_meanwhile_makes_it_give_way(
    table: Table, when: Callable[[Table, str, Callable[[], None]], None]
) -> None:
    clustering, written, instant = planned_beside(table)

    with table.unseen(written) as show:
        thread = Thread(target=when, args=(table, instant, show))
        thread.start()
        with pytest.raises(hz.ConflictError, match=f"{written}, .* changed the column 'added'"):
            clustering.execute(instant)
        thread.join()

    table.check()
    assert added(table) == ADDED
    assert clustering.cluster(**LAYOUT)
    table.check()
    assert added(table) == ADDED


@pytest.mark.slow
def test_a_column_that_was_there_before_it_began_is_no_reason(table: Table) -> None:
    clustering, _, instant = planned_beside(table)

    assert clustering.execute(instant)

    table.check()
    assert added(table) == ADDED


@pytest.mark.slow
def test_a_column_that_hudi_shows_no_more_is_kept_by_the_next_clustering(table: Table) -> None:
    """Hudi 1.2 takes the schema of whichever commit was requested last; HUDI_FAULTS.md."""
    clustering = hz.ZOrderTable(table.spark, table.path)
    written = add_column(table, ROWS)
    with table.unseen(written):
        assert clustering.cluster(**LAYOUT)
    assert "added" not in read(table.spark, table.path).columns, "Hudi shows it by itself: simplify"

    assert clustering.cluster(**LAYOUT, mode="full", verify="content")

    add_column(table, ROWS + ADDED)
    table.check()
    assert added(table) == 2 * ADDED
