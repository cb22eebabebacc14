"""Log files that end before what their commit has written, of which Hudi's reader says nothing."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import cluster_by_call, read, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
from tables_with_logs import (
    BEFORE_8,
    BEFORE_9,
    BY_PART,
    DELETE,
    NO_INDEX,
    PARQUET_LOGS,
    TO_LOGS,
    UPSERT,
    clustered,
    data_files,
    frame,
    logs,
    rows_of,
    together,
    write_every_kind,
)

pytestmark = pytest.mark.usefixtures("without_metadata_table")

PARTS = [("x", 0), ("y", 1000), ("z", 2000)]
CDC = {"table__cdc__enabled": "true"}


def write_table(spark: SparkSession, path: Path, **options: str) -> str:
    """Writes partitions of a base file with a log file each."""
    first = [frame(spark, range(start, start + 100), part) for part, start in PARTS]
    write(together(first), path, **BY_PART, **options)
    changed = [frame(spark, range(start, start + 60), part, 1, 20) for part, start in PARTS]
    return write(together(changed), path, **BY_PART, **UPSERT, **options)


def log_of(path: str, part: str) -> Path:
    """The log file of a partition, without the checksums that no object storage has."""
    [log] = [log for log in logs(path) if log.parent.name == part]
    log.with_name(f".{log.name}.crc").unlink()
    return log


def recorded_sizes(path: str) -> dict[Path, int]:
    """The bytes of the log files that commits tell of, where they are still there."""
    timeline = TableSnapshot.open(path).timeline
    commits = [instant for instant in timeline.completed if instant.action == "deltacommit"]
    sizes: dict[Path, int] = {}
    for commit in commits:
        for stats in timeline.metadata(commit)["partitionToWriteStats"].values():
            for stat in stats:
                file = Path(path, stat["path"])
                if ".log." in file.name and file.exists():
                    sizes[file] = max(sizes.get(file, 0), stat["fileSizeInBytes"])
    return sizes


def require_as_recorded(path: str) -> None:
    """Fails unless each log file of a table has the very size that its commit tells."""
    sizes = recorded_sizes(path)
    assert sizes
    assert {file: file.stat().st_size for file in sizes} == sizes


def three_bytes(content: bytes) -> bytes:
    return content[:-3]


def half(content: bytes) -> bytes:
    return content[: len(content) // 2]


def all_bytes(content: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    ("cut", "jobs", "options"),
    quick_first(
        [
            (three_bytes, "one for all", {}),
            (half, "one for all", {}),
            (all_bytes, "one for all", {}),
            (three_bytes, "of each group", {}),
            (half, "of each group", {}),
            (three_bytes, "one for all", PARQUET_LOGS),
            (three_bytes, "one for all", BEFORE_9),
            (three_bytes, "one for all", BEFORE_8),
            (half, "of each group", BEFORE_8),
        ]
    ),
)
def test_a_shortened_log_is_named_before_anything_is_written(
    spark: SparkSession,
    tmp_path: Path,
    cut: Callable[[bytes], bytes],
    jobs: str,
    options: dict[str, str],
) -> None:
    path = write_table(spark, tmp_path / "t", **options)
    expected = rows_of(read(spark, path))
    log = log_of(path, "y")
    whole, files = log.read_bytes(), data_files(path)
    log.write_bytes(cut(whole))
    left = rows_of(read(spark, path))
    assert left != expected, "Hudi tells of it, or reads it whole"
    # A plan of more files than one has jobs of its own.
    target = {"target_file_size": "8KB"} if jobs == "of each group" else {}
    table = hz.ZOrderTable(spark, path)

    with pytest.raises(hz.ClusteringError, match="have Hudi compact the table") as failed:
        table.cluster(["a", "id"], hudi_options=NO_INDEX, **target)

    told = f"{log.name}' has {len(cut(whole))} bytes of the {len(whole)} that its commit has"
    assert told in str(failed.value)
    assert data_files(path) == files
    assert hz.ZOrderTable(spark, path).pending() == []
    assert rows_of(read(spark, path)) == left

    log.write_bytes(whole)
    done = table.cluster(["a", "id"], hudi_options=NO_INDEX, verify="content", **target)
    assert ("sort and write" in done.phases) == (jobs == "of each group")
    assert rows_of(read(spark, path)) == expected
    assert hz.ZOrderTable(spark, path).pending() == []


@pytest.mark.slow
def test_the_same_plan_is_executed_once_the_log_is_whole(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write_table(spark, tmp_path / "t")
    expected = rows_of(read(spark, path))
    log = log_of(path, "y")
    whole = log.read_bytes()
    log.write_bytes(three_bytes(whole))
    for _ in range(2):
        with pytest.raises(Exception, match=f"{log.name}' has"):
            cluster_by_call(spark, path, "a,id", metadata__enable="false")
    log.write_bytes(whole)

    cluster_by_call(spark, path, "a,id", metadata__enable="false")

    assert rows_of(read(spark, path)) == expected
    assert hz.ZOrderTable(spark, path).pending() == []


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, BEFORE_8])
def test_who_gives_the_rows_up_has_hudi_compact_the_table(
    spark: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    path = write_table(spark, tmp_path / "t", **options)
    log = log_of(path, "y")
    log.write_bytes(three_bytes(log.read_bytes()))
    left = rows_of(read(spark, path))
    table = hz.ZOrderTable(spark, path)
    with pytest.raises(hz.ClusteringError, match="have Hudi compact the table"):
        table.cluster(["a", "id"], hudi_options=NO_INDEX)
    at_once = "hoodie.compact.inline.max.delta.commits=1"

    with session_settings(spark, {"hoodie.metadata.enable": "false"}):
        for op in ("schedule", "run"):
            spark.sql(
                f"CALL run_compaction(op => '{op}', path => '{path}', options => '{at_once}')"
            )

    assert rows_of(read(spark, path)) == left
    assert table.cluster(["a", "id"], hudi_options=NO_INDEX, verify="content")
    assert rows_of(read(spark, path)) == left


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, BEFORE_8])
def test_a_log_that_has_more_than_its_commit_wrote_is_whole(
    spark: SparkSession, tmp_path: Path, options: dict[str, str]
) -> None:
    """As where others add to it: a rollback, or a write that has not ended."""
    path = write_table(spark, tmp_path / "t", **options)
    expected = rows_of(read(spark, path))
    log = log_of(path, "y")
    log.write_bytes(log.read_bytes() + b"#HUDI#")

    clustered(path, spark)

    assert rows_of(read(spark, path)) == expected


Makes = Callable[[SparkSession, Path, dict[str, str]], object]


def every_kind_of_slice(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    write_every_kind(spark, path, **options)


def many_writes(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    write_table(spark, path, **options)
    for ts in range(21, 26):
        rows = [frame(spark, range(start + ts, start + 80), part, 2, ts) for part, start in PARTS]
        write(together(rows), path, **BY_PART, **UPSERT, **options)
    write(frame(spark, range(10), "x", ts=40), path, **BY_PART, **DELETE, **options)
    write(frame(spark, range(1000, 1100), "y", ts=40), path, **BY_PART, **DELETE, **options)
    write(frame(spark, range(90, 300), "x", ts=41), path, **BY_PART, **UPSERT, **TO_LOGS, **options)


def of_client(options: dict[str, str]) -> dict[str, str]:
    """For a client that else would upgrade the table, and compact it for that."""
    return NO_INDEX | {f"hoodie.{key.replace('__', '.')}": options[key] for key in options}


def rolled_back_writes(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    """Of which table version 6 tells in logs, by blocks that take others back."""
    write_table(spark, path, **options)
    expected = rows_of(read(spark, str(path)))
    for ts in (30, 40):
        rows = [frame(spark, range(start, start + 30), part, 3, ts) for part, start in PARTS]
        write(together(rows), path, **BY_PART, **UPSERT, **options)
        last = max(instant.time for instant in TableSnapshot.open(path).timeline.completed)
        with hz.ZOrderTable(spark, path)._service._hudi._client(of_client(options)) as client:
            assert client.rollback(last)
        assert rows_of(read(spark, str(path))) == expected
    write(frame(spark, range(20), "x", 4, 50), path, **BY_PART, **UPSERT, **options)


def uncommitted_writes(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    """Of a writer who dies before its commit, which the next one rolls back."""
    listing = {"rollback__using__markers": "false", **options}
    write_table(spark, path, **listing)
    rows = [frame(spark, range(start, start + 30), part, 3, 30) for part, start in PARTS]
    write(together(rows), path, **BY_PART, **UPSERT, **listing)
    timeline = (
        path / ".hoodie"
        if options.get("write__table__version") == "6"
        else (path / ".hoodie/timeline")
    )
    max(timeline.glob("*.deltacommit")).unlink()
    write(frame(spark, range(20), "x", 4, 50), path, **BY_PART, **UPSERT, **listing)
    assert list(timeline.glob("*.rollback"))


def compacted_logs(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    many_writes(spark, path, options)
    before = rows_of(read(spark, str(path)))
    jvm: Any = spark._jvm
    chosen = of_client({**options, "log__compaction__blocks__threshold": "1"})
    with hz.ZOrderTable(spark, path)._service._hudi._client(chosen) as client:
        instant = client.scheduleLogCompaction(jvm.org.apache.hudi.common.util.Option.empty()).get()
        client.logCompact(instant, True)
    assert rows_of(read(spark, str(path))) == before
    write(frame(spark, range(20), "x", 4, 50), path, **BY_PART, **UPSERT, **options)


def compacted_table(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    """With logs on top of what a compaction has written."""
    write_table(spark, path, **options)
    at_once = {"compact__inline": "true", "compact__inline__max__delta__commits": "1"}
    chosen = {**BY_PART, **UPSERT, **options, **at_once}
    write(frame(spark, range(30), "x", 3, 30), path, **chosen)
    changed = [frame(spark, range(start, start + 20), part, 4, 40) for part, start in PARTS]
    write(together(changed), path, **BY_PART, **UPSERT, **options)


def several_logs_of_a_write(spark: SparkSession, path: Path, options: dict[str, str]) -> None:
    """Of blocks of a few rows, and files of a few blocks."""
    few = {"logfile__data__block__max__size": "2000", "logfile__max__size": "6000"}
    write_table(spark, path, **options, **few)
    assert len(logs(str(path))) > 2 * len(PARTS)


# Each with logs of Avro, and named as before table version 8.
INTACT: list[Makes] = [
    many_writes,
    every_kind_of_slice,
    rolled_back_writes,
    uncommitted_writes,
    compacted_logs,
    compacted_table,
    several_logs_of_a_write,
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "options"),
    [
        *((make, options) for make in INTACT for options in ({}, BEFORE_8)),
        *((many_writes, options) for options in (CDC, PARQUET_LOGS, BEFORE_9)),
    ],
)
def test_logs_that_are_whole_have_the_sizes_that_commits_tell(
    spark: SparkSession, tmp_path: Path, make: Makes, options: dict[str, str]
) -> None:
    make(spark, tmp_path / "t", options)
    path = str(tmp_path / "t")
    require_as_recorded(path)
    expected = rows_of(read(spark, path))
    shutil.copytree(path, tmp_path / "large")

    clustered(path, spark)

    assert rows_of(read(spark, path)) == expected
    large = str(tmp_path / "large")
    hz.ZOrderTable(spark, large).cluster(
        ["a", "id"], target_file_size="8KB", verify="content", hudi_options=NO_INDEX
    )
    assert rows_of(read(spark, large)) == expected
