"""What clustering would bring, before anything is rewritten.

The plan is the one that clustering would make, the sampled rows are among those that it would learn
its layout from, and Java fits the very layout to them. What is left to chance is what the files'
statistics would be, and these come from the sample, too.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.advice.commands import call, command
from hudi_zorder.advice.forecast_report import (
    COLUMN,
    PREDICATE,
    Forecast,
    ForecastRead,
    LayoutForecast,
)
from hudi_zorder.advice.prospect import Prospect, Scope, prospect
from hudi_zorder.hudi import history
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.explain import bind_predicate
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.spark.progress import status
from hudi_zorder.spark.session import session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


SAMPLE_ROWS: Final = 500_000
TREE: Final = "tree"
_LAYOUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "linear": {"strategy": "LINEAR"},
    "zorder": {"strategy": "ZORDER", "cuts": "equal"},
    "hilbert": {"strategy": "HILBERT", "cuts": "equal"},
    TREE: {"strategy": "ZORDER", "cuts": "tree"},
}

# By default on two cores: 190 MB of TPC-DS store_sales into 22 files take some 20 s, flights
# of 8 MB into 16 files some 7 s; of many small files and partitions each takes its own time.
_BYTES_PER_CORE_AND_SECOND: Final = 6.5e6
_CORE_SECONDS_PER_FILE: Final = 0.25
_SECONDS_PER_GROUP: Final = 0.3
_FIRST_SECONDS: Final = 4.0
_REMEMBERED: Final = 5  # past clusterings
_INSTANT: Final = "%Y%m%d%H%M%S"


def forecast(scope: Scope, options: ZOrderOptions, predicates: Sequence[str]) -> Forecast:
    """Returns what clustering by the options would bring; ``ZOrderTable.forecast`` has the rest."""
    snapshot = scope.service.snapshot()
    zone = session_time_zone(scope.spark)
    bounds = [bind_predicate(snapshot, text, zone) for text in predicates]
    names = snapshot.schema.statistics_columns(options.columns)
    looked = {**names, **{name: leaf for bound in bounds for name, leaf in bound.leaves.items()}}
    with (
        prospect(scope, snapshot, options, looked) as found,
        status("Laying the sample out"),
    ):
        layouts = tuple(
            _layout(found, name, replace(options, **changes), list(names), predicates, bounds)
            for name, changes in _LAYOUTS.items()
        )
        groups = found.preview.groups
        choice = _choice(layouts)
        written = next(part.files for part in layouts if part.layout == choice)
        seconds, seconds_from = _seconds(scope.spark, found, written)
        chosen = replace(options, **_LAYOUTS[choice])
        return Forecast(
            table=scope.service.path,
            columns=tuple(options.columns),
            partitions=tuple(dict.fromkeys(group.partition for group in groups)),
            files=found.files,
            rows=round(found.now.rows),
            bytes=found.bytes,
            seconds=seconds,
            seconds_from=seconds_from,
            sampled_rows=found.sample.rows,
            layouts=layouts,
            choice=choice,
            command=command(scope.service.path, chosen, scope.where, scope.settings),
            call=call(chosen, scope.where, scope.settings),
            notes=tuple(_notes(found, predicates, bounds)),
        )


def _layout(
    found: Prospect,
    name: str,
    options: ZOrderOptions,
    columns: Sequence[str],
    predicates: Sequence[str],
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
        )
        for column in columns
    ]
    for text, bound in zip(predicates, bounds, strict=True):
        independent = independent_share_of_parts(
            bound,
            files.parts(bound),
            columns,
            lambda test: by_column[test.column].selectivity(test),
        )
        now, after = found.now.share_of_predicate(bound), files.share_of_predicate(bound)
        reads.append(
            ForecastRead(
                kind=PREDICATE, text=text, now=now, after=after, independent_share=independent
            )
        )
    weights = [options.column_weights.get(column, 1.0) for column in options.columns]
    shares = [read.after for read in reads]
    mean = (
        sum(shares[len(columns) :]) / len(predicates)
        if predicates
        else sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights)
    )
    return LayoutForecast(layout=name, files=len(files.files), reads=tuple(reads), mean=mean)


def _choice(layouts: Sequence[LayoutForecast]) -> str:
    """Returns the layout that reads least; the default one unless another is clearly better."""
    best = min(layouts, key=lambda part: part.mean)
    default = next(part for part in layouts if part.layout == TREE)
    return TREE if default.mean <= 1.01 * best.mean else best.layout


def _seconds(spark: SparkSession, found: Prospect, files: int) -> tuple[float, str]:
    """Returns how long the rewrite into so many files takes, and what that is estimated by."""
    rates = []
    for past in history.history(found.snapshot)[-_REMEMBERED:]:
        begun, ended = _time(past.instant), _time(past.completed)
        if begun and ended and ended > begun and past.bytes:
            rates.append(past.bytes / (ended - begun).total_seconds())
    if rates:  # a plan may have waited for its execution: the fastest tells most
        return found.bytes / max(rates), "history"
    work = found.bytes / _BYTES_PER_CORE_AND_SECOND + files * _CORE_SECONDS_PER_FILE
    seconds = _FIRST_SECONDS + len(found.preview.groups) * _SECONDS_PER_GROUP
    return seconds + work / spark.sparkContext.defaultParallelism, "default"


def _time(instant: str | None) -> dt.datetime | None:
    """Returns the time that an instant names, to the millisecond where it does."""
    if not instant or not instant.isdigit() or len(instant) not in (14, 17):
        return None
    milliseconds = int(instant[14:] or 0)
    return dt.datetime.strptime(instant[:14], _INSTANT) + dt.timedelta(milliseconds=milliseconds)


def _notes(
    found: Prospect, predicates: Sequence[str], bounds: Sequence[BoundPredicate]
) -> Iterator[str]:
    for text, bound in zip(predicates, bounds, strict=True):
        for part in bound.unusable:
            yield f"{part.text} in '{text}' skips nothing: {part.reason}"
    unknown = sum(not file.bounds for file in found.now.files)
    if unknown:
        yield f"{unknown} files have log files or an older schema, and are always read now"
