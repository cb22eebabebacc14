"""A writer and a clusterer, each a process of its own, on one table; started by test_race.py.

python race.py write PATH KIND WRITER LOADS SEED TOLD  # what was acknowledged goes into TOLD
python race.py cluster PATH MODE STOP                  # again and again, until STOP is there
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from hudi_zorder.options import LOCKING

REGIONS = 3
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "30KB", "wait_for_writers": 60}
OPERATIONS = {"upsert": 5, "insert": 3, "bulk_insert": 2, "delete": 2, "insert_overwrite": 1}


def session() -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
    )
    spark = hz.configure_spark(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def rows(spark: SparkSession, ids: list[int], version: int) -> DataFrame:
    frame = spark.createDataFrame([(i,) for i in ids], "id long")
    return frame.selectExpr(
        "id",
        "cast(hash(id, 1) as int) AS a",
        "hash(id, 2) % 1000 + 0L AS b",
        f"concat('region-', id % {REGIONS}) AS region",
        f"{version} AS version",
    )


def write(path: str, kind: str, writer: str, loads: int, seed: int, told_file: str) -> None:
    """Loads by Hudi's defaults, by a writer that knows nothing of any clustering, or ``locked``."""
    spark = session()
    draw = random.Random(seed)
    told: dict[int, int] = {}
    refused: list[str] = []
    for load in range(loads):
        operation = "bulk_insert"
        if load:
            operation = draw.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
        fresh = operation in ("insert", "bulk_insert")
        next_id = max(told, default=-1) + 1
        ids = list(range(next_id, next_id + 3_000)) if not load else []
        if load and fresh:
            ids = list(range(next_id, next_id + draw.randint(50, 500)))
        elif load:
            ids = draw.sample(sorted(told), min(len(told), draw.randint(50, 500)))
        if operation == "insert_overwrite":
            ids = [i for i in ids if i % REGIONS == 0]
        options = {
            "hoodie.table.name": "race",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "region",
            "hoodie.datasource.write.table.type": kind,
            "hoodie.datasource.write.operation": operation,
            "hoodie.bulkinsert.shuffle.parallelism": "2",
            "hoodie.index.bloom.num_entries": "1000",
            # As it is first written, by the layout as well.
            **(hz.ZOrderOptions(**LAYOUT).bulk_insert() if operation == "bulk_insert" else {}),
            **(LOCKING if writer == "locked" else {}),
        }
        try:
            frame = rows(spark, ids, load)
            frame.write.format("hudi").options(**options).mode("append").save(path)
        except Exception as fault:
            refused.append(f"{operation}: {reason(fault)}")
            continue
        if operation == "delete":
            for i in ids:
                told.pop(i, None)
        else:
            if operation == "insert_overwrite":
                told = {i: v for i, v in told.items() if i % REGIONS}
            told.update(dict.fromkeys(ids, load))
    shown = spark.read.format("hudi").load(path).select("id", "version").collect()
    Path(told_file).write_text(
        json.dumps({"told": list(told.items()), "refused": refused, "shown": len(shown)})
    )


def reason(fault: Exception) -> str:
    """Returns the innermost reason of what the JVM threw."""
    throwable = getattr(fault, "java_exception", None)
    while throwable is not None and throwable.getCause() is not None:
        throwable = throwable.getCause()
    return str(throwable or fault).splitlines()[0][:200]


def cluster(path: str, mode: str, stop: str) -> None:
    """Clusters and tells what came of it, a line each kind of outcome."""
    spark = session()
    outcomes: Counter[str] = Counter()
    while not Path(stop).exists():
        if not Path(path, ".hoodie", "hoodie.properties").exists():
            continue
        try:
            outcomes[str(bool(once(spark, path, mode)))] += 1
        except hz.HudiZOrderError as error:
            outcomes[f"{type(error).__name__}: {str(error)[:300]}"] += 1
        except Exception as error:
            outcomes[f"{type(error).__name__}: {str(error).splitlines()[0][:300]}"] += 1
    print(json.dumps(outcomes))


def once(spark: SparkSession, path: str, mode: str) -> Any:
    table = hz.ZOrderTable(spark, path)
    if mode == "schedule":
        instant = table.schedule(**LAYOUT)
        return instant and table.execute(instant)
    if mode == "call":
        for key, value in hz.ZOrderOptions(**LAYOUT).to_dict().items():
            spark.conf.set(key, value)
        return spark.sql(f"CALL run_clustering(path => '{path}')").collect()
    return table.cluster(**LAYOUT)


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "write":
        table_path, table_kind, how, count, seed_text, file = arguments
        write(table_path, table_kind, how, int(count), int(seed_text), file)
    else:
        cluster(*arguments)
