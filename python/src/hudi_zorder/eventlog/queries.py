"""The queries of event logs, as values: printed as a table, handed to Arrow, or to a forecast."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.hudi.filesystem import absolute, folder_named, has_scheme, local_path
from hudi_zorder.records import Tabular, arrow_table
from hudi_zorder.screen import NamedRows
from hudi_zorder.texts import noted, plural, readable_size, whole

if TYPE_CHECKING:
    import pyarrow as pa

BELOW: Final = "a read of a folder below the table, as of one partition"

_SHOWN: Final = 10
_NAMED: Final = 3  # tables in a sentence
_AFTER_SLASH: Final = chr(ord("/") + 1)


@dataclass(frozen=True, kw_only=True)
class LoggedQuery:
    """A predicate by which queries have read a table.

    Attributes:
        table: the table's base path, as Spark read it.
        names: what the table was called; empty when it was read by its path alone.
        predicate: in Spark's SQL, as after WHERE.
        times: how often.
        first: when the first of these queries began, in UTC.
        last: when the last one began.
        rows: rows that they have read together; None when the log does not tell.
        files: files that they have opened; None when the log does not tell.
        bytes: the size of these.
        supposed: whether it has a list of texts, which plans do not quote: it is read as if none
            of them had a comma.
        begun: when each began, in UTC and in order; none where only the first and the last are
            known.
    """

    table: str
    names: tuple[str, ...]
    predicate: str
    times: int
    first: datetime
    last: datetime
    rows: int | None
    files: int | None
    bytes: int | None
    supposed: bool = False
    begun: tuple[datetime, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """What was found in event logs and cannot be used, for one reason.

    Attributes:
        table: the table's base path.
        reason: why.
        queries: how many reads of the table have no other condition.
        conditions: how many conditions of reads that are used by their others.
        example: one of them, as the plan has it; empty where there is none.
    """

    table: str
    reason: str
    queries: int
    conditions: int
    example: str


@dataclass
class _Place:
    """What was read in one place, in whatever spellings of it.

    Attributes:
        spelled: how often it was read by each.
        queries: by which predicates.
        left_out: what cannot be used.
    """

    spelled: Counter[str] = field(default_factory=Counter)
    queries: list[LoggedQuery] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)

    def add_query(self, query: LoggedQuery) -> None:
        """Adds a predicate."""
        self.spelled[query.table] += query.times
        self.queries.append(query)

    def add_left_out(self, part: LeftOut) -> None:
        """Adds what was left out."""
        self.spelled[part.table] += part.queries
        self.left_out.append(part)

    @property
    def reads(self) -> int:
        """How often it was read."""
        return self.spelled.total()

    @property
    def table(self) -> str:
        """It in the spelling by which it was most often read."""
        return self.spelled.most_common(1)[0][0]


@dataclass(frozen=True, kw_only=True)
class Queries(Tabular):
    """The queries on Hudi tables that event logs tell of.

    Attributes:
        queries: each predicate once for each table, the most frequent first.
        left_out: what cannot be used.
        notes: what the user should know of the logs, one sentence each.
        moved_from: the path that the logs have of the one table that was moved, or ``""``.
    """

    queries: tuple[LoggedQuery, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    moved_from: str = ""

    def __iter__(self) -> Iterator[LoggedQuery]:
        """Yields each predicate, the most frequent first."""
        return iter(self.queries)

    def __len__(self) -> int:
        """Returns how many different predicates there are."""
        return len(self.queries)

    @property
    def tables(self) -> tuple[str, ...]:
        """The base paths of the tables, the one most often read first, each as it mostly was."""
        return tuple(found.table for found in self._places.values())

    @cached_property
    def _places(self) -> Mapping[str, _Place]:
        """What was read where, the place most often read first."""
        place_of = cache(same_place)
        found: dict[str, _Place] = defaultdict(_Place)
        for query in self.queries:
            found[place_of(query.table)].add_query(query)
        for part in self.left_out:
            found[place_of(part.table)].add_left_out(part)
        return dict(sorted(found.items(), key=lambda pair: -pair[1].reads))

    @cached_property
    def _sorted_places(self) -> Sequence[str]:
        return sorted(self._places)

    @property
    def used(self) -> int:
        """How many reads the predicates are of."""
        return sum(query.times for query in self.queries)

    @property
    def found(self) -> int:
        """How many reads of tables were found, those left out included."""
        return self.used + sum(part.queries for part in self.left_out)

    def for_table(self, path: str | os.PathLike[str]) -> Queries:
        """Returns the queries of one table, by its path or URL; empty when none has read it.

        Spark logs a read of a folder below it as that of another table; these are left out. Where
        there is none of either, a note names the tables that there are.

        Raises:
            TableError: for what cannot name a folder.
        """
        place = same_place(path)
        found = self._of_place(place)
        if not self._places or place in self._places or self._below(place):
            return found
        others = ", ".join(self.tables[:_NAMED])
        asked = f"the logs have no query on '{os.fspath(path)}', but on {others}"
        return replace(found, notes=(*found.notes, f"{asked}; name the table as Spark has read it"))

    def _of_place(self, place: str) -> Queries:
        """Returns what was read in a place, and how often what is below it."""
        own = self._places.get(place, _Place())
        below = [self._places[other] for other in self._below(place)]
        left_out = own.left_out
        if below:
            part = LeftOut(
                table=own.table if own.spelled else place,
                reason=BELOW,
                queries=sum(other.reads for other in below),
                conditions=0,
                example=max(below, key=lambda other: other.reads).table,
            )
            left_out = [*left_out, part]
        return replace(self, queries=tuple(own.queries), left_out=tuple(left_out))

    def _below(self, place: str) -> Sequence[str]:
        """Returns the places below another one, which are beside one another in their order."""
        folder = place.rstrip("/")
        ends = (bisect_left(self._sorted_places, folder + end) for end in ("/", _AFTER_SLASH))
        return self._sorted_places[slice(*ends)]

    def moved_to(self, path: str | os.PathLike[str]) -> Queries:
        """Returns the same of a table at another path or URL, such as a copy of the one logged.

        Raises:
            TableError: for what cannot name a folder.
        """
        path = folder_named(path)
        before = self.tables
        return replace(
            self,
            moved_from=self.moved_from or (before[0] if len(before) == 1 else ""),
            queries=tuple(replace(query, table=path) for query in self.queries),
            left_out=tuple(replace(part, table=path) for part in self.left_out),
        )

    def summary(self) -> tuple[str, ...]:
        """Returns how many were found, used and left out, and why, one sentence each."""
        found = plural(self.found, "read", "reads")
        told = [f"the event logs have {found} of the table, of which {self.used:,} are used"]
        for part in self.left_out:
            example = f", such as {part.example}" if part.example else ""
            if part.queries:
                told.append(f"{part.queries:,} left out: {part.reason}{example}")
            if part.conditions:
                number = plural(part.conditions, "condition")
                told.append(f"{number} of those used left out: {part.reason}{example}")
        supposed = sum(query.times for query in self.queries if query.supposed)
        if supposed:
            lists = "has a list" if supposed == 1 else "have lists"
            told.append(f"{supposed:,} of those used {lists} of texts, read as if none had a comma")
        return (*told, *self.notes)

    def to_arrow(self) -> pa.Table:
        """Returns one row for each predicate and table."""
        return arrow_table(LoggedQuery, self.queries)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but times, which are ``datetime``, as JSON's own types."""
        return asdict(self)

    def parts(self) -> Iterator[RenderableType]:
        """Yields the predicates on each table, and what was left out."""
        if not self._places:
            yield "No query was found."
        for place, found in self._places.items():
            one = self._of_place(place)
            yield whole(found.table)
            shown = NamedRows(["predicate"], ["times", "rows", "files", "size"], spaced=False)
            for query in one.queries[:_SHOWN]:
                size = "" if query.bytes is None else readable_size(query.bytes)
                shown.add_row(
                    Text(query.predicate),
                    f"{query.times:,}",
                    _number(query.rows),
                    _number(query.files),
                    size,
                )
            if one.queries:
                begun = min(query.first for query in one), max(query.last for query in one)
                yield Text(" to ".join(f"{time:%Y-%m-%d %H:%M}" for time in begun) + " UTC")
                yield shown
                if len(one) > _SHOWN:
                    yield f" and {len(one) - _SHOWN:,} more"
            yield from noted(one.summary()[: -len(self.notes) or None], "-")
        yield from noted(self.notes)


def same_place(url: str | os.PathLike[str]) -> str:
    """Returns a path or URL in the one spelling that others of the same place share."""
    text = absolute(local_path(folder_named(url)))
    if not has_scheme(text):
        return os.path.normpath(text)
    return re.sub(r"^s3[an]://", "s3://", text.rstrip("/"))


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"
