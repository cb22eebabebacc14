"""Hudi tables made of Parquet files and a timeline, without Spark: for tests that only read."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

INSTANT = "20260101000000000"
COMPLETED = "20260101000001000"
CLUSTERED = "20260102000000000"
PENDING = "20260103000000000"
# A column's converted and logical types in a Parquet footer, which pyarrow writes of no enum.
_TEXT_IN_FOOTER = b"\x25\x00\x4c\x1c\x00\x00"
_ENUM_IN_FOOTER = b"\x25\x08\x4c\x4c\x00\x00"
# Of a file of the timeline, what a full disk leaves.
HALF = b"Obj\x01\x04\x14avro.codec"


def write_plain_table(
    path: Path,
    files: Sequence[pa.Table] | Mapping[str, pa.Table],
    *,
    properties: Mapping[str, str] | None = None,
    **parquet_options: Any,
) -> Path:
    """Writes a copy-on-write table of version 9 with one commit, and returns its path.

    Args:
        path: the table's base folder.
        files: the rows of each base file; as a mapping, by partition folder and a file's number,
            such as ``"day=1/0"``.
        properties: further entries of ``hoodie.properties``.
        **parquet_options: options of ``pyarrow.parquet.write_table``.
    """
    entries = {
        "hoodie.table.name": path.name,
        "hoodie.table.type": "COPY_ON_WRITE",
        "hoodie.table.version": "9",
        "hoodie.timeline.layout.version": "2",
        "hoodie.timeline.path": "timeline",
        "hoodie.timeline.history.path": "history",
        "hoodie.table.base.file.format": "PARQUET",
        **(properties or {}),
    }
    timeline = path / ".hoodie" / "timeline"
    timeline.mkdir(parents=True)
    text = "".join(f"{key}={value}\n" for key, value in entries.items())
    (path / ".hoodie" / "hoodie.properties").write_text(text)
    (timeline / f"{INSTANT}_{COMPLETED}.commit").touch()
    if not isinstance(files, Mapping):
        files = {str(number): rows for number, rows in enumerate(files)}
    for place, rows in files.items():
        file = path / base_file(place)
        file.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, file, **parquet_options)
    return path


def write_enum_table(path: Path, files: Mapping[str, str], **options: Any) -> Path:
    """Writes a table of a column ``color``, an enum to Avro, and returns its path.

    Args:
        path: the table's base folder.
        files: the color of each file's row, by partition folder and number.
        **options: what else ``write_plain_table`` takes.
    """
    tables = {place: pa.table({"color": [color]}) for place, color in files.items()}
    write_plain_table(path, tables, **options, store_schema=False, compression="none")
    for place in files:
        file = path / base_file(place)
        held = file.read_bytes()
        assert held.count(_TEXT_IN_FOOTER) == 1
        file.write_bytes(held.replace(_TEXT_IN_FOOTER, _ENUM_IN_FOOTER))
    symbols = sorted({*files.values()})
    commit_schema(path, {"type": "enum", "name": "Color", "symbols": symbols}, column="color")
    return path


def commit_schema(path: Path, avro_type: Mapping[str, Any], *, column: str) -> None:
    """Lets the first commit of a table tell the type of its only column."""
    fields = [{"name": column, "type": ["null", avro_type]}]
    schema = json.dumps({"type": "record", "name": "t", "fields": fields})
    commit = json.dumps({"extraMetadata": {"schema": schema}})
    (path / f".hoodie/timeline/{INSTANT}_{COMPLETED}.commit").write_text(commit)


def base_file(place: str, instant: str = INSTANT) -> str:
    """Returns the path of a base file, given its partition folder and number, as ``"day=1/0"``."""
    folder, _, number = place.rpartition("/")
    name = f"f{number}-0_0-0-0_{instant}.parquet"
    return f"{folder}/{name}" if folder else name


def write_typed_table(path: Path) -> Path:
    """Writes three files of two rows: numbers, decimals, times, bytes, and texts like markup."""
    files = [
        pa.table(
            {
                "a": [10 * n, 10 * n + 5],
                "m": [Decimal("1.50"), None],
                "t": [dt.datetime(2026, 1, n + 1), dt.datetime(2026, 1, n + 1, 12)],
                "d": [math.inf, 1.0],
                "x": [b"\x00\xff", b"a"],
                "s": ["[bold]", f"é{n}"],
                "ip": ["2001:db8::100:7"] * 2,
            }
        )
        for n in range(3)
    ]
    return write_plain_table(path, files)


def write_clustered_table(path: Path) -> Path:
    """Writes two files of 60 rows with wide ranges of a and b, and the three they became."""
    rows = [{"a": n, "b": n * 7 % 120} for n in range(120)]
    write_plain_table(path, [pa.Table.from_pylist(rows[n::2]) for n in range(2)])
    stats = []
    for number in range(3):
        file = path / base_file(f"1{number}", CLUSTERED)
        pq.write_table(pa.Table.from_pylist(rows[number * 40 :][:40]), file)
        size = file.stat().st_size
        stats.append({"fileId": f"f1{number}-0", "numWrites": 40, "fileSizeInBytes": size})
    _commit_clustering(path, {"": ["f0-0", "f1-0"]}, {"": stats})
    return path


def tell_of_clustering(
    path: Path | str, parameters: Mapping[str, str], time: str = CLUSTERED
) -> None:
    """Lets the timeline tell of a clustering whose plan has stored these parameters."""
    timeline = _commit_clustering(Path(path), {}, {}, time)
    plan = {"clusteringPlan": {"inputGroups": [], "strategy": {"strategyParams": parameters}}}
    (timeline / f"{time}.replacecommit.requested").write_text(json.dumps(plan))


def change_schema(path: Path | str, instant: str) -> None:
    """Lets the timeline tell of a change to a schema that is evolved on read."""
    folder = Path(path, ".hoodie/.schema")
    folder.mkdir()
    history = json.dumps({"schemas": [{"version_id": int(instant)}]})
    (folder / f"{instant}.schemacommit").write_text(history)


def write_plan(path: Path, content: bytes, action: str = "clustering") -> Path:
    """Writes a plan that is pending, and returns its file."""
    file = path / ".hoodie/timeline" / f"{PENDING}.{action}.requested"
    file.write_bytes(content)
    return file


def write_archive(path: Path, files: Mapping[str, pa.Table], manifest: bytes | None = None) -> Path:
    """Writes an archive of files by their names, and returns its folder.

    Args:
        path: the table's base folder.
        files: the rows of each file.
        manifest: what the manifest holds; None for the names of the files.
    """
    folder = path / ".hoodie/timeline/history"
    folder.mkdir()
    for name, rows in files.items():
        pq.write_table(rows, folder / name)
    named = {"files": [{"fileName": name, "fileLen": 1} for name in files]}
    (folder / "manifest_1").write_bytes(
        json.dumps(named).encode() if manifest is None else manifest
    )
    (folder / "_version_").write_text("1")
    return folder


def _commit_clustering(
    path: Path, replaced: Mapping[str, Any], stats: Mapping[str, Any], time: str = CLUSTERED
) -> Path:
    """Writes the commit of a clustering; returns the folder of the timeline."""
    commit = {
        "operationType": "CLUSTER",
        "partitionToReplaceFileIds": replaced,
        "partitionToWriteStats": stats,
    }
    timeline = path / ".hoodie" / "timeline"
    done = f"{time}_{time[:-1]}1.replacecommit"
    (timeline / done).write_text(json.dumps(commit))
    return timeline
