"""Whether queries still fit a layout, without Spark: against grids whose answers are known."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.cli import app
from hudi_zorder.fit.queries_fit import queries_fit
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import QUERIES, SORT_COLUMNS, TARGET_FILE_SIZE
from hudi_zorder.parquet.comparables import from_arrow
from hudi_zorder.predicate.value_tests import ValueTest
from hudi_zorder.workload.queries_from_plan import queries_of_plan
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from plain_table import (
    CLUSTERED,
    base_file,
    change_schema,
    tell_of_clustering,
    write_plain_table,
)
from test_skipping_sound import PREDICATES, SCHEMA, files, matching_rows

SIDE = 8
TENTHS = [f"a >= {n} AND a < {n + 100}" for n in range(0, 800, 100)]
OTHERS = [f"c >= {n} AND c < {n + 100}" for n in range(0, 800, 100)]


@pytest.fixture
def path(tmp_path: Path) -> str:
    """64 files, each a square of the columns a and b; all have all values of c."""
    cells = range(100)
    files = [
        pa.table(
            {
                "a": [100 * x + cell for cell in cells],
                "b": [100 * y + cell for cell in cells],
                "c": [cell * 8 + (x + y) % 8 for cell in cells],
                "s": [f"it's {x}" for _ in cells],
            }
        )
        for x in range(SIDE)
        for y in range(SIDE)
    ]
    return str(write_plain_table(tmp_path / "t", files))


def cut_for(path: str, queries: Sequence[str]) -> None:
    """Lets the timeline tell of a clustering for queries."""
    text = queries_for_plan(TableSnapshot.open(path), list(queries), "UTC", None).text
    tell_of_clustering(path, {SORT_COLUMNS: "a,b", QUERIES: text})


def fit(path: str, queries: Sequence[str | tuple[str, float]]) -> hz.QueriesFit:
    found = hz.open_table(path).clustering_information(["a", "b"], queries=list(queries)).queries
    assert found is not None
    return found


def test_queries_that_the_layout_serves_fit(path: str) -> None:
    found = fit(path, TENTHS)
    assert (found.queries, found.weight, found.known_queries) == (8, 8.0, 0)
    assert found.share_read == 1 / 8
    assert found.share_least == pytest.approx(1 / 8, abs=0.03)
    assert found.fits
    assert found.advice == ""
    shares = [hz.open_table(path).explain(query).share_read for query in TENTHS]
    assert found.share_read == sum(shares) / len(shares)


def test_others_do_not_and_the_gain_is_told_by_the_byte(path: str) -> None:
    found = fit(path, OTHERS)
    assert found.share_read == 1.0
    assert found.share_least == pytest.approx(1 / 8, abs=0.03)
    assert found.share_expected == pytest.approx(2 * found.share_least)
    assert not found.fits
    assert found.gain_per_byte == pytest.approx(8 * (1 - found.share_least))
    assert found.advice == f"hudi-zorder forecast {path} --queries FILE"
    assert len(found.worst) == 5


def test_the_forecast_to_ask_is_of_files_as_large_as_those_of_the_table(path: str) -> None:
    tell_of_clustering(path, {SORT_COLUMNS: "a,b", TARGET_FILE_SIZE: str(1 << 20)})
    command = f"hudi-zorder forecast {path} --target-file-size 1048576 --queries FILE"
    assert fit(path, OTHERS).advice == command


def test_the_forecast_of_logged_queries_names_the_path_that_the_logs_have(path: str) -> None:
    time = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
    one = hz.LoggedQuery(
        table=path,
        names=(),
        predicate="",
        times=1,
        first=time,
        last=time,
        rows=None,
        files=None,
        bytes=None,
    )
    own = hz.Queries(queries=tuple(replace(one, predicate=query) for query in OTHERS))
    logged = tuple(replace(query, table="/prod/orders") for query in own)
    copied = replace(own, queries=logged).moved_to("/tmp/copy").moved_to(path)
    command = f"hudi-zorder forecast {path} --event-log LOGS"
    for queries, flag in ((own, ""), (copied, " --logged-path /prod/orders")):
        found = hz.open_table(path).clustering_information(["a", "b"], queries=queries).queries
        assert found is not None
        assert found.advice == command + flag


def test_known_queries_say_what_may_be_expected(path: str) -> None:
    cut_for(path, TENTHS)
    assert fit(path, TENTHS).fits
    later = fit(path, OTHERS)
    assert later.known_queries == 8
    assert later.known_share_read == 1 / 8
    assert later.share_expected < 1.5 * later.share_least
    assert not later.fits
    mixed = fit(path, [*TENTHS, OTHERS[0]])
    assert mixed.worst[0].query == OTHERS[0]
    assert not mixed.fits


def test_what_is_less_than_a_hundredth_of_the_table_is_no_drift(path: str) -> None:
    square = "a < 100 AND b < 100"
    cut_for(path, [square])
    little, much = (fit(path, [(square, 100 - weight), ("a = 5", weight)]) for weight in (5, 15))
    assert little.share_read > 1.3 * little.share_expected
    assert (little.fits, much.fits) == (True, False)


def test_a_layout_that_is_far_from_the_least_is_no_drift(path: str) -> None:
    """Where the known queries read as much, a new layout has nothing to be better by."""
    cut_for(path, OTHERS)
    found = fit(path, OTHERS)
    assert found.share_read == found.known_share_read == 1.0
    assert found.fits


@pytest.mark.parametrize(
    "condition",
    [
        "a = 5 OR b BETWEEN 3 AND 9",
        "s = 'it''s 3' OR s IS NULL",
        "s LIKE 'it%' AND c > 700",
        "a <> 250",
        "a BETWEEN 99 AND 100",
        "s > 'it''s 3' AND s < 'it''s 5'",
    ],
)
def test_what_a_plan_keeps_reads_as_the_query_did(path: str, condition: str) -> None:
    snapshot = TableSnapshot.open(path)
    text = queries_for_plan(snapshot, [(condition, 3)], "UTC", None).text
    (kept,) = queries_of_plan(snapshot, text, 10)
    assert kept.query.weight == 3
    table = hz.open_table(path)
    assert table.explain(kept.query.text).share_read == table.explain(condition).share_read


def test_of_more_queries_than_are_looked_at_a_plan_s_heaviest_are(path: str) -> None:
    snapshot = TableSnapshot.open(path)
    text = queries_for_plan(snapshot, [("a = 5", 1), ("b = 6", 3), ("b = 7", 2)], "UTC", None).text
    found = queries_of_plan(snapshot, text, 2)
    assert [kept.query.text for kept in found] == ["b = 6", "b = 7"]


@pytest.mark.parametrize(
    ("before", "condition", "after"),
    [
        ("12", "a LIKE '12.%'", Decimal(12)),
        ("NaN", "a = 'NaN'", Decimal(12)),
        ("abc", "a = 'abc'", b"abc"),
        ("abc", "a = 'abc'", 12),
        ("abc", "a < 'abc'", 1.5),
        ("abc", "a > 'abc'", True),
        ("abc", "a = 'abc'", dt.date(2026, 11, 1)),
        ("abc", "a = 'abc'", dt.datetime(2026, 11, 1)),
        (1.5, "a = 1.5", 1),
    ],
)
def test_queries_on_a_column_that_is_of_another_type_now_are_left_out(
    tmp_path: Path, before: Any, condition: str, after: Any
) -> None:
    """Where its values cannot be what they ask for; as are those on a column that is gone."""
    old, new = (
        TableSnapshot.open(write_plain_table(tmp_path / name, [pa.table({"a": [a], "b": [7]})]))
        for name, a in (("old", before), ("new", after))
    )
    text = queries_for_plan(old, [f"{condition} AND b > 3", "b = 7"], "UTC", None).text
    assert len(queries_of_plan(old, text, 9)) == 2
    assert [kept.query.text for kept in queries_of_plan(new, text, 9)] == ["b = 7"]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> TableSnapshot:
    path = write_plain_table(tmp_path_factory.mktemp("kept") / "t", [SCHEMA.empty_table()])
    return TableSnapshot.open(path)


@settings(max_examples=80)
@given(predicate=PREDICATES, tables=files())
def test_what_a_plan_keeps_is_true_of_every_row_that_is_asked_for(
    snapshot: TableSnapshot, predicate: str, tables: list[pa.Table]
) -> None:
    try:
        text = queries_for_plan(snapshot, [predicate], "UTC", None).text
    except hz.PredicateError:  # it compares no column with a value
        return
    (kept,) = queries_of_plan(snapshot, text, 1)
    (bound,) = kept.predicates
    for number, row in matching_rows(tables, [predicate])[0]:
        values = {
            name: from_arrow(tables[number][name].slice(row, 1).combine_chunks())[0]
            for name in bound.leaves
            if "." not in name
        }
        assert bound.may_hold(partial(passes, values)), kept.query.text


def passes(values: Mapping[str, Any], test: ValueTest) -> bool:
    """Whether a test passes that is about one of the values."""
    value = values.get(test.column, ...)
    return value is ... or (test.null_passes if value is None else test.passes(value))


def test_notes_say_what_a_log_says(path: str) -> None:
    [example] = ["path#12 RLIKE ^[/]home AND props#7[country] = DE"]
    left_out = (
        hz.LeftOut(table=path, reason="a function", queries=1, conditions=0, example=example),
    )
    now = dt.datetime.now(dt.timezone.utc)
    asked = hz.LoggedQuery(
        table=path,
        names=(),
        predicate="a = 1",
        times=3,
        first=now,
        last=now,
        rows=1,
        files=1,
        bytes=1,
    )
    found = hz.open_table(path).clustering_information(
        ["a"], queries=hz.Queries(queries=(asked,), left_out=left_out)
    )
    assert example in " ".join(str(found).split())


def test_the_command_tells_it(path: str, tmp_path: Path) -> None:
    file = tmp_path / "log.sql"
    file.write_text("\n".join(OTHERS), encoding="utf-8")
    run = ["info", path, "--columns", "a,b", "--queries", str(file)]
    shown = CliRunner().invoke(app, run)
    assert shown.exit_code == 0, shown.output
    assert "The queries no longer fit the layout" in " ".join(shown.stdout.split())
    printed = [line for line in shown.stdout.splitlines() if len(line) > 80]
    assert all("hudi-zorder" in line for line in printed)
    document = json.loads(CliRunner().invoke(app, [*run, "--output", "json"]).stdout)
    assert document["queries"]["fits"] is False
    without = json.loads(CliRunner().invoke(app, [*run[:4], "--output", "json"]).stdout)
    assert without["queries"] is None
    bad = CliRunner().invoke(app, [*run[:4], "--queries", str(tmp_path / "none")])
    assert bad.exit_code == 2


def fit_after(path: Path, first: list[pa.Table], later: list[pa.Table], queries: Any) -> Any:
    """How queries fit a table whose later files are of another schema."""
    write_plain_table(path, first)
    instant = "20260105000000000"
    (path / f".hoodie/timeline/{instant}_{instant}.commit").touch()
    for number, rows in enumerate(later, 100):
        pq.write_table(rows, path / base_file(str(number), instant))
    return queries_fit(TableSnapshot.open(str(path)), queries)


def test_a_query_on_a_column_that_came_later_does_not_change_what_others_could_read(
    tmp_path: Path,
) -> None:
    first = pa.table({"day": [day for day in range(100) for _ in range(4)]})
    last = pa.table(
        {"day": [95 + n % 5 for n in range(400)], "promo": [n % 10 for n in range(400)]}
    )
    days = [f"day >= {day}" for day in (85, 90, 95)]
    alone = fit_after(tmp_path / "alone", [first] * 19, [last], days)
    beside = fit_after(tmp_path / "beside", [first] * 19, [last], [*days, "promo = 3"])
    assert not alone.fits
    assert not beside.fits
    least = {part.query: part.share_least for part in alone.worst}
    assert least == pytest.approx(
        {"day >= 85": 0.19, "day >= 90": 0.15, "day >= 95": 0.1}, abs=0.05
    )
    assert {part.query: part.share_least for part in beside.worst} == {**least, "promo = 3": 0.05}


def test_a_file_that_has_a_column_in_another_type_tells_of_its_other_columns(
    tmp_path: Path,
) -> None:
    first = pa.table({"n": [str(n) for n in range(400)], "day": [n % 100 for n in range(400)]})
    last = pa.table({"n": [n % 10 for n in range(400)], "day": [100] * 400})
    queries = ["n = 3", "n = 3 AND day = 100", "day < 50"]
    found = fit_after(tmp_path / "t", [first] * 10, [last] * 10, queries)
    least = {part.query: part.share_least for part in found.worst}
    # A tenth of those rows of which n is known; a quarter of all rows.
    expected = {"n = 3": 0.1, "n = 3 AND day = 100": 0.1, "day < 50": 0.25}
    assert least == pytest.approx(expected, abs=0.051)


@pytest.mark.parametrize("renamed", [False, True])
def test_nothing_is_promised_of_rows_that_were_not_seen(path: str, renamed: bool) -> None:
    """Nobody knows which rows match a function, or by which names files have older columns."""
    if renamed:
        change_schema(path, CLUSTERED)
    found = fit(path, TENTHS if renamed else ["upper(s) = 'X'"])
    assert found.sampled_rows == 0
    assert found.share_read == found.share_least == 1.0
    assert (found.fits, found.gain_per_byte, found.worst) == (True, 0.0, ())
