"""What cannot be done is refused before anything is written, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hudi_tables import PLAN_STRATEGY, cluster_by_call, fingerprint, pending_instants

WriteHudi = Callable[..., str]


@pytest.fixture(scope="module")
def path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    from conftest import write

    frame = spark.range(100).selectExpr(
        "id",
        "cast(id % 7 as int) AS distance",
        "array(id) AS tags",
        "map('k', id) AS counts",
        "named_struct('x', id) AS place",
        "concat('p', id % 2) AS region",
    )
    table = tmp_path_factory.mktemp("refusals") / "t"
    return write(frame, table, datasource__write__partitionpath__field="region")


REFUSED = [
    ("distanse", {}, "there is no such column; did you mean 'distance'?"),
    ("place.y", {}, "no such column in 'place'; did you mean 'x'?"),
    ("tags", {}, "values of type array<bigint> have no order"),
    ("counts", {}, "values of type map<string,bigint> have no order"),
    ("place", {}, "name one of its fields, such as 'place.x'"),
    ("distance,distance", {}, "it is named twice"),
    ("distance,region", {}, "it is a partition column"),
    ("distance,", {}, "name the columns to cluster by, separated by commas"),
    (",".join(f"c{i}" for i in range(129)), {}, "at most 128"),
    (
        "distance",
        {"clustering__zorder__seeds": "1"},
        "did you mean 'hoodie.clustering.zorder.seed'",
    ),
    ("distance", {"clustering__zorder__seed": "one"}, "'one' is not a number"),
    ("distance", {"clustering__zorder__column__weights": "x=1"}, "'x' is not a sort column"),
    ("distance", {"layout__optimize__strategy": "HILBURT"}, "did you mean 'HILBERT'?"),
    ("distance", {"layout__optimize__curve__build__method": "GUESS"}, "DIRECT, SAMPLE"),
    ("distance", {"layout__optimize__build__curve__sample__size": "-1"}, "must lie between 1"),
]


@pytest.mark.parametrize("planned_by", ["hudi", "us"])
@pytest.mark.parametrize(("columns", "options", "message"), REFUSED)
def test_a_fault_is_named_with_its_remedy_and_nothing_is_left(
    spark: SparkSession,
    path: str,
    columns: str,
    options: dict[str, str],
    message: str,
    planned_by: str,
) -> None:
    before = fingerprint(spark, path)
    files = sorted(Path(path).rglob("*.parquet"))
    if planned_by == "us":
        options = {**options, "clustering__plan__strategy__class": PLAN_STRATEGY}

    with pytest.raises(Exception, match="Cannot cluster") as refusal:
        cluster_by_call(spark, path, columns, **options)

    said = str(refusal.value)
    assert message in said
    expected = "Nothing was planned" if planned_by == "us" else "was taken off the timeline"
    assert expected in said
    assert pending_instants(path) == []
    assert sorted(Path(path).rglob("*.parquet")) == files
    assert fingerprint(spark, path) == before


def test_a_refusal_inline_keeps_the_rows_just_written(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    frame = spark.range(50).selectExpr("id", "id AS distance")
    options = {
        "clustering__inline": "true",
        "clustering__inline__max__commits": "1",
        "clustering__execution__strategy__class": "io.hudizorder.ZOrderClusteringExecutionStrategy",
        "clustering__plan__strategy__sort__columns": "distanse",
    }

    with pytest.raises(Exception, match="did you mean 'distance'"):
        write_hudi(frame, tmp_path / "t", **options)

    assert fingerprint(spark, str(tmp_path / "t"))[0] == 50
    assert pending_instants(str(tmp_path / "t")) == []


def test_a_bucket_index_is_refused_by_the_plan(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    bucket = {
        "index__type": "BUCKET",
        "bucket__index__num__buckets": "2",
        "bucket__index__hash__field": "id",
        "datasource__write__recordkey__field": "id",
    }
    upsert = {"datasource__write__operation": "upsert"}
    frame = spark.range(50).selectExpr("id", "id AS distance")
    path = write_hudi(frame, tmp_path / "t", **bucket, **upsert)

    with pytest.raises(Exception, match=r"'hoodie\.index\.type' was 'BUCKET'"):
        cluster_by_call(
            spark, path, "distance", **bucket, clustering__plan__strategy__class=PLAN_STRATEGY
        )

    assert pending_instants(path) == []
