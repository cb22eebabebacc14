"""A table laid out as ``bulk_insert`` first writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, quick_first
from hudi_tables import base_files, fingerprint, ordered_column, read, read_shares

pytestmark = pytest.mark.usefixtures("without_metadata_table")

TARGET = "clustering__plan__strategy__target__file__max__bytes"
ROWS = 20_000
WriteHudi = Callable[..., str]


def frame(spark: SparkSession, rows: int = ROWS, region: str = "'all'") -> DataFrame:
    return spark.range(rows).select(
        F.col("id"),
        F.expr("cast(hash(id, 1) as int)").alias("a"),
        F.expr("hash(id, 2) % 1000000 + 0L").alias("b"),
        F.expr("concat('customer-', hash(id, 3))").alias("name"),
        F.expr(region).alias("region"),
    )


SORT_COLUMNS = "clustering__plan__strategy__sort__columns"


def layout(target: int, **chosen: Any) -> dict[str, str]:
    """The keys of a layout by (a, b) as ``write_hudi`` takes them."""
    options = hz.ZOrderOptions(columns=["a", "b"], target_file_size=target, **chosen)
    return as_keywords(options.bulk_insert())


def hashed(rows: DataFrame) -> tuple[int, Any]:
    """Rows and an order-independent hash over their data columns."""
    hashes = rows.select(
        F.xxhash64("id", "a", "b", "name", "region").cast("decimal(38,0)").alias("h")
    )
    [row] = hashes.agg(F.count("h"), F.sum("h")).collect()
    return row[0], row[1]


def content(spark: SparkSession, path: str) -> set[tuple[str, frozenset[int]]]:
    """Which rows share a file, without the names of files, which are random."""
    rows = read(spark, path).groupBy("_hoodie_partition_path", "_hoodie_file_name")
    return {(row[0], frozenset(row[2])) for row in rows.agg(F.collect_set("id")).collect()}


def test_files_are_as_full_as_asked_and_skip_close_to_the_optimum(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    target = 60_000
    path = write_hudi(frame(spark), tmp_path / "t", **layout(target))

    assert hashed(read(spark, path)) == hashed(frame(spark))
    sizes = [file.stat().st_size for file in base_files(spark, path)]
    assert max(sizes) <= 1.3 * target
    assert sum(sizes) / target <= len(sizes) <= 1.4 * sum(sizes) / target + 1
    optimum = len(sizes) ** -0.5
    shares = read_shares(spark, path, ["a", "b"])
    assert sum(shares.values()) / 2 <= 1.15 * optimum


def test_files_have_the_schema_of_hudis_own_bulk_insert(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    ours = write_hudi(frame(spark, 100), tmp_path / "ours" / "t", **layout(400_000))
    theirs = write_hudi(frame(spark, 100), tmp_path / "theirs" / "t")

    def schema(path: str) -> str:
        return str(pq.ParquetFile(base_files(spark, path)[0]).schema).split("\n", 1)[1]

    assert schema(ours) == schema(theirs)


@pytest.mark.slow
def test_the_writer_cuts_no_leaf_again(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # What stands in the way otherwise: Hudi rolls a file by the size it has in memory.
    small = {**layout(400_000), "parquet__max__file__size": "20000"}
    path = write_hudi(frame(spark), tmp_path / "t", **small)

    assert len(base_files(spark, path)) <= 3


@pytest.mark.slow
def test_without_a_target_files_stay_below_hudis_limit(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    chosen = {**layout(60_000), "parquet__max__file__size": "150000"}
    del chosen[TARGET]
    path = write_hudi(frame(spark), tmp_path / "t", **chosen)

    sizes = [file.stat().st_size for file in base_files(spark, path)]
    assert max(sizes) <= 150_000
    assert len(sizes) <= sum(sizes) / 150_000 * 1.6 + 1


@pytest.mark.slow
def test_large_partitions_have_trees_of_their_own_and_small_ones_a_file_each(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    # Three partitions of 8,000 rows; ten of 100.
    region = "if(id < 24000, concat('large-', id % 3), concat('small-', id % 10))"
    rows = frame(spark, 25_000, region)
    target = 60_000
    path = write_hudi(
        rows, tmp_path / "t", **layout(target), datasource__write__partitionpath__field="region"
    )

    assert hashed(read(spark, path)) == hashed(rows)
    files = Counter(file.parent.name for file in base_files(spark, path))
    assert all(count == 1 for name, count in files.items() if name.startswith("small"))
    assert len(files) == 13
    large = read(spark, path).where("region = 'large-1'").cache()
    assert 4 <= files["large-1"] <= 12
    shares = [share(large, column) for column in ("a", "b")]
    assert sum(shares) / 2 <= 1.15 * files["large-1"] ** -0.5


def share(rows: DataFrame, column: str) -> float:
    """Share of a partition's rows in files that min/max cannot rule out for 200 values."""
    bounds = rows.groupBy("_hoodie_file_name").agg(
        F.count("*").alias("rows"), F.min(column).alias("low"), F.max(column).alias("high")
    )
    values = [row[0] for row in rows.orderBy(F.xxhash64("id")).select(column).limit(200).collect()]
    files = bounds.collect()
    touched = sum(
        file["rows"] for file in files for value in values if file["low"] <= value <= file["high"]
    )
    return touched / sum(file["rows"] for file in files) / len(values)


@pytest.mark.slow
def test_partitions_that_the_sample_has_not_seen_have_a_file_each(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = frame(spark, 600, "concat('region-', id % 8)")
    chosen = layout(1 << 20, sample_size=4)
    path = write_hudi(
        rows, tmp_path / "t", **chosen, datasource__write__partitionpath__field="region"
    )

    assert hashed(read(spark, path)) == hashed(rows)
    assert len(base_files(spark, path)) == 8


@pytest.mark.slow
def test_the_same_rows_and_seed_give_the_same_files(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    region = "concat('region-', id % 2)"
    # A sample of some of the rows, spread over other tasks the second time.
    chosen = layout(40_000, sample_size=3000, seed=5)
    rows = frame(spark, 10_000, region)
    paths = [
        write_hudi(
            given, tmp_path / name, **chosen, datasource__write__partitionpath__field="region"
        )
        for name, given in [("first", rows), ("second", rows.repartition(7))]
    ]

    first, second = (sorted_ids(spark, path) for path in paths)
    assert len(first) > 4
    assert first == second


def sorted_ids(spark: SparkSession, path: str) -> list[list[int]]:
    """The ids of every file, in the file's own order."""
    return sorted(ordered_column(file, "id") for file in base_files(spark, path))


@pytest.mark.parametrize(
    ("build", "strategy"),
    quick_first(
        [("DIRECT", "HILBERT"), ("SAMPLE", "LINEAR"), ("SAMPLE", "HILBERT"), ("DIRECT", "LINEAR")]
    ),
)
def test_every_layout_of_a_clustering_works(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, build: str, strategy: str
) -> None:
    chosen = layout(40_000, strategy=strategy, build=build)
    path = write_hudi(frame(spark, 6000), tmp_path / "t", **chosen)

    assert hashed(read(spark, path)) == hashed(frame(spark, 6000))
    assert len(base_files(spark, path)) > 2


@pytest.mark.slow
def test_rows_whose_keys_hudi_makes_up(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    chosen = {**layout(60_000), "datasource__write__recordkey__field": ""}
    paths = [write_hudi(frame(spark, 6000), tmp_path / name, **chosen) for name in "ab"]

    first, second = (content(spark, path) for path in paths)
    assert len(first) > 1
    assert first == second


@pytest.mark.slow
def test_a_row_goes_to_its_file_whatever_its_key_and_its_float_are_this_time(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """As keys and sums of a join are others when Spark makes lost rows again."""
    once = frame(spark, 6000).select("name", F.lit(7).alias("a"), F.lit(7).alias("b"))
    found = []
    for name in "xy":
        rows = once.withColumns({"id": F.expr("uuid()"), "sum": F.rand()})
        path = write_hudi(rows, tmp_path / name, **layout(60_000))
        files = read(spark, path).groupBy("_hoodie_file_name").agg(F.collect_set("name"))
        found.append({frozenset(row[1]) for row in files.collect()})

    assert len(found[0]) > 2
    assert found[0] == found[1]


@pytest.mark.slow
def test_a_time_whose_day_is_the_partition_may_be_sorted_by(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    by_day = {
        "datasource__write__partitionpath__field": "b",
        "datasource__write__keygenerator__class": (
            "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
        ),
        "keygen__timebased__timestamp__type": "EPOCHMILLISECONDS",
        "keygen__timebased__output__dateformat": "yyyy-MM-dd",
    }
    rows = frame(spark, 6000).withColumn("b", F.expr("id % 97 * 1000000 + 864000001"))
    path = write_hudi(rows, tmp_path / "t", **layout(30_000), **by_day)

    def found() -> tuple[int, Any]:
        # Hudi makes a text of the column.
        return hashed(read(spark, path).withColumn("b", F.col("b").cast("bigint")))

    assert len({file.parent for file in base_files(spark, path)}) == 2
    assert found() == hashed(rows)
    laid_out = read_shares(spark, path, ["b"])["b"]

    hz.ZOrderTable(spark, path).cluster(["b"], target_file_size="30KB")

    assert found() == hashed(rows)
    assert read_shares(spark, path, ["b"])["b"] < laid_out < 0.6


def test_columns_keep_their_names_behind_a_partition_column_that_files_do_not_store(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    """And where the sort columns are named as Hudi's own partitioners have them."""
    rows = frame(spark, 2_000, "concat('r', id % 2)").select("id", "region", "name", "a", "b")
    not_stored = {
        "datasource__write__partitionpath__field": "region",
        "datasource__write__drop__partition__columns": "true",
    }
    by_hudis_key = layout(1 << 20)
    del by_hudis_key[SORT_COLUMNS]
    path = write_hudi(rows, tmp_path / "t", **by_hudis_key, **not_stored)

    assert hashed(read(spark, path)) == hashed(rows)


def test_no_rows_make_no_files(spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path) -> None:
    path = write_hudi(frame(spark).where("id < 0"), tmp_path / "t", **layout(60_000))

    assert list(Path(path).glob("*.parquet")) == []


PARTITIONED = {"datasource__write__partitionpath__field": "region"}
FAULTS: list[tuple[dict[str, str], str]] = [
    ({SORT_COLUMNS: "a,bb"}, "there is no such column; did you mean 'b'?"),
    ({SORT_COLUMNS: "a,region"}, "it is a partition column"),
    ({SORT_COLUMNS: ""}, "name the columns to cluster by"),
    ({TARGET: "0"}, "max.bytes' was '0'; it must lie between 1 and"),
    ({TARGET: "128MB"}, "max.bytes' was '128MB'; '128MB' is not a number"),
    ({"clustering__zorder__sead": "1"}, "did you mean 'hoodie.clustering.zorder.seed'"),
    ({"layout__optimize__strategy": "HILBURT"}, "did you mean 'HILBERT'?"),
    (
        {"datasource__write__row__writer__enable": "false"},
        "'hoodie.datasource.write.row.writer.enable' was 'false'; set it to 'true'",
    ),
]


def test_a_fault_is_named_with_its_remedy_and_no_row_is_written(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    table = tmp_path / "t"
    rows = frame(spark, 100)

    for options, message in FAULTS:
        with pytest.raises(Exception, match="Cannot ") as refusal:
            write_hudi(rows, table, **{**layout(60_000), **PARTITIONED, **options})
        assert message in str(refusal.value)
        assert list(table.rglob("[!.]*.parquet")) == []
    # The next write finds its way past the attempts.
    write_hudi(rows, table, **{**layout(60_000), **PARTITIONED})
    assert fingerprint(spark, str(table))[0] == 100
