"""The table of column statistics, from Parquet footers alone."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import pyarrow as pa

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.stats_table import FOOTERS, FileColumn, stats_table

_FILES: Final = 1024  # of so many files rows are held before they become Arrow's


def footer_stats(snapshot: TableSnapshot, columns: Sequence[str] | None = None) -> pa.Table:
    """Returns statistics of the latest base files, as ``hudi_zorder.stats.stats_table`` describes.

    Args:
        snapshot: the table.
        columns: the columns, nested ones as ``a.b``; None for all that can have statistics,
            Hudi's meta columns left out.

    Raises:
        ColumnError: for a column that does not exist, is named twice or has no statistics.
        TableError: when a file cannot be read.
    """
    leaves = snapshot.schema.statistics_columns(columns)
    bases = [part.base.path for part in snapshot.slices if part.base]
    footers = snapshot.footers.each(bases, list(leaves))
    with_logs = [posixpath.basename(part.path) for part in snapshot.slices if part.has_logs]
    types = {name: leaf.arrow_type for name, leaf in leaves.items()}

    def table(parts: Sequence[FileSlice]) -> pa.Table:
        found = ((part, next(footers) if part.base else None) for part in parts)
        rows = [
            row
            for part, footer in found
            for row in _file_columns(part, footer, leaves.values(), snapshot)
        ]
        return stats_table(rows, types, FOOTERS, with_logs)

    starts = range(0, len(snapshot.slices), _FILES)
    return pa.concat_tables(table(snapshot.slices[start : start + _FILES]) for start in starts)


def _file_columns(
    part: FileSlice,
    footer: Footer | None,
    leaves: Iterable[ColumnSchema],
    snapshot: TableSnapshot,
) -> Iterator[FileColumn]:
    file, partition = posixpath.basename(part.path), part.partition
    # A column that another had the name of may be that one.
    changed = snapshot.precedes_schema_change(part.path)
    for leaf in leaves:
        name = leaf.name
        if footer is None:
            yield FileColumn(file, partition, name, None, None, None, None, None)
            continue
        own, size = footer.leaves.get(name), footer.compressed(name)
        bounds = None if changed else footer.bounds(name)
        if bounds is None or own is None:
            yield FileColumn(file, partition, name, None, None, None, footer.rows, size)
            continue
        # Bounds of another type, from before the column's type was changed, do not fit the table.
        low, high = bounds.low, bounds.high
        if own is not leaf and own.arrow_type != leaf.arrow_type:
            low = high = None
        nulls, rows = bounds.null_count, bounds.rows
        yield FileColumn(file, partition, name, low, high, nulls, rows, size)
