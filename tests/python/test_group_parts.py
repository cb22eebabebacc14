"""What a limit of a group's bytes does: it divides a plan, and no layout."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import quick_first
from hudi_tables import (
    PLAN_STRATEGY,
    base_files,
    cluster_by_call,
    fingerprint,
    ordered_column,
    read_shares,
)

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


TWO_LEAST = (0, 2 * ROWS - 1)  # the values of the two files that lie first


@pytest.mark.slow
@pytest.mark.parametrize(("narrow", "wide"), [("int", "bigint"), ("float", "double")])
def test_a_part_has_files_from_before_and_after_a_type_was_widened(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, narrow: str, wide: str
) -> None:
    path = write_files(spark, write_hudi, tmp_path / "t", [narrow] * 3 + [wide] * 3)
    before = fingerprint(spark, path)

    done = hz.ZOrderTable(spark, path).cluster(
        columns=["a"], mode="full", max_groups=1, target_file_size="1GB",
        max_bytes_per_group=str(two_files(spark, path)),
    )  # fmt: skip

    assert sum(done.taken.values()) == 2
    assert fingerprint(spark, path) == before
    assert ranges(spark, path)[0] == TWO_LEAST


@pytest.mark.slow
@pytest.mark.parametrize("column", ["A", "a"])
def test_parts_are_ordered_by_a_column_in_any_spelling(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, column: str
) -> None:
    path = write_files(spark, write_hudi, tmp_path / "t", ["bigint"] * 6)
    options = {
        "clustering__plan__strategy__class": PLAN_STRATEGY,
        "clustering__plan__strategy__max__bytes__per__group": str(two_files(spark, path)),
        "clustering__plan__strategy__max__num__groups": "1",
        "clustering__zorder__mode": "full",
    }

    # Hudi's own procedure hands the name over as it is.
    cluster_by_call(spark, path, column, **options)

    assert ranges(spark, path)[0] == TWO_LEAST


@pytest.fixture
def scattered(
    spark: SparkSession,
    write_hudi: WriteHudi,
    made_once: Callable[..., str],
    tmp_path: Path,
) -> str:
    """Sixteen files, all of which have values from everywhere."""
    rows = spark.range(0, 16_000, 1, 16).selectExpr(
        "id", "cast(rand(1) * 1e6 as int) AS a", "cast(rand(2) * 1e6 as int) AS b"
    )
    return made_once(
        tmp_path / "scattered",
        lambda path: write_hudi(rows, path, bulkinsert__shuffle__parallelism="16"),
    )


def quarter(spark: SparkSession, path: str) -> str:
    """A limit of bytes that makes four groups of the table."""
    return str(sum(file.stat().st_size for file in base_files(spark, path)) * 26 // 100)


def boxes(spark: SparkSession, path: str) -> list[tuple[int, ...]]:
    files = [[ordered_column(file, c) for c in ("a", "b")] for file in base_files(spark, path)]
    return sorted(tuple(f(values) for values in file for f in (min, max)) for file in files)


@pytest.mark.parametrize("target", quick_first(["20000", "1GB"]))
def test_the_parts_of_a_partition_are_laid_out_as_one(
    spark: SparkSession, scattered: str, tmp_path: Path, target: str
) -> None:
    whole = shutil.copytree(scattered, tmp_path / "whole" / "scattered")
    options = {"columns": ["a", "b"], "target_file_size": target}
    hz.ZOrderTable(spark, str(whole)).cluster(**options)
    table = hz.ZOrderTable(spark, scattered)
    before = fingerprint(spark, scattered)

    plan = table.plan(max_bytes_per_group=quarter(spark, scattered), **options)
    instant = table.schedule(max_bytes_per_group=quarter(spark, scattered), **options)
    [pending] = table.pending()
    done = table.execute(instant)

    assert pending.groups == 4
    assert plan.files_after == done.after.files
    assert fingerprint(spark, scattered) == before
    assert boxes(spark, scattered) == boxes(spark, str(whole))
    # Nothing is left over: a second look finds one run.
    assert not table.cluster(**options)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["20000", "1GB"])
def test_a_forecast_is_of_all_parts_as_one(
    spark: SparkSession, scattered: str, target: str
) -> None:
    table = hz.ZOrderTable(spark, scattered)
    options = {"columns": ["a", "b"], "target_file_size": target}
    limit = quarter(spark, scattered)
    plan = table.plan(max_bytes_per_group=limit, **options)
    forecast = table.forecast(max_bytes_per_group=limit, **options)
    assert forecast.layout("tree").files == plan.files_after


def test_groups_of_hudis_own_planner_are_laid_out_as_one(
    spark: SparkSession, scattered: str
) -> None:
    before = fingerprint(spark, scattered)
    size = sum(file.stat().st_size for file in base_files(spark, scattered))

    [done] = cluster_by_call(
        spark, scattered, "a,b",
        clustering__plan__strategy__max__bytes__per__group=str(size * 26 // 100),
        clustering__plan__strategy__target__file__max__bytes=str(size // 15),
        clustering__plan__strategy__small__file__limit=str(size),
    )  # fmt: skip

    assert done["input_group_size"] >= 4
    assert fingerprint(spark, scattered) == before
    files = len(base_files(spark, scattered))
    assert files >= 15
    for share in read_shares(spark, scattered, ["a", "b"]).values():
        assert share < 1.3 * files**-0.5
