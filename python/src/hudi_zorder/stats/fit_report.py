"""How well a layout fits queries, as a value: printed as tables, or turned into JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.markup import escape

from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.texts import noted, plural, whole

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True)
class QueryFit:
    """What one query reads, and the least that it could.

    Attributes:
        query: as it was given.
        weight: how often it is asked.
        share_read: share of rows in files that it cannot rule out.
        share_least: the share in as few files as its rows fill; that read where none was seen.
    """

    query: str
    weight: float
    share_read: float
    share_least: float


@dataclass(frozen=True, kw_only=True)
class QueriesFit(Tabular):
    """Whether queries still fit the layout, and what at most a new one would gain.

    Shares are of the table's rows, in the mean of the queries by weight. The least is no promise:
    a file cannot lie in the answers of all queries at once.

    Attributes:
        queries: how many were looked at, those of the greatest weight.
        weight: how often these are asked, all together.
        share_read: rows in files that they cannot rule out, now.
        share_least: rows in as few full files as their rows fill, estimated by sampled rows.
        known_queries: how many of those that the last clustering was cut for were looked at; 0
            when it was cut for none.
        known_share_read: share_read of these; None when there are none.
        known_share_least: share_least of these, by the conditions that the plan keeps: those on
            sort columns; None when there are none.
        share_expected: what the queries would read of a layout that is as many times above their
            least as today's is above that of the known ones; twice it where none are known.
        fits: whether they read at most 1.2 times share_expected, or but a hundredth of the table
            above it.
        gain_per_byte: bytes that the queries would read less, each asked as often as it weighs,
            for each byte of the table rewritten; at most, as if each read its least.
        sampled_rows: the rows that the least is estimated by.
        worst: the queries that read most above their least, by weight; at most five.
        advice: the command that tells what a layout for the queries would bring; empty when the
            present one fits.
        notes: what was found and left out, one sentence each.
    """

    queries: int
    weight: float
    share_read: float
    share_least: float
    known_queries: int
    known_share_read: float | None
    known_share_least: float | None
    share_expected: float
    fits: bool
    gain_per_byte: float
    sampled_rows: int
    worst: tuple[QueryFit, ...]
    advice: str
    notes: tuple[str, ...]

    def to_arrow(self) -> pa.Table:
        """Returns one row for each of the queries that read most too much."""
        return arrow_table(QueryFit, self.worst)

    def parts(self) -> Iterator[RenderableType]:
        """Yields what is read, by which queries most, and the advice."""
        table = NamedRows(["queries"], ["number", "share\nread", "least\nshare", "times\nthat"])
        rows = [("given", self.queries, self.share_read, self.share_least)]
        if self.known_share_read is not None and self.known_share_least is not None:
            known = (self.known_queries, self.known_share_read, self.known_share_least)
            rows.append(("known to the layout", *known))
        for name, number, share, least in rows:
            times = f"{share / least:.1f}" if least else ""
            table.add_row(name, f"{number:,}", f"{share:.4f}", f"{least:.4f}", times)
        yield table
        yield (
            "The least is what they would read of as few files as their rows fill, estimated by "
            f"{self.sampled_rows:,} sampled rows; no layout serves all queries so."
        )
        worst = NamedRows(["most above its least"], ["weight", "share\nread", "least\nshare"])
        for query in self.worst:
            shares = (f"{query.share_read:.4f}", f"{query.share_least:.4f}")
            worst.add_row(escape(query.query), f"{query.weight:g}", *shares)
        if self.worst:
            yield worst
        yield from noted(self.notes)
        if self.fits:
            yield "The queries fit the layout."
            return
        reference = (
            f"as near the least as {plural(self.known_queries, 'query', 'queries')} that it knows"
            if self.known_queries
            else "at twice the least, as a layout that knows its queries may"
        )
        yield (
            f"The queries no longer fit the layout: {reference}, they would read "
            f"{self.share_expected:.4f}. Each byte rewritten would save at most "
            f"{self.gain_per_byte:.2f} bytes of reading, were all asked again. To see what is to "
            "be had:"
        )
        yield whole(f"  {self.advice}", "cyan")
