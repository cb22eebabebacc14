"""The order of rows inside a file: what pages skip by, read back with pyarrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from hudi_tables import base_files, ordered_column, session_settings

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 60_000
PAGE_ROWS = 500
OPTIMUM = (ROWS / PAGE_ROWS) ** -0.5
WriteHudi = Callable[..., str]


def frame(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 2).select(
        "id",
        F.expr("hash(id, 1)").alias("a"),
        F.expr("cast(pow(10, 9 * rand(7)) as bigint)").alias("b"),
    )


def clustered(
    spark: SparkSession, write_hudi: WriteHudi, folder: Path, **options: Any
) -> dict[str, list[int]]:
    """The sort columns of the one file that a clustering leaves, in the file's order."""
    path = write_hudi(frame(spark), folder)
    hz.ZOrderTable(spark, path).cluster(["a", "b"], page_row_limit=PAGE_ROWS, **options)
    [file] = base_files(spark, path)
    return {column: ordered_column(file, column) for column in ("id", "a", "b")}


def ratio(rows: dict[str, list[int]]) -> float:
    """Pages that equality on one of the two columns touches, of the optimum."""
    shares = []
    for column in ("a", "b"):
        pages = np.array(rows[column]).reshape(-1, PAGE_ROWS)
        asked = np.random.default_rng(1).choice(np.array(rows[column]), 500)[:, None]
        touched = (pages.min(axis=1) <= asked) & (asked <= pages.max(axis=1))
        shares.append(touched.mean())
    return float(np.mean(shares)) / OPTIMUM


@pytest.mark.slow
def test_tiles_touch_fewer_pages_than_the_curves(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    tiles, hilbert, zorder = (
        ratio(clustered(spark, write_hudi, tmp_path / order, file_order=order))
        for order in ("tiles", "hilbert", "zorder")
    )
    assert tiles < 1.1
    assert 1.12 < hilbert < 1.3 < zorder


@pytest.mark.slow
def test_tiles_do_not_care_how_values_become_words(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = clustered(spark, write_hudi, tmp_path / "t", build="DIRECT")
    assert ratio(rows) < 1.1


@pytest.mark.slow
def test_tiles_are_the_default_and_hilbert_that_of_the_hilbert_strategy(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    def order(name: str, **options: Any) -> list[int]:
        return clustered(spark, write_hudi, tmp_path / name, **options)["id"]

    tiles, hilbert = (order(name, file_order=name) for name in ("tiles", "hilbert"))
    assert tiles != hilbert
    assert order("default") == tiles
    assert order("strategy", strategy="HILBERT") == hilbert
    assert order("both", strategy="HILBERT", file_order="tiles") == tiles


@pytest.mark.slow
def test_generated_code_and_interpretation_give_the_same_files(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    compiled = clustered(spark, write_hudi, tmp_path / "compiled")
    interpreting = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    try:
        with session_settings(spark, interpreting):
            interpreted = clustered(spark, write_hudi, tmp_path / "interpreted")
    finally:
        # Hudi turns the vectorised reader off for good once a read cannot use it.
        spark.conf.unset("spark.sql.parquet.enableVectorizedReader")
    assert interpreted == compiled
