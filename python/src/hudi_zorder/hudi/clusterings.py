"""The clusterings of a table, planned and done, as values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from hudi_zorder.options import EXECUTION_CLASS, EXECUTION_STRATEGY
from hudi_zorder.records import Records
from hudi_zorder.screen import NamedRows
from hudi_zorder.texts import duration, plural, readable_size, summary, whole

FileGroup = tuple[str, str]  # partition and file id


@dataclass(frozen=True, kw_only=True)
class PendingClustering:
    """A plan that is not completed.

    Attributes:
        instant: its instant, for ``execute`` and ``cancel``.
        state: ``requested``, or ``inflight`` when an execution has begun, or failed.
        age: seconds since it was planned.
        columns: the sort columns.
        mode: ``incremental`` or ``full``; None when the plan does not say.
        partitions: the partitions whose files it takes.
        groups: its clustering groups.
        files: base files and log files that it takes.
        bytes: their size on storage.
        file_groups: partition and file id of what it replaces; Hudi refuses updates to these.
        outdated: how many of these have changed since, or are no longer there.
        execution_class: the Java class that executes it; ``""`` when the plan does not say.
        ours: whether that is the class of this library.
        executor: whether a process executes it: ``alive``, ``dead``, ``none``, or ``unknown`` when
            it is inflight and shows no heartbeat.
        heartbeat: seconds since its executor's last sign of life; None when there is none.
        standing: how it stands, as a sentence.
        command: the safe next command; ``""`` when it is to wait.
        parameters: the layout options stored in the plan, and this library's version that made it.
        taken: file slices by the reason why they are rewritten, as ``FilesByReason`` has them;
            empty when the plan does not say.
        left_alone: file slices by the reason why they are not, of the partitions looked at.
        share_now: what an equality on a sort column reads of these partitions, in the mean, as
            ``ClusteringPlan`` has it; None when the plan does not say.
        share_after: the same once the plan is executed.
        share_as_one: the same were each partition laid out as one.
    """

    instant: str
    state: str
    age: float
    columns: tuple[str, ...]
    mode: str | None
    partitions: tuple[str, ...]
    groups: int
    files: int
    bytes: int
    file_groups: tuple[FileGroup, ...]
    outdated: int
    execution_class: str
    ours: bool
    executor: str
    heartbeat: float | None
    standing: str
    command: str
    parameters: Mapping[str, str]
    taken: Mapping[str, int] = field(default_factory=dict)
    left_alone: Mapping[str, int] = field(default_factory=dict)
    share_now: float | None = None
    share_after: float | None = None
    share_as_one: float | None = None

    @property
    def executor_class(self) -> str:
        """The class to execute or cancel it by: this library's, when the plan does not say."""
        return self.execution_class or EXECUTION_STRATEGY

    @property
    def repairable(self) -> bool:
        """Whether ``repair`` drops it, since nobody executes it and nobody can, or was to."""
        return self.command.startswith("hudi-zorder repair ")

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
        mode: ``incremental`` or ``full``; None when the plan does not say.
        partitions: the partitions with clustered files.
        files_before: the file groups that it replaced.
        files_after: the files that it wrote.
        rows: the rows in them.
        bytes_before: bytes that it was to read; None when the plan is not one of ours.
        bytes: bytes that it wrote.
        seconds: from its plan to its commit; None when the table does not record the latter.
        taken: file slices by the reason why they were rewritten, as ``FilesByReason`` has them;
            empty when the plan is no longer there, or does not say.
        share_now: what an equality on a sort column read of these partitions as it was planned, in
            the mean, as ``ClusteringPlan`` has it; None when the plan does not say.
        share_after: the same once it was executed, as its plan foretold.
        share_as_one: the same had each partition been laid out as one.
        queries: how many queries it was laid out for; None when its plan is no longer there.
        column_weights: the weights of columns that are not 1.
    """

    instant: str
    completed: str | None
    columns: tuple[str, ...]
    strategy: str | None
    mode: str | None
    partitions: tuple[str, ...]
    files_before: int
    files_after: int
    rows: int
    bytes_before: int | None
    bytes: int
    seconds: float | None
    taken: Mapping[str, int] = field(default_factory=dict)
    share_now: float | None = None
    share_after: float | None = None
    share_as_one: float | None = None
    queries: int | None = None
    column_weights: Mapping[str, float] = field(default_factory=dict)

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
        table = NamedRows(["instant", "state"], ["age", "groups", "files", "size"])
        for plan in self:
            table.add_row(
                plan.instant,
                plan.state,
                duration(plan.age),
                f"{plan.groups:,}",
                f"{plan.files:,}",
                readable_size(plan.bytes),
            )
        yield table
        for plan in self:
            by = f", by {', '.join(plan.columns)}" if plan.columns else ""
            yield Text(f"{plan.instant}{by}: {plan.standing}.")
            if plan.execution_class and not plan.ours:
                yield Text(f"  Not a plan of hudi-zorder: {plan.execution_class} executes it.")
            yield whole(f"  {plan.command}") if plan.command else Text("  Wait until it has ended.")
        if any(plan.ours and plan.command.startswith("hudi-zorder execute ") for plan in self):
            yield Text(
                "Whoever else executes a plan of hudi-zorder needs its class in "
                f"{EXECUTION_CLASS}: without it Hudi runs a strategy of its own, and says nothing."
            )
        first = "it" if len(self) == 1 else "the first"
        yield Text(
            f"Until {first} is executed or cancelled, Hudi archives nothing that came after it."
        )


class PastClusterings(Records[PastClustering]):
    """The completed clusterings of a table, the oldest first."""

    kind: ClassVar[type] = PastClustering

    def parts(self) -> Iterator[RenderableType]:
        """Yields the layout of each clustering, and its numbers below."""
        if not self:
            yield "No clustering is recorded."
            return
        for past in self:
            yield Text.assemble((past.instant, "bold"), " ", _layout(past))
            yield Padding(Text(_numbers(past)), (0, 0, 0, 2), expand=False)
        if any(past.share_now is not None for past in self):
            yield (
                "\nRead is the share that an equality on a sort column reads of these partitions, "
                "in the mean, before and after, as the plan foretold it."
            )


def _layout(past: PastClustering) -> str:
    by = f"by {', '.join(past.columns)}" if past.columns else "by unknown columns"
    asked = f"for {plural(past.queries, 'query', 'queries')}" if past.queries else ""
    weighing = f"weighing {summary(past.column_weights)}" if past.column_weights else ""
    return " ".join(filter(None, (past.strategy, past.mode, by, weighing, asked)))


def _numbers(past: PastClustering) -> str:
    before = "" if past.bytes_before is None else f"{readable_size(past.bytes_before)} to "
    read = "unknown"
    if past.share_now is not None and past.share_after is not None:
        read = f"{past.share_now:.3f} to {past.share_after:.3f}"
    numbers = (
        f"{plural(past.files_before, 'file')} to {past.files_after:,}",
        plural(past.rows, "row"),
        before + readable_size(past.bytes),
        f"read {read}",
        "unknown time" if past.seconds is None else duration(past.seconds),
    )
    return ", ".join(numbers)
