"""Times of two units in one table: Hudi reads a file's microseconds as the table's milliseconds."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import CLUSTERED, base_file, commit_schema, write_plain_table

MICROS = pa.array([1_700_000_000_000], pa.timestamp("us", "UTC"))  # 1970, read as millis: 2023
MILLIS = pa.array([1_700_000_000_000], pa.timestamp("ms", "UTC"))
IN_2023 = "v > '2023-01-01 00:00:00Z'"
IN_1970 = "v < '1971-01-01 00:00:00Z'"


def write_table(path: Path, held: pa.Array, committed_unit: str) -> None:
    write_plain_table(path, [pa.table({"v": held})])
    kind = {"type": "long", "logicalType": f"timestamp-{committed_unit}"}
    commit_schema(path, kind, column="v")


@pytest.mark.parametrize(
    ("held", "committed_unit", "predicate", "skipped_by"),
    [
        (MICROS, "millis", IN_2023, ""),
        (MICROS, "micros", IN_2023, "file"),
        (MILLIS, "millis", IN_1970, "file"),
    ],
)
def test_a_file_of_another_unit_than_the_committed_one_is_kept(
    tmp_path: Path, held: pa.Array, committed_unit: str, predicate: str, skipped_by: str
) -> None:
    write_table(tmp_path / "t", held, committed_unit)
    (file,) = explain(TableSnapshot.open(tmp_path / "t"), predicate).files
    assert file.skipped_by == skipped_by


def test_an_older_file_of_another_unit_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_table(path, MICROS, "millis")
    pq.write_table(pa.table({"v": MILLIS}), path / base_file("1", CLUSTERED))
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").touch()
    snapshot = TableSnapshot.open(path)
    assert [file.skipped_by for file in explain(snapshot, IN_2023).files] == ["", ""]
    assert [file.skipped_by for file in explain(snapshot, IN_1970).files] == ["", "file"]
