"""Predicates as small typed trees.

A tree says when a predicate is *true*: negations are pushed down to the leaves by the laws of
three-valued logic (``NOT (a < 5 AND b IS NULL)`` is true where ``a >= 5`` or ``b IS NOT NULL``), so
that a leaf that is null or false is simply not true. What no statistics can decide becomes an
``Unusable`` leaf with a reason, which may always be true, and is never dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from hudi_zorder.predicate.literals import STRING, Literal
from hudi_zorder.sql_names import path_in_sql

EQUAL, NOT_EQUAL = "=", "!="
LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL = "<", "<=", ">", ">="
SAME, NOT_SAME = "<=>", "NOT <=>"

NEGATED = {
    EQUAL: NOT_EQUAL,
    NOT_EQUAL: EQUAL,
    LESS: GREATER_OR_EQUAL,
    GREATER_OR_EQUAL: LESS,
    GREATER: LESS_OR_EQUAL,
    LESS_OR_EQUAL: GREATER,
    SAME: NOT_SAME,
    NOT_SAME: SAME,
}
MIRRORED = {
    EQUAL: EQUAL,
    NOT_EQUAL: NOT_EQUAL,
    LESS: GREATER,
    LESS_OR_EQUAL: GREATER_OR_EQUAL,
    GREATER: LESS,
    GREATER_OR_EQUAL: LESS_OR_EQUAL,
    SAME: SAME,
    NOT_SAME: NOT_SAME,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """A column beside a literal.

    Attributes:
        column: the column's name, ``a.b`` for a nested one.
        operator: one of the module's operators; ``NOT <=>`` is the negated null-safe equality.
        literal: what it is compared with, which is not null.
    """

    column: str
    operator: str
    literal: Literal

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        if self.operator == NOT_SAME:
            return f"NOT {path_in_sql(self.column)} <=> {self.literal.text}"
        return f"{path_in_sql(self.column)} {self.operator} {self.literal.text}"


@dataclass(frozen=True, slots=True)
class InList:
    """A column that is, or is not, one of several values, none of which is null."""

    column: str
    literals: tuple[Literal, ...]
    negated: bool

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        values = ", ".join(literal.text for literal in self.literals)
        return f"{path_in_sql(self.column)} {'NOT ' if self.negated else ''}IN ({values})"


@dataclass(frozen=True, slots=True)
class Like:
    """A column that does, or does not, match a pattern.

    Attributes:
        column: the column's name.
        pattern: the pattern, ``%`` for any text and ``_`` for any character.
        escape: the character that takes the meaning from the one after it.
        negated: whether the column must not match.
    """

    column: str
    pattern: str
    escape: str
    negated: bool

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        pattern, escape = (Literal(STRING, text).text for text in (self.pattern, self.escape))
        ending = "" if self.escape == "\\" else f" ESCAPE {escape}"
        return f"{path_in_sql(self.column)} {'NOT ' if self.negated else ''}LIKE {pattern}{ending}"


@dataclass(frozen=True, slots=True)
class NullTest:
    """A column that is, or is not, null."""

    column: str
    negated: bool

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        return f"{path_in_sql(self.column)} IS {'NOT ' if self.negated else ''}NULL"


@dataclass(frozen=True, slots=True)
class Truth:
    """A column of truth values by itself, or negated."""

    column: str
    negated: bool

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        return f"{'NOT ' if self.negated else ''}{path_in_sql(self.column)}"


@dataclass(frozen=True, slots=True)
class Constant:
    """What is true of every row, or of none."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Unusable:
    """What statistics cannot decide.

    Attributes:
        text: the predicate in SQL.
        reason: why not.
        columns: the columns that it names.
    """

    text: str
    reason: str
    columns: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class And:
    """All parts are true."""

    parts: tuple[Predicate, ...]

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        return " AND ".join(f"({part.text})" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    """Some part is true."""

    parts: tuple[Predicate, ...]

    @property
    def text(self) -> str:
        """The predicate in SQL."""
        return " OR ".join(f"({part.text})" for part in self.parts)


ColumnLeaf = Union[Comparison, InList, Like, NullTest, Truth]  # noqa: UP007
Leaf = Union[ColumnLeaf, Constant, Unusable]  # noqa: UP007
Predicate = Union[Leaf, And, Or]  # noqa: UP007


def leaves_of(predicate: Predicate) -> Iterator[Leaf]:
    """Yields the leaves from left to right."""
    if isinstance(predicate, And | Or):
        for part in predicate.parts:
            yield from leaves_of(part)
    else:
        yield predicate
