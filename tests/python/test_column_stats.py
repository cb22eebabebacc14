"""The index, the footers and a full scan agree; gaps of the index are noticed."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import quick_first
from hudi_tables import evolving
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.stats.column_stats import SOURCES, IndexWarning, _Compared
from hudi_zorder.stats.stats_index import IndexColumn
from hudi_zorder.stats.stats_table import ColumnValues, fields_of
from plain_table import base_file, write_plain_table

WriteHudi = Callable[..., str]
LIST = "metadata__index__column__stats__column__list"

# One expression for each type; id runs from 0 to 399, and a third of each column is null.
TYPES = {
    "boolean": "id % 2 = 0",
    "int": "cast(hash(id) as int)",
    "long": "xxhash64(id)",
    "float": "cast(xxhash64(id, 1) as float)",
    "double": "cast(xxhash64(id, 2) as double) / 1e9",
    "decimal_5_2": "cast((id - 200) / 7 as decimal(5, 2))",
    "decimal_18_9": "cast((id - 200) / 7 as decimal(18, 9))",
    "decimal_38_10": "cast(concat(id - 200, '12345678901234567890.0123456789') as decimal(38,10))",
    "date": "date_add(date'1969-12-01', cast(hash(id) % 9999 as int))",
    "timestamp": "timestamp_micros(xxhash64(id) % 2000000000000000)",
    "timestamp_ntz": "timestamp_ntz'1969-12-31 23:59:59.999999' + make_interval(0, 0, 0, id)",
    "string": "concat(substr('aé漢😀', 1 + cast(id % 4 as int), 1), id)",
    "binary": "unhex(hex(hash(id)))",
    "nested": "named_struct('inner', id * 3)",
}


def all_types(spark: SparkSession) -> DataFrame:
    columns = [
        F.expr(f"case when hash('{name}', id) % 3 != 0 then {sql} end").alias(name)
        for name, sql in TYPES.items()
    ]
    return spark.range(400).select("id", F.expr("cast(null as int)").alias("nothing"), *columns)


@pytest.fixture(scope="module")
def types_path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    from conftest import write

    path = tmp_path_factory.mktemp("stats") / "types"
    # Hudi indexes nested columns when they are named.
    names = ",".join(["id", "nothing", *TYPES]).replace("nested", "nested.inner")
    rows = all_types(spark).repartitionByRange(4, "id")
    return write(rows, path, bulkinsert__sort__mode="NONE", **{LIST: names})


def test_index_and_footers_agree_on_every_type(spark: SparkSession, types_path: str) -> None:
    table = hz.ZOrderTable(spark, types_path)
    index = table.column_stats(source="index")
    footers = table.column_stats(source="footers")
    assert index.schema.metadata[b"source"] == b"index"
    assert footers.schema.metadata[b"source"] == b"footers"
    assert len(set(index["file"].to_pylist())) == 4
    assert index.to_pylist() == footers.to_pylist()
    assert index.equals(footers)


def test_both_agree_with_a_scan(spark: SparkSession, types_path: str) -> None:
    columns = {"nested.inner" if name == "nested" else name: name for name in TYPES}
    columns["nothing"] = "nothing"
    stats = hz.ZOrderTable(spark, types_path).column_stats([*columns]).to_pylist()
    scanned = _scan(spark, types_path, *columns)
    assert {(row["file"], column) for row in stats for column in columns} == scanned.keys()
    for row, (column, name) in product(stats, columns.items()):
        low, high, nulls, rows = scanned[row["file"], column]
        found = (row[f"{column}.min"], row[f"{column}.max"])
        assert found == (_python(low, name), _python(high, name)), name
        assert (row[f"{column}.null_count"], row["rows"]) == (nulls, rows), name


def _scan(spark: SparkSession, path: str, *columns: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Minimum, maximum, nulls and rows, by file and column."""
    facts = [
        fact
        for column in columns
        for fact in (F.min(column), F.max(column), F.count_if(F.col(column).isNull()))
    ]
    rows = spark.read.format("hudi").load(path).groupBy("_hoodie_file_name")
    return {
        (file, column): (*found[3 * number : 3 * number + 3], count)
        for file, count, *found in rows.agg(F.count("*"), *facts).collect()
        for number, column in enumerate(columns)
    }


def _python(value: Any, name: str) -> Any:
    if value is None:
        return None
    if name == "timestamp":  # PySpark gives local time without a zone; Arrow gives UTC
        from datetime import timezone

        return value.astimezone(timezone.utc)
    return bytes(value) if name == "binary" else value


def test_after_clustering_they_agree_still(spark: SparkSession, types_path: str) -> None:
    table = hz.ZOrderTable(spark, types_path)
    with pytest.warns(hz.UnsafeStatisticsWarning, match=r"'nested\.inner' lose rows"):
        table.cluster(["decimal_38_10", "string", "timestamp"], target_file_size="20KB")
    columns = [name for name in TYPES if name != "nested"]
    index = table.column_stats(columns, source="index")
    assert index.equals(table.column_stats(columns, source="footers"))


def test_parquet_duckdb_and_pandas_give_back_what_they_are_given(
    spark: SparkSession, types_path: str, tmp_path: Path
) -> None:
    stats = hz.ZOrderTable(spark, types_path).column_stats(source="footers")
    pq.write_table(stats, tmp_path / "stats.parquet")
    assert pq.read_table(tmp_path / "stats.parquet").equals(stats)
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        for source in ("stats", f"'{tmp_path}/stats.parquet'"):
            found = db.sql(f"SELECT * FROM {source}").to_arrow_table()
            assert found.column_names == stats.column_names
            assert found.to_pylist() == stats.to_pylist()
    frame = stats.to_pandas(types_mapper=pd.ArrowDtype)
    assert pa.Table.from_pandas(frame, preserve_index=False).equals(stats)


def test_an_index_that_a_nan_made_wrong_is_noticed(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    value = F.when(F.col("id") == 3, math.nan).otherwise(1.5)
    rows = spark.range(10).withColumn("d", value).coalesce(1)
    table = hz.ZOrderTable(spark, write_hudi(rows, tmp_path / "nan"))
    # Hudi's own index makes Hudi's own query miss every row.
    found = spark.read.format("hudi").load(table.path).where("d = 1.5")
    assert found.count() == 0
    with pytest.warns(IndexWarning, match=r"contradicts the footers about d in 1 file such"):
        [row] = table.column_stats(["d"]).to_pylist()
    assert (row["d.min"], row["d.max"], row["rows"]) == (None, None, 10)
    assert "NaN" in row["d.unknown"]


def test_an_index_that_a_smallint_column_emptied_is_noticed(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    rows = spark.range(100).select("id", F.col("id").cast("smallint").alias("tiny"))
    table = hz.ZOrderTable(spark, write_hudi(rows, tmp_path / "empty"))
    with pytest.warns(IndexWarning, match=r"is empty .* a smallint column does this"):
        stats = table.column_stats(["id"])
    assert stats.schema.metadata[b"source"] == b"footers"
    assert b"is empty" in stats.schema.metadata[b"note"]
    assert (min(stats["id.min"].to_pylist()), max(stats["id.max"].to_pylist())) == (0, 99)
    assert set(table.column_stats(["id"], source="index")["id.min"].to_pylist()) == {None}


def test_a_gap_of_some_files_is_filled_from_footers(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = tmp_path / "gaps"
    insert = {"datasource__write__operation": "insert"}
    write_hudi(spark.range(100).withColumn("v", F.col("id") + 1).coalesce(1), path, **insert)
    more = spark.range(100, 200).withColumn("v", F.col("id") + 1).coalesce(1)
    table = hz.ZOrderTable(spark, write_hudi(more, path, **insert, **{LIST: "id"}))
    with pytest.warns(IndexWarning, match=r"lacks v in 1 file such as .*add them there"):
        stats = table.column_stats(["id", "v"])
    assert stats.schema.metadata[b"source"] == b"mixed"
    assert stats.equals(table.column_stats(["id", "v"], source="footers"))


NO_STATISTICS = "the file has no statistics of it"
PERHAPS_NAN = f"{NO_STATISTICS}, or a NaN among the values"


# Per case: type; low, high, nulls and what is unknown in the footer; low, high, nulls in the index.
def one_entry(low: Any, high: Any, nulls: int, rows: int) -> IndexColumn:
    """What the index has of a column in one file."""
    column = IndexColumn.empty(1, object)
    fields = {"low": low, "high": high, "null_count": nulls, "rows": rows}
    for name, value in {**fields, "held": True, "bounded": low is not None}.items():
        getattr(column, name)[0] = value
    return column


@pytest.mark.parametrize(
    ("kind", "footer", "index", "wrong"),
    [
        ("string", (None, None, None, NO_STATISTICS), (None, None, 100), True),
        ("string", (None, None, None, NO_STATISTICS), (b"a", b"b", 60), True),
        ("string", (None, None, None, NO_STATISTICS), (None, None, 60), False),
        ("string", (None, None, 0, NO_STATISTICS), (b"a", b"b", 0), False),
        ("string", (None, None, None, "the file has no such column"), (None, None, 100), False),
        ("string", (None, None, None, "the schema was changed"), (b"a", b"b", 0), False),
        ("string", (None, None, 100, None), (None, None, 100), False),
        ("string", (b"a", b"b", 0, None), (b"a", b"c", 0), False),
        ("string", (b"a", b"c", 0, None), (b"a", b"b", 0), True),
        ("double", (None, None, None, PERHAPS_NAN), (None, None, 100), True),
        ("double", (None, None, 0, PERHAPS_NAN), (0.0, 0.0, 0), True),
        ("double", (None, None, 0, PERHAPS_NAN), (None, None, 0), False),
        ("double", (None, None, 0, "it is float in the file"), (0.5, 1.5, 0), False),
    ],
)
def test_an_entry_is_wrong_that_knows_what_a_writer_left_out(
    kind: str, footer: tuple[Any, ...], index: tuple[Any, ...], wrong: bool
) -> None:
    leaf = ColumnSchema("v", 0, pa.type_for_alias(kind), "", 0, None)
    values = ColumnValues(leaf.arrow_type)
    low, high, nulls, unknown = footer
    values.add(low, high, nulls, 1, unknown)
    fields = dict(zip(fields_of("v"), values.arrays(), strict=True))
    truth = pa.table({"file": ["f"], "rows": [100], **fields})
    low, high, nulls = index
    found = _Compared.of("v", leaf, one_entry(low, high, nulls, 100), truth)
    assert found.wrong == (["f"] if wrong else [])


def test_without_an_index_footers_are_read(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = {"metadata__index__column__stats__enable": "false"}
    table = hz.ZOrderTable(spark, write_hudi(spark.range(10), tmp_path / "none", **options))
    with pytest.warns(IndexWarning, match="there is no column-statistics index"):
        assert table.column_stats().schema.metadata[b"source"] == b"footers"


def test_the_index_alone_says_where_there_is_none(tmp_path: Path) -> None:
    table = hz.open_table(write_plain_table(tmp_path / "t", [pa.table({"a": [1]})]))
    with pytest.warns(IndexWarning, match="there is no column-statistics index") as warned:
        stats = table.column_stats(source="index")
    assert stats["a.min"].to_pylist() == [None]
    assert str(warned[0].message).endswith(stats.schema.metadata[b"note"].decode())
    assert stats.schema.metadata[b"source"] == b"index"


PROMOTIONS = {
    "number": ("cast(id AS int)", "decimal(12, 2)"),
    "text": ("cast(id AS int)", "string"),
    "wide": ("cast(id AS int)", "bigint"),
    "real": ("cast(id AS float)", "double"),
    "scale": ("cast(id AS decimal(5, 2))", "decimal(12, 4)"),
}


@pytest.mark.slow
def test_bounds_of_an_older_type_are_unknown(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    path = tmp_path / "promoted"
    rows = spark.range(100).select("id", *(F.expr(s[0]).alias(n) for n, s in PROMOTIONS.items()))
    write_hudi(rows.coalesce(1), path)
    with evolving(spark, path):
        for name, (_, kind) in PROMOTIONS.items():
            spark.sql(f"ALTER TABLE evolved ALTER COLUMN {name} TYPE {kind}")
    sevens = [F.lit(7).cast(kind).alias(name) for name, (_, kind) in PROMOTIONS.items()]
    later = spark.range(100, 101).select("id", *sevens)
    write_hudi(later, path, schema__on__read__enable="true")
    table = hz.ZOrderTable(spark, str(path))
    stats = {source: table.column_stats([*PROMOTIONS], source=source) for source in SOURCES}
    for name in PROMOTIONS:
        old, new = sorted(stats["index"].to_pylist(), key=lambda row: -row["rows"])
        assert (old[f"{name}.min"], old[f"{name}.max"], old["rows"]) == (None, None, 100)
        assert "schema was changed since" in old[f"{name}.unknown"]
        assert float(new[f"{name}.min"]) == 7
    assert stats["index"].equals(stats["footers"])
    assert stats["auto"].equals(stats["footers"])


@pytest.mark.parametrize("version", quick_first(["8", "9", "6"]))
def test_bounds_of_a_type_that_a_write_widened_are_those_that_a_reader_finds(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path, version: str
) -> None:
    insert = {"datasource__write__operation": "insert", "write__table__version": version}
    kinds = {"whole": ("int", "bigint"), "real": ("int", "double"), "short": ("float", "double")}
    for number in range(2):
        rows = spark.range(number * 10, number * 10 + 10).selectExpr(
            "id", *(f"CAST((id + 1) / 3 AS {kind[number]}) {name}" for name, kind in kinds.items())
        )
        path = write_hudi(rows.coalesce(1), tmp_path / "t", **insert)
    table = hz.ZOrderTable(spark, path)
    footers = table.column_stats([*kinds], source="footers")
    # A small second file joins the first one's group, whose rows are then rewritten.
    scanned = _scan(spark, path, *kinds)
    for row, name in product(footers.to_pylist(), kinds):
        known = row[f"{name}.unknown"] is None
        assert known or name == "short"
        bounds = (row[f"{name}.min"], row[f"{name}.max"])
        assert not known or bounds == scanned[row["file"], name][:2]
    for (file, name), (*bounds, _, _) in scanned.items():
        for bound in bounds:  # that of a float by its text, as 0.33333334, which the index has not
            report = table.explain(f"{name} = {bound!r}D", source="index")
            assert file in {part.file for part in report.kept}
    indexed = table.column_stats([*kinds])
    why = ["short.unknown"]  # which says where it is of another type
    assert indexed.drop_columns(why).equals(footers.drop_columns(why))


def test_texts_that_the_writer_cut_short_still_bound_the_values(
    spark: SparkSession, tmp_path: Path
) -> None:
    texts = ["abcdefgh", "bcdefghi", "漢字漢字漢字"]
    rows = spark.createDataFrame([(text,) for text in texts], "s string").coalesce(1)
    cut = {"parquet.statistics.truncate.length": "4"}
    rows.write.options(**cut).parquet(str(tmp_path / "written"))
    [written] = (tmp_path / "written").glob("*.parquet")
    path = write_plain_table(tmp_path / "t", [pa.table({"s": texts})])
    written.rename(path / base_file("0"))
    [row] = hz.open_table(path).column_stats().to_pylist()
    assert row["s.min"] <= min(texts)
    assert row["s.max"] >= max(texts)
    assert (row["s.min"], len(row["s.max"].encode()) <= 4) == ("abcd", True)
    assert row["s.unknown"] is None


def test_replaced_files_and_files_with_logs(
    spark: SparkSession, write_hudi: WriteHudi, tmp_path: Path
) -> None:
    options = {"datasource__write__table__type": "MERGE_ON_READ"}
    path = write_hudi(spark.range(100).withColumn("v", F.col("id")), tmp_path / "mor", **options)
    table = hz.ZOrderTable(spark, path)
    table.cluster(["v"], mode="full")
    changed = spark.range(5).withColumn("v", F.lit(-1).cast("bigint"))
    write_hudi(changed, path, datasource__write__operation="upsert", **options)
    stats = table.column_stats(["v"])
    [row] = stats.to_pylist()
    assert (row["log_files"], row["v.min"], row["rows"]) == (1, 0, 100)


def test_wrong_requests_are_refused(spark: SparkSession, types_path: str) -> None:
    table = hz.ZOrderTable(spark, types_path)
    with pytest.raises(hz.OptionError, match=r"'source' was 'idnex'; did you mean 'index'\?"):
        table.column_stats(["int"], source="idnex")  # type: ignore[arg-type]
    with pytest.raises(hz.ColumnError, match=r"no column 'strng'; did you mean 'string'\?"):
        table.column_stats(["strng"])


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.filterwarnings("ignore::hudi_zorder.IndexWarning")
def test_a_partition_column_that_files_hold_without_values(tmp_path: Path, source: str) -> None:
    """Its nulls are not those of its rows, which have what the folder tells."""
    properties = {
        "hoodie.table.partition.fields": "p",
        "hoodie.datasource.write.drop.partition.columns": "true",
    }
    files = {"a/0": pa.table({"v": [1], "p": pa.array([None], pa.string())})}
    table = hz.open_table(write_plain_table(tmp_path / "t", files, properties=properties))
    assert not any(name.startswith("p.") for name in table.column_stats(source=source).column_names)
    [row] = table.column_stats(["p"], source=source).to_pylist()
    assert (row["p.min"], row["p.max"], row["p.null_count"]) == (None, None, None)
    assert row["p.unknown"]
