"""What ``info`` tells of queries: how well the files serve them, beside those they were cut for."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.advice.asked import asked_of
from hudi_zorder.advice.kept_queries import kept_queries
from hudi_zorder.advice.queries_fit import queries_fit
from hudi_zorder.cli import app
from hudi_zorder.errors import PredicateError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import QUERIES, SORT_COLUMNS
from plain_table import CLUSTERED, write_plain_table
from test_skipping_sound import PREDICATES, SCHEMA, files, matching_rows

FILES = 16
ROWS = 100  # of a file
BY_A = [f"a BETWEEN {low} AND {low + 90}" for low in range(0, FILES * ROWS, 250)]
BY_B = [f"b = {value}" for value in range(100, 901, 80)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Files that are sorted by ``a``, of which ``b`` is independent; clustered for ``BY_A``."""
    draw = random.Random(0)
    rows = [{"a": n, "b": draw.randrange(1000)} for n in range(FILES * ROWS)]
    files = [pa.Table.from_pylist(rows[n * ROWS :][:ROWS]) for n in range(FILES)]
    path = write_plain_table(tmp_path_factory.mktemp("fit") / "t", files)
    clustered(path, asked_of(TableSnapshot.open(path), BY_A, None, None).text)
    return str(path)


def clustered(path: Path, queries: str) -> None:
    """Adds a clustering to the timeline that replaces nothing, with its plan."""
    strategy = {"strategyParams": {SORT_COLUMNS: "a", QUERIES: queries}}
    plan = {"clusteringPlan": {"strategy": strategy, "inputGroups": []}}
    commit = {"operationType": "CLUSTER", "partitionToReplaceFileIds": {}}
    timeline = path / ".hoodie" / "timeline"
    (timeline / f"{CLUSTERED}.clustering.requested").write_text(json.dumps(plan))
    (timeline / f"{CLUSTERED}_{CLUSTERED[:-1]}1.replacecommit").write_text(json.dumps(commit))


def test_queries_that_the_files_were_cut_for_fit(path: str) -> None:
    fit = queries_fit(TableSnapshot.open(path), [f"a BETWEEN {n} AND {n + 50}" for n in (110, 840)])
    assert fit.fits
    assert fit.advice == ""
    assert fit.share_read == fit.least_share == 1 / FILES
    assert fit.known_queries == len(BY_A)
    assert fit.known_share_read < 1.5 / FILES
    assert fit.gain == 0


def test_others_no_longer_fit_and_the_gain_is_told(path: str) -> None:
    fit = queries_fit(TableSnapshot.open(path), [*BY_B, (BY_A[0], 2)])
    assert fit.fits is False
    assert fit.share_read == pytest.approx((len(BY_B) + 2 / FILES) / (len(BY_B) + 2), rel=0.05)
    assert fit.least_share == 1 / FILES
    assert fit.known_share_read
    assert fit.known_least_share
    served_as_known = fit.known_share_read * fit.least_share / fit.known_least_share
    assert fit.gain == pytest.approx(fit.share_read - served_as_known)
    assert {query.text for query in fit.most_read} <= set(BY_B)
    assert fit.advice == f"hudi-zorder forecast {path} --columns a --queries FILE"


def test_a_query_that_asks_for_much_can_read_no_less(path: str) -> None:
    """Half of the rows are half of the files at least."""
    fit = queries_fit(TableSnapshot.open(path), ["b < 500"])
    assert fit.least_share == pytest.approx(0.5, abs=0.07)
    assert fit.share_read == 1


def test_where_no_queries_are_known_the_gain_is_a_bound(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2, 3, 4]})
    path = write_plain_table(tmp_path / "t", [table, table])
    found = hz.open_table(path).clustering_information(["a"], queries=["a = 3"]).queries
    assert found is not None
    assert (found.fits, found.known_queries, found.known_share_read) == (None, 0, None)
    assert found.gain == 0.5
    assert found.advice == f"hudi-zorder forecast {path} --queries FILE"


def test_the_command_shows_it_and_tells_json(path: str, tmp_path: Path) -> None:
    file = tmp_path / "log.sql"
    file.write_text("\n".join(BY_B))
    shown = CliRunner().invoke(app, ["info", path, "--queries", str(file)], env={"COLUMNS": "80"})
    assert shown.exit_code == 0, shown.output
    assert f"{len(BY_B)} queries read 1.0000 of the rows in the mean" in shown.stdout
    assert "16.0 times the least" in shown.stdout
    assert f"  hudi-zorder forecast {path} --columns a --queries FILE" in shown.stdout
    command = ["info", path, "--queries", str(file), "--output", "json"]
    document = json.loads(CliRunner().invoke(app, command).stdout)
    assert document["queries"]["fits"] is False


def test_a_query_on_no_column_of_the_table_is_refused(path: str) -> None:
    with pytest.raises(PredicateError, match="no column 'nothing'"):
        queries_fit(TableSnapshot.open(path), ["nothing = 1"])


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
        text = asked_of(snapshot, [predicate], "UTC", None).text
    except PredicateError:  # it compares no column with a value
        return
    (kept,) = kept_queries(snapshot, text)
    asked, again = map(set, matching_rows(tables, [predicate, kept.text]))
    assert asked <= again, kept.text


@pytest.mark.parametrize(
    "condition",
    [
        "i = 3",
        "l < 9007199254740993",
        "d >= 0.5",
        "d = CAST('NaN' AS DOUBLE)",
        "m BETWEEN 0.25 AND 1.50",
        "s LIKE 'ab%'",
        "s = 'it\\'s'",
        "x = X'00ff'",
        "y IN (DATE '1970-01-02')",
        "t > TIMESTAMP '1970-01-01 01:00:00+00:00'",
        "u <= TIMESTAMP_NTZ '1970-01-01 01:00:00.000001'",
        "b",
        "n.a IS NULL",
    ],
)
def test_a_condition_on_a_column_is_kept_to_the_value(
    snapshot: TableSnapshot, condition: str
) -> None:
    text = asked_of(snapshot, [condition], "UTC", None).text
    (kept,) = kept_queries(snapshot, text)
    assert asked_of(snapshot, [kept], "UTC", None).text == text
