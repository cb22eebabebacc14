"""The queries of event logs on a table as it is now."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from hudi_zorder.advice.workload import WeightedQuery
from hudi_zorder.errors import ColumnError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.filesystem import absolute
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import bind_predicate


@dataclass(frozen=True)
class Workload:
    """Queries on a table.

    Attributes:
        queries: each as a condition, with its weight.
        notes: what was found and left out, one sentence each.
    """

    queries: tuple[WeightedQuery, ...]
    notes: tuple[str, ...] = ()


def workload_of(logged: Queries, snapshot: TableSnapshot, zone: str | None) -> Workload:
    """Returns what event logs tell of a table, each predicate weighing how often it was asked.

    Predicates on columns that the table no longer has, or has in another type, are left out.

    Raises:
        PredicateError: when there is none that can be used.
    """
    own = on_table(logged, snapshot.url)
    queries = []
    misfits: Counter[str] = Counter()
    for query in own:
        try:
            bind_predicate(snapshot, query.predicate, zone)
        except (ColumnError, PredicateError) as fault:
            misfits[str(fault).partition(";")[0]] += query.times
            continue
        queries.append(WeightedQuery(query.predicate, query.times, query.last))
    told = [f"{number:,} of those used left out: {why}" for why, number in misfits.most_common()]
    notes = (*own.summary(), *told)
    if not queries:
        raise PredicateError(
            f"Cannot use event logs: no query of 'table' was usable, which was '{snapshot.url}' "
            f"({'; '.join(notes)}); give queries of your own"
        )
    return Workload(tuple(queries), notes)


def on_table(logged: Queries, path: str) -> Queries:
    """Returns the queries on one table.

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
