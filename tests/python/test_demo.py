"""The demo, on fewer flights: its story, its numbers and its picture."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from rich.console import Console

from hudi_zorder import ClusteringError, OptionError
from hudi_zorder.demo import walkthrough
from hudi_zorder.demo.flights import flights
from hudi_zorder.spark.scan_metrics import ScanMetrics, scan_metrics


def test_the_flights_are_all_there_with_their_nulls() -> None:
    table = flights()
    assert table.num_rows == 336_776
    assert table["id"].to_pylist() == list(range(336_776))
    nulls = {name: table[name].null_count for name in ("dep_time", "arr_delay", "tailnum", "dest")}
    assert nulls == {"dep_time": 8255, "arr_delay": 9430, "tailnum": 2512, "dest": 0}
    assert {str(column.type) for column in table.columns} == {
        "int32",
        "string",
        "timestamp[us, tz=UTC]",
    }


@pytest.mark.slow
def test_the_demo_tells_what_it_did(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walkthrough, "COMMITS", 2)
    monkeypatch.setattr(walkthrough, "FILES_AFTER", 16)
    source = tmp_path / "flights.parquet"
    pq.write_table(flights().slice(0, 100_000), source)
    printed = io.StringIO()
    walkthrough.demonstrate(
        Console(file=printed, width=80, highlight=False), spark, tmp_path, source
    )

    lines = printed.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert "…" not in printed.getvalue()
    assert (
        f"4. Asked again: all {len(walkthrough.QUESTIONS)} answers are identical"
        in printed.getvalue()
    )
    for question in walkthrough.QUESTIONS:
        (row,) = [line for line in lines if line.startswith(question.where)]
        cells = row.removeprefix(question.where).replace(",", "").split()
        files_before, files_after, rows_before, rows_after = map(int, cells[:4])
        assert (files_before, rows_before) == (8, 100_000)
        assert files_after < walkthrough.FILES_AFTER / 2
        assert rows_after < rows_before / 2
    assert (tmp_path / "layout.png").stat().st_size > 10_000


def test_scan_metrics_are_summed_over_all_scans(spark: SparkSession, tmp_path: Path) -> None:
    spark.range(0, 100, 1, 4).write.parquet(str(tmp_path / "t"))
    frame = spark.read.parquet(str(tmp_path / "t"))
    joined = frame.join(frame.where("id < 10"), "id").groupBy().count()
    assert scan_metrics(joined) == ScanMetrics(files=0, rows=0)
    assert joined.collect() == [(10,)]
    # One file of four has an id below 10, and minimum and maximum rule the others' row groups out.
    assert scan_metrics(joined) == ScanMetrics(files=8, rows=50)


def test_an_answer_that_changes_fails_the_demo(tmp_path: Path) -> None:
    walkthrough._check_same("dest = 'SEA'", 7, 7, tmp_path)
    with pytest.raises(ClusteringError, match="'dest = 'SEA'' was 7 and is 8; keep"):
        walkthrough._check_same("dest = 'SEA'", 7, 8, tmp_path)


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "flights").mkdir()
    (tmp_path / "flights" / "mine").touch()
    with pytest.raises(OptionError, match="holds something else; name a new or an empty folder"):
        walkthrough.run(tmp_path)
    assert (tmp_path / "flights" / "mine").is_file()
