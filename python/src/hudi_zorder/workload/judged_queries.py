"""Which queries and columns count, where there are more than anybody has time for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Final, TypeVar

from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.texts import plural
from hudi_zorder.workload.bound_queries import BoundQuery
from hudi_zorder.workload.weighted_queries import WeightedQuery, hash_of

MOST_COLUMNS: Final = 128  # that a sample can have: those of the longest key

MOST_JUDGED: Final = 500  # queries that anything is judged by

OF_MANY_COLUMNS: Final = f"a sample has at most {MOST_COLUMNS} columns"

_MOST_MET: Final = 5_000_000  # files times queries
_LEAST: Final = 20  # queries looked at however many files there are
_SHOWN: Final = 120  # characters of columns in a note

_Query = TypeVar("_Query", WeightedQuery, BoundQuery)


def place_of(query: WeightedQuery) -> tuple[float, bytes]:
    """Returns what queries are ordered by for the first of them to tell most of them all.

    Those of equal weight are in no order that they were written in, such as by their columns.
    """
    return -query.weight, hash_of(query)


def heaviest(queries: Sequence[_Query], most: int) -> list[_Query]:
    """Returns the queries of the greatest weight, in the order in which they were given."""
    if len(queries) <= most:
        return list(queries)
    places = sorted(range(len(queries)), key=lambda place: place_of(_query(queries[place])))
    return [queries[place] for place in sorted(places[:most])]


def most_judged(files: int) -> int:
    """Returns how many queries there is time to hold so many files against."""
    return min(MOST_JUDGED, max(_LEAST, _MOST_MET // max(1, files)))


def of_few_columns(queries: Sequence[BoundQuery], columns: Iterable[str] = ()) -> list[BoundQuery]:
    """Returns queries that together ask no more columns than a sample can have, the heaviest first.

    Args:
        queries: the queries; they are returned in their order.
        columns: columns that the sample has anyway.
    """
    looked = set(columns)
    kept = set()
    for place in sorted(range(len(queries)), key=lambda place: place_of(queries[place].query)):
        asked = looked.union(leaves_of([queries[place]]))
        if len(asked) <= MOST_COLUMNS:
            looked = asked
            kept.add(place)
    return [query for place, query in enumerate(queries) if place in kept]


def leaves_of(queries: Iterable[BoundQuery]) -> dict[str, ColumnSchema]:
    """Returns the columns that queries ask statistics of."""
    bounds = (bound for query in queries for bound in query.predicates)
    return {name: leaf for bound in bounds for name, leaf in bound.leaves.items()}


def left_out(queries: Sequence[_Query], kept: Sequence[_Query], why: str) -> list[str]:
    """Returns the note that queries were left out; none where none was.

    Args:
        queries: all of them.
        kept: those that were not left out.
        why: the reason, as the end of a sentence.
    """
    left = len(queries) - len(kept)
    if not left:
        return []
    share = 1 - sum(_query(q).weight for q in kept) / sum(_query(q).weight for q in queries)
    return [
        f"{left:,} of {plural(len(queries), 'query', 'queries')}, with {share:.1%} of all weight, "
        f"were left out: {why}"
    ]


def most_asked(weights: Mapping[str, float], most: int) -> tuple[list[str], list[str]]:
    """Returns the columns of the greatest weight, that first, and the note that others were cut.

    Args:
        weights: how much is asked of each column.
        most: how many there are at most.
    """
    columns = sorted(weights, key=lambda name: (-weights[name], name))
    others = columns[most:]
    were = "was" if len(others) == 1 else "were"
    note = (
        f"{plural(len(others), 'column')} that less is asked of {were} not looked at: "
        f"{shorten(', '.join(others), _SHOWN, placeholder=' ...')}"
    )
    return columns[:most], [note] if others else []


def _query(query: WeightedQuery | BoundQuery) -> WeightedQuery:
    return query.query if isinstance(query, BoundQuery) else query
