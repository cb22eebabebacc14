"""The workload of a table: the queries that a call gives, or those that event logs tell of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hudi_zorder.errors import ColumnError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.filesystem import absolute
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import bind_predicate
from hudi_zorder.workload.weighted_queries import GivenQueries, WeightedQuery, queries_of


@dataclass(frozen=True)
class Workload:
    """Queries on a table.

    Attributes:
        queries: each as a condition, with its weight.
        notes: what was found and left out, one sentence each.
        of_log: whether the queries are as Spark has logged them.
    """

    queries: tuple[WeightedQuery, ...]
    notes: tuple[str, ...] = ()
    of_log: bool = False


def workload_of(
    queries: GivenQueries | Queries, snapshot: TableSnapshot, zone: str | None
) -> Workload:
    """Returns the queries on a table.

    Of event logs each predicate weighs how often it was asked; those on columns that the table no
    longer has, or has in another type, are left out.

    Args:
        queries: conditions or statements, with weights; or those of event logs.
        snapshot: the table.
        zone: the session's time zone.

    Raises:
        PredicateError: when event logs have none that can be used.
        OptionError: for a weight that is none, or no query at all.
    """
    if isinstance(queries, Queries):
        return _logged_workload(queries, snapshot, zone)
    return Workload(tuple(queries_of(queries)))


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
    return Workload(tuple(queries), notes, of_log=True)


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
            f"{others}; name the table as Spark read it, or give queries of your own"
        )
    return own
