"""A table before one of its clusterings is found by the commits that are asked for, and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.time_travel import before_clustering
from plain_table import CLUSTERED, base_file, write_clustered_table
from test_archive import CLUSTERING, PLAN, archive, damage_archive

BETWEEN = "20260101120000000"  # of a clustering that has replaced nothing which is there
OVERWRITTEN = "20260103000000000"
HALF = b"Obj\x01 damaged"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A table whose last replace commit is no clustering, and of which no plan can be read."""
    path = write_clustered_table(tmp_path / "t")
    overwriting = {"operationType": "INSERT_OVERWRITE", "partitionToReplaceFileIds": {}}
    for time, commit in ((BETWEEN, CLUSTERING), (OVERWRITTEN, overwriting)):
        done = path / f".hoodie/timeline/{time}_{time[:-1]}1.replacecommit"
        done.write_text(json.dumps(commit))
    for time in (BETWEEN, CLUSTERED, OVERWRITTEN):
        (path / f".hoodie/timeline/{time}.replacecommit.requested").write_bytes(HALF)
    archive(path, {"20250101": ("replacecommit", CLUSTERING, PLAN)})
    return path


def files(snapshot: TableSnapshot | None) -> list[str]:
    assert snapshot is not None
    return [part.path for part in snapshot.slices]


@pytest.mark.parametrize("instant", ["last", CLUSTERED])
def test_neither_plans_nor_the_archive_are_read(path: Path, instant: str) -> None:
    damage_archive(path)
    earlier = before_clustering(TableSnapshot.open(path), instant)
    assert files(earlier) == [base_file("0"), base_file("1")]


@pytest.mark.parametrize("instant", ["20250101", OVERWRITTEN, "7"])
def test_what_is_archived_or_no_clustering_cannot_be_named(path: Path, instant: str) -> None:
    with pytest.raises(OptionError, match=f"on the timeline: {BETWEEN}, {CLUSTERED}$"):
        before_clustering(TableSnapshot.open(path), instant)


def test_of_what_the_cleaner_removed_a_name_is_refused_and_the_last_is_none(path: Path) -> None:
    with pytest.raises(OptionError, match=f"'{BETWEEN}', and the cleaner has removed files"):
        before_clustering(TableSnapshot.open(path), BETWEEN)
    (path / base_file("1")).unlink()
    assert before_clustering(TableSnapshot.open(path)) is None
