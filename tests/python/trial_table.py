"""A table of a few rows that every trial has a copy of, and what has to hold of it after each."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from hudi import HudiTableBuilder
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import write
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


class TrialTable:
    """Two loads, so that each of two partitions has two files; and logs where there are any.

    Args:
        spark: a session.
        kind: one of ``KINDS`` or ``OLD_KINDS``.
        folder: for the table and its copies.

    Attributes:
        states: the value of ``a`` of each id after each load.
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
        self.states: list[dict[int, int]] = []
        self.instants: list[str] = []
        for first in (0, ROWS // 2):
            self._load(range(first, first + ROWS // 2), OF_ID, "bulk_insert")
        if self.merges_on_read:
            self._load(UPDATED, "-2", "upsert")
        self.before = self.rows(self._made)

    def _load(self, ids: Sequence[int], a: str, operation: str) -> None:
        self.write(self._made, ids, a, operation)
        rows = self.rows(self._made)
        self.states.append({row[2]: row[3] for row in rows})
        self.instants.append(max(row[0] for row in rows))

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
        columns = [*CHANGES_WITH_A_WRITE[:2], "id", "a", "b", "part"]
        frame = self.spark.read.format("hudi").load(str(path)).select(columns)
        rows = Counter(tuple(row) for row in frame.collect())
        batches = HudiTableBuilder.from_base_uri(str(path)).build().read()
        others = [tuple(row.values()) for b in batches for row in b.select(columns).to_pylist()]
        assert Counter(others) == rows, "two readers read other rows"
        return rows

    def check_rest(self, path: Path) -> None:
        """Nothing waits, nothing is left of what has ended, all indexes agree with the data."""
        waiting = hz.open_table(path).pending()
        assert not waiting, str(waiting)
        left = unfinished(timeline_of(path))
        assert left == [], f"the timeline holds {left}"
        for left in (".heartbeat", ".temp", "metadata/.hoodie/.temp"):
            names = [file.name for file in (path / ".hoodie" / left).glob("*")]
            assert [name for name in names if "." not in name] == [], f"{left} holds {names}"
        assert not (path / ".hoodie/lock").exists()
        check_metadata(Table(self.spark, self._case, path))
        listed, there = self._listed(path), _data(path)
        assert listed == there, f"the metadata table lists other files: {apart(listed, there)}"

    def _listed(self, path: Path) -> dict[str, int]:
        """The data files by the metadata table, and their sizes."""
        jvm: Any = self.spark._jvm
        jsc = jvm.org.apache.spark.api.java.JavaSparkContext(
            self.spark._jsparkSession.sparkContext()
        )
        engine = jvm.org.apache.hudi.client.common.HoodieSparkEngineContext(jsc)
        location = jvm.org.apache.hudi.storage.StoragePath(str(path))
        storage = jvm.org.apache.hudi.storage.hadoop.HoodieHadoopStorage(
            location, engine.getStorageConf()
        )
        config = jvm.org.apache.hudi.common.config.HoodieMetadataConfig.newBuilder().build()
        metadata = jvm.org.apache.hudi.metadata.HoodieBackedTableMetadata(
            engine, storage, config, str(path)
        )
        try:
            partitions = [f"{path}/{name}" for name in metadata.getAllPartitionPaths()]
            found = metadata.getAllFilesInPartitions(partitions)
            return {
                f"{Path(partition).name}/{file.getPath().getName()}": file.getLength()
                for partition, files in found.items()
                for file in files
            }
        finally:
            metadata.close()


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


def _data(table: Path) -> dict[str, int]:
    """The base and log files of a table that lie in its partitions, with their sizes."""
    files = (file for file in table.glob("p?/*") if not file.name.startswith(".hoodie_partition"))
    return {str(file.relative_to(table)): file.stat().st_size for file in files}


def apart(left: Mapping[Any, int], right: Mapping[Any, int]) -> str:
    """What each of two has that the other has not."""
    return " and ".join(str(dict(a.items() - b.items())) for a, b in [(left, right), (right, left)])
