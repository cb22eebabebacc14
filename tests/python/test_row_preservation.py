"""RowPreservationValidator, one of Hudi's pre-commit validators: only whole rows are committed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import (
    HUDIS_STRATEGY,
    STRATEGY,
    base_files,
    cluster_by_call,
    evolving,
    fingerprint,
    pending_instants,
    read,
)

pytestmark = pytest.mark.usefixtures("without_metadata_table")

VALIDATOR = {"precommit__validators": "io.hudizorder.RowPreservationValidator"}
ROWS = 600
WriteHudi = Callable[..., str]


def frame(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 2).selectExpr(
        "id",
        "hash(id) AS a",
        "concat('p', id % 2) AS part",
        "IF(id % 50 = 0, double('NaN'), -id / 3) AS number",
        "cast(id as decimal(38,10)) AS amount",
        "timestamp_micros(id * 86400000003) AS at",
        "named_struct('x', id, 'y', array(id, id + 1), 'z', map('k', id)) AS nested",
    )


@pytest.fixture
def renamed_column(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    """A table of which Hudi's own clustering, run apart from a write, loses a column."""

    def make(path: Path) -> None:
        write(frame(spark), path)
        with evolving(spark, path):
            spark.sql("ALTER TABLE evolved RENAME COLUMN a TO renamed")

    return made_once(tmp_path / "t", make)


@pytest.mark.parametrize("strategy", quick_first([STRATEGY, HUDIS_STRATEGY]))
@pytest.mark.parametrize("kind", quick_first(["MERGE_ON_READ", "COPY_ON_WRITE"]))
def test_a_clustering_that_keeps_all_rows_is_committed(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, kind: str, strategy: str
) -> None:
    options = {
        "datasource__write__table__type": kind,
        "datasource__write__partitionpath__field": "part",
    }
    path = write_hudi(frame(spark), tmp_path / "t", **options)
    changed = frame(spark).where("id % 10 = 3").withColumn("a", F.lit(None).cast("int"))
    write_hudi(changed, path, **{**options, "datasource__write__operation": "upsert"})
    before, files = fingerprint(spark, path), base_files(spark, path)

    executed = {"clustering__execution__strategy__class": strategy}
    cluster_by_call(spark, path, "a", **executed, **VALIDATOR)

    assert pending_instants(path) == []
    assert fingerprint(spark, path) == before
    assert not set(base_files(spark, path)) & set(files)


def test_a_clustering_of_which_no_row_is_left_is_committed(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t", datasource__write__table__type="MERGE_ON_READ")
    write_hudi(frame(spark), path, datasource__write__operation="delete")

    cluster_by_call(spark, path, "a", **VALIDATOR)

    assert pending_instants(path) == []
    assert read(spark, path).count() == 0


def test_a_clustering_that_loses_values_is_not_committed(
    spark: SparkSession, renamed_column: str
) -> None:
    path = renamed_column
    before = fingerprint(spark, path)

    hudis = {"clustering__execution__strategy__class": HUDIS_STRATEGY}
    told = r"Cannot commit clustering \d+: it read 600 rows of hash .* and wrote 600 rows of hash"
    with pytest.raises(Exception, match=told):
        cluster_by_call(spark, path, "id", **hudis, **VALIDATOR)

    assert len(pending_instants(path)) == 2  # requested and inflight
    assert fingerprint(spark, path) == before
    # The plan can be executed by a strategy that keeps rows.
    cluster_by_call(spark, path, "id", **VALIDATOR)
    assert pending_instants(path) == []
    assert fingerprint(spark, path) == before


def test_the_refusal_is_an_error_of_ours_in_python(
    spark: SparkSession, renamed_column: str
) -> None:
    hudis: dict[str, Any] = {
        "hoodie.precommit.validators": "io.hudizorder.RowPreservationValidator",
        "hoodie.clustering.execution.strategy.class": HUDIS_STRATEGY,
    }
    with pytest.raises(hz.ClusteringError, match=r"^Cannot commit clustering") as told:
        hz.ZOrderTable(spark, renamed_column).cluster(["id"], hudi_options=hudis)
    # Whoever has made the plan cancels it, so that nobody else is to be told to.
    assert "The plan was rolled back" in str(told.value)
    assert "stays pending" not in str(told.value)
    assert pending_instants(renamed_column) == []


def test_commits_that_change_rows_pass(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = write_hudi(frame(spark), tmp_path / "t", **VALIDATOR)
    few = frame(spark).where("id < 10")
    for operation in ("upsert", "delete", "insert_overwrite"):
        write_hudi(few, path, datasource__write__operation=operation, **VALIDATOR)
    assert read(spark, path).count() == 10
