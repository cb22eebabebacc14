"""The clusterings of a table, planned and done, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.records import Records
from hudi_zorder.texts import plain_table, readable_size

FileGroup = tuple[str, str]  # partition and file id


@dataclass(frozen=True, kw_only=True)
class PendingClustering:
    """A plan that is not completed.

    Attributes:
        instant: its instant, for ``execute`` and ``cancel``.
        state: ``requested``, or ``inflight`` when an execution has begun, or failed.
        columns: the sort columns.
        partitions: the partitions whose files it takes.
        groups: its clustering groups.
        file_groups: partition and file id of what it replaces; Hudi refuses updates to these.
        execution_class: the Java class that executes it.
        parameters: the layout options stored in the plan.
        taken: file slices by the reason why they are rewritten, as ``FilesByReason`` has them;
            empty when the plan does not say.
    """

    instant: str
    state: str
    columns: tuple[str, ...]
    partitions: tuple[str, ...]
    groups: int
    file_groups: tuple[FileGroup, ...]
    execution_class: str
    parameters: Mapping[str, str]
    taken: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)


@dataclass(frozen=True, kw_only=True)
class PastClustering:
    """A clustering that is completed.

    Attributes:
        instant: its instant.
        completed: when it was committed, in the same form; None when the table does not record it.
        columns: the sort columns; empty when the plan is no longer there.
        strategy: ``ZORDER``, ``HILBERT`` or ``LINEAR``; None when the plan is no longer there, or
            does not say.
        partitions: the partitions with clustered files.
        files_before: the file groups that it replaced.
        files_after: the files that it wrote.
        rows: the rows in them.
        bytes: their size.
        taken: file slices by the reason why they were rewritten, as ``FilesByReason`` has them;
            empty when the plan is no longer there, or does not say.
    """

    instant: str
    completed: str | None
    columns: tuple[str, ...]
    strategy: str | None
    partitions: tuple[str, ...]
    files_before: int
    files_after: int
    rows: int
    bytes: int
    taken: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)


class PendingClusterings(Records[PendingClustering]):
    """The plans of a table, the oldest first."""

    kind: ClassVar[type] = PendingClustering

    def parts(self) -> Iterator[RenderableType]:
        """Yields a table with a row for each plan."""
        if not self:
            yield "No clustering is pending."
            return
        table = plain_table(
            ["instant", "state", "columns"], ["partitions", "groups", "file groups"]
        )
        for plan in self:
            table.add_row(
                plan.instant,
                plan.state,
                Text(", ".join(plan.columns)) if plan.columns else Text("none", "dim"),
                f"{len(plan.partitions):,}",
                f"{plan.groups:,}",
                f"{len(plan.file_groups):,}",
            )
        yield table


class PastClusterings(Records[PastClustering]):
    """The completed clusterings of a table, the oldest first."""

    kind: ClassVar[type] = PastClustering

    def parts(self) -> Iterator[RenderableType]:
        """Yields a table with a row for each clustering."""
        if not self:
            yield "No clustering is recorded."
            return
        table = plain_table(
            ["instant", "columns", "strategy"], ["partitions", "files", "rows", "size"]
        )
        unknown = Text("unknown", "dim")
        for past in self:
            table.add_row(
                past.instant,
                Text(", ".join(past.columns)) if past.columns else unknown,
                past.strategy or unknown,
                f"{len(past.partitions):,}",
                f"{past.files_before:,} to {past.files_after:,}",
                f"{past.rows:,}",
                readable_size(past.bytes),
            )
        yield table
