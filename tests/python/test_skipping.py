"""Which levels skip what, and the reasons that a report gives."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_zorder.errors import ColumnError, OptionError, PredicateError
from hudi_zorder.fit.queries_fit import queries_fit
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.row_ranges import meets
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.predicate.value_tests import Interval, ValueTest, outside, within
from hudi_zorder.skipping.explain import explain
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.skipping.skipping_report import SkippingReport
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.index_bounds import OneSource
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from plain_table import COMPLETED, INSTANT, base_file, write_plain_table

PAGES = {"write_page_index": True, "data_page_size": 1, "write_batch_size": 10}
SIMPLE = {"hoodie.table.keygenerator.type": "SIMPLE"}
HIVE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
UNSTORED = {
    **SIMPLE,
    **HIVE,
    "hoodie.table.partition.fields": "p",
    "hoodie.datasource.write.drop.partition.columns": "true",
}
BY_DAY = {**SIMPLE, **HIVE, "hoodie.table.partition.fields": "day"}


def report_of(
    path: Path,
    files: Sequence[pa.Table] | Mapping[str, pa.Table],
    predicate: str,
    properties: Mapping[str, str] | None = None,
    **options: Any,
) -> SkippingReport:
    table = write_plain_table(path / "t", files, properties=properties, **options)
    return explain(TableSnapshot.open(table), predicate)


def numbers(start: int, count: int = 100) -> pa.Table:
    return pa.table({"i": range(start, start + count), "s": [f"{n:05}" for n in range(count)]})


def skipped(report: SkippingReport) -> list[str]:
    return [file.skipped_by for file in report.files]


def test_the_four_levels(tmp_path: Path) -> None:
    gaps = pa.table({"i": [n * 2 for n in range(50)] * 2, "s": ["00000"] * 100})
    files = {"day=1/0": numbers(0), "day=2/0": numbers(0), "day=2/1": numbers(500), "day=2/2": gaps}
    rows = {
        place: table.append_column("day", pa.array([int(place[4])] * 100))
        for place, table in files.items()
    }
    predicate = "day = 2 AND i = 51"
    report = report_of(tmp_path, rows, predicate, BY_DAY, row_group_size=50, **PAGES)
    assert skipped(report) == ["partition", "", "file", ""]
    assert report.impala == {
        "NumRowGroups": 6,
        "NumStatsFilteredRowGroups": 3,  # two of the skipped file, one below 51
        "NumDictFilteredRowGroups": 2,  # even numbers alone, though 51 is between them
        "NumPages": 10,  # of two columns
        "NumStatsFilteredPages": 8,
    }
    assert report.partition_level.skipped == 1
    assert report.row_group_level.total == 6
    assert report.file_level.rows_left == 200
    assert report.row_group_level.rows_left == 50
    assert report.page_level.rows_left == 10
    assert report.files[1].kept_rows == ((50, 60),)
    assert report.share_read == 0.5
    assert report.files[0].reason == "day = 2 cannot hold, day is 1"
    assert report.files[1].reason == "day = 2 may hold, day is 2 and i = 51 may hold, i is 0 to 99"
    assert report.files[2].reason == "i = 51 cannot hold, i is 500 to 599"
    parsed = json.loads(json.dumps(report.to_dict()))
    assert parsed["files"] == {
        "total": 4,
        "skipped": 2,
        "rows_left": 200,
        "bytes_left": report.file_level.bytes_left,
    }
    assert parsed["NumPages"] == 10
    assert parsed["per_file"][1]["kept_rows"] == [[50, 60]]
    assert "Row groups and pages are those of the partitions left." in str(report)


@pytest.mark.parametrize(
    ("predicate", "left"), [("day = 2", 1), ("day = 2 AND i = 500", 0), ("i >= 0", 4), ("i < 0", 0)]
)
def test_files_are_counted_over_the_whole_table(tmp_path: Path, predicate: str, left: int) -> None:
    files = {
        f"day={day}/0": numbers(0).append_column("day", pa.array([day] * 100))
        for day in range(1, 5)
    }
    report = report_of(tmp_path, files, predicate, BY_DAY)
    level = report.file_level
    assert (level.total, level.total - level.skipped) == (4, left)
    assert level.skipped == sum(bool(by) for by in skipped(report))
    assert report.partition_level.total == level.total


def test_selected_columns_count_their_pages_once(tmp_path: Path) -> None:
    table = write_plain_table(tmp_path / "t", [numbers(0)], **PAGES)
    snapshot = TableSnapshot.open(table)
    selected = [None, ["S"], ["*"], ["s", "i", "S"]]
    counts = [explain(snapshot, "i = 5", select=select).impala for select in selected]
    assert [count["NumPages"] for count in counts] == [10, 10, 20, 20]
    assert [count["NumStatsFilteredPages"] for count in counts] == [9, 9, 18, 18]
    with pytest.raises(ColumnError, match="there is no column 'z'"):
        explain(snapshot, "i = 5", select=["z"])


def test_unknown_statistics_are_kept(tmp_path: Path) -> None:
    files = [numbers(0), numbers(500)]
    report = report_of(tmp_path, files, "i = 5", write_statistics=False, use_dictionary=False)
    assert skipped(report) == ["", ""]
    assert report.files[0].reason == "i has unknown minimum and maximum"
    assert report.page_level.rows_left == 200


def test_log_files_keep_a_slice(tmp_path: Path) -> None:
    files = {"day=1/0": numbers(0), "day=2/0": numbers(0)}
    rows = {
        place: table.append_column("day", pa.array([int(place[4])] * 100))
        for place, table in files.items()
    }
    path = write_plain_table(tmp_path / "t", rows, properties=BY_DAY)
    for day in (1, 2):
        (path / f"day={day}/.f0-0_{INSTANT}.log.1_0-0-0").write_bytes(b"log")
    (path / f"day=2/.f9-0_{INSTANT}.log.1_0-0-0").write_bytes(b"log")
    report = explain(TableSnapshot.open(path), "i = 1000 AND day = 2")
    assert skipped(report) == ["partition", "", ""]
    assert [file.reason for file in report.files[1:]] == [
        "it has log files alone, which have no statistics",
        "its 1 log file may hold any value",
    ]
    assert report.impala["NumStatsFilteredRowGroups"] == 0
    assert report.page_level.rows_left == 100


def test_a_list_of_thousands_is_searched_and_not_repeated_in_every_reason(tmp_path: Path) -> None:
    """10,000 literals against 10,000 values of a dictionary took some 15 seconds."""
    files = [pa.table({"i": range(n * 40_000 + 1, (n + 1) * 40_000, 4)}) for n in range(2)]
    wanted = ", ".join(str(n) for n in range(79_998, 0, -8))
    path = write_plain_table(tmp_path / "t", files, row_group_size=10_000)
    start = time.process_time()
    none = explain(TableSnapshot.open(path), f"i IN ({wanted})")
    some = explain(TableSnapshot.open(path), f"i IN ({wanted}, 41)")
    assert time.process_time() - start < 10  # most of it for parsing
    assert none.impala["NumDictFilteredRowGroups"] == 2
    assert [len(file.kept_rows) for file in some.files] == [1, 0]
    assert all(len(file.reason) <= 600 for file in [*none.files, *some.files])
    assert none.files[0].reason.startswith("i IN (79998, 79990, ")


def test_pages_are_held_against_the_rows_left_without_a_look_at_all_of_these() -> None:
    few = ((2, 3), (5, 9), (12, 20))
    rows = [any(low <= row < high for low, high in few) for row in range(25)]
    for first, end in itertools.combinations(range(25), 2):
        assert meets(few, first, end) == any(rows[first:end])
    many = tuple((row, row + 1) for row in range(0, 40_000, 2))
    start = time.process_time()
    assert sum(meets(many, row, row + 1) for row in range(40_000)) == 20_000
    assert time.process_time() - start < 5


def test_intervals_agree_with_a_search_one_by_one() -> None:
    chance = random.Random(3)
    for _ in range(200):
        points = sorted(chance.sample(range(40), chance.randrange(1, 12)))
        ends = [(point, point + chance.choice([0, 0, 5, 20])) for point in points]
        ranges = tuple(Interval(*pair) for pair in ends)
        for intervals, searched in ((ranges, within(ends)), (outside(points), outside(points))):
            test = ValueTest("a", "", searched)
            low = chance.randrange(-1, 41)
            high = low + chance.randrange(4)
            expected = any(interval.meets(low, high) for interval in intervals)
            assert test.may_pass(Bounds(9, 0, low, high)) == expected
            assert test.passes(low) == any(i.meets(low, low) for i in intervals)


@pytest.mark.parametrize(("held", "kept"), [("aa", True), ("abz", False), ("ac", True)])
def test_what_does_not_begin_with_a_prefix_may_be_the_next_text(
    tmp_path: Path, held: str, kept: bool
) -> None:
    report = report_of(tmp_path, [pa.table({"s": [held]})], "s NOT LIKE 'ab%'")
    assert skipped(report) == ["" if kept else "file"]


def test_unusable_parts_are_named_and_keep(tmp_path: Path) -> None:
    files = [numbers(0), numbers(500)]
    report = report_of(tmp_path, files, "i = 5 AND lower(s) = 'x' OR s = 7")
    assert skipped(report) == ["", ""]
    assert dict(report.unusable) == {
        "LOWER(s) = 'x'": "it is no comparison of a column with a literal",
        "s = 7": "it compares string with 7",
    }
    assert report.files[1].reason == "s = 7 has no use of statistics"
    other = explain(TableSnapshot.open(tmp_path / "t"), "i = 5 AND lower(s) = 'x'")
    assert skipped(other) == ["", "file"]


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        ("i = 5 AND lower(s) = 'x'", "i = 5 may hold, i is 0 to 99"),
        ("lower(s) = 'x' AND NOT (i > 5 OR trim(s) = 'y')", "i <= 5 may hold, i is 0 to 99"),
        ("lower(s) = 'x' OR trim(s) = 'y'", "no condition has a use of statistics"),
    ],
)
def test_what_no_statistics_can_decide_is_no_reason_of_a_file(
    tmp_path: Path, predicate: str, reason: str
) -> None:
    report = report_of(tmp_path, [numbers(0)], predicate)
    assert report.files[0].reason == reason
    assert "LOWER(s) = 'x'" in dict(report.unusable)


@pytest.mark.parametrize(
    ("predicate", "message"),
    [
        ("ii = 5", "there is no column 'ii'; did you mean 'i'"),
        ("i =", "Cannot parse a predicate"),
    ],
)
def test_mistakes_are_refused(tmp_path: Path, predicate: str, message: str) -> None:
    with pytest.raises(PredicateError, match=message):
        report_of(tmp_path, [numbers(0)], predicate)


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        ("_metadata.file_name = 'x'", "_metadata.file_name is no column of the table, but told by"),
        ("User = 'x'", "User is no column of the table, but told by Spark"),
        ("s < localtimestamp", "it compares two columns"),
        ("s = upper(current_catalog)", "it is no comparison of a column with a literal"),
    ],
)
def test_what_spark_tells_without_brackets_is_no_misspelt_column(
    tmp_path: Path, predicate: str, reason: str
) -> None:
    report = report_of(tmp_path, [numbers(0), numbers(500)], f"{predicate} AND i = 500")
    assert skipped(report) == ["file", ""]
    [(_, told)] = report.unusable
    assert told.startswith(reason)


def test_a_column_that_is_called_as_such_a_function_is_one(tmp_path: Path) -> None:
    rows = pa.table({"user": ["x"], "_metadata": [{"a": 1}]})
    assert skipped(report_of(tmp_path, [rows], "user = 'y' OR _metadata.a = 2")) == ["file"]
    with pytest.raises(PredicateError, match=r"there is no column 'user\.name'"):
        explain(TableSnapshot.open(tmp_path / "t"), "user.name = 'x'")


def test_columns_without_statistics_are_unusable(tmp_path: Path) -> None:
    rows = pa.table({"i": [1], "l": [[1]], "n": [{"a": 1}]})
    report = report_of(tmp_path, [rows], "l = 1 AND n IS NULL AND n.a = 1")
    assert [text for text, _ in report.unusable] == ["l = 1", "n IS NULL"]
    assert "has no statistics" in report.unusable[0][1]


def test_a_nan_may_hide_above_the_maximum(tmp_path: Path) -> None:
    """Arrow's writer leaves NaN out of its statistics."""
    files = [pa.table({"d": [1.0, math.nan]}), pa.table({"d": [1.0, 2.0]})]
    report = report_of(tmp_path, files, "d > 5", use_dictionary=False)
    assert skipped(report) == ["", ""]
    assert report.files[1].reason == "d > 5 may hold, d is 1.0 to 2.0, perhaps a NaN"
    snapshot = TableSnapshot.open(tmp_path / "t")
    assert skipped(explain(snapshot, "d < 0")) == ["file", "file"]
    assert skipped(explain(snapshot, "d = 5")) == ["file", "file"]
    assert skipped(explain(snapshot, "d = double('NaN')")) == ["", ""]


def test_a_dictionary_knows_its_nans(tmp_path: Path) -> None:
    files = [pa.table({"d": [1.0, math.nan]}), pa.table({"d": [1.0, 2.0]})]
    report = report_of(tmp_path, files, "d > 5")
    assert [file.dict_filtered_row_groups for file in report.files] == [0, 1]


def test_beside_a_dictionary_nulls_of_unknown_number_may_pass() -> None:
    test = ValueTest("a", "a IS NULL", (), null_passes=True)
    assert [test.may_pass_any([1], nulls) for nulls in (None, 0, 1)] == [True, False, True]


def test_a_dictionary_does_not_tell_a_long_list_that_a_zero_is_in_it(tmp_path: Path) -> None:
    """Spark tells -0.0 from 0.0 there, and nowhere else."""
    (file,) = report_of(tmp_path, [pa.table({"d": [-0.0]})], "d NOT IN (0D, 1D)").files
    assert file.dict_filtered_row_groups == 0


def test_a_time_without_zone_skips_what_it_skips_in_every_zone(tmp_path: Path) -> None:
    def day(number: int) -> pa.Table:
        start = dt.datetime(2026, 5, number, tzinfo=dt.timezone.utc)
        hours = [start + dt.timedelta(hours=h) for h in range(24)]
        return pa.table({"t": pa.array(hours, pa.timestamp("us", tz="UTC"))})

    table = write_plain_table(tmp_path / "t", [day(1), day(2), day(3), day(4)])
    snapshot = TableSnapshot.open(table)
    predicate = "t < '2026-05-02 00:00:00'"
    assert skipped(explain(snapshot, predicate)) == ["", "", "file", "file"]
    assert skipped(explain(snapshot, predicate, time_zone="UTC")) == ["", "file", "file", "file"]
    assert skipped(explain(snapshot, predicate, time_zone="America/New_York"))[1] == ""
    with pytest.raises(OptionError, match="'time_zone' was 'Mars'"):
        explain(snapshot, predicate, time_zone="Mars")


def test_columns_that_came_or_changed_later_are_kept(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"i": pa.array([1.5], pa.float32())})])
    later = write_plain_table(
        tmp_path / "later", [pa.table({"i": pa.array([2.5], pa.float64()), "new": ["x"]})]
    )
    instant = "20260105000000000"
    (later / base_file("0")).rename(path / base_file("1", instant))
    (path / f".hoodie/timeline/{instant}_20260105000001000.commit").touch()
    snapshot = TableSnapshot.open(path)
    assert skipped(explain(snapshot, "i = 9")) == ["", "file"]
    assert skipped(explain(snapshot, "new = 'y'")) == ["", "file"]
    assert skipped(explain(snapshot, "new IS NULL")) == ["", "file"]


def test_a_column_of_another_type_in_older_files_is_unknown_there(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [numbers(0), numbers(500)])
    text = pa.table({"i": ["7", "8"], "s": ["a", "b"]})
    newest = "20260109000000000"
    pq.write_table(text, path / base_file("9", newest))
    timeline = path / ".hoodie" / "timeline"
    (timeline / f"{newest}_{newest}.commit").touch()
    snapshot = TableSnapshot.open(path)
    assert skipped(explain(snapshot, "i = '9' AND s < 'b'")) == ["", "", "file"]
    information = clustering_information(snapshot, ["i", "s"])
    assert [part.unknown_files for part in information.by_column] == [2, 0]


@pytest.mark.parametrize(
    ("unit", "options", "rows_left"),
    [
        ("us", {"use_deprecated_int96_timestamps": True}, 100),
        ("ns", {}, 100),
        ("us", {}, 10),
        ("ms", {}, 10),
        ("us", {"coerce_timestamps": "ms"}, 10),
    ],
)
def test_times_in_every_form(
    tmp_path: Path, unit: str, options: dict[str, Any], rows_left: int
) -> None:
    """INT96 and nanoseconds have no order to skip by; Spark reads both."""
    hours = [dt.datetime(2020, 1, 1) + dt.timedelta(hours=n) for n in range(100)]
    rows = pa.table({"t": pa.array(hours, pa.timestamp(unit, tz="UTC")), "n": range(100)})
    predicate = "t = TIMESTAMP '2020-01-01 05:00:00Z'"
    report = report_of(tmp_path, [rows], predicate, **PAGES, **options)
    assert report.page_level.rows_left == rows_left
    assert report.files[0].kept_rows[0][0] == 0


def test_a_column_that_no_file_holds_yet_keeps_all(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [numbers(0)])
    timeline = path / ".hoodie" / "timeline"
    for day, names in (("20260102", ["i"]), ("20260103", ["i", "Later"])):
        schema = {"type": "record", "fields": [{"name": n, "type": "long"} for n in names]}
        commit = {"extraMetadata": {"schema": json.dumps(schema)}}
        (timeline / f"{day}000000000_{day}000000001.commit").write_text(json.dumps(commit))
    report = explain(TableSnapshot.open(path), "later IS NULL AND i < 1000")
    assert skipped(report) == [""]
    assert report.unusable == (("later IS NULL", "the newest files do not hold the column later"),)
    assert skipped(explain(TableSnapshot.open(path), "later IS NULL AND i > 1000")) == ["file"]
    with pytest.raises(PredicateError, match="there is no column 'never'"):
        explain(TableSnapshot.open(path), "never = 1")


def test_skeletons_of_a_bootstrap_keep_all(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"_hoodie_record_key": ["1"]})])
    report = explain(TableSnapshot.open(path), "v = 1")
    assert skipped(report) == [""]
    assert "skeletons of a bootstrap" in report.unusable[0][1]


def test_old_dates_of_an_unknown_calendar_are_kept(tmp_path: Path) -> None:
    """Spark may shift those of a file that does not say that Spark 3 wrote it."""
    old, new = dt.date(1500, 1, 1), dt.date(1600, 1, 1)
    rows = [pa.table({"y": [old, new]}), pa.table({"y": [new, new]})]
    marked = rows[0].replace_schema_metadata({"org.apache.spark.version": "3.5.9"})
    for name, files, expected in (
        ("plain", rows, ["", "file"]),
        ("spark", [marked, rows[1]], ["file", "file"]),
    ):
        path = write_plain_table(tmp_path / name, files, **PAGES)
        report = explain(TableSnapshot.open(path), "y < '1400-01-01'")
        assert skipped(report) == expected
    assert report_of(tmp_path, rows, "y < '1400-01-01'", **PAGES).page_level.rows_left == 2


def test_integers_of_another_width_compare_alike(tmp_path: Path) -> None:
    files = [pa.table({"i": pa.array([5], t)}) for t in (pa.int32(), pa.int64())]
    assert skipped(report_of(tmp_path, files, "i = 6")) == ["file", "file"]


def commit_schema(path: Path, **types: Any) -> None:
    """Makes the table's commit record a schema."""
    fields = [{"name": name, "type": ["null", kind]} for name, kind in types.items()]
    schema = json.dumps({"type": "record", "name": "t", "fields": fields})
    commit = path / ".hoodie/timeline" / f"{INSTANT}_{COMPLETED}.commit"
    commit.write_text(json.dumps({"extraMetadata": {"schema": schema}}))


@pytest.mark.parametrize(
    ("held", "committed", "predicate"),
    [
        (pa.array([1000], pa.int32()), "string", "v < '11'"),  # '1000' is less than '11'
        (pa.array([0.1], pa.float32()), "double", "v = 0.1"),  # Hudi widens by way of the text
        (pa.array([1], pa.int32()), "long", "v > 5"),
        (
            pa.array([1], pa.int64()),
            {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
            "v > 5",
        ),
    ],
)
def test_a_type_that_no_base_file_has_yet_keeps_all(
    tmp_path: Path, held: pa.Array, committed: Any, predicate: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"v": held})])
    commit_schema(path, v=committed)
    report = explain(TableSnapshot.open(path), predicate)
    assert skipped(report) == [""]
    assert "the newest files hold v as" in report.unusable[0][1]


NS = {"type": "record", "name": "n", "fields": [{"name": "X", "type": ["null", "long"]}]}
KINDS: list[tuple[pa.Array, Any, str]] = [
    (pa.array([1], pa.int32()), "int", "v > 5"),
    (pa.array([1], pa.int64()), "long", "v > 5"),
    (pa.array([1], pa.float32()), "float", "v < 0"),
    (pa.array([1.0]), "double", "v < 0"),
    (pa.array(["a"]), "string", "v > 'b'"),
    (pa.array([b"a"]), "bytes", "v > X'62'"),
    (pa.array([dt.date(2026, 1, 1)]), {"type": "int", "logicalType": "date"}, "v > '2027-01-01'"),
    (
        pa.array([1], pa.timestamp("us", "UTC")),
        {"type": "long", "logicalType": "timestamp-micros"},
        "v > '2027-01-01 00:00:00Z'",
    ),
    (
        pa.array([1], pa.timestamp("us")),
        {"type": "long", "logicalType": "local-timestamp-micros"},
        "v > timestamp_ntz'2027-01-01'",
    ),
    (
        pa.array([1], pa.decimal128(9, 2)),
        {"type": {"type": "fixed", "logicalType": "decimal", "precision": 9, "scale": 2}},
        "v > 5",
    ),
    (pa.array([{"x": 1}]), NS, "v.x > 5"),
]


@pytest.mark.parametrize(("held", "committed", "predicate"), KINDS)
def test_files_of_the_committed_type_are_skipped(
    tmp_path: Path, held: pa.Array, committed: Any, predicate: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"v": held})])
    commit_schema(path, v=committed)
    assert skipped(explain(TableSnapshot.open(path), predicate)) == ["file"]


def test_files_from_before_a_schema_change_are_kept(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [numbers(0)])
    folder = path / ".hoodie/.schema"
    folder.mkdir()
    schemas = {"schemas": [{"version_id": 20270101000000000}]}
    (folder / "20270101000000000.schemacommit").write_text(json.dumps(schemas))
    (file,) = explain(TableSnapshot.open(path), "i = 1000").files
    assert file.skipped_by == ""
    assert "before the table's schema was changed at 20270101000000000" in file.reason


@pytest.mark.parametrize(
    ("properties", "folder", "is_skipped"),
    [
        ({**SIMPLE, **HIVE}, "p=b", True),
        (SIMPLE, "b", True),
        ({**SIMPLE, **HIVE}, "p=__HIVE_DEFAULT_PARTITION__", False),
        (SIMPLE, "default", False),
        ({**HIVE, "hoodie.table.keygenerator.type": "TIMESTAMP"}, "p=b", False),
        ({**HIVE, "hoodie.table.keygenerator.type": "CUSTOM"}, "p=b", False),
        (HIVE, "p=b", False),
        (
            {
                **HIVE,
                "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.SimpleKeyGenerator",
            },
            "p=b",
            True,
        ),
        ({**SIMPLE, **HIVE}, "q=b", False),
        (SIMPLE, "b/c", False),
        ({**SIMPLE, "hoodie.datasource.write.partitionpath.urlencode": "true"}, "a%2F", True),
        (SIMPLE, "a%2F", False),  # Hudi decodes it, encoded or not
        (SIMPLE, "k=a", False),  # and takes this for Hive style
        ({**SIMPLE, **HIVE}, "p=k=a", True),
    ],
)
def test_partition_folders(
    tmp_path: Path, properties: dict[str, str], folder: str, is_skipped: bool
) -> None:
    """A folder is believed only when its name is sure to be the column's value."""
    entries = {"hoodie.table.partition.fields": "p", **properties}
    rows = pa.table({"p": ["a"]})  # so that it is the folder alone that speaks against 'a'
    report = report_of(tmp_path, {f"{folder}/0": rows}, "p = 'a'", entries)
    assert skipped(report) == ["partition" if is_skipped else ""]


@pytest.mark.parametrize(
    ("properties", "folder"),
    [
        ({**SIMPLE, **HIVE}, "p=__HIVE_DEFAULT_PARTITION__"),
        (SIMPLE, "a%2F"),
        (SIMPLE, "a/b"),
        ({"hoodie.table.keygenerator.type": "CUSTOM"}, "a"),
        ({"hoodie.table.keygenerator.type": "TIMESTAMP"}, "a"),
    ],
)
def test_the_file_of_an_unclear_folder_is_not_believed(
    tmp_path: Path, properties: dict[str, str], folder: str
) -> None:
    """Spark has a partition column from the folder, so that '' in the file comes back as null."""
    entries = {"hoodie.table.partition.fields": "p", **properties}
    rows = pa.table({"p": [""], "v": [1]})
    path = write_plain_table(tmp_path / "t", {f"{folder}/0": rows}, properties=entries)
    for predicate in ("p IS NULL", "p = 'x'"):
        report = explain(TableSnapshot.open(path), predicate)
        assert skipped(report) == [""]
        assert report.page_level.rows_left == 1
        assert skipped(explain(TableSnapshot.open(path), predicate, source="index")) == [""]
        assert queries_fit(TableSnapshot.open(path), [predicate]).share_read == 1.0
    assert skipped(explain(TableSnapshot.open(path), "p = 'x' AND v = 2")) == ["file"]


@pytest.mark.parametrize("generator", ["TIMESTAMP", "CUSTOM"])
@pytest.mark.parametrize("kind", [pa.int64(), pa.timestamp("us", "UTC"), pa.date32()])
def test_a_formatted_time_is_asked_for_as_its_folder_has_it(
    tmp_path: Path, kind: pa.DataType, generator: str
) -> None:
    """Spark has the column as texts then, whatever files hold."""
    entries = {
        "hoodie.table.partition.fields": "p",
        "hoodie.table.keygenerator.type": generator,
    }
    rows = pa.table({"p": pa.nulls(1, kind), "v": [1]})
    path = write_plain_table(tmp_path / "t", {"2026/x/02/0": rows}, properties=entries)
    snapshot = TableSnapshot.open(path)
    for predicate in ("p = '2026/x/02'", "p >= '2026/x'", "p IN ('2026/x/01', '2026/x/02')"):
        report = explain(snapshot, predicate)
        assert skipped(report) == [""]
        assert [text for text, _ in report.unusable] == [predicate]
        assert skipped(explain(snapshot, f"{predicate} AND v = 2")) == ["file"]
        assert queries_for_plan(snapshot, [f"{predicate} AND v = 2"], None, None).columns == ("v",)


@pytest.mark.parametrize("source", ["footers", "index"])
@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("p = 'a'", ["", "partition"]),
        ("p IS NOT NULL", ["", ""]),
        ("p IS NULL", ["partition", "partition"]),
        ("p = 'a' AND v = 2", ["file", "partition"]),
        ("p = 'b' OR v = 1", ["", ""]),
        ("p = 'b' OR v = 3", ["file", ""]),
    ],
)
def test_a_partition_column_that_files_hold_without_values(
    tmp_path: Path, predicate: str, expected: list[str], source: OneSource
) -> None:
    """As Hudi's bulk insert leaves it where it is to store no partition columns."""
    files = {
        f"p={folder}/0": pa.table({"v": [number], "p": pa.array([None], pa.string())})
        for number, folder in enumerate("ab", start=1)
    }
    path = write_plain_table(tmp_path / "t", files, properties=UNSTORED)
    report = explain(TableSnapshot.open(path), predicate, source=source)
    assert skipped(report) == expected
    read = queries_fit(TableSnapshot.open(path), [predicate]).share_read
    assert read == expected.count("") / len(expected)


def test_a_partition_column_that_files_do_not_hold(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"day=1/0": numbers(0)}, "day = 2 AND i = 500", BY_DAY)
    assert dict(report.unusable).keys() == {"day = 2"}
    assert skipped(report) == ["file"]


def test_partition_values_have_the_column_s_type(tmp_path: Path) -> None:
    entries = {**SIMPLE, "hoodie.table.partition.fields": "d,n"}
    rows = pa.table({"d": [dt.date(2026, 1, 2)], "n": [9]})
    table = write_plain_table(tmp_path / "t", {"2026-01-02/9/0": rows}, properties=entries)
    snapshot = TableSnapshot.open(table)
    assert skipped(explain(snapshot, "d > '2026-01-02'")) == ["partition"]
    assert skipped(explain(snapshot, "n > 10")) == ["partition"]
    assert skipped(explain(snapshot, "n > 8 AND d = '2026-01-02'")) == [""]


def test_share_beside_a_grid(tmp_path: Path) -> None:
    files = [
        pa.table(
            {
                "a": [10 * x + n % 10 for n in range(100)],
                "b": [10 * y + n // 10 for n in range(100)],
            }
        )
        for x in range(4)
        for y in range(4)
    ]
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    both = explain(snapshot, "a = 5 AND b = 5")
    assert both.share_read == 1 / 16
    assert both.independent_share == pytest.approx((0.25 + 1 / 40) ** 2, rel=0.5)
    assert both.laid_out_by == ("a", "b")
    assert both.score is not None
    assert both.score < 1.1
    everything = explain(snapshot, "a >= 0")
    assert (everything.share_read, everything.independent_share) == (1.0, 1.0)
    assert explain(snapshot, "rand() < 1").independent_share is None


def test_a_long_list_is_looked_at_once_for_each_number_of_files_in_a_partition(
    tmp_path: Path,
) -> None:
    hashed = []

    class Point(int):
        def __hash__(self) -> int:
            hashed.append(self)
            return int(self)

    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", [numbers(0)]))
    bound = bind_predicate(snapshot, "i IN (1, 3)", None)
    [test] = bound.conjunctions()[0]
    intervals = within((Point(n), Point(n)) for n in (1, 3))
    bound = replace(bound, _root=replace(test, intervals=intervals))
    parts = [(4.0, 9)] * 1_000 + [(2.0, 16)] * 500 + [(6.0, 0)]
    share = independent_share_of_parts(bound, parts, ["i"], lambda _: 0.25)
    expected = 4_000 * (0.25 + 2 / 9) + 1_000 * (0.25 + 2 / 16)
    assert share == pytest.approx(expected / 5_006)
    assert len(hashed) < 100


def test_an_empty_table_reads_nothing(tmp_path: Path) -> None:
    empty = numbers(0).slice(0, 0)
    report = report_of(tmp_path, [empty], "i = 5")
    assert report.share_read in (0.0, 1.0)
    assert report.page_level.rows_left == 0


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_last_page_has_the_last_row_and_dictionaries_tell_of_any_page(
    tmp_path: Path, version: str
) -> None:
    options = {"write_page_index": True, "data_page_version": version}
    path = write_plain_table(tmp_path / "t", [pa.table({"v": [1]})], **options)
    found = explain(TableSnapshot.open(path), "v = 1").impala
    assert (found["NumPages"], found["NumStatsFilteredPages"]) == (1, 0)
    path = write_plain_table(tmp_path / "d", [pa.table({"v": [1, 3] * 50})], **options)
    assert explain(TableSnapshot.open(path), "v = 2").impala["NumDictFilteredRowGroups"] == 1
