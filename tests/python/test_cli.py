"""The command: what it prints, JSON, exit codes, and that it starts no Spark to read."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from conftest import write
from hudi_zorder.cli import app
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import COLUMN_WEIGHTS, QUERIES, SEED, STRATEGY, TARGET_FILE_SIZE
from hudi_zorder.skipping.explain import explain
from plain_table import INSTANT, write_plain_table

CHECKOUT = Path(__file__).parents[2]
Run = Callable[..., Any]


@pytest.fixture
def run() -> Run:
    def invoke(*arguments: object, code: int = 0) -> Any:
        result = CliRunner().invoke(app, [str(part) for part in arguments])
        assert result.exit_code == code, result.output + result.stderr
        return result

    return invoke


@pytest.fixture
def table(tmp_path: Path) -> Path:
    files = [
        pa.table(
            {
                "a": [10 * n, 10 * n + 5],
                "m": [Decimal("1.50"), None],
                "t": [dt.datetime(2026, 1, n + 1), dt.datetime(2026, 1, n + 1, 12)],
                "d": [math.inf, 1.0],
                "x": [b"\x00\xff", b"a"],
                "s": ["[bold]", f"é{n}"],
                "ip": ["2001:db8::100:7"] * 2,
            }
        )
        for n in range(3)
    ]
    return write_plain_table(tmp_path / "t", files)


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


def test_an_audit_takes_the_readers_that_are_given(
    run: Run, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    class Audited:
        def explain(self, predicate: str, **arguments: Any) -> Any:
            asked.update(arguments)
            return explain(TableSnapshot.open(table), predicate)

    monkeypatch.setattr("hudi_zorder.cli.reading.opened", lambda *_: nullcontext(Audited()))
    run("explain", table, "a = 1", "--audit", "--readers", "128")
    assert (asked["audit"], asked["readers"]) == (True, 128)


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


def test_a_terminal_that_does_not_know_a_letter_is_no_failure(table: Path) -> None:
    command = [sys.executable, "-m", "hudi_zorder", "explain", str(table), "s = '€'"]
    encoding = {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env={**os.environ, **encoding}, check=True)
    assert rb"s = '\u20ac'" in done.stdout


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
    assert "20260202000000000" in run("pending", table).stdout
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


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["stats", "{}", "-c", "aa"], 2, "there is no column 'aa'; did you mean 'a'"),
        (["explain", "{}", "a ="], 2, "Cannot parse a predicate"),
        (["explain", "{}", "b = 1"], 2, "there is no column 'b'"),
        (["explain", "{}", "upper(nope) = 'X'"], 2, "there is no column 'nope'"),
        (["explain", "{}", "s=HNL"], 2, "no column 'HNL'; was it a text whose quotes the shell"),
        (["explain", "{}", "c=HNL"], 2, "there is no column 'c'; choose one of a, m, t"),
        (["explain", "{}", "s IN (HNL)"], 2, "Then write \"s IN ('HNL')\""),
        (["explain", "{}", "s = New York"], 2, "a shell takes the quotes of a text away"),
        (["explain", "{}", "t > 2026-01-02"], 2, "Then write \"t > '2026-01-02'\""),
        (["explain", "{}", "a < 'abc'"], 2, "a, which is int64, with 'abc'; write a number"),
        (["explain", "{}", "t < 'soon'"], 2, "write a date, such as"),
        (["explain", "{}", "a = 1", "--time-zone", "Mars"], 2, "'time_zone' was 'Mars'"),
        (["info", "{}"], 2, "name some with --columns"),
        (["plot", "{}", "-c", "a"], 2, "name two columns"),
        (["plot", "{}", "-c", "a,t", "--to", "p.gif"], 2, "end it in .png"),
        (["plot", "{}", "-c", "a,t", "--before", "7"], 2, "'before' was '7'"),
        (["plot", "{}", "-c", "a,t,m"], 2, "'columns' was 'a,t,m'; name two columns"),
        (
            ["plot", "{}", "-c", "a", "--kind", "depth", "--before", "7"],
            2,
            "is for '--kind layout'",
        ),
        (["info", "{}", "-c", "a", "--time-zone", "UTC"], 2, "there are no queries whose times"),
        (["history", "{}", "--readers", "0"], 2, "'readers' was '0'"),
        (["pending", "{}", "--readers", "0"], 2, "'readers' was '0'"),
        (["report", "{}"], 2, "name some with --columns"),
        (["explain", "{}", "a = 1", "--conf", "spark.x=1"], 2, "give '--audit', too"),
        (["explain", "{}", "a = 1", "--hudi", "x=1"], 2, "'--hudi' is for Spark; give '--audit'"),
        (["info", "{}", "-c", "a", "--time-zone", "Mars"], 2, "Cannot read times: 'time_zone' was"),
        (["repair", "{}", "--dry-run", "--conf", "spark.x=1"], 2, "leave out one of the two"),
        (["plot", "{}", "-c", "a,t", "--readers", "0"], 2, "'readers' was '0'"),
        (["report", "{}", "-c", "a,t", "--readers", "0"], 2, "'readers' was '0'"),
        (["stats", "{}/nothing"], 1, "there is no Hudi table"),
        (["stats", "nope://x"], 1, "no file system serves it"),
        (["cluster", "{}", "--weights", "a=2"], 2, "or to the last clustering"),
        (["cluster", "{}", "-c", "a", "--strategy", "SPIRAL"], 2, "'strategy' was 'SPIRAL'"),
        (["cluster", "{}", "-c", "a", "--weights", "a=heavy"], 2, "write numbers"),
        (["cluster", "{}", "-c", "a", "--conf", "spark.x"], 2, "'--conf' was 'spark.x'"),
        *(
            ([*verb, "--hudi", "x"], 2, "'--hudi' was 'x'")
            for verb in (
                ["cluster", "{}", "-c", "a"],
                ["schedule", "{}", "-c", "a"],
                ["execute", "{}", "7"],
                ["cancel", "{}", "7"],
                ["repair", "{}"],
                ["plan", "{}", "-c", "a"],
                ["forecast", "{}", "-c", "a"],
                ["recommend", "{}", "--query", "a = 1"],
                ["verify", "{}"],
                ["explain", "{}", "a = 1", "--audit"],
            )
        ),
        *(
            ([verb, "file:{}/nothing", *rest], 1, "there is no Hudi table")
            for verb, *rest in (
                ["cluster", "-c", "a"],
                ["schedule", "-c", "a"],
                ["execute", "7"],
                ["cancel", "7"],
                ["repair"],
                ["verify"],
                ["plan", "-c", "a"],
                ["forecast", "-c", "a"],
                ["recommend", "--query", "a = 1"],
                ["explain", "a = 1", "--audit"],
            )
        ),
        (["execute", "{}"], 2, "Missing argument"),
        (
            ["stats", "{}", "--output", "xml"],
            2,
            "for '--output': 'xml' is not one of 'table'",
        ),
        (["recommend", "{}"], 2, "give '--query', '--queries FILE' or '--event-log'"),
        (["recommend", "{}", "--queries", os.devnull], 2, "has none; write one on each line"),
        (["info", "{}", "--queries", "no"], 2, "name a file with a query on each line"),
        (["nonsense"], 2, "No such command 'nonsense'"),
    ],
)
def test_mistakes_are_one_line_and_a_code(
    run: Run,
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.setattr("hudi_zorder.spark.launch.started", lambda *_: pytest.fail("Spark started"))
    result = run(*(part.format(table) for part in arguments), code=code)
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_no_name_in_an_error_is_a_command_to_the_terminal(run: Run, table: Path) -> None:
    assert r"no column '\x1b[2J'" in run("stats", table, "-c", "\x1b[2J", code=2).stderr


def test_an_error_in_json(run: Run, table: Path) -> None:
    result = run("explain", table, "b = 1", "--output", "json", code=2)
    error = json.loads(result.stderr)["error"]
    assert error["kind"] == "PredicateError"
    assert "there is no column 'b'" in error["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["stats", "t", "--output", "json", "--colums", "a"],
        ["explain", "t", "--output=json"],
        ["nonsense", "--output", "json"],
        ["history", "t", "u", "--output", "json"],
    ],
)
def test_wrong_use_is_json_where_that_was_asked_for(run: Run, arguments: list[str]) -> None:
    error = json.loads(run(*arguments, code=2).stderr)["error"]
    assert set(error) == {"kind", "message"}


def test_the_package_run_as_a_module_is_the_command(table: Path) -> None:
    command = [sys.executable, "-m", "hudi_zorder", "explain", str(table), "nonsense ="]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: Cannot parse a predicate: ")


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_reader_that_stops_is_no_failure(table: Path, output: str) -> None:
    program = f"{sys.executable} -c 'from hudi_zorder.cli import main; main()'"
    command = f"{program} stats {table} --output {output} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# What a command has found or done, without the Spark that does it: how it ends is asked here.
ENDED = """
import contextlib, sys
import hudi_zorder as hz
from hudi_zorder.cli import changing, main, reading, verifying

class Table:
    def cluster(self, *_, where, **__):
        instant = None if where else "20260202000000000"
        return hz.ClusteringResult(table="/t", instant=instant, columns=("a",), notes=("Done",))

    def execute(self, *_, **__):
        return self.cluster(where=None)

    def verify(self, *_, **__):
        return hz.Verification(
            table="/t", instant="1", rows_replaced=2, rows_written=1, same_rows=False, cleaned=(),
            lost=(), unlisted=tuple(map(str, range(20_000))), strays=(), kept=(), hidden=(),
            wrong_statistics={str(n): ["f" * 4_000] for n in range(30)}, keys=1, wrong_keys=1,
        )

    def explain(self, *_, **__):
        audit = hz.Audit(
            matching_rows=2, tested_rows=0, untested_rows=0, wrongly_skipped=(),
            rows_with_skipping=1, files_with_skipping=1, files=1, same_contents=False,
            different_files=(hz.DifferentFile("f" * 99_999, "", 0, 1, ""),),
        )
        return hz.SkippingReport(
            table="/t", predicate="a = 1", files=(), notes=("n" * 99_999,), audit=audit
        )

for verbs in (changing, reading, verifying):
    verbs.opened = lambda *_, **__: contextlib.nullcontext(Table())
main()
"""


def _in_bash(*arguments: str, streams: str) -> tuple[int, str, str]:
    command = f'"$@" {streams}; exit ${{PIPESTATUS[0]}}'
    program = ["bash", "-c", command, "bash", sys.executable, "-c", ENDED, *arguments]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("streams", "told"),
    [
        (">/dev/full", "failed: [Errno 28] No space left on device"),
        (">&-", "failed: the standard output is closed"),
        ("| true", ""),
        ("2>/dev/full", ""),
        (">/dev/full 2>/dev/full", ""),
        (">&- 2>&-", ""),
    ],
)
@pytest.mark.parametrize(
    "verb", [["cluster", "/t"], ["execute", "/t", "20260202000000000", "--output", "json"]]
)
def test_a_clustering_that_is_committed_is_a_success_wherever_it_is_printed(
    verb: list[str], streams: str, told: str
) -> None:
    code, printed, error = _in_bash(*verb, streams=streams)
    assert code == 0
    assert "Traceback" not in error
    if told:
        assert (printed, error) == (
            "",
            f"Warning: The clustering 20260202000000000 of '/t' is committed; to print it {told}\n",
        )


@pytest.mark.parametrize(("streams", "code"), [(">&-", 0), ("| true", 0), (">/dev/full", 1)])
def test_where_nothing_was_clustered_nothing_is_told_of_a_commit(streams: str, code: int) -> None:
    ended, _, error = _in_bash("cluster", "/t", "--where", "p = 1", streams=streams)
    assert (ended, "committed" in error) == (code, False)


def test_a_clustering_prints_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    code, printed, error = _in_bash("cluster", "/t", streams="")
    assert (code, error) == (0, "")
    assert max(map(len, printed.splitlines())) == 50


@pytest.mark.parametrize("streams", ["| true", ">/dev/full", ">&- 2>&-"])
@pytest.mark.parametrize(
    "verb",
    [["verify", "/t"], ["verify", "/t", "--output", "json"], ["explain", "/t", "a", "--audit"]],
)
def test_rows_that_are_lost_are_a_code_of_its_own_wherever_that_is_printed(
    verb: list[str], streams: str
) -> None:
    code, _, error = _in_bash(*verb, streams=streams)
    assert (code, error) == (3, "")


@pytest.mark.parametrize("verb", [["history"], ["info", "-c", "a"]])
def test_a_closed_stream_is_as_one_that_leads_nowhere(table: Path, verb: list[str]) -> None:
    name, *rest = verb
    shown = _in_bash(name, str(table), *rest, streams="")
    assert shown[0] == 0
    assert _in_bash(name, str(table), *rest, streams="2>&-") == shown
    assert _in_bash(name, str(table), *rest, streams=">&-") == (0, "", "")


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_full_disk_is_an_error(table: Path, output: str) -> None:
    code, _, error = _in_bash("stats", str(table), "--output", output, streams=">/dev/full")
    assert code == 1
    assert "No space left on device" in error
    assert error.count("\n") == 1


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


def test_the_exit_codes_are_documented(run: Run) -> None:
    from hudi_zorder.errors import ExitCode

    codes = {code.value for code in ExitCode}
    assert {
        int(code) for code in re.findall(r"(\d+) [a-z]", run().stdout.split("codes:")[1])
    } == codes
    for name in ("python/MANUAL.md", "python/JSON.md"):
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        rows = text.split("| exit code |")[1].split("\n\n")[0]
        assert {int(code) for code in re.findall(r"^\| (\d+) \|", rows, re.MULTILINE)} == codes


def test_every_verb_has_help_with_an_example(run: Run) -> None:
    top = run("--help").stdout
    verbs = [
        "demo",
        "plan",
        "recommend",
        "cluster",
        "schedule",
        "execute",
        "explain",
        "stats",
        "info",
        "history",
        "pending",
        "queries",
        "cancel",
        "repair",
        "verify",
        "plot",
        "report",
    ]
    for verb in verbs:
        assert f" {verb} " in top
        told = run(verb, "--help").stdout
        assert f"Example: hudi-zorder {verb}" in told
        assert [line for line in told.splitlines() if len(line) > 80] == []


def test_help_says_when_the_last_clustering_comes_before_the_default(run: Run) -> None:
    told = " ".join(run("cluster", "--help").stdout.replace("│", " ").split())
    words = "but as the last clustering had it where --columns are its own, or are not given."
    assert f"by default ZORDER, {words}" in told
    assert f"by default 128MB, {words}" in told


def test_reading_starts_no_spark(table: Path) -> None:
    """Nor pandas, which takes longer to import than all the rest."""
    script = (
        "import sys; from hudi_zorder.cli import app\n"
        f"app(['explain', {str(table)!r}, 'a = 1'], standalone_mode=False)\n"
        "sys.exit(any(name.startswith(('pyspark', 'py4j', 'pandas')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def _end_of(script: str, *arguments: object, **environment: str) -> tuple[int, str, str]:
    command = [sys.executable, "-c", f"{script}; from hudi_zorder.cli import main; main()"]
    command += map(str, arguments)
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("home", ["", "/nowhere"])
def test_without_java_the_error_says_so(table: Path, tmp_path: Path, home: str) -> None:
    environment = {"PATH": str(tmp_path), "JAVA_HOME": home}
    code, printed, error = _end_of("pass", "cluster", table, "-c", "a", **environment)
    assert (code, printed) == (1, "")
    assert error.startswith("Error: Cannot start Spark: ")
    assert "install a JDK" in error
    assert error.count("\n") == 1


def test_a_mistyped_path_is_told_of_before_spark_starts(run: Run, tmp_path: Path) -> None:
    environment = {"TMPDIR": str(tmp_path), "JAVA_HOME": "/nowhere"}
    told = _end_of("pass", "cluster", tmp_path / "t", "-c", "a", **environment)
    assert told == (1, "", run("stats", tmp_path / "t", code=1).stderr)
    assert [*tmp_path.iterdir()] == []


def test_without_pyspark_tables_can_be_read_and_the_rest_says_what_is_missing(table: Path) -> None:
    script = "import sys; sys.modules['pyspark'] = None"
    assert _end_of(script, "explain", table, "a = 1")[::2] == (0, "")
    code, printed, error = _end_of(script, "cluster", table, "-c", "a", "--output", "json")
    assert (code, printed) == (1, "")
    assert "'pyspark' is not installed; run pip install" in json.loads(error)["error"]["message"]


def test_a_fault_of_ours_leaves_its_stack_in_a_file(
    run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr("hudi_zorder.hudi.history.history", lambda snapshot: 1 / 0)
    error = run("history", table, code=1).stderr
    assert "Traceback" not in error
    [log] = tmp_path.glob("hudi-zorder-*.log")
    assert f"ZeroDivisionError: division by zero; report it with '{log}'" in error
    assert "Traceback" in log.read_text()


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


def test_of_a_table_that_is_not_there_spark_s_log_tells_nothing(
    run: Run, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = run("cluster", tmp_path / "t", "-c", "a", code=1).stderr
    assert told == run("stats", tmp_path / "t", code=1).stderr
    assert [*tmp_path.iterdir()] == []


def test_the_verbs_that_change_a_table(
    run: Run,
    spark: Any,
    tmp_path: Path,
    write_hudi: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    rows = spark.range(400).selectExpr("id", "id % 20 AS a", "id DIV 20 AS b")
    path = write_hudi(rows.repartition(4), tmp_path / "t")
    layout = ["--columns", "a,b", "--target-file-size", "1MB"]
    plan = json.loads(run("plan", path, *layout, "--output", "json").stdout)
    assert (plan["files"], plan["taken"][0]["reason"]) == (4, "new")
    assert "To rewrite: 4 files into 1" in run("plan", path, *layout).stdout
    scheduled = json.loads(run("schedule", path, *layout, "--output", "json").stdout)
    instant = scheduled["instant"]
    assert instant in run("pending", path).stdout
    assert f"Cancelled {instant}." in run("cancel", path, instant).stdout
    result = run("cancel", path, instant, code=1)
    assert f"'instant' was '{instant}'" in result.stderr
    again = json.loads(run("schedule", path, *layout, "--output", "json").stdout)["instant"]
    assert json.loads(run("execute", path, again, "--output", "json").stdout)["instant"] == again
    assert "Nothing to cluster." in run("plan", path, *layout).stdout
    said = run("cluster", path, *layout).stdout
    assert said.startswith("Nothing to cluster: every file is laid out as asked")
    assert "Clustered" in run("cluster", path, *layout, "--mode", "full").stdout
    (first, second) = json.loads(run("history", path, "--output", "json").stdout)["clusterings"]
    assert (first["instant"], second["columns"]) == (again, ["a", "b"])
    assert (second["mode"], second["share_now"], second["share_after"]) == ("full", 1.0, 1.0)
    assert "Depth, all columns" in run("info", path).stdout


@pytest.fixture
def partitioned(
    spark: Any,
    made_once: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    rows = spark.range(40).selectExpr("id", "id % 20 AS a", "id DIV 20 AS b", "id % 2 AS p")
    options = {"datasource__write__partitionpath__field": "p", "metadata__enable": "false"}
    return made_once(tmp_path / "p", lambda path: write(rows.coalesce(1), path, **options))


def test_a_plan_is_made_as_every_flag_says(run: Run, partitioned: str, tmp_path: Path) -> None:
    (tmp_path / "log.sql").write_text("3\ta = 5\n")
    flags = ["-c", "a,b", "--strategy", "HILBERT", "--weights", "b=2", "--target-file-size", "2MB"]
    flags += ["--mode", "full", "--where", "p = 1", "--hudi", f"{SEED}=7"]
    run("schedule", partitioned, *flags, "--queries", tmp_path / "log.sql")
    [plan] = json.loads(run("pending", partitioned, "--output", "json").stdout)["clusterings"]
    assert (plan["columns"], plan["mode"], plan["partitions"]) == (["a", "b"], "full", ["1"])
    stored = [plan["parameters"][key] for key in (STRATEGY, COLUMN_WEIGHTS, TARGET_FILE_SIZE, SEED)]
    assert stored == ["HILBERT", "a=1.0,b=2.0", str(2 << 20), "7"]
    kept = json.loads(plan["parameters"][QUERIES])
    assert (kept["unit"], kept["queries"]) == (3, [[1, {"a": [["5", "5"]]}]])


def test_what_every_flag_says_is_refused_by_who_is_to_use_it(
    run: Run, spark: Any, partitioned: str, tmp_path: Path
) -> None:
    instant = run("schedule", partitioned, "-c", "a").stdout.strip()
    (tmp_path / "log.sql").write_text("nope = 5\n")
    unfit: dict[str, tuple[object, str]] = {
        "--hudi": (f"{SEED}s=1", f"there is no option '{SEED}s'"),
        "--where": ("a = 1", "name nothing but partition columns"),
        "--queries": (tmp_path / "log.sql", "there is no column 'nope'"),
        "--unsafe-statistics": ("leave-out", "a plan does not say what has statistics"),
        "--predicate": ("nope = 5", "there is no column 'nope'"),
        "--sample-rows": (0, "'sample_rows' was '0'"),
        "--max-columns": (0, "'max_columns' was '0'"),
        "--target-file-size": ("0", "'target_file_size' was '0'"),
    }
    of_plans = ["--hudi", "--where", "--queries"]
    taken: dict[tuple[str, ...], list[str]] = {
        ("cluster", "-c", "a"): of_plans,
        ("schedule", "-c", "a"): [*of_plans, "--unsafe-statistics"],
        ("plan", "-c", "a"): of_plans,
        ("forecast", "-c", "a"): [*of_plans, "--predicate", "--sample-rows"],
        ("recommend", "--query", "a = 5"): [
            *of_plans,
            "--sample-rows",
            "--max-columns",
            "--target-file-size",
        ],
        ("execute", instant): ["--hudi"],
        ("cancel", instant): ["--hudi"],
    }
    for (verb, *given), flags in taken.items():
        for flag in flags:
            value, why = unfit[flag]
            setting = ["--conf", f"spark.zorder.test={verb} {flag}"]
            refused = run(verb, partitioned, *given, flag, value, *setting, code=2)
            assert why in refused.stderr, (verb, flag)
            assert spark.conf.get("spark.zorder.test") == f"{verb} {flag}"
    spark.conf.unset("spark.zorder.test")
