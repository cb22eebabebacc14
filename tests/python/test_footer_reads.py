"""How often, and how many at a time, files are read: a file system counts and holds up reads."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fsspec.implementations.local import LocalFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem

from hudi_zorder.clustering.layout_metrics import layout_of
from hudi_zorder.hudi.history import history
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Timeline
from hudi_zorder.options import SORT_COLUMNS
from hudi_zorder.parquet.footers import Footers
from hudi_zorder.skipping.explain import explain
from hudi_zorder.stats.footer_stats import footer_stats
from plain_table import base_file, tell_of_clustering, write_plain_table

BY_DAY = {
    "hoodie.table.keygenerator.type": "SIMPLE",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.table.partition.fields": "day",
}


class Opened(FSSpecHandler):  # type: ignore[misc]
    """The local file system, counting what is opened; the first opens wait for one another."""

    def __init__(self, together: int = 1) -> None:
        super().__init__(LocalFileSystem())
        self.files: Counter[str] = Counter()
        self._gate = threading.Barrier(together)
        self._first = iter(range(together))

    def open_input_file(self, path: str) -> Any:
        """Opens a file once as many are asked for as are to be open together."""
        self.files[Path(path).name] += 1
        if next(self._first, None) is not None:
            self._gate.wait(timeout=20)
        return super().open_input_file(path)


def opened(path: Path) -> tuple[TableSnapshot, Opened]:
    snapshot = TableSnapshot.open(path)
    handler = Opened()
    filesystem = PyFileSystem(handler)
    footers = Footers(filesystem, snapshot.path)
    return replace(snapshot, filesystem=filesystem, footers=footers), handler


def days(path: Path, count: int, rows: int = 10) -> Path:
    tables = {
        f"day={day}/0": pa.table({"day": [day] * rows, "i": range(rows)}) for day in range(count)
    }
    return write_plain_table(path, tables, properties=BY_DAY, use_dictionary=False)


def test_a_footer_is_read_once_for_all_that_asks_for_its_columns(tmp_path: Path) -> None:
    files = [pa.table({"a": [n, n + 1], "b": [0, n]}) for n in range(4)]
    snapshot, handler = opened(write_plain_table(tmp_path / "t", files))
    snapshot.footers.read([base_file(str(n)) for n in range(4)], ["a", "b"])
    assert set(handler.files.values()) == {1}
    footer_stats(snapshot, ["a"])
    layout_of(snapshot, [(part.partition, part.file_id) for part in snapshot.slices], [])
    assert snapshot.schema.find("b") is not None
    footer_stats(snapshot.before("3"), ["b"])
    assert set(handler.files.values()) == {1}
    explain(snapshot, "a > 100 AND b IS NULL")
    assert max(handler.files.values()) == 2  # rows, for what is the least that can be read
    footers = snapshot.footers.read([base_file("0")], None)
    assert list(footers[base_file("0")].leaves) == ["a", "b"]
    snapshot.footers.read([base_file("0")], None)
    assert handler.files[base_file("0")] <= 3


def test_footers_of_a_remote_table_are_waited_for_together(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [n]}) for n in range(32)])
    filesystem = PyFileSystem(Opened(together=32))
    files = [base_file(str(n)) for n in range(32)]
    assert len(Footers(filesystem, str(path)).read(files, ["a"])) == 32


def test_clusterings_of_a_remote_table_are_waited_for_together(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    for n in range(16):
        tell_of_clustering(path, {SORT_COLUMNS: "a"}, f"202602{n + 1:02}000000000")
    snapshot = replace(TableSnapshot.open(path), readers=16)
    filesystem = PyFileSystem(Opened(together=16))
    timeline = Timeline(filesystem, snapshot.path, snapshot.config)
    found = history(replace(snapshot, timeline=timeline))
    assert found == history(snapshot)
    assert [past.columns for past in found] == [("a",)] * 16


def test_footers_of_skipped_partitions_are_not_read_where_they_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = days(tmp_path / "t", 5)
    exact = explain(TableSnapshot.open(path), "day = 3 AND i = 1")
    monkeypatch.setattr("hudi_zorder.skipping.skipped_partitions._MOST_COUNTED", 4)
    assert explain(TableSnapshot.open(path), "day = 3 AND i = 1") == exact
    monkeypatch.setattr("hudi_zorder.skipping.skipped_partitions._MOST_COUNTED", 3)
    snapshot, handler = opened(path)
    report = explain(snapshot, "day = 3 AND i = 1")
    assert handler.files.total() <= 4  # the newest for its columns, and day 3: footer, pages, rows
    assert report.total_rows == exact.total_rows == 50  # alike in bytes
    assert replace(report, notes=()) == exact
    assert report.notes == (
        "rows of 4 files in skipped partitions are reckoned by their bytes: "
        "their footers were not read",
    )
    nothing = explain(opened(path)[0], "day > 5")
    assert (nothing.total_rows, nothing.share_read) == (50, 0)
