"""Files of runs, as clusterings leave them, without Spark."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ONE_ROW = pa.table({"a": [1]})


def clustering(
    path: Path,
    instant: str,
    runs: list[tuple[int, int]],
    files: Sequence[pa.Table] | None = None,
    partition: str = "",
) -> None:
    """Adds a clustering that writes a file of each layout and run, or else one of no run."""
    ids = [file_id(*run) for run in runs] or [f"{uuid.UUID(int=0, version=4)}-0"]
    folder = path / partition
    folder.mkdir(exist_ok=True)
    for name, rows in zip(ids, files or [ONE_ROW] * len(ids), strict=True):
        pq.write_table(rows, folder / f"{name}_0-0-0_{instant}.parquet")
    stats: list[dict[str, Any]] = [{"fileId": name} for name in ids]
    commit = {"operationType": "CLUSTER", "partitionToWriteStats": {partition: stats}}
    file = path / ".hoodie" / "timeline" / f"{instant}_{instant}.replacecommit"
    file.write_text(json.dumps(commit))


def run_of(instant: str, group: int = 0) -> int:
    """Returns the run that a group of a clustering becomes, as Java numbers it."""
    digest = uuid.UUID(bytes=hashlib.md5(instant.encode()).digest(), version=3)
    return (digest.int & (1 << 18) - 1) << 18 | group


def file_id(layout: int, run: int) -> str:
    """Returns an id as Java makes it, by the places of its bits."""
    random = uuid.uuid4().int
    bits = f"1{random & (1 << 47) - 1:047b}1000{run >> 24:012b}"
    bits += f"10{run & 0xFFFFFF:024b}{layout:032b}{random & 0x3F:06b}"
    return f"{uuid.UUID(int=int(bits, 2))}-0"
