"""A table of a few rows that every trial has a copy of, and what has to hold of it after each."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from hudi import HudiTableBuilder
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import write
from metadata_listing import apart, check_listing
from people_tables import CHANGES_WITH_A_WRITE, MERGE_ON_READ, Case, Table, check_metadata

LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "wait_for_writers": 5}
RECORD_INDEX = {
    "metadata__global__record__level__index__enable": "true",
    "metadata__global__record__level__index__min__filegroup__count": "1",
    "metadata__global__record__level__index__max__filegroup__count": "1",
    "index__type": "GLOBAL_RECORD_LEVEL_INDEX",
}
KINDS: Mapping[str, Mapping[str, str]] = {
    "copy-on-write": {},
    "merge-on-read": MERGE_ON_READ,
    "record-index": RECORD_INDEX,
    "merge-on-read-record-index": {**MERGE_ON_READ, **RECORD_INDEX},
}
# Of before Hudi 1.0, and kept so.
_VERSION_6 = {"write__table__version": "6", "write__auto__upgrade": "false"}
OLD_KINDS: Mapping[str, Mapping[str, str]] = {
    "version-6": _VERSION_6,
    "version-6-merge-on-read": {**MERGE_ON_READ, **_VERSION_6},
}
ROWS = 60
UPDATED = range(0, ROWS, 7)
OF_ID = "cast(hash(id, 1) AS int)"
"""The values of ``a`` until an update."""
COLUMNS = (*CHANGES_WITH_A_WRITE[:2], "id", "a", "b", "part")
Rows = dict[int, tuple[Any, ...]]
"""By each id the other ``COLUMNS``; of no load's commit, its time and number are ``NEW``."""
NEW = (None, None)


class TrialTable:
    """Two loads, so that each of two partitions has two files; and logs where there are any.

    Args:
        spark: a session.
        kind: one of ``KINDS`` or ``OLD_KINDS``.
        folder: for the table and its copies.

    Attributes:
        states: the rows after each load.
        instants: of the loads.
        before: all rows as they were made.
        merges_on_read: whether it has logs.
        keeps: what its writers say, so that it stays what it is.
        is_old: whether who writes to it without a lock rolls back what another has begun in its
            metadata table.
    """

    def __init__(self, spark: SparkSession, kind: str, folder: Path) -> None:
        self.spark = spark
        self.kind = kind
        self._options = {**KINDS, **OLD_KINDS}[kind]
        self.keeps = {
            f"hoodie.{key.replace('__', '.')}": value for key, value in self._options.items()
        }
        self.is_old = kind in OLD_KINDS
        self._case = Case(kind, self._options, partition="part", where="b > 0")
        self._folder = folder
        self._made = folder / "t"
        self.merges_on_read = self._case.merges_on_read
        self.states: list[Rows] = []
        self.instants: list[str] = []
        made = self.frame(range(2 * ROWS)).select("id", "b").collect()
        self._b: dict[int, int] = {row: b for row, b in made}
        for first in (0, ROWS // 2):
            self._load(range(first, first + ROWS // 2), OF_ID, "bulk_insert")
        if self.merges_on_read:
            self._load(UPDATED, "-2", "upsert")
        self.before = self.rows(self._made)

    def _load(self, ids: Sequence[int], a: str, operation: str) -> None:
        self.write(self._made, ids, a, operation)
        rows = self.rows(self._made)
        self.instants.append(max(row[0] for row in rows))
        self.states.append(self.by_id(rows))

    def copy(self) -> Path:
        """The table as it was made, in a folder of its own."""
        target = self._folder / f"{random.getrandbits(64):016x}"
        return Path(shutil.copytree(self._made, target))

    def frame(self, ids: Sequence[int], a: str = OF_ID) -> DataFrame:
        """The rows of these ids; ``a`` is SQL over ``id``."""
        rows = self.spark.createDataFrame([(i,) for i in ids], "id long").coalesce(1)
        return rows.selectExpr(
            "id", f"{a} AS a", "hash(id, 2) % 1000 + 0L AS b", "concat('p', id % 2) AS part"
        )

    def write(
        self,
        table: Path,
        ids: Sequence[int],
        a: str = OF_ID,
        operation: str = "upsert",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """Writes the rows of these ids, by Hudi's settings where others are not named."""
        options = {
            "table__name": "t",
            "datasource__write__partitionpath__field": "part",
            "datasource__write__operation": operation,
            **self._options,
            **{key.removeprefix("hoodie."): value for key, value in (settings or {}).items()},
        }
        write(self.frame(ids, a), table, **options)

    def cluster(self, table: Path, **options: Any) -> hz.ClusteringResult:
        """Clusters what is not laid out yet."""
        return hz.ZOrderTable(self.spark, table).cluster(**{**LAYOUT, **options})

    def client(self, table: Path, settings: Mapping[str, str]) -> AbstractContextManager[Any]:
        """A write client of Hudi's that has these settings."""
        return hz.ZOrderTable(self.spark, table)._service._hudi._client({**self.keeps, **settings})

    def rows(self, path: Path) -> Counter[tuple[Any, ...]]:
        """All rows, by Hudi with its metadata table and by a reader that is not ours without."""
        frame = self.spark.read.format("hudi").load(str(path)).select(*COLUMNS)
        rows = Counter(tuple(row) for row in frame.collect())
        batches = HudiTableBuilder.from_base_uri(str(path)).build().read()
        others = Counter(
            tuple(row.values()) for b in batches for row in b.select([*COLUMNS]).to_pylist()
        )
        assert others == rows, f"two readers read other rows: {apart(rows, others)}"
        return rows

    def by_id(self, rows: Counter[tuple[Any, ...]]) -> Rows:
        """The same rows; fails where an id is there twice."""
        found = {
            row: (*((time, number) if time <= self.instants[-1] else NEW), *values)
            for time, number, row, *values in rows
        }
        assert rows.total() == len(found), "an id is there twice"
        return found

    def written(self, ids: Iterable[int], a: int, b: int | None = None) -> Rows:
        """Rows as a write leaves them; ``b`` is that of the loads where it is not given."""
        return {row: (*NEW, a, self._b[row] if b is None else b, f"p{row % 2}") for row in ids}

    def check_indexes(self, path: Path, *, lists_logs: bool = True) -> None:
        """All indexes agree with the data, of which they need not know what has not ended."""
        check_metadata(Table(self.spark, self._case, path))
        begun = {name[:17] for name in unfinished(timeline_of(path))}

        def may_lack(file: str) -> bool:
            # Before Hudi 1.0 a log has the name of the commit that it is read with.
            if ".log." in file and (not lists_logs or (self.is_old and begun)):
                return True
            return any(time in file for time in begun)

        check_listing(self.spark, path, may_lack)

    def check_rest(self, path: Path, *, lists_logs: bool = True) -> None:
        """Nothing waits, nothing is left of what has ended, all indexes agree with the data."""
        waiting = hz.open_table(path).pending()
        assert not waiting, str(waiting)
        left = unfinished(timeline_of(path))
        assert left == [], f"the timeline holds {left}"
        for left in (".heartbeat", ".temp", "metadata/.hoodie/.temp"):
            names = [file.name for file in (path / ".hoodie" / left).glob("*")]
            assert [name for name in names if "." not in name] == [], f"{left} holds {names}"
        assert not (path / ".hoodie/lock").exists()
        self.check_indexes(path, lists_logs=lists_logs)


def age_heartbeats(table: Path) -> None:
    """Has the last heartbeat of every writer be long ago, as those of the dead become."""
    for folder in (".hoodie/.heartbeat", ".hoodie/metadata/.hoodie/.heartbeat"):
        for heartbeat in (table / folder).glob("*"):
            os.utime(heartbeat, times=(0, 0))


def timeline_of(table: Path) -> Path:
    """The folder of its instants."""
    timeline = table / ".hoodie/timeline"
    return timeline if timeline.is_dir() else timeline.parent


def unfinished(timeline: Path) -> list[str]:
    """The timeline's files of instants that are not completed."""
    names = [file.name for file in timeline.glob("[0-9]*") if file.is_file()]
    of_end = re.compile(r"\d{17}(_\d{17})?\.(?!inflight$)[a-z]+")
    completed = {name[:17] for name in names if of_end.fullmatch(name)}
    # Hudi's own writing of such a file, which nobody reads before it is moved to its name.
    half = re.compile(r"\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
    return [name for name in names if name[:17] not in completed and not half.search(name)]
