"""The rows of a table by hudi-rs, which shares no code with Hudi on Spark, nor with us."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hudi import HudiTableBuilder


def rows_elsewhere(path: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Returns the rows in the order of their first column, from the data files and the timeline.

    hudi-rs reads no upgraded metadata table, and leaves none out that the table's properties name:
    it is given a copy that has none.
    """
    copy = Path(f"{path}-elsewhere")
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns("metadata"))
    properties = copy / ".hoodie/hoodie.properties"
    lines = properties.read_text().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith("hoodie.table.metadata.partitions=")]
    properties.write_text("".join(kept))
    batches = HudiTableBuilder.from_base_uri(str(copy)).build().read()
    shutil.rmtree(copy)
    found = (row for batch in batches for row in batch.select(list(columns)).to_pylist())
    return sorted(tuple(row.values()) for row in found)
