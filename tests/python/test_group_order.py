"""How a partition is divided into groups: by the least values of the first sort column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import quick_first
from hudi_tables import PLAN_STRATEGY, base_files, cluster_by_call, fingerprint, ordered_column

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 2000
WriteHudi = Callable[..., str]

# Files are written in this order, which is not that of their values.
STARTS = (4 * ROWS, 0, 3 * ROWS, ROWS, 5 * ROWS, 2 * ROWS)


def write_files(
    spark: SparkSession, write_hudi: WriteHudi, path: Path, types: Sequence[str]
) -> str:
    """One file a type, whose values of ``a`` are its own: no two files overlap."""
    for start, kind in zip(STARTS, types, strict=True):
        write_hudi(file_of(spark, start, kind), path, bulkinsert__shuffle__parallelism="1")
    files = base_files(spark, str(path))
    assert len(files) == len(STARTS)
    return str(path)


def file_of(spark: SparkSession, start: int, kind: str) -> DataFrame:
    return spark.range(start, start + ROWS, 1, 1).selectExpr("id", f"cast(id as {kind}) AS a")


def two_files(spark: SparkSession, path: str) -> int:
    """A limit of bytes that two files of the table fit into, and no three."""
    return 2 * max(file.stat().st_size for file in base_files(spark, path)) + 1


def ranges(spark: SparkSession, path: str) -> list[tuple[float, float]]:
    """The ranges of ``a`` in the table's files."""
    files = [ordered_column(file, "a") for file in base_files(spark, path)]
    return sorted((min(values), max(values)) for values in files)


IN_ORDER = [(n * 2 * ROWS, (n + 1) * 2 * ROWS - 1) for n in range(3)]


@pytest.mark.parametrize(("narrow", "wide"), quick_first([("int", "bigint"), ("float", "double")]))
def test_groups_span_files_from_before_and_after_a_type_was_widened(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, narrow: str, wide: str
) -> None:
    path = write_files(spark, write_hudi, tmp_path / "t", [narrow] * 3 + [wide] * 3)
    before = fingerprint(spark, path)

    assert hz.ZOrderTable(spark, path).cluster(
        columns=["a"], max_bytes_per_group=str(two_files(spark, path)), target_file_size="1GB"
    )

    assert fingerprint(spark, path) == before
    assert ranges(spark, path) == IN_ORDER


@pytest.mark.parametrize("column", quick_first(["A", "a"]))
def test_groups_are_ordered_by_a_column_in_any_spelling(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, column: str
) -> None:
    path = write_files(spark, write_hudi, tmp_path / "t", ["bigint"] * 6)
    options = {
        "clustering__plan__strategy__class": PLAN_STRATEGY,
        "clustering__plan__strategy__max__bytes__per__group": str(two_files(spark, path)),
    }

    # Hudi's own procedure hands the name over as it is.
    cluster_by_call(spark, path, column, **options)

    assert ranges(spark, path) == IN_ORDER
