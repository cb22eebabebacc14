"""Which statistics of a file slice are the truth about its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot


def trusted_bounds(
    snapshot: TableSnapshot,
    part: FileSlice,
    footer: Footer | None,
    leaves: Mapping[str, ColumnSchema],
) -> dict[str, Bounds | None]:
    """Returns what a slice's statistics say of columns; nothing when they are not the truth."""
    if footer is None or distrust(snapshot, part):
        return {}
    return footer_bounds(footer, leaves)


def footer_bounds(footer: Footer, leaves: Mapping[str, ColumnSchema]) -> dict[str, Bounds | None]:
    """Returns what a base file's statistics say for certain of columns."""
    footer = footer.certain()
    return {name: footer.bounds(name) for name in comparable_columns(footer, leaves)}


def distrust(snapshot: TableSnapshot, part: FileSlice) -> str:
    """Returns why a slice's statistics are not the truth; nothing when they are."""
    if part.base is None:
        return "it has log files alone, which have no statistics"
    if part.has_logs:
        return f"its {plural(len(part.logs), 'log file')} may hold any value"
    if snapshot.precedes_schema_change(part.base.path):
        changed = snapshot.schema_changed_at
        return f"it was written before the table's schema was changed at {changed}"
    return ""


def comparable_columns(footer: Footer, leaves: Mapping[str, ColumnSchema]) -> list[str]:
    """Returns the columns that the file has in a type that compares as the table's does."""
    return [name for name, leaf in leaves.items() if footer.has_alike(leaf)]
