"""What a predicate skips of one base file whose statistics are the truth about its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.compact_protocol import ThriftError
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.parquet.page_index import FileDetails
from hudi_zorder.parquet.row_ranges import RowRanges, joined, meets
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.row_group_details import RowGroupDetails
from hudi_zorder.skipping.skipping_report import FILE, FileReport
from hudi_zorder.skipping.trust import comparable_columns

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot


class TrustedFile:
    """Explains what a predicate skips of a base file: all of it, row groups, or pages.

    Args:
        snapshot: the table.
        part: the file's slice.
        footer: its footer.
        folder: what the folder of its partition says; what the file says of these is not used.
        bound: the predicate.
        counted: the columns whose pages are counted.
    """

    def __init__(
        self,
        snapshot: TableSnapshot,
        part: FileSlice,
        footer: Footer,
        folder: Mapping[str, Bounds],
        bound: BoundPredicate,
        counted: Sequence[str],
    ) -> None:
        self._snapshot = snapshot
        self._part = part
        self._footer = footer.certain()
        self._folder = folder
        self._bound = bound
        self._counted = [name for name in counted if name in footer.leaves]
        self._usable = [n for n in comparable_columns(footer, bound.leaves) if n not in folder]

    def explained(self, report: FileReport) -> FileReport:
        """Returns the report of the file with what is skipped of it."""
        own = {name: self._footer.bounds(name) for name in self._usable}
        bounds = {**own, **self._folder}
        if not self._bound.may_hold_within(bounds.get):
            return replace(
                report,
                skipped_by=FILE,
                reason=self._bound.why_skipped(bounds.get),
                stats_filtered_row_groups=len(self._footer.row_groups),
            )
        bound = self._bound.decided(self._folder)
        left = [
            number
            for number, group in enumerate(self._footer.row_groups)
            if bound.may_hold_within({n: group.chunks[n].bounds for n in self._usable}.get)
        ]
        report = replace(
            report,
            reason=self._bound.why_kept(bounds.get),
            stats_filtered_row_groups=len(self._footer.row_groups) - len(left),
        )
        columns = list({*self._usable, *self._counted})
        if self._has_details(left, columns):
            try:
                with FileDetails(
                    self._snapshot.filesystem,
                    self._snapshot.file_path(self._part),
                    self._footer.schema,
                    [self._footer.leaves[name] for name in columns],
                ) as details:
                    return self._by_details(details, report, left, bound)
            except (ThriftError, OSError):
                pass  # what cannot be read skips nothing
        return self._with_row_groups(report, {number: None for number in left})

    def _has_details(self, left: Sequence[int], columns: Sequence[str]) -> bool:
        chunks = [self._footer.row_groups[n].chunks[name] for n in left for name in columns]
        return any(chunk.has_page_index or chunk.has_dictionary for chunk in chunks)

    def _by_details(
        self, details: FileDetails, report: FileReport, left: Sequence[int], bound: BoundPredicate
    ) -> FileReport:
        """Returns the report with what dictionaries and pages rule out of the row groups left."""
        leaves = {name: self._footer.leaves[name] for name in self._usable}
        kept: dict[int, RowRanges | None] = {}
        filtered = 0
        pages = page_bytes = filtered_pages = filtered_bytes = 0
        for number in left:
            within = RowGroupDetails(details, number, self._footer.row_groups[number], leaves)
            if not within.dictionaries_allow(bound):
                filtered += 1
                continue
            rows = within.rows(bound)
            kept[number] = rows
            for start, stop, size in self._counted_pages(details, number):
                pages += 1
                page_bytes += size
                if not meets(rows, start, stop):
                    filtered_pages += 1
                    filtered_bytes += size
        return replace(
            self._with_row_groups(report, kept),
            dict_filtered_row_groups=filtered,
            pages=pages,
            page_bytes=page_bytes,
            stats_filtered_pages=filtered_pages,
            stats_filtered_page_bytes=filtered_bytes,
        )

    def _counted_pages(self, details: FileDetails, number: int) -> Iterator[tuple[int, int, int]]:
        """Yields first row, row after the last, and bytes of every page that is counted."""
        for name in self._counted:
            places = details.page_sizes(number, self._footer.leaves[name]) or []
            starts = [start for start, _ in places] + [self._footer.row_groups[number].rows]
            for i, (_, size) in enumerate(places):
                yield starts[i], starts[i + 1], size

    def _with_row_groups(
        self, report: FileReport, kept: Mapping[int, RowRanges | None]
    ) -> FileReport:
        """Returns the report with the row groups left; None keeps all rows of a group."""
        groups = self._footer.row_groups
        ranges: list[tuple[int, int]] = []
        start = 0
        for number, group in enumerate(groups):
            if number in kept:
                rows = kept[number]
                if rows is None:
                    rows = ((0, group.rows),)
                ranges += [(start + low, start + high) for low, high in rows]
            start += group.rows
        return replace(
            report,
            row_group_rows=sum(groups[n].rows for n in kept),
            row_group_bytes=sum(groups[n].compressed for n in kept),
            kept_rows=joined(ranges),
        )
