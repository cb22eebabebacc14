"""The table of column statistics, from Parquet footers alone."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.stats_table import FOOTERS, FileColumn, stats_table

if TYPE_CHECKING:
    import pyarrow as pa


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
    footers = snapshot.footers.read(bases, list(leaves))
    rows = [
        _file_column(part, footers.get(part.path), leaf, snapshot)
        for part in snapshot.slices
        for leaf in leaves.values()
    ]
    with_logs = [posixpath.basename(part.path) for part in snapshot.slices if part.has_logs]
    types = {name: leaf.arrow_type for name, leaf in leaves.items()}
    return stats_table(rows, types, FOOTERS, with_logs)


def _file_column(
    part: FileSlice, footer: Footer | None, leaf: ColumnSchema, snapshot: TableSnapshot
) -> FileColumn:
    file = posixpath.basename(part.path)
    if footer is None:
        return FileColumn(file, part.partition, leaf.name, None, None, None, None, None)
    if snapshot.precedes_schema_change(part.path):  # the column of that name may be another one
        size = footer.compressed(leaf.name)
        return FileColumn(file, part.partition, leaf.name, None, None, None, footer.rows, size)
    bounds = footer.bounds(leaf.name)
    if bounds is None:
        return FileColumn(file, part.partition, leaf.name, None, None, None, footer.rows, 0)
    # Bounds of another type, from before the column's type was changed, do not fit the table.
    same = footer.leaves[leaf.name].arrow_type == leaf.arrow_type
    return FileColumn(
        file,
        part.partition,
        leaf.name,
        bounds.low if same else None,
        bounds.high if same else None,
        bounds.null_count,
        bounds.rows,
        footer.compressed(leaf.name),
    )
