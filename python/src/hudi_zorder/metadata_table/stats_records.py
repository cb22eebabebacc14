"""The records of the column-statistics index, as ``HoodieMetadataRecord`` of Hudi 1.2.0 has them.

Fields that an older Hudi does not write are null. ``HoodieTableMetadataUtil`` has how two records
of one key become one, ``HoodieDeleteBlock`` what a log deletes.
"""

from __future__ import annotations

import io
import struct
from typing import Any, Final, NamedTuple

from hudi_zorder.metadata_table.ranges import FormatError

DECIMAL_WRAPPER: Final = "DecimalWrapper"  # of tables before version 9
DECIMAL_SCALE: Final = 15  # of its numbers
DECIMAL: Final = 10  # in Hudi's ValueType

_END: Final = 1 << 63  # of counts
_DELETES: Final = struct.Struct(">ii")  # version and length
_AVRO_DELETES: Final = 3
_WRAPPED: Final = ("boolean", "int", "long", "float", "double", "bytes", "string", "int", "bytes")
_TEXT: Final = ["null", "string"]
_ORDERING: Final = [
    "null",
    *(
        {"type": "record", "name": f"Wrapper{i}", "fields": [{"name": "value", "type": kind}]}
        for i, kind in enumerate(_WRAPPED)
    ),
]
_DELETED: Final = {
    "type": "record",
    "name": "Deleted",
    "fields": [
        {"name": "recordKey", "type": _TEXT},
        {"name": "partitionPath", "type": _TEXT},
        {"name": "orderingVal", "type": _ORDERING},
    ],
}


class StatsRecord(NamedTuple):
    """What the index has of one file and column.

    Attributes:
        file: the file's name.
        low: its smallest value as the wrapper of that kind holds it, texts as bytes; None for none.
        high: its largest value, likewise.
        wrapper: the kind of wrapper, such as ``LongWrapper``; None without bounds.
        rows: rows, nulls included.
        null_count: nulls.
        size: the column's bytes in the file.
        deleted: whether the record takes back what was known.
        tight: whether it has the place of any other, which then does not count.
        kind: the number of Hudi's ``ValueType``; None before table version 9.
        detail: what that number leaves open, as a decimal's precision and scale do.
    """

    file: bytes
    low: Any
    high: Any
    wrapper: str | None
    rows: int | None
    null_count: int | None
    size: int | None
    deleted: bool
    tight: bool
    kind: int | None
    detail: bytes | None


def merged(older: StatsRecord | None, newer: StatsRecord) -> StatsRecord:
    """Returns what two records of one key are together."""
    if older is None or older.deleted or newer.deleted or newer.tight:
        return newer
    return newer._replace(
        low=_least(min, older, newer, older.low, newer.low),
        high=_least(max, older, newer, older.high, newer.high),
        wrapper=newer.wrapper or older.wrapper,
        rows=_sum(older.rows, newer.rows),
        null_count=_sum(older.null_count, newer.null_count),
        size=_sum(older.size, newer.size),
    )


def _least(choose: Any, older: StatsRecord, newer: StatsRecord, *bounds: Any) -> Any:
    known = [bound for bound in bounds if bound is not None]
    if len(known) < 2:
        return known[0] if known else None
    if older.wrapper != newer.wrapper or older.kind != newer.kind:
        return None  # of two types, as of a log that was written to before and after a promotion
    for bound in known:
        if bound != bound:  # a NaN, which Java puts above all others, and Python nowhere
            return bound
    if newer.kind == DECIMAL:
        return choose(known, key=lambda value: int.from_bytes(value, "big", signed=True))
    return choose(known)


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    if sum(known) >= _END:
        raise FormatError("it has counts that are too large")
    return sum(known) if known else None


def deleted_keys(content: bytes) -> list[bytes]:
    """Returns the keys that a block of deletes takes back.

    Raises:
        FormatError: when it is none, or one that Hudi before 0.12 wrote.
    """
    import fastavro

    if len(content) < _DELETES.size:
        raise FormatError("it has deletes that are cut short")
    version, length = _DELETES.unpack_from(content)
    if version != _AVRO_DELETES or not 0 <= length <= len(content) - _DELETES.size:
        raise FormatError(f"it has deletes of version {version}")
    schema = fastavro.parse_schema({"type": "array", "items": _DELETED})
    try:
        found: Any = fastavro.schemaless_reader(
            io.BytesIO(content[_DELETES.size : _DELETES.size + length]), schema, None
        )
        return [record["recordKey"].encode("utf-8") for record in found if record["recordKey"]]
    except Exception as fault:  # bytes that are damaged lead fastavro to any error
        raise FormatError(f"it has deletes that are damaged ({fault!r})") from fault
