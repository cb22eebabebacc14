"""What ``info`` advises does something, and ends no layout that it does not name."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_zorder.hudi.run_id import RunId
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import READ_THRESHOLD, SORT_COLUMNS
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.information_report import ClusteringInformation
from plain_table import CLUSTERED, write_plain_table
from runs import clustering, file_id, run_of

LAYOUT = 0x12345678
FIRST, SECOND = CLUSTERED, "20260103000000000"


def overlapping(count: int) -> list[pa.Table]:
    """Files that all have to be read for any value."""
    return [
        pa.Table.from_pylist([{"a": i, "b": i * 7 % 40, "c": i % 9} for i in range(n, 40, count)])
        for n in range(count)
    ]


def laid_out(
    folder: Path,
    clusterings: Sequence[str],
    columns: str = "a,b",
    more: Mapping[str, str] | None = None,
) -> Path:
    """Returns a table of four files that these clusterings have left, one run each."""
    path = write_plain_table(folder / "t", [])
    files = overlapping(4)
    each = len(files) // len(clusterings)
    for number, instant in enumerate(clusterings):
        part = files[number * each :][:each]
        clustering(path, instant, [(LAYOUT, run_of(instant))] * each, part)
        parameters = {SORT_COLUMNS: columns, **(more or {})}
        plan = {"inputGroups": [], "strategy": {"strategyParams": parameters}}
        file = path / f".hoodie/timeline/{instant}.replacecommit.requested"
        file.write_text(json.dumps({"clusteringPlan": plan}))
    return path


def information(path: Path, *columns: str) -> ClusteringInformation:
    return clustering_information(TableSnapshot.open(path), columns)


def is_untouched(path: Path) -> bool:
    """Whether the planner leaves all alone; ``PartitionUpkeep.isUntouched`` in Java."""
    runs = [(RunId.of(s.file_id), s.base) for s in TableSnapshot.open(path).slices]
    return all(run and base and run.run >> 18 == run_of(base.instant) >> 18 for run, base in runs)


def in_first_file(path: Path) -> str:
    """Returns the id of a file group that a clustering has left."""
    return sorted(path.glob("*.parquet"))[0].name.partition("_")[0]


def updated(path: Path) -> None:
    first = sorted(path.glob("*.parquet"))[0]
    (path / f"{in_first_file(path)}_0-0-0_{SECOND}.parquet").write_bytes(first.read_bytes())
    (path / f".hoodie/timeline/{SECOND}_{SECOND}.commit").touch()


def logged(path: Path) -> None:
    (path / f".{in_first_file(path)}_{FIRST}.log.1_0-0-0").write_bytes(b"1")


def inserted(path: Path) -> None:
    first = sorted(path.glob("*.parquet"))[0]
    (path / f"new-0_0-0-0_{SECOND}.parquet").write_bytes(first.read_bytes())
    (path / f".hoodie/timeline/{SECOND}_{SECOND}.commit").touch()


def test_where_one_clustering_has_left_everything_nothing_is_advised(tmp_path: Path) -> None:
    path = laid_out(tmp_path, [FIRST])
    found = information(path, "a", "b")
    assert found.score > 1.2
    assert is_untouched(path)
    assert found.advice == ""
    assert found.standing.startswith("Every file is laid out, and as well as these columns")


def test_runs_of_several_clusterings_are_joined_by_a_full_one(tmp_path: Path) -> None:
    path = laid_out(tmp_path, [FIRST, SECOND])
    found = information(path, "a", "b")
    assert is_untouched(path)
    assert found.advice == f"hudi-zorder cluster {path} --columns a,b --mode full"
    assert "several clusterings" in found.standing


def test_what_upkeep_lets_stand_no_full_clustering_is_advised_for(tmp_path: Path) -> None:
    """Whoever followed it after each load would rewrite the table each time."""
    path = laid_out(tmp_path, [FIRST, SECOND], more={READ_THRESHOLD: "2.5"})
    found = information(path, "a", "b")
    assert 1.2 < found.score < 2.5
    assert found.advice == ""
    assert "which read less than 2.5 times what one run would" in found.standing


def test_of_files_that_were_updated_alone_it_tells_that_nothing_may_be_to_do(
    tmp_path: Path,
) -> None:
    path = laid_out(tmp_path, [FIRST])
    updated(path)
    assert "1 file of runs updated since" in information(path, "a", "b").standing
    assert "mode full joins them" in information(path, "a", "b").standing


def test_runs_of_other_partitions_are_not_joined(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [])
    for day in ("day=1", "day=2"):
        instant = FIRST if day == "day=1" else SECOND
        clustering(path, instant, [(LAYOUT, run_of(instant))] * 4, overlapping(4), day)
    assert information(path, "a").upkeep.split_partitions == 0


def test_where_only_logs_are_left_a_compaction_is_advised(tmp_path: Path) -> None:
    path = laid_out(tmp_path, [FIRST])
    logged(path)
    found = information(path, "a", "b")
    assert is_untouched(path)
    assert found.advice == ""
    assert found.standing == "Every file is laid out: compact 1 file with log files"


@pytest.mark.parametrize("write", [updated, inserted])
def test_what_is_written_since_is_clustered_as_before(tmp_path: Path, write: object) -> None:
    path = laid_out(tmp_path, [FIRST])
    write(path)  # type: ignore[operator]
    assert not is_untouched(path)
    assert information(path, "a", "b").advice == f"hudi-zorder cluster {path} --columns a,b"


def test_a_column_of_the_last_layout_is_judged_as_part_of_it(tmp_path: Path) -> None:
    path = laid_out(tmp_path, [FIRST], "a,b,c")
    alone = information(path, "a")
    in_grid = alone.share_read * 4 ** (1 / 3)
    assert alone.score > 2 * in_grid
    said = f"As part of the layout by a, b, c the score is {in_grid:.2f}. Every file is laid out"
    assert alone.standing.startswith(said)
    assert alone.advice == ""


@pytest.mark.parametrize("asked", ["a", "B", "a,c"])
def test_no_command_drops_a_column_of_the_last_layout(tmp_path: Path, asked: str) -> None:
    path = laid_out(tmp_path, [FIRST], "a,b,c")
    inserted(path)
    words = shlex.split(information(path, *asked.lower().split(",")).advice)
    assert words[words.index("--columns") + 1] == "a,b,c"


def test_a_command_by_others_says_which_layout_it_ends(tmp_path: Path) -> None:
    path = laid_out(tmp_path, [FIRST])
    found = information(path, "a", "c")
    assert found.advice == f"hudi-zorder cluster {path} --columns a,c"
    assert found.standing == "A clustering by these columns ends the layout by a, b"


def test_ids_are_as_the_planner_reads_them() -> None:
    run = RunId.of(file_id(LAYOUT, run_of(FIRST, 5)))
    assert run
    assert run.is_left_by(FIRST)
    assert not run.is_left_by(SECOND)
