"""Queries count from a day or a time on."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.cli import app
from logged_events import BEGUN, TABLE, environment, read, scan, write_log

CAIRO = timezone(timedelta(hours=2))
COMMANDS = ("cluster", "schedule", "plan", "forecast", "recommend", "info")


@pytest.fixture
def log(tmp_path: Path) -> str:
    """A query of each of three days, at six o'clock; the first one again on the last day."""
    asked = [(0, 5), (1, 6), (2, 7), (2, 5)]
    events = [environment()]
    for number, (day, value) in enumerate(asked):
        plan = scan(f"[(a#1 = {value})]", 10 * number)
        events += read(number, plan, BEGUN + timedelta(days=day, hours=6), 10 * number)
    return str(write_log(tmp_path / "log", *events))


@pytest.mark.parametrize(
    ("since", "times"),
    [
        (None, {"a = 5": 2, "a = 6": 1, "a = 7": 1}),
        ("2026-11-02", {"a = 5": 1, "a = 6": 1, "a = 7": 1}),
        (date(2026, 11, 2), {"a = 5": 1, "a = 6": 1, "a = 7": 1}),
        (datetime(2026, 11, 2, 6), {"a = 5": 1, "a = 6": 1, "a = 7": 1}),
        ("2026-11-02 06:00:01", {"a = 5": 1, "a = 7": 1}),
        ("2026-11-02T07:00+01:00", {"a = 5": 1, "a = 6": 1, "a = 7": 1}),
        (datetime(2026, 11, 2, 8, 1, tzinfo=CAIRO), {"a = 5": 1, "a = 7": 1}),
        ("2026-11-02T08:00-01:00", {"a = 5": 1, "a = 7": 1}),
    ],
)
def test_each_time_that_a_query_began_counts_since_then(
    log: str, since: Any, times: dict[str, int]
) -> None:
    found = hz.queries_from_event_log(log, since=since)
    assert {query.predicate: query.times for query in found} == times
    again = next(query for query in found if query.predicate == "a = 5")
    assert len(again.begun) == again.times
    assert (again.rows, again.first) == (10 * again.times, again.begun[0])


@pytest.mark.parametrize(
    "path", [Path(TABLE), "/lake//t", "/lake/./t/", "/lake/x/../t", "file:///lake/t", "lake/t"]
)
def test_a_table_is_found_however_its_place_is_spelt(
    log: str, monkeypatch: pytest.MonkeyPatch, path: str | Path
) -> None:
    monkeypatch.chdir("/")
    found = hz.queries_from_event_log(log)
    assert len(found.for_table(path)) == 3
    assert {query.table for query in found.moved_to(Path("/lake/u"))} == {"/lake/u"}
    assert len(found.for_table("/lake/u")) == 0


@pytest.mark.parametrize(
    ("since", "named"),
    [
        ("last week", "'since' was 'last week'; write a day such as 2026-11-01"),
        ("2026-13-01", "'since' was '2026-13-01'"),
        ("", "'since' was ''"),
        (pd.NaT, "'since' was 'NaT'"),
        (20261101, "'since' was '20261101'"),
        ("2027-01-01", "the last query on a Hudi table began at 2026-11-03 06:00:00 UTC"),
    ],
)
def test_what_is_no_time_or_leaves_nothing_is_refused(log: str, since: Any, named: str) -> None:
    with pytest.raises(hz.OptionError, match="Cannot read event logs: 'since' was") as refused:
        hz.queries_from_event_log(log, since=since)
    assert named in str(refused.value)


def test_logs_without_any_query_are_none_that_began_too_early(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log", environment())
    assert hz.queries_from_event_log(log, since="2026-11-01").found == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_with_an_event_log_takes_it(log: str, tmp_path: Path, command: str) -> None:
    for given, named in (
        (["--event-log", log, "--since", "soon"], "'since' was 'soon'"),
        (["--since", "2026-11-01"], "give '--event-log' too"),
    ):
        result = CliRunner().invoke(app, [command, str(tmp_path), *given])
        assert result.exit_code == 2
        assert named in " ".join(result.stderr.split())


def test_the_queries_since_then_are_printed(log: str) -> None:
    arguments = ["queries", log, "--since", "2026-11-03", "--table", TABLE, "--output", "json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    printed = json.loads(result.stdout)["queries"]
    assert {query["predicate"]: query["times"] for query in printed} == {"a = 5": 1, "a = 7": 1}
