"""The record index of the metadata table, by which a writer finds the file of a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hudi_zorder.hudi.metadata_indexes import is_partitioned, opens_index
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import WRITE_ACTIONS, Instant
from hudi_zorder.options import METADATA

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
        keys: in the table; those of each partition, where each has an index for itself.
        wrong: keys that the index leads elsewhere, or does not know; and those that it knows of no
            row.
        doubled: keys of several rows, of which the index leads to one.
    """

    keys: int
    wrong: int
    doubled: int


def check_record_index(
    spark: SparkSession, snapshot: TableSnapshot, path: str, settings: Mapping[str, str]
) -> RecordIndexCheck | None:
    """Holds each entry against the row that it leads to; reads three columns of all rows.

    What is committed between the reading of one and of the other makes it read both again, a few
    times at most: that takes a moment, and who commits in it each time is hardly met.

    Args:
        spark: the session.
        snapshot: the table.
        path: its path.
        settings: further Hudi configuration, by which rows are read.

    Returns:
        None where there is no such index, or rows do not hold their keys.
    """
    no_meta_fields = snapshot.config.properties.get(_META_FIELDS, "true").lower() == "false"
    if no_meta_fields or not opens_index(snapshot, _INDEX_NAME):
        return None
    key = ["key", "partition"] if is_partitioned(snapshot, _INDEX_NAME) else ["key"]
    for _ in range(_ATTEMPTS):
        before = _writes(snapshot)
        found = _compared(_rows(spark, path, settings), _entries(spark, path), key)
        if not found.wrong or _writes(snapshot) <= before:
            break
    return found


def _writes(snapshot: TableSnapshot) -> set[Instant]:
    """Returns those that are committed by now."""
    completed = snapshot.now().timeline.completed
    return {instant for instant in completed if instant.action in WRITE_ACTIONS}


def _compared(rows: DataFrame, entries: DataFrame, key: Sequence[str]) -> RecordIndexCheck:
    """Compares rows with entries, of which there is one for each key, however many rows have it."""
    by_key = (
        rows.select("*", F.lit(1).alias("rows"), F.lit(0).alias("entries"))
        .unionByName(entries.select("*", F.lit(0).alias("rows"), F.lit(1).alias("entries")))
        .groupBy(*rows.columns)
        .agg(F.sum("rows").alias("rows"), F.sum("entries").alias("entries"))
        .groupBy(*key)
        .agg(
            F.sum("rows").alias("rows"),
            F.sum("entries").alias("entries"),
            F.max((F.col("entries") > 0) & (F.col("rows") == 0)).alias("astray"),
        )
    )
    [found] = by_key.agg(
        F.count_if(F.col("rows") > 0),
        F.count_if(F.col("astray") | (F.col("entries") != 1)),
        F.count_if(F.col("rows") > 1),
    ).collect()
    return RecordIndexCheck(*found)


def _rows(spark: SparkSession, path: str, settings: Mapping[str, str]) -> DataFrame:
    """The keys of a snapshot with their places, read without any index."""
    reader = spark.read.format("hudi").options(
        **{**settings, METADATA: "false", "hoodie.datasource.query.type": "snapshot"}
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
