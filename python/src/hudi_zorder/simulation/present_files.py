"""The files that a table has now, with what their statistics say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.partition_values import partition_bounds
from hudi_zorder.parquet.bounds import Bounds, merge_bounds
from hudi_zorder.simulation.file_set import FileSet, SimulatedFile
from hudi_zorder.skipping.trust import trusted_bounds

if TYPE_CHECKING:
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.file_schema import ColumnSchema

_LOG_ROW_BYTES: Final = 100  # as clustering assumes; whether a row is new the log does not say


def file_set(snapshot: TableSnapshot, files: Sequence[SimulatedFile]) -> FileSet:
    """Returns files of a table."""
    return FileSet(
        files, lambda partition: partition_bounds(snapshot.config, partition, snapshot.schema)
    )


def present_files(
    snapshot: TableSnapshot, slices: Sequence[FileSlice], looked: Mapping[str, ColumnSchema]
) -> list[SimulatedFile]:
    """Returns slices as files, with what their statistics say of the columns looked at."""
    bases = [part.base.path for part in slices if part.base]
    footers = snapshot.footers.read(bases, list(looked))
    files = []
    for part in slices:
        footer = footers[part.base.path] if part.base else None
        assumed = sum(log.size for log in part.logs) // _LOG_ROW_BYTES
        rows = (footer.rows if footer else 0) + assumed
        bounds = trusted_bounds(snapshot, part, footer, looked)
        files.append(SimulatedFile(part.partition, rows, bounds, assumed))
    return files


def known_bounds(files: Sequence[SimulatedFile], names: Iterable[str]) -> dict[str, Bounds]:
    """Returns the bounds of columns over those files that have them.

    The nulls are unknown where one of the files has no bounds; so is a column without any.
    """
    found = {}
    for name in names:
        every = (file.bounds.get(name) for file in files)
        parts = [bounds for bounds in every if bounds is not None and bounds.known]
        if parts:
            bounds = merge_bounds(parts)
            nulls = bounds.null_count if len(parts) == len(files) else None
            found[name] = Bounds(bounds.rows, nulls, bounds.low, bounds.high)
    return found
