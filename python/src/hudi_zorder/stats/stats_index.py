"""The column-statistics index of the metadata table, by which Spark skips files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hudi_zorder.hudi.committed_schema import kind_of
from hudi_zorder.hudi.metadata_indexes import COLUMN_STATS_INDEX, has_index
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, cast, is_binary, is_text
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.stats.footer_stats import changed_schema

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row

_FIELDS: Final = (
    "fileName",
    "columnName",
    "minValue",
    "maxValue",
    "valueCount",
    "nullCount",
    "totalSize",
    "valueType",
)
_DECIMAL: Final = 10  # in Hudi's ValueType
_KINDS: Final = {
    2: "boolean",
    3: "int",
    4: "long",
    5: "float",
    6: "double",
    7: "string",
    8: "bytes",
    9: "bytes",
    12: "date",
    15: "timestamp-millis",
    16: "timestamp-micros",
    18: "local-timestamp-millis",
    19: "local-timestamp-micros",
}
_NO_BOUNDS: Final = "the index has no bounds of it, as where a NaN is among the values"
_OTHER_TYPE: Final = "it is of another type in the index"


@dataclass(slots=True)
class IndexEntry:
    """What the index has of one file and column; ``low`` and ``high`` are comparables."""

    low: Comparable | None
    high: Comparable | None
    null_count: int | None
    rows: int
    bytes: int | None
    unknown: str | None


def index_entries(
    spark: SparkSession,
    snapshot: TableSnapshot,
    path: str,
    leaves: Mapping[str, ColumnSchema],
) -> dict[tuple[str, str], IndexEntry]:
    """Returns the index's rows of the latest base files, by file and column."""
    if not has_index(snapshot):
        return {}
    files = {part.base.name for part in snapshot.slices if part.base}
    stats = F.col("ColumnStatsMetadata")
    # The folder alone: an expression index keeps records of the same type beside it.
    index = spark.read.format("hudi").load(
        f"{path.rstrip('/')}/.hoodie/metadata/{COLUMN_STATS_INDEX}"
    )
    known = index.select("ColumnStatsMetadata.*").columns
    rows = (
        index.where(stats["columnName"].isin(list(leaves)) & ~stats["isDeleted"])
        # Hudi 1.0 does not know all of them.
        .select(*((stats[n] if n in known else F.lit(None)).alias(n) for n in _FIELDS))
        .toLocalIterator(prefetchPartitions=True)  # older files may fill most of the index
    )
    nan_shows = snapshot.schema.nan_shows_in_bounds
    entries = {}
    for row in rows:
        if row.fileName not in files or not row.valueCount:
            continue
        entry = _entry(row, leaves[row.columnName], nan_shows)
        if snapshot.precedes_schema_change(row.fileName):
            # It may be of another column that had the name.
            why = changed_schema(snapshot)
            entry = replace(entry, low=None, high=None, null_count=None, unknown=why)
        entries[row.fileName, row.columnName] = entry
    return entries


def _entry(row: Row, leaf: ColumnSchema, nan_shows: bool) -> IndexEntry:
    own = _type_of(row.valueType, leaf.arrow_type)
    convert = cast(own, leaf.arrow_type)
    low, high = (_comparable(bound, own) for bound in (row.minValue, row.maxValue))
    written = None
    # Hudi 1.2.0 records the bounds of a file without values as 0.
    if convert and low is not None and high is not None and row.nullCount != row.valueCount:
        low, high = convert(low), convert(high)
        written = None if low is None or high is None else (low, high)
    bounds = Bounds.of_written(
        row.valueCount, row.nullCount, written, is_float=leaf.is_float, nan_shows=nan_shows
    )
    unknown = None if bounds.known else (_NO_BOUNDS if own == leaf.arrow_type else _OTHER_TYPE)
    return IndexEntry(
        bounds.low, bounds.high, bounds.null_count, bounds.rows, row.totalSize, unknown
    )


def _type_of(value_type: Row | None, arrow_type: pa.DataType) -> pa.DataType:
    """Returns the type of bounds, which is an older one in files from before a change of it.

    Before version 9 the index does not say, and ``_comparable`` goes by the bounds themselves.
    """
    import pyarrow as pa

    if value_type is None:
        return arrow_type
    if value_type.typeOrdinal == _DECIMAL:
        return pa.decimal128(*map(int, value_type.additionalInfo.split(",")))
    kind = _KINDS.get(value_type.typeOrdinal, "")
    if kind == kind_of(arrow_type):
        return arrow_type
    return {"int": pa.int32(), "long": pa.int64()}.get(kind, pa.null())


def _comparable(bound: Row | None, arrow_type: pa.DataType) -> Comparable | None:
    """Unwraps a bound: a union of twelve wrappers, of which one is not null, around a primitive."""
    import pyarrow.types as t

    wrapper = next((member for member in bound or () if member is not None), None)
    if wrapper is None:
        return None
    value: Any = wrapper[0]
    if t.is_decimal(arrow_type):
        return _unscaled(value, arrow_type.scale)
    if is_text(arrow_type) or is_binary(arrow_type):
        if isinstance(value, str):
            return value.encode("utf-8")
        return bytes(value) if isinstance(value, bytes | bytearray) else None
    if t.is_timestamp(arrow_type) and arrow_type.unit == "ms":
        return int(value) * 1000
    comparable: Comparable = value
    return comparable


def _unscaled(value: Any, scale: int) -> int | None:
    if isinstance(value, Decimal):  # as tables before version 9 have it
        return int(value.scaleb(scale))
    is_bytes = isinstance(value, bytes | bytearray)
    return int.from_bytes(value, "big", signed=True) if is_bytes else None
