"""What a clustering did, as a value: printed as a table, or turned into JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.clustering.foretold_shares import ForetoldShare, foretold
from hudi_zorder.screen import WIDTH
from hudi_zorder.stats.unsafe_statistics import UnsafeColumn
from hudi_zorder.texts import (
    SHORTENED,
    Fitted,
    Shown,
    noted,
    plural,
    readable_share,
    readable_size,
    reasons_in_words,
)

if TYPE_CHECKING:
    from hudi_zorder.hudi.clusterings import PendingClustering
    from hudi_zorder.hudi.snapshot import TableSnapshot


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The files of the clustered groups on one side of the clustering.

    Attributes:
        files: base files, and log files not yet merged.
        rows: rows in them; None when log files hide it.
        bytes: their size on storage.
        overlap: per sort column, the share of rows in files that an equality on an existing value
            cannot rule out by minimum and maximum; 1/files at best for a single column.
    """

    files: int = 0
    rows: int | None = 0
    bytes: int = 0
    overlap: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ClusteringResult(Shown):
    """What a clustering did.

    Attributes:
        table: the table's base path.
        instant: the clustering's instant; None when there was nothing to cluster.
        columns: the sort columns.
        partitions: the partitions with clustered files; ``("",)`` for a table without partitions.
        groups: the clustering groups; those of a partition are laid out as one.
        before: the files that were replaced.
        after: the files that replaced them.
        taken: file slices by the reason why they were rewritten, as ``FilesByReason`` has them.
        files_left: file slices of the table that were left alone; None where all were, uncounted.
        bytes_left: their bytes, log files included.
        left_alone: file slices by the reason why they were left alone, as ``FilesByReason`` has
            them, of the partitions that were looked at; empty when the plan does not say.
        share_now: what an equality on a sort column read of these partitions as it was planned, in
            the mean, as ``ClusteringPlan`` has it; None when the plan does not say.
        share_after: the same once it is executed, as its plan foretold.
        share_as_one: the same had each partition been laid out as one.
        forecast: what the queries that files are cut for read, as samples foretold it before
            anything was rewritten; empty where there are none.
        seconds: duration of ``schedule`` and ``execute``, and of all as ``total``.
        phases: what the execution spent on each phase, summed over groups that ran side by side.
        readers: groups by how they were read: ``vectorised``, or by Hudi's ``merging`` reader; a
            group of which some slices have logs, or files of another schema, counts for both.
        unsafe_statistics: columns by whose new statistics Hudi loses rows of queries.
        notes: what the user should know, one sentence each.
    """

    table: str
    instant: str | None
    columns: tuple[str, ...] = ()
    partitions: tuple[str, ...] = ()
    groups: int = 0
    before: Layout = field(default_factory=Layout)
    after: Layout = field(default_factory=Layout)
    taken: Mapping[str, int] = field(default_factory=dict)
    files_left: int | None = None
    bytes_left: int | None = None
    left_alone: Mapping[str, int] = field(default_factory=dict)
    share_now: float | None = None
    share_after: float | None = None
    share_as_one: float | None = None
    forecast: tuple[ForetoldShare, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    phases: Mapping[str, float] = field(default_factory=dict)
    readers: Mapping[str, int] = field(default_factory=dict)
    unsafe_statistics: tuple[UnsafeColumn, ...] = ()
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tells whether anything was clustered."""
        return self.instant is not None

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields tables of at most 80 columns; a sentence when there was nothing to do."""
        if self.instant is None:
            yield Text(". ".join(self.notes) + ".")
            return
        yield Fitted(self._head)
        rows = [
            ("", "before", "after"),
            ("files", f"{self.before.files:,}", f"{self.after.files:,}"),
            ("rows", _count(self.before.rows), _count(self.after.rows)),
            ("size", readable_size(self.before.bytes), readable_size(self.after.bytes)),
        ]
        yield from _table("", rows)
        if self.after.overlap:
            read = [
                (
                    column,
                    readable_share(self.before.overlap.get(column)),
                    readable_share(share),
                )
                for column, share in self.after.overlap.items()
            ]
            yield from _table("\nShare of rows in files that an equality must read", read)
        yield from foretold(self.forecast)
        spent = [(name, "", f"{s:.1f}") for name, s in self.seconds.items() if name != "total"]
        if spent:
            spent += [(f"  {name}", "", f"{s:.1f}") for name, s in self.phases.items()]
            yield from _table("\nSeconds, those of phases summed over groups", spent)
        notes = [*noted(list(map(str, self.unsafe_statistics)), "Beware:"), *noted(self.notes)]
        if notes:
            yield ""
        yield from notes

    def _head(self, width: int) -> Iterator[str]:
        yield _shortened(f"Clustered {self.table}", width)
        yield _shortened(f"by {', '.join(self.columns)}", width)
        numbers = (
            f"at {self.instant}, {plural(len(self.partitions), 'partition')}, "
            f"{plural(self.groups, 'group')}, {self.seconds.get('total', 0.0):.1f} s"
        )
        for line in (numbers, *self.about_choice()):
            yield from wrap(line, width, subsequent_indent="  ")

    def about_choice(self) -> Iterator[str]:
        """Yields why files were rewritten and others were not, and what that gains."""
        if self.taken:
            yield f"files rewritten: {reasons_in_words(self.taken)}"
        if self.files_left and self.bytes_left is not None:
            left = plural(self.files_left, "file")
            why = f": {reasons_in_words(self.left_alone)}" if self.left_alone else ""
            yield f"left alone: {left}, {readable_size(self.bytes_left)}{why}"
        if None not in (self.share_now, self.share_after, self.share_as_one):
            yield (
                f"an equality reads {self.share_after:.3f} of a partition, was "
                f"{self.share_now:.3f}, laid out as one {self.share_as_one:.3f}"
            )


def _table(title: str, rows: Sequence[tuple[str, str, str]]) -> Iterator[RenderableType]:
    """Yields names and numbers of one table with those of the others, where there is room."""

    def lines(width: int) -> Iterator[str]:
        least = 2 + max(len(number) for _, *numbers in rows for number in numbers)
        each = max(least, 16 if width >= WIDTH else 10)
        names = max(min(width, WIDTH) - 2 * each, 8)
        for name, before, after in rows:
            row = f"{_shortened(name, names):<{names}}{before:>{each}}{after:>{each}}"
            yield row.rstrip()

    yield Text(title)
    yield Fitted(lines)


def _shortened(text: str, width: int) -> str:
    if len(text) <= width:
        return text
    return f"{text[: width // 2]}{SHORTENED}{text[-(width - width // 2 - 1) :]}"


def _count(number: int | None) -> str:
    return "unknown" if number is None else f"{number:,}"


def result_of_plan(
    path: str, snapshot: TableSnapshot, plan: PendingClustering, before: Layout
) -> ClusteringResult:
    """Returns the result of a plan as far as it is known before its execution.

    Args:
        path: the table's base path.
        snapshot: the table before.
        plan: the plan.
        before: of what it takes.
    """
    taken = set(plan.file_groups)
    left = [part for part in snapshot.slices if (part.partition, part.file_id) not in taken]
    return ClusteringResult(
        table=path,
        instant=plan.instant,
        columns=plan.columns,
        partitions=plan.partitions,
        groups=plan.groups,
        before=before,
        taken=plan.taken,
        files_left=len(left),
        bytes_left=sum(part.size for part in left),
        left_alone=plan.left_alone,
        share_now=plan.share_now,
        share_after=plan.share_after,
        share_as_one=plan.share_as_one,
    )
