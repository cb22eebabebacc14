"""What is known of the program that wrote a base file: how far its statistics can be trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.parquet.comparables import Comparable

if TYPE_CHECKING:
    import pyarrow as pa

_PARQUET_JAVA: Final = re.compile(r"^parquet-mr version (\d+)\.(\d+)\.")
# Between these versions parquet-java orders NaN above all values and writes it as the maximum. It
# did not before; later ones may follow the format's newer rule, which leaves NaN out of the bounds.
_NAN_SHOWS: Final = ((1, 10), (1, 15))
# Before it, parquet-java ordered bytes as signed, decimals in bytes included.
_ORDERS_BYTES_FROM: Final = (1, 10)
_SPARK_VERSION: Final = b"org.apache.spark.version"
_LEGACY_DATES: Final = b"org.apache.spark.legacyDateTime"
_GREGORIAN_DAYS: Final = -141_427  # 15 October 1582
_FIRST_CERTAIN_MICROS: Final = -2_208_988_800_000_000  # 1 January 1900


@dataclass(frozen=True, slots=True)
class WriterTraits:
    """The traits of a writer that decide how far its statistics can be trusted.

    Attributes:
        nan_shows_in_bounds: whether a NaN among the values shows in the bounds.
        orders_bytes: whether bounds of bytes are in unsigned order, of decimals in numeric order.
        calendar_is_certain: whether old dates mean what they say. Spark may shift those of files
            that do not tell which calendar they follow, as its session's settings have it.
    """

    nan_shows_in_bounds: bool
    orders_bytes: bool
    calendar_is_certain: bool

    @classmethod
    def of(cls, metadata: Any) -> WriterTraits:
        """Returns the writer that a ``pyarrow.parquet.FileMetaData`` tells of."""
        found = _PARQUET_JAVA.match(metadata.created_by or "")
        version = (int(found[1]), int(found[2])) if found else None
        entries = metadata.metadata or {}
        spark = entries.get(_SPARK_VERSION, b"").split(b".")[0]
        return cls(
            version is not None and _NAN_SHOWS[0] <= version <= _NAN_SHOWS[1],
            version is None or version >= _ORDERS_BYTES_FROM,
            spark.isdigit() and int(spark) >= 3 and _LEGACY_DATES not in entries,
        )

    def trusts_bounds(self, physical_type: str) -> bool:
        """Returns whether bounds of values of this physical type are in their order."""
        return self.orders_bytes or not physical_type.endswith("BYTE_ARRAY")

    def certain_from(self, arrow_type: pa.DataType) -> Comparable | None:
        """Returns the value below which values may mean others; None when all are certain."""
        import pyarrow.types as t

        if self.calendar_is_certain:
            return None
        if t.is_date32(arrow_type):
            return _GREGORIAN_DAYS
        return _FIRST_CERTAIN_MICROS if t.is_timestamp(arrow_type) else None
