"""Which columns to cluster by, for given queries: forecast over sets of columns and their weights.

Every set is laid out by the split tree on one sample, and what the queries would read of its files
is what counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.last_layout import with_last_target
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import is_whole
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.parquet.file_schema import META_COLUMNS
from hudi_zorder.recommendation.column_search import (
    CORRELATED,
    HANDFUL,
    ColumnSearch,
    is_gain,
    weights_of,
    with_column,
)
from hudi_zorder.recommendation.partitioning_trials import PartitioningTrials
from hudi_zorder.recommendation.recommendation_report import Candidate, QueryRead, Recommendation
from hudi_zorder.simulation.dry_run import DryRun, Scope, dry_run
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.whole_table import advised
from hudi_zorder.spark.job_progress import status
from hudi_zorder.spark.session import session_time_zone
from hudi_zorder.texts import plural
from hudi_zorder.workload.bound_queries import BoundQuery, bind_queries
from hudi_zorder.workload.judged_queries import (
    OF_MANY_COLUMNS,
    leaves_of,
    left_out,
    most_asked,
    of_few_columns,
)
from hudi_zorder.workload.skipless_conditions import skipless_conditions
from hudi_zorder.workload.weighted_queries import GivenQueries
from hudi_zorder.workload.workload import workload_of

_MOST_CANDIDATES: Final = 10
_NOTHING: Final = "no set of columns makes these queries read less than they do now"


def recommend(
    scope: Scope,
    queries: GivenQueries | Queries,
    fields: Mapping[str, Any],
    max_columns: int,
) -> Recommendation:
    """Returns what to cluster by; ``ZOrderTable.recommend`` has the rest."""
    if not is_whole(max_columns) or max_columns < 1:
        raise OptionError(
            f"Cannot recommend columns: 'max_columns' was '{max_columns}'; "
            "write a whole number from 1"
        )
    snapshot = scope.service.snapshot()
    zone = session_time_zone(scope.spark)
    work = workload_of(queries, snapshot, zone)
    bound = list(bind_queries(snapshot, work.queries, zone))
    asked = of_few_columns(bound)
    cut = left_out(bound, asked, OF_MANY_COLUMNS)
    use, partitioned = _used(snapshot, asked)
    candidates, less_asked = most_asked(use, _MOST_CANDIDATES)
    options = ZOrderOptions(columns=candidates, **with_last_target(snapshot, fields))
    with (
        dry_run(scope, snapshot, options, leaves_of(asked)) as found,
        status("Trying columns") as say,
    ):
        search = ColumnSearch(found, options, asked, say)
        best = search.best({name: use[name] for name in candidates}, int(max_columns))
        now = search.weighed(search.shares(found.now))
        chosen = best if is_gain(best.share, now) else None
        files = search.lay_out(weights_of(best)) if chosen else found.now
        full = int(options.target_file_size)
        say("Trying partitions")
        trials = PartitioningTrials(search, found, weights_of(best), files, full, zone)
        parts = trials.of(candidates)
        advice = [] if chosen else [_NOTHING]
        advice += _about_partitions(partitioned)
        advice += _about_columns(search, candidates, best) if chosen else ()
        advice += parts.advice
        result = replace(
            _recommendation(
                search, found, chosen, files, advice, (*work.notes, *cut, *less_asked, *parts.notes)
            ),
            partitionings=tuple(parts.tried),
            partitioning=parts.best,
        )
        if chosen is None:
            return result
        layout = replace(options, columns=best.columns, column_weights=best.column_weights)
        way = advised(scope, snapshot, layout)
        return replace(
            result, command=way.command, call=way.call, notes=(*result.notes, *way.notes)
        )


def _used(
    snapshot: TableSnapshot, asked: Sequence[BoundQuery]
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the columns that queries name, with their weight; partition columns apart.

    Raises:
        PredicateError: when there is no column to sort by.
    """
    fields = {name.lower() for name in snapshot.config.partition_fields}
    use: dict[str, float] = defaultdict(float)
    partitioned: dict[str, float] = defaultdict(float)
    for part in asked:
        named = {name for bound in part.predicates for name in bound.columns}
        for name in named - META_COLUMNS:
            (partitioned if name.lower() in fields else use)[name] += part.query.weight
    if use:
        return use, partitioned
    if partitioned:
        raise PredicateError(
            f"Cannot recommend columns: the queries name no others than {', '.join(partitioned)}, "
            "by which the table is partitioned; partitions are skipped already"
        )
    reasons = [part.reason for a in asked for bound in a.predicates for part in bound.unusable]
    why = f" ({reasons[0]})" if reasons else ""
    raise PredicateError(
        f"Cannot recommend columns: no query compares a column of the table with a value{why}; "
        "give queries such as \"customer = 7 AND day > '2026-11-01'\""
    )


def _about_partitions(partitioned: Iterable[str]) -> Iterator[str]:
    for name in partitioned:
        yield f"{name} is a partition column, by which partitions are skipped already"


def _recommendation(
    search: ColumnSearch,
    found: DryRun,
    best: Candidate | None,
    files: FileSet,
    advice: Iterable[str],
    notes: Iterable[str],
) -> Recommendation:
    """Returns what was found; without a best set, that nothing is to be done."""
    now, after = search.shares(found.now), search.shares(files)
    return Recommendation(
        table=found.snapshot.url,
        columns=best.columns if best else (),
        column_weights=dict(best.column_weights) if best else {},
        files=len(files.files),
        sampled_rows=found.sample.rows,
        share_now=search.weighed(now),
        share_after=search.weighed(after),
        opened_after=search.opened(files),
        candidates=tuple(search.candidates),
        queries=tuple(
            QueryRead(
                query=part.query.text,
                weight=part.query.weight / search.all_weight,
                now=share_now,
                after=share_after,
            )
            for part, share_now, share_after in zip(search.asked, now, after, strict=True)
        ),
        advice=tuple(advice),
        command="",
        call="",
        notes=(*notes, *search.notes, *skipless_conditions(found.snapshot, search.asked)),
    )


def _about_columns(
    search: ColumnSearch, candidates: Sequence[str], best: Candidate
) -> Iterator[str]:
    """Yields what is to be said about each column."""
    counts = {name: search.distinct(name) for name in candidates}
    if len(best.columns) > 1:
        order = ", ".join(f"{name} ({counts[name]:,})" for name in best.columns)
        yield f"high cardinality first, by distinct values in the sample: {order}"
    for name in candidates:
        if name in best.columns:
            continue
        if counts[name] <= HANDFUL:
            yield f"{name} has {plural(counts[name], 'distinct value')}: few to sort by"
        else:
            yield _why_not(search, name, best)


def _why_not(search: ColumnSearch, name: str, best: Candidate) -> str:
    with_it = search.tried(with_column(weights_of(best), name)).share
    change = f"the queries would read {with_it:.3f} with it, {best.share:.3f} without"
    other, strength = search.companion(name, best.columns)
    if strength >= CORRELATED:
        much = "little" if is_gain(with_it, best.share) else "nothing"
        goes = f"{name} goes with {other} (rank correlation {strength:.2f})"
        return f"{goes} and adds {much}: {change}"
    return f"{name} is left out: {change}"
