"""Files of the metadata table are read as Hudi writes them, and damaged ones end in an error.

They are made by hand here, without Spark; ``test_stats_index.py`` reads those of Hudi itself.
"""

from __future__ import annotations

import io
import json
import math
import random
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import numpy as np
import pyarrow as pa
import pytest
from pyarrow.fs import LocalFileSystem

import hudi_zorder as hz
from hudi_zorder.metadata_table.avro_columns import Choice, Decoder, Texts
from hudi_zorder.metadata_table.hashes import column_hash, file_hash
from hudi_zorder.metadata_table.hfile import HFile
from hudi_zorder.metadata_table.log_blocks import blocks_that_count, log_blocks
from hudi_zorder.metadata_table.ranges import RangeReader
from hudi_zorder.metadata_table.stats_layers import _log_order
from hudi_zorder.metadata_table.stats_records import StatsRecord, merged
from hudi_zorder.stats.column_stats import IndexWarning
from hudi_zorder.stats.index_bounds import ONE_SOURCE
from index_files import (
    SCHEMA_JSON,
    Entry,
    deletes,
    hfile,
    key,
    log_block,
    longs,
    stats,
    write_index,
)
from plain_table import INSTANT, base_file, write_plain_table

LATER = "20260102000000000"
LATEST = "20260103000000000"
FILES = [base_file(str(number)) for number in range(4)]


def of(content: bytes, path: Path) -> RangeReader:
    path.write_bytes(content)
    return RangeReader(LocalFileSystem(), str(path))


def found_in(file: HFile, prefix: bytes) -> list[Entry]:
    return [
        (name, part.content[start:end])
        for part in file.entries(prefix)
        for name, start, end in zip(part.keys, part.starts, part.ends, strict=True)
    ]


def test_keys_begin_and_end_with_the_hashes_that_hudi_makes() -> None:
    # Of tables that Hudi 1.2.0 wrote: the column d, and one whose name is longer than a stripe.
    assert column_hash("d") == b"4/hcUlKiZ3Y="
    assert file_hash("") == b"1B2M2Y8AsgTpgAmY7PhCfg=="


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("levels", [1, 2, 3])
def test_entries_are_found_by_what_their_keys_begin_with(
    tmp_path: Path, packed: bool, levels: int
) -> None:
    entries = [(f"{i // 10:02}/{i:03}".encode(), b"v" * i) for i in range(200)]
    file = HFile(of(hfile(entries, packed=packed, levels=levels), tmp_path / "f"))
    assert found_in(file, b"") == entries
    for prefix in (b"00", b"07", b"19", b"19/199", b"2", b"/", b"\xff"):
        assert found_in(file, prefix) == [e for e in entries if e[0].startswith(prefix)]
    assert file.info == {b"schema": SCHEMA_JSON}


def test_of_a_column_no_more_is_read_than_its_blocks(tmp_path: Path) -> None:
    entries = [
        (f"{i // 1000:02}/{i:06}".encode(), random.Random(i).randbytes(500)) for i in range(20_000)
    ]
    reader = of(hfile(entries, in_block=100), tmp_path / "f")
    file = HFile(reader)
    fetched = []
    reader._fetched = lambda *range: fetched.append(range[1]) or original(*range)  # type: ignore
    original = RangeReader._fetched.__get__(reader)
    assert len(found_in(file, b"07")) == 1000
    assert sum(fetched) < reader.size / 4


def blocks(*parts: bytes) -> Callable[[Path], list[str]]:
    """Returns what reads the instants of the blocks that count of a log."""

    def read(tmp_path: Path) -> list[str]:
        read = log_blocks(of(b"".join(parts), tmp_path / "log"))
        return [block.instant for block in blocks_that_count(read, lambda instant: instant != "9")]

    return read


@pytest.mark.parametrize(
    ("read", "counting"),
    [
        (blocks(log_block(4, "1"), log_block(4, "2")), ["1", "2"]),
        (blocks(log_block(4, "1"), log_block(4, "9")), ["1"]),
        (blocks(log_block(4, "1"), log_block(4, "2"), log_block(0, "3", target="1")), ["2"]),
        (blocks(log_block(4, "1"), log_block(0, "2", target="1"), log_block(4, "1")), ["1"]),
        (
            blocks(log_block(4, "1"), log_block(4, "2"), log_block(4, "3", compacted="1,2")),
            ["3"],
        ),
        (
            blocks(
                log_block(4, "1"),
                log_block(4, "2"),
                log_block(4, "3"),
                log_block(4, "4", compacted="1,2"),
            ),
            ["4", "3"],
        ),
        (
            blocks(
                log_block(4, "1"),
                log_block(4, "3", compacted="1"),
                log_block(4, "2"),
                log_block(4, "4", compacted="3,2"),
            ),
            ["4"],
        ),
        (blocks(log_block(4, "1"), log_block(4, "2")[:-20], log_block(4, "3")), ["1", "3"]),
        (blocks(log_block(4, "1"), log_block(4, "2")[:20]), ["1"]),
        (blocks(), []),
    ],
    ids=[
        "all",
        "pending",
        "rolled back",
        "again",
        "compacted",
        "in place",
        "twice",
        "cut",
        "end",
        "empty",
    ],
)
def test_blocks_of_a_log_count_as_hudi_has_it(
    tmp_path: Path, read: Callable[[Path], list[str]], counting: list[str]
) -> None:
    assert read(tmp_path) == counting


VARIED: dict[str, Any] = {
    "type": "record",
    "name": "R",
    "fields": [
        {
            "name": "inner",
            "type": {
                "type": "record",
                "name": "I",
                "fields": [
                    {"name": "n", "type": "long"},
                    {"name": "t", "type": ["null", "string"]},
                    {
                        "name": "u",
                        "type": [
                            "null",
                            "double",
                            {
                                "type": "record",
                                "name": "W",
                                "fields": [{"name": "b", "type": "bytes"}],
                            },
                        ],
                    },
                    {"name": "w", "type": ["W", "null"]},
                    {"name": "f", "type": "float"},
                    {"name": "z", "type": "boolean"},
                ],
            },
        },
    ],
}


def test_fields_are_decoded_as_an_avro_library_does() -> None:
    chance = random.Random(0)
    records = []
    for _ in range(500):
        number = chance.choice(
            [0, -1, 1, 63, -64, 64, (1 << 63) - 1, -(1 << 63), chance.getrandbits(40)]
        )
        text = chance.choice([None, "", "aé漢😀", "x" * 200])
        union = chance.choice([None, 0.1, ("W", {"b": chance.randbytes(5)})])
        wrapped = chance.choice([None, ("W", {"b": b""})])
        part = {"n": number, "t": text, "u": union, "w": wrapped, "f": 0.5, "z": number > 0}
        records.append(part)
    content, starts, ends = b"", [], []
    schema = fastavro.parse_schema(json.loads(json.dumps(VARIED)))
    for part in records:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, schema, {"inner": part})
        starts.append(len(content))
        content += out.getvalue()
        ends.append(len(content))
    found = Decoder(json.dumps(VARIED).encode()).decode(
        content, np.array(starts), np.array(ends), "inner"
    )

    def plain(_: str, values: Any) -> list[Any]:
        if isinstance(values, Texts):
            return values.to_list()
        return values["b"].to_list() if isinstance(values, dict) else values.tolist()

    assert found["n"].tolist() == [part["n"] for part in records]
    assert found["z"].tolist() == [part["z"] for part in records]
    assert set(found["f"].tolist()) == {0.5}
    assert isinstance(found["t"], Choice)
    texts = [None if part["t"] is None else part["t"].encode() for part in records]
    assert found["t"].to_list(plain) == texts
    for name in ("u", "w"):
        expected = [p[name][1]["b"] if isinstance(p[name], tuple) else p[name] for p in records]
        assert found[name].to_list(plain) == expected


def record(low: int | None, high: int | None, **more: Any) -> StatsRecord:
    fields = {"rows": 10, "null_count": 1, "size": 5, "deleted": False, "tight": False, **more}
    return StatsRecord(b"f", low, high, "LongWrapper", kind=4, detail=None, **fields)


def test_two_records_of_a_key_become_one_as_hudi_has_it() -> None:
    older, newer = record(1, 5), record(3, 9)
    assert merged(None, newer) == merged(older._replace(deleted=True), newer) == newer
    assert merged(older, newer._replace(deleted=True)).deleted
    assert merged(older, newer._replace(tight=True)).low == 3
    assert merged(older, newer) == record(1, 9, rows=20, null_count=2, size=10)
    assert merged(record(None, None), newer)[1:3] == (3, 9)
    for pair in ((1.5, math.nan), (math.nan, 1.5)):
        low, high = merged(*(record(None, None)._replace(low=v, high=v) for v in pair))[1:3]
        assert (math.isnan(low), math.isnan(high)) == (True, True)
    assert merged(older, newer._replace(kind=3, wrapper="IntWrapper"))[1:3] == (None, None)
    decimals = [record(None, None)._replace(low=v, high=v, kind=10) for v in (b"\xff", b"\x01")]
    assert merged(*decimals)[1:3] == (b"\xff", b"\x01")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [pa.table({"a": range(n * 10, n * 10 + 10), "d": [float(n + 1)] * 10}) for n in range(4)]
    return write_plain_table(tmp_path / "t", rows)


def known(table: Path, column: str = "a") -> list[tuple[Any, Any, Any]]:
    rows = hz.open_table(table).column_stats([column], source="index").to_pylist()
    return [(row[f"{column}.min"], row[f"{column}.max"], row["rows"]) for row in rows]


def right() -> list[Entry]:
    return [longs(file, "a", n * 10, n * 10 + 9, 10) for n, file in enumerate(FILES)]


def test_the_newest_record_of_a_completed_commit_counts(table: Path) -> None:
    first, second, third, fourth = right()
    other = longs(FILES[1], "a", 5, 99, 10, isTightBound=True)
    logs = {
        LATER: log_block(4, LATER, hfile([other, third]))
        + log_block(1, LATER, deletes(key(FILES[0], "a"))),
        LATEST: log_block(4, LATEST, hfile([fourth])),
    }
    write_index(table, hfile([first, second]), logs, completed=[LATER])
    assert known(table) == [(None, None, None), (5, 99, 10), (20, 29, 10), (None, None, None)]


def test_a_table_without_the_index_has_no_entries(table: Path) -> None:
    with pytest.warns(IndexWarning, match="there is no column-statistics index"):
        assert known(table) == [(None, None, None)] * 4
    report = hz.open_table(table).explain("a = 5", source="index")
    assert [file.skipped_by for file in report.files] == ["", "file", "file", "file"]
    assert "4 footers were read" in report.notes[0]


def answers(table: hz.HudiTable, source: Any) -> Iterator[Any]:
    """What a source says of files: all but where it is from, and what lies within files."""
    for predicate in ("a = 5", "a > 100 OR a < 12", "d = 2.0 AND a IS NULL", "d > 1.5", "a = d"):
        report = table.explain(predicate, source=source)
        yield [(f.file, f.rows, f.bytes, f.skipped_by, f.reason) for f in report.files]
        yield report.share_read, report.independent_share
    for columns in (["a"], ["a", "d"]):
        yield {**table.clustering_information(columns, source=source).to_dict(), "source": ""}


def doubles(file: str, low: float, high: float, **more: Any) -> Entry:
    kind = {"typeOrdinal": 6, "additionalInfo": None}
    bounds = ("DoubleWrapper", low), ("DoubleWrapper", high)
    return stats(file, "d", *bounds, **{"rows": 10, "valueType": kind, **more})


def test_by_the_index_files_are_judged_as_by_footers(table: Path) -> None:
    entries = [*right(), *(doubles(f, n + 1.0, n + 1.0) for n, f in enumerate(FILES))]
    write_index(table, hfile(entries))
    indexed = hz.open_table(table)
    assert list(answers(indexed, "index")) == list(answers(hz.open_table(table), "footers"))
    report = indexed.explain("a = 5", source="index")
    assert (report.source, report.notes, report.row_group_level.total) == ("index", (), 0)


# Entries of the second file that tell a lie, or nothing, and by which no file may be skipped.
@pytest.mark.parametrize(
    "entry",
    [
        None,
        doubles(FILES[1], 0.0, 0.0),
        doubles(FILES[1], -1.0, 1.0),
        doubles(FILES[1], 0.0, 0.0, nullCount=10),
        stats(FILES[1], "d", None, None, 10),
        stats(FILES[1], "d", ("LongWrapper", 7), ("LongWrapper", 7), 10),
        stats(FILES[1], "d", ("StringWrapper", "x"), ("StringWrapper", "x"), 10),
        doubles(FILES[1], 7.0, 7.0, isDeleted=True),
        doubles(FILES[1], 7.0, 7.0, valueCount=None),
        doubles(FILES[1], 7.0, 7.0, valueType={"typeOrdinal": 5, "additionalInfo": None}),
        stats(FILES[1], "d", ("FloatWrapper", 7.0), ("FloatWrapper", 7.0), 10),
    ],
    ids=[
        "none",
        "nan",
        "nan beside",
        "nulls",
        "empty",
        "long",
        "text",
        "deleted",
        "no rows",
        "float",
        "float before version 9",
    ],
)
def test_what_the_index_lacks_or_may_have_wrong_is_read_from_the_footer(
    table: Path, entry: Entry | None
) -> None:
    entries = [*right(), *(doubles(f, n + 1.0, n + 1.0) for n, f in enumerate(FILES) if n != 1)]
    write_index(table, hfile([*entries, *([entry] if entry else [])]))
    assert list(answers(hz.open_table(table), "index")) == list(
        answers(hz.open_table(table), "footers")
    )
    report = hz.open_table(table).explain("d = 2.0", source="index")
    assert report.notes[0].startswith("1 footer was read")


# Logs of the second file, whose values of a are 10 to 19; what the index says of them.
LOGS = [f".f1-0_{INSTANT}.log.{number}_0-0-0" for number in (1, 2)]
MERGED = {"hoodie.record.merge.mode": "EVENT_TIME_ORDERING"}
PARTIAL = "hoodie.table.partial.update.mode"


def with_logs(path: Path, entries: list[Entry], properties: dict[str, str]) -> hz.HudiTable:
    rows = [pa.table({"a": range(n * 10, n * 10 + 10)}) for n in range(4)]
    table = write_plain_table(path, rows, properties=properties)
    for name in LOGS:
        (table / name).write_bytes(b"log")
    write_index(table, hfile(list({entry[0]: entry for entry in [*right(), *entries]}.values())))
    return hz.open_table(table)


TOLD = [longs(LOGS[0], "a", 12, 50, 3), longs(LOGS[1], "a", 4, 6, 3, nullCount=1)]


@pytest.mark.parametrize(
    ("predicate", "read"),
    [
        ("a = 5", [0, 1]),  # the logs' values, of which nobody knows more than the ends
        ("a = 25", [1, 2]),
        ("a = 51", []),
        ("a < 4", [0]),
        ("a > 45", [1]),
        ("a IS NULL", [1]),
    ],
)
def test_the_values_of_log_files_are_those_that_the_index_tells(
    tmp_path: Path, predicate: str, read: list[int]
) -> None:
    table = with_logs(tmp_path / "t", TOLD, MERGED)
    report = table.explain(predicate, source="index")
    assert [number for number, file in enumerate(report.files) if not file.skipped_by] == read
    assert (report.notes, len(table._snapshot.footers._found)) == ((), 4), "of sampled rows alone"
    assert [file.log_files for file in report.files] == [0, 2, 0, 0]
    # Of all other values, which an equality asks for, two files hold those of 4 to 19.
    told = table.clustering_information(["a"], source="index").by_column[0]
    assert (told.unknown_files, told.share_read) == (0, pytest.approx(0.5, abs=0.1))


@pytest.mark.parametrize(
    ("entries", "properties"),
    [
        (TOLD[:1], MERGED),
        ([TOLD[0], longs(LOGS[1], "a", 4, 6, 0)], MERGED),
        ([TOLD[0], stats(LOGS[1], "a", None, None, 3)], MERGED),
        ([TOLD[0], longs(LOGS[1], "a", 4, 6, 3, isDeleted=True)], MERGED),
        (TOLD, {"hoodie.record.merge.mode": "CUSTOM"}),
        (TOLD, {**MERGED, PARTIAL: "IGNORE_DEFAULTS"}),
        (TOLD, {"hoodie.compaction.payload.class": "org.my.Payload"}),
        (TOLD, {**MERGED, "hoodie.record.merge.strategy.id": "mine"}),
        (TOLD, {**MERGED, "hoodie.compaction.record.merger.strategy": "mine"}),
        (TOLD, {}),
    ],
    ids=[
        "one",
        "empty",
        "unknown",
        "deleted",
        "custom",
        "partial",
        "payload",
        "strategy",
        "older strategy",
        "untold",
    ],
)
def test_log_files_keep_a_slice_where_the_index_may_not_tell_what_is_merged(
    tmp_path: Path, entries: list[Entry], properties: dict[str, str]
) -> None:
    table = with_logs(tmp_path / "t", entries, properties)
    [kept] = table.explain("a = 51", source="index").kept
    assert kept.reason == "its 2 log files may hold any value"
    assert table.clustering_information(["a"], source="index").by_column[0].unknown_files == 1


def test_of_base_files_with_logs_that_the_index_lacks_footers_are_read(tmp_path: Path) -> None:
    payload = "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"
    merged = {"hoodie.compaction.payload.class": payload}
    lacking = longs(FILES[1], "a", 1, 2, 10, isDeleted=True)
    table = with_logs(tmp_path / "t", [*TOLD, lacking], merged)
    report = table.explain("a = 19", source="index")
    assert [file.skipped_by for file in report.files] == ["file", "", "file", "file"]
    assert report.notes[0].startswith("1 footer was read")
    assert len(table.explain("a = 51", source="index").kept) == 0


def test_before_version_9_times_are_read_from_footers(tmp_path: Path) -> None:
    """The index has a number alone, whose unit in a file need not be the table's."""
    times = pa.array([1_767_225_600], pa.timestamp("s"))
    rows = [pa.table({"t": times.cast(pa.timestamp(unit, "UTC"))}) for unit in ("us", "ms")]
    path = write_plain_table(tmp_path / "t", rows)
    entries = []
    for file, part in zip(FILES, rows, strict=False):
        end = "LongWrapper", part["t"].cast(pa.int64())[0].as_py()
        entries.append(stats(file, "t", end, end, 1))
    write_index(path, hfile(entries))
    for predicate, skipped in (("t > '2020-01-01'", ["", ""]), ("t < '2020-01-01'", ["file", ""])):
        for source in ONE_SOURCE:
            report = hz.open_table(path).explain(predicate, source=source)
            assert [file.skipped_by for file in report.files] == skipped, source


@pytest.mark.parametrize(("unit", "kept"), [("us", 0), ("ms", 1)])
def test_times_of_logs_in_milliseconds_are_not_believed(
    tmp_path: Path, unit: str, kept: int
) -> None:
    """Of Spark's rows Hudi has them a thousand times too late."""
    times = pa.array([1_767_225_600], pa.timestamp("s")).cast(pa.timestamp(unit, "UTC"))
    path = write_plain_table(tmp_path / "t", [pa.table({"t": times})], properties=MERGED)
    name = f".f0-0_{INSTANT}.log.1_0-0-0"
    (path / name).write_bytes(b"log")
    ends = [("LongWrapper", times.cast(pa.int64())[0].as_py())] * 2
    kind = {"typeOrdinal": {"ms": 15, "us": 16}[unit], "additionalInfo": None}
    entries = [stats(file, "t", *ends, 1, valueType=kind) for file in (FILES[0], name)]
    write_index(path, hfile(sorted(entries)))
    report = hz.open_table(path).explain("t > '2027-01-01'", source="index")
    assert len(report.kept) == kept


def test_a_condition_that_never_holds_skips_files_with_logs(tmp_path: Path) -> None:
    table = with_logs(tmp_path / "t", TOLD[:1], MERGED)
    assert not table.explain("1 = 0", source="index").kept


# Ends as Hudi has them where it has merged blocks or row groups of U+1F600 and of U+E000.
ENDS = {"\U0001f600": ("\U0001f600", "\ue000"), "\ue000": ("\U0001f600", "\ue000"), "a": ("a", "b")}


@pytest.mark.parametrize("text", ENDS)
def test_texts_whose_order_differs_in_utf_16_are_read_from_footers(
    tmp_path: Path, text: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"s": [text]}), pa.table({"s": ["c"]})])
    low, high = (("StringWrapper", end) for end in ENDS[text])
    kind = {"typeOrdinal": 7, "additionalInfo": None}
    write_index(path, hfile([stats(FILES[0], "s", low, high, 1, valueType=kind)]))
    report = hz.open_table(path).explain(f"s = '{text}'", source="index")
    assert [file.skipped_by for file in report.files] == ["", "file"]
    footers = 1 if text == "a" else 2
    assert report.notes[0].startswith(f"{footers} footer")


def test_bytes_are_read_from_footers(tmp_path: Path) -> None:
    """Hudi's least and greatest are of signed bytes."""
    path = write_plain_table(tmp_path / "t", [pa.table({"b": [b"\x01", b"\x80"]})])
    low, high = (("BytesWrapper", end) for end in (b"\x80", b"\x01"))
    kind = {"typeOrdinal": 8, "additionalInfo": None}
    write_index(path, hfile([stats(FILES[0], "b", low, high, 2, valueType=kind)]))
    report = hz.open_table(path).explain("b = X'01'", source="index")
    assert [file.skipped_by for file in report.files] == [""]


def test_of_files_of_one_name_in_two_partitions_footers_are_read(tmp_path: Path) -> None:
    rows = {f"p={n}/0": pa.table({"a": [n], "p": [n]}) for n in (1, 2)}
    by_p = {"hoodie.table.partition.fields": "p"}
    path = write_plain_table(tmp_path / "t", rows, properties=by_p)
    write_index(path, hfile([longs(FILES[0], "a", 1, 1, 1)]))
    report = hz.open_table(path).explain("a = 2", source="index")
    assert [file.skipped_by for file in report.files] == ["file", ""]


def test_footers_are_opened_of_sampled_files_alone(tmp_path: Path) -> None:
    names = [base_file(str(number)) for number in range(300)]
    table = write_plain_table(tmp_path / "t", [pa.table({"a": [n, n + 5]}) for n in range(300)])
    write_index(table, hfile([longs(f, "a", n, n + 5, 2) for n, f in enumerate(names)]))
    indexed = hz.open_table(table)
    explained = indexed.explain("a = 150", source="index")
    assert (len(explained.kept), explained.total_rows) == (6, 600)
    assert indexed.clustering_information(["a"], source="index").total_rows == 600
    assert len(indexed._snapshot.footers._found) <= 65
    assert explained.independent_share is not None


def test_another_source_is_refused(table: Path) -> None:
    indexed: Any = hz.open_table(table)
    for ask in (
        lambda: indexed.explain("a = 5", source="idx"),
        lambda: indexed.clustering_information(["a"], source="auto"),
    ):
        with pytest.raises(hz.OptionError, match="'source' was "):
            ask()
    with pytest.raises(hz.OptionError, match="the index knows no pages"):
        indexed.explain("a = 5", source="index", select=["a"])


def damaged(index: Path) -> Iterator[None]:
    """Changes a file of an index in one way after the other, and back."""
    chance = random.Random(0)
    for file in sorted(index.iterdir()):
        whole = file.read_bytes()
        for _ in range(60):
            content = bytearray(whole)
            if chance.random() < 0.2:
                del content[chance.randrange(len(content)) :]
            for _ in range(chance.randrange(1, 4)):
                if content:
                    place = chance.randrange(len(content))
                    content[place] = chance.choice([0, 0xFF, 0x7F, content[place] ^ 1])
            file.write_bytes(content)
            yield
        file.write_bytes(whole)


@pytest.mark.parametrize("packed", [True, False])
def test_a_damaged_index_ends_in_an_error_that_names_its_file(table: Path, packed: bool) -> None:
    first, second, third, fourth = right()
    log = log_block(4, LATER, hfile([third, fourth], packed=packed)) + log_block(
        1, LATER, deletes(key(FILES[0], "a"))
    )
    index = write_index(
        table, hfile([first, second], packed=packed, levels=2, in_block=1), {LATER: log}, [LATER]
    )
    failed = 0
    for _ in damaged(index):
        try:
            known(table)
        except hz.TableError as error:
            failed += str(index) in str(error)
            nameless = [error] if str(index) not in str(error) else []
            assert not nameless
    assert failed > 20


def nested(depth: int) -> bytes:
    """A schema of a record that no bytes have many values of."""
    kind: Any = "null"
    for number in range(depth):
        pair = [
            {"name": name, "type": kind if name == "x" or not number else f"N{number - 1}"}
            for name in "xy"
        ]
        kind = {"type": "record", "name": f"N{number}", "fields": pair}
    field = {"name": "ColumnStatsMetadata", "type": ["null", kind]}
    return json.dumps({"type": "record", "name": "R", "fields": [field]}).encode()


@pytest.mark.parametrize(
    "content",
    [
        hfile([(key(FILES[0], "a"), b"\x02")], schema=nested(25)),
        hfile([(key(FILES[0], "a"), b"\x02")], schema=nested(60)),
        hfile([(key(FILES[0], "a"), b"\x02")], schema=b"[" * 100_000),
        hfile([(key(FILES[0], "a"), b"\x02")], schema=b'{"type": "record", "name": "R"}'),
        hfile([(key(FILES[0], "a"), bytes(1 << 26))]),
    ],
    ids=["many values", "deep", "deeper", "no fields", "long"],
)
def test_a_file_takes_no_more_memory_than_it_lets_expect(table: Path, content: bytes) -> None:
    write_index(table, content)
    tracemalloc.start()
    try:
        with pytest.raises(hz.TableError, match="is damaged"):
            known(table)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_log_files_are_in_the_order_of_their_numbers() -> None:
    names = [f".col-stats-0000-0_00000000000000.log.{number}_0-1-2" for number in range(1, 12)]
    assert sorted(reversed(names), key=_log_order) == names
