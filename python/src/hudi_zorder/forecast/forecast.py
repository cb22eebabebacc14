"""What clustering would bring, before anything is rewritten.

The plan is the one that clustering would make, the sampled rows are among those that it would learn
its layout from, and Java fits the very layout to them. What is left to chance is what the files'
statistics would be, and these come from the sample, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.forecast.duration import Duration, Work, duration_of, is_small
from hudi_zorder.forecast.report import (
    COLUMN,
    PREDICATE,
    Forecast,
    ForecastRead,
    LayoutForecast,
)
from hudi_zorder.hudi import history
from hudi_zorder.hudi.commands import call, command
from hudi_zorder.options import NO_QUERIES, ZOrderOptions
from hudi_zorder.simulation.dry_run import DryRun, Scope, dry_run
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.spark.progress import status
from hudi_zorder.spark.session import session_time_zone
from hudi_zorder.workload.bound_queries import BoundQuery, bind_queries
from hudi_zorder.workload.holdout import LEAST_QUERIES, Holdout, hold_out
from hudi_zorder.workload.judged_queries import heaviest
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from hudi_zorder.workload.weighted_queries import GivenQueries
from hudi_zorder.workload.workload import Workload, workload_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


# As many as clustering learns a layout from: fewer are one like it, more tell its files no better.
SAMPLE_ROWS: Final = 200_000
TREE: Final = "tree"
QUERIED: Final = "queries"
_MOST_JUDGED: Final = 500  # queries of a half
_LAYOUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "linear": {"strategy": "LINEAR"},
    "zorder": {"strategy": "ZORDER", "cuts": "equal"},
    "hilbert": {"strategy": "HILBERT", "cuts": "equal"},
    TREE: {"strategy": "ZORDER", "cuts": "tree"},
}


def forecast(
    scope: Scope,
    options: ZOrderOptions,
    predicates: Sequence[str] | Queries,
    queries: GivenQueries | Queries | None = None,
) -> Forecast:
    """Returns what clustering by the options would bring; ``ZOrderTable.forecast`` has the rest."""
    snapshot = scope.service.snapshot()
    zone = session_time_zone(scope.spark)
    given = isinstance(predicates, Queries) or predicates
    work = workload_of(predicates, snapshot, zone) if given else Workload(())
    cut_for = None if queries is None else workload_of(queries, snapshot, zone)
    holdout = hold_out(cut_for.queries if cut_for else ())
    asked = list(
        bind_queries(snapshot, (*work.queries, *heaviest(holdout.held_back, _MOST_JUDGED)), zone)
    )
    known = list(bind_queries(snapshot, heaviest(holdout.known, _MOST_JUDGED), zone))
    layouts: dict[str, tuple[ZOrderOptions, str]] = {
        name: (replace(options, **changes), NO_QUERIES) for name, changes in _LAYOUTS.items()
    }
    if cut_for is not None:
        text = queries_for_plan(snapshot, holdout.known, zone, options.columns).text
        layouts[QUERIED] = (layouts[TREE][0], text)
    names = snapshot.schema.statistics_columns(options.columns)
    bounds = [bound for query in (*asked, *known) for bound in query.predicates]
    looked = {**names, **{name: leaf for bound in bounds for name, leaf in bound.leaves.items()}}
    with (
        dry_run(scope, snapshot, options, looked) as found,
        status("Laying the sample out"),
    ):
        forecasts = []
        for name, (layout, text) in layouts.items():
            files = found.after(layout, text)
            reads = _reads(found, files, layout, list(names), asked)
            judged = reads[len(names) :] or reads
            forecasts.append(
                LayoutForecast(
                    layout=name,
                    files=len(files.files),
                    reads=tuple(reads),
                    mean=sum(r.weight * r.after for r in judged) / sum(r.weight for r in judged),
                    mean_known=_mean(known, files) if known else None,
                )
            )
        choice = _choice(forecasts)
        written = next(part.files for part in forecasts if part.layout == choice)
        duration = _duration(scope.spark, found, written, options.sample_size)
        chosen, queried = layouts[choice][0], choice == QUERIED
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
            layouts=tuple(forecasts),
            choice=choice,
            command=command(scope.service.path, chosen, scope.where, scope.settings, queried),
            call=call(chosen, scope.where, scope.settings, queried),
            notes=(
                *(cut_for or work).notes,
                *_told_of(holdout, queried=cut_for is not None),
                *_notes(found, asked),
            ),
        )


def _mean(asked: Sequence[BoundQuery], files: FileSet) -> float:
    weight = sum(part.query.weight for part in asked)
    return sum(part.query.weight * files.share_of_query(part) for part in asked) / weight


def _reads(
    found: DryRun,
    files: FileSet,
    options: ZOrderOptions,
    columns: Sequence[str],
    asked: Sequence[BoundQuery],
) -> list[ForecastRead]:
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
    for part in asked:
        independent = fmean(
            independent_share_of_parts(
                bound,
                files.parts(bound),
                columns,
                lambda test: by_column[test.column].selectivity(test),
            )
            for bound in part.predicates
        )
        reads.append(
            ForecastRead(
                kind=PREDICATE,
                text=part.query.text,
                now=found.now.share_of_query(part),
                after=files.share_of_query(part),
                independent_share=independent,
                weight=part.query.weight,
            )
        )
    return reads


def _choice(layouts: Sequence[LayoutForecast]) -> str:
    """Returns the layout that reads least; the default one unless another is clearly better."""
    best = min(layouts, key=lambda part: part.mean)
    default = next(part for part in layouts if part.layout == TREE)
    return TREE if default.mean <= 1.01 * best.mean else best.layout


def _duration(spark: SparkSession, found: DryRun, files: int, sample_size: int) -> Duration:
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


def _told_of(holdout: Holdout, *, queried: bool) -> Iterator[str]:
    if queried and not holdout.are_apart:
        yield (
            f"of fewer than {LEAST_QUERIES} queries none is held back: '{QUERIED}' is judged by "
            "the very ones that it is cut for"
        )


def _notes(found: DryRun, asked: Sequence[BoundQuery]) -> Iterator[str]:
    for part in asked:
        for unusable in (found for bound in part.predicates for found in bound.unusable):
            yield f"{unusable.text} in '{part.query.text}' skips nothing: {unusable.reason}"
    unknown = sum(not file.bounds for file in found.now.files)
    if unknown:
        yield f"{unknown} files have log files or an older schema, and are always read now"
