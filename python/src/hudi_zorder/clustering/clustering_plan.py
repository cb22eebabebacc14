"""What a clustering would do, and what it would leave alone, as a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hudi_zorder.clustering.foretold_shares import ForetoldShare, foretold
from hudi_zorder.hudi.clusterings import FileGroup
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.stats.unsafe_statistics import UnsafeColumn
from hudi_zorder.texts import plural, readable_share, readable_size, reasons_in_words, whole

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN_PARTITIONS: Final = 20

# FileReason in Java, by the names that its metrics have: what is taken, then what is left alone.
TAKEN: Final = {
    "new": "no clustering has laid them out",
    "changed": "filled up with other rows since they were laid out",
    "merged": "laid out, and few beside what is new",
    "other_layout": "laid out by other columns, weights or queries, or for another file size",
    "full": "mode full takes all",
}
LEFT_ALONE: Final = {
    "laid_out": "to rewrite them gains too little for their bytes",
    "max_bytes_per_plan": "worth it, but more than one plan may rewrite",
    "max_groups": "worth it, but more than one plan may have",
    "small_file_limit": "as large as that, or larger",
    "pending_clustering": "taken by a plan that is pending",
    "pending_compaction": "taken by a compaction that is pending",
    "write_under_way": "it changes files of the partition",
}
REASONS: Final = {**TAKEN, **LEFT_ALONE}


@dataclass(frozen=True, kw_only=True)
class FilesByReason:
    """Files that a plan takes, or leaves alone, for one reason.

    Attributes:
        reason: ``new``, ``changed``, ``merged``, ``other_layout`` or ``full`` for those that are
            taken; ``laid_out``, ``max_bytes_per_plan``, ``max_groups``, ``small_file_limit``,
            ``pending_clustering``, ``pending_compaction`` or ``write_under_way``
            for those that are left alone.
        files: how many file slices.
        bytes: their size as Parquet.
    """

    reason: str
    files: int
    bytes: int


@dataclass(frozen=True, kw_only=True)
class PlannedPartition:
    """What a plan does to one partition.

    Attributes:
        partition: its folder relative to the table, ``""`` when not partitioned.
        groups: its clustering groups; 0 when nothing is rewritten.
        files: file slices that would be rewritten.
        bytes: their size as Parquet.
        files_after: files that would replace them.
        taken: files by the reason why they would be rewritten.
        left_alone: files by the reason why they would not.
        share_now: what an equality on a sort column reads, in the mean by the columns' weights, as
            a share of the files that a plan can take; estimated by their ranges. None when these
            were not looked at, for nothing was written since they were laid out.
        share_after: the same once the plan is executed.
        share_as_one: the same were they all laid out as one.
    """

    partition: str
    groups: int
    files: int
    bytes: int
    files_after: int
    taken: Mapping[str, int]
    left_alone: Mapping[str, int]
    share_now: float | None
    share_after: float | None
    share_as_one: float | None


@dataclass(frozen=True, kw_only=True)
class ClusteringPlan(Tabular):
    """What ``schedule`` would plan, which nobody has written.

    Attributes:
        table: the table's base path.
        columns: the sort columns.
        mode: ``incremental`` or ``full``.
        groups: the clustering groups; 0 when there is nothing to do.
        files: file slices that would be rewritten.
        bytes: their size as Parquet.
        files_after: files that would replace them.
        taken: why they would be rewritten.
        left_alone: what would not, and why.
        share_now: what an equality on a sort column reads now of the partitions in which something
            would be rewritten, as ``PlannedPartition`` has it; None when there are none.
        share_after: the same once the plan is executed.
        share_as_one: the same were each of them laid out as one.
        forecast: what the queries given would read, as samples foretell it; empty where none are
            given.
        partitions: the partitions looked at: those first of which most is gained.
        file_groups: partition and file id of what would be replaced.
        unsafe_statistics: columns by whose new statistics Hudi would lose rows of queries.
        notes: what the user should know, one sentence each.
    """

    table: str
    columns: tuple[str, ...]
    mode: str
    groups: int = 0
    files: int = 0
    bytes: int = 0
    files_after: int = 0
    taken: tuple[FilesByReason, ...] = ()
    left_alone: tuple[FilesByReason, ...] = ()
    share_now: float | None = None
    share_after: float | None = None
    share_as_one: float | None = None
    forecast: tuple[ForetoldShare, ...] = ()
    partitions: tuple[PlannedPartition, ...] = ()
    file_groups: tuple[FileGroup, ...] = field(default=(), repr=False)
    unsafe_statistics: tuple[UnsafeColumn, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tells whether there is anything to do."""
        return self.groups > 0

    def to_arrow(self) -> pa.Table:
        """Returns one row for each partition."""
        return arrow_table(PlannedPartition, self.partitions)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields what would be rewritten and why, what it gains, and what is left alone."""
        yield whole(f"Plan for {self.table}")
        yield Text(f"by {', '.join(self.columns)}, mode {self.mode}; nothing was written")
        for note in self.notes:
            yield Text(f"{note}.")
        for unsafe in self.unsafe_statistics:
            yield Text(f"Beware: {unsafe}.")
        if not self.partitions:
            return
        if self:
            yield Text(
                f"To rewrite: {plural(self.files, 'file')} into {self.files_after:,}, "
                f"{readable_size(self.bytes)}, in {plural(self.groups, 'group')}"
            )
            yield Padding(_reasons(self.taken), (0, 0, 0, 2))
        else:
            yield "Nothing to cluster."
        if self.left_alone:
            files = sum(part.files for part in self.left_alone)
            size = readable_size(sum(part.bytes for part in self.left_alone))
            yield f"Left alone: {plural(files, 'file')}, {size}"
            yield Padding(_reasons(self.left_alone), (0, 0, 0, 2))
        if self:
            yield from self._about_partitions()
            yield from foretold(self.forecast)

    def _about_partitions(self) -> Iterator[RenderableType]:
        planned = [part for part in self.partitions if part.groups]
        table = NamedRows(["partition", "why"], ["files", "size", "now", "after", "as one"])
        for part in planned[:_SHOWN_PARTITIONS]:
            table.add_row(
                escape(part.partition) or "[dim](whole table)[/]",
                reasons_in_words(part.taken),
                f"{part.files:,} to {part.files_after:,}",
                readable_size(part.bytes),
                *map(readable_share, (part.share_now, part.share_after, part.share_as_one)),
            )
        more = planned[_SHOWN_PARTITIONS:]
        if len(planned) > 1:
            table.add_section()
            table.add_row(
                f"{len(planned):,} partitions",
                "",
                f"{self.files:,} to {self.files_after:,}",
                readable_size(self.bytes),
                *map(readable_share, (self.share_now, self.share_after, self.share_as_one)),
            )
        yield table
        if more:
            size = readable_size(sum(part.bytes for part in more))
            yield (
                f"and {plural(len(more), 'more partition', 'more partitions')} with "
                f"{plural(sum(part.files for part in more), 'file')}, {size}; --output json (in "
                "Python .partitions) has all"
            )
        yield (
            "Now, after and as one are the shares that an equality on a sort column reads of a "
            "partition, in the mean: as it is, by this plan, and were all of it laid out as one, "
            "for columns that are independent. They are estimated by the ranges of files."
        )


def _reasons(counted: Sequence[FilesByReason]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for part in counted:
        said = Text.assemble((part.reason.replace("_", " "), "bold"), f": {REASONS[part.reason]}")
        table.add_row(f"{part.files:,}", readable_size(part.bytes), said)
    return table
