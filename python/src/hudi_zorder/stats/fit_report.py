"""How well a table's files serve queries, as a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import RenderableType
from rich.markup import escape

from hudi_zorder.texts import plain_table, plural, whole


@dataclass(frozen=True)
class ServedQuery:
    """What one query reads.

    Attributes:
        text: the query.
        weight: how much it counts.
        share_read: the share of rows in files that statistics cannot rule out for it.
        least_share: the same of as few full files as can hold the rows that it is about, which are
            estimated by sampled rows.
    """

    text: str
    weight: float
    share_read: float
    least_share: float


@dataclass(frozen=True)
class QueriesFit:
    """How well the files serve queries, and whether as well as those that they were cut for.

    Attributes:
        queries: how many were looked at: the 500 of the greatest weight at most.
        share_read: what they read, in their weighted mean.
        least_share: the least that they could.
        known_queries: as many of those that the last clustering was cut for; 0 for none.
        known_share_read: what these read now; None without any.
        known_least_share: the least that these could; None without any.
        fits: whether the queries read at most 1.2 times as much above their least as the known ones
            do above theirs; None where the last clustering knew of none.
        gain: the bytes that each of the queries would read less, in the mean, for each byte that
            is rewritten when all is laid out for them: were they served as well as the known ones
            are; without any, as well as can be, which is a bound.
        most_read: the queries that read most above their least, ten at most.
        advice: the command that tells what a layout for them would bring; empty while they fit.
    """

    queries: int
    share_read: float
    least_share: float
    known_queries: int
    known_share_read: float | None
    known_least_share: float | None
    fits: bool | None
    gain: float
    most_read: tuple[ServedQuery, ...]
    advice: str

    def parts(self) -> Iterator[RenderableType]:
        """Yields what the queries read beside what the known ones do."""
        yield (
            f"{plural(self.queries, 'query', 'queries')} read {self.share_read:.4f} of the rows in "
            f"the mean, {self._times(self.share_read, self.least_share)}"
        )
        if self.known_share_read is not None and self.known_least_share is not None:
            yield (
                f"The last clustering was cut for {self.known_queries:,}, which read "
                f"{self.known_share_read:.4f}, "
                f"{self._times(self.known_share_read, self.known_least_share)}"
            )
        table = plain_table(["most above the least"], ["share\nread", "least", "weight"])
        for query in self.most_read:
            table.add_row(
                escape(query.text),
                f"{query.share_read:.4f}",
                f"{query.least_share:.4f}",
                f"{query.weight:g}",
            )
        yield table
        if self.advice:
            yield (
                f"A layout for them would have each read up to {self.gain:.3f} bytes less for each "
                "byte that is rewritten:"
            )
            yield whole(f"  {self.advice}", "cyan")

    @staticmethod
    def _times(read: float, least: float) -> str:
        return f"{read / least:.1f} times the least that can be" if least else "none that can be"
