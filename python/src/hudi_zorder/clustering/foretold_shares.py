"""What the queries that files are cut for would read, told before anything is rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import RenderableType
from rich.markup import escape

from hudi_zorder.screen import NamedRows

HELD_BACK: Final = "held_back"
COLUMN: Final = "column"


@dataclass(frozen=True, kw_only=True)
class ForetoldShare:
    """The share of rows read of two layouts, as the sample foretells it that both are learnt from.

    Attributes:
        kind: ``known``, for the queries that a layout is tried with; ``held_back``, for those that
            it is judged by, of which there are none where there are few; or ``column``, for an
            equality on a sort column that is seldom asked, or never, in the mean over all rows'
            values.
        column: its name; ``""`` for queries.
        tree: what is read of files that are cut for no queries.
        queries: what is read of files that are cut for the known queries.
    """

    kind: str
    column: str
    tree: float
    queries: float

    @classmethod
    def of(cls, line: str) -> ForetoldShare:
        """Returns what a line of Java's ``QueryForecast`` says."""
        kind, column, plain, cut = line.split("\t")
        return cls(kind=kind, column=column, tree=float(plain), queries=float(cut))


def foretold(shares: Sequence[ForetoldShare]) -> Iterator[RenderableType]:
    """Yields shares as a table, and what it is about; nothing where there are none."""
    if not shares:
        return
    table = NamedRows(["share of rows read, foretold"], ["plain tree", "cut for queries"])
    for share in shares:
        table.add_row(_name(share), f"{share.tree:.3f}", f"{share.queries:.3f}")
    yield table
    if all(share.tree == share.queries for share in shares):
        yield "No tree serves the queries better than the plain one: files are cut as without them."
    elif any(share.kind == HELD_BACK for share in shares):
        yield (
            "This tree is cut for the known half of the queries alone, and tells what the other "
            "half would read; files are cut for both."
        )
    else:
        yield "The queries are too few to hold some back: they judge the tree that is cut for them."


def _name(share: ForetoldShare) -> str:
    if share.kind == COLUMN:
        return f"equality on {escape(share.column)}, seldom asked"
    return "queries held back" if share.kind == HELD_BACK else "queries known"
