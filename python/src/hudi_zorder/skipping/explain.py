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
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.tree import Predicate
from hudi_zorder.progress import progress
from hudi_zorder.skipping.independent_grid import SAMPLED_ROWS, independent_share
from hudi_zorder.skipping.index_explainer import IndexExplainer
from hudi_zorder.skipping.passed_over import passed_over
from hudi_zorder.skipping.skipped_partitions import SkippedPartitions, rows_of_skipped
from hudi_zorder.skipping.skipping_report import PARTITION, FileReport, SkippingReport
from hudi_zorder.skipping.trust import distrust
from hudi_zorder.skipping.trusted_file import TrustedFile
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
        folder = self._partitions.bounds[part.partition]
        trusted = TrustedFile(self._snapshot, part, footer, folder, self._bound, self._counted)
        return trusted.explained(report)


def _counted_columns(
    snapshot: TableSnapshot, bound: BoundPredicate, select: Sequence[str] | None
) -> list[str]:
    if select is None:
        return bound.columns
    if tuple(select) == ALL_COLUMNS:
        return list(snapshot.schema.leaves)
    return list(dict.fromkeys(snapshot.schema.column(name).name for name in select))


def _kept_whole(report: FileReport, reason: str, footer: Footer | None) -> FileReport:
    groups = footer.row_groups if footer else ()
    return replace(
        report,
        reason=reason,
        row_group_rows=report.rows,
        row_group_bytes=sum(group.compressed for group in groups),
        kept_rows=((0, report.rows),) if report.rows else (),
    )
