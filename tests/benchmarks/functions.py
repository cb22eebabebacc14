"""Experiment: seconds of a query by ``zorder_value`` and ``hilbert_value`` beside ``xxhash64``.

The queries read the same cached rows on one core and write nowhere; they take turns, so that a slow
minute of the machine meets them all. A query of the columns themselves tells what reading costs.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from session import start_session
from store import Store
from systems import TREE

COLUMNS: Final = {
    "two longs": ("a", "b"),
    "four mixed": ("a", "i", "d", "s"),
}
FUNCTIONS: Final = ("xxhash64", "zorder_value", "hilbert_value")
_EXTENSION: Final = "io.hudizorder.ZOrderSparkSessionExtension"
_ROWS = """
    SELECT xxhash64(id) AS a, xxhash64(id, 1) AS b, hash(id) AS i,
           hash(id, 2) / 7D AS d, concat('customer-', id) AS s
    FROM range(0, {rows}, 1, 1)"""


def run(results: Path, *, quick: bool) -> None:
    """Measures all functions on all columns, and keeps seconds a million calls."""
    store = Store(results, "functions-all")
    missing = [name for name in COLUMNS if name not in store.runs]
    if not missing:
        print("functions: there is a result already")
        return
    rows, rounds = (1_000_000, 5) if quick else (4_000_000, 15)
    spark = start_session(TREE, {"spark.sql.extensions": _EXTENSION}, "4g")
    try:
        frame = spark.sql(_ROWS.format(rows=rows)).cache()
        frame.createOrReplaceTempView("rows")
        frame.count()
        for name in missing:
            result = _measure(spark, COLUMNS[name], rows, rounds)
            store.add(name, result)
            print(f"functions {name}: {result}")
    finally:
        spark.stop()


def _measure(
    spark: SparkSession, columns: tuple[str, ...], rows: int, rounds: int
) -> dict[str, Any]:
    arguments = ", ".join(columns)
    queries = {name: f"SELECT {name}({arguments}) FROM rows" for name in FUNCTIONS}
    queries["reading alone"] = f"SELECT {arguments} FROM rows"
    seconds: dict[str, list[float]] = {name: [] for name in queries}
    for number in range(-2, rounds):  # two to warm up
        for name, query in queries.items():
            taken = _seconds(spark.sql(query))
            if number >= 0:
                seconds[name].append(taken * 1e6 / rows)
    return {name: median(taken) for name, taken in seconds.items()}


def _seconds(frame: DataFrame) -> float:
    started = time.monotonic()
    frame.write.format("noop").mode("overwrite").save()
    return time.monotonic() - started
