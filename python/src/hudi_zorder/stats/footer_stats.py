"""The table of column statistics, from Parquet footers alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import pyarrow as pa

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import Comparable, cast
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.stats_table import FOOTERS, ColumnValues, stats_table

_FILES: Final = 1024  # of so many files footers are held before their values become Arrow's
_LOGS_ALONE: Final = "there are log files alone"
_LACKING: Final = "the file has no such column"
_NO_STATISTICS: Final = "the file has no statistics of it"
_PERHAPS_NAN: Final = f"{_NO_STATISTICS}, or a NaN among the values"

Ends = tuple[Comparable | None, Comparable | None]


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

    def table(parts: Sequence[FileSlice]) -> pa.Table:
        found = [next(footers) if part.base else None for part in parts]
        rows = [footer.rows if footer else None for footer in found]
        changed = [snapshot.precedes_schema_change(part.path) for part in parts]
        values = {
            name: _values(leaf, zip(found, changed, strict=True), changed_schema(snapshot))
            for name, leaf in leaves.items()
        }
        return stats_table(parts, rows, values, FOOTERS)

    starts = range(0, len(snapshot.slices), _FILES)
    return pa.concat_tables(table(snapshot.slices[start : start + _FILES]) for start in starts)


def changed_schema(snapshot: TableSnapshot) -> str:
    """Returns why nothing is known of a file from before the last change of the schema."""
    return f"the table's schema was changed since, at {snapshot.schema_changed_at}"


def _values(
    leaf: ColumnSchema, files: Iterable[tuple[Footer | None, bool]], why_changed: str
) -> ColumnValues:
    values = ColumnValues(leaf.arrow_type)
    name = leaf.name
    for footer, changed in files:
        if footer is None:
            values.add(None, None, None, None, _LOGS_ALONE)
            continue
        size = footer.compressed(name)
        bounds = footer.bounds(name)
        if changed:  # what has the name may be another column
            values.add(None, None, None, size, why_changed)
        elif bounds is None:
            values.add(None, None, None, size, _LACKING)
        elif bounds.known:
            low, high, unknown = bounds.low, bounds.high, None
            if footer.leaves[name] is not leaf:
                low, high, unknown = _cast(low, high, footer.leaves[name], leaf)
            values.add(low, high, bounds.null_count, size, unknown)
        else:
            why = _PERHAPS_NAN if leaf.is_float else _NO_STATISTICS
            values.add(None, None, bounds.null_count, size, why)
    return values


def _cast(
    low: Comparable | None, high: Comparable | None, own: ColumnSchema, leaf: ColumnSchema
) -> tuple[Comparable | None, Comparable | None, str | None]:
    """Returns bounds in the table's type, or why they have no equals there."""
    if low is None or high is None or own.arrow_type == leaf.arrow_type:
        return low, high, None
    convert = cast(own.arrow_type, leaf.arrow_type)
    if convert is not None:
        low, high = convert(low), convert(high)
        if low is not None and high is not None:
            return low, high, None
    return None, None, f"it is {own.arrow_type} in the file"
