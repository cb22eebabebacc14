"""The workload of a table: the queries that a call gives, or those that event logs tell of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Final

from hudi_zorder.errors import ColumnError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.filesystem import absolute
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.predicate.binding import bind_predicate
from hudi_zorder.texts import plural
from hudi_zorder.workload.bound_queries import binder
from hudi_zorder.workload.statement_texts import is_statement
from hudi_zorder.workload.statements import ReadsOthers
from hudi_zorder.workload.table_names import TableNames
from hudi_zorder.workload.weighted_queries import GivenQueries, WeightedQuery, queries_of

_Elsewhere = dict[WeightedQuery, tuple[str, ...]]  # statements with the tables that they read

_LONGEST_FAULT: Final = 300


@dataclass(frozen=True)
class Workload:
    """Queries on a table.

    Attributes:
        queries: each as a condition, with its weight.
        notes: what was found and left out, one sentence each.
        of_log: whether the queries are as Spark has logged them.
        logged_path: the table's path in the logs, where that is another; else ``""``.
    """

    queries: tuple[WeightedQuery, ...]
    notes: tuple[str, ...] = ()
    of_log: bool = False
    logged_path: str = ""


def workload_of(
    queries: GivenQueries | Queries, snapshot: TableSnapshot, zone: str | None
) -> Workload:
    """Returns the queries on a table.

    Of event logs each predicate weighs how often it was asked; those on columns that the table no
    longer has, or has in another type, are left out; and so are statements on other tables, and
    those that cannot be used.

    Args:
        queries: conditions or statements, with weights; or those of event logs.
        snapshot: the table.
        zone: the session's time zone.

    Raises:
        PredicateError: when none can be used.
        OptionError: for a weight that is none, or no query at all.
    """
    if isinstance(queries, Queries):
        return _logged_workload(queries, snapshot, zone)
    return _given_workload(queries_of(queries), snapshot, zone)


def _given_workload(
    given: Sequence[WeightedQuery], snapshot: TableSnapshot, zone: str | None
) -> Workload:
    """Returns conditions, and those statements that read the table and can be used.

    A condition has been written for this table: one that is faulty is a mistake, which its use
    tells of. A log of statements has some of every kind.
    """
    bind = binder(snapshot, zone)
    queries = []
    elsewhere: _Elsewhere = {}
    faulty: dict[WeightedQuery, str] = {}
    for query in given:
        if is_statement(query.text):
            try:
                bind(query)
            except ReadsOthers as fault:
                elsewhere[query] = fault.tables
                continue
            except (ColumnError, PredicateError) as fault:
                faulty[query] = str(fault)
                continue
        queries.append(query)
    if not queries:
        raise PredicateError(_why_none(TableNames.of(snapshot).shown, elsewhere, faulty))
    return Workload(tuple(queries), tuple(_told(elsewhere, faulty)))


def _why_none(
    own: str,
    elsewhere: Mapping[WeightedQuery, tuple[str, ...]],
    faulty: Mapping[WeightedQuery, str],
) -> str:
    """Returns what to say where no query can be used."""
    if faulty:
        query, fault = next(iter(faulty.items()))
        return f'{fault} (in the query "{query.shown}")'
    query = next(iter(elsewhere))
    others = sorted({table for tables in elsewhere.values() for table in tables})
    if not others:
        return f'Cannot use queries: none reads a table, such as "{query.shown}"; write SELECTs'
    return (
        f"Cannot use queries: none reads the table '{own}', but {', '.join(others[:3])}; write the "
        f"conditions alone, as after WHERE, or '{own}' as the table's name"
    )


def _told(elsewhere: _Elsewhere, faulty: Mapping[WeightedQuery, str]) -> Iterator[str]:
    """Yields which statements were left out, one sentence for each reason."""
    on_others = [tables[0] for tables in elsewhere.values() if tables]
    if on_others:
        yield (
            f"{plural(len(on_others), 'statement')} on other tables left out, such as on "
            f"{on_others[0]}; where that is this one, write its name, or conditions alone"
        )
    idle = [query for query, tables in elsewhere.items() if not tables]
    if idle:
        yield (
            f"{plural(len(idle), 'statement')} without a read of a table left out, such as "
            f'"{idle[0].shown}"'
        )
    if faulty:
        query, fault = next(iter(faulty.items()))
        yield (
            f"{plural(len(faulty), 'statement')} left out that cannot be used, such as "
            f'"{query.shown}": {shorten(fault, _LONGEST_FAULT, placeholder=" ...")}'
        )


def _logged_workload(logged: Queries, snapshot: TableSnapshot, zone: str | None) -> Workload:
    own = logged_on_table(logged, snapshot.url)
    queries = []
    misfits: Counter[str] = Counter()
    for query in own:
        try:
            bind_predicate(snapshot, query.predicate, zone)
        except (ColumnError, PredicateError) as fault:
            misfits[str(fault).partition(";")[0]] += query.times
            continue
        begun = query.begun or (query.last,)
        queries.append(WeightedQuery(query.predicate, query.times, begun))
    told = [f"{number:,} of those used left out: {why}" for why, number in misfits.most_common()]
    notes = (*own.summary(), *told)
    if not queries:
        raise PredicateError(
            f"Cannot use event logs: no query of 'table' was usable, which was '{snapshot.url}' "
            f"({'; '.join(notes)}); give queries of your own"
        )
    return Workload(tuple(queries), notes, of_log=True, logged_path=logged.moved_from)


def logged_on_table(logged: Queries, path: str) -> Queries:
    """Returns the queries of event logs on one table.

    Raises:
        PredicateError: when there is none at all.
    """
    own = logged.for_table(absolute(path))
    if not own.found:
        others = ", ".join(logged.tables[:3]) or "no Hudi table"
        raise PredicateError(
            f"Cannot use event logs: none has a query on 'table', which was '{path}', but on "
            f"{others}; if it is a copy of one of these, say so by --logged-path PATH or "
            "queries.for_table('PATH').moved_to(...), or give queries of your own"
        )
    return own
