"""The table of column statistics, from Parquet footers alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import Comparable, cast
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.stats_table import FOOTERS, ColumnValues, stats_table

_FILES: Final = 1024  # of so many files values are held before they become Arrow's
_LOGS_ALONE: Final = "there are log files alone"
_LACKING: Final = "the file has no such column"
_VALUELESS: Final = "the file has no values of it"
_NO_STATISTICS: Final = "the file has no statistics of it"
_PERHAPS_NAN: Final = f"{_NO_STATISTICS}, or a NaN among the values"
NOT_WRITTEN: Final = (_NO_STATISTICS, _PERHAPS_NAN)  # why bounds are unknown that a writer left out

Cell = tuple[Comparable | None, Comparable | None, int | None, int | None, str | None]


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
    leaves = snapshot.statistics_columns(columns)
    bases = [part.base.path for part in snapshot.slices if part.base]
    footers = snapshot.footers.each(bases, list(leaves))

    def table(parts: Sequence[FileSlice]) -> pa.Table:
        rows: list[int | None] = []
        values = {name: ColumnValues(leaf.arrow_type) for name, leaf in leaves.items()}
        for part in parts:
            footer = next(footers) if part.base else None
            rows.append(footer.rows if footer else None)
            changed = snapshot.precedes_schema_change(part.path)
            for name, leaf in leaves.items():
                values[name].add(*_cell(leaf, footer, changed_schema(snapshot) if changed else ""))
        columns = {name: column.arrays() for name, column in values.items()}
        return stats_table(parts, rows, columns, FOOTERS)

    starts = range(0, len(snapshot.slices), _FILES)
    return pa.concat_tables(table(snapshot.slices[start : start + _FILES]) for start in starts)


def changed_schema(snapshot: TableSnapshot) -> str:
    """Returns why nothing is known of a file from before the last change of the schema."""
    return f"the table's schema was changed since, at {snapshot.schema_changed_at}"


def _cell(leaf: ColumnSchema, footer: Footer | None, changed: str) -> Cell:
    """Returns what the fields of one column are in one file."""
    if footer is None:
        return None, None, None, None, _LOGS_ALONE
    name = leaf.name
    size = footer.compressed(name)
    # What has the name may be another column, or one that the folder has the values of.
    bounds = footer.bounds(name) if leaf.is_written and not changed else None
    if bounds is None:
        return None, None, None, size, changed or (_VALUELESS if size else _LACKING)
    if not bounds.known:
        why = _PERHAPS_NAN if leaf.is_float else _NO_STATISTICS
        return None, None, bounds.null_count, size, why
    own = footer.leaves[name]
    if own is leaf or bounds.low is None or bounds.high is None:
        return bounds.low, bounds.high, bounds.null_count, size, None
    low, high, unknown = _cast(bounds.low, bounds.high, own.arrow_type, leaf.arrow_type)
    return low, high, bounds.null_count, size, unknown


def _cast(
    low: Comparable, high: Comparable, own: pa.DataType, wanted: pa.DataType
) -> tuple[Comparable | None, Comparable | None, str | None]:
    """Returns bounds in the table's type, or why they have no equals there."""
    convert = cast(own, wanted)
    ends = (convert(low), convert(high)) if convert else (None, None)
    return (None, None, f"it is {own} in the file") if None in ends else (*ends, None)
