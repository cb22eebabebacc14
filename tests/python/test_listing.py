"""What a listing of a table gives, whatever its order, and whatever is committed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem

from hudi_zorder.hudi.partition_folders import joined_partition
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Timeline
from plain_table import CLUSTERED, COMPLETED, INSTANT, base_file, write_plain_table

ROWS = pa.table({"id": [1, 2, 3]})
REPLACED = json.dumps({"partitionToReplaceFileIds": {"": ["f0-0"]}})
BOTH_ORDERS = pytest.mark.parametrize("backwards", [False, True])


class Listing(FSSpecHandler):  # type: ignore[misc]
    """The local file system in an order of its own; ``listed`` is told of every listing."""

    def __init__(self, *, backwards: bool, listed: Callable[[str], object] = str) -> None:
        super().__init__(LocalFileSystem())
        self._backwards = backwards
        self._listed = listed

    def get_file_info_selector(self, selector: Any) -> list[Any]:
        """Returns the entries of a folder in the order asked for."""
        found = super().get_file_info_selector(selector)
        self._listed(selector.base_dir)
        return sorted(found, key=lambda info: info.path, reverse=self._backwards)


def open_listed(path: Path, listing: Listing) -> TableSnapshot:
    snapshot = TableSnapshot.open(path)
    filesystem = PyFileSystem(listing)
    timeline = Timeline(filesystem, snapshot.path, snapshot.config)
    return replace(snapshot, filesystem=filesystem, timeline=timeline)


def replace_first_file(path: Path) -> None:
    pq.write_table(ROWS, path / base_file("1", CLUSTERED))
    timeline = path / ".hoodie/timeline"
    (timeline / f"{CLUSTERED}_{CLUSTERED[:-1]}1.replacecommit").write_text(REPLACED)


@BOTH_ORDERS
def test_a_savepoint_does_not_hide_what_its_commit_replaced(
    tmp_path: Path, backwards: bool
) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    replace_first_file(path)
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}2.savepoint").touch()
    snapshot = open_listed(path, Listing(backwards=backwards))
    assert [part.path for part in snapshot.slices] == [base_file("1", CLUSTERED)]
    assert [i.action for i in snapshot.timeline.completed] == ["commit", "replacecommit"]
    assert snapshot.timeline.completed_twice == ()  # which repair would look at


@BOTH_ORDERS
def test_a_savepoint_does_not_hide_what_was_archived_beside_it(
    tmp_path: Path, backwards: bool
) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    between = "20260101120000000"
    pq.write_table(ROWS, path / base_file("1", between))  # its commit is in the archive
    pq.write_table(ROWS, path / base_file("2", CLUSTERED))
    timeline = path / ".hoodie/timeline"
    (timeline / f"{INSTANT}_{COMPLETED[:-1]}1.savepoint").touch()
    (timeline / f"{CLUSTERED}_{CLUSTERED[:-1]}1.commit").touch()
    snapshot = open_listed(path, Listing(backwards=backwards))
    expected = [base_file("0"), base_file("1", between), base_file("2", CLUSTERED)]
    assert [part.path for part in snapshot.slices] == expected


def test_rows_stay_when_a_clustering_commits_during_the_listing(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    listed: list[str] = []

    def commit_once(folder: str) -> None:
        if Path(folder) == path and not listed:
            listed.append(folder)
            replace_first_file(path)

    snapshot = open_listed(path, Listing(backwards=False, listed=commit_once))
    assert [part.path for part in snapshot.slices] == [base_file("0")]
    assert listed


@pytest.mark.parametrize(
    ("fields", "partitions", "names", "joined"),
    [
        ("p", ["x", "y", "x,y"], ["x"], None),
        ("p", ["x", "y", "x,y"], ["x", "y"], "x,y"),
        ("p", ["x", "x,x"], ["x"], "x,x"),
        ("p", ["x", "x,z"], ["x", "y"], None),
        ("p,q", ["a/x", "a/x,b/y", "b/y"], ["a/x", "b/y"], "a/x,b/y"),
        ("p,q", ["a/x", "a,b/x"], ["a", "b/x"], "a,b/x"),
        ("p", ["2026/01/02", "2026/01/02,03"], ["2026/01/02", "03"], "2026/01/02,03"),
        ("p", ["2026/01,02/03", "2026/01", "02/03"], ["2026/01", "02/03"], "2026/01,02/03"),
        ("", [""], [""], None),
    ],
)
def test_a_partition_that_chosen_names_may_mean_is_found(
    tmp_path: Path, fields: str, partitions: list[str], names: list[str], joined: str | None
) -> None:
    files = {f"{partition}/0".lstrip("/"): ROWS for partition in partitions}
    properties = {"hoodie.table.partition.fields": fields}
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files, properties=properties))
    assert joined_partition(snapshot, names) == joined


def test_partitions_are_chosen_without_a_listing_of_their_files(tmp_path: Path) -> None:
    files = {f"p={n}/q={n}/0": ROWS for n in range(3)}
    properties = {"hoodie.table.partition.fields": "p,q"}
    path = write_plain_table(tmp_path / "t,u", files, properties=properties)
    listed: list[str] = []
    snapshot = open_listed(path, Listing(backwards=False, listed=listed.append))
    assert joined_partition(snapshot, ["p=0/q=0", "p=1/q=1"]) is None
    assert sorted(listed) == [str(path), *(str(path / f"p={n}") for n in range(3))]
