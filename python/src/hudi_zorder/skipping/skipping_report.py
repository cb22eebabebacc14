"""What a predicate skips, level by level and file by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from hudi_zorder.parquet.row_ranges import RowRanges
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows, visible
from hudi_zorder.skipping.audit_report import Audit
from hudi_zorder.stats.stats_table import FOOTERS
from hudi_zorder.stats.unsafe_statistics import UnsafeColumn
from hudi_zorder.texts import readable_size

if TYPE_CHECKING:
    import pyarrow as pa

PARTITION, FILE = "partition", "file"
_SHOWN_FILES: Final = 20


@dataclass(frozen=True, slots=True)
class FileReport:
    """What a predicate skips of one file slice.

    Attributes:
        file: name of the base file, or of the first log file of a slice without one.
        partition: the partition's folder; ``""`` when not partitioned.
        rows: rows of the base file.
        bytes: bytes of the slice, log files included.
        skipped_by: ``partition`` or ``file`` when the whole file is skipped; ``""`` when not.
        reason: why it is kept, or why skipped.
        log_files: log files, with which nothing can be skipped inside a slice, nor by footers the
            whole of it.
        row_groups: row groups of a file that is not skipped with its partition.
        stats_filtered_row_groups: those that minimum, maximum and null count rule out.
        dict_filtered_row_groups: those more that dictionaries rule out.
        pages: pages of the selected columns in the row groups that are left.
        stats_filtered_pages: those that need not be read.
        page_bytes: bytes of ``pages``.
        stats_filtered_page_bytes: bytes of ``stats_filtered_pages``.
        row_group_bytes: bytes of the row groups that are left.
        row_group_rows: rows of the row groups that are left.
        kept_rows: rows that are left, as half-open ranges of positions in the base file.
    """

    file: str
    partition: str
    rows: int
    bytes: int
    skipped_by: str
    reason: str
    log_files: int = 0
    row_groups: int = 0
    stats_filtered_row_groups: int = 0
    dict_filtered_row_groups: int = 0
    pages: int = 0
    stats_filtered_pages: int = 0
    page_bytes: int = 0
    stats_filtered_page_bytes: int = 0
    row_group_bytes: int = 0
    row_group_rows: int = 0
    kept_rows: RowRanges = ()

    @property
    def rows_read(self) -> int:
        """Rows that are left after all levels."""
        return sum(stop - start for start, stop in self.kept_rows)


@dataclass(frozen=True, slots=True)
class Level:
    """One level at which data is skipped.

    Attributes:
        total: how many partitions, files and so on there are at this level.
        skipped: how many of them are skipped.
        rows_left: rows left after this level.
        bytes_left: bytes of the files or row groups left, or of the pages left.
    """

    total: int
    skipped: int
    rows_left: int
    bytes_left: int


@dataclass(frozen=True)
class SkippingReport(Tabular):
    """What a predicate skips of a table.

    Partitions and files are counted over the whole table, of which a listing tells; row groups over
    the files of the partitions left, whose footers tell of them, so that those of a skipped file
    count as filtered by statistics; pages are those of the selected columns in the row groups left.
    The names of ``impala`` are those of Impala's query profile.

    Attributes:
        table: the table's path or URL.
        predicate: the predicate.
        files: every file slice.
        unusable: the parts that statistics cannot decide, as (text, reason).
        independent_share: the share of rows that is read of as many files if they are a grid of
            independent columns, by a sample of rows; None when unknown.
        laid_out_by: the columns of that grid.
        unsafe_statistics: columns of the predicate by whose statistics Hudi loses rows of queries;
            not ours, and only where there is a column-statistics index.
        notes: what else should be known.
        audit: whether the skipping was proven right; None when it was not asked for.
        source: where bounds are from: ``footers``, or ``index``, by which neither row groups nor
            pages are looked at: there are none of them then.
    """

    table: str
    predicate: str
    files: tuple[FileReport, ...]
    unusable: tuple[tuple[str, str], ...] = ()
    independent_share: float | None = None
    laid_out_by: tuple[str, ...] = ()
    unsafe_statistics: tuple[UnsafeColumn, ...] = ()
    notes: tuple[str, ...] = ()
    audit: Audit | None = None
    source: str = FOOTERS

    @property
    def total_rows(self) -> int:
        """Rows of all base files."""
        return sum(file.rows for file in self.files)

    @property
    def total_bytes(self) -> int:
        """Bytes of all slices."""
        return sum(file.bytes for file in self.files)

    @property
    def partition_level(self) -> Level:
        """Partitions, skipped when none of their files is left."""
        partitions = {file.partition for file in self.files}
        left = [file for file in self.files if file.skipped_by != PARTITION]
        kept = {file.partition for file in left}
        return _level(len(partitions), len(partitions) - len(kept), left)

    @property
    def file_level(self) -> Level:
        """All files, skipped with their partitions or by themselves."""
        left = self.kept
        return _level(len(self.files), len(self.files) - len(left), left)

    @property
    def row_group_level(self) -> Level:
        """Row groups of the partitions left, skipped by minimum and maximum or by dictionary."""
        skipped = sum(
            file.stats_filtered_row_groups + file.dict_filtered_row_groups for file in self.files
        )
        return Level(
            sum(file.row_groups for file in self.files),
            skipped,
            sum(file.row_group_rows for file in self.kept),
            sum(file.row_group_bytes for file in self.kept),
        )

    @property
    def page_level(self) -> Level:
        """Pages of the selected columns in the row groups left."""
        pages = sum(file.page_bytes - file.stats_filtered_page_bytes for file in self.files)
        return Level(
            sum(file.pages for file in self.files),
            sum(file.stats_filtered_pages for file in self.files),
            sum(file.rows_read for file in self.kept),
            pages,
        )

    @property
    def kept(self) -> tuple[FileReport, ...]:
        """The files that are read."""
        return tuple(file for file in self.files if not file.skipped_by)

    @property
    def share_read(self) -> float:
        """Share of rows in files that are read."""
        return _share(self.file_level.rows_left, self.total_rows, len(self.kept), len(self.files))

    @property
    def score(self) -> float | None:
        """``share_read`` by ``independent_share``; correlated columns can be below 1."""
        return self.share_read / self.independent_share if self.independent_share else None

    @property
    def impala(self) -> dict[str, int]:
        """The counters of Impala's query profile."""
        return {
            "NumRowGroups": sum(file.row_groups for file in self.files),
            "NumStatsFilteredRowGroups": sum(f.stats_filtered_row_groups for f in self.files),
            "NumDictFilteredRowGroups": sum(f.dict_filtered_row_groups for f in self.files),
            "NumPages": sum(file.pages for file in self.files),
            "NumStatsFilteredPages": sum(file.stats_filtered_pages for file in self.files),
        }

    def to_arrow(self) -> pa.Table:
        """Returns one row for each file slice."""
        return arrow_table(FileReport, self.files)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return {
            "table": self.table,
            "predicate": self.predicate,
            "total_rows": self.total_rows,
            "total_bytes": self.total_bytes,
            "partitions": asdict(self.partition_level),
            "files": asdict(self.file_level),
            "row_groups": asdict(self.row_group_level),
            "pages": asdict(self.page_level),
            **self.impala,
            "share_read": self.share_read,
            "independent_share": self.independent_share,
            "score": self.score,
            "laid_out_by": list(self.laid_out_by),
            "unusable": [{"text": text, "reason": reason} for text, reason in self.unusable],
            "unsafe_statistics": [asdict(part) for part in self.unsafe_statistics],
            "notes": list(self.notes),
            "source": self.source,
            "audit": self.audit.to_dict() if self.audit else None,
            "per_file": [_file_dict(file) for file in self.files],
        }

    def parts(self, *, all_files: bool = False) -> Iterator[RenderableType]:
        """Yields the levels, what could not be used, and files with reasons.

        Args:
            all_files: whether to list every file, also those that are skipped.
        """
        yield Text(self.predicate, "bold")
        table = NamedRows([""], ["total", "skipped", "left", "rows left", "bytes left"])
        levels = [("partitions", self.partition_level), ("files", self.file_level)]
        if self.source == FOOTERS:
            levels += [("row groups", self.row_group_level), ("pages", self.page_level)]
        for name, level in levels:
            table.add_row(name, *_cells(level))
        yield table
        if self.source == FOOTERS:
            if self.partition_level.skipped:
                yield "Row groups and pages are those of the partitions left."
            yield " ".join(f"{name} {count:,} " for name, count in self.impala.items())
        else:
            yield "By the column-statistics index, which knows no row groups and no pages."
        yield f"Share of rows in files that are read: {self.share_read:.4f}"
        if self.independent_share is not None and self.score is not None:
            yield Text(
                f"(a grid by {', '.join(self.laid_out_by)}, if independent: "
                f"{self.independent_share:.4f}, score {self.score:.2f})"
            )
        for text, reason in self.unusable:
            yield f"[yellow]Not usable:[/] {escape(visible(text))} ({escape(visible(reason))})"
        for unsafe in self.unsafe_statistics:
            yield Text(f"Beware: {unsafe}.")
        yield from map(Text, self.notes)
        yield from self._about_files(all_files)
        if self.audit is not None:
            yield from self.audit.parts()

    def _about_files(self, all_files: bool) -> Iterator[RenderableType]:
        files = self.files if all_files else self.kept[:_SHOWN_FILES]
        for file in files:
            place = visible(f"{file.partition}/{file.file}" if file.partition else file.file)
            state = f"skipped by {file.skipped_by}" if file.skipped_by else "read"
            yield Text.assemble((state, "bold"), f" {place}", no_wrap=True)
            yield Padding(Text(visible(file.reason)), (0, 0, 0, 2), expand=False)
        more = len(self.kept) - len(files)
        if more > 0:
            yield f"and {more:,} more; --files (in Python .files) has all, the skipped ones, too"


def _cells(level: Level) -> list[str]:
    counts = (level.total, level.skipped, level.total - level.skipped, level.rows_left)
    return [*(f"{count:,}" for count in counts), readable_size(level.bytes_left)]


def _level(total: int, skipped: int, left: Sequence[FileReport]) -> Level:
    return Level(total, skipped, sum(f.rows for f in left), sum(f.bytes for f in left))


def _share(rows: int, all_rows: int, files: int, all_files: int) -> float:
    """Returns the share of rows; of files where no rows are known, as with log files alone."""
    if all_rows:
        return rows / all_rows
    return files / all_files if all_files else 0.0


def _file_dict(file: FileReport) -> dict[str, Any]:
    return {**asdict(file), "kept_rows": [list(r) for r in file.kept_rows]}
