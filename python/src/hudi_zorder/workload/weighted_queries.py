"""Queries on one table, with weights, as a call gives them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from datetime import datetime
from numbers import Real
from textwrap import shorten
from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import OptionError

if TYPE_CHECKING:
    from hudi_zorder.eventlog.queries import Queries

_SHOWN: Final = 120  # characters of a query in a message
_MOST_WEIGHT: Final = 1e100  # of which any number can be added up
LEAST_WEIGHT: Final = 1e-300  # in a plan: to Java 0 is no weight


@dataclass(frozen=True)
class WeightedQuery:
    """A query.

    Attributes:
        text: as it was given.
        weight: how much it counts against the others, above 0.
        asked: each time that it was asked, in UTC and in order, of which each weighs the same;
            none where nobody knows.
    """

    text: str
    weight: float = 1.0
    asked: tuple[datetime, ...] = ()

    @property
    def last(self) -> datetime | None:
        """When it was asked last; None where nobody knows."""
        return self.asked[-1] if self.asked else None

    @property
    def shown(self) -> str:
        """The text on one line, as much of it as a sentence takes."""
        return shorten(self.text, _SHOWN, placeholder=" ...")


GivenQueries = Mapping[str, float] | Sequence[str | tuple[str, float] | WeightedQuery]


def queries_of(queries: GivenQueries) -> list[WeightedQuery]:
    """Returns the queries that a call means, each text once: the sum of weights, all times.

    Args:
        queries: texts, pairs of text and weight, what ``read_queries`` returned, or a mapping from
            text to weight.

    Raises:
        OptionError: for a weight that is no number above 0, or no query at all.
    """
    _refuse_what_is_no_list(queries)
    given = queries.items() if isinstance(queries, Mapping) else queries
    weights: dict[str, float] = {}
    asked: dict[str, list[datetime]] = defaultdict(list)
    for query in given:
        if isinstance(query, WeightedQuery):
            asked[query.text] += query.asked
            query = (query.text, query.weight)
        elif isinstance(query, str):
            query = (query, 1.0)
        pair = isinstance(query, tuple | list) and len(query) == 2
        if not pair or not isinstance(query[0], str):
            raise OptionError(
                f"Cannot read queries: one of them was {query!r}; write a text, or a text and a "
                "weight"
            )
        text, weight = query
        number = isinstance(weight, Real) and not isinstance(weight, bool)
        if not number or not 0 < weight <= _MOST_WEIGHT:
            shown = shorten(str(weight), _SHOWN, placeholder=" ...")
            raise OptionError(
                f"Cannot read queries: the weight of '{text}' was '{shown}'; "
                f"write a number above 0, of at most {_MOST_WEIGHT:g}"
            )
        weights[text] = weights.get(text, 0.0) + float(weight)
    if not weights:
        raise OptionError("Cannot read queries: 'queries' is empty; give at least one")
    return [
        WeightedQuery(text, weight, tuple(sorted(asked[text]))) for text, weight in weights.items()
    ]


def counted(queries: GivenQueries | Queries, name: str = "queries") -> GivenQueries | Queries:
    """Returns queries that can be counted, and read more than once, as no generator can.

    Args:
        queries: what a call gives.
        name: what the call names it.

    Raises:
        OptionError: for what is no list, mapping or other such.
    """
    _refuse_what_is_no_list(queries, name)
    return queries if isinstance(queries, Sized) else list(queries)


def _refuse_what_is_no_list(queries: object, name: str = "queries") -> None:
    if isinstance(queries, str):
        raise OptionError(
            f"Cannot read queries: '{name}' was the text '{queries}'; write a list: "
            f"{name}=[{queries!r}]"
        )
    if type(queries).__name__ == "DataFrame":  # of any library, none of which is imported for it
        raise OptionError(
            f"Cannot read queries: '{name}' was a DataFrame, of which only the names of columns "
            "would be read; give one column, or pairs: list(zip(frame['query'], frame['weight']))"
        )
    if not isinstance(queries, Iterable):
        raise OptionError(
            f"Cannot read queries: '{name}' was {queries!r}; write a list: {name}=['a = 5']"
        )


def hash_of(query: WeightedQuery) -> bytes:
    """Returns what queries are ordered by for the first of them to be like the others."""
    return hashlib.sha256(query.text.encode()).digest()
