"""What a z-column skips where nothing but its own minimum and maximum is known, with numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from hudi import HudiReadOptions, HudiTableBuilder
from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_tables import base_files, read, session_settings
from hudi_zorder.hudi.last_layout import options_again
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark.scan_metrics import ScanMetrics, scan_metrics
from z_tables import ENABLED, OPTIONS, create

ROWS = 20_000
BOX = "a = 5 AND b BETWEEN 40 AND 60"
POINT = "a = 105 AND b = 17"


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> hz.ZOrderTable:
    """Some ten files sorted by the z-column, the only one with statistics in the index."""
    frame = spark.sql(
        f"SELECT id, pmod(hash(id), 200) a, pmod(hash(id, 1), 100) b, repeat('x', 50) c "
        f"FROM range({ROWS})"
    )
    path = tmp_path_factory.mktemp("z") / "t"
    z_table = hz.ZOrderTable(spark, create(frame, path))
    options = replace(OPTIONS, target_file_size="60KB", page_row_limit=100)
    z_table.cluster(options=options)
    return z_table


def _scanned(spark: SparkSession, path: str, predicate: str, enabled: bool) -> ScanMetrics:
    with session_settings(spark, {ENABLED: str(enabled).lower()}):
        frame = read(spark, path).where(predicate)
        frame.collect()
        return scan_metrics(frame)


def test_a_query_reads_fewer_files_by_the_added_ranges(
    spark: SparkSession, table: hz.ZOrderTable
) -> None:
    files = len(base_files(spark, table.path))
    assert files >= 6
    for predicate, most in ((BOX, files // 2), (POINT, 1)):
        assert _scanned(spark, table.path, predicate, False).files == files
        assert 1 <= _scanned(spark, table.path, predicate, True).files <= most


def test_pages_inside_a_file_are_skipped_by_the_added_range(
    spark: SparkSession, table: hz.ZOrderTable
) -> None:
    ranges = table.z_predicate(POINT)
    assert ranges is not None
    report = table.explain(ranges, select=["id"])
    [left] = [file for file in report.files if file.pages > file.stats_filtered_pages]
    assert (left.pages - left.stats_filtered_pages <= 2, left.pages >= 10) == (True, True)
    by_spark = _scanned(spark, table.path, POINT, True)
    assert (by_spark.files, by_spark.rows <= 300) == (1, True)


def test_hudi_rs_reads_one_file_by_the_range_as_text(
    spark: SparkSession, table: hz.ZOrderTable
) -> None:
    ranges = table.z_predicate(POINT, max_ranges=1)
    assert ranges is not None
    ends = re.findall(r"_z (=|>=|<=) '([0-9A-F]+)'", ranges)
    hudi = HudiTableBuilder.from_base_uri(table.path).build()
    asked = HudiReadOptions().with_filters([("_z", sign, digits) for sign, digits in ends])
    assert len(hudi.get_file_slices(asked)) == 1 < len(hudi.get_file_slices())
    found = sum(batch.num_rows for batch in hudi.read(asked))
    assert found == read(spark, table.path).where(POINT).count() > 0


def test_duckdb_opens_no_data_of_files_outside_the_ranges(
    spark: SparkSession, tmp_path: Path
) -> None:
    """It compares the first 8 characters of texts, in which z-values of these columns differ."""
    frame = spark.sql(
        f"SELECT id, md5(string(id)) a, md5(string(-id)) b, repeat('x', 50) c FROM range({ROWS})"
    )
    table = hz.ZOrderTable(spark, create(frame, tmp_path / "t"))
    table.cluster(options=replace(OPTIONS, target_file_size="200KB"))
    again = replace(OPTIONS, target_file_size="200KB", stats_columns=None)
    assert options_again(TableSnapshot.open(table.path), ["_z"]) == again
    asked = "a = md5('77') AND b = md5('-77')"
    ranges = table.z_predicate(asked)
    assert ranges is not None
    files = base_files(spark, table.path)
    stats = table.column_stats(["_z"], source="footers").to_pylist()
    paths = {file.name: file for file in files}
    asks = f"SELECT count(*) FROM read_parquet({[str(file) for file in files]}) WHERE {asked}"
    with duckdb.connect() as database:
        [z_value] = database.sql(
            f"SELECT _z FROM read_parquet({[str(file) for file in files]}) WHERE {asked}"
        ).fetchall()[0]
        others = [s["file"] for s in stats if not s["_z.min"] <= z_value <= s["_z.max"]]
        assert len(others) == len(files) - 1 >= 5
        for name in others:
            break_data(paths[Path(name).name])
        assert database.sql(f"{asks} AND ({ranges})").fetchall() == [(1,)]
        with pytest.raises(duckdb.Error):
            database.sql(asks).fetchall()


def break_data(file: Path) -> None:
    """Leaves nothing of a Parquet file but its footer."""
    content = bytearray(file.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    content[4:-footer] = b"\xff" * (len(content) - footer - 4)
    file.write_bytes(content)
