"""The verbs that only read: what they print, their JSON, and that they start no Spark."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from conftest import Run
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import INSTANT, write_plain_table, write_typed_table


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_typed_table(tmp_path / "t")


def test_stats(run: Run, table: Path) -> None:
    printed = run("stats", table).stdout
    assert "column" in printed
    assert "[bold]" in printed
    assert "2001:db8::100:7" in printed  # and not the picture that rich has for :100:
    assert "Read from footers." in printed
    document = json.loads(run("stats", table, "--output", "json").stdout)
    assert list(document) == ["table", "source", "note", "columns", "files"]
    assert (document["table"], document["source"]) == (str(table), "footers")
    columns = {row["column"]: row for row in document["columns"]}
    assert columns["a"] == {
        "column": "a",
        "min": 0,
        "max": 25,
        "null_count": 0,
        "rows": 6,
        "bytes": columns["a"]["bytes"],
        "files": 3,
    }
    assert [columns[name]["max"] for name in ("m", "t", "d", "x")] == [
        "1.50",
        "2026-01-03T12:00:00",
        "inf",
        "61",
    ]
    assert [(row["rows"], row["a.min"], row["a.max"]) for row in document["files"]] == [
        (2, 0, 5),
        (2, 10, 15),
        (2, 20, 25),
    ]
    assert list(document["files"][0])[:6] == [
        "partition",
        "file",
        "log_files",
        "rows",
        "bytes",
        "a.min",
    ]


def test_one_of_a_thing_is_said_so(run: Run, tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    assert "\n1 row in 1 file.\n" in run("stats", path).stdout
    assert "\n1 row\n" in run("stats", path, "--per-file").stdout
    (path / f".f0-0_{INSTANT}.log.1_0-0-0").write_bytes(b"1")
    assert "1 file has log files" in run("stats", path).stdout
    told = run("info", path, "--columns", "a").stdout
    assert told.startswith("1 file, 1 row, ")
    assert "1 file has log files, and is always read" in told


def test_an_audit_that_passes_is_a_success_and_takes_the_readers_that_are_given(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}
    audit = hz.Audit(
        matching_rows=1,
        tested_rows=2,
        untested_rows=0,
        wrongly_skipped=(),
        rows_with_skipping=1,
        files_with_skipping=1,
        files=1,
        same_contents=True,
    )

    class Audited:
        def __init__(self, *_: object, **arguments: Any) -> None:
            asked.update(arguments)

        def explain(self, predicate: str, **arguments: Any) -> Any:
            asked.update(arguments)
            return replace(explain(TableSnapshot.open(table), predicate), audit=audit)

    monkeypatch.setattr(
        "hudi_zorder.cli.reading.opened", lambda *_, **given: nullcontext(Audited(**given))
    )
    told = run("explain", table, "a = 1", "--audit", "--readers", "128").stdout
    assert "Audit passed: 1 rows match" in told
    assert (asked["audit"], asked["readers"]) == (True, 128)


def test_a_proof_is_of_the_clustering_that_is_named_as_every_flag_says(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    class Proven:
        passed = True

        def verify(self, *arguments: Any, **named: Any) -> Proven:
            asked.extend((*arguments, named))
            return self

    def opened(path: str, *arguments: Any, **named: Any) -> Any:
        asked.extend((path, *arguments, named))
        return nullcontext(Proven())

    monkeypatch.setattr("hudi_zorder.cli.verifying.opened", opened)
    monkeypatch.setattr("hudi_zorder.cli.verifying.print_result", lambda *_: None)
    flags = ["--hudi", "hoodie.a=b", "--conf", "spark.c=d", "--readers", "3"]
    run("verify", table, INSTANT, *flags)
    assert asked == [
        *(str(table), ["spark.c=d"], {"readers": 3}),
        *(INSTANT, {"hudi_options": {"hoodie.a": "b"}}),
    ]


def test_files_are_explained_by_the_source_that_is_given(run: Run, table: Path) -> None:
    for source in ("footers", "index"):
        printed = run("explain", table, "a = 1", "--source", source, "--output", "json").stdout
        assert json.loads(printed)["source"] == source


def test_what_is_unknown_of_one_file_is_unknown_of_the_table(run: Run, table: Path) -> None:
    (table / ".f9-0_20260101000000000.log.1_0-1-2").touch()
    document = json.loads(run("stats", table, "-c", "a", "--output", "json").stdout)
    assert [row["a.min"] for row in document["files"]] == [None, 0, 10, 20]
    [total] = document["columns"]
    known = {name: value for name, value in total.items() if value is not None}
    assert known == {"column": "a", "files": 4}


def test_stats_show_texts_as_they_are(run: Run, tmp_path: Path) -> None:
    texts = ["2026-01-01T00:00:00+00:00", "a\\"]
    path = write_plain_table(tmp_path / "t", [pa.table({"s": texts})])
    printed = run("stats", path).stdout
    assert f" {texts[0]} " in printed
    assert f" {texts[1]} " in printed


def test_stats_of_some_columns_and_every_file(run: Run, table: Path) -> None:
    printed = run("stats", table, "-c", "a,M", "--per-file").stdout
    lines = printed.splitlines()
    assert [line for line in lines if "f0-0_0-0-0" in line] == [lines[0]]
    assert lines[1] == "2 rows"
    assert "1.50" in printed


def test_explain(run: Run, table: Path) -> None:
    printed = run("explain", table, "a = 10 AND s LIKE 'é%' AND upper(s) = 'X'").stdout
    for words in (
        "row groups",
        "NumStatsFilteredRowGroups 2",
        "Not usable: UPPER(s) = 'X'",
        "read f1-0_0-0-0",
        "a = 10 may hold, a is 10 to 15",
    ):
        assert words in printed
    every = run("explain", table, "a = 10", "--files").stdout
    assert "skipped by file f0-0_0-0-0" in every
    assert run("explain", table, "a = 10", "--per-file").stdout == every
    document = json.loads(run("explain", table, "a = 10", "--output", "json").stdout)
    assert (document["files"]["total"], document["files"]["skipped"]) == (3, 2)
    assert document["NumRowGroups"] == 3


@pytest.mark.parametrize(("zone", "skipped"), [("UTC", 2), ("-08:00", 2), ("+13:00", 1), (None, 1)])
def test_what_is_told_is_of_the_time_zone_and_columns_given(
    run: Run, tmp_path: Path, zone: str | None, skipped: int
) -> None:
    noons = [dt.datetime(2026, 1, day, 12, tzinfo=dt.timezone.utc) for day in (1, 2, 3, 4)]
    files = [pa.table({"t": [noon], "a": [1], "b": [2]}) for noon in noons]
    path = write_plain_table(tmp_path / "t", files, write_page_index=True)
    flags = ["--time-zone", zone] if zone else []
    asked = [path, *flags, "--output", "json"]
    explained = json.loads(run("explain", *asked, "t >= '2026-01-03'", "--select", "t,a").stdout)
    assert (explained["files"]["skipped"], explained["NumPages"]) == (skipped, 2 * (4 - skipped))
    (tmp_path / "log.sql").write_text("t >= '2026-01-03'\n")
    told = json.loads(run("info", "-c", "t", "--queries", tmp_path / "log.sql", *asked).stdout)
    assert told["queries"]["share_read"] == (4 - skipped) / 4


def test_info(run: Run, table: Path) -> None:
    printed = run("info", table, "--columns", "a,t").stdout
    for words in (
        "3 files, 6 rows",
        "Upkeep: No file is in a run",
        "overlap",
        "Depth, all columns",
    ):
        assert words in printed
    document = json.loads(run("info", table, "-c", "a", "--output", "json").stdout)
    assert (document["score"], document["by_column"][0]["column"]) == (1.0, "a")
    by_index = json.loads(
        run("info", table, "-c", "a", "--source", "index", "--output", "json").stdout
    )
    assert (document["source"], by_index["source"]) == ("footers", "index")


def test_history_and_pending(run: Run, table: Path) -> None:
    assert "No clustering is recorded." in run("history", table).stdout
    assert "No clustering is pending." in run("pending", table).stdout
    (table / ".hoodie/timeline/20260202000000000.clustering.requested").touch()
    listed = run("pending", table).stdout
    assert "20260202000000000" in listed
    assert "Until it is executed or cancelled, Hudi archives nothing that came after it." in listed
    document = json.loads(run("pending", table, "--output", "json").stdout)
    (plan,) = document["clusterings"]
    assert (plan["instant"], plan["state"]) == ("20260202000000000", "requested")
    assert json.loads(run("history", table, "--output", "json").stdout)["clusterings"] == []


@pytest.mark.parametrize("kind", ["layout", "depth", "share"])
def test_plot(run: Run, table: Path, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / "p.svg"
    arguments = ["plot", table, "-c", "a,t", "--kind", kind, "-o", picture, "--readers", "2"]
    assert run(*arguments).stdout.strip() == str(picture)
    assert picture.stat().st_size > 1000
    document = json.loads(run(*arguments, "--output", "json").stdout)
    assert document == {"table": str(table), "kind": kind, "picture": str(picture)}


def test_reading_starts_no_spark(table: Path) -> None:
    """Nor pandas, which takes longer to import than all the rest."""
    script = (
        "import sys; from hudi_zorder.cli import app\n"
        f"app(['explain', {str(table)!r}, 'a = 1'], standalone_mode=False)\n"
        "sys.exit(any(name.startswith(('pyspark', 'py4j', 'pandas')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_screens_fit_eighty_columns(run: Run, tmp_path: Path) -> None:
    rows = {
        "a_column_with_a_long_name": [0, 1],
        "t": [dt.datetime(2026, 1, 1, 1, 1, 1, 1, dt.timezone.utc)] * 2,
        "s": ["x" * 35, "y" * 35],
    }
    path = write_plain_table(tmp_path / "t", [pa.table(rows)] * 2)
    predicate = "a_column_with_a_long_name < 5 AND s >= 'x' OR a_column_with_a_long_name IS NULL"
    for arguments in (
        ["--help"],
        ["stats", path],
        ["stats", path, "--per-file"],
        ["info", path, "-c", "a_column_with_a_long_name,t,s"],
        ["explain", path, predicate, "--files"],
        ["history", path],
        ["pending", path],
    ):
        lines = run(*arguments).stdout.splitlines()
        # The name of a file and a command to be copied stay whole.
        lines = [
            line for line in lines if ".parquet" not in line and "hudi-zorder cluster" not in line
        ]
        assert [line for line in lines if len(line) > 80] == []
        assert "…" not in "".join(lines)
        if arguments != ["--help"]:  # which is Typer's
            assert [line for line in lines if line.endswith(" ")] == []


@pytest.mark.slow
def test_a_thousand_files_take_seconds(run: Run, tmp_path: Path) -> None:
    """Processor time, as the machine may be busy; the bound is that for a whole command."""
    rows = {f"c{n}": list(range(100)) for n in range(12)}
    files = [pa.table({"a": [n] * 100, **rows}) for n in range(1000)]
    path = write_plain_table(tmp_path / "t", files, write_page_index=True)
    for arguments in (["stats", path], ["info", path, "-c", "a,c0"], ["explain", path, "a < 500"]):
        started = time.process_time()
        run(*arguments, "--output", "json")
        assert time.process_time() - started < 2.5, arguments
