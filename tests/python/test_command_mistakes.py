"""Mistakes and what is not installed: one line that says so, its exit code, and its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from conftest import Run
from plain_table import write_typed_table


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_typed_table(tmp_path / "t")


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
        (["stats", "{}", "--per-file", "--output", "json"], 2, "the JSON has every file; leave"),
        (
            ["explain", "{}", "a = 1", "--files", "--output", "json"],
            2,
            "'--files' is for '--output table'; the JSON has every file; leave it out",
        ),
        (["repair", "{}", "--dry-run", "--readers", "0"], 2, "'readers' was '0'"),
        (
            ["cluster", "{}", "--max-bytes-per-plan", "1GB"],
            2,
            "such option: --max-bytes-per-plan; give it as '--hudi"
            " hoodie.clustering.zorder.max.bytes.per.plan=BYTES'",
        ),
        (["stats", "{}", "--max-bytes-per-plan", "1GB"], 2, "--max-bytes-per-plan Try '"),
        (["cluster", "{}", "--seed", "1"], 2, "hoodie.clustering.zorder.seed=VALUE'"),
        (
            ["cluster", "{}", "--stats-columns", "a"],
            2,
            "give it as '--hudi hoodie.metadata.index.column.stats.column.list=VALUE'",
        ),
        (["cluster", "{}", "--modes", "full"], 2, ") Try '"),
        (["cancel", "{}", "1", "--verify", "count"], 2, "--verify Try '"),
        *(
            ([verb, "{}", *instant, "--readers", "0"], 2, "'readers' was '0'")
            for verb, *instant in (
                ["cluster"],
                ["schedule"],
                ["execute", "1"],
                ["cancel", "1"],
                ["plan"],
                ["forecast"],
                ["recommend", "--query", "a = 1"],
            )
        ),
        (["history", "{}", "--readers", "0"], 2, "'readers' was '0'"),
        (["pending", "{}", "--readers", "0"], 2, "'readers' was '0'"),
        (["report", "{}"], 2, "name some with --columns"),
        (["explain", "{}", "a = 1", "--conf", "spark.x=1"], 2, "give '--audit', too"),
        (["explain", "{}", "a = 1", "--hudi", "x=1"], 2, "'--hudi' is for Spark; give '--audit'"),
        (["explain", "{}", "a = 1", "--audit", "--source", "index"], 2, "an audit looks at"),
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


@pytest.mark.parametrize(
    ("verb", "flag", "named"),
    [
        ("forecast", "--seed", True),
        ("recommend", "--small-file-limit", True),
        ("plan", "--cuts", True),
        ("forecast", "--cuts", False),
        ("forecast", "--column-weights", False),
        ("forecast", "--z-column", False),
        ("recommend", "--strategy", False),
        ("forecast", "--mode", False),
        ("recommend", "--stats-columns", False),
    ],
)
def test_a_flag_is_told_with_its_key_where_the_verb_takes_that(
    run: Run, verb: str, flag: str, *, named: bool
) -> None:
    told = run(verb, "t", flag, "x", code=2).stderr
    assert f"No such option: {flag}" in told
    assert ("; give it as '--hudi hoodie." in told) is named


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


def test_of_a_table_that_is_not_there_spark_s_log_tells_nothing(
    run: Run, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    told = run("cluster", tmp_path / "t", "-c", "a", code=1).stderr
    assert told == run("stats", tmp_path / "t", code=1).stderr
    assert [*tmp_path.iterdir()] == []
