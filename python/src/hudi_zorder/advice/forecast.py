"""What clustering would bring, before anything is rewritten.

The plan is the one that clustering would make, the sampled rows are among those that it would learn
its layout from, and Java fits the very layout to them. What is left to chance is what the files'
statistics would be, and these come from the sample, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.advice.commands import call, command
from hudi_zorder.advice.duration import Duration, Work, duration_of, is_small
from hudi_zorder.advice.forecast_report import (
    COLUMN,
    PREDICATE,
    Forecast,
    ForecastRead,
    LayoutForecast,
)
from hudi_zorder.advice.logged import Workload, workload_of
from hudi_zorder.advice.prospect import Prospect, Scope, prospect
from hudi_zorder.advice.workload import WeightedQuery
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi import history
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.explain import bind_predicate
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.spark.progress import status
from hudi_zorder.spark.session import session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# As many as clustering learns a layout from: fewer are one like it, more tell its files no better.
SAMPLE_ROWS: Final = 200_000
TREE: Final = "tree"
_LAYOUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "linear": {"strategy": "LINEAR"},
    "zorder": {"strategy": "ZORDER", "cuts": "equal"},
    "hilbert": {"strategy": "HILBERT", "cuts": "equal"},
    TREE: {"strategy": "ZORDER", "cuts": "tree"},
}


def forecast(scope: Scope, options: ZOrderOptions, predicates: Sequence[str] | Queries) -> Forecast:
    """Returns what clustering by the options would bring; ``ZOrderTable.forecast`` has the rest."""
    snapshot = scope.service.snapshot()
    zone = session_time_zone(scope.spark)
    work = (
        workload_of(predicates, snapshot, zone)
        if isinstance(predicates, Queries)
        else Workload(tuple(WeightedQuery(text) for text in predicates))
    )
    bounds = [bind_predicate(snapshot, query.text, zone) for query in work.queries]
    names = snapshot.schema.statistics_columns(options.columns)
    looked = {**names, **{name: leaf for bound in bounds for name, leaf in bound.leaves.items()}}
    with (
        prospect(scope, snapshot, options, looked) as found,
        status("Laying the sample out"),
    ):
        layouts = tuple(
            _layout(found, name, replace(options, **changes), list(names), work.queries, bounds)
            for name, changes in _LAYOUTS.items()
        )
        choice = _choice(layouts)
        written = next(part.files for part in layouts if part.layout == choice)
        duration = _duration(scope.spark, found, written, options.sample_size)
        chosen = replace(options, **_LAYOUTS[choice])
        return Forecast(
            table=scope.service.path,
            columns=tuple(options.columns),
            partitions=tuple(dict.fromkeys(group.partition for group in found.groups)),
            files=found.files,
            rows=round(found.now.rows),
            bytes=found.bytes,
            seconds=duration.seconds,
            warm_seconds=duration.warm_seconds,
            seconds_from=duration.basis,
            sampled_rows=found.sample.rows,
            layouts=layouts,
            choice=choice,
            command=command(scope.service.path, chosen, scope.where, scope.settings),
            call=call(chosen, scope.where, scope.settings),
            notes=(*work.notes, *_notes(found, work.queries, bounds)),
        )


def _layout(
    found: Prospect,
    name: str,
    options: ZOrderOptions,
    columns: Sequence[str],
    queries: Sequence[WeightedQuery],
    bounds: Sequence[BoundPredicate],
) -> LayoutForecast:
    files = found.after(options)
    by_column = found.sample.columns
    grids = (rows * number ** (-1 / len(columns)) for rows, number in files.parts())
    even = sum(grids) / files.rows
    reads = [
        ForecastRead(
            kind=COLUMN,
            text=column,
            now=found.now.share_of_column(by_column[column]),
            after=files.share_of_column(by_column[column]),
            independent_share=even,
            weight=options.column_weights.get(named, 1.0),
        )
        for column, named in zip(columns, options.columns, strict=True)
    ]
    for query, bound in zip(queries, bounds, strict=True):
        independent = independent_share_of_parts(
            bound,
            files.parts(bound),
            columns,
            lambda test: by_column[test.column].selectivity(test),
        )
        now, after = found.now.share_of_predicate(bound), files.share_of_predicate(bound)
        reads.append(
            ForecastRead(
                kind=PREDICATE,
                text=query.text,
                now=now,
                after=after,
                independent_share=independent,
                weight=query.weight,
            )
        )
    judged = reads[len(columns) :] or reads
    mean = sum(r.weight * r.after for r in judged) / sum(r.weight for r in judged)
    return LayoutForecast(layout=name, files=len(files.files), reads=tuple(reads), mean=mean)


def _choice(layouts: Sequence[LayoutForecast]) -> str:
    """Returns the layout that reads least; the default one unless another is clearly better."""
    best = min(layouts, key=lambda part: part.mean)
    default = next(part for part in layouts if part.layout == TREE)
    return TREE if default.mean <= 1.01 * best.mean else best.layout


def _duration(spark: SparkSession, found: Prospect, files: int, sample_size: int) -> Duration:
    """Returns how long the rewrite into so many files takes."""
    small = sum(
        not group.has_logs and is_small(group.rows, group.bytes, group.files, sample_size)
        for group in found.groups
    )
    work = Work(
        bytes=found.bytes, files=files, groups=len(found.groups) - small, small_groups=small
    )
    past = history.history(found.snapshot)
    return duration_of(work, spark.sparkContext.defaultParallelism, past, sample_size)


def _notes(
    found: Prospect, queries: Sequence[WeightedQuery], bounds: Sequence[BoundPredicate]
) -> Iterator[str]:
    for query, bound in zip(queries, bounds, strict=True):
        for part in bound.unusable:
            yield f"{part.text} in '{query.text}' skips nothing: {part.reason}"
    unknown = sum(not file.bounds for file in found.now.files)
    if unknown:
        yield f"{unknown} files have log files or an older schema, and are always read now"
