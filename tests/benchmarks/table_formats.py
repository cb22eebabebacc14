"""The three table formats under comparison, behind one interface: load rows, cluster, list files.

Each is used as its own documentation tells, at its defaults, save that all write zstd, that all may
rewrite the whole table at once, and that all are asked for files of the same share of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import unquote, urlparse

from environment import DELTA, HUDI, ICEBERG, TABLES, benchmark_jar, maven_jar, strategy_jar
from pyspark.sql import DataFrame, SparkSession, functions

import hudi_zorder as hz
from hudi_zorder.spark._jvm.write_client import HudiJvm

if TYPE_CHECKING:
    from data_sets import DataSet

_UNLIMITED = str(1 << 60)
# In files of a few thousand rows, Bloom filters for 60,000 keys would be most of their bytes.
_SMALL_FILTERS = {"hoodie.index.bloom.num_entries": "1000"}


class System(Protocol):
    """One way to cluster a table."""

    @property
    def name(self) -> str:
        """Its name in commands and results."""

    @property
    def family(self) -> str:
        """Systems of one family load tables alike, so that one loaded table serves them all."""

    @property
    def movable(self) -> bool:
        """Whether a table is a folder that can be copied, and does not know where it lies."""

    def jars(self) -> list[Path]:
        """Returns the jars of its session."""

    def settings(self) -> dict[str, str]:
        """Returns Spark settings of its session."""

    def load(self, rows: DataFrame, table: Path, data: DataSet, partition: str) -> None:
        """Writes rows as a new table, as many files as the rows have partitions."""

    def cluster(
        self, spark: SparkSession, table: Path, columns: Sequence[str], target: int
    ) -> Mapping[str, float]:
        """Rewrites the table by columns into files of some bytes; returns seconds by phase."""

    def append(self, rows: DataFrame, table: Path, data: DataSet) -> None:
        """Adds rows to a table, or begins it, with as many files as they have partitions."""

    def upkeep(self, spark: SparkSession, table: Path, columns: Sequence[str], target: int) -> None:
        """Does after a load what the system does by itself, for files of some bytes."""

    def read(self, spark: SparkSession, table: Path) -> DataFrame:
        """Returns the table's rows as they are now."""

    def files(self, spark: SparkSession, table: Path) -> list[str]:
        """Returns the table's files as they are now."""


@dataclass(frozen=True)
class Hudi:
    """A clustering of a Hudi table by the classes and options given."""

    name: str
    options: Mapping[str, str]
    family: str = "hudi"
    movable: bool = True

    def jars(self) -> list[Path]:
        """Returns Hudi's bundle, the strategy and the copy."""
        return [maven_jar(HUDI), strategy_jar(), benchmark_jar()]

    def settings(self) -> dict[str, str]:
        """Returns what Hudi's guide sets."""
        return {
            "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
            "spark.kryo.registrator": "org.apache.spark.HoodieSparkKryoRegistrar",
            "spark.sql.extensions": "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.hudi.catalog.HoodieCatalog",
        }

    def load(self, rows: DataFrame, table: Path, data: DataSet, partition: str) -> None:
        """Bulk-inserts the rows in their order."""
        partitions = {
            "hoodie.datasource.write.partitionpath.field": partition,
            "hoodie.datasource.write.hive_style_partitioning": "true",
        }
        self._insert(rows, table, data, {**self._writer(), **partitions}, "overwrite")

    def append(self, rows: DataFrame, table: Path, data: DataSet) -> None:
        """Bulk-inserts the rows in their order."""
        self._insert(rows, table, data, {**self._writer(), **_SMALL_FILTERS}, "append")

    def cluster(
        self, spark: SparkSession, table: Path, columns: Sequence[str], target: int
    ) -> Mapping[str, float]:
        """Schedules and executes a clustering with Hudi's write client."""
        limits = {"small.file.limit": _UNLIMITED, "max.bytes.per.group": _UNLIMITED}
        done = self._clustered(spark, table, columns, target, limits)
        if done is None:
            raise RuntimeError(f"Cannot cluster: Hudi plans nothing for '{table}'")
        return done

    def upkeep(self, spark: SparkSession, table: Path, columns: Sequence[str], target: int) -> None:
        """Clusters within Hudi's own limits, which are 300 MB and 2 GB for files of 1 GB."""
        limits = {"small.file.limit": str(target * 300 // 1024)}
        limits["max.bytes.per.group"] = str(2 * target)
        self._clustered(spark, table, columns, target, limits, _SMALL_FILTERS)

    def _insert(
        self,
        rows: DataFrame,
        table: Path,
        data: DataSet,
        options: Mapping[str, str],
        mode: str,
    ) -> None:
        insert = {
            **options,
            "hoodie.table.name": "bench",  # of copies as well, whose folders are named otherwise
            "hoodie.datasource.write.operation": "bulk_insert",
            "hoodie.bulkinsert.sort.mode": "NONE",
            "hoodie.datasource.write.recordkey.field": ",".join(data.keys),
        }
        rows.write.format("hudi").options(**insert).mode(mode).save(str(table))

    def _clustered(
        self,
        spark: SparkSession,
        table: Path,
        columns: Sequence[str],
        target: int,
        limits: Mapping[str, str],
        more: Mapping[str, str] | None = None,
    ) -> Mapping[str, float] | None:
        """Returns seconds by phase; None where nothing is planned."""
        prefix = "hoodie.clustering.plan.strategy."
        config = {
            **self._writer(),
            prefix + "sort.columns": ",".join(columns),
            prefix + "target.file.max.bytes": str(target),
            **{prefix + key: limit for key, limit in limits.items()},
            prefix + "max.num.groups": "100000",
            prefix + "single.group.clustering.enabled": "true",
            **self.options,
            **(more or {}),
        }
        hudi = HudiJvm(spark, str(table))
        instant = hudi.schedule(config, {})
        if instant is None:
            return None
        hudi.execute(instant, config)
        return hudi.report(instant).seconds

    def read(self, spark: SparkSession, table: Path) -> DataFrame:
        """Reads with Hudi's data skipping, which the metadata table feeds."""
        return spark.read.format("hudi").load(str(table))

    def files(self, spark: SparkSession, table: Path) -> list[str]:
        """Returns the latest base files."""
        return _paths(self.read(spark, table))

    def _writer(self) -> dict[str, str]:
        return {
            "hoodie.parquet.compression.codec": "zstd",
            "hoodie.metadata.enable": "true",
            "hoodie.metadata.index.column.stats.enable": "true",
        }


class HudiUpdated(Hudi):
    """A merge-on-read table of which log files update every twentieth row."""

    def load(self, rows: DataFrame, table: Path, data: DataSet, partition: str) -> None:
        """Bulk-inserts the rows in their order, then updates some."""
        super().load(rows, table, data, partition)
        update = {**self._writer(), "hoodie.datasource.write.operation": "upsert"}
        some = rows.where(functions.crc32(functions.concat_ws("/", *data.keys)) % 20 == 0)
        some.write.format("hudi").options(**update).mode("append").save(str(table))

    def _writer(self) -> dict[str, str]:
        return {**super()._writer(), "hoodie.datasource.write.table.type": "MERGE_ON_READ"}


class HudiZOrder(Hudi):
    """A Hudi table that is kept up by this library's front door."""

    def upkeep(self, spark: SparkSession, table: Path, columns: Sequence[str], target: int) -> None:
        """Clusters as it is told to do after every load."""
        hz.ZOrderTable(spark, table).cluster(
            list(columns),
            target_file_size=target,
            hudi_options={**self._writer(), **_SMALL_FILTERS},
        )


@dataclass(frozen=True)
class Delta:
    """Delta's OPTIMIZE ... ZORDER BY."""

    name: str = "delta-zorder"
    family: str = "delta"
    movable: bool = True

    def jars(self) -> list[Path]:
        """Returns Delta's jars."""
        return [maven_jar(coordinates) for coordinates in DELTA]

    def settings(self) -> dict[str, str]:
        """Returns what Delta's guide sets."""
        return {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        }

    def load(self, rows: DataFrame, table: Path, data: DataSet, partition: str) -> None:
        """Appends the rows to an empty table."""
        writer = rows.write.format("delta").mode("overwrite")
        (writer.partitionBy(partition) if partition else writer).save(str(table))

    def append(self, rows: DataFrame, table: Path, data: DataSet) -> None:
        """Appends the rows."""
        rows.write.format("delta").mode("append").save(str(table))

    def upkeep(self, spark: SparkSession, table: Path, columns: Sequence[str], target: int) -> None:
        """Runs OPTIMIZE, which chooses by itself."""
        self.cluster(spark, table, columns, target)

    def cluster(
        self, spark: SparkSession, table: Path, columns: Sequence[str], target: int
    ) -> Mapping[str, float]:
        """Runs OPTIMIZE."""
        spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(target))
        names = ", ".join(columns)
        spark.sql(f"OPTIMIZE delta.`{table}` ZORDER BY ({names})").collect()
        return {}

    def read(self, spark: SparkSession, table: Path) -> DataFrame:
        """Reads the latest version."""
        return spark.read.format("delta").load(str(table))

    def files(self, spark: SparkSession, table: Path) -> list[str]:
        """Returns the files of the latest version."""
        return _paths(self.read(spark, table))


@dataclass(frozen=True)
class Iceberg:
    """Iceberg's rewrite_data_files by an order."""

    name: str
    order: str
    family: str = "iceberg"
    movable: bool = False

    def jars(self) -> list[Path]:
        """Returns Iceberg's runtime."""
        return [maven_jar(ICEBERG)]

    def settings(self) -> dict[str, str]:
        """Returns what Iceberg's guide sets, with one catalog of folders."""
        return {
            "spark.sql.extensions": (
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
            "spark.sql.catalog.bench": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.bench.type": "hadoop",
            "spark.sql.catalog.bench.warehouse": str(TABLES),
            "spark.sql.catalog.bench.cache-enabled": "false",
        }

    def load(self, rows: DataFrame, table: Path, data: DataSet, partition: str) -> None:
        """Creates a table of the rows, undistributed as for the other systems."""
        writer = (
            rows.writeTo(_identifier(table))
            .using("iceberg")
            .tableProperty("write.parquet.compression-codec", "zstd")
            .tableProperty("write.distribution-mode", "none")
        )
        if partition:
            writer = writer.partitionedBy(functions.col(partition))
        writer.create()

    def cluster(
        self, spark: SparkSession, table: Path, columns: Sequence[str], target: int
    ) -> Mapping[str, float]:
        """Calls the procedure for all files."""
        self._rewrite(
            spark,
            table,
            columns,
            f"'rewrite-all', 'true', 'target-file-size-bytes', '{target}', "
            f"'max-file-group-size-bytes', '{_UNLIMITED}'",
        )
        return {}

    def append(self, rows: DataFrame, table: Path, data: DataSet) -> None:
        """Appends the rows."""
        if table.exists():
            rows.writeTo(_identifier(table)).append()
        else:
            self.load(rows, table, data, "")

    def upkeep(self, spark: SparkSession, table: Path, columns: Sequence[str], target: int) -> None:
        """Calls the procedure, which chooses by the sizes of files."""
        self._rewrite(spark, table, columns, f"'target-file-size-bytes', '{target}'")

    def _rewrite(
        self, spark: SparkSession, table: Path, columns: Sequence[str], options: str
    ) -> None:
        names = ",".join(columns)
        order = f"zorder({names})" if self.order == "zorder" else names
        name = _identifier(table).removeprefix("bench.")
        spark.sql(
            f"CALL bench.system.rewrite_data_files(table => '{name}', strategy => 'sort', "
            f"sort_order => '{order}', options => map({options}))"
        ).collect()

    def read(self, spark: SparkSession, table: Path) -> DataFrame:
        """Reads the current snapshot."""
        return spark.table(_identifier(table))

    def files(self, spark: SparkSession, table: Path) -> list[str]:
        """Returns the files of the current snapshot."""
        rows = spark.sql(f"SELECT file_path FROM {_identifier(table)}.files").collect()
        return [unquote(urlparse(row.file_path).path) for row in rows]


def _paths(rows: DataFrame) -> list[str]:
    return [unquote(urlparse(path).path) for path in rows.inputFiles()]


def _identifier(table: Path) -> str:
    return f"bench.{table.parent.name}.{table.name}"
