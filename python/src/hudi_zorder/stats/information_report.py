"""How well a table is clustered, as a value: printed as tables, or turned into JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.markup import escape
from rich.text import Text

from hudi_zorder.hudi.upkeep import Upkeep
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.stats.fit_report import QueriesFit
from hudi_zorder.stats.stats_table import FOOTERS
from hudi_zorder.texts import BAR, Fitted, plural, readable_size, whole

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ColumnInformation:
    """How well files are clustered by one column.

    Attributes:
        column: its name.
        constant_files: files in which it has one value alone, or none.
        unknown_files: files of which its range is unknown, so that they are always read.
        average_overlap: other files whose ranges meet a file's own, averaged over rows.
        average_depth: files whose ranges hold a value, averaged over the rows' values.
        depth_histogram: share of rows by depth: "1" to "16", then "17-32", "33-64" and so on.
        share_read: share of rows in files that an equality on an existing value cannot rule out.
        bytes_read: the same share of bytes.
        score: share_read as a multiple of independent_share: 1.00 is a grid of independent columns,
            and correlated ones can be below it.
    """

    column: str
    constant_files: int
    unknown_files: int
    average_overlap: float
    average_depth: float
    depth_histogram: Mapping[str, float]
    share_read: float
    bytes_read: float
    score: float


@dataclass(frozen=True)
class ClusteringInformation(Tabular):
    """How well a table is clustered by some columns together, and by each of them.

    Attributes:
        table: the table's path or URL.
        columns: the columns asked about.
        total_files: latest file slices.
        total_rows: rows in their base files.
        total_bytes: their bytes, log files included.
        files_with_logs: slices with log files, which the index alone can rule out.
        upkeep: how much is laid out as the last clustering has asked for.
        constant_files: files in which each of the columns has one value alone.
        average_overlap: other files that meet a file in all columns at once, averaged over rows.
        average_depth: files that hold a row's values in all columns, averaged over rows.
        depth_histogram: share of rows by that depth.
        share_read: mean over the columns of their share_read.
        independent_share: what an equality reads of so many files if they are a grid of as many
            columns that are independent.
        sampled_rows: the rows that depths, shares and scores are estimated by.
        sampled_files: the files that the average_overlap of several columns is estimated by;
            total_files where it is exact. All else is exact.
        score: share_read as a multiple of independent_share: 1.00 is a grid of independent columns,
            and correlated ones can be below it.
        by_column: the same for each column.
        standing: what the last layout is to the columns, and what is left to do for it, as a
            sentence or two; empty when there is nothing to say.
        advice: the command that would better the score; empty when little can be gained, or by no
            clustering, as ``standing`` says then.
        queries: whether the queries that were given still fit the layout; None when none were.
        source: where the files' ranges are from: ``footers``, or ``index``.
    """

    table: str
    columns: tuple[str, ...]
    total_files: int
    total_rows: int
    total_bytes: int
    files_with_logs: int
    upkeep: Upkeep
    constant_files: int
    average_overlap: float
    average_depth: float
    depth_histogram: Mapping[str, float]
    share_read: float
    independent_share: float
    sampled_rows: int
    sampled_files: int
    score: float
    by_column: tuple[ColumnInformation, ...]
    standing: str
    advice: str
    queries: QueriesFit | None = None
    source: str = FOOTERS

    def to_arrow(self) -> pa.Table:
        """Returns one row for each column."""
        return arrow_table(ColumnInformation, self.by_column)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields the numbers, and the command that would better them."""
        yield (
            f"{plural(self.total_files, 'file')}, {plural(self.total_rows, 'row')}, "
            f"{readable_size(self.total_bytes)}"
        )
        if self.files_with_logs:
            one, more = "file has log files, and is", "files have log files, and are"
            by_index = "read where the index does not tell of these"
            where = "always read" if self.source == FOOTERS else by_index
            yield f"{plural(self.files_with_logs, one, more)} {where}"
        if self.source != FOOTERS:
            yield (
                "Ranges are those of the column-statistics index, and upkeep that of clusterings: "
                "what a bulk insert has laid out is known to footers alone."
            )
        yield f"Upkeep: {self.upkeep}"
        numbers = ["score", "share\nread", "bytes\nread", "average\noverlap", "average\ndepth"]
        table = NamedRows(["column"], [*numbers, "constant\nfiles", "unknown\nfiles"])
        for part in self.by_column:
            table.add_row(
                escape(part.column),
                f"{part.score:.2f}",
                f"{part.share_read:.4f}",
                f"{part.bytes_read:.4f}",
                f"{part.average_overlap:.1f}",
                f"{part.average_depth:.1f}",
                f"{part.constant_files:,}",
                f"{part.unknown_files:,}",
            )
        table.add_section()
        table.add_row(
            "all",
            f"[bold]{self.score:.2f}[/]",
            f"{self.share_read:.4f}",
            "",
            f"{self.average_overlap:.1f}",
            f"{self.average_depth:.1f}",
            f"{self.constant_files:,}",
            "",
        )
        yield (table)
        yield (
            "Score is share read as a multiple of what so many files allow for independent "
            f"columns ({self.independent_share:.4f}); correlated ones can be below 1.00. Shares "
            "are of rows and bytes in files that an equality on an existing value cannot rule "
            f"out, estimated with the depths by {self.sampled_rows:,} sampled rows."
        )
        if self.sampled_files < self.total_files:
            yield (
                f"The average overlap in all columns is estimated by {self.sampled_files:,} files."
            )
        yield from _histogram("Depth, all columns", self.depth_histogram)
        for part in self.by_column if len(self.by_column) > 1 else ():
            yield from _histogram(f"Depth, {part.column}", part.depth_histogram)
        if self.standing:
            yield Text(f"{self.standing}.")
        if self.advice:
            yield ("To better it:")
            yield whole(f"  {self.advice}", "cyan")
        if self.queries:
            yield from self.queries.parts()


def _histogram(title: str, buckets: Mapping[str, float]) -> Iterator[RenderableType]:
    depths = max(map(len, buckets), default=0)

    def lines(width: int) -> Iterator[str]:
        longest = max(min(40, width - depths - 10), 1)
        for bucket, share in buckets.items():
            yield f" {bucket:<{depths}}  {share:.3f}  {BAR * round(share * longest)}".rstrip()

    yield Text(title, "italic")
    yield Fitted(lines)
