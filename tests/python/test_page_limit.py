"""The rows of a page, on every path by which our strategies write."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_tables import base_files, fingerprint
from hudi_zorder.parquet.file_schema import FileSchema
from hudi_zorder.parquet.page_index import FileDetails
from hudi_zorder.spark.scan_metrics import scan_metrics

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 6_000
LIMIT = 500
WriteHudi = Callable[..., str]


def frame(spark: SparkSession) -> DataFrame:
    return spark.range(0, ROWS, 1, 3).select(
        "id", F.expr("hash(id, 1) % 100000").alias("a"), F.expr("hash(id, 2) % 100000").alias("b")
    )


@pytest.fixture
def path(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    return made_once(tmp_path / "t", lambda path: write(frame(spark), path))


def page_rows(file: Path) -> dict[str, list[int]]:
    """The rows of each page, by column."""
    metadata = pq.read_metadata(file)
    assert metadata.num_row_groups == 1
    schema = FileSchema.of(metadata)
    rows = {}
    with FileDetails(pyarrow.fs.LocalFileSystem(), str(file), schema) as details:
        for name, leaf in schema.leaves.items():
            sizes = details.page_sizes(0, leaf)
            assert sizes is not None
            starts = [first for first, _ in sizes] + [metadata.num_rows]
            rows[name] = [end - start for start, end in itertools.pairwise(starts)]
    return rows


@pytest.mark.slow
@pytest.mark.parametrize("row_writer", quick_first([True, False]))
def test_clustering_limits_every_page_and_queries_read_fewer_rows(
    spark: SparkSession, path: str, row_writer: bool
) -> None:
    before = fingerprint(spark, path)
    writer = {"hoodie.datasource.write.row.writer.enable": row_writer}

    def rows_read() -> int:
        wanted = spark.read.format("hudi").load(path).where("a = 5 or b = 7")
        wanted.collect()
        return scan_metrics(wanted).rows

    hz.ZOrderTable(spark, path).cluster(["a", "b"], hudi_options=writer)
    whole = rows_read()
    result = hz.ZOrderTable(spark, path).cluster(
        ["a", "b"], mode="full", page_row_limit=LIMIT, hudi_options=writer
    )

    assert result
    [file] = base_files(spark, path)
    pages = page_rows(file)
    assert len(pages) == 8
    assert all(rows == [LIMIT] * (ROWS // LIMIT) for rows in pages.values())
    assert fingerprint(spark, path) == before
    # Of 12 pages a square curve of 3 to 4 pages a side keeps about half for two equalities.
    assert whole == ROWS
    assert rows_read() <= 0.7 * ROWS


def test_the_plan_carries_the_limit_to_whoever_executes_it(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    instant = table.schedule(["a", "b"], page_row_limit=LIMIT)
    assert instant is not None
    table.execute(instant)
    [file] = base_files(spark, path)
    assert max(max(rows) for rows in page_rows(file).values()) == LIMIT


def test_bulk_insert_limits_every_page(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = hz.ZOrderOptions(columns=["a", "b"], page_row_limit=LIMIT).bulk_insert()
    path = write_hudi(frame(spark), tmp_path / "t", **as_keywords(options))
    for file in base_files(spark, path):
        assert max(max(rows) for rows in page_rows(file).values()) == LIMIT


def test_another_writer_class_is_refused(spark: SparkSession, path: str) -> None:
    key = "hoodie.parquet.spark.row.write.support.class"
    with pytest.raises(hz.OptionError, match=f"'{key}' was 'com.example.Own'"):
        hz.ZOrderTable(spark, path).cluster(
            ["a"], page_row_limit=LIMIT, hudi_options={key: "com.example.Own"}
        )
    assert not hz.ZOrderTable(spark, path).pending()


@pytest.mark.parametrize("limit", [99, 0, 2**31, True, "500"])
def test_a_limit_that_no_page_can_have_is_refused(limit: int) -> None:
    with pytest.raises(hz.OptionError, match="'page_row_limit' was"):
        hz.ZOrderOptions(columns=["a"], page_row_limit=limit)
