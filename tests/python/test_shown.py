"""Results at home in a terminal, a notebook, Arrow and pandas."""

from __future__ import annotations

import dataclasses
import datetime as dt
import html
import io
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from IPython.lib.pretty import pretty

import hudi_zorder as hz
from hudi_zorder.cli.printing import print_parts, print_stats
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.records import Tabular
from hudi_zorder.screen import console
from hudi_zorder.skipping.explain import explain
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.column_stats import column_stats
from hudi_zorder.stats.stats_table import totals
from hudi_zorder.texts import Shown, show
from plain_table import write_plain_table

PREDICATE = "a = 5 AND upper(b) = '<b>[/b]&:100:'"  # HTML, rich's markup and its pictures
INSTANT = "20261121112758640"
FILE = "41d915f9-18f2-492a-b278-a27eac15e75f-0_1-16-18_20261121143257045.parquet"


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    files = [pa.table({"a": range(n * 10, n * 10 + 10), "b": ["x"] * 10}) for n in range(4)]
    path = write_plain_table(tmp_path_factory.mktemp("shown") / "t", files)
    snapshot = TableSnapshot.open(path)
    read = hz.ForecastRead(kind="column", text="a", now=1.0, after=0.2, independent_share=0.1)
    layout = hz.LayoutForecast(layout="tree", files=4, reads=(read,), mean=0.2)
    results = [
        explain(snapshot, PREDICATE),
        clustering_information(snapshot, ["a", "b"]),
        hz.ClusteringPlan(
            table=str(path), columns=("a",), mode="full", groups=1, partitions=(_planned(),)
        ),
        hz.PastClusterings([_past()]),
        hz.PendingClusterings([_pending()]),
        hz.Forecast(
            table=str(path),
            columns=("a",),
            partitions=("",),
            files=4,
            rows=40,
            bytes=4000,
            seconds=1.0,
            warm_seconds=4.0,
            seconds_from="default",
            sampled_rows=40,
            layouts=(layout,),
            choice="tree",
            command="hudi-zorder cluster",
            call="table.cluster()",
        ),
        hz.Recommendation(
            table=str(path),
            files=4,
            sampled_rows=40,
            share_now=1.0,
            share_after=0.5,
            opened_after=2.0,
            columns=("a",),
            candidates=(hz.Candidate(columns=("a",), column_weights={"a": 2.0}, share=0.5),),
            queries=(hz.QueryRead(query=PREDICATE, weight=1.0, now=1.0, after=0.5),),
            advice=("one",),
            command="hudi-zorder cluster",
            call="table.cluster()",
            partitionings=(_partitioning(),),
        ),
        hz.Queries(queries=(_logged(),), left_out=(_left_out(),), notes=("one is cut",)),
        _queries_fit(),
        _clustered(),
        _repaired(),
        _failed_audit(),
        _failed_verification(),
    ]
    return {type(result).__name__: result for result in results}


SHOWN = [
    name
    for name in hz.__all__
    if isinstance(kind := getattr(hz, name), type) and issubclass(kind, Shown)
]
TABLES = [name for name in SHOWN if issubclass(getattr(hz, name), Tabular)]


@pytest.mark.parametrize("name", SHOWN)
def test_it_prints_within_80_columns_and_says_the_same_in_a_notebook(
    shown: dict[str, Any], name: str
) -> None:
    text, page = str(shown[name]), shown[name]._repr_html_()
    copied = ("hudi-zorder cluster", str(getattr(shown[name], "table", INSTANT)), FILE)
    long = [line for line in text.splitlines() if len(line) > 80]
    assert [line for line in long if not any(part in line for part in copied)] == []
    told = html.unescape(re.sub("<[^>]+>", "", page))
    assert told.split() == text.split()


@pytest.mark.parametrize("name", SHOWN)
def test_a_plain_shell_shows_one_line_however_much_there_is(
    shown: dict[str, Any], name: str
) -> None:
    one = shown[name]
    line = repr(one)
    assert line.startswith(f"<{name} ")
    assert ("=" in line) == dataclasses.is_dataclass(one)
    assert len(line) < 400
    assert "\n" not in line
    assert f"table={getattr(one, 'table', None)!r}" in line or not hasattr(one, "table")


@pytest.mark.parametrize("name", SHOWN)
def test_a_shell_of_ipython_shows_all_of_it(shown: dict[str, Any], name: str) -> None:
    assert pretty(shown[name]) == str(shown[name])


def test_what_a_report_has_many_of_is_counted(shown: dict[str, Any]) -> None:
    report = shown["SkippingReport"]
    assert " files=4 " in repr(report)
    assert len(repr(replace(report, files=report.files * 1000))) == len(repr(report)) + 3
    assert repr(shown["PastClusterings"]) == "<PastClusterings of 1>"


# What else they may say, each longer than a line.
FINDINGS: dict[str, Callable[[], Shown]] = {
    "a query that fails": lambda: replace(_failed_audit(), error="a reason. " * 20),
    "values that differ": lambda: replace(_failed_audit(), rows_with_skipping=10**9),
    "more rows": lambda: replace(_failed_audit(), rows_with_skipping=10**12),
    "a sound audit": lambda: replace(
        _failed_audit(),
        rows_with_skipping=10**9,
        same_contents=True,
        wrongly_skipped=(),
        different_files=(),
        faults=(),
    ),
    "no proof of rows": lambda: replace(_failed_verification(), cleaned=(FILE,) * 10**4),
    "no proof of files": lambda: replace(_failed_verification(), archived=True),
    "lost rows": lambda: replace(_failed_verification(), lost=(FILE,) * 10**4),
    "all verified": lambda: replace(
        _failed_verification(), same_rows=True, wrong_statistics={}, wrong_keys=0
    ),
    "no index": lambda: replace(
        _failed_verification(), wrong_statistics=None, keys=None, wrong_keys=0
    ),
    "what a repair would do": lambda: replace(_repaired(), dry_run=True),
    "nothing to repair": lambda: hz.Repair(
        table="t", dry_run=False, plans=(), last_looks=(), leftovers=(), pending=()
    ),
}


@pytest.mark.parametrize("finding", FINDINGS)
def test_whatever_was_found_prints_within_80_columns(finding: str) -> None:
    long = [line for line in str(FINDINGS[finding]()).splitlines() if len(line) > 80]
    assert [line for line in long if FILE not in line] == []


LONG = tuple(f"a_column_of_{word}_name" for word in ("some", "another", "one_more"))
WORDS = {
    "PastClusterings": {INSTANT, "ZORDER", "full", "files", "40", "4.9", "3.9", "min", *LONG},
    "PendingClusterings": {INSTANT, "inflight", "5", "min", "1", "3.9", "KB", *LONG},
}


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("kind", WORDS)
def test_no_word_of_a_clustering_is_cut_and_none_is_missing(
    shown: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    (one,) = shown[kind]
    show(console(), getattr(hz, kind)([replace(one, columns=LONG)]).parts())
    words = re.split(r"[\s,:]+", capsys.readouterr().out)
    assert WORDS[kind] - set(words) == set()
    assert not [word for word in words if word.endswith("…")]


@pytest.mark.parametrize("width", [40, 60, 120])
@pytest.mark.parametrize("name", SHOWN)
def test_it_is_as_wide_as_the_terminal_and_cuts_no_word(
    shown: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    one = shown[name]
    print_parts(one.parts())
    printed = capsys.readouterr().out
    copied = ("hudi-zorder ", "table.cluster(", ".parquet", FILE.split("_")[0])
    copied += (str(getattr(one, "table", FILE)),)
    long = [line for line in printed.splitlines() if len(line) > width]
    assert [line for line in long if not any(part in line for part in copied)] == []
    if name == "ClusteringResult":
        return  # which shortens long names
    assert "…" not in printed
    word = r"\w+(?:[.,]\w+)*"
    names = {
        "column",
        "partition",
        "instant",
        "predicate",
        "equality",
        "on",
        "partitioned",
        "above",
    }
    words = {found for found in re.findall(word, str(one)) if len(found) < 12}
    assert words - names - set(re.findall(word, printed)) == set()


@pytest.mark.parametrize("name", SHOWN)
def test_a_terminal_without_rules_gets_ascii(
    shown: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.TextIOWrapper(io.BytesIO(), encoding="latin-1", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", terminal)
    print_parts(shown[name].parts())
    terminal.flush()
    assert "\\u" not in terminal.buffer.getvalue().decode()


ESCAPED = "\x1b[2J\x1b]0;title\x07\x9b1m\r\nb"


def test_no_value_is_a_command_to_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    rows = pa.table({"a": [ESCAPED] * 3, "p": ["x"] * 3})
    path = write_plain_table(tmp_path / "t", [rows] * 2)
    snapshot = TableSnapshot.open(path)
    report = explain(snapshot, "a < 'x' AND upper(a) < '\x1bx'")
    print_parts(report.parts(all_files=True))
    files = column_stats(snapshot, ["a"], "footers")
    print_stats(files, totals(files), per_file=True)
    printed = capsys.readouterr().out
    for text in (printed, str(report), report._repr_html_()):
        assert re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text) == []
    assert printed.count(r"\x1b[2J\x1b]0;title\x07\x9b1m\r\nb") == 6  # why, and what


def test_a_value_is_neither_markup_nor_a_picture(shown: dict[str, Any]) -> None:
    for name in ("SkippingReport", "Recommendation", "Queries"):
        assert PREDICATE in str(shown[name]), name
        assert "&lt;b&gt;[/b]&amp;:100:" in shown[name]._repr_html_(), name


def test_what_lists_things_is_a_table() -> None:
    assert {"Audit", "PastClusterings", "QueriesFit", "Repair", "SkippingReport"} <= set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_parquet_duckdb_and_pandas_take_its_rows(
    shown: dict[str, Any], name: str, tmp_path: Path
) -> None:
    rows = shown[name].to_arrow()
    assert rows.num_rows >= 1
    pq.write_table(rows, tmp_path / "rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet").equals(rows)
    assert duckdb.sql("SELECT count(*) FROM rows").fetchall() == [(rows.num_rows,)]
    assert list(shown[name].to_pandas().columns) == rows.column_names


def test_no_clusterings_are_a_table_without_rows() -> None:
    for none in (hz.PastClusterings(), hz.PendingClusterings()):
        assert none == []
        assert none.to_arrow().num_rows == 0
        assert str(none).startswith("No clustering is")


def test_without_pandas_arrow_is_the_way(
    shown: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(hz.HudiZOrderError, match=r"pip install pandas, or call to_arrow\(\)"):
        shown["PastClusterings"].to_pandas()


def _queries_fit() -> hz.QueriesFit:
    worst = hz.QueryFit(query=PREDICATE, weight=1.0, share_read=0.9, share_least=0.1)
    return hz.QueriesFit(
        queries=1,
        weight=1.0,
        share_read=0.9,
        share_least=0.1,
        known_queries=0,
        known_share_read=None,
        known_share_least=None,
        share_expected=0.2,
        fits=False,
        gain_per_byte=0.8,
        sampled_rows=40,
        worst=(worst,),
        advice="hudi-zorder cluster",
        notes=("what was left out, and why it was. " * 5,),
    )


def _clustered() -> hz.ClusteringResult:
    return hz.ClusteringResult(
        table="/lake/" + "orders/" * 12,
        instant=INSTANT,
        columns=tuple(f"a_column_of_a_long_name_{n}" for n in range(8)),
        partitions=("day=1",),
        groups=1_000,
        taken={"new": 10**6, "other_layout": 10**6, "updated": 10**6, "small": 10**6},
        files_left=10**6,
        bytes_left=10**15,
        left_alone={"laid_out": 10**6, "pending_clustering": 10**6, "being_written": 10**6},
        share_now=0.5,
        share_after=0.1,
        share_as_one=0.01,
        seconds={"total": 10**5},
        notes=("what the user should know of " * 5,),
    )


def _repaired() -> hz.Repair:
    plan = hz.RepairedPlan(
        instant=INSTANT,
        state="committed",
        columns=("a",),
        standing=f"write {INSTANT}, which was committed since it was planned, wrote to {FILE}",
    )
    return hz.Repair(
        table="/lake/orders",
        dry_run=False,
        plans=(plan,),
        last_looks=(INSTANT, "20261121112758641"),
        leftovers=(INSTANT,) * 3,
        pending=(INSTANT,),
    )


def _failed_audit() -> hz.Audit:
    remedy = "write \"s >= 'b' AND s < 'c'\", or read with 'hoodie.enable.data.skipping' = 'false'"
    return hz.Audit(
        matching_rows=10**9,
        tested_rows=10**12,
        untested_rows=10**12,
        wrongly_skipped=(hz.WronglySkipped(FILE, "day=1", "row group", 12, 10**6, 10**7, 10**6),),
        rows_with_skipping=0,
        files_with_skipping=10**6,
        files=10**6,
        same_contents=False,
        different_files=(hz.DifferentFile(FILE, "day=1", 0, 10**9, "hudi#18791"),),
        faults=(hz.Fault("hudi#18791", "a cause of several words, " * 5, remedy),),
        notes=("what could not be tested, as no reader has it. " * 3,),
    )


def _failed_verification() -> hz.Verification:
    return hz.Verification(
        table="/lake/orders",
        instant=INSTANT,
        archived=False,
        rows_replaced=10**12,
        rows_written=10**12 + 1,
        same_rows=False,
        cleaned=(),
        lost=(),
        unlisted=(f"/lake/orders/day=1/{FILE}",) * 10**4,
        strays=(f"/lake/orders/day=1/{FILE}",),
        kept=(f"day=1/{FILE.split('_')[0]}",) * 10**6,
        hidden=(f"day=1/{FILE.split('_')[0]}",),
        wrong_statistics={"a": [FILE] * 10**4},
        keys=10**12,
        wrong_keys=10**12,
        doubled_keys=10**12,
    )


def _planned() -> hz.PlannedPartition:
    return hz.PlannedPartition(
        partition="day=1",
        groups=1,
        files=2,
        bytes=2000,
        files_after=1,
        taken={"full": 2},
        left_alone={"pending_clustering": 1},
        share_now=1.0,
        share_after=0.5,
        share_as_one=None,
    )


def _partitioning() -> hz.Partitioning:
    return hz.Partitioning(
        column="day",
        unit="month",
        partitions=2,
        small_partitions=1,
        files=5,
        opened=1.0,
        share=0.4,
        share_otherwise=0.5,
    )


def _logged() -> hz.LoggedQuery:
    return hz.LoggedQuery(
        table="/lake/orders",
        names=("db.orders",),
        predicate=PREDICATE,
        times=3,
        first=dt.datetime(2026, 11, 21, tzinfo=dt.timezone.utc),
        last=dt.datetime(2026, 11, 22, tzinfo=dt.timezone.utc),
        rows=40,
        files=4,
        bytes=None,
    )


def _left_out() -> hz.LeftOut:
    return hz.LeftOut(
        table="/lake/orders",
        reason="no comparison of a column with a literal",
        queries=2,
        conditions=1,
        example=PREDICATE,
    )


def _past() -> hz.PastClustering:
    return hz.PastClustering(
        instant=INSTANT,
        completed=None,
        columns=("a", "b"),
        strategy="ZORDER",
        mode="full",
        partitions=("day=1",),
        files_before=8,
        files_after=4,
        rows=40,
        bytes_before=5000,
        bytes=4000,
        seconds=200.0,
    )


def _pending() -> hz.PendingClustering:
    return hz.PendingClustering(
        instant=INSTANT,
        state="inflight",
        age=300.0,
        columns=("a", "b"),
        mode="full",
        partitions=("day=1",),
        groups=1,
        files=1,
        bytes=4000,
        file_groups=(("day=1", "f"),),
        outdated=0,
        execution_class="c",
        ours=False,
        executor="dead",
        heartbeat=200.0,
        standing="its executor is dead: its heartbeat stopped 3 min ago",
        command="hudi-zorder repair /lake/orders",
        parameters={"k": "v"},
    )
