"""Depth, overlap and score, against layouts whose answers are known."""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from hudi_zorder.cli import app
from hudi_zorder.errors import ColumnError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    CUTS,
    FILE_ORDER,
    SAMPLE_SIZE,
    SORT_COLUMNS,
    STRATEGY,
    TARGET_FILE_SIZE,
    Z_COLUMN,
)
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.pictures.html_report import write_report
from hudi_zorder.skipping.explain import explain
from hudi_zorder.stats.clustering_information import clustering_information, read_share
from hudi_zorder.stats.file_ranges import FileRanges
from hudi_zorder.stats.measured_files import depth_histogram, is_constant
from plain_table import INSTANT, base_file, tell_of_clustering, write_plain_table


def grid(path: Path, side: int, rows: int = 200) -> TableSnapshot:
    """Returns a table of side x side files, each a square of its own in the columns a and b."""
    chance = random.Random(1)
    files = [
        pa.table(
            {
                "a": [1000 * x + chance.randrange(1000) for _ in range(rows)],
                "b": [1000 * y + chance.randrange(1000) for _ in range(rows)],
                "c": [chance.randrange(1000) for _ in range(rows)],
                "k": [7] * rows,
            }
        )
        for x in range(side)
        for y in range(side)
    ]
    return TableSnapshot.open(write_plain_table(path / "t", files))


def test_a_perfect_grid(tmp_path: Path) -> None:
    found = clustering_information(grid(tmp_path, 6), ["a", "b"])
    assert (found.total_files, found.total_rows) == (36, 7200)
    assert found.independent_share == pytest.approx(1 / 6)
    assert found.score == pytest.approx(1.0, abs=0.02)
    assert found.average_overlap == 0
    assert found.average_depth == 1
    assert found.depth_histogram == {"1": 1.0}
    for part in found.by_column:
        assert part.score == pytest.approx(1.0, abs=0.02)
        assert part.average_overlap == 5
        assert part.average_depth == pytest.approx(6, abs=0.1)
        assert part.bytes_read == pytest.approx(part.share_read, abs=0.01)
    assert found.advice == ""


def test_a_column_that_is_not_clustered(tmp_path: Path) -> None:
    found = clustering_information(grid(tmp_path, 4), ["c"])
    (part,) = found.by_column
    assert part.share_read > 0.95
    assert part.score == pytest.approx(16 * part.share_read)
    assert part.average_overlap == 15
    assert max(found.depth_histogram, key=lambda bucket: found.depth_histogram[bucket]) == "16"
    assert found.advice == f"hudi-zorder cluster {tmp_path / 't'} --columns c"


TARGET = {TARGET_FILE_SIZE: str(1 << 20)}
WEIGHED = {CUTS: "tree", STRATEGY: "HILBERT", COLUMN_WEIGHTS: "a=1.0,C=0.123456789", **TARGET}
WEIGHED |= {FILE_ORDER: "hilbert"}  # which is what "auto" comes to
EQUAL = {CUTS: "equal", STRATEGY: "LINEAR", COLUMN_WEIGHTS: "_z=1.0", SAMPLE_SIZE: "7", **TARGET}


@pytest.mark.parametrize(
    ("columns", "stored", "advised"),
    [
        (
            ["a", "c"],
            {SORT_COLUMNS: "a,C", **WEIGHED},
            "a,C --strategy HILBERT --target-file-size 1048576 --weights C=0.123456789",
        ),
        (
            ["c", "a"],
            {SORT_COLUMNS: "a,c", COLUMN_WEIGHTS: "a=2.0,c=1.0", **TARGET},
            "a,c --target-file-size 1048576 --weights a=2",
        ),
        (["k"], {SORT_COLUMNS: "a,c", **WEIGHED}, "k --target-file-size 1048576"),
        (["a", "c"], {SORT_COLUMNS: "a,c"}, "a,c"),  # as Hudi's own plans say it
        *(
            (
                columns,
                {SORT_COLUMNS: "_z", **EQUAL},
                f"a,c --target-file-size 1048576 --hudi {SAMPLE_SIZE}=7 --hudi {Z_COLUMN}=_z",
            )
            for columns in (["_z"], ["a", "c"])
        ),
    ],
    ids=["weights", "other order", "others", "hudi", "z-column", "its columns"],
)
def test_what_would_better_it_keeps_the_layout_of_the_last_clustering(
    tmp_path: Path, columns: list[str], stored: dict[str, str], advised: str
) -> None:
    rows = [
        {"a": n * 7 % 90, "c": n * 11 % 90, "k": n * 17 % 90, "_z": f"{n * 13 % 90:016X}"}
        for n in range(90)
    ]
    z_column = {"name": "_z", "columns": ["a", "c"], "types": ["bigint", "bigint"]}
    path = write_plain_table(
        tmp_path / "t",
        [pa.Table.from_pylist(rows[n::3]) for n in range(3)],
        properties={"hoodie.table.zorder.z.column": json.dumps(z_column)},
    )
    tell_of_clustering(path, stored)
    found = clustering_information(TableSnapshot.open(path), columns)
    assert found.advice == f"hudi-zorder cluster {path} --columns {advised}"


def test_constant_columns(tmp_path: Path) -> None:
    found = clustering_information(grid(tmp_path, 2), ["k", "a"])
    assert [part.constant_files for part in found.by_column] == [4, 0]
    assert found.constant_files == 0


def test_read_share_of_given_files(tmp_path: Path) -> None:
    snapshot = grid(tmp_path, 3)
    whole = read_share(snapshot, ["a", "c"])
    assert whole["a"] == pytest.approx(1 / 3, abs=0.02)
    first_row = [base_file(str(number)) for number in (0, 1, 2)]
    assert read_share(snapshot, ["a"], first_row) == {"a": pytest.approx(1.0, abs=0.05)}
    assert read_share(snapshot, ["b"], first_row) == {"b": pytest.approx(1 / 3, abs=0.02)}


def test_no_value_is_asked_for_that_only_files_of_an_older_schema_have(tmp_path: Path) -> None:
    """Their column of that name may be another one, and they are always read."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": list(range(100))})])
    later, changed, done = (f"2026010{day}000000000" for day in (4, 3, 5))
    pq.write_table(pa.table({"a": list(range(1000, 1100))}), path / base_file("1", later))
    (path / f".hoodie/timeline/{later}_{done}.commit").touch()
    (path / ".hoodie/.schema").mkdir()
    history = {"schemas": [{"version_id": int(changed)}]}
    (path / f".hoodie/.schema/{changed}_{done}.schemacommit").write_text(json.dumps(history))
    found = clustering_information(TableSnapshot.open(path), ["a"])
    assert (found.total_files, found.share_read) == (2, 1.0)


def test_the_grid_of_a_partitioned_table_is_that_of_its_partitions(tmp_path: Path) -> None:
    files = {f"p{p}/{n}": pa.table({"a": [n] * 10}) for p in range(2) for n in range(4)}
    found = clustering_information(
        TableSnapshot.open(write_plain_table(tmp_path / "t", files)), ["a"]
    )
    assert (found.independent_share, found.share_read, found.score) == (0.25, 0.25, 1.0)


def test_correlated_columns_read_less_than_independent_ones_could(tmp_path: Path) -> None:
    """What is shown beside a score is therefore called no bound."""
    rows = [{"a": n, "b": n // 2} for n in range(160)]
    files = [pa.Table.from_pylist(rows[n * 10 :][:10]) for n in range(16)]
    path = write_plain_table(tmp_path / "t", files)
    found = clustering_information(TableSnapshot.open(path), ["a", "b"])
    assert found.independent_share == 0.25
    assert (found.share_read, found.score) == (1 / 16, 0.25)
    assert found.sampled_rows == 256
    report = explain(TableSnapshot.open(path), "a = 5 AND b = 2")
    assert report.share_read == 1 / 16
    html = tmp_path / "r.html"
    write_report(TableSnapshot.open(path), html, ["a", "b"])
    info = CliRunner().invoke(app, ["info", str(path), "--columns", "a,b"]).stdout
    told = CliRunner().invoke(app, ["explain", str(path), "a = 5 AND b = 2"]).stdout
    for text in (html.read_text(), info, told, str(report)):
        assert not re.search("optimum|best possible|perfect", text)
        assert "independent" in text
    assert "256 sampled rows" in html.read_text()
    assert "256 sampled rows" in " ".join(info.split())


def test_nulls_nans_decimals_and_nested_columns(tmp_path: Path) -> None:
    values = {
        "d": [[1.0, math.nan], [2.0, None]],
        "m": [[Decimal("1.25"), None], [Decimal("2.50"), Decimal("3.75")]],
        "s": [["a", "b"], pa.array([None, None], pa.string())],
        "n": [[{"x": 1}, None], [{"x": None}, {"x": 9}]],
    }
    files = [pa.table({name: both[i] for name, both in values.items()}) for i in (0, 1)]
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    found = clustering_information(snapshot, ["d", "m", "s", "n.x"])
    shares = {part.column: part.share_read for part in found.by_column}
    # A NaN may be in every file that Arrow wrote; the other values lie in one file each.
    assert 0.5 < shares["d"] < 1
    assert shares["m"] == shares["s"] == shares["n.x"] == 0.5


def test_slices_with_log_files_are_always_read(tmp_path: Path) -> None:
    files = [pa.table({"a": [n]}) for n in range(4)]
    path = write_plain_table(tmp_path / "t", files)
    (path / f".f0-0_{INSTANT}.log.1_0-0-0").write_bytes(b"1")
    (path / f".f9-0_{INSTANT}.log.1_0-0-0").write_bytes(b"1")
    found = clustering_information(TableSnapshot.open(path), ["a"])
    assert (found.total_files, found.files_with_logs, found.total_rows) == (5, 2, 4)
    assert found.by_column[0].unknown_files == 2
    assert found.by_column[0].average_depth > 2


def test_where_no_value_can_be_asked_for_bytes_count_as_bytes(tmp_path: Path) -> None:
    files = [pa.table({"a": pa.nulls(rows, pa.int64())}) for rows in (3, 1)]
    path = write_plain_table(tmp_path / "t", files)
    log = b"1" * 8 * (path / base_file("0")).stat().st_size
    (path / f".f0-0_{INSTANT}.log.1_0-0-0").write_bytes(log)
    (found,) = clustering_information(TableSnapshot.open(path), ["a"]).by_column
    assert (found.unknown_files, found.share_read) == (1, 0.75)
    assert found.bytes_read == pytest.approx(0.9, abs=0.02)


def test_a_table_without_rows_is_measured(tmp_path: Path) -> None:
    files = [pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())})] * 2
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    found = clustering_information(snapshot, ["a", "b"])
    assert (found.total_rows, found.share_read, found.average_depth) == (0, 0, 0)


@pytest.mark.parametrize(
    ("columns", "message"), [([], "'columns' is empty"), (["z"], "there is no column 'z'")]
)
def test_mistakes_are_refused(tmp_path: Path, columns: list[str], message: str) -> None:
    with pytest.raises(ColumnError, match=message):
        clustering_information(grid(tmp_path, 1, 2), columns)


def test_buckets_of_depth_are_those_of_snowflake() -> None:
    assert depth_histogram([1, 1, 16, 17, 32, 33, 64, 65]) == {
        "1": 0.25,
        "16": 0.125,
        "17-32": 0.25,
        "33-64": 0.25,
        "65-128": 0.125,
    }


def test_the_overlap_of_very_many_files_is_estimated_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(1)
    lows = [(chance.randrange(90), chance.randrange(90)) for _ in range(60)]
    files = [
        pa.table({"a": range(low, low + 10 + n % 7), "b": range(high, high + 10 + n % 7)})
        for n, (low, high) in enumerate(lows)
    ]
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    exact = clustering_information(snapshot, ["a", "b"])
    monkeypatch.setattr("hudi_zorder.stats.measured_files._MOST_MET", 59)
    monkeypatch.setattr("hudi_zorder.stats.measured_files._SAMPLED_FILES", 40)
    estimated = clustering_information(snapshot, ["a", "b"])
    assert (exact.sampled_files, estimated.sampled_files) == (60, 40)
    assert estimated.average_overlap == pytest.approx(exact.average_overlap, rel=0.2)
    assert estimated.average_overlap != exact.average_overlap
    same = {"average_overlap": exact.average_overlap, "sampled_files": 60}
    assert replace(estimated, **same) == exact
    assert clustering_information(snapshot, ["a"]).sampled_files == 60
    printed = CliRunner().invoke(app, ["info", snapshot.path, "--columns", "a,b"]).stdout
    assert "overlap in all columns is estimated by 40 files" in printed


def meets(part: Bounds | None, low: float, high: float) -> bool:
    if part is None or not part.known:
        return True
    return part.low is not None and part.low <= high and part.high >= low  # type: ignore[operator]


@pytest.mark.parametrize(
    ("bounds", "constant"),
    [
        (Bounds(3, 0, 7, 7), True),
        (Bounds(3, 3, None, None), True),
        (Bounds(3, 1, 7, 7), False),
        (Bounds(3, None, 7, 7), False),
        (Bounds(3, 0, 7, 8), False),
        (None, False),
    ],
)
def test_a_column_is_constant_where_a_file_has_one_value_and_no_null_beside_it(
    bounds: Bounds | None, constant: bool
) -> None:
    assert is_constant(bounds) is constant


def test_ranges_agree_with_a_search_one_by_one() -> None:
    chance = random.Random(2)
    for _ in range(50):
        bounds: list[Bounds | None] = [None, Bounds(3, 3, None, None), Bounds(3, 0, None, None)]
        for _ in range(20):
            low = chance.randrange(20)
            bounds.append(Bounds(3, 0, low, low + chance.randrange(8)))
        chance.shuffle(bounds)
        ranges = FileRanges(bounds)
        low = chance.randrange(-2, 25)
        high = low + chance.randrange(4)
        expected = [meets(part, low, high) for part in bounds]
        assert ranges.overlapping(low, high).tolist() == expected
        for number, part in enumerate(bounds):
            ends = (
                (-math.inf, math.inf) if part is None or not part.known else (part.low, part.high)
            )
            if ends == (None, None):
                expected = [False] * len(bounds)  # nulls alone meet nothing
            else:
                expected = [
                    meets(other, *ends) and not (other and other.all_null) for other in bounds
                ]
            assert ranges.meeting(number).tolist() == expected
            assert ranges.overlaps[number] == max(0, sum(expected) - 1)


def test_ranges_take_memory_that_grows_with_the_files_and_not_with_their_square() -> None:
    """Sets of files as bits took 108 MB of 20,000 files."""
    bounds = [Bounds(1, 0, n * 7 % 20_000, n * 7 % 20_000 + 5) for n in range(20_000)]
    tracemalloc.start()
    ranges = FileRanges(bounds)
    shares = [ranges.holding(value).sum() for value in range(0, 20_000, 100)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000
    assert max(shares) == 6
    assert max(ranges.overlaps) == 10


SAMPLER = """
import pyarrow as pa
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats import row_sample
row_sample._MOST_BYTES = 2_000_000
snapshot = TableSnapshot.open({path!r})
rows = {{part.path: 100_000 for part in snapshot.slices}}
found = row_sample.sample_rows(snapshot, rows, list(snapshot.schema.leaves), 1024)
assert len(found) == 1024 and all(i * i == square for i, square, _ in found)
assert len({{i // 10_000 for i, _, _ in found}}) == 10 * len(rows)
print(pa.default_memory_pool().max_memory())
"""


@pytest.mark.parametrize(("files", "text"), [(1, "x" * 200), (16, "")])
def test_rows_are_sampled_in_memory_that_does_not_grow_with_what_is_read(
    tmp_path: Path, files: int, text: str
) -> None:
    """A text that all rows share is a few bytes of a dictionary, and a copy for each row read."""
    numbers = [range(n * 100_000, (n + 1) * 100_000) for n in range(files)]
    tables = [pa.table({"i": part, "square": [i * i for i in part]}) for part in numbers]
    tables = [rows.append_column("text", pa.repeat(text, rows.num_rows)) for rows in tables]
    path = write_plain_table(tmp_path / "t", tables, use_dictionary=["text"])
    script = SAMPLER.format(path=str(path))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout, done.stderr
    assert int(done.stdout) < 12_000_000
