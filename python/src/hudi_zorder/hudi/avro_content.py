"""What the files of a timeline hold: Avro containers of one record, or JSON.

A commit or a plan tells of every file that it wrote or replaces. What is not asked for is passed
over as it is read, since of a hundred thousand files it would take most of the time and memory.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any, Final

_AVRO: Final = b"Obj\x01"

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
        ValueError, EOFError, IndexError, KeyError: when the bytes are damaged.
    """
    if not content.strip():
        return {}
    if content[: len(_AVRO)] != _AVRO:
        found = json.loads(content)
        if not isinstance(found, dict):
            raise ValueError(f"it is no object, but {type(found).__name__}")
        return found
    import fastavro

    reader = fastavro.reader(io.BytesIO(content))
    if wanted is not None:
        schema = _of_wanted(reader.writer_schema, wanted)
        reader = fastavro.reader(io.BytesIO(content), reader_schema=schema)
    record = next(iter(reader), {})
    return record if isinstance(record, dict) else {}


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
