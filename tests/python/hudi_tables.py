"""What tests ask of a Hudi table, by means that are not ours: Spark, pyarrow and hudi-rs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

STRATEGY = "io.hudizorder.ZOrderClusteringExecutionStrategy"
HUDIS_STRATEGY = "org.apache.hudi.client.clustering.run.strategy.SparkSortAndSizeExecutionStrategy"
PLAN_STRATEGY = "io.hudizorder.ZOrderClusteringPlanStrategy"
FAILS_IN_EXECUTION = {"hoodie.parquet.compression.codec": "nonsense"}


def read(spark: SparkSession, path: str) -> DataFrame:
    """The table's latest rows, meta columns included, under the names that columns have now."""
    evolved = {"hoodie.schema.on.read.enable": "true"}
    return spark.read.format("hudi").options(**evolved).load(path)


def fingerprint(spark: SparkSession, path: str) -> tuple[int, Any]:
    """Rows and an order-independent hash over all columns but the file's name.

    Record keys, commit times and sequence numbers belong to it: clustering keeps them.
    """
    rows = read(spark, path)
    columns = [
        part
        for name, kind in rows.dtypes
        if name != "_hoodie_file_name"
        for part in (F.col(f"`{name}`").isNull(), _hashable(name, kind))
    ]
    hashes = rows.select(F.xxhash64(*columns).cast("decimal(38,0)").alias("h"))
    [row] = hashes.agg(F.count("h"), F.sum("h")).collect()
    return row[0], row[1]


def _hashable(name: str, kind: str) -> Column:
    """A column as one of which Spark's hash leaves nothing out; it does nulls and signs of zero."""
    column = F.col(f"`{name}`")
    if kind.startswith("map<") and kind.count("map<") == 1:
        column = F.array_sort(F.map_entries(column))  # the entries of a map have no order
    if "<" in kind:
        return F.to_json(F.struct(column.alias("value")), {"ignoreNullFields": "false"})
    return column.cast("string") if kind in ("float", "double") else column


@contextmanager
def session_settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """While it lasts, the session has these settings."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


def cluster_by_call(
    spark: SparkSession, path: str, columns: str, **options: str
) -> list[dict[str, Any]]:
    """Clusters with Hudi's own procedure alone; its options are spelt as by ``as_keywords``."""
    chosen = {
        "hoodie.clustering.execution.strategy.class": STRATEGY,
        "hoodie.clustering.plan.strategy.sort.columns": columns,
        "hoodie.clustering.plan.strategy.max.bytes.per.group": str(1 << 40),
        **{f"hoodie.{key.replace('__', '.')}": value for key, value in options.items()},
    }
    # The procedure splits its options at commas: the columns go through the session.
    with session_settings(spark, chosen):
        return [
            row.asDict() for row in spark.sql(f"CALL run_clustering(path => '{path}')").collect()
        ]


def base_files(spark: SparkSession, path: str) -> list[Path]:
    """The base files of the latest rows, by the rows' own file names."""
    names = read(spark, path).select("_hoodie_partition_path", "_hoodie_file_name").distinct()
    return sorted(Path(path, row[0], row[1]) for row in names.collect())


def ordered_column(file: Path, column: str) -> list[Any]:
    """A column of a base file, in the file's own order."""
    return pq.read_table(file, columns=[column]).column(0).to_pylist()


def pending_instants(path: str) -> list[str]:
    """Clustering instants on the timeline that are not completed."""
    names = [entry.name for entry in Path(path, ".hoodie", "timeline").iterdir()]
    completed = {name.split("_")[0] for name in names if "_" in name}
    return sorted(
        name
        for name in names
        if not name.startswith(".")
        and ("clustering" in name or "replacecommit" in name)
        and name.split(".")[0].split("_")[0] not in completed
    )


def read_shares(
    spark: SparkSession, path: str, columns: Sequence[str], values: int = 200
) -> dict[str, float]:
    """Share of rows in files that min/max cannot rule out, equality on existing values.

    The values are those of rows drawn by the hash of their key, the same in every run.
    """
    rows = read(spark, path)
    bounds = [
        f(F.col(c)).alias(f"{n}_{c}") for c in columns for n, f in (("min", F.min), ("max", F.max))
    ]
    files = rows.groupBy("_hoodie_file_name").agg(F.count("*").alias("rows"), *bounds).collect()
    total = sum(file["rows"] for file in files)
    shares = {}
    for column in columns:
        drawn = rows.where(F.col(column).isNotNull()).orderBy(F.xxhash64("_hoodie_record_key"))
        wanted = [row[0] for row in drawn.select(column).limit(values).collect()]
        touched = sum(
            file["rows"]
            for value in wanted
            for file in files
            if file[f"min_{column}"] is not None
            and file[f"min_{column}"] <= value <= file[f"max_{column}"]
        )
        shares[column] = touched / total / len(wanted)
    return shares


@contextmanager
def evolving(spark: SparkSession, path: Path | str) -> Iterator[None]:
    """While it lasts, the table ``evolved`` can be altered in ways that schema on read knows."""
    settings = {
        "hoodie.schema.on.read.enable": "true",
        "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true",
    }
    with session_settings(spark, settings):
        spark.sql(f"CREATE TABLE evolved USING hudi LOCATION '{path}'")
        try:
            yield
        finally:
            spark.sql("DROP TABLE evolved")
