"""Columns of files from before a change of the schema may be others than those of their names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_zorder as hz
from hudi_tables import base_files, evolving, session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats.clustering_information import clustering_information, read_share
from hudi_zorder.stats.column_stats import SOURCES, column_stats
from hudi_zorder.stats.footer_stats import footer_stats
from plain_table import CLUSTERED, base_file, change_schema, write_plain_table

CHANGED = "20260101120000000"
ON_READ = {"schema__on__read__enable": "true"}


def changed_table(path: Path, *, written_since: bool = True) -> TableSnapshot:
    """Returns a table of a file from before a change of the schema, and perhaps one since."""
    write_plain_table(path, [pa.table({"c": [1, 2, None, 4]})])
    change_schema(path, CHANGED)
    if written_since:
        pq.write_table(pa.table({"c": [7, 8]}), path / base_file("1", CLUSTERED))
        (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").touch()
    return TableSnapshot.open(path)


def test_their_footers_say_nothing_of_the_columns(tmp_path: Path) -> None:
    old, new = footer_stats(changed_table(tmp_path / "t"), ["c"]).to_pylist()
    assert (old["c.min"], old["c.max"], old["c.null_count"], old["rows"]) == (None, None, None, 4)
    assert old["c.unknown"] == f"the table's schema was changed since, at {CHANGED}"
    assert (new["c.min"], new["c.max"], new["c.null_count"], new["rows"]) == (7, 8, 0, 2)
    assert new["c.unknown"] is None


def test_an_equality_reads_them_always(tmp_path: Path) -> None:
    snapshot = changed_table(tmp_path / "t")
    (found,) = clustering_information(snapshot, ["c"]).by_column
    assert (found.unknown_files, found.share_read) == (1, 1.0)
    assert read_share(snapshot, ["c"], [base_file("0")]) == {"c": 1.0}


def test_all_is_read_when_there_are_no_other_files(tmp_path: Path) -> None:
    (found,) = clustering_information(
        changed_table(tmp_path / "t", written_since=False), ["c"]
    ).by_column
    assert (found.unknown_files, found.share_read, found.bytes_read) == (1, 1.0, 1.0)


@pytest.mark.filterwarnings("ignore::hudi_zorder.IndexWarning")
def test_a_column_that_has_a_name_no_file_knows_is_unknown_in_all(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [n]}) for n in range(4)])
    array = {"type": "array", "items": "long"}
    kinds = {"a": "long", "New": "long", "list": array}
    fields = [{"name": name, "type": ["null", kind]} for name, kind in kinds.items()]
    schema = json.dumps({"type": "record", "name": "t", "fields": fields})
    commit = json.dumps({"extraMetadata": {"schema": schema}})
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").write_text(commit)
    snapshot = TableSnapshot.open(path)
    new, old = clustering_information(snapshot, ["new", "A"]).by_column
    assert (new.column, new.unknown_files, new.share_read) == ("new", 4, 1.0)
    assert (old.column, old.unknown_files, old.share_read) == ("a", 0, 0.25)
    for source in SOURCES:
        stats = column_stats(snapshot, ["new", "A"], source)
        assert stats["new.unknown"].null_count == 0
        assert stats["new.null_count"].null_count == stats["new.min"].null_count == 4
    for names, fault in ((["nwe"], "no column 'nwe'"), (["list"], "'list'"), (["new"] * 2, "once")):
        with pytest.raises(hz.ColumnError, match=fault):
            clustering_information(snapshot, names)


@pytest.mark.slow
def test_a_column_dropped_and_added_again_has_no_bounds_of_the_dropped_one(
    spark: Any, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    path = write_hudi(spark.range(100).selectExpr("id", "id AS c").coalesce(1), tmp_path / "t")
    with evolving(spark, path):
        spark.sql("ALTER TABLE evolved DROP COLUMN c")
        spark.sql("ALTER TABLE evolved ADD COLUMNS (c bigint)")
    write_hudi(spark.range(100, 110).selectExpr("id", "7L AS c").coalesce(1), path, **ON_READ)
    table = hz.ZOrderTable(spark, path)
    with session_settings(spark, {"hoodie.schema.on.read.enable": "true"}):
        found = table.explain("c IS NULL", audit=True).audit
    # A fault of Hudi's, which HUDI_FAULTS.md tells of.
    assert (found.lost_rows, found.explain_is_sound) == (100, True)
    assert ["of one that had its name before" in fault.cause for fault in found.faults] == [True]
    for source in SOURCES:
        stats = table.column_stats(["c"], source=source).to_pylist()
        assert {(row["rows"], row["c.min"], row["c.max"]) for row in stats} == {
            (100, None, None),
            (10, 7, 7),
        }
    table.cluster(["id"], mode="full")
    with session_settings(spark, {"hoodie.schema.on.read.enable": "true"}):
        assert table.explain("c IS NULL", audit=True).audit.lost_rows == 0
        assert spark.read.format("hudi").load(path).where("c IS NULL").count() == 100


@pytest.mark.slow
def test_files_of_before_a_rename_are_laid_out_by_the_new_name(
    spark: Any, write_hudi: Callable[..., str], tmp_path: Path
) -> None:
    """They have the column by the old one, and not nulls alone, which nothing could better."""
    rows = spark.range(8_000).selectExpr("id", "xxhash64(id) AS a").repartition(8)
    path = write_hudi(rows, tmp_path / "t")
    with evolving(spark, path):
        spark.sql("ALTER TABLE evolved RENAME COLUMN a TO b")
    table = hz.ZOrderTable(spark, path)
    size = max(file.stat().st_size for file in base_files(spark, path))
    assert table.plan(columns=["b"], target_file_size=size)
    [now, *_] = [read.now for read in table.forecast(["b"], target_file_size=size).layouts[0].reads]
    assert now == 1
