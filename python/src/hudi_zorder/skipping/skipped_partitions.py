"""The partitions that a predicate skips by their folders alone, and how many rows they have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.partition_values import partition_bounds
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.predicate.evaluator import BoundPredicate

if TYPE_CHECKING:
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot

_MOST_COUNTED: Final = 1000  # files in skipped partitions whose footers are read for their rows


@dataclass(frozen=True, slots=True)
class SkippedPartitions:
    """What folders say of the partition columns.

    Attributes:
        bounds: of each partition's folder, by column; what files say of these is not to be used.
        reasons: why the predicate skips those that it skips.
    """

    bounds: Mapping[str, Mapping[str, Bounds]]
    reasons: Mapping[str, str]

    @classmethod
    def of(cls, snapshot: TableSnapshot, bound: BoundPredicate) -> SkippedPartitions:
        """Returns what a predicate skips of a table."""
        partitions = dict.fromkeys(part.partition for part in snapshot.slices)
        folders = {
            name: partition_bounds(snapshot.config, name, snapshot.schema) for name in partitions
        }
        reasons = {
            name: bound.why_skipped(bounds.get)
            for name, bounds in folders.items()
            if not bound.may_hold_within(bounds.get)
        }
        return cls(folders, reasons)

    def left(self, snapshot: TableSnapshot) -> list[FileSlice]:
        """Returns the file slices of the partitions that are not skipped."""
        return [part for part in snapshot.slices if part.partition not in self.reasons]


def rows_of_skipped(
    snapshot: TableSnapshot, known: Mapping[str, int]
) -> tuple[Mapping[str, int], tuple[str, ...]]:
    """Returns the rows of files that are skipped with their partitions, and what to know.

    Footers of many such files are not read for that: rows are reckoned by bytes.

    Args:
        snapshot: the table.
        known: the rows of files whose number is known, by path.
    """
    bases = [part.base for part in snapshot.slices if part.base]
    skipped = [base for base in bases if base.path not in known]
    if len(skipped) <= _MOST_COUNTED:
        footers = snapshot.footers.read([base.path for base in skipped], [])
        return {path: footer.rows for path, footer in footers.items()}, ()
    counted = [base for base in bases if base.path in known]
    total = sum(known[base.path] for base in counted)
    if not counted:
        counted = [snapshot.newest]
        footers = snapshot.footers.read([snapshot.newest.path], [])
        total = footers[snapshot.newest.path].rows
    rows_per_byte = total / sum(base.size for base in counted)
    note = (
        f"rows of {len(skipped):,} files in skipped partitions are reckoned by their bytes: "
        "their footers were not read"
    )
    return {base.path: max(1, round(base.size * rows_per_byte)) for base in skipped}, (note,)
