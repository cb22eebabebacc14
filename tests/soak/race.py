"""A writer and a clusterer, each a process of its own, on one table; started by test_race.py.

python race.py write PATH KIND WRITER LOADS SEED TOLD  # what was acknowledged goes into TOLD
python race.py cluster PATH MODE STOP                  # again and again, until STOP is there
python race.py check PATH ...                          # clusters, and prints what Hudi shows
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
from metadata_listing import check_listing
from people_tables import Case, Table, check_metadata
from sql_statements import delete, insert_overwrite, merge, say, update

REGIONS = 3
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "30KB", "wait_for_writers": 60}
# How often each is drawn.
OPERATIONS = {
    "upsert": 5,
    "insert": 3,
    "bulk_insert": 2,
    "delete": 2,
    "insert_overwrite": 1,
    "SQL UPDATE": 2,
    "SQL DELETE": 1,
    "SQL MERGE": 2,
    "SQL INSERT OVERWRITE": 1,
}
FIRST_LOAD = 3_000


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


def columns(version: int) -> dict[str, str]:
    """The columns of a row, in SQL over its id."""
    return {
        "id": "id",
        "a": "cast(hash(id, 1) as int)",
        "b": "hash(id, 2) % 1000 + 0L",
        "region": f"concat('region-', id % {REGIONS})",
        "version": f"{version}",
    }


def rows(spark: SparkSession, ids: list[int], version: int) -> DataFrame:
    frame = spark.createDataFrame([(i,) for i in ids], "id long")
    return frame.selectExpr(*(f"{sql} AS {name}" for name, sql in columns(version).items()))


def statement(operation: str, ids: list[int], version: int) -> str:
    """What SQL says to do the same."""
    listed = ", ".join(f"{i}L" for i in ids)
    some, source = f"id IN ({listed})", f"FROM (SELECT explode(array({listed})) AS id)"
    chosen = {name: f"{sql} AS {name}" for name, sql in columns(version).items()}
    if operation == "SQL UPDATE":
        return update(f"version = {version}", some)
    if operation == "SQL DELETE":
        return delete(some)
    if operation == "SQL MERGE":
        return merge(f"SELECT {', '.join(chosen.values())} {source}")
    del chosen["region"]
    return insert_overwrite("region = 'region-0'", f"SELECT {', '.join(chosen.values())} {source}")


def drawn(draw: random.Random, told: dict[int, int]) -> tuple[str, list[int]]:
    """What to do next, and with which rows."""
    if not told:
        return "bulk_insert", list(range(FIRST_LOAD))
    operation = draw.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
    next_id = max(told) + 1
    fresh = list(range(next_id, next_id + draw.randint(50, 500)))
    if operation in ("insert", "bulk_insert"):
        return operation, fresh
    ids = draw.sample(sorted(told), min(len(told), draw.randint(50, 500)))
    if overwrites(operation):
        ids = [i for i in ids if i % REGIONS == 0]
    return operation, [*ids, *fresh] if operation == "SQL MERGE" else ids


def overwrites(operation: str) -> bool:
    """Whether it leaves nothing else of the partition ``region-0``, whose rows alone it writes."""
    return operation in ("insert_overwrite", "SQL INSERT OVERWRITE")


def after(told: dict[int, int], operation: str, ids: list[int], version: int) -> dict[int, int]:
    """The rows that there are once it is acknowledged."""
    if operation in ("delete", "SQL DELETE"):
        return {i: v for i, v in told.items() if i not in set(ids)}
    if overwrites(operation):
        told = {i: v for i, v in told.items() if i % REGIONS}
    return {**told, **dict.fromkeys(ids, version)}


def write(path: str, kind: str, writer: str, loads: int, seed: int, told_file: str) -> None:
    """Loads by Hudi's defaults, by a writer that knows nothing of any clustering, or ``locked``."""
    spark = session()
    draw = random.Random(seed)
    told: dict[int, int] = {}
    refused: list[str] = []
    for load in range(loads):
        operation, ids = drawn(draw, told)
        if not ids:
            continue
        options = {
            "hoodie.bulkinsert.shuffle.parallelism": "2",
            "hoodie.index.bloom.num_entries": "1000",
            **(LOCKING if writer == "locked" else {}),
        }
        try:
            if operation.startswith("SQL "):
                said = statement(operation, ids, load)
                say(spark, path, said, options, merges_on_read=kind == "MERGE_ON_READ")
            else:
                write_frame(rows(spark, ids, load), path, kind, operation, options)
        except Exception as fault:
            refused.append(f"{operation}: {reason(fault)}")
            continue
        told = after(told, operation, ids, load)
    Path(told_file).write_text(json.dumps({"told": list(told.items()), "refused": refused}))


def write_frame(
    frame: DataFrame, path: str, kind: str, operation: str, options: dict[str, str]
) -> None:
    chosen = {
        "hoodie.table.name": "race",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.partitionpath.field": "region",
        "hoodie.datasource.write.table.type": kind,
        "hoodie.datasource.write.operation": operation,
        # As it is first written, by the layout as well.
        **(hz.ZOrderOptions(**LAYOUT).bulk_insert() if operation == "bulk_insert" else {}),
        **options,
    }
    frame.write.format("hudi").options(**chosen).mode("append").save(path)


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


def check(paths: list[str]) -> None:
    """Fails unless each table's metadata table is true and nothing waits, once it is clustered.

    Prints the pairs of id and version that Hudi shows of each.
    """
    spark = session()
    case = Case("race", part="region", partition="region", where="a > 0 AND b < 500")
    shown = []
    for path in paths:
        table = hz.ZOrderTable(spark, path)
        table.cluster(**LAYOUT)
        assert not table.pending(), f"{path}: {table.pending()}"
        check_metadata(Table(spark, case, Path(path)))
        check_listing(spark, Path(path))
        rows = spark.read.format("hudi").load(path).select("id", "version").collect()
        shown.append([tuple(row) for row in rows])
    print(json.dumps(shown))


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    if verb == "write":
        table_path, table_kind, how, count, seed_text, file = arguments
        write(table_path, table_kind, how, int(count), int(seed_text), file)
    elif verb == "check":
        check(arguments)
    else:
        cluster(*arguments)
