"""What a clustering would bring, as a value: printed as a table, or turned into JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.errors import OptionError
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.texts import duration, item, noted, plural, readable_size, whole

if TYPE_CHECKING:
    import pyarrow as pa

COLUMN, PREDICATE, QUERY = "column", "predicate", "query"
_SHOWN: Final = 20  # predicates
_IN_TABLE: Final = 24  # characters of a predicate; where one is longer, they stand below, numbered


@dataclass(frozen=True, kw_only=True)
class ForecastRead:
    """What is read for a column or a query, as shares of the rows that would be clustered.

    Attributes:
        kind: ``column``, for an equality on an existing value, in the mean over all rows' values;
            ``predicate``; or ``query``, of those held back from the layout that is cut for queries.
        text: the column's name, or the predicate or query as it was given.
        now: the share in files that minimum and maximum cannot rule out as the files are now.
        after: the same after the clustering.
        independent_share: what is read of so many files if they are a grid of independent columns;
            correlated ones can be below it.
        weight: what it counts in the mean: the column's or the query's weight, or how often an
            event log has the predicate.
    """

    kind: str
    text: str
    now: float
    after: float
    independent_share: float
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class LayoutForecast:
    """What one layout would bring.

    Attributes:
        layout: ``linear``, ``zorder`` and ``hilbert``, which cut their curve at equal counts,
            ``tree``, or where there are queries ``queries``: the tree cut for half of them; and
            ``z-column`` where one was given.
        files: the files that it would write.
        reads: what is read for each sort column, then for each predicate, then for each query.
        mean: the mean share read after, by their weights: of the queries; where there are none of
            the predicates, and without any of the sort columns.
        mean_known: the same of the queries that ``queries`` is cut for; None without queries.
    """

    layout: str
    files: int
    reads: tuple[ForecastRead, ...]
    mean: float
    mean_known: float | None = None


@dataclass(frozen=True, kw_only=True)
class Forecast(Tabular):
    """What clustering a table would bring, by layout.

    Attributes:
        table: the table's base path.
        columns: the sort columns.
        partitions: the partitions that would be clustered; ``("",)`` without partitions.
        files: the base files, and log files not yet merged, that would be replaced.
        rows: the rows in the base files; what log files are thought to have is told in a note.
        bytes: bytes that would be rewritten.
        seconds: about how long that would take in a process that has not clustered yet, as that of
            a command has not.
        warm_seconds: the same in a process that has.
        seconds_from: what these are estimated by: ``history``, the table's past clusterings, or
            ``default``, what one core was measured to do.
        sampled_rows: the rows that were looked at.
        layouts: the forecast of each layout.
        choice: the layout that reads least; ``tree`` where that reads at most 1.01 times as much.
        command: the command that clusters so.
        call: the same in Python.
        notes: what the user should know, one sentence each.
    """

    table: str
    columns: tuple[str, ...]
    partitions: tuple[str, ...]
    files: int
    rows: int
    bytes: int
    seconds: float
    warm_seconds: float
    seconds_from: str
    sampled_rows: int
    layouts: tuple[LayoutForecast, ...]
    choice: str
    command: str
    call: str
    notes: tuple[str, ...] = ()

    def layout(self, name: str) -> LayoutForecast:
        """Returns the forecast of one layout, such as ``tree``.

        Raises:
            OptionError: when none of that name was forecast, as ``queries`` is not without any.
        """
        known = {part.layout: part for part in self.layouts}
        if name not in known:
            raise OptionError(
                f"Cannot tell of a layout: 'name' was '{name}'; choose one of {', '.join(known)}"
            )
        return known[name]

    def to_arrow(self) -> pa.Table:
        """Returns one row for each layout and what is read of it."""
        import pyarrow as pa

        tables = [
            arrow_table(ForecastRead, part.reads).add_column(
                0, "layout", pa.array([part.layout] * len(part.reads), pa.string())
            )
            for part in self.layouts
        ]
        return pa.concat_tables(tables)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields what is read by each layout, and how to cluster by the chosen one."""
        chosen = self.layout(self.choice)
        yield Text(f"Forecast for {self.table} by {', '.join(self.columns)}")
        yield Text(
            f"{self.rows:,} rows in {plural(self.files, 'file')}, "
            f"{plural(len(self.partitions), 'partition')}; {self.sampled_rows:,} rows sampled"
        )
        yield Text(
            f"To rewrite: {readable_size(self.bytes)} into {plural(chosen.files, 'file')}, in "
            f"about {duration(self.seconds)}, or {duration(self.warm_seconds)} in a process that "
            f"has clustered before ({_basis(self.seconds_from)})"
        )
        yield Text("\nShare of rows in files that must be read")
        yield from self._shares()
        yield Text(f"Least, or a hundredth above it, is read with {self.choice}:")
        yield whole(f"  {self.command}\n  {self.call}")
        yield from noted(self.notes)

    def _shares(self) -> Iterator[RenderableType]:
        names = ["now", *(part.layout for part in self.layouts), "independent"]
        table = NamedRows(["equality on, or predicate"], names, spaced=False)
        reads = list(enumerate(self.layout(self.choice).reads))
        columns = [place for place in reads if place[1].kind == COLUMN]
        asked = sorted(reads[len(columns) :], key=lambda place: -place[1].weight)
        shown = asked[:_SHOWN]
        below = any(len(read.text) > _IN_TABLE for _, read in shown)
        for number, (i, read) in enumerate((*columns, *shown), 1 - len(columns)):
            after = [part.reads[i].after for part in self.layouts]
            shares = _least_marked([read.now, *after, read.independent_share], 1, 1 + len(after))
            named = f"{read.kind} {number}" if below and number > 0 else read.text
            table.add_row(Text(named), *shares)
        means = _least_marked([part.mean for part in self.layouts], 0, len(self.layouts))
        known = [part.mean_known for part in self.layouts if part.mean_known is not None]
        judged = any(read.kind == QUERY for _, read in asked)
        table.add_row("mean, of queries held back" if judged else "mean", "", *means, "")
        if known:
            shares = _least_marked(known, 0, len(known))
            table.add_row("mean, of those it is cut for", "", *shares, "")
        table.add_row("files", f"{self.files:,}", *(f"{part.files:,}" for part in self.layouts), "")
        yield table
        if len(asked) > _SHOWN:
            yield f" and {plural(len(asked) - _SHOWN, 'more predicate')}"
        if below:
            texts = enumerate((read.text for _, read in shown), 1)
            yield from (item(f"{number}: {' '.join(text.split())}") for number, text in texts)


def _basis(seconds_from: str) -> str:
    if seconds_from == "history":
        return "by its past clusterings"
    return "by what a core did elsewhere"


def _least_marked(shares: Sequence[float], start: int, stop: int) -> list[str]:
    """Returns shares as texts, the least of some marked by an asterisk."""
    least = min(f"{share:.3f}" for share in shares[start:stop])
    return [
        f"{'*' if start <= i < stop and f'{share:.3f}' == least else ''}{share:.3f}"
        for i, share in enumerate(shares)
    ]
