"""Which columns to cluster by, as a value: printed as a table, or turned into JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.recommendation.partitioning import Partitioning
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.texts import noted, plural, summary, whole

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN: Final = 10


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Columns that were tried.

    Attributes:
        columns: the columns, the one of the highest cardinality first.
        column_weights: their weights, where they are not all 1.
        share: the share of rows that the queries would read, by their weights.
    """

    columns: tuple[str, ...]
    column_weights: Mapping[str, float]
    share: float

    @property
    def text(self) -> str:
        """The columns, with their weights where these are not all 1."""
        if not self.column_weights:
            return ", ".join(self.columns)
        return summary(self.column_weights).replace(",", ", ")


@dataclass(frozen=True, kw_only=True)
class QueryRead:
    """What a query reads, as shares of the rows that would be clustered.

    Attributes:
        query: as it was given.
        weight: its weight, of all queries' weights.
        now: the share in files that minimum and maximum cannot rule out as the files are now.
        after: the same with the recommended columns.
    """

    query: str
    weight: float
    now: float
    after: float


@dataclass(frozen=True, kw_only=True)
class Recommendation(Tabular):
    """The columns and weights by which queries read least.

    Attributes:
        table: the table's base path.
        columns: the sort columns; empty when no column makes the queries read less.
        column_weights: their weights, where they are not all 1.
        files: the files that a clustering would write.
        sampled_rows: the rows that were looked at.
        share_now: the share of rows that the queries read now, by their weights.
        share_after: the same with the recommended columns.
        opened_after: files that a query opens then, in the mean by the queries' weights.
        candidates: what was tried, the best first.
        queries: what each query reads.
        advice: one sentence for each thing to know about the columns.
        command: the command that clusters so; empty without columns.
        call: the same in Python.
        partitionings: what dividing the table otherwise would bring, the least share first.
        partitioning: the one of these that is worth writing the table anew; null when none is.
        notes: what the user should know of the recommendation itself.
    """

    table: str
    columns: tuple[str, ...]
    column_weights: Mapping[str, float] = field(default_factory=dict)
    files: int
    sampled_rows: int
    share_now: float
    share_after: float
    opened_after: float
    candidates: tuple[Candidate, ...]
    queries: tuple[QueryRead, ...]
    advice: tuple[str, ...]
    command: str
    call: str
    partitionings: tuple[Partitioning, ...] = ()
    partitioning: Partitioning | None = None
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Tells whether there is something to cluster by."""
        return bool(self.columns)

    def to_arrow(self) -> pa.Table:
        """Returns one row for each set of columns that was tried, the best first."""
        return arrow_table(Candidate, self.candidates)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields what was tried, what each query reads, and how to do it."""
        best = f"Cluster {self.table} by {', '.join(self.columns)}" if self else "Leave it as it is"
        if self.column_weights:
            best += f", weighing {summary(self.column_weights)}"
        yield Text(best)
        yield Text(
            f"{plural(len(self.queries), 'query', 'queries')} read {self.share_now:.3f} of the "
            f"rows now, {self.share_after:.3f} then, in {plural(self.files, 'file')}; "
            f"{self.sampled_rows:,} rows sampled"
        )
        if self.candidates:
            yield Text("\nShare of rows in files that the queries must read")
            yield from self._tried()
        yield ""
        yield from self._asked()
        if self.partitionings:
            yield Text("\nPartitioned, each partition clustered by the same columns")
            yield from self._partitioned()
        yield from noted(self.advice, "-")
        yield from noted(self.notes)
        if self:
            yield Text("To do it:")
            yield whole(f"  {self.command}\n  {self.call}")

    def _tried(self) -> Iterator[RenderableType]:
        table = _table("clustered by", ["share read"])
        for candidate in self.candidates[:_SHOWN]:
            table.add_row(Text(candidate.text), f"{candidate.share:.3f}")
        table.add_row("as it is now", f"{self.share_now:.3f}")
        yield from _shown(table, len(self.candidates) - _SHOWN)

    def _partitioned(self) -> Iterator[RenderableType]:
        names = ["partitions", "files", "opened", "share read", "otherwise"]
        table = _table("partitioned by", names)
        for part in self.partitionings[:_SHOWN]:
            numbers = (f"{part.partitions:,}", f"{part.files:,}", f"{part.opened:,.1f}")
            shares = (f"{part.share:.3f}", f"{part.share_otherwise:.3f}")
            table.add_row(Text(part.text), *numbers, *shares)
        recommended = (f"{self.files:,}", f"{self.opened_after:,.1f}", f"{self.share_after:.3f}")
        table.add_row("as recommended", "", *recommended, "")
        yield from _shown(table, len(self.partitionings) - _SHOWN)

    def _asked(self) -> Iterator[RenderableType]:
        table = _table("query", ["weight", "now", "after"])
        heaviest: Sequence[QueryRead] = sorted(self.queries, key=lambda query: -query.weight)
        for query in heaviest[:_SHOWN]:
            numbers = (query.weight, query.now, query.after)
            table.add_row(Text(query.query), *(f"{number:.3f}" for number in numbers))
        yield from _shown(table, len(self.queries) - _SHOWN)


def _table(first: str, numbers: Sequence[str]) -> NamedRows:
    return NamedRows([first], numbers, spaced=False)


def _shown(table: NamedRows, more: int) -> Iterator[RenderableType]:
    yield table
    if more > 0:
        yield f" and {more:,} more"
