"""Layouts for queries that ask for some of a table's partitions: each is cut for its own."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_tables import fingerprint
from hudi_zorder.options import QUERIES
from hudi_zorder.spark.location import open_snapshot
from hudi_zorder.workload.asked_partitions import PARTITIONS, plan_text
from hudi_zorder.workload.queries_to_plan import queries_for_plan

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 40_000
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "60KB"}
BY_REGION = {"datasource__write__partitionpath__field": "region"}
FOLLOWING = {
    **BY_REGION,
    "bulkinsert__user__defined__partitioner__class": "io.hudizorder.ZOrderBulkInsertPartitioner",
}


def rows(spark: SparkSession, first: int) -> DataFrame:
    """Independent ``a`` and ``b`` in two partitions of as many rows, and a few rows in none."""
    return spark.range(first, first + ROWS, 1, 2).select(
        F.expr("cast(id as string)").alias("id"),
        F.expr("cast(pmod(xxhash64(id, 1), 10000) as int)").alias("a"),
        F.expr("cast(pmod(xxhash64(id, 2), 10000) as int)").alias("b"),
        F.expr("md5(cast(id as string))").alias("text"),
        F.expr("if(id % 800 = 0, null, if(id % 2 = 0, 'EU', 'US'))").alias("region"),
    )


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(rows(spark, 0), tmp_path_factory.mktemp("regions") / "regions", **BY_REGION)


def asked(seed: int) -> list[str]:
    """Those of one region ask for ranges of ``a``, those of the other of ``b``."""
    draw = random.Random(seed)
    return [
        f"region = '{region}' AND {column} BETWEEN {low} AND {low + 150}"
        for region, column in (("EU", "a"), ("US", "b"))
        for low in (draw.randrange(9_800) for _ in range(15))
    ]


def share(table: hz.ZOrderTable, conditions: list[str]) -> float:
    """The share of all rows in files that are not skipped, in the mean."""
    return sum(table.explain(one).share_read for one in conditions) / len(conditions)


def copied(spark: SparkSession, path: str, folder: Path) -> hz.ZOrderTable:
    return hz.ZOrderTable(spark, str(shutil.copytree(path, folder / "regions")))


def unaware(spark: SparkSession, path: str, queries: list[str]) -> dict[str, str]:
    """The option by which files are cut in every partition for all queries."""
    document = json.loads(queries_for_plan(open_snapshot(spark, path), queries, "UTC", None).text)
    del document[PARTITIONS]
    return {QUERIES: plan_text(document)}


@pytest.mark.slow
def test_each_partition_is_laid_out_for_its_own_queries(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    before = copied(spark, path, tmp_path / "before")
    before.cluster(**LAYOUT, hudi_options=unaware(spark, path, asked(1)))
    table = copied(spark, path, tmp_path / "after")
    result = table.cluster(**LAYOUT, queries=asked(1))
    assert result.notes == ()
    assert fingerprint(spark, table.path) == fingerprint(spark, path)
    assert share(table, asked(1)) < 0.6 * share(before, asked(1))
    assert share(table, asked(2)) < 0.7 * share(before, asked(2))
    assert not table.plan()
    assert not table.plan(**LAYOUT, queries=asked(1))
    # A load that follows the layout is cut for them, too.
    read = share(table, asked(2))
    write(rows(spark, ROWS), table.path, **FOLLOWING)
    assert share(table, asked(2)) < 1.3 * read


@pytest.mark.slow
def test_what_is_foretold_is_read_afterwards(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    table = copied(spark, path, tmp_path)
    plan = table.plan(**LAYOUT, queries=asked(1))
    known, held_back = (part for part in plan.forecast if part.kind != "column")
    foretold = table.forecast(LAYOUT["columns"], queries=asked(1), target_file_size="60KB")
    result = table.cluster(**LAYOUT, queries=asked(1))
    assert result.forecast == plan.forecast
    assert result.after
    half_a_file = 0.5 / result.after.files
    assert known.queries < 0.1
    assert share(table, asked(1)) == pytest.approx(
        (known.queries + held_back.queries) / 2, rel=0.15, abs=half_a_file
    )
    mean = foretold.layout("queries").mean_known
    assert share(table, asked(1)) == pytest.approx(mean, rel=0.15, abs=half_a_file)
