"""A clustering of a table whose files cannot be read fails, and leaves the table as it was."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_tables import pending_instants
from test_bad_input import digest
from test_bad_records import spoil_pages

Damage = Callable[[Path], Path]
"""Damages a table, and returns what cannot be read of it."""

BY_PART = {"datasource__write__partitionpath__field": "p"}
MERGED = {
    **BY_PART,
    "datasource__write__table__type": "MERGE_ON_READ",
    "datasource__write__operation": "upsert",
}


def write_table(spark: SparkSession, path: Path) -> None:
    """Three base files, of which two are in one partition."""
    rows = spark.range(60).selectExpr("id", "id * 7 % 60 AS a", "0 AS p")
    write(rows, path, **BY_PART)
    write(rows.selectExpr("id + 60 AS id", "a", "id % 2 AS p"), path, **BY_PART)


def write_merged_table(spark: SparkSession, path: Path) -> None:
    """A base file with a log file."""
    rows = spark.range(60).selectExpr("id", "id * 7 % 60 AS a", "0 AS p")
    write(rows, path, **MERGED)
    write(rows.selectExpr("id", "a + 1 AS a", "p"), path, **MERGED)


def base_file(path: Path) -> Path:
    """One of two, without the checksum by which Hadoop knows what is damaged."""
    file = max(path.glob("0/*.parquet"))
    file.with_name(f".{file.name}.crc").unlink()
    return file


def corrupt_pages(path: Path) -> Path:
    file = base_file(path)
    spoil_pages(file)
    return file


def cut_off(path: Path) -> Path:
    file = base_file(path)
    file.write_bytes(file.read_bytes()[:-20])
    return file


def removed(path: Path) -> Path:
    file = base_file(path)
    file.unlink()
    return file


def unreadable_file(path: Path) -> Path:
    """Whoever may read all files cannot read this one, either."""
    file = removed(path)
    file.mkdir()
    return file


def unreadable_folder(path: Path) -> Path:
    folder = path / "1"
    shutil.rmtree(folder)
    folder.touch()
    return folder


def removed_log(path: Path) -> Path:
    [file] = (log for log in path.glob("0/.*.log.*") if log.suffix != ".crc")
    file.unlink()
    return file


DAMAGES = [corrupt_pages, cut_off, removed, unreadable_file, unreadable_folder]
CASES = {
    **{damage.__name__: (write_table, damage) for damage in DAMAGES},
    "removed_log": (write_merged_table, removed_log),
    "corrupt_pages_beside_logs": (write_merged_table, corrupt_pages),
}


@pytest.mark.slow
@pytest.mark.parametrize(("make", "damage"), CASES.values(), ids=CASES)
def test_a_file_that_cannot_be_read_ends_a_clustering_and_changes_nothing(
    spark: SparkSession,
    made_once: Callable[..., str],
    tmp_path: Path,
    make: Callable[[SparkSession, Path], None],
    damage: Damage,
) -> None:
    path = Path(made_once(tmp_path / make.__name__, lambda model: make(spark, model)))
    damaged = damage(path)
    table = hz.ZOrderTable(spark, str(path))
    before = data_files(path)

    with pytest.raises(hz.HudiZOrderError) as failed:
        table.cluster(columns=["a", "id"])

    assert str(failed.value).startswith("Cannot ")
    assert damaged.name in str(failed.value)
    assert data_files(path) == before
    assert pending_instants(str(path)) == []
    assert list(path.glob(".hoodie/.temp/*")) == []
    assert list(path.glob(".hoodie/.heartbeat/*")) == []


@pytest.mark.slow
def test_a_plan_that_fails_by_a_file_tells_why(
    spark: SparkSession, made_once: Callable[..., str], tmp_path: Path
) -> None:
    path = made_once(tmp_path / write_table.__name__, lambda model: write_table(spark, model))
    name = re.escape(removed(Path(path)).name)
    with pytest.raises(hz.ClusteringError, match=rf"footer of .*{name}' \(.*{name} does not exist"):
        hz.ZOrderTable(spark, path).schedule(["a", "id"])


def data_files(path: Path) -> dict[str, str]:
    """The files of all partitions; what Hudi tells of a clustering it has rolled back is none."""
    whole = digest(path)
    return {file: content for file, content in whole.items() if "/.hoodie/" not in file}
