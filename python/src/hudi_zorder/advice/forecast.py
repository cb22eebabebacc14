"""What clustering would bring, before anything is rewritten.

The plan is the one that clustering would make, the sampled rows are among those that it would learn
its layout from, and Java fits the very layout to them. What is left to chance is what the files'
statistics would be, and these come from the sample, too.
"""

from __future__ import annotations

import datetime as dt
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.advice.forecast_report import (
    COLUMN,
    PREDICATE,
    Forecast,
    ForecastRead,
    LayoutForecast,
)
from hudi_zorder.advice.simulated_files import (
    FileSet,
    RowSample,
    SimulatedFile,
)
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.hudi import history
from hudi_zorder.hudi.partition_values import partition_bounds
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.explain import bind_predicate, trusted_bounds
from hudi_zorder.skipping.independent_grid import independent_share_of_parts
from hudi_zorder.spark._jvm.write_client import Preview
from hudi_zorder.spark.progress import run_with_progress, status
from hudi_zorder.spark.session import session_time_zone
from hudi_zorder.texts import summary

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
_LOG_ROW_BYTES: Final = 100  # as clustering assumes; whether a row is new the log does not say
_REMEMBERED: Final = 5  # past clusterings
_INSTANT: Final = "%Y%m%d%H%M%S"


@dataclass(frozen=True)
class Prospect:
    """A plan that nobody wrote, with what is known of its rows.

    Attributes:
        snapshot: the table.
        preview: the plan.
        sample: rows that it would rewrite.
        now: the file slices that it would replace.
        files: their files, log files included.
        bytes: the size of these.
    """

    snapshot: TableSnapshot
    preview: Preview
    sample: RowSample
    now: FileSet
    files: int
    bytes: int

    def after(self, options: ZOrderOptions) -> FileSet:
        """Returns the files that a layout would write."""
        files = self.sample.files(self.preview.files(options.to_dict()))
        return file_set(self.snapshot, files)


def file_set(snapshot: TableSnapshot, files: Sequence[SimulatedFile]) -> FileSet:
    """Returns files of a table."""
    return FileSet(
        files, lambda partition: partition_bounds(snapshot.config, partition, snapshot.schema)
    )


def forecast(
    service: ClusteringService,
    spark: SparkSession,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    predicates: Sequence[str],
    sample_rows: int,
) -> Forecast:
    """Returns what clustering by the options would bring; ``ZOrderTable.forecast`` has the rest."""
    snapshot = service.snapshot()
    bounds = [bind_predicate(snapshot, text, session_time_zone(spark)) for text in predicates]
    names = snapshot.schema.statistics_columns(options.columns)
    looked = {**names, **{name: leaf for bound in bounds for name, leaf in bound.leaves.items()}}
    with (
        prospect(spark, service, snapshot, options, where, settings, looked, sample_rows) as found,
        status("Laying the sample out"),
    ):
        layouts = tuple(
            _layout(found, name, replace(options, **changes), list(names), predicates, bounds)
            for name, changes in _LAYOUTS.items()
        )
        groups = found.preview.groups
        choice = _choice(layouts)
        written = next(part.files for part in layouts if part.layout == choice)
        seconds, seconds_from = _seconds(spark, found, written)
        chosen = replace(options, **_LAYOUTS[choice])
        return Forecast(
            table=service.path,
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
            command=command(service.path, chosen, where, settings),
            call=call(chosen, where, settings),
            notes=tuple(_notes(found, predicates, bounds)),
        )


@contextmanager
def prospect(
    spark: SparkSession,
    service: ClusteringService,
    snapshot: TableSnapshot,
    options: ZOrderOptions,
    where: str | None,
    settings: Mapping[str, str],
    looked: Mapping[str, ColumnSchema],
    sample_rows: int,
) -> Iterator[Prospect]:
    """Plans without writing, and samples.

    Args:
        spark: the session that reads.
        service: the table's clustering.
        snapshot: the table.
        options: the layout; all columns of the layouts to come must be among its columns.
        where: a predicate over partition columns.
        settings: further Hudi configuration.
        looked: the columns to be looked at.
        sample_rows: rows to sample.

    Raises:
        OptionError: for a number of rows below 1.
        TableError: when there is nothing to cluster.
    """
    if isinstance(sample_rows, bool) or not isinstance(sample_rows, int) or sample_rows < 1:
        raise OptionError(
            f"Cannot forecast: 'sample_rows' was '{sample_rows}'; write a whole number from 1"
        )
    with service.preview(options, where, settings) as preview:
        group_of = {
            (group.partition, file_id): number
            for number, group in enumerate(preview.groups)
            for file_id in group.file_ids
        }
        slices = [part for part in snapshot.slices if (part.partition, part.file_id) in group_of]
        bases = [part.base.path for part in slices if part.base]
        footers = snapshot.footers.read(bases, list(looked))
        now = []
        rows = [0] * len(preview.groups)
        for part in slices:
            footer = footers[part.base.path] if part.base else None
            logs = sum(log.size for log in part.logs)
            count = (footer.rows if footer else 0) + logs // _LOG_ROW_BYTES
            rows[group_of[part.partition, part.file_id]] += count
            now.append(
                SimulatedFile(part.partition, count, trusted_bounds(snapshot, part, footer, looked))
            )
        numbers, values = run_with_progress(
            spark, "Sampling rows", lambda: preview.sample(list(looked), rows, sample_rows)
        )
        if not len(numbers):
            raise TableError(f"Cannot forecast a clustering of '{service.path}': it has no rows")
        sample = RowSample(
            numbers,
            values,
            looked,
            [group.partition for group in preview.groups],
            rows,
            nan_shows=snapshot.schema.nan_shows_in_bounds,
        )
        yield Prospect(
            snapshot,
            preview,
            sample,
            file_set(snapshot, now),
            sum((part.base is not None) + len(part.logs) for part in slices),
            sum(part.size for part in slices),
        )


def command(
    path: str, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
) -> str:
    """Returns the shell command that clusters so."""
    plain = ZOrderOptions(columns=options.columns)
    words = ["hudi-zorder", "cluster", path, "--columns", ",".join(options.columns)]
    flags = {
        "--strategy": (options.strategy, plain.strategy),
        "--target-file-size": (str(options.target_file_size), str(plain.target_file_size)),
        "--weights": (summary(options.column_weights), ""),
        "--where": (where or "", ""),
    }
    for flag, (value, default) in flags.items():
        if value != default:
            words += [flag, value]
    flagged = ("strategy", "target_file_size", "column_weights")
    rest = replace(plain, **_changed(options, leave=flagged)).to_dict()
    default_keys = plain.to_dict()
    for key, text in {**rest, **settings}.items():
        if key in settings or text != default_keys.get(key):
            words += ["--hudi", f"{key}={text}"]
    return shlex.join(words)


def call(options: ZOrderOptions, where: str | None, settings: Mapping[str, str]) -> str:
    """Returns the call of Python that clusters so."""
    arguments = {"columns": list(options.columns), **_changed(options)}
    if where is not None:
        arguments["where"] = where
    if settings:
        arguments["hudi_options"] = dict(settings)
    return f"table.cluster({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _changed(options: ZOrderOptions, leave: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the fields that differ from their defaults."""
    plain = ZOrderOptions(columns=options.columns)
    values = {f.name: getattr(options, f.name) for f in fields(options) if f.name not in leave}
    return {name: value for name, value in values.items() if value != getattr(plain, name)}


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
