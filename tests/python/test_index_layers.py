"""What the column-statistics index says is the same, in whichever of a slice's layers it lies.

Records of keys that one layer alone has are decoded many at a time, those of others one by one.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from conftest import quick_first
from hudi_zorder.stats.column_stats import IndexWarning
from hudi_zorder.stats.index_bounds import indexed_bounds
from hudi_zorder.stats.stats_table import rows_of
from index_files import Entry, deletes, hfile, key, log_block, longs, stats, write_index
from plain_table import base_file, write_plain_table

LATER, LATEST = "20260102000000000", "20260103000000000"
FILES = [base_file(str(number)) for number in range(60)]
ROWS = pa.table(
    {
        "i": pa.array([1], pa.int32()),
        "n": pa.array([1], pa.int64()),
        "f": pa.array([1.0], pa.float32()),
        "d": pa.array([1.0], pa.float64()),
        "b": pa.array([True]),
        "t": pa.array(["a"]),
        "y": pa.array([b"a"]),
        "day": pa.array([1], pa.date32()),
        "at": pa.array([1], pa.timestamp("us", "UTC")),
        "ms": pa.array([1], pa.timestamp("ms", "UTC")),
        "p": pa.array([Decimal(1)], pa.decimal128(20, 2)),
    }
)
NAN = float("nan")
# Of each column: kind and detail of its type in the index, wrapper, and values that bounds may be.
BOUNDS: dict[str, tuple[int, str | None, str, list[Any]]] = {
    "i": (3, None, "IntWrapper", [0, -7, 1 << 30]),
    "n": (4, None, "LongWrapper", [0, -(1 << 63), (1 << 63) - 1]),
    "f": (5, None, "FloatWrapper", [0.0, -1.5, 2.5, NAN]),
    "d": (6, None, "DoubleWrapper", [0.0, -1.5, 1e300, NAN]),
    "b": (2, None, "BooleanWrapper", [False, True]),
    "t": (7, None, "StringWrapper", ["", "é", "a\ufffd", "z" * 40]),
    "y": (8, None, "BytesWrapper", [b"", b"\xff\x00", b"\xc3"]),
    "day": (12, None, "IntWrapper", [0, -200_000, 20_000, (1 << 31) - 1]),
    "at": (16, None, "LongWrapper", [0, -(1 << 60), 1 << 50]),
    "ms": (15, None, "LongWrapper", [0, 5, 1 << 40, 1 << 53]),
    "p": (10, "20,2", "BytesWrapper", [b"\x00", b"\xff", b"\x7f" * 8]),
}
OTHERS: list[tuple[int, str | None, str, list[Any]]] = [
    (3, None, "IntWrapper", [1, 300]),
    (4, None, "LongWrapper", [1, 1 << 60]),
    (7, None, "StringWrapper", ["12"]),
    (10, "5,1", "BytesWrapper", [b"\x05"]),
    (10, "no", "BytesWrapper", [b"\x05"]),
    (99, None, "DoubleWrapper", [1.0]),
]


def entries(seed: int, **more: Any) -> dict[tuple[str, str], Entry]:
    """Returns an entry of each file and column, whose bounds come in any form that Hudi writes."""
    chance = random.Random(seed)
    found = {}
    for column, usual in BOUNDS.items():
        for file in FILES:
            kind, detail, wrapper, values = (
                usual if chance.random() < 0.8 else chance.choice(OTHERS)
            )
            rows = chance.choice([10, 10, 10, 10, 0, None])
            nulls = chance.choice([0, 0, 0, 3, 10, None])
            ends = [(wrapper, chance.choice(values)) if chance.random() < 0.9 else None] * 2
            if chance.random() < 0.5:
                ends[1] = (wrapper, chance.choice(values))
            told = (
                None if chance.random() < 0.1 else {"typeOrdinal": kind, "additionalInfo": detail}
            )
            found[file, column] = stats(
                file,
                column,
                *ends,
                rows,
                nullCount=nulls,
                totalSize=chance.choice([10, None]),
                isDeleted=chance.random() < 0.1,
                valueType=told,
                **more,
            )
    return found


def told(path: Path, base: list[Entry] | None, *logs: bytes) -> Iterator[Any]:
    """Yields what is read of a table with such an index, and of which of it is certain."""
    table = write_plain_table(path, [ROWS] * len(FILES))
    instants = (LATER, LATEST)[: len(logs)]
    blocks = dict(zip(instants, logs, strict=True))
    write_index(table, None if base is None else hfile(base, in_block=7), blocks, instants)
    opened = hz.open_table(table)
    yield repr(rows_of(opened.column_stats(source="index")))
    snapshot = opened._snapshot
    found = indexed_bounds(snapshot, snapshot.schema.statistics_columns(None), ())
    yield repr((sorted(found.rows.items()), sorted(found.bounds.items())))


def block(instant: str, *found: Entry) -> bytes:
    return log_block(4, instant, hfile(found, in_block=7))


@pytest.mark.parametrize("seed", quick_first(range(4)))
def test_a_record_says_the_same_in_any_layer(tmp_path: Path, seed: int) -> None:
    newest = entries(seed, isTightBound=True)  # which has the place of any other
    other = entries(seed + 100)
    every, half = [*newest.values()], [*newest.values()][::2]
    rest = [*newest.values()][1::2]
    names = [*newest][::2]
    expected = list(told(tmp_path / "base", every))
    layers: dict[str, tuple[list[Entry] | None, tuple[bytes, ...]]] = {
        "log": (None, (block(LATER, *every),)),
        "two logs": (None, (block(LATER, *half), block(LATEST, *rest))),
        "both": (rest, (block(LATER, *half),)),
        "over it": ([*rest, *(other[name] for name in names)], (block(LATER, *half),)),
        "over a log": (rest, (block(LATER, *(other[n] for n in names)), block(LATEST, *half))),
        "twice": (every, (block(LATER, *every), block(LATEST, *half))),
        "again": (
            every,
            (
                log_block(1, LATER, deletes(*(key(file, column) for file, column in names))),
                block(LATEST, *half),
            ),
        ),
    }
    for name, (base, logs) in layers.items():
        assert list(told(tmp_path / name, base, *logs)) == expected, name


def test_records_that_are_not_tight_become_one_with_those_below(tmp_path: Path) -> None:
    def longs(low: int, high: int) -> Entry:
        kind = {"typeOrdinal": 4, "additionalInfo": None}
        bounds = ("LongWrapper", low), ("LongWrapper", high)
        return stats(FILES[0], "n", *bounds, 10, nullCount=1, valueType=kind)

    together = told(tmp_path / "t", [longs(1, 5)], block(LATER, longs(3, 9)))
    one = stats(
        FILES[0],
        "n",
        ("LongWrapper", 1),
        ("LongWrapper", 9),
        20,
        nullCount=2,
        totalSize=20,
        valueType={"typeOrdinal": 4, "additionalInfo": None},
    )
    assert list(together) == list(told(tmp_path / "one", [one]))


def test_a_key_that_a_log_deletes_has_no_entry(tmp_path: Path) -> None:
    found = entries(0)
    names = [*found][::3]
    gone = log_block(1, LATER, deletes(*(key(file, column) for file, column in names)))
    left = [entry for name, entry in found.items() if name not in names]
    assert list(told(tmp_path / "t", [*found.values()], gone)) == list(
        told(tmp_path / "left", left)
    )


def test_the_footer_tells_all_of_a_file_of_which_the_index_lacks_a_column(tmp_path: Path) -> None:
    table = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [5]})])
    write_index(table, hfile([longs(base_file("0"), "a", 1, 1, 1)]))
    for predicate, read in (("a = 1 AND b = 99", 0), ("a = 1 AND b = 5", 1), ("a = 2", 0)):
        report = hz.open_table(table).explain(predicate, source="index")
        assert len(report.kept) == read, predicate
        assert len(report.notes) == ("b" in predicate)


@pytest.mark.parametrize("gone", ["metadata", "metadata/.hoodie"])
def test_an_index_whose_metadata_table_was_deleted_is_none(tmp_path: Path, gone: str) -> None:
    """The table's properties name it until the next write; Hudi's readers do without it, too."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]}), pa.table({"a": [5]})])
    write_index(path, hfile([longs(base_file(n), "a", 7, 7, 1) for n in "01"]))
    shutil.rmtree(path / ".hoodie" / gone)
    table = hz.open_table(path)
    for source, known in (("auto", [1, 5]), ("index", [None, None])):
        with pytest.warns(IndexWarning, match="there is no column-statistics index"):
            stats = table.column_stats(source=source)
        assert stats["a.min"].to_pylist() == known
        assert b"there is no column-statistics index" in stats.schema.metadata[b"note"]
    assert len(table.explain("a = 5", source="index").kept) == 1
    footers, index = (table.clustering_information(["a"], source=s) for s in ("footers", "index"))
    assert index.columns == footers.columns
