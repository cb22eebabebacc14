"""A table and what its writers were told, and files of its timeline that appear when they are to.

An instant whose files are out of the way for a while is one that somebody has not seen, or that has
not ended yet: so is any interleaving of a clustering with writers forced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from conftest import write
from hudi_tables import pending_instants, read
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.options import LOCKING

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
        self.options = {
            "datasource__write__table__type": kind,
            "datasource__write__partitionpath__field": "region",
        }
        self.path = made_once(path, lambda model: write(frame(spark), model, **self.options))
        self.told: dict[int, int] = dict.fromkeys(range(ROWS), 0)
        self.timeline = Path(self.path, ".hoodie", "timeline")

    def write(
        self, first: int, rows: int, version: int, operation: str = "upsert", **settings: str
    ) -> str:
        """Writes and returns the instant."""
        before = self.instants()
        rows_in = frame(self.spark, first, rows, version)
        options = {**self.options, "datasource__write__operation": operation, **settings}
        write(rows_in, self.path, **options)
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
        assert [*Path(self.path, ".hoodie", ".temp").glob("*/MARKERS*")] == []


@dataclass(frozen=True)
class Unseen:
    """A write that a clustering hides, and one that it waits for after its commit."""

    hidden: str
    endless: str

    @classmethod
    def since(cls, table: Table, plan: str) -> Unseen:
        """Writes both after a plan that they do not see."""
        with table.unseen(plan):
            found = cls(table.write(100, 50, 1), table.write(ROWS, 50, 1, "bulk_insert"))
        heartbeat = Path(table.path, ".hoodie", ".heartbeat", found.endless)
        heartbeat.parent.mkdir(exist_ok=True)
        heartbeat.touch()
        return found

    @contextmanager
    def shown(
        self,
        table: Table,
        plan: str,
        committed: Callable[[], AbstractContextManager[object]],
        waiting: Callable[[], object],
    ) -> Iterator[None]:
        """While it lasts, the plan's clustering commits beside both.

        What it hides is shown within ``committed``, and then what it waits for has an end; the lock
        is another's from then on until ``waiting`` is done.
        """
        with (
            table.unseen(self.hidden) as show_hidden,
            table.unseen(self.endless, completed=True) as end_endless,
            table.unseen(self.endless) as begin_endless,
        ):

            def meanwhile() -> None:
                when_committing(table, plan, begin_endless)
                while not table.files(plan, completed=True):
                    time.sleep(0.01)
                with committed(), locked(table):
                    show_hidden()
                    time.sleep(1.5)  # it is to be taken back, but not before the write has ended
                    end_endless()
                    waiting()

            thread = Thread(target=meanwhile)
            thread.start()
            try:
                yield
            finally:
                thread.join()


@contextmanager
def locked(table: Table) -> Iterator[None]:
    """While it lasts, somebody else holds the table's lock."""
    hudi = ClusteringService(table.spark, table.path)._hudi
    none = hudi._option().empty()
    with hudi._client(LOCKING) as client:
        client.getTransactionManager().beginStateChange(none, none)
        try:
            yield
        finally:
            client.getTransactionManager().endStateChange(none)


def when_committing(table: Table, instant: str, show: Callable[[], None]) -> None:
    """Shows something once a clustering is past its last look before the commit."""
    # The metadata table is written to between the last look and the commit.
    metadata = Path(table.path, ".hoodie", "metadata", ".hoodie", "timeline")
    while not any(instant in entry.name for entry in metadata.iterdir()):
        time.sleep(0.01)
    show()
