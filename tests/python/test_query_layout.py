"""Layouts that have read the queries: what is read afterwards, and what the table tells of them."""

from __future__ import annotations

import html
import random
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_tables import fingerprint, read
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import QUERIES
from hudi_zorder.pictures.html_report import write_report
from hudi_zorder.spark.location import open_snapshot
from hudi_zorder.workload.queries_to_plan import queries_for_plan

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 40_000
SIZE = "60KB"
COLUMNS = ["day", "amount"]


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Independent ``day``, of a year, and ``amount``; one row in ten has no ``city``."""
    frame = spark.range(0, ROWS, 1, 2).select(
        "id",
        F.expr("date_add(date'2026-01-01', cast(pmod(xxhash64(id, 1), 365) as int))").alias("day"),
        F.expr("cast(pmod(xxhash64(id, 2), 100000) / 100 as decimal(10,2))").alias("amount"),
        F.expr("if(id % 10 = 0, null, concat('city', pmod(hash(id, 3), 50)))").alias("city"),
        F.expr("cast(hash(id, 4) as double) / 7").alias("ratio"),
        F.expr("timestamp'2026-01-01 00:00:00' + make_interval(0,0,0,0,0,0,id)").alias("at"),
        F.expr("md5(cast(id as string))").alias("text"),
    )
    return write(frame, tmp_path_factory.mktemp("asked") / "orders")


def months(seed: int) -> list[str]:
    """Half of them a month, half a quarter with a range of amounts."""
    draw = random.Random(seed)
    found = []
    for i in range(40):
        month, least = draw.randrange(1, 12), draw.randrange(0, 4) * 250
        first, last = f"2026-{month:02}-01", f"2026-{month + 1:02}-01"
        condition = f"day >= '{first}' AND day < '{last}'"
        found.append(
            condition if i % 2 else f"{condition} AND amount >= {least} AND amount < {least + 250}"
        )
    return found


def share(table: hz.ZOrderTable, conditions: list[str]) -> float:
    """The share of rows in files that Hudi cannot rule out, in the mean."""
    shares = [table.explain(condition).share_read for condition in conditions]
    return sum(shares) / len(shares)


@pytest.fixture(scope="module")
def asked(spark: SparkSession, path: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A copy of the table, clustered for half of the queries."""
    copy = str(shutil.copytree(path, tmp_path_factory.mktemp("asked") / "asked"))
    assert hz.ZOrderTable(spark, copy).cluster(queries=months(1), target_file_size=SIZE)
    return copy


def test_queries_never_seen_read_less_and_no_row_changes(
    spark: SparkSession, path: str, asked: str, tmp_path: Path
) -> None:
    plain = hz.ZOrderTable(spark, shutil.copytree(path, tmp_path / "plain"))
    plain.cluster(COLUMNS, target_file_size=SIZE)
    table = hz.ZOrderTable(spark, asked)
    assert fingerprint(spark, asked) == fingerprint(spark, path)
    sizes = table.column_stats(["day"])["rows"].to_pylist()
    mean = sum(sizes) / len(sizes)
    assert len(sizes) > 15
    assert 0.7 < min(sizes) / mean <= max(sizes) / mean < 1.4
    assert share(plain, months(2)) > 1.2 * share(table, months(2))
    assert read(spark, asked).where(months(2)[0]).count() == (
        read(spark, path).where(months(2)[0]).count()
    )


def test_the_history_tells_and_upkeep_goes_on_with_them(spark: SparkSession, asked: str) -> None:
    table = hz.ZOrderTable(spark, asked)
    (past,) = table.history()
    assert set(past.columns) == set(COLUMNS)
    distinct = len(set(months(1)))
    assert past.queries == distinct
    assert f"for {distinct} queries" in " ".join(str(table.history()).split())
    weights = queries_for_plan(open_snapshot(spark, asked), months(1), "UTC", None).weights
    layout: dict[str, Any] = {
        "columns": list(past.columns),
        "column_weights": weights,
        "target_file_size": SIZE,
    }
    assert not table.plan(**layout)
    assert not table.plan(queries=months(1), target_file_size=SIZE)
    assert not table.plan()
    assert table.plan(queries=[]).files == past.files_after
    assert table.plan(target_file_size="30KB").files == past.files_after
    assert table.plan(**layout, queries=[]).files == past.files_after
    assert table.plan(**layout, queries=["amount = 5"]).files == past.files_after


def test_upkeep_for_another_day_s_counts_takes_nothing(spark: SparkSession, asked: str) -> None:
    table = hz.ZOrderTable(spark, asked)
    files = table.history()[0].files_after
    day = [(query, 30.0 + n % 3) for n, query in enumerate(months(1))]
    plan = table.plan(queries=day, target_file_size=SIZE)
    assert not plan
    [note] = [note for note in plan.notes if "its layout is kept" in note]
    done = table.cluster(queries=day, target_file_size=SIZE)
    assert not done
    assert note in done.notes
    full = table.plan(queries=day, target_file_size=SIZE, mode="full")
    assert (full.files, full.notes) == (files, ())
    other = table.plan(queries=[*day, ("amount = 5", 900)], target_file_size=SIZE)
    assert [(part.reason, part.files) for part in other.taken] == [("other_layout", files)]
    assert "are taken as of another layout" in other.notes[-1]


def test_information_tells_whether_later_queries_fit(asked: str) -> None:
    table = hz.open_table(asked)
    alike = table.clustering_information(COLUMNS, queries=months(2)).queries
    assert alike is not None
    assert alike.known_queries == len(set(months(1)))
    assert alike.known_share_read == pytest.approx(
        sum(table.explain(query).share_read for query in set(months(1))) / alike.known_queries,
        abs=0.05,  # a query that was given twice weighs two
    )
    assert alike.fits
    assert alike.known_share_least is not None
    assert alike.share_read >= alike.share_least > 0
    others = table.clustering_information(COLUMNS, queries=["city = 'city7'"]).queries
    assert others is not None
    assert not others.fits
    assert others.share_read > 0.9


@pytest.mark.slow
def test_what_either_half_would_read_is_told_before_anything_is_rewritten(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    """By the plan and by the result, in the same numbers, which come true."""
    table = hz.ZOrderTable(spark, shutil.copytree(path, tmp_path / "t"))
    before = sorted(Path(table.path).rglob("*"))
    layout: dict[str, Any] = {"columns": [*COLUMNS, "ratio"], "target_file_size": SIZE}
    plan = table.plan(**layout, queries=months(1))
    assert sorted(Path(table.path).rglob("*")) == before
    known, held_back, never_asked = plan.forecast
    assert [share.kind for share in plan.forecast] == ["known", "held_back", "column"]
    assert never_asked.column == "ratio"
    assert known.queries < 0.9 * known.tree
    assert held_back.queries < held_back.tree
    # It is mixed in until it reads no more than that, and may then read less.
    assert 0.5 * never_asked.tree < never_asked.queries <= 1.2 * never_asked.tree
    assert "equality on ratio, seldom asked" in str(plan)
    assert table.plan(**layout).forecast == ()

    result = table.cluster(**layout, queries=months(1))
    assert result.forecast == plan.forecast
    assert str(result).count("queries held back") == 1
    # The layout is cut for both halves, what is foretold for the first alone.
    foretold = (known.queries + held_back.queries) / 2
    assert 0.5 * foretold < share(table, months(1)) <= 1.1 * foretold
    ratio = table.clustering_information(["ratio"]).share_read
    assert ratio <= 1.2 * never_asked.tree


def test_of_few_queries_none_is_held_back(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    plan = table.plan(COLUMNS, queries=months(1)[:3], target_file_size=SIZE)
    assert [share.kind for share in plan.forecast] == ["known"]


def test_the_report_shows_the_queries_and_what_they_read_now(asked: str, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    write_report(TableSnapshot.open(asked), tmp_path / "r.html", COLUMNS)
    page = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    distinct = len(set(months(1)))
    assert f"{distinct} queries, stored with the last clustering; below are the 20 of" in page
    rows = re.findall(r'<tr><td class="v">(.*?day .*?)</td><td class="n">(\d+)</td>', page)
    assert len(rows) == 20
    assert [int(weight) for _, weight in rows] == sorted((int(w) for _, w in rows), reverse=True)
    read_now = f"{hz.open_table(asked).explain(rows[0][0]).share_read:.4f}</td>"
    assert read_now in page.split(rows[0][0])[1][:100]


def test_bad_queries_are_refused(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    with pytest.raises(hz.PredicateError, match="no column 'nothing'"):
        table.cluster(queries=["nothing = 1"])
    bad = '{"version": 1, "queries": [[1, {"day": [["noon", null]]}]]}'
    with pytest.raises(hz.HudiZOrderError, match="asks 'noon' of 'day', which is no value of type"):
        table.cluster(COLUMNS, hudi_options={QUERIES: bad})
    with pytest.raises(hz.ColumnError, match="no clustering to go on with"):
        table.cluster()


@pytest.fixture(scope="module")
def forecast(spark: SparkSession, path: str) -> hz.Forecast:
    """What is foretold of the table for the queries."""
    return hz.ZOrderTable(spark, path).forecast(
        COLUMNS, queries=sorted(set(months(1))), target_file_size=SIZE
    )


def halves(forecast: hz.Forecast) -> tuple[list[str], list[str]]:
    """The queries that its layout for queries is cut for, and those held back."""
    held_back = [read.text for read in forecast.layout("queries").reads[len(COLUMNS) :]]
    return sorted({*months(1)} - {*held_back}), held_back


def test_a_forecast_tells_what_a_layout_for_queries_brings(forecast: hz.Forecast) -> None:
    """Those that it is not cut for gain too."""
    tree, queried = forecast.layout("tree"), forecast.layout("queries")
    assert tree.mean_known is not None
    assert queried.mean_known is not None
    assert queried.mean_known < 0.95 * tree.mean_known
    assert queried.mean < tree.mean
    assert forecast.choice == "queries"
    assert not any("held back" in note for note in forecast.notes)
    assert forecast.command.endswith("--queries FILE")
    assert forecast.call.endswith("queries=queries)")
    known, held_back = halves(forecast)
    assert len(held_back) - len(known) in (0, 1)


@pytest.mark.slow
def test_what_is_foretold_of_a_layout_for_queries_comes_true(
    spark: SparkSession, path: str, forecast: hz.Forecast, tmp_path: Path
) -> None:
    queried = forecast.layout("queries")
    known, held_back = halves(forecast)
    copy = hz.ZOrderTable(spark, shutil.copytree(path, tmp_path / "t"))
    done = copy.cluster(COLUMNS, queries=known, target_file_size=SIZE)
    assert done.after is not None
    half_a_file = 0.5 / done.after.files
    assert share(copy, known) == pytest.approx(queried.mean_known, rel=0.1, abs=half_a_file)
    assert share(copy, held_back) == pytest.approx(queried.mean, rel=0.1, abs=half_a_file)


def test_a_forecast_for_very_few_queries_says_that_none_is_held_back(
    spark: SparkSession, path: str
) -> None:
    table = hz.ZOrderTable(spark, path)
    forecast = table.forecast(COLUMNS, queries=months(1)[:3], target_file_size=SIZE)
    told = "of fewer than 4 queries on sort columns none is held back"
    assert any(note.startswith(told) for note in forecast.notes)
    for layout in forecast.layouts:
        assert layout.mean == pytest.approx(layout.mean_known)
