"""Whether queries still fit a table's layout, from footers and sampled rows, without Spark."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.commands import query_source
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.fit.query_reads import QueryReads
from hudi_zorder.hudi.history import layout_queries
from hudi_zorder.hudi.last_layout import last_target
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats.fit_report import QueriesFit, QueryFit
from hudi_zorder.workload.bound_queries import bind_queries
from hudi_zorder.workload.judged_queries import most_judged, place_of
from hudi_zorder.workload.queries_from_plan import queries_of_plan
from hudi_zorder.workload.weighted_queries import GivenQueries
from hudi_zorder.workload.workload import Workload, workload_of

_SHOWN: Final = 5
_UNKNOWN_TIMES: Final = 2.0  # above the least, of a layout that nobody cut for queries
_TOLERATED: Final = 1.2  # times what is expected
_LEAST_GAIN: Final = 0.01  # of the table


def queries_fit(
    snapshot: TableSnapshot, queries: GivenQueries | Queries, zone: str | None = None
) -> QueriesFit:
    """Returns how well the table's layout fits queries.

    They no longer fit when they read more than 1.2 times, and by a hundredth of the table more
    than, what they would of a layout that is as many times above their least as the present one is
    above the least of the queries that it was cut for; or twice their least, when it was cut for
    none.

    Args:
        snapshot: the table.
        queries: conditions or statements, with weights; or those of event logs.
        zone: the session's time zone, for times that are written without one.

    Raises:
        PredicateError: when a query cannot be parsed or names an unknown column.
        OptionError: for an unknown time zone, a weight that is none, or no query at all.
        TableError: when a file cannot be read.
    """
    work = workload_of(queries, snapshot, zone)
    most = most_judged(len(snapshot.slices))
    asked = list(bind_queries(snapshot, sorted(work.queries, key=place_of)[:most], zone))
    known = queries_of_plan(snapshot, layout_queries(snapshot), most)
    reads = QueryReads.of(snapshot, [*asked, *known])
    found = [reads.fit(part) for part in asked]
    now, before = _Means.of(found), _Means.of([reads.fit(part) for part in known])
    times = before.read / before.least if before.least else _UNKNOWN_TIMES
    expected = min(now.read, times * now.least)
    fits = now.read <= _TOLERATED * expected or now.read - expected < _LEAST_GAIN
    told = () if len(asked) == len(work.queries) else (_left_out(len(work.queries), most),)
    return QueriesFit(
        queries=len(asked),
        weight=now.weight,
        share_read=now.read,
        share_least=now.least,
        known_queries=len(known),
        known_share_read=before.read if known else None,
        known_share_least=before.least if known else None,
        share_expected=expected,
        fits=fits,
        gain_per_byte=now.weight * (now.read - now.least),
        sampled_rows=len(reads.rows),
        worst=_worst(found),
        advice="" if fits else _command(snapshot, work),
        notes=(*work.notes, *told),
    )


def known_fits(snapshot: TableSnapshot) -> tuple[QueryFit, ...]:
    """Returns what those queries read now that the last clustering was cut for.

    Those of the greatest weight, that first; none where it was cut for none.
    """
    known = queries_of_plan(snapshot, layout_queries(snapshot), most_judged(len(snapshot.slices)))
    reads = QueryReads.of(snapshot, known)
    return tuple(reads.fit(part) for part in known)


def _left_out(found: int, most: int) -> str:
    return f"of {found:,} queries the {most:,} of the greatest weight were looked at"


def _command(snapshot: TableSnapshot, work: Workload) -> str:
    """Returns the forecast to ask, of files as large as those of the table."""
    target = last_target(snapshot)
    size = [] if target is None else ["--target-file-size", str(target)]
    source = query_source(logged=work.of_log, logged_path=work.logged_path)
    return shlex.join(["hudi-zorder", "forecast", snapshot.url, *size, *source])


@dataclass(frozen=True)
class _Means:
    """Means over queries by weight."""

    weight: float
    read: float
    least: float

    @classmethod
    def of(cls, queries: Sequence[QueryFit]) -> _Means:
        weight = math.fsum(query.weight for query in queries)
        if not weight:
            return cls(0.0, 0.0, 0.0)
        read = math.fsum(query.weight * query.share_read for query in queries)
        least = math.fsum(query.weight * query.share_least for query in queries)
        return cls(weight, read / weight, least / weight)


def _worst(queries: Sequence[QueryFit]) -> tuple[QueryFit, ...]:
    above = [query for query in queries if query.share_read > query.share_least]
    above.sort(key=lambda query: -query.weight * (query.share_read - query.share_least))
    return tuple(above[:_SHOWN])
