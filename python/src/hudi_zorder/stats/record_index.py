"""The record index of the metadata table, by which a writer finds the file of a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hudi_zorder.hudi.metadata_indexes import opens_index
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import WRITE_ACTIONS, Instant

if TYPE_CHECKING:
    from pyspark.sql import Column

_INDEX_NAME: Final = "record_index"
_META_FIELDS: Final = "hoodie.populate.meta.fields"
_NO_NUMBER: Final = -1  # of a file id that is a UUID alone, as older versions and Flink wrote them
_ATTEMPTS: Final = 3
_TEXT_ID: Final = 1  # in Hudi's encodings of file ids; otherwise a UUID's bits and a number


@dataclass(frozen=True, slots=True)
class RecordIndexCheck:
    """The index beside the rows.

    Attributes:
        keys: in the table.
        wrong: keys that the index leads elsewhere, or does not know; and those that it knows of no
            row.
    """

    keys: int
    wrong: int


def check_record_index(
    spark: SparkSession, snapshot: TableSnapshot, path: str
) -> RecordIndexCheck | None:
    """Holds each entry against the row that it leads to; reads three columns of all rows.

    What is committed between the reading of one and of the other makes it read both again, a few
    times at most: that takes a moment, and who commits in it each time is hardly met.

    Returns:
        None where there is no such index, or rows do not hold their keys.
    """
    no_meta_fields = snapshot.config.properties.get(_META_FIELDS, "true").lower() == "false"
    if no_meta_fields or not opens_index(snapshot, _INDEX_NAME):
        return None
    for _ in range(_ATTEMPTS):
        before = _writes(snapshot)
        found = _compared(spark, path)
        if not found.wrong or _writes(snapshot) <= before:
            break
    return found


def _writes(snapshot: TableSnapshot) -> set[Instant]:
    """Returns those that are committed by now."""
    completed = snapshot.now().timeline.completed
    return {instant for instant in completed if instant.action in WRITE_ACTIONS}


def _compared(spark: SparkSession, path: str) -> RecordIndexCheck:
    rows = _rows(spark, path)
    places = rows.columns
    by_key = (
        rows.withColumn("rows", F.lit(1))
        .unionByName(_entries(spark, path).withColumn("rows", F.lit(0)))
        .groupBy(*places)
        .agg(F.sum("rows").alias("rows"), F.sum(1 - F.col("rows")).alias("entries"))
        .groupBy("key")
        .agg(F.sum("rows").alias("rows"), F.max(F.col("rows") != F.col("entries")).alias("wrong"))
    )
    [(keys, wrong)] = by_key.agg(F.sum("rows"), F.count_if("wrong")).collect()
    return RecordIndexCheck(keys or 0, wrong)


def _rows(spark: SparkSession, path: str) -> DataFrame:
    """The keys of a snapshot with their places, read without any index."""
    reader = spark.read.format("hudi").options(
        **{"hoodie.metadata.enable": "false", "hoodie.datasource.query.type": "snapshot"}
    )
    return reader.load(path).select(
        F.col("_hoodie_record_key").alias("key"),
        F.col("_hoodie_partition_path").alias("partition"),
        F.split("_hoodie_file_name", "_")[0].alias("file_id"),
    )


def _entries(spark: SparkSession, path: str) -> DataFrame:
    place = F.col("recordIndexMetadata")
    uuid = F.concat(_digits(place["fileIdHighBits"]), _digits(place["fileIdLowBits"]))
    plain = F.regexp_replace(uuid, "^(.{8})(.{4})(.{4})(.{4})(.{12})$", "$1-$2-$3-$4-$5")
    return (
        spark.read.format("hudi")
        .load(f"{path.rstrip('/')}/.hoodie/metadata/{_INDEX_NAME}")
        .select(
            "key",
            place["partitionName"].alias("partition"),
            F.when(place["fileIdEncoding"] == _TEXT_ID, place["fileId"])
            .when(place["fileIndex"] == _NO_NUMBER, plain)
            .otherwise(F.concat_ws("-", plain, place["fileIndex"]))
            .alias("file_id"),
        )
    )


def _digits(bits: Column) -> Column:
    return F.lower(F.lpad(F.hex(bits), 16, "0"))
