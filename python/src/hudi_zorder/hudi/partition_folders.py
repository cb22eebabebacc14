"""The folders of a table's partitions, without the files in them."""

from __future__ import annotations

import posixpath
from collections.abc import Collection

from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.table_config import METADATA_FOLDER
from hudi_zorder.parallel import in_parallel


def joined_partition(snapshot: TableSnapshot, names: Collection[str]) -> str | None:
    """Returns a partition that these names, joined by commas, may mean; None if they cannot.

    A partition ``x,y`` is such a one of the names x and y.

    Args:
        snapshot: the table.
        names: what Hudi has joined, divided at commas.
    """
    depth = len(snapshot.config.partition_fields)
    # Whatever follows the comma, the folder that a first name of so many levels ends with has it.
    as_deep = all(name.count("/") + 1 == depth for name in names)
    if as_deep and not _has_comma(snapshot, depth):
        return None
    partitions = {part.partition for part in snapshot.slices}
    divided = (name for name in sorted(partitions) if "," in name)
    return next((name for name in divided if set(name.split(",")) <= set(names)), None)


def _has_comma(snapshot: TableSnapshot, depth: int) -> bool:
    """Tells whether any folder has a comma in its name, so many levels deep at most."""
    from pyarrow.fs import FileType

    def below(folder: str) -> list[str]:
        return [
            entry.path
            for entry in listed(snapshot.filesystem, folder, may_lack=False)
            if entry.type == FileType.Directory and entry.base_name != METADATA_FOLDER
        ]

    folders = [snapshot.path]
    for _ in range(depth):
        inside = in_parallel(below, folders, snapshot.readers)
        folders = [folder for found in inside for folder in found]
        if any("," in posixpath.basename(folder) for folder in folders):
            return True
    return False
