"""Queries that Spark logs by its own listener of events, in every form in which it writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from conftest import write

CODECS = ("zstd", "lz4", "snappy", "lzf")

# What is asked, and how a log of it is read; None when nothing of it can be used.
ASKED: Mapping[str, str | None] = {
    "a = 5": "a = 5",
    "a BETWEEN 3 AND 9 AND price < 12.5": "a >= 3 AND a <= 9 AND price < 12.50",
    "name IN ('n1', 'n2')": "name IN ('n1', 'n2')",
    "a IN (1,2,3,4,5,6,7,8,9,11,12)": "a IN (1, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9)",
    "name LIKE 'n1%'": "name LIKE 'n1%'",
    r"name LIKE 'n\\_1%'": r"name LIKE 'n\\_1%'",
    "name NOT LIKE '%3'": "name NOT LIKE '%3'",
    "maybe IS NULL": "maybe IS NULL",
    "maybe IS NOT NULL": "maybe IS NOT NULL",
    "(a = 1 AND x > 2.5e10) OR (name = 'n2' AND price >= 3)": (
        "(a = 1 AND x > 25000000000.0D) OR (name = 'n2' AND price >= 3.00)"
    ),
    "d = DATE'2026-01-05' AND NOT flag": "d = DATE '2026-01-05' AND NOT flag",
    "ts < TIMESTAMP'2026-01-02 03:04:05.5'": "ts < TIMESTAMP '2026-01-02 03:04:05.500000Z'",
    "s.u = 3 AND a <=> 3": "s.u = 3 AND a <=> 3",
    "day = '2026-01' AND a != 7": "day = '2026-01' AND a != 7",
    "name = 'a AND b = 5, c' OR a = 1": "name = 'a AND b = 5, c' OR a = 1",
    "upper(name) = 'N1' AND a = 3": "a = 3",
    "length(name) > 1 OR a = 1": None,
    "name = 'a), (b'": None,
}


def write_table(spark: SparkSession, path: Path) -> str:
    """Writes the table that is asked."""
    frame = spark.range(0, 60, 1, 1).select(
        "id",
        F.expr("cast(id % 20 as int)").alias("a"),
        F.expr("concat('n', id % 7)").alias("name"),
        F.expr("date_add(date'2026-01-01', cast(id % 30 as int))").alias("d"),
        F.expr("cast(id / 4 as decimal(10, 2))").alias("price"),
        F.expr("cast(id as double) * 1e9").alias("x"),
        F.expr("timestamp_seconds(1767225600 + id * 3600)").alias("ts"),
        F.expr("named_struct('u', cast(id % 5 as int))").alias("s"),
        F.expr("if(id % 2 = 0, null, id)").alias("maybe"),
        F.expr("id % 3 = 0").alias("flag"),
        F.expr("concat('2026-0', 1 + id % 2)").alias("day"),
    )
    options = {
        "datasource__write__partitionpath__field": "day",
        "bulkinsert__shuffle__parallelism": "1",
        "metadata__enable": "false",
    }
    return write(frame, path, **options)


def ask(spark: SparkSession, path: str, conditions: Sequence[str]) -> None:
    """Has a table scanned for each condition."""
    table = spark.read.format("hudi").load(path)
    for condition in conditions:
        table.where(condition).select("id").collect()


@contextmanager
def event_logs(spark: SparkSession, folder: Path) -> Iterator[None]:
    """While it lasts, what the session does is logged: plain, with each codec, and rolling."""
    forms = {"plain": {}, **{codec: _compressed(codec) for codec in CODECS}}
    forms["rolling"] = {"spark.eventLog.rolling.enabled": "true", **_compressed("zstd")}
    with ExitStack() as stack:
        for name, settings in forms.items():
            stack.enter_context(_event_log(spark, folder / name, settings))
        # Spark tells its settings to its listeners at its start, and whenever a file is added.
        (folder / "any.txt").write_text("")
        spark.sparkContext.addFile(str(folder / "any.txt"))
        yield
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()


@contextmanager
def _event_log(spark: SparkSession, folder: Path, settings: Mapping[str, str]) -> Iterator[None]:
    folder.mkdir()
    jvm: Any = spark.sparkContext._jvm
    context = spark.sparkContext._jsc.sc()
    conf = context.conf().clone().set("spark.eventLog.logStageExecutorMetrics", "false")
    for key, value in settings.items():
        conf.set(key, value)
    listener = jvm.org.apache.spark.scheduler.EventLoggingListener(
        f"app-{folder.name}",
        jvm.scala.Option.empty(),
        jvm.java.net.URI(folder.as_uri()),
        conf,
    )
    listener.start()
    context.listenerBus().addToEventLogQueue(listener)
    try:
        yield
    finally:
        context.listenerBus().removeListener(listener)
        listener.stop()


def _compressed(codec: str) -> dict[str, str]:
    return {"spark.eventLog.compress": "true", "spark.eventLog.compression.codec": codec}
