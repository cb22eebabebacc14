"""What a table may be called in SQL."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from hudi_zorder.eventlog.queries import same_place

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

_VIEWS = ("", "_ro", "_rt")  # as Hudi's sync to a catalog calls them


@dataclass(frozen=True)
class TableNames:
    """The names by which statements may mean a table.

    Attributes:
        shown: the table's name in a message.
        names: without a database, in lower case.
        places: its path and URL.
        database: its database, in lower case; empty where nobody knows.
    """

    shown: str
    names: frozenset[str]
    places: frozenset[str]
    database: str = ""

    @classmethod
    def of(cls, snapshot: TableSnapshot) -> TableNames:
        """Returns the names of a table: its own, and that of its folder."""
        return cls.known(
            snapshot.config.name, [snapshot.url, snapshot.path], snapshot.config.database
        )

    @classmethod
    def known(cls, name: str, places: list[str], database: str = "") -> TableNames:
        """Returns the names of a table in that place; ``x.db`` is the folder of a database."""
        path = places[-1].rstrip("/")
        folder = posixpath.basename(posixpath.dirname(path))
        named = {name.lower(), posixpath.basename(path).lower()} - {""}
        return cls(
            shown=name or path,
            names=frozenset(own + ending for own in named for ending in _VIEWS),
            places=frozenset(map(same_place, places)),
            database=(database or (folder[:-3] if folder.endswith(".db") else "")).lower(),
        )

    def mean(self, table: exp.Table) -> bool:
        """Returns whether a name in a statement is one of the table's."""
        if "/" in table.name:
            return same_place(table.name) in self.places
        database = table.db.lower()
        known = database and self.database
        return table.name.lower() in self.names and (not known or database == self.database)
