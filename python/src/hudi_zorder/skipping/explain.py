"""What a predicate skips, explained from the files alone: partitions, files, row groups, pages.

The rule on every level is the same: skip only what provably holds no row for which the predicate is
true, and keep whatever is unknown. A slice with log files is kept whole, since its base file's
statistics are those before the merge; so are a column that a file lacks or has in another type, and
files from before the last change of a schema that is evolved on read.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.file_slices import FileSlice
from hudi_zorder.hudi.history import clustered_columns
from hudi_zorder.parallel import in_parallel
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.compact_protocol import ThriftError
from hudi_zorder.parquet.footers import Footer, RowGroup
from hudi_zorder.parquet.page_index import FileDetails
from hudi_zorder.parquet.row_ranges import RowRanges, joined, meets
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.tree import Predicate
from hudi_zorder.progress import progress
from hudi_zorder.skipping.independent_grid import SAMPLED_ROWS, independent_share
from hudi_zorder.skipping.index_explainer import IndexExplainer
from hudi_zorder.skipping.passed_over import passed_over
from hudi_zorder.skipping.row_group_details import RowGroupDetails
from hudi_zorder.skipping.skipped_partitions import SkippedPartitions, rows_of_skipped
from hudi_zorder.skipping.skipping_report import FILE, PARTITION, FileReport, SkippingReport
from hudi_zorder.skipping.trust import comparable_columns, distrust
from hudi_zorder.stats.column_stats import checked_source
from hudi_zorder.stats.index_bounds import ONE_SOURCE, OneSource
from hudi_zorder.stats.row_sample import rows_to_sample, sample_rows
from hudi_zorder.stats.stats_table import FOOTERS, INDEX
from hudi_zorder.stats.unsafe_statistics import unsafe_in_index

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

ALL_COLUMNS = ("*",)


def explain(
    snapshot: TableSnapshot,
    predicate: str | Predicate,
    *,
    time_zone: str | None = None,
    select: Sequence[str] | None = None,
    source: OneSource = "footers",
) -> SkippingReport:
    """Explains what a predicate skips.

    Args:
        snapshot: the table.
        predicate: in Spark's SQL, or parsed.
        time_zone: the session's time zone, for times that are written without one; while it is
            None, such times skip only what they skip in every zone.
        select: the columns whose pages are counted; None for those of the predicate, as in a query
            of a single column, ``["*"]`` for all.
        source: ``footers``, or ``index``, which ``HudiTable.explain`` describes.

    Raises:
        PredicateError: when the predicate cannot be parsed or names an unknown column.
        ColumnError: when ``select`` names an unknown column.
        OptionError: for an unknown time zone or source, or ``select`` beside the index.
        TableError: when a file cannot be read.
    """
    checked_source(source, ONE_SOURCE, "explain a predicate")
    bound = bind_predicate(snapshot, predicate, time_zone)
    text = predicate if isinstance(predicate, str) else predicate.text
    if source == INDEX:
        if select is not None:
            raise OptionError(
                f"Cannot explain a predicate: 'select' was '{','.join(select)}', and the index "
                "knows no pages; leave it out, or take 'footers' as the source"
            )
        report = IndexExplainer(snapshot, bound).report(text)
    else:
        report = _Explainer(snapshot, bound, select).report(text)
    passed = passed_over(snapshot, [bound.source])
    return replace(report, notes=(*report.notes, *map(str, passed)))


def require_footers(source: str) -> None:
    """Refuses an audit of what the index skips.

    Raises:
        OptionError: for any source but footers.
    """
    if source != FOOTERS:
        raise OptionError(
            f"Cannot explain a predicate: 'source' was '{source}'; an audit looks at footers, too: "
            "leave out one of the two"
        )


class _Explainer:
    def __init__(
        self, snapshot: TableSnapshot, bound: BoundPredicate, select: Sequence[str] | None
    ) -> None:
        self._snapshot = snapshot
        self._bound = bound
        self._counted = _counted_columns(snapshot, bound, select)
        self._partitions = SkippedPartitions.of(snapshot, bound)
        bases = [part.base.path for part in self._partitions.left(snapshot) if part.base]
        columns = list(dict.fromkeys([*bound.columns, *self._counted]))
        self._footers = snapshot.footers.read(bases, columns)

    def report(self, text: str) -> SkippingReport:
        known = {path: footer.rows for path, footer in self._footers.items()}
        skipped_rows, notes = rows_of_skipped(self._snapshot, known)
        unsafe = unsafe_in_index(self._snapshot, self._footers, self._bound.columns)
        slices, readers = self._snapshot.slices, self._snapshot.readers
        with progress("Explaining files", len(slices)) as advance:
            files = []
            for file in in_parallel(partial(self._file, skipped_rows), slices, readers):
                files.append(file)
                advance(1)
        unusable = tuple((part.text, part.reason) for part in self._bound.unusable)
        columns = clustered_columns(self._snapshot) or tuple(self._bound.columns)
        independent = None
        if columns and self._bound.columns:
            names = self._bound.columns
            rows = rows_to_sample(self._snapshot, self._footers, names)
            sample = sample_rows(self._snapshot, rows, names, SAMPLED_ROWS)
            independent = independent_share(self._bound, sample, files, columns)
        return SkippingReport(
            self._snapshot.url, text, tuple(files), unusable, independent, columns, unsafe, notes
        )

    def _file(self, skipped_rows: Mapping[str, int], part: FileSlice) -> FileReport:
        report = FileReport(
            file=posixpath.basename(part.path),
            partition=part.partition,
            rows=0,
            bytes=part.size,
            skipped_by="",
            reason="",
            log_files=len(part.logs),
        )
        why = self._partitions.reasons.get(part.partition)
        if why is not None:
            rows = skipped_rows[part.base.path] if part.base else 0
            return replace(report, rows=rows, skipped_by=PARTITION, reason=why)
        footer = self._footers[part.base.path] if part.base else None
        if footer is not None:
            report = replace(report, rows=footer.rows, row_groups=len(footer.row_groups))
        why_not = distrust(self._snapshot, part)
        if why_not or footer is None:
            return _kept_whole(report, why_not, footer)
        return self._trusted_file(part, report, footer, self._partitions.bounds[part.partition])

    def _trusted_file(
        self, part: FileSlice, report: FileReport, footer: Footer, folder: Mapping[str, Bounds]
    ) -> FileReport:
        footer = footer.certain()
        usable = [
            name for name in comparable_columns(footer, self._bound.leaves) if name not in folder
        ]
        whole = {**{name: footer.bounds(name) for name in usable}, **folder}
        if not self._bound.may_hold_within(whole.get):
            return replace(
                report,
                skipped_by=FILE,
                reason=self._bound.why_skipped(whole.get),
                stats_filtered_row_groups=len(footer.row_groups),
            )
        reason = self._bound.why_kept(whole.get)
        bound = self._bound.decided(folder)
        left = []
        for number, group in enumerate(footer.row_groups):
            bounds = {name: group.chunks[name].bounds for name in usable}
            if bound.may_hold_within(bounds.get):
                left.append(number)
        filtered = len(footer.row_groups) - len(left)
        report = replace(report, reason=reason, stats_filtered_row_groups=filtered)
        columns = [name for name in {*usable, *self._counted} if name in footer.leaves]
        if not _has_details(footer, left, columns):
            return _with_row_groups(report, footer, {n: None for n in left})
        try:
            with FileDetails(
                self._snapshot.filesystem,
                self._snapshot.file_path(part),
                footer.schema,
                [footer.leaves[name] for name in columns],
            ) as details:
                return self._details(details, report, footer, left, usable, bound)
        except (ThriftError, OSError):
            return _with_row_groups(report, footer, {n: None for n in left})

    def _details(
        self,
        details: FileDetails,
        report: FileReport,
        footer: Footer,
        left: Sequence[int],
        usable: Sequence[str],
        bound: BoundPredicate,
    ) -> FileReport:
        leaves = {name: footer.leaves[name] for name in usable}
        kept: dict[int, RowRanges | None] = {}
        filtered = 0
        pages = page_bytes = filtered_pages = filtered_bytes = 0
        for number in left:
            group = footer.row_groups[number]
            within = RowGroupDetails(details, number, group, leaves)
            if not within.dictionaries_allow(bound):
                filtered += 1
                continue
            rows = within.rows(bound)
            kept[number] = rows
            for start, stop, size in self._counted_pages(details, number, group, footer):
                pages += 1
                page_bytes += size
                if not meets(rows, start, stop):
                    filtered_pages += 1
                    filtered_bytes += size
        return replace(
            _with_row_groups(report, footer, kept),
            dict_filtered_row_groups=filtered,
            pages=pages,
            page_bytes=page_bytes,
            stats_filtered_pages=filtered_pages,
            stats_filtered_page_bytes=filtered_bytes,
        )

    def _counted_pages(
        self, details: FileDetails, number: int, group: RowGroup, footer: Footer
    ) -> list[tuple[int, int, int]]:
        """Returns first row, row after the last, and bytes of every page that is counted."""
        found = []
        for name in self._counted:
            if name not in footer.leaves:
                continue
            places = details.page_sizes(number, footer.leaves[name]) or []
            starts = [start for start, _ in places] + [group.rows]
            found += [(starts[i], starts[i + 1], size) for i, (_, size) in enumerate(places)]
        return found


def _counted_columns(
    snapshot: TableSnapshot, bound: BoundPredicate, select: Sequence[str] | None
) -> list[str]:
    if select is None:
        return bound.columns
    if tuple(select) == ALL_COLUMNS:
        return list(snapshot.schema.leaves)
    return list(dict.fromkeys(snapshot.schema.column(name).name for name in select))


def _has_details(footer: Footer, left: Sequence[int], columns: Sequence[str]) -> bool:
    chunks = [footer.row_groups[n].chunks[name] for n in left for name in columns]
    return any(chunk.has_page_index or chunk.has_dictionary for chunk in chunks)


def _kept_whole(report: FileReport, reason: str, footer: Footer | None) -> FileReport:
    groups = footer.row_groups if footer else ()
    return replace(
        report,
        reason=reason,
        row_group_rows=report.rows,
        row_group_bytes=sum(group.compressed for group in groups),
        kept_rows=((0, report.rows),) if report.rows else (),
    )


def _with_row_groups(
    report: FileReport, footer: Footer, kept: Mapping[int, RowRanges | None]
) -> FileReport:
    """Returns the report with the row groups left; None keeps all rows of a group."""
    ranges: list[tuple[int, int]] = []
    start = 0
    for number, group in enumerate(footer.row_groups):
        if number in kept:
            rows = kept[number]
            if rows is None:
                rows = ((0, group.rows),)
            ranges += [(start + low, start + high) for low, high in rows]
        start += group.rows
    return replace(
        report,
        row_group_rows=sum(footer.row_groups[n].rows for n in kept),
        row_group_bytes=sum(footer.row_groups[n].compressed for n in kept),
        kept_rows=joined(ranges),
    )
