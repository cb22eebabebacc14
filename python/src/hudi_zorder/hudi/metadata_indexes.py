"""The indexes of a table's metadata table, and which columns have statistics there."""

from __future__ import annotations

import json
import posixpath
from typing import Final

from hudi_zorder.hudi.filesystem import read_or_none
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import META_COLUMNS

COLUMN_STATS_INDEX: Final = "column_stats"
_PARTITIONS: Final = "hoodie.table.metadata.partitions"
_DEFINITIONS: Final = "hoodie.table.index.defs.path"


def has_index(snapshot: TableSnapshot, name: str = COLUMN_STATS_INDEX) -> bool:
    """Tells whether the table has a column-statistics index, or another one."""
    return name in snapshot.config.properties.get(_PARTITIONS, "").split(",")


def indexed_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the columns that the last writer has kept statistics of, Hudi's own left out.

    Nothing where none are known: without an index, and before Hudi 1.0, which notes none.
    """
    path = snapshot.config.properties.get(_DEFINITIONS)
    if path is None or not has_index(snapshot):
        return ()
    content = read_or_none(snapshot.filesystem, posixpath.join(snapshot.path, path))
    definitions = json.loads(content)["indexDefinitions"] if content else {}
    fields = definitions.get(COLUMN_STATS_INDEX, {}).get("sourceFields", ())
    return tuple(name for name in fields if name not in META_COLUMNS)
