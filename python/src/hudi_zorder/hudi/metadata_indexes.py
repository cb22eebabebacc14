"""The indexes of a table's metadata table, and which columns have statistics there."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.filesystem import read_or_none
from hudi_zorder.hudi.shapes import TEXT, Always, MapOf, json_of
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.table_config import METADATA_FOLDER, is_table
from hudi_zorder.parquet.file_schema import META_COLUMNS

COLUMN_STATS_INDEX: Final = "column_stats"
PARTITION_STATS_INDEX: Final = "partition_stats"
_FOLDER: Final = "metadata"
_PARTITIONS: Final = "hoodie.table.metadata.partitions"
_DEFINITIONS: Final = "hoodie.table.index.defs.path"
_INDEX: Final = {"sourceFields": [TEXT], "indexOptions": MapOf(TEXT)}
_INDEXES: Final = {"indexDefinitions": Always(MapOf(_INDEX))}


def has_index(snapshot: TableSnapshot, name: str = COLUMN_STATS_INDEX) -> bool:
    """Tells whether the table names a column-statistics index, or another one, as its own."""
    return name in snapshot.config.properties.get(_PARTITIONS, "").split(",")


def metadata_path(snapshot: TableSnapshot) -> str:
    """Returns the base folder of the metadata table."""
    return posixpath.join(snapshot.path, METADATA_FOLDER, _FOLDER)


def opens_index(snapshot: TableSnapshot, name: str = COLUMN_STATS_INDEX) -> bool:
    """Tells whether readers find the column-statistics index, or another one.

    Where the metadata table's folder was deleted, the table names its indexes until the next write,
    and readers do without them.
    """
    return has_index(snapshot, name) and is_table(snapshot.filesystem, metadata_path(snapshot))


def indexed_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the columns that the last writer has kept statistics of, Hudi's own left out.

    Nothing where none are known: without an index, and before Hudi 1.0, which notes none.

    Raises:
        TableError: when what the table says of its indexes cannot be read.
    """
    names = _definition(snapshot, COLUMN_STATS_INDEX).get("sourceFields") or ()
    return tuple(name for name in names if name not in META_COLUMNS)


def is_partitioned(snapshot: TableSnapshot, name: str) -> bool:
    """Tells whether each partition has an index for itself, as one of records may be.

    Raises:
        TableError: when what the table says of its indexes cannot be read.
    """
    options = _definition(snapshot, name).get("indexOptions") or {}
    return options.get("isPartitioned") == "true"


def _definition(snapshot: TableSnapshot, name: str) -> Mapping[str, Any]:
    path = snapshot.config.properties.get(_DEFINITIONS)
    if path is None or not has_index(snapshot, name):
        return {}
    file = posixpath.join(snapshot.path, path)
    content = read_or_none(snapshot.filesystem, file)
    if not content:
        return {}
    try:
        found = json_of(content, _INDEXES)
    except ValueError as fault:
        raise TableError(
            f"Cannot read a table: '{file}' is not what Hudi writes ({fault}); try again, as a "
            "writer may just write it, or restore it"
        ) from fault
    return found["indexDefinitions"].get(name) or {}
