"""What the files of a timeline hold: Avro containers of one record, or JSON.

A commit or a plan tells of every file that it wrote or replaces. What is not asked for is passed
over as it is read, since of a hundred thousand files it would take most of the time and memory.

A container brings its own schema, by which a few bytes could stand for any number of values, or for
values that nest without end. Only what takes no more memory than its file lets expect is read:
no block is compressed, as Hudi compresses none, every value takes a byte at least, and no type
holds itself.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Final

from hudi_zorder.hudi.shapes import ShapeError, parsed_json

_AVRO: Final = b"Obj\x01"
_HEADER: Final = {
    "type": "record",
    "name": "Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "Magic", "size": len(_AVRO)}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
    ],
}
_UNCOMPRESSED: Final = (b"null", b"")
_SIMPLE: Final = ("boolean", "int", "long", "float", "double", "bytes", "string")
_INNER: Final = {"array": "items", "map": "values"}
# Types within types; a restore of Hudi's, its deepest record, has less than 20.
_DEEPEST: Final = 64

Wanted = Mapping[str, Any]
"""The fields to be read of a record, or of a list's or map's records.

The value is what is wanted of the field in turn; None for all of it.
"""


def decoded(content: bytes, wanted: Wanted | None = None) -> dict[str, Any]:
    """Returns the record of an Avro container, or JSON's object; empty when there is none.

    Args:
        content: the file.
        wanted: the fields that are needed, of which JSON has all the others, too; None for all.

    Raises:
        ShapeError: when it is something else, such as a list.
        ValueError: when the bytes are damaged.
    """
    if not content.strip():
        return {}
    is_avro = content.startswith(_AVRO)
    found = _record(content, wanted) if is_avro else parsed_json(content)
    if not isinstance(found, dict):
        raise ShapeError(f"it is no object, but {type(found).__name__}")
    return found


def _record(content: bytes, wanted: Wanted | None) -> Any:
    import fastavro

    try:
        header: Any = fastavro.schemaless_reader(io.BytesIO(content), _HEADER)
        _refuse_unbounded(header["meta"])
        reader = fastavro.reader(io.BytesIO(content))
        if wanted is not None:
            schema = _of_wanted(reader.writer_schema, wanted)
            reader = fastavro.reader(io.BytesIO(content), reader_schema=schema)
        return next(iter(reader), {})
    except ShapeError:
        raise
    except Exception as fault:  # bytes that are damaged lead fastavro to any error
        raise ValueError(f"{type(fault).__name__}: {fault}") from fault


def _refuse_unbounded(header: Mapping[str, bytes]) -> None:
    """Returns if what follows a header takes memory in proportion to its bytes."""
    codec = header.get("avro.codec", b"")
    if codec not in _UNCOMPRESSED:
        raise ShapeError(f"it is compressed by {codec[:20]!r}, and Hudi compresses none")
    _Types().check(parsed_json(header["avro.schema"]))


class _Types:
    """The types of a container: each value takes a byte at least, and none holds its own type."""

    def __init__(self) -> None:
        self._whole = set(_SIMPLE)  # what a type may be called by, once it is told as a whole

    def check(self, schema: Any, depth: int = 0) -> None:
        """Returns if a type, and those within it, are so; raises ShapeError if not."""
        if depth > _DEEPEST:
            raise ShapeError(f"its types nest deeper than {_DEEPEST}")
        if isinstance(schema, list):  # which of them a value has takes a byte
            for kind in schema:
                if kind != "null":
                    self.check(kind, depth + 1)
            return
        kind = schema["type"] if isinstance(schema, dict) else schema
        if not isinstance(kind, str):
            self.check(kind, depth + 1)
        elif kind in _INNER:
            self.check(schema[_INNER[kind]], depth + 1)
        elif kind in ("record", "fixed", "enum"):
            self._check_named(kind, schema, depth)
        elif own_name(kind) not in self._whole:
            raise ShapeError(f"its type '{kind}' takes no bytes, is unknown or holds itself")

    def _check_named(self, kind: str, schema: Mapping[str, Any], depth: int) -> None:
        if not {"record": schema.get("fields"), "fixed": schema.get("size"), "enum": True}[kind]:
            raise ShapeError(f"its type '{schema['name']}' takes no bytes")
        for field in schema.get("fields", ()):
            self.check(field["type"], depth + 1)
        self._whole.add(own_name(schema["name"]))


def own_name(name: str) -> str:
    """Returns the name of a type without its namespace."""
    return name.rpartition(".")[2]


def _of_wanted(schema: Any, wanted: Wanted | None) -> Any:
    """Returns a schema without the fields that are not wanted.

    Hudi's schemas write a type out where it is used, so that none is lost with a field.
    """
    if wanted is None or isinstance(schema, str):
        return schema
    if isinstance(schema, list):
        return [_of_wanted(kind, wanted) for kind in schema]
    inner = {key: _of_wanted(schema[key], wanted) for key in ("items", "values") if key in schema}
    if "fields" in schema:
        inner["fields"] = [
            {**field, "type": _of_wanted(field["type"], wanted[field["name"]])}
            for field in schema["fields"]
            if field["name"] in wanted
        ]
    return {**schema, **inner}
