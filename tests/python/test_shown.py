"""Results at home in a terminal, a notebook, Arrow and pandas."""

from __future__ import annotations

import datetime as dt
import html
import re
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudi_zorder as hz
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.records import Tabular
from hudi_zorder.skipping.explain import explain
from hudi_zorder.stats.clustering_information import clustering_information
from plain_table import write_plain_table

PREDICATE = "a = 5 AND upper(b) = '<b>[/b]&:100:'"  # HTML, rich's markup and its pictures
INSTANT = "20261121112758640"


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
    ]
    return {type(result).__name__: result for result in results}


TABLES = [
    name
    for name in hz.__all__
    if isinstance(kind := getattr(hz, name), type) and issubclass(kind, Tabular)
]


@pytest.mark.parametrize("name", TABLES)
def test_it_prints_within_80_columns_and_says_the_same_in_a_notebook(
    shown: dict[str, Any], name: str
) -> None:
    text, page = str(shown[name]), shown[name]._repr_html_()
    copied = ("hudi-zorder cluster", str(getattr(shown[name], "table", INSTANT)))
    long = [line for line in text.splitlines() if len(line) > 80]
    assert [line for line in long if not any(part in line for part in copied)] == []
    told = html.unescape(re.sub("<[^>]+>", "", page))
    assert told.split() == text.split()


def test_a_value_is_neither_markup_nor_a_picture(shown: dict[str, Any]) -> None:
    for name in ("SkippingReport", "Recommendation", "Queries"):
        assert PREDICATE in str(shown[name]), name
        assert "&lt;b&gt;[/b]&amp;:100:" in shown[name]._repr_html_(), name


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
