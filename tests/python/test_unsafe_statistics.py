"""Statistics by which Hudi loses rows: a clustering warns of them, refuses, or leaves them out."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_zorder.cli import app
from hudi_zorder.cli.application import show_warning
from hudi_zorder.clustering.statistics_guard import StatisticsGuard, unskipped
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import base_file, write_enum_table, write_plain_table

LIST = "hoodie.metadata.index.column.stats.column.list"
STATS = "hoodie.metadata.index.column.stats.enable"
BY_P = {
    "bulkinsert__sort__mode": "NONE",
    "datasource__write__partitionpath__field": "p",
    "datasource__write__hive_style_partitioning": "true",
}
ROWS = (
    "id",
    "id DIV 100 AS p",
    "int(id) AS a",
    "int(id) AS b",
    "CASE id WHEN 150 THEN double('NaN') ELSE double(id) END AS d",
    "if(id = 150, repeat('x', 5000), concat('v', lpad(id, 3, 0))) AS t",
)

Make = Callable[..., hz.ZOrderTable]


@pytest.fixture
def make(spark: SparkSession, tmp_path: Path, made_once: Callable[..., str]) -> Make:
    """Makes a table of ids 0 to 299, a hundred in each of three partitions, of some columns."""

    def table(*columns: str, **options: str) -> hz.ZOrderTable:
        def make_it(path: Path) -> None:
            rows = spark.range(300).selectExpr(*ROWS).select("id", "p", *columns)
            write(rows.coalesce(1), path, **BY_P, **options)

        name = "_".join([*columns, *(value for value in options.values())])
        return hz.ZOrderTable(spark, made_once(tmp_path / name, make_it))

    return table


def counts(table: hz.ZOrderTable, predicate: str) -> tuple[int, int]:
    """Returns the rows that Spark finds with data skipping, and without."""
    reader = table.spark.read.format("hudi").option("hoodie.metadata.enable", "true")
    found = (
        reader.option("hoodie.enable.data.skipping", skipping).load(table.path).where(predicate)
        for skipping in ("true", "false")
    )
    with_skipping, without = (frame.count() for frame in found)
    return with_skipping, without


def faults(found: Any) -> list[tuple[str, str, int]]:
    return [(part.column, part.fault, part.files) for part in found.unsafe_statistics]


@pytest.mark.slow
def test_a_nan_is_warned_of_and_hudi_loses_rows_by_it(make: Make) -> None:
    table = make("a", "d")
    with pytest.warns(hz.UnsafeStatisticsWarning, match=r"'d' lose.*NaN.*hudi#18754.*in 1 file;"):
        result = table.cluster(["a"])
    assert faults(result) == [("d", "nan", 1)]
    assert "statistics of 'd' lose rows" in " ".join(str(result).split())
    assert json.loads(json.dumps(result.to_dict()))["unsafe_statistics"][0]["column"] == "d"
    assert counts(table, "d > 10") == (189, 289)
    [shown] = table.explain("d > 10").unsafe_statistics
    assert (shown.column, shown.fault, shown.files) == ("d", "nan", 1)
    assert table.explain("a > 10").unsafe_statistics == ()
    # An older Hudi notes nowhere which columns its index has.
    properties = Path(table.path, ".hoodie/hoodie.properties")
    noted = "hoodie.table.index.defs.path"
    properties.write_text(properties.read_text().replace(noted, f"no.{noted}"))
    assert hz.open_table(table.path).explain("d > 10").unsafe_statistics == (shown,)


@pytest.mark.parametrize(
    ("column", "fault"), quick_first([("d", "a NaN"), ("t", "values too long")])
)
def test_refusing_names_column_reason_and_remedy_and_writes_nothing(
    make: Make, column: str, fault: str
) -> None:
    table = make("a", column)
    timeline = sorted(Path(table.path, ".hoodie").rglob("*"))
    for refused in (table.cluster, table.schedule, table.plan):
        with pytest.raises(hz.UnsafeStatisticsError) as caught:
            refused(["a"], unsafe_statistics="refuse")
        message = str(caught.value)
        assert f"Cannot cluster: statistics of '{column}' lose rows of queries: " in message
        assert fault in message
        assert "leave it out of the index (unsafe_statistics='leave-out')" in message
    assert sorted(Path(table.path, ".hoodie").rglob("*")) == timeline
    assert hz.UnsafeStatisticsError.exit_code == 3
    assert faults(table.plan(["a"])) == [(column, "nan" if column == "d" else "long_values", 1)]


def test_what_a_z_column_is_made_of_needs_no_statistics(
    spark: SparkSession, tmp_path: Path
) -> None:
    options = hz.ZOrderOptions(columns=["a", "d"], z_column="_z")
    rows = spark.range(300).selectExpr(*ROWS).select("id", "a", "d")
    path = write(rows.coalesce(1), tmp_path / "t", **as_keywords(options.writer()))
    table = hz.ZOrderTable(spark, path)
    plan = table.plan(options=options, unsafe_statistics="leave-out")
    assert plan.columns == ("_z",)
    assert faults(plan) == [("d", "nan", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("column", "rows"), [("d", 289), ("t", 300)])
def test_what_is_left_out_loses_no_rows(make: Make, column: str, rows: int) -> None:
    table = make("a", column)
    predicate = {"d": "d > 10", "t": "t > 'v0'"}[column]
    assert counts(table, predicate)[0] < rows
    result = table.cluster(["a"], where="p > 0", unsafe_statistics="leave-out")
    assert (result.files_left, result.unsafe_statistics) == (1, ())
    assert any(f"'{column}' gets no statistics" in note for note in result.notes)
    assert any(f"let every writer set '{LIST}' = 'id,p,a'" in note for note in result.notes)
    for asked in (predicate, f"{predicate} AND a >= 0"):
        assert counts(table, asked) == (rows, rows)
    assert table.explain(predicate).unsafe_statistics == ()


@pytest.mark.slow
def test_a_writer_without_the_list_loses_rows_and_the_next_clustering_leaves_out_again(
    spark: SparkSession, make: Make
) -> None:
    table = make("a", "d")
    table.cluster(["a"], unsafe_statistics="leave-out")
    more = spark.range(300, 400).selectExpr("id", "id DIV 100 AS p", "int(id) a", "double(id) d")
    write(more, table.path, **BY_P)
    assert counts(table, "d > 10 AND a >= 0") == (100, 389)
    write(
        spark.range(400, 500).selectExpr("id", "id DIV 100 AS p", "int(id) a", "double(id) d"),
        table.path,
        **BY_P,
        metadata__index__column__stats__column__list="id,p,a",
    )
    assert counts(table, "d > 10 AND a >= 0") == (489, 489)
    result = table.cluster(["a"], unsafe_statistics="leave-out")
    assert result.files_left == 3
    assert counts(table, "d > 10 AND a >= 0") == (489, 489)


def test_a_sort_column_cannot_be_left_out(make: Make) -> None:
    table = make("a", "d")
    with pytest.raises(hz.UnsafeStatisticsError, match="a sort column always has statistics"):
        table.cluster(["d"], unsafe_statistics="leave-out")
    assert (table.pending(), table.history()) == ([], [])


@pytest.mark.slow
def test_what_is_left_out_of_an_older_table_would_be_asked_for_still(make: Make) -> None:
    table = make("a", "d", write__table__version="8", write__auto__upgrade="false")
    with pytest.raises(hz.UnsafeStatisticsError, match="tables before version 9 ask the index"):
        table.cluster(["a"], unsafe_statistics="leave-out")


@pytest.mark.slow
def test_a_long_value_that_hid_between_others_is_told_afterwards(
    spark: SparkSession, tmp_path: Path
) -> None:
    rows = spark.range(300).selectExpr(
        "id", "if(id = 150, repeat('n', 5000), concat(if(id % 2 = 0, 'a', 'z'), id)) AS t"
    )
    table = hz.ZOrderTable(spark, write(rows.coalesce(1), tmp_path / "t"))
    assert faults(table.plan(["t"])) == []
    result = table.cluster(["t"], target_file_size="4KB")
    assert faults(result) == [("t", "long_values", 1)]


@pytest.mark.slow
def test_a_column_that_the_index_has_and_new_files_would_lack_is_unsafe(make: Make) -> None:
    table = make("a", "b")
    asked = "a < 250 AND b < 250"
    short: Any = {"columns": ["a"], "where": "p > 0", "stats_columns": ["a", "p", "id"]}
    with pytest.raises(hz.UnsafeStatisticsError, match=r"'b' lose .*2 files rewritten would have"):
        table.cluster(**short, unsafe_statistics="refuse")
    with pytest.warns(hz.UnsafeStatisticsWarning, match=r"'b' lose .*name it among"):
        assert faults(table.cluster(**short)) == [("b", "some_files", 2)]
    assert counts(table, asked) == (100, 250)
    table.cluster(**{**short, "mode": "full"}, unsafe_statistics="leave-out")
    assert counts(table, asked) == counts(table, "b < 250") == (250, 250)


@pytest.mark.slow
def test_a_column_is_new_to_the_index_in_all_partitions_or_in_none(make: Make) -> None:
    """Hudi would show none of the partitions of which its index has nothing (HUDI-8836)."""
    table = make("a", "b", metadata__index__column__stats__column__list="a")
    result = table.cluster(["b"], where="p = 0", unsafe_statistics="refuse")
    assert "Hudi's index has nothing of b, and gets nothing of it" in " ".join(result.notes)
    assert faults(result) == []
    for asked in ("b < 250", "a < 250 AND b < 250", "id < 250"):
        assert counts(table, asked) == (250, 250)

    named: Any = {"columns": ["b"], "where": "p = 1", "stats_columns": ["a", "b"]}
    with pytest.raises(hz.UnsafeStatisticsError, match=r"'b' lose .*all other partitions"):
        table.cluster(**named, unsafe_statistics="refuse")
    table.cluster(**named, unsafe_statistics="leave-out")
    assert counts(table, "b < 250") == (250, 250)
    with pytest.warns(hz.UnsafeStatisticsWarning, match="with mode='full'"):
        assert faults(table.cluster(**{**named, "where": "p = 2"})) == [("b", "some_partitions", 1)]
    assert counts(table, "b < 250") == (50, 250)

    result = table.cluster(["b"], mode="full", unsafe_statistics="refuse")
    assert faults(result) == []
    assert table.explain("b < 100", source="index").kept
    for asked in ("b < 250", "a < 250 AND b < 250"):
        assert counts(table, asked) == (250, 250)


@pytest.mark.slow
def test_a_partition_whose_other_files_lack_a_column_is_not_taken_for_the_new_file_s(
    spark: SparkSession, make: Make
) -> None:
    table = make("a", "b", metadata__index__column__stats__column__list="a")
    table.cluster(["a"])
    later = spark.range(1000, 1010).selectExpr("id", "id DIV 1000 AS p", "int(id) a", "int(id) b")
    write(
        later,
        table.path,
        **BY_P,
        datasource__write__operation="bulk_insert",
        metadata__index__column__stats__column__list="a",
    )
    result = table.cluster(["b"], max_bytes_per_plan="500KB", where="p = 1")
    assert result.instant
    assert result.files_left
    assert counts(table, "b < 250") == (250, 250)


@pytest.mark.slow
def test_a_first_index_is_made_of_all_files_which_are_looked_at(make: Make) -> None:
    table = make("a", "d", metadata__index__column__stats__enable="false")
    assert table.explain("d > 10").unsafe_statistics == ()
    with pytest.raises(hz.UnsafeStatisticsError, match="'d' lose"):
        table.cluster(["a"], where="p = 0", unsafe_statistics="refuse")
    without = table.cluster(["a"], where="p = 0", hudi_options={STATS: False})
    assert without.unsafe_statistics == ()
    assert counts(table, "d > 10") == (289, 289)
    with pytest.warns(hz.UnsafeStatisticsWarning, match="'d' lose"):
        table.cluster(["a"], where="p = 2")
    assert counts(table, "d > 10") == (189, 289)


@pytest.mark.slow
def test_a_plan_is_warned_of_and_what_it_leaves_out_is_for_its_executor(make: Make) -> None:
    table = make("a", "d")
    with pytest.raises(hz.OptionError, match="a plan does not say what has statistics"):
        table.schedule(["a"], unsafe_statistics="leave-out")
    with pytest.raises(hz.OptionError, match=r"'unsafe_statistics' was 'leave'; did you mean"):
        table.cluster(["a"], unsafe_statistics="leave")
    with pytest.warns(hz.UnsafeStatisticsWarning, match="'d' lose"):
        instant = table.schedule(["a"])
    assert instant is not None
    with pytest.raises(hz.UnsafeStatisticsError, match="The plan is still pending"):
        table.execute(instant, unsafe_statistics="refuse")
    assert table.execute(instant, unsafe_statistics="leave-out").unsafe_statistics == ()
    assert counts(table, "d > 10") == (289, 289)


@pytest.mark.slow
def test_the_command_line_says_it_once(
    spark: SparkSession, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    monkeypatch.setattr(sys, "argv", ["hudi-zorder"])
    table = make("a", "d")

    def run(*arguments: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            monkeypatch.setattr(warnings, "showwarning", show_warning)
            return CliRunner().invoke(app, [*arguments])

    assert "Beware: statistics of 'd' lose rows" in run("plan", table.path, "-c", "a").stdout
    refused = run("cluster", table.path, "-c", "a", "--unsafe-statistics", "refuse")
    assert refused.exit_code == 3
    assert refused.stderr.startswith("Error: Cannot cluster: statistics of 'd' lose rows")
    done = run("cluster", table.path, "-c", "a", "--output", "json")
    assert done.exit_code == 0, done.output
    assert done.stderr.count("Warning: ") == done.stderr.count("statistics of 'd' lose rows") == 1
    assert json.loads(done.stdout)["unsafe_statistics"][0]["fault"] == "nan"
    left = run(
        "cluster", table.path, "-c", "a", "--mode", "full", "--unsafe-statistics", "leave-out"
    )
    assert (left.exit_code, "lose rows" in left.stderr) == (0, False)


def test_nothing_is_said_of_files_whose_writer_is_not_known(tmp_path: Path) -> None:
    rows = pa.table({"d": [1.0, float("nan")], "t": ["x" * 5000, "y"]})
    indexed = {"hoodie.table.metadata.partitions": "column_stats,files"}
    path = write_plain_table(tmp_path / "t", [rows], properties=indexed, write_statistics=False)
    assert hz.open_table(path).explain("d > 1 AND t > 'a'").unsafe_statistics == ()


@pytest.mark.parametrize(
    ("rewritten", "version", "told"),
    [
        ([], "9", []),
        (["f0-0"], "9", [("c", "some_files", 1), ("b", "some_partitions", 1)]),
        (["f0-0", "f1-0"], "9", [("c", "some_files", 2)]),
        (["f0-0"], "8", [("b", "some_partitions", 1)]),  # queries ask for what they are about
    ],
)
def test_statistics_of_some_files_alone_are_foreseen(
    tmp_path: Path, rewritten: list[str], version: str, told: list[tuple[str, str, int]]
) -> None:
    properties = {
        "hoodie.table.version": version,
        "hoodie.table.metadata.partitions": "column_stats,partition_stats",
        "hoodie.table.index.defs.path": ".hoodie/.index_defs/index.json",
    }
    rows = pa.table({"a": [1], "b": [2], "c": [3]})
    path = write_plain_table(tmp_path / "t", [rows, rows], properties=properties)
    indexes = {"indexDefinitions": {"column_stats": {"sourceFields": ["a", "c"]}}}
    (path / ".hoodie/.index_defs").mkdir()
    (path / ".hoodie/.index_defs/index.json").write_text(json.dumps(indexes))
    guard = StatisticsGuard(TableSnapshot.open(path), ["a"], ["a", "b"])
    found = guard.unsafe([("", file_id) for file_id in rewritten])
    assert [(part.column, part.fault, part.files) for part in found] == told
    assert [bool(part.kept_by) for part in found] == [False] * len(told)


INDEXED = {"hoodie.table.metadata.partitions": "column_stats,partition_stats"}
BANG, SMILE = "\uff01", "\U0001f600"  # U+FF01 is the greater of the two in UTF-16 alone


@pytest.mark.parametrize(
    ("files", "properties", "missed"),
    [
        ({"p=1/0": [SMILE], "p=1/1": [BANG]}, {}, 2),
        ({"p=1/0": [SMILE], "p=1/1": [BANG, f"{SMILE}b"]}, {}, 2),
        ({"p=1/0": [SMILE], "p=2/1": [BANG]}, {}, 0),
        ({"p=1/0": [SMILE], "p=1/1": ["a", "z"]}, {}, 0),
        ({"p=1/0": ["a"], "p=1/1": [BANG]}, {}, 0),
        ({"p=1/0": [SMILE], "p=1/1": [BANG]}, {"hoodie.table.metadata.partitions": "files"}, 2),
        ({"p=1/0": [SMILE], "p=1/1": [BANG]}, {"hoodie.table.partition.fields": ""}, 0),
        (
            {"p=1/0": [SMILE], "p=1/1": [BANG]},
            {"hoodie.table.metadata.partitions": "column_stats"},
            0,
        ),
        ({"0": [SMILE, BANG]}, {"hoodie.table.partition.fields": ""}, 1),
    ],
)
def test_texts_that_utf_16_has_in_another_order_are_found_in_footers(
    tmp_path: Path, files: dict[str, list[str]], properties: dict[str, str], missed: int
) -> None:
    tables = {
        place: pa.table({"s": texts, "a": [1] * len(texts)}) for place, texts in files.items()
    }
    entries = {"hoodie.table.partition.fields": "p", **INDEXED, **properties}
    path = write_plain_table(tmp_path / "t", tables, properties=entries, row_group_size=1)
    guard = StatisticsGuard(TableSnapshot.open(path), ["a"], ["a", "s"])
    groups = [(part.partition, part.file_id) for part in guard.snapshot.slices]
    expected = [("s", "text_order", missed)] if missed else []
    assert [(part.column, part.fault, part.files) for part in guard.unsafe(groups)] == expected


@pytest.mark.parametrize(
    ("fields", "version", "told", "note"),
    [
        ("p", "9", [("x", "bytes", 1)], ""),
        ("", "9", [], "Hudi cannot read its statistics of bytes, as of 'x': a query that names it"),
        ("p", "8", [], ""),
    ],
)
def test_of_bytes_that_are_sorted_by_it_is_told_what_queries_make(
    tmp_path: Path, fields: str, version: str, told: list[tuple[str, str, int]], note: str
) -> None:
    rows = {"p=1/0" if fields else "0": pa.table({"x": [b"1"], "y": [b"2"]})}
    properties = {
        "hoodie.table.partition.fields": fields,
        "hoodie.table.version": version,
        **INDEXED,
    }
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", rows, properties=properties))
    [part] = snapshot.slices
    found = StatisticsGuard(snapshot, ["x"], ["x", "y"]).unsafe([(part.partition, part.file_id)])
    assert [(part.column, part.fault, part.files) for part in found] == told
    assert all(str(part).startswith("statistics of 'x' fail queries: Hudi") for part in found)
    assert [text[: len(note)] for text in unskipped(snapshot, ["x"])] == [note] * bool(note)


def test_of_a_field_of_a_struct_that_is_sorted_by_it_is_told_that_it_skips_nothing(
    tmp_path: Path,
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "st": [{"b": 2}]})])
    [note] = unskipped(TableSnapshot.open(path), ["a", "st.b"])
    assert note.startswith("Hudi skips no file by 'st.b', a field of a struct (hudi#5804); ")


@pytest.mark.parametrize("written_by", ["avro", "spark"])
def test_of_an_enum_is_told_that_it_skips_nothing_and_no_query_fails(
    tmp_path: Path, written_by: str
) -> None:
    properties = {"hoodie.table.partition.fields": "p", **INDEXED}
    path = write_enum_table(tmp_path / "t", {"p=1/0": "BLUE"}, properties=properties)
    if written_by == "spark":
        pq.write_table(pa.table({"color": ["BLUE"]}), path / base_file("p=1/0"))
    snapshot = TableSnapshot.open(path)
    [part] = snapshot.slices
    guard = StatisticsGuard(snapshot, ["color"], ["color"])
    assert guard.unsafe([(part.partition, part.file_id)]) == ()
    [note] = unskipped(snapshot, ["color"])
    assert note.startswith("Hudi skips no file by 'color', an enum in the table's schema, and ")
    assert note in explain(snapshot, "color = 'RED'").notes
