"""How the command ends where its streams are closed, full or abandoned, or lack a letter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conftest import quick_first
from plain_table import write_plain_table, write_typed_table


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write_typed_table(tmp_path / "t")


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

    def schedule(self, *_, where, **__):
        return self.cluster(where=where).instant

    def cancel(self, *_, **__):
        pass

    def repair(self, *_, **__):
        return hz.Repair(
            table="/t", dry_run=False, plans=(), last_looks=(), leftovers=("1",), pending=()
        )

    def verify(self, *_, **__):
        return hz.Verification(
            table="/t", instant="1", archived=False, rows_replaced=2, rows_written=1,
            same_rows=False, cleaned=(), lost=(), unlisted=tuple(map(str, range(20_000))),
            strays=(), kept=(), hidden=(),
            wrong_statistics={str(n): ["f" * 4_000] for n in range(30)}, keys=1, wrong_keys=1,
            doubled_keys=0,
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


def _crossed(verbs: Sequence[str], streams: Sequence[str]) -> list[Any]:
    """Returns all pairs, of which ``make test`` takes each verb once, and each stream once."""
    pairs = list(product(verbs, streams))
    quick = [(verb, end) for verb, end in pairs if verb == verbs[0] or end == streams[0]]
    return quick_first([*quick, *(pair for pair in pairs if pair not in quick)], len(quick))


COMMITTED = "The clustering 20260202000000000 of '/t' is committed"
PLANNED = "The clustering 20260202000000000 of '/t' is planned"
DONE = {
    "cluster /t": COMMITTED,
    "execute /t 20260202000000000 --output json": COMMITTED,
    "schedule /t": PLANNED,
    "schedule /t --output json": PLANNED,
    "cancel /t 7": "The plan 7 of '/t' is cancelled",
    "repair /t": "The table '/t' is repaired",
}
UNPRINTED = {
    ">/dev/full": "failed: [Errno 28] No space left on device",
    ">&-": "failed: the standard output is closed",
}


@pytest.mark.parametrize(("verb", "streams"), _crossed([*DONE], [*UNPRINTED]))
def test_what_is_done_is_a_success_though_it_cannot_be_printed(verb: str, streams: str) -> None:
    told = f"Warning: {DONE[verb]}; to print it {UNPRINTED[streams]}\n"
    assert _in_bash(*verb.split(), streams=streams) == (0, "", told)


@pytest.mark.parametrize(
    ("verb", "streams"),
    _crossed([*DONE][:2], ["| true", "2>/dev/full", ">/dev/full 2>/dev/full", ">&- 2>&-"]),
)
def test_a_clustering_is_a_success_whoever_reads_of_it(verb: str, streams: str) -> None:
    code, _, error = _in_bash(*verb.split(), streams=streams)
    assert (code, "Traceback" in error) == (0, False)


@pytest.mark.parametrize(("streams", "code"), [(">&-", 0), ("| true", 0), (">/dev/full", 1)])
@pytest.mark.parametrize("verb", ["cluster", "schedule"])
def test_where_nothing_was_done_nothing_is_told_of_it(verb: str, streams: str, code: int) -> None:
    ended, _, error = _in_bash(verb, "/t", "--where", "p = 1", streams=streams)
    assert (ended, "Warning" in error) == (code, False)


@pytest.mark.parametrize(
    ("verb", "streams"),
    _crossed(
        ["verify /t", "verify /t --output json", "explain /t a --audit"],
        ["| true", ">/dev/full", ">&- 2>&-"],
    ),
)
def test_rows_that_are_lost_are_a_code_of_its_own_wherever_that_is_printed(
    verb: str, streams: str
) -> None:
    code, _, error = _in_bash(*verb.split(), streams=streams)
    why = "[Errno 28] No space left on device"
    told = f"Warning: what is wrong could not be printed: {why}\n" if "full" in streams else ""
    assert (code, error) == (3, told)


@pytest.mark.parametrize("verb", quick_first([["history"], ["info", "-c", "a"]]))
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


@pytest.mark.parametrize("output", ["table", "json"])
def test_a_reader_that_stops_is_no_failure(table: Path, output: str) -> None:
    program = f"{sys.executable} -c 'from hudi_zorder.cli import main; main()'"
    command = f"{program} stats {table} --output {output} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("verb", ["", "cluster"])
def test_a_reader_that_stops_reading_help_is_no_failure(verb: str) -> None:
    program = f"{sys.executable} -c 'from hudi_zorder.cli import main; main()'"
    command = f"{program} {verb} --help | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_that_does_not_know_a_letter_is_no_failure(table: Path) -> None:
    command = [sys.executable, "-m", "hudi_zorder", "explain", str(table), "s = '€'"]
    encoding = {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env={**os.environ, **encoding}, check=True)
    assert rb"s = '\u20ac'" in done.stdout


def test_a_clustering_prints_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    code, printed, error = _in_bash("cluster", "/t", streams="")
    assert (code, error) == (0, "")
    assert max(map(len, printed.splitlines())) == 50


@pytest.mark.parametrize("encoding", quick_first(["ascii", "utf-8", "latin-1"], quick=2))
def test_json_is_json_whatever_letters_a_terminal_knows(tmp_path: Path, encoding: str) -> None:
    value = "é€\U0001f600"
    path = write_plain_table(tmp_path / "t", [pa.table({"s": [value]})])
    environment = {**os.environ, "PYTHONIOENCODING": encoding}

    def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "hudi_zorder", *arguments, "--output", "json"]
        return subprocess.run(command, capture_output=True, env=environment, check=False)

    printed = run("stats", str(path)).stdout
    assert json.loads(printed.decode(encoding))["columns"][0]["max"] == value
    assert (value.encode() in printed) == (encoding == "utf-8")
    error = run("stats", str(path), "-c", value).stderr
    assert f"no column '{value}'" in json.loads(error.decode(encoding))["error"]["message"]
