"""The ids that clusterings give to file groups, read as Java reads them; and what they tell."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_zorder.hudi.run_id import RunId
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.upkeep import upkeep
from plain_table import write_plain_table
from runs import clustering

# RunIdTest.java reads them, too.
VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "run_ids.json").read_text(encoding="utf-8")
)
OLD, NEW = 0x11111111, 0x22222222
FIRST, SECOND, THIRD = "20260102000000000", "20260103000000000", "20260104000000000"


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["what"])
def test_an_id_is_of_its_run(vector: dict[str, str]) -> None:
    assert str(RunId.of(vector["file_id"])) == vector["run"]


def test_a_file_tells_whether_it_is_as_its_clustering_left_it() -> None:
    """The id is one that Java has made."""
    run = RunId.of("fc5cd345-ea88-8e59-98e5-fd980a23bbbe-0")
    assert run
    assert run.is_left_by("20261125230123245")
    assert not run.is_left_by("20261125230123246")


@pytest.mark.parametrize("vector", VECTORS["of_no_run"], ids=lambda vector: vector["what"])
def test_other_ids_are_of_no_run(vector: dict[str, str]) -> None:
    assert RunId.of(vector["file_id"]) is None


def test_a_table_without_runs_says_so(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})] * 2)
    found = upkeep(TableSnapshot.open(path))
    assert (found.runs, found.files, found.files_left, found.share_laid_out) == (0, 0, 2, 0.0)
    assert str(found) == "No file is in a run that a clustering has laid out"


def test_the_last_clustering_says_which_layout_counts(tmp_path: Path) -> None:
    """Files of an earlier layout are behind, though they be more; so are new ones."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    clustering(path, FIRST, [(OLD, 1), (OLD, 1), (OLD, 2)])
    one = upkeep(TableSnapshot.open(path))
    assert (one.runs, one.files, one.files_left) == (2, 3, 1)

    clustering(path, SECOND, [(NEW, 5)])
    two = upkeep(TableSnapshot.open(path))
    assert (two.runs, two.files, two.files_left) == (1, 1, 4)
    assert two.share_laid_out == pytest.approx(two.bytes / (two.bytes + two.bytes_left))
    assert str(two).startswith("4 files with ")
    assert str(two).endswith("of the bytes, outside the run of the last layout")

    # Hudi's own strategy leaves no runs, and says nothing of any layout.
    clustering(path, THIRD, [])
    assert upkeep(TableSnapshot.open(path)).files_left == 5


@pytest.mark.parametrize(
    ("told", "runs", "left"),
    [(f"{OLD:08x}", 2, 1), (f"{NEW:08x}", 1, 3), ("any", 1, 3), (None, 1, 3)],
)
def test_what_a_bulk_insert_has_laid_out_is_a_run(
    tmp_path: Path, told: str | None, runs: int, left: int
) -> None:
    """Its footers tell the layout, for Hudi has chosen the ids."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    clustering(path, FIRST, [(OLD, 1)])
    rows = pa.table({"a": [1]}).replace_schema_metadata(told and {"hudizorder.layout": told})
    for _ in range(2):
        pq.write_table(rows, path / f"{uuid.uuid4()}-0_0-0-0_{SECOND}.parquet")
    commit = path / ".hoodie" / "timeline" / f"{SECOND}_{SECOND}.commit"
    commit.write_text(json.dumps({"operationType": "BULK_INSERT"}))

    found = upkeep(TableSnapshot.open(path))

    assert (found.runs, found.files_left) == (runs, left)
