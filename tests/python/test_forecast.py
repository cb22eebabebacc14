"""Forecasts come true: real tables are forecast, then clustered, and their files are looked at."""

from __future__ import annotations

import json
import shutil
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import as_keywords, quick_first, write
from hudi_tables import pending_instants, read
from hudi_zorder.call_defaults import FORECAST_SAMPLE_ROWS
from hudi_zorder.commands import command
from hudi_zorder.forecast.duration import Duration, Work, duration_of, is_small
from hudi_zorder.hudi.last_layout import options_again
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import BUILD, QUERIES, Z_COLUMN

pytestmark = pytest.mark.usefixtures("without_metadata_table")

ROWS = 20_000
WriteHudi = Callable[..., str]
LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "tree": {},
    "linear": {"strategy": "LINEAR"},
    "zorder": {"cuts": "equal"},
    "hilbert": {"strategy": "HILBERT", "cuts": "equal"},
}


def real_share(spark: SparkSession, path: str, column: str) -> float:
    """The mean share of rows in files that an equality on an existing value cannot rule out."""
    rows = read(spark, path)
    value = F.col(column)
    by_file = rows.groupBy("_hoodie_partition_path", "_hoodie_file_name")
    files = by_file.agg(F.count("*"), F.min(value), F.max(value)).collect()
    counts = sorted(rows.where(value.isNotNull()).groupBy(value).count().collect())
    values = [row[0] for row in counts]
    below = [0, *accumulate(row[1] for row in counts)]
    touched = sum(
        file[2] * (below[bisect_right(values, file[4])] - below[bisect_left(values, file[3])])
        for file in files
        if file[3] is not None
    )
    return touched / sum(file[2] for file in files) / below[-1]


def compare(
    spark: SparkSession,
    path: str,
    tmp_path: Path,
    columns: Sequence[str],
    predicates: Sequence[str],
    within: float,
    layouts: Sequence[str],
    **options: Any,
) -> hz.Forecast:
    """Forecasts, then clusters a copy of the table by each layout, and compares."""
    sampling = {"sample_rows": options.pop("sample_rows", FORECAST_SAMPLE_ROWS)}
    where = options.pop("where", None)
    forecast = hz.ZOrderTable(spark, path).forecast(
        columns, predicates=predicates, where=where, **sampling, **options
    )
    for layout in layouts:
        copy = str(tmp_path / f"{layout}_{len(list(tmp_path.iterdir()))}")
        shutil.copytree(path, copy)
        table = hz.ZOrderTable(spark, copy)
        result = table.cluster(columns, where=where, **{**options, **LAYOUTS[layout]})
        assert (result.before.files, result.before.bytes) == (forecast.files, forecast.bytes)
        expected = forecast.layout(layout)
        assert expected.files == result.after.files, layout
        reads = [read.after for read in expected.reads]
        if where is None:  # the files of all partitions are those that were clustered
            real = [real_share(spark, copy, column) for column in columns]
            real += [table.explain(predicate).share_read for predicate in predicates]
            assert reads == pytest.approx(real, rel=within, abs=1e-9), layout
    return forecast


def made_up(spark: SparkSession, rows: int) -> DataFrame:
    """Rows whose columns ``a`` and ``b`` are independent; ``day`` has three values."""
    return spark.range(rows).select(
        "id",
        F.expr("cast(hash(id) as int)").alias("a"),
        F.expr("cast(xxhash64(id, 7) % 1000000 as double) / 8").alias("b"),
        F.expr("concat('2026-11-0', 1 + id % 3)").alias("day"),
        F.expr("repeat(md5(cast(id as string)), 2)").alias("text"),
    )


@pytest.fixture
def path(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    return made_once(tmp_path / "flat", lambda path: write(made_up(spark, ROWS), path))


@pytest.fixture
def partitioned(spark: SparkSession, made_once: Callable[..., str], tmp_path: Path) -> str:
    options = {"datasource__write__partitionpath__field": "day"}
    return made_once(tmp_path / "days", lambda path: write(made_up(spark, ROWS), path, **options))


def files_below(path: str) -> set[Path]:
    return {entry for entry in Path(path).rglob("*") if ".crc" not in entry.name}


@pytest.mark.slow
def test_a_z_column_is_a_layout_beside_those_of_its_columns(
    spark: SparkSession, tmp_path: Path
) -> None:
    options = hz.ZOrderOptions(columns=["a", "b"], z_column="_z", target_file_size="80KB")
    path = write(made_up(spark, ROWS), tmp_path / "t", **as_keywords(options.writer()))
    table = hz.ZOrderTable(spark, path)
    found = table.forecast(options=options)
    plain = table.forecast(options=replace(options, z_column=None))
    assert found.layouts[:-1] == plain.layouts
    assert (found.layouts[-1].layout, found.columns) == ("z-column", ("a", "b"))
    assert found.layouts[-1].reads not in [part.reads for part in plain.layouts]
    assert (Z_COLUMN in found.command) == (found.choice == "z-column")
    assert table.cluster(options=options).after.files == found.layout("z-column").files
    real = [real_share(spark, path, column) for column in ("a", "b")]
    assert [read.after for read in found.layout("z-column").reads[:2]] == pytest.approx(
        real, rel=0.01
    )


@pytest.mark.slow
def test_a_forecast_of_all_rows_is_what_clustering_gives(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    before = files_below(path)
    predicates = ["a = 77 AND b < 9000", "b BETWEEN 5 AND 6000", "a > 2000000000", "id < 5"]
    forecast = compare(
        spark, path, tmp_path, ["a", "b"], predicates, 1e-6, ["tree", "zorder"],
        target_file_size="60KB",
    )  # fmt: skip
    assert files_below(path) == before
    assert pending_instants(path) == []
    assert forecast.sampled_rows == forecast.rows == ROWS
    assert forecast.choice == "tree"
    assert [part.layout for part in forecast.layouts] == ["linear", "zorder", "hilbert", "tree"]
    for part in forecast.layouts:
        assert [read.now for read in part.reads[:2]] == pytest.approx([1.0, 1.0], abs=1e-3)
        assert part.reads[0].independent_share == pytest.approx(part.files**-0.5)
    tree = forecast.layout("tree")
    assert tree.mean == pytest.approx(sum(read.after for read in tree.reads[2:]) / 4)


@pytest.mark.slow
def test_a_sample_of_a_part_learns_the_layout_of_the_whole(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    forecast = compare(
        spark, path, tmp_path, ["a", "b"], ["b < 9000"], 0.05, ["tree"],
        target_file_size="100KB", sample_size=5000, sample_rows=8000,
    )  # fmt: skip
    assert 7000 < forecast.sampled_rows < 9000


@pytest.mark.slow
def test_partitions_are_forecast_one_by_one(
    spark: SparkSession, partitioned: str, tmp_path: Path
) -> None:
    predicates = ["day = '2026-11-02' AND a > 0", "a < -1000000000 OR b > 120000"]
    forecast = compare(
        spark, partitioned, tmp_path, ["a", "b"], predicates, 1e-6, ["tree"],
        target_file_size="60KB",
    )  # fmt: skip
    assert forecast.partitions == ("2026-11-01", "2026-11-02", "2026-11-03")
    [in_a_day, _] = forecast.layout("tree").reads[2:]
    assert in_a_day.after < 0.3
    assert in_a_day.independent_share < 1 / 3


@pytest.mark.slow
def test_chosen_partitions_alone_are_forecast(
    spark: SparkSession, partitioned: str, tmp_path: Path
) -> None:
    forecast = compare(
        spark, partitioned, tmp_path, ["a", "b"], [], 1e-6, ["tree"],
        where="day = '2026-11-02'", target_file_size="60KB",
    )  # fmt: skip
    assert forecast.partitions == ("2026-11-02",)
    assert forecast.rows == forecast.sampled_rows == (ROWS + 1) // 3
    assert "--where" in forecast.command


@pytest.mark.slow
def test_groups_within_a_partition_are_forecast_one_by_one(
    spark: SparkSession, path: str, tmp_path: Path
) -> None:
    half = sum(file.stat().st_size for file in Path(path).glob("*.parquet")) * 2 // 3
    compare(
        spark, path, tmp_path, ["a", "b"], ["b < 9000"], 1e-6, ["tree"],
        target_file_size="100KB", max_bytes_per_group=half,
    )  # fmt: skip


@pytest.mark.slow
def test_log_files_are_merged_before_rows_are_looked_at(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = {"datasource__write__table__type": "MERGE_ON_READ"}
    path = write_hudi(made_up(spark, ROWS), tmp_path / "mor", **options)
    options["datasource__write__operation"] = "upsert"
    write_hudi(made_up(spark, 4000).withColumn("a", F.lit(7)), path, **options)
    forecast = compare(
        spark, path, tmp_path, ["a", "b"], ["a = 7"], 0.02, ["tree"], target_file_size="100KB"
    )
    shares = [read.now for read in forecast.layout("tree").reads]
    assert shares == pytest.approx([1.0, 1.0, 1.0])  # summed in the order of random file names
    assert "are always read now" in str(forecast)


TYPES = {
    "truth": ("id % 5 = 0", "truth"),
    "small": ("cast(id % 100 as int)", "small < 7"),
    "number": ("xxhash64(id)", "number > 8000000000000000000"),
    "money": ("cast(id % 900 as decimal(9, 2)) / 7", "money < 3.5"),
    "huge": ("cast(xxhash64(id) as decimal(38, 4)) * 1000000000", "huge < 0"),
    "single": ("cast(rand(3) as float)", "single > 0.9"),
    "real": ("if(id % 50 = 0, double('NaN'), rand(4))", "real < 0.1"),
    "day": ("date_add(date '1970-01-01', cast(id % 3000 as int))", "day < '1970-03-01'"),
    "time": ("timestamp_micros(id * 1000003)", "time < '1970-01-01 00:10:00'"),
    "local": ("cast(timestamp_micros(id * 999) as timestamp_ntz)", "local IS NOT NULL"),
    "text": ("if(id % 3 = 0, null, md5(cast(id as string)))", "text LIKE 'a%'"),
    "raw": ("unhex(md5(cast(id as string)))", "raw > X'F0'"),
    "nested": ("struct(id % 77 as x)", "nested.x = 5"),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*a NaN makes:hudi_zorder.UnsafeStatisticsWarning")
def test_every_type_is_forecast_as_it_is_clustered(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    columns = [F.expr(expression).alias(name) for name, (expression, _) in TYPES.items()]
    path = write_hudi(spark.range(6000).select("id", *columns), tmp_path / "types")
    predicates = [predicate for _, predicate in TYPES.values()]
    table = hz.ZOrderTable(spark, path)
    for names in (["money", "text", "real"], ["huge", "time", "truth", "nested.x"]):
        forecast = table.forecast(names, predicates=predicates, target_file_size="60KB")
        copy = str(tmp_path / f"by_{names[0]}")
        shutil.copytree(path, copy)
        clustered = hz.ZOrderTable(spark, copy)
        clustered.cluster(names, target_file_size="60KB")
        expected = forecast.layout("tree").reads[len(names) :]
        real = [clustered.explain(predicate).share_read for predicate in predicates]
        assert [read.after for read in expected] == pytest.approx(real, rel=1e-6), names


def test_a_column_may_be_called_as_nobody_would_expect(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    names = {"id": "id", "id % 7": "group", "id * 3": "hash", "hash(id)": "v0", "-id": "file"}
    columns = [F.expr(expression).alias(name) for expression, name in names.items()]
    path = write_hudi(spark.range(3000).select(*columns), tmp_path / "odd")
    table = hz.ZOrderTable(spark, path)
    forecast = table.forecast(
        ["hash", "v0"], predicates=["`group` = 3", "file > -10"], target_file_size="30KB"
    )
    [by_hash, by_v0, in_group, in_file] = forecast.layout("tree").reads
    assert in_group.after == 1.0
    assert in_file.after < 1.0
    assert max(by_hash.after, by_v0.after) < 0.7


def test_a_table_without_rows_is_refused(
    spark: SparkSession, write_hudi: WriteHudi, path: str
) -> None:
    rows = read(spark, path).select("id", "a", "b", "day", "text")
    write_hudi(rows, path, datasource__write__operation="delete")
    with pytest.raises(hz.TableError, match="Cannot forecast"):
        hz.ZOrderTable(spark, path).forecast(["a"])


@pytest.mark.slow
def test_time_is_forecast_by_the_table_s_own_history(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    assert table.forecast(["a"], target_file_size="60KB").seconds_from == "default"
    result = table.cluster(["a"], target_file_size="60KB")
    forecast = table.forecast(["a"], target_file_size="60KB")
    assert forecast.seconds_from == "history"
    assert forecast.seconds == pytest.approx(result.seconds["total"], rel=0.3)


def past(work: Work, seconds: float) -> hz.PastClustering:
    """A clustering that has done such work in a partition."""
    return hz.PastClustering(
        instant="20261121113523590",
        completed="20261121113623590",
        columns=("a",),
        strategy="ZORDER",
        mode="full",
        partitions=("",),
        files_before=8,
        files_after=work.files,
        rows=10_000_000,
        bytes_before=work.bytes,
        bytes=work.bytes,
        seconds=seconds,
    )


WORK = Work(bytes=200 << 20, files=8, groups=1)


def test_time_is_forecast_by_past_clusterings_that_are_like_it() -> None:
    def forecast(*clusterings: hz.PastClustering) -> Duration:
        return duration_of(WORK, 2, clusterings, 200_000)

    default = forecast()
    assert default.basis == "default"
    assert default.warm_seconds < default.seconds
    cold, warm = default.seconds, default.warm_seconds
    # One that has waited for its execution tells nothing beside one that has not.
    slow = forecast(past(WORK, 3 * cold), past(WORK, 2 * cold))
    assert (slow.seconds, slow.warm_seconds) == pytest.approx((2 * cold, 2 * warm))
    # Nor does one that was planned in the evening and executed at night, although all are.
    assert forecast(*[past(WORK, 11 * cold)] * 5) == default
    assert forecast(past(WORK, 11 * cold), past(WORK, 9 * cold)).seconds == pytest.approx(9 * cold)
    fast = forecast(past(WORK, warm))
    assert (fast.seconds, fast.warm_seconds) == pytest.approx((warm, warm))
    half = replace(WORK, bytes=WORK.bytes // 2)
    assert forecast(past(half, half.cold_seconds(2))).seconds == pytest.approx(cold)
    # What a small load takes is no measure of the table, nor the table of a small load.
    for size in (WORK.bytes // 10, 10 * WORK.bytes):
        assert forecast(past(replace(WORK, bytes=size), 1.0)) == default
    # The last five tell.
    later = [past(WORK, 2 * cold)] * 5
    assert forecast(past(WORK, warm), *later) == forecast(*later)


def test_small_groups_cost_little_beside_groups_with_jobs_of_their_own() -> None:
    assert is_small(rows=20_000, size=1 << 20, files=1, sample_size=200_000)
    for change in ({"rows": 200_001}, {"size": (64 << 20) + 1}, {"files": 2}):
        group = {"rows": 20_000, "size": 1 << 20, "files": 1, **change}
        assert not is_small(**group, sample_size=200_000)
    together = Work(bytes=60 << 20, files=60, groups=0, small_groups=60)
    alone = Work(bytes=60 << 20, files=60, groups=60)
    assert alone.seconds(2) - together.seconds(2) > 20


def test_the_command_and_the_call_do_what_was_forecast(spark: SparkSession, path: str) -> None:
    table = hz.ZOrderTable(spark, path)
    forecast = table.forecast(
        ["a", "b"], predicates=["a = 5"], target_file_size="60KB", column_weights={"a": 2}, seed=3
    )
    assert forecast.choice == "linear"
    assert f"hudi-zorder cluster {path} --columns a,b --strategy LINEAR" in forecast.command
    assert "--weights a=2" in forecast.command
    assert "--hudi hoodie.clustering.zorder.seed=3" in forecast.command
    result = eval(forecast.call, {"table": table})
    assert result.after.files == forecast.layout("linear").files
    [past] = table.history()
    assert (past.strategy, past.columns) == ("LINEAR", ("a", "b"))
    again = options_again(TableSnapshot.open(path), ["b", "a"])
    assert command(path, again) == forecast.command


def test_options_that_are_given_as_hudi_s_are_forecast(spark: SparkSession, path: str) -> None:
    """By the first eight letters all days are one; ranks tell them apart."""
    shares = [
        hz.ZOrderTable(spark, path)
        .forecast(["day"], hudi_options=options, target_file_size="60KB")
        .layout("tree")
        .reads[0]
        .after
        for options in ({}, {BUILD: "DIRECT"})
    ]
    assert shares[0] < 0.5
    assert shares[1] == 1.0


@pytest.mark.slow
def test_what_is_forecast_of_a_table_that_is_laid_out_so_is_what_is_done(
    spark: SparkSession, path: str
) -> None:
    table = hz.ZOrderTable(spark, path)
    table.cluster(["a", "b"], queries=["a = 5 AND b < 9", "a = 7 AND b < 9"])
    more = made_up(spark, 100).withColumn("id", F.col("id") + ROWS)
    write(more, path)
    forecast = table.forecast(["a", "b"])
    assert forecast.files == len(table.column_stats(["a"], source="footers"))
    assert "--mode full" in forecast.command
    result = eval(forecast.call, {"table": table})
    assert (result.before.files, result.before.bytes) == (forecast.files, forecast.bytes)
    assert result.after.files == forecast.layout(forecast.choice).files
    assert (table.history()[-1].mode, table.history()[-1].queries) == ("full", 0)


def test_a_forecast_prints_within_80_columns_and_as_json(spark: SparkSession, path: str) -> None:
    predicate = "text LIKE '%a rather long condition%' AND upper(text) = 'X' AND a = 7"
    forecast = hz.ZOrderTable(spark, path).forecast(["a", "b"], predicates=[predicate])
    lines = str(forecast).splitlines()
    assert all(len(line) <= 80 for line in lines if forecast.command not in line)
    assert any(line.startswith("Note: UPPER(text) = 'X'") for line in lines)
    assert f"  1: {predicate}" in lines
    assert json.loads(json.dumps(forecast.to_dict()))["choice"] == forecast.choice
    with pytest.raises(hz.OptionError, match="'name' was 'queries'; choose one of linear, zorder"):
        forecast.layout("queries")


@pytest.mark.parametrize(
    ("arguments", "kind", "named"),
    quick_first(
        [
            ({"columns": ["aa"]}, hz.ColumnError, "there is no column 'aa'"),
            ({"columns": ["a"], "predicates": ["c = 1"]}, hz.PredicateError, "no column 'c'"),
            ({"columns": ["a"], "sample_rows": 0}, hz.OptionError, "'sample_rows' was '0'"),
            ({"columns": ["a"], "where": "day = 'x'"}, hz.TableError, "no partition satisfies"),
            ({"columns": ["a"], "predicates": ["a ="]}, hz.PredicateError, "Cannot parse"),
            ({"columns": ["a"], "target_size": 1}, hz.OptionError, "no option 'target_size'"),
            ({"columns": ["day"]}, hz.OptionError, "is a partition column"),
            ({"columns": ["a"], "where": "a = 1"}, hz.PredicateError, "partition columns"),
            ({"columns": ["a"], "hudi_options": {QUERIES: "none"}}, hz.OptionError, "leave it out"),
            ({"columns": ["a"], "z_column": "z"}, hz.OptionError, "'z': there is no such column"),
        ],
        quick=4,
    ),
)
def test_what_cannot_be_forecast_is_refused(
    spark: SparkSession, partitioned: str, arguments: dict[str, Any], kind: type, named: str
) -> None:
    with pytest.raises(kind, match=named):
        hz.ZOrderTable(spark, partitioned).forecast(**arguments)


@pytest.mark.slow
def test_flights_come_true_within_a_tenth(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    from hudi_zorder.demo.flights import flights

    pq.write_table(flights(), tmp_path / "flights.parquet")
    frame = spark.read.parquet(str(tmp_path / "flights.parquet"))
    path = write_hudi(frame, tmp_path / "flights")
    predicates = ["distance > 4000", "dest = 'SEA'", "distance = 2475 AND dep_time < 700"]
    compare(
        spark, path, tmp_path, ["distance", "dep_time"], predicates, 0.1,
        ["tree", "linear", "hilbert"], target_file_size="500KB", sample_rows=200_000,
    )  # fmt: skip


@pytest.mark.slow
def test_skewed_values_come_true_within_a_tenth(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    frame = spark.range(300_000).select(
        "id",
        F.expr("cast(pow(rand(1), -1.2) * 10 as bigint)").alias("a"),
        F.expr("concat('u', cast(pow(rand(3), 4) * 5000 as int))").alias("s"),
        F.expr("exp(randn(2) * 3)").alias("b"),
    )
    path = write_hudi(frame, tmp_path / "skewed")
    predicates = ["a > 1000", "s = 'u7'", "b > 100 AND a < 12", "a <= 12 AND s LIKE 'u1%'"]
    forecast = compare(
        spark, path, tmp_path, ["a", "s"], predicates, 0.1, ["tree", "linear"],
        target_file_size="400KB", sample_rows=100_000,
    )  # fmt: skip
    counts = Counter(part.files for part in forecast.layouts)
    assert max(counts) > 10
