"""Files that Hudi has in another slice than theirs, or in none, as HUDI_FAULTS.md tells."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import cluster_by_call, read, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
from tables_with_logs import BEFORE_8, DELETE, NO_INDEX, UPSERT, data_files

pytestmark = [pytest.mark.usefixtures("without_metadata_table"), pytest.mark.slow]

MERGED = {
    "datasource__write__table__type": "MERGE_ON_READ",
    "datasource__write__partitionpath__field": "p",
    "compact__inline": "false",
}
# A base file without logs that gets new rows is written anew, with the changes in it.
SMALL = {"parquet__small__file__limit": "104857600"}
LATE_ROLLBACKS = {
    "write__concurrency__mode": "OPTIMISTIC_CONCURRENCY_CONTROL",
    "write__lock__provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider",
    "clean__failed__writes__policy": "LAZY",
    "clean__automatic": "false",
}
ARCHIVED = {"keep__min__commits": "2", "keep__max__commits": "3", "clean__automatic": "false"}
AT_ONCE = "hoodie.compact.inline.max.delta.commits=1"


def rows(spark: SparkSession, first: int, last: int, version: int, part: str = "x") -> Any:
    columns = ("id", f"{version} AS v", f"'{part}' AS p")
    return spark.range(first, last).selectExpr(*columns).coalesce(1)


def compact(spark: SparkSession, path: str) -> None:
    with session_settings(spark, NO_INDEX):
        for op in ("schedule", "run"):
            spark.sql(
                f"CALL run_compaction(op => '{op}', path => '{path}', options => '{AT_ONCE}')"
            )


def found(spark: SparkSession, path: str) -> dict[int, int]:
    """What Hudi reads of the partition."""
    return {row.id: row.v for row in read(spark, path).where("p = 'x'").select("id", "v").collect()}


def require_one_base_file(path: str) -> None:
    """Fails unless the latest slice of the partition is a base file alone, by its names."""
    [part] = [part for part in TableSnapshot.open(path).slices if part.partition == "x"]
    assert part.base is not None
    assert part.logs == ()


def require_refused(spark: SparkSession, path: str) -> None:
    files, before = data_files(path), found(spark, path)
    table = hz.ZOrderTable(spark, path)
    with pytest.raises(hz.ClusteringError, match=r"log file '.*' is of an earlier slice"):
        table.cluster(["v"], hudi_options=NO_INDEX)
    assert data_files(path) == files
    assert table.pending() == []
    assert found(spark, path) == before


@pytest.fixture
def version_6(spark: SparkSession, tmp_path: Path) -> tuple[str, dict[int, int]]:
    """A table with an earlier slice that has logs, and its rows."""
    path = write(rows(spark, 0, 10, 0), tmp_path / "t", **MERGED, **BEFORE_8)
    write(rows(spark, 0, 5, 1), path, **MERGED, **UPSERT, **BEFORE_8)
    compact(spark, path)
    more = rows(spark, 0, 3, 2).union(rows(spark, 100, 103, 2)).coalesce(1)
    write(more, path, **MERGED, **UPSERT, **BEFORE_8, **SMALL)
    right = {0: 2, 1: 2, 2: 2, 3: 1, 4: 1, **dict.fromkeys(range(5, 10), 0), 100: 2, 101: 2, 102: 2}
    assert found(spark, path) == right
    require_one_base_file(path)
    return path, right


def test_hudi_has_those_of_an_earlier_slice_where_a_table_of_version_6_was_copied(
    spark: SparkSession, version_6: tuple[str, dict[int, int]], tmp_path: Path
) -> None:
    path, right = version_6
    copy = shutil.copytree(path, tmp_path / "copy")
    for file in Path(copy, ".hoodie").iterdir():
        os.utime(file)  # as most copies have times of their own
    assert found(spark, str(copy)) == {**right, 0: 1, 1: 1, 2: 1}
    require_one_base_file(str(copy))
    require_refused(spark, str(copy))
    assert hz.ZOrderTable(spark, path).cluster(["v"], hudi_options=NO_INDEX)
    assert found(spark, path) == right


def test_hudi_has_them_where_the_process_is_in_another_time_zone(
    spark: SparkSession, version_6: tuple[str, dict[int, int]]
) -> None:
    path, right = version_6
    zones = spark._jvm.java.util.TimeZone  # type: ignore[union-attr]
    own = zones.getDefault()
    zones.setDefault(zones.getTimeZone("Asia/Tokyo"))
    try:  # to read alone: Hudi makes no instant before the last one of the process
        assert found(spark, path) == {**right, 0: 1, 1: 1, 2: 1}
    finally:
        zones.setDefault(own)


def test_hudi_has_them_where_their_write_is_archived_and_a_restore_is_older(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(rows(spark, 0, 10, 0), tmp_path / "t", **MERGED, **ARCHIVED)
    [first] = [instant.time for instant in TableSnapshot.open(path).timeline.completed]
    restored = f"path => '{path}', instant_time => '{first}'"
    with session_settings(spark, NO_INDEX):
        spark.sql(f"CALL create_savepoint(path => '{path}', commit_time => '{first}')")
        write(rows(spark, 900, 901, 0, "y"), path, **MERGED, **UPSERT, **ARCHIVED)
        spark.sql(f"CALL rollback_to_savepoint({restored})")
        spark.sql(f"CALL delete_savepoint({restored})")
    write(rows(spark, 0, 5, 1), path, **MERGED, **UPSERT, **ARCHIVED)
    for other in range(1000, 1006):
        write(rows(spark, other, other + 1, 0, "y"), path, **MERGED, **UPSERT, **ARCHIVED)
    write(rows(spark, 0, 1, 2), path, **MERGED, **DELETE, **ARCHIVED)
    compact(spark, path)
    right = {**dict.fromkeys(range(1, 5), 1), **dict.fromkeys(range(5, 10), 0)}
    assert found(spark, path) == {**right, 0: 1}
    # The compaction has passed it over: without it the updates were gone.
    [part] = [part for part in TableSnapshot.open(path).slices if part.partition == "x"]
    assert part.base is not None
    assert [log.instant < part.base.instant for log in part.logs] == [True]
    assert hz.open_table(path).explain("v = 1").kept


def test_hudi_overlooks_them_beside_a_base_file_that_is_not_committed(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = write(rows(spark, 0, 10, 0), tmp_path / "t", **MERGED, **LATE_ROLLBACKS)
    more = rows(spark, 0, 1, 9).union(rows(spark, 100, 103, 9)).coalesce(1)
    write(more, path, **MERGED, **UPSERT, **LATE_ROLLBACKS, **SMALL)
    committed = sorted(Path(path, ".hoodie/timeline").glob("*_*.deltacommit"))
    failed = committed[-1].name.split("_")[0]
    committed[-1].unlink()
    beat = Path(path, ".hoodie/.heartbeat", failed)
    beat.parent.mkdir(exist_ok=True)
    beat.touch()
    os.utime(beat, (0, 0))  # of a writer that died before its commit
    write(rows(spark, 1, 2, 5), path, **MERGED, **UPSERT, **LATE_ROLLBACKS)
    wrong = dict.fromkeys(range(10), 0)
    [part] = TableSnapshot.open(path).slices
    assert [log.instant for log in part.logs] == [
        TableSnapshot.open(path).timeline.completed[-1].time
    ]
    assert found(spark, path) == wrong
    late = {"metadata__enable": "false", "clean__failed__writes__policy": "LAZY"}
    with pytest.raises(Exception, match="Hudi overlooks what a committed write has logged"):
        cluster_by_call(spark, path, "v", **late)  # under no lock, as Hudi looks for nothing then
    table = hz.ZOrderTable(spark, path)
    assert table.pending() == []
    beat.unlink()  # and what follows, as its rollback does
    for file in (
        *Path(path).glob(f"x/*_{failed}.parquet"),
        *Path(path).glob(f".hoodie/*/{failed}.*"),
    ):
        file.unlink()
    right = {**wrong, 1: 5}
    assert found(spark, path) == right
    assert table.cluster(["v"], hudi_options=NO_INDEX)
    assert found(spark, path) == right


def test_hudi_passes_over_base_files_that_were_archived_beyond_a_savepoint(
    spark: SparkSession, tmp_path: Path
) -> None:
    beyond = {**ARCHIVED, "archive__beyond__savepoint": "true", "clean__commits__retained": "1"}
    by_part = {"datasource__write__partitionpath__field": "p"}
    path = write(rows(spark, 0, 1, 0), tmp_path / "t", **by_part)
    [first] = [instant.time for instant in TableSnapshot.open(path).timeline.completed]
    with session_settings(spark, NO_INDEX):
        spark.sql(f"CALL create_savepoint(path => '{path}', commit_time => '{first}')")
    for number in range(1, 5):
        write(rows(spark, number, number + 1, 0), path, **by_part, **beyond)
    assert found(spark, path).keys() < set(range(5))
    assert len(TableSnapshot.open(path).slices) == 5
