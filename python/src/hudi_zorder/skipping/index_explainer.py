"""What a predicate skips, explained by the column-statistics index: partitions and files.

Row groups and pages are not looked at, of which the index knows nothing. A file of which it lacks
an entry for a column asked for, or has one that a fault of Hudi's may have made, is judged by its
footer. Log files, which have none, keep their slice then.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.history import clustered_columns
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.independent_grid import SAMPLED_ROWS, independent_share
from hudi_zorder.skipping.skipped_partitions import SkippedPartitions, rows_of_skipped
from hudi_zorder.skipping.skipping_report import FILE, PARTITION, FileReport, SkippingReport
from hudi_zorder.skipping.trust import distrust, footer_bounds
from hudi_zorder.stats.index_bounds import indexed_bounds
from hudi_zorder.stats.row_sample import sample_rows
from hudi_zorder.stats.stats_table import INDEX
from hudi_zorder.stats.unsafe_statistics import unsafe_in_index
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot


class IndexExplainer:
    """Explains what one predicate skips of a table.

    Args:
        snapshot: the table.
        bound: the predicate.
    """

    def __init__(self, snapshot: TableSnapshot, bound: BoundPredicate) -> None:
        self._snapshot = snapshot
        self._bound = bound
        self._partitions = SkippedPartitions.of(snapshot, bound)
        self._left = self._partitions.left(snapshot)
        self._found = indexed_bounds(snapshot, bound.leaves, self._left)

    def report(self, text: str) -> SkippingReport:
        """Returns what is skipped; ``text`` is the predicate."""
        snapshot, bound, found = self._snapshot, self._bound, self._found
        more, notes = rows_of_skipped(snapshot, found.rows)
        rows = {**more, **found.rows}
        files = tuple(self._file(part, rows) for part in snapshot.slices)
        if found.footers:
            number = plural(len(found.footers), "footer was", "footers were")
            notes = (
                f"{number} read, of files of which the index lacks a column or may be wrong",
                *notes,
            )
        columns = clustered_columns(snapshot) or tuple(bound.columns)
        independent = None
        if columns and bound.columns:
            sampled = {
                part.path: rows[part.path]
                for part in self._left
                if part.base and not snapshot.precedes_schema_change(part.path)
            }
            sample = sample_rows(snapshot, sampled, bound.columns, SAMPLED_ROWS)
            independent = independent_share(bound, sample, files, columns)
        return SkippingReport(
            snapshot.url,
            text,
            files,
            tuple((part.text, part.reason) for part in bound.unusable),
            independent,
            columns,
            unsafe_in_index(snapshot, found.footers, bound.columns),
            notes,
            source=INDEX,
        )

    def _file(self, part: FileSlice, rows: Mapping[str, int]) -> FileReport:
        skipped_by, reason = self._judged(part)
        count = rows[part.base.path] if part.base else 0
        return FileReport(
            file=posixpath.basename(part.path),
            partition=part.partition,
            rows=count,
            bytes=part.size,
            skipped_by=skipped_by,
            reason=reason,
            log_files=len(part.logs),
            kept_rows=((0, count),) if count and not skipped_by else (),
        )

    def _judged(self, part: FileSlice) -> tuple[str, str]:
        """Returns by what a file is skipped, and why; or by nothing, and why it is kept."""
        why_skipped = self._partitions.reasons.get(part.partition)
        if why_skipped is not None:
            return PARTITION, why_skipped
        parts = self._parts(part)
        folder = self._partitions.bounds[part.partition]
        for number, told in enumerate(parts):
            bounds = {**told, **folder}
            if self._bound.may_hold_within(bounds.get):
                is_log = part.base is None or number > 0
                why_not = "" if told else distrust(self._snapshot, part)
                if is_log and not why_not:
                    return "", f"in a log file {self._bound.why_kept(bounds.get)}"
                return "", why_not or self._bound.why_kept(bounds.get)
        others = len(parts) - 1
        likewise = f"; in {plural(others, 'log file')} likewise" if others else ""
        return FILE, self._bound.why_skipped({**parts[0], **folder}.get) + likewise

    def _parts(self, part: FileSlice) -> list[Mapping[str, Bounds | None]]:
        """Returns the bounds of columns in a slice's base file and in each of its logs.

        A row of the slice is of one of them, or lacks in it the columns that it has of another. Of
        one of which nothing is the truth there is nothing.
        """
        if self._snapshot.precedes_schema_change(part.path):
            return [{}]
        told = self._found.bounds.get(part.path)
        footer = self._found.footers.get(part.path)
        own = footer_bounds(footer, self._bound.leaves) if footer else {}
        base = [own if told is None else told] if part.base else []
        return [*base, *(self._found.logs.get(part.path, [{}]) if part.has_logs else [])]
