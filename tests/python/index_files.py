"""HFiles, log files and column-statistics indexes made by hand, for tests that only read.

What Hudi itself writes is read in ``test_stats_index.py``.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro

from hudi_zorder.metadata_table.hashes import column_hash, file_hash

INDEXED = "20260101000000000"
_WRAPPERS = {
    "BooleanWrapper": "boolean",
    "IntWrapper": "int",
    "LongWrapper": "long",
    "FloatWrapper": "float",
    "DoubleWrapper": "double",
    "BytesWrapper": "bytes",
    "StringWrapper": "string",
}
_WRAPPED = [
    {"type": "record", "name": name, "fields": [{"name": "value", "type": kind}]}
    for name, kind in _WRAPPERS.items()
]


def _field(name: str, *kinds: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", *kinds], "default": None}


# As HoodieMetadata.avsc of Hudi 1.2.0 has it, with those wrappers alone that have values here.
SCHEMA: dict[str, Any] = {
    "type": "record",
    "name": "HoodieMetadataRecord",
    "namespace": "org.apache.hudi.avro.model",
    "fields": [
        {"name": "key", "type": "string"},
        {"name": "type", "type": "int"},
        _field("filesystemMetadata", {"type": "map", "values": "long"}),
        _field(
            "ColumnStatsMetadata",
            {
                "type": "record",
                "name": "HoodieMetadataColumnStats",
                "fields": [
                    _field("fileName", {"type": "string", "avro.java.string": "String"}),
                    _field("columnName", "string"),
                    _field("minValue", *_WRAPPED),
                    _field("maxValue", *_WRAPPERS),
                    _field("valueCount", "long"),
                    _field("nullCount", "long"),
                    _field("totalSize", "long"),
                    {"name": "isDeleted", "type": "boolean"},
                    {"name": "isTightBound", "type": "boolean", "default": False},
                    _field(
                        "valueType",
                        {
                            "type": "record",
                            "name": "HoodieValueTypeInfo",
                            "fields": [
                                {"name": "typeOrdinal", "type": "int"},
                                _field("additionalInfo", "string"),
                            ],
                        },
                    ),
                ],
            },
        ),
    ],
}
PARSED = fastavro.parse_schema(json.loads(json.dumps(SCHEMA)))
SCHEMA_JSON = json.dumps(SCHEMA).encode()

Entry = tuple[bytes, bytes]


def stats(file: str, column: str, low: Any, high: Any, rows: int, **more: Any) -> Entry:
    """Returns key and value of one record; bounds are pairs of a wrapper's name and a value."""
    record = {
        "fileName": file,
        "columnName": column,
        "minValue": _wrapped(low),
        "maxValue": _wrapped(high),
        "valueCount": rows,
        "nullCount": 0,
        "totalSize": 10,
        "isDeleted": False,
        "isTightBound": False,
        **more,
    }
    out = io.BytesIO()
    value = {"key": "", "type": 3, "ColumnStatsMetadata": record}
    fastavro.schemaless_writer(out, PARSED, value)
    return key(file, column), out.getvalue()


def _wrapped(bound: Any) -> Any:
    return bound and (f"{SCHEMA['namespace']}.{bound[0]}", {"value": bound[1]})


def key(file: str, column: str) -> bytes:
    return column_hash(column) + b"partition12=" + file_hash(file)


def longs(file: str, column: str, low: int, high: int, rows: int, **more: Any) -> Entry:
    """Returns a record whose bounds are longs."""
    kind = {"typeOrdinal": 4, "additionalInfo": None}
    bounds = ("LongWrapper", low), ("LongWrapper", high)
    return stats(file, column, *bounds, rows, **{"valueType": kind, **more})


def hfile(
    entries: Iterable[Entry],
    *,
    schema: bytes = SCHEMA_JSON,
    packed: bool = True,
    in_block: int = 3,
    levels: int = 1,
) -> bytes:
    """Returns an HFile of entries, with so many in a block and so many levels of its index."""
    content = bytearray()
    found = sorted(entries)
    blocks = []
    for start in range(0, len(found), in_block):
        part = found[start : start + in_block]
        data = b"".join(map(_entry, part))
        blocks.append((part[0][0], len(content), _append(content, b"DATABLK*", data, packed)))
    for level in range(levels - 1):
        magic = b"IDXINTE2" if level else b"IDXLEAF2"
        above = []
        for start in range(0, len(blocks), 2):
            part = blocks[start : start + 2]
            data = _leaf(part)
            above.append((part[0][0], len(content), _append(content, magic, data, packed)))
        blocks = above
    opened = len(content)
    _append(content, b"IDXROOT2", b"".join(map(_root, blocks)), packed)
    _append(content, b"IDXROOT2", b"", packed)
    pair = _bytes_field(1, b"schema") + _bytes_field(2, schema)
    _append(content, b"FILEINF2", b"PBUF" + _delimited(_bytes_field(1, pair)), packed)
    fields = {2: opened, 5: len(blocks), 7: len(found), 8: levels, 12: 1 if packed else 2}
    trailer = b"".join(_varint(field << 3) + _varint(value) for field, value in fields.items())
    return bytes(content + (b'TRABLK"$' + _delimited(trailer)).ljust(4092, b"\0") + b"\0\0\0\3")


def _entry(entry: Entry) -> bytes:
    name, value = entry
    lengths = struct.pack(">iih", len(name) + 12, len(value), len(name))
    return lengths + name + b"\0" + struct.pack(">qB", (1 << 63) - 1, 4) + value + b"\0"


def _append(content: bytearray, magic: bytes, data: bytes, packed: bool) -> int:
    held = gzip.compress(data) if packed else data
    sums = 4 * -(-(len(held) + 33) // 16384)
    sizes = (len(held) + sums, len(data), -1, 0, 16384, len(held) + 33)
    content += magic + struct.pack(">iiqBii", *sizes) + held + bytes(sums)
    return 33 + len(held) + sums


def _root(block: tuple[bytes, int, int]) -> bytes:
    name, offset, size = block
    length = len(name) + 2  # which is below 128, and so a byte
    return struct.pack(">qibh", offset, size, length, len(name)) + name


def _leaf(blocks: Sequence[tuple[bytes, int, int]]) -> bytes:
    parts = [struct.pack(">qih", at, size, len(name)) + name for name, at, size in blocks]
    starts = [sum(map(len, parts[:number])) for number in range(len(parts) + 1)]
    return struct.pack(f">{len(starts) + 1}i", len(parts), *starts) + b"".join(parts)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _delimited(message: bytes) -> bytes:
    return _varint(len(message)) + message


def _bytes_field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _delimited(value)


def log_block(kind: int, instant: str, content: bytes = b"", **header: str) -> bytes:
    """Returns a block of a log; of the header ``target`` and ``compacted``, besides the instant."""
    names = {"target": 1, "compacted": 4}
    texts = {0: instant, **{names[name]: text for name, text in header.items()}}
    if kind == 4:
        texts[2] = SCHEMA_JSON.decode()
    body = struct.pack(">iii", 1, kind, len(texts))
    for number, text in texts.items():
        body += struct.pack(">ii", number, len(text.encode())) + text.encode()
    body += struct.pack(">q", len(content)) + content + struct.pack(">i", 0)
    length = len(body) + 8
    return b"#HUDI#" + struct.pack(">q", length) + body + struct.pack(">q", length + 6)


def deletes(*keys: bytes) -> bytes:
    """Returns the content of a block of deletes."""
    text = ["null", "string"]
    schema = {
        "type": "array",
        "items": {
            "type": "record",
            "name": "D",
            "fields": [
                {"name": "recordKey", "type": text},
                {"name": "partitionPath", "type": text},
                {
                    "name": "orderingVal",
                    "type": ["null", {"type": "record", "name": "B", "fields": []}, _WRAPPED[1]],
                },
            ],
        },
    }
    out = io.BytesIO()
    records = [
        {
            "recordKey": name.decode(),
            "partitionPath": "column_stats",
            "orderingVal": ("IntWrapper", {"value": 0}),
        }
        for name in keys
    ]
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), records)
    return struct.pack(">ii", 3, len(out.getvalue())) + out.getvalue()


def write_index(
    table: Path,
    base: bytes | None,
    logs: Mapping[str, bytes] | None = None,
    completed: Iterable[str] = (),
) -> Path:
    """Gives a table a column-statistics index of one file group, and returns the group's folder.

    Args:
        table: the table's base folder.
        base: the base file.
        logs: log files by their instants.
        completed: further instants that are completed.
    """
    folder = table / ".hoodie" / "metadata"
    timeline = folder / ".hoodie" / "timeline"
    timeline.mkdir(parents=True, exist_ok=True)
    properties = {
        "hoodie.table.name": "t_metadata",
        "hoodie.table.type": "MERGE_ON_READ",
        "hoodie.table.version": "9",
        "hoodie.timeline.layout.version": "2",
        "hoodie.table.base.file.format": "HFILE",
    }
    text = "".join(f"{name}={value}\n" for name, value in properties.items())
    (folder / ".hoodie" / "hoodie.properties").write_text(text)
    for instant in (INDEXED, *completed):
        (timeline / f"{instant}_{instant}.deltacommit").touch()
    index = folder / "column_stats"
    index.mkdir()
    if base is not None:
        (index / f"col-stats-0000-0_0-1-2_{INDEXED}.hfile").write_bytes(base)
    for instant, content in (logs or {}).items():
        (index / f".col-stats-0000-0_{instant}.log.1_0-1-2").write_bytes(content)
    with (table / ".hoodie" / "hoodie.properties").open("a") as config:
        config.write("hoodie.table.metadata.partitions=column_stats,files\n")
    return index
