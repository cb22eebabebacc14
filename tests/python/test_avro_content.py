"""Of an Avro file of the timeline, the fields asked for are read as they are in the whole."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import pytest

from hudi_zorder.hudi.avro_content import decoded

STAT = {
    "type": "record",
    "name": "Stat",
    "fields": [
        {"name": "id", "type": ["null", "string"], "default": None},
        {"name": "rows", "type": ["null", "long"], "default": None},
    ],
}
COMMIT = {
    "type": "record",
    "name": "Commit",
    "fields": [
        {
            "name": "written",
            "type": ["null", {"type": "map", "values": {"type": "array", "items": STAT}}],
            "default": None,
        },
        {"name": "kind", "type": ["null", "string"], "default": None},
        {"name": "version", "type": ["int", "null"], "default": 1},
    ],
}
RECORD: dict[str, Any] = {
    "written": {"p": [{"id": "a", "rows": 1}, {"id": None, "rows": None}], "q": []},
    "kind": "CLUSTER",
    "version": 2,
}


def avro(records: list[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, COMMIT, records)
    return out.getvalue()


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, RECORD),
        ({"kind": None}, {"kind": "CLUSTER"}),
        ({"kind": None, "absent": None}, {"kind": "CLUSTER"}),
        ({"written": None}, {"written": RECORD["written"]}),
        ({"written": {"rows": None}}, {"written": {"p": [{"rows": 1}, {"rows": None}], "q": []}}),
    ],
)
def test_the_fields_asked_for_are_read(wanted: Any, expected: dict[str, Any]) -> None:
    assert decoded(avro([RECORD]), wanted) == expected


def test_json_is_read_whole_and_nothing_is_empty() -> None:
    assert decoded(json.dumps(RECORD).encode(), {"kind": None}) == RECORD
    assert decoded(b" ") == decoded(avro([])) == {}
    with pytest.raises(ValueError, match="no object, but list"):
        decoded(b"[1]")
