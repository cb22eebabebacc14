"""The schema that commits record, as far as it tells whether a file's columns have its types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hudi_zorder.hudi.avro_content import own_name
from hudi_zorder.hudi.shapes import ShapeError, parsed_json

if TYPE_CHECKING:
    import pyarrow as pa

NESTED_KINDS = frozenset({"record", "array", "map", "union"})
ENUM = "enum"
_READ_AS = {ENUM: "string", "fixed": "bytes"}
_UNITS = {"ms": "millis", "us": "micros", "ns": "nanos"}
_LOGICAL = frozenset(
    {"date"} | {f"{kind}-{u}" for kind in ("timestamp", "local-timestamp") for u in _UNITS.values()}
)


def committed_kinds(avro_schema: str) -> dict[str, str]:
    """Returns the kind of every column by its path in lower case.

    Args:
        avro_schema: a record's schema, as Hudi writes it into commits.

    Returns:
        ``kind_of`` of the type that a column would have; the name of Avro's type for enums, fixed,
        structs, lists, maps, and whatever has no statistics.

    Raises:
        ValueError: when it is no schema of a record.
    """
    try:
        return dict(_kinds(parsed_json(avro_schema), "", {}))
    except (LookupError, TypeError, AttributeError, RecursionError) as fault:
        raise ShapeError(f"it is no schema of a record: {fault!r}") from fault


def is_of_kind(arrow_type: pa.DataType, kind: str) -> bool:
    """Returns whether a column of a type is one of a committed kind, as Spark reads that."""
    return kind_of(arrow_type) == _READ_AS.get(kind, kind)


def kind_of(arrow_type: pa.DataType) -> str:
    """Returns what two types have in common whose values are stored and compared alike."""
    import pyarrow.types as pt

    if pt.is_decimal(arrow_type):
        return f"decimal({arrow_type.precision},{arrow_type.scale})"
    if pt.is_timestamp(arrow_type):
        # Units count: Hudi reads a file's microseconds as milliseconds if the table's type says so.
        unit = _UNITS.get(arrow_type.unit, arrow_type.unit)
        return f"timestamp-{unit}" if arrow_type.tz else f"local-timestamp-{unit}"
    for kind, tests in {
        "boolean": (pt.is_boolean,),
        "int": (pt.is_int8, pt.is_int16, pt.is_int32),
        "long": (pt.is_int64,),
        "float": (pt.is_float32,),
        "double": (pt.is_float64,),
        "date": (pt.is_date,),
        "string": (pt.is_string, pt.is_large_string),
        "bytes": (pt.is_binary, pt.is_large_binary, pt.is_fixed_size_binary),
    }.items():
        if any(test(arrow_type) for test in tests):
            return kind
    return str(arrow_type)


def _kinds(
    record: Mapping[str, Any], prefix: str, named: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yields paths and kinds; adds to the enums and fixed, which Avro names again by name alone."""
    for field in record["fields"]:
        path = prefix + field["name"].lower()
        kind = _without_null(field["type"])
        if isinstance(kind, str):
            kind = named.get(own_name(kind), kind)
        elif kind["type"] in ("enum", "fixed"):
            named[own_name(kind["name"])] = kind
        if isinstance(kind, dict) and kind["type"] == "record":
            yield path, "record"
            yield from _kinds(kind, path + ".", named)
        else:
            yield path, _kind(kind)


def _without_null(kind: Any) -> Any:
    if isinstance(kind, list):
        others = [part for part in kind if part != "null"]
        return others[0] if len(others) == 1 else "union"
    return kind


def _kind(kind: Any) -> str:
    if not isinstance(kind, dict):
        return str(kind)
    logical = kind.get("logicalType")
    if logical == "decimal":
        return f"decimal({kind['precision']},{kind.get('scale', 0)})"
    if logical in _LOGICAL:
        return str(logical)
    inner = kind["type"]
    return _kind(inner) if isinstance(inner, dict) else str(inner)
