"""The demo: real flights, written by several commits, asked about, clustered, asked about again.

Files and rows are those of Spark's own scan metrics; answers before and after are compared.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hudi_zorder import screen
from hudi_zorder.demo.flights import flights
from hudi_zorder.demo.questions import QUESTIONS, Answered, ask
from hudi_zorder.errors import ClusteringError, OptionError
from hudi_zorder.pictures import plots
from hudi_zorder.spark.launch import started
from hudi_zorder.spark.session import configure_spark
from hudi_zorder.table import ZOrderTable

COLUMNS: Final = ("distance", "dep_time", "dest")
COMMITS: Final = 8
FILES_PER_COMMIT: Final = 4
FILES_AFTER: Final = 32

_LOG: Final = "hudi-zorder-demo.log"  # also tells the folder of an earlier demo from any other
_PICTURE: Final = "layout.png"
_NEXT: Final = (
    "stats {table} --columns distance,dep_time,dest",
    "info {table}",
    "explain {table} \"dest = 'HNL' AND dep_time < 900\"",
)


def run(folder: Path) -> None:
    """Runs the demo and prints what happens.

    Args:
        folder: where the table, the picture and Spark's log go; an earlier demo in it is replaced.

    Raises:
        OptionError: when the folder holds something else.
        HudiZOrderError: when the flights are not installed.
        SessionError: when Spark does not start.
        ClusteringError: when an answer, or any row, is not the same after the clustering.
    """
    started = time.monotonic()
    console = screen.console()
    _make_room(folder)
    console.print("Flights from New York in 2013: which files does a question read?", style="bold")
    with tempfile.TemporaryDirectory(prefix="hudi-zorder-") as scratch:
        source = Path(scratch) / "flights.parquet"
        pq.write_table(flights(), source)
        console.print("Starting Spark", style="dim")
        spark = _session(folder / _LOG, Path(scratch))
        try:
            demonstrate(console, spark, folder, source)
        finally:
            spark.stop()
    console.print(f"\nAll this took {time.monotonic() - started:.0f} s. It left")
    for name, what in (("flights", "the table"), (_PICTURE, "the picture"), (_LOG, "Spark's log")):
        console.print(f"  {escape(str(folder / name))}  [dim]{what}[/]", soft_wrap=True)
    console.print("Try next")
    location = shlex.quote(str(folder / "flights"))
    for arguments in _NEXT:
        command = arguments.format(table=location)
        console.print(f"  {_program()} {command}", style="cyan", soft_wrap=True, markup=False)


def demonstrate(console: Console, spark: SparkSession, folder: Path, source: Path) -> None:
    """Writes, asks, clusters, asks again, and draws.

    Args:
        console: where the story is printed.
        spark: the session that does the work.
        folder: where the table and the picture go.
        source: a Parquet file of the flights.

    Raises:
        ClusteringError: when an answer, or any row, is not the same after the clustering.
    """
    path = folder.resolve() / "flights"  # Hudi understands no relative path
    started = time.monotonic()
    with console.status("Writing") as status:
        for commit in range(COMMITS):
            status.update(f"Writing commit {commit + 1} of {COMMITS}")
            _write(spark.read.parquet(str(source)), commit, path)
    table = ZOrderTable(spark, path)
    stats_before = table.column_stats(COLUMNS)
    files = stats_before.num_rows
    seconds = time.monotonic() - started
    console.print(f"\n1. Written by PySpark in {COMMITS} commits: {files} files, {seconds:.1f} s")

    with console.status("Asking"):
        before = [ask(spark, path, question) for question in QUESTIONS]
        rows_before = _fingerprint(spark, path)
    console.print("\n2. Asked")
    for question, asked in zip(QUESTIONS, before, strict=True):
        console.print(f"   {question.text}\n     [dim]{asked.answer}[/]")

    size = sum(file.stat().st_size for file in path.glob("*.parquet"))
    result = table.cluster(columns=COLUMNS, target_file_size=size // FILES_AFTER)
    console.print(
        f"\n3. Clustered by {', '.join(COLUMNS)}: {result.after.files} files, "
        f"{result.seconds['total']:.1f} s"
    )

    with console.status("Asking again"):
        after = [ask(spark, path, question) for question in QUESTIONS]
        rows_after = _fingerprint(spark, path)
    for question, old, new in zip(QUESTIONS, before, after, strict=True):
        _check_same(question.where, old.answer, new.answer, path)
    _check_same("number and hash of all rows", rows_before, rows_after, path)
    console.print(
        f"\n4. Asked again: all {len(QUESTIONS)} answers are identical, "
        f"and so are all {rows_after[0]:,} rows\n"
    )
    console.print(_comparison(before, after))
    console.print("(most of the time is planning: files and rows are what grows with a table)")
    layouts = {"before": stats_before, "after": table.column_stats(COLUMNS)}
    plots.layout(layouts, "distance", "dep_time", folder / _PICTURE)


def _write(frame: DataFrame, commit: int, path: Path) -> None:
    """Writes the flights of every eighth day, so that each file holds all routes at all hours."""
    day = F.dayofyear("time_hour")
    options = {
        "hoodie.table.name": "flights",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.bulkinsert.sort.mode": "NONE",
        "hoodie.metadata.index.column.stats.enable": "true",
    }
    rows = frame.where(day % COMMITS == commit).repartition(FILES_PER_COMMIT, "id")
    rows.write.format("hudi").options(**options).mode("append").save(str(path))


def _fingerprint(spark: SparkSession, path: Path) -> tuple[Any, ...]:
    """Returns the number of rows and the sum of their hashes, which no order of rows changes."""
    frame = spark.read.format("hudi").load(str(path)).drop("_hoodie_file_name")
    hashes = F.sum(F.xxhash64(*frame.columns).cast("decimal(38,0)"))
    return tuple(frame.agg(F.count("*"), hashes).collect()[0])


def _check_same(what: str, before: object, after: object, path: Path) -> None:
    if before != after:
        raise ClusteringError(
            f"Cannot vouch for the clustering: '{what}' was {before} and is {after}; "
            f"keep '{path}' and report it"
        )


def _comparison(before: Sequence[Answered], after: Sequence[Answered]) -> Table:
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="bold")
    table.add_column("predicate", no_wrap=True)
    for name in ("files", "rows", "time"):
        table.add_column(f"{name}\nbefore", justify="right")
        table.add_column(f"{name}\nafter", justify="right")
    for question, old, new in zip(QUESTIONS, before, after, strict=True):
        table.add_row(
            question.where,
            *(f"{asked.read.files:,}" for asked in (old, new)),
            *(f"{asked.read.rows:,}" for asked in (old, new)),
            *(f"{asked.seconds:.2f} s" for asked in (old, new)),
        )
    return table


def _session(log: Path, scratch: Path) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("hudi-zorder demo")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.ui.enabled", "false")
    )
    return started(configure_spark(builder), log)


def _make_room(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _LOG).is_file():
        raise OptionError(
            f"Cannot run the demo: 'folder' was '{folder}', which holds something else; "
            "name a new or an empty folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _LOG).touch()
    shutil.rmtree(folder / "flights", ignore_errors=True)


def _program() -> str:
    """Returns the command as it was typed, so that the next one can be copied."""
    return sys.argv[0] if Path(sys.argv[0]).name == "hudi-zorder" else "hudi-zorder"
