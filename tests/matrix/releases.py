"""A table as releases of Hudi take turns at it, each in a process of its own with its own JVM."""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from by_configuration import run_clustering, strategy
from pyspark.sql import SparkSession

import hudi_zorder as hz

T = TypeVar("T")
COLUMNS = ("a", "b")
TARGET = 40_000
VALUES = ("id", "part", "a", "b", "text")
STRATEGY = strategy(COLUMNS, TARGET)

_session: Any = None


class Release:
    """A release of Hudi in a process of its own; what it does there are this module's functions."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._pool = ProcessPoolExecutor(
            1, multiprocessing.get_context("spawn"), _start, (version,)
        )

    def __call__(self, does: Callable[..., T], *args: Any, **options: Any) -> T:
        """Runs a function of this module there; what it raises is raised here, as a text."""
        done: T = self._pool.submit(_quoted, does, args, options).result()
        return done

    def close(self) -> None:
        """Ends the process and its JVM."""
        self._pool.shutdown()


@contextmanager
def running() -> Iterator[Callable[[str], Release]]:
    """Yields what returns the process of a release; a release is started when it is first asked."""
    started: dict[str, Release] = {}

    def of(version: str) -> Release:
        return started.setdefault(version, Release(version))

    try:
        yield of
    finally:
        for release in started.values():
            release.close()


def _start(version: str) -> None:
    global _session
    folder = tempfile.mkdtemp(prefix="hudi-zorder-")
    os.chdir(folder)  # for Derby and its log
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", folder)
    )
    _session = hz.configure_spark(builder, hudi=version).getOrCreate()
    _session.sparkContext.setLogLevel("ERROR")


def _quoted(does: Callable[..., T], args: tuple[Any, ...], options: dict[str, Any]) -> T:
    try:
        return does(*args, **options)
    except Exception as error:  # py4j's cannot be sent to another process
        raise AssertionError(f"{type(error).__name__}: {error}") from None


def write(
    path: str,
    first: int,
    rows: int,
    text: str,
    operation: str = "upsert",
    options: Mapping[str, str] | None = None,
) -> list[tuple[Any, ...]]:
    """Writes rows from an id on, and returns them; ``a`` and ``b`` are permutations of the ids."""
    frame = _session.range(first, first + rows, 1, 2).selectExpr(
        "id",
        "'p' || (id % 2) part",
        "cast((id * 7919) % 4001 as int) a",
        "cast((id * 104729 + 17) % 4001 as int) b",
        f"'{text} ' || sha2(cast(id as string), 256) text",
    )
    chosen = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "part",
        "hoodie.datasource.write.precombine.field": "a",
        "hoodie.datasource.write.operation": operation,
        "hoodie.metadata.index.column.stats.enable": "true",
        "hoodie.index.bloom.num_entries": "1000",
        "hoodie.parquet.small.file.limit": "0",
        **(options or {}),
    }
    frame.write.format("hudi").options(**chosen).mode("append").save(path)
    return [tuple(row) for row in frame.select(*VALUES).collect()]


def write_times(path: str, options: Mapping[str, str]) -> list[tuple[int, int]]:
    """Writes rows with times in milliseconds, and returns their ids and times in microseconds."""
    millis = {"type": "long", "logicalType": "timestamp-millis"}
    kinds = {"id": "long", "a": "int", "b": "int", "at": millis}
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    frame = _session.range(0, 3000, 1, 2).selectExpr(
        "id",
        "cast((id * 7919) % 4001 as int) a",
        "cast((id * 104729 + 17) % 4001 as int) b",
        "timestamp_millis(id * 86400003 - 5) at",
    )
    chosen = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.write.schema": json.dumps({"type": "record", "name": "r", "fields": fields}),
        **options,
    }
    frame.write.format("hudi").options(**chosen).mode("append").save(path)
    return sorted(tuple(row) for row in frame.selectExpr("id", "unix_micros(at)").collect())


def times(path: str) -> list[tuple[int, int]]:
    """The ids and times of the rows, in microseconds."""
    frame = _session.read.format("hudi").load(path).selectExpr("id", "unix_micros(at)")
    return sorted(tuple(row) for row in frame.collect())


def rows(path: str, where: str = "true") -> list[tuple[Any, ...]]:
    """The rows in the order of their ids, without what Hudi adds; files are skipped."""
    reader = _session.read.format("hudi").option("hoodie.metadata.enable", "true")
    frame = reader.option("hoodie.enable.data.skipping", "true").load(path).where(where)
    return sorted(tuple(row) for row in frame.select(*VALUES).collect())


def cluster(path: str, mode: str = "incremental") -> None:
    """Clusters what is not laid out yet, or all."""
    hz.ZOrderTable(_session, path).cluster(COLUMNS, target_file_size=TARGET, mode=mode)


def cluster_by_call(path: str, settings: Mapping[str, str]) -> None:
    """Clusters by SQL, by settings of the session."""
    run_clustering(_session, path, {**STRATEGY, **settings})


def call(path: str, procedure: str, to_version: str) -> bool:
    """Moves the table to another version by Hudi's own procedure."""
    _session.sql(f"CREATE TABLE t USING hudi LOCATION '{path}'")
    try:
        done = _session.sql(f"CALL {procedure}(table => 't', to_version => '{to_version}')")
        return bool(done.collect()[0][0])
    finally:
        _session.sql("DROP TABLE t")


def statistics_agree(path: str) -> bool:
    """Whether the index has what the footers of the files have."""
    stats = hz.ZOrderTable(_session, path).column_stats
    columns = list(COLUMNS)
    return bool(stats(columns, source="index").equals(stats(columns, source="footers")))
