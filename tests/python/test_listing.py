"""What a listing of a table gives, whatever its order, and whatever is committed meanwhile."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.local import LocalFileSystem
from pyarrow.fs import FSSpecHandler, PyFileSystem

from hudi_zorder.hudi.partition_folders import joined_partition
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Timeline
from plain_table import CLUSTERED, COMPLETED, INSTANT, PENDING, base_file, write_plain_table

ROWS = pa.table({"id": [1, 2, 3]})
REPLACED = json.dumps({"partitionToReplaceFileIds": {"": ["f0-0"]}})
BOTH_ORDERS = pytest.mark.parametrize("backwards", [False, True])


class Listing(FSSpecHandler):  # type: ignore[misc]
    """The local file system in an order of its own.

    ``listed`` is told of every folder that is listed, ``opened`` of every file that is read.
    """

    def __init__(
        self,
        *,
        backwards: bool = False,
        listed: Callable[[str], object] = str,
        opened: Callable[[str], object] = str,
    ) -> None:
        super().__init__(LocalFileSystem())
        self._backwards = backwards
        self._listed = listed
        self._opened = opened

    def get_file_info_selector(self, selector: Any) -> list[Any]:
        """Returns the entries of a folder in the order asked for."""
        found = super().get_file_info_selector(selector)
        self._listed(selector.base_dir)
        return sorted(found, key=lambda info: info.path, reverse=self._backwards)

    def open_input_file(self, path: str) -> Any:
        """Opens a file; ``opened`` is told of it."""
        self._opened(path)
        return super().open_input_file(path)


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


@pytest.mark.parametrize("place", ["", "day=1/", "copies/"])
def test_what_is_of_no_partition_of_the_table_is_left_out(tmp_path: Path, place: str) -> None:
    path = write_plain_table(tmp_path / "t", {"day=1/0": ROWS})
    write_plain_table(path / f"{place}another", {"day=1/1": ROWS, "2": ROWS})
    copied = path / f"{place}.hoodie_backup/metadata/files/.files-0000-0_{INSTANT}.log.1_0-0-0"
    copied.parent.mkdir(parents=True)
    copied.touch()
    slices = TableSnapshot.open(path).slices
    assert [part.path for part in slices] == [base_file("day=1/0")]


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


def test_a_later_listing_reads_only_the_commits_that_are_new(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    replace_first_file(path)
    opened: list[str] = []
    earlier = open_listed(path, Listing(opened=opened.append))
    assert [part.path for part in earlier.slices] == [base_file("1", CLUSTERED)]
    [first] = [Path(file).name for file in opened]
    opened.clear()
    second = f"{PENDING}_{PENDING[:-1]}1.replacecommit"
    (path / ".hoodie/timeline" / second).write_text(REPLACED.replace("f0-0", "f1-0"))
    pq.write_table(ROWS, path / base_file("2", PENDING))
    later = open_listed(path, Listing(opened=opened.append)).knowing(earlier)
    assert [part.path for part in later.slices] == [base_file("2", PENDING)]
    assert [Path(file).name for file in opened] == [second] != [first]


def test_replace_commits_are_read_as_many_at_a_time_as_there_are_readers(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    for day in range(1, 5):
        time = f"2026020{day}000000000"
        commit = path / f".hoodie/timeline/{time}_{time[:-1]}1.replacecommit"
        commit.write_text(REPLACED.replace("f0", f"g{day}"))
    together = Barrier(4)
    snapshot = open_listed(path, Listing(opened=lambda _: together.wait(timeout=20)))
    assert [part.path for part in replace(snapshot, readers=4).slices] == [base_file("0")]


def test_a_plan_is_read_by_the_name_that_was_listed_alone(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [ROWS])
    replace_first_file(path)
    plan = path / f".hoodie/timeline/{CLUSTERED}.clustering.requested"
    plan.write_text('{"operationType": "CLUSTER"}')
    opened: list[str] = []
    timeline = open_listed(path, Listing(opened=opened.append)).timeline
    assert timeline.plan(timeline.completed[-1]) == {"operationType": "CLUSTER"}
    assert opened == [str(plan)]


@pytest.mark.parametrize("version", ["6", "9"])
def test_a_commit_that_may_still_change_is_read_again(tmp_path: Path, version: str) -> None:
    """Hudi names it before it is written, and before version 8 as one that was rolled back."""
    layout = {"hoodie.table.version": version, "hoodie.timeline.layout.version": "2"}
    if version == "6":
        layout["hoodie.timeline.layout.version"] = "1"
    path = write_plain_table(tmp_path / "t", [ROWS], properties=layout)
    timeline = path / ".hoodie" if version == "6" else path / ".hoodie/timeline"
    (timeline / f"{INSTANT}.commit").touch()
    completed = "" if version == "6" else f"_{CLUSTERED[:-1]}1"
    commit = timeline / f"{CLUSTERED}{completed}.replacecommit"
    commit.write_text("" if version == "9" else REPLACED.replace("f0", "g0"))
    earlier = open_listed(path, Listing())
    assert [part.file_id for part in earlier.slices] == ["f0-0"]
    commit.write_text(REPLACED)
    assert open_listed(path, Listing()).knowing(earlier).slices == ()
