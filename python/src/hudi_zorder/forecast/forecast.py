"""What clustering would bring, before anything is rewritten.

The plan is the one that clustering would make, the sampled rows are among those that it would learn
its layout from, and Java fits the very layout to them. What is left to chance is what the files'
statistics would be, and these come from the sample, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.commands import query_source
from hudi_zorder.errors import OptionError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.forecast.duration import REMEMBERED, Duration, Work, duration_of, is_small
from hudi_zorder.forecast.forecast_report import (
    COLUMN,
    PREDICATE,
    QUERY,
    Forecast,
    ForecastRead,
    LayoutForecast,
)
from hudi_zorder.forecast.reads import Reads
from hudi_zorder.hudi import history
from hudi_zorder.hudi.history import layout_queries
from hudi_zorder.options import NO_QUERIES, ZOrderOptions
from hudi_zorder.simulation.dry_run import DryRun, Scope, dry_run
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.whole_table import advised
from hudi_zorder.spark.job_progress import status
from hudi_zorder.spark.session import session_time_zone
from hudi_zorder.texts import plural
from hudi_zorder.workload.bound_queries import BoundQuery, bind_queries
from hudi_zorder.workload.holdout import LEAST_QUERIES, Holdout, hold_out
from hudi_zorder.workload.judged_queries import (
    MOST_JUDGED,
    OF_MANY_COLUMNS,
    heaviest,
    leaves_of,
    left_out,
    most_judged,
    of_few_columns,
)
from hudi_zorder.workload.queries_to_plan import workload_for_plan
from hudi_zorder.workload.skipless_conditions import skipless_conditions
from hudi_zorder.workload.templates import template_of_sql
from hudi_zorder.workload.weighted_queries import GivenQueries, WeightedQuery, counted
from hudi_zorder.workload.workload import Workload, workload_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.file_schema import ColumnSchema

TREE: Final = "tree"
QUERIED: Final = "queries"
Z_COLUMN: Final = "z-column"
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
    if isinstance(predicates, str):
        raise OptionError(
            f"Cannot forecast: 'predicates' was the text '{predicates}'; write a list of texts"
        )
    snapshot = scope.service.snapshot()
    zone = session_time_zone(scope.spark)
    asked = counted(predicates, "predicates")
    given = isinstance(asked, Queries) or len(asked) > 0
    work = workload_of(asked, snapshot, zone) if given else Workload(())
    cut_for = None if queries is None else workload_of(queries, snapshot, zone)
    planned = cut_for and workload_for_plan(snapshot, cut_for, zone, options.columns)
    holdout = _divided(cut_for.queries, planned.used) if cut_for and planned else Holdout((), ())
    names = snapshot.statistics_columns(options.columns)
    judges = _Judges.of(snapshot, work.queries, holdout, names, zone)
    plain = replace(options, z_column=None)
    layouts: dict[str, tuple[ZOrderOptions, str]] = {
        name: (replace(plain, **changes), NO_QUERIES) for name, changes in _LAYOUTS.items()
    }
    sampled = plain  # by all columns of all layouts
    if options.z_column is not None:
        layouts[Z_COLUMN] = (options, NO_QUERIES)
        sampled = replace(plain, columns=(*plain.columns, options.z_column))
    if cut_for is not None:
        half = replace(cut_for, queries=tuple(holdout.known))
        text = workload_for_plan(snapshot, half, zone, options.columns).text
        layouts[QUERIED] = (layouts[TREE][0], text)
    with (
        dry_run(scope, snapshot, sampled, {**names, **judges.leaves}) as found,
        status("Laying the sample out"),
    ):
        judges = judges.of_files(
            max(len(found.now.files), sum(group.files for group in found.groups))
        )
        reads = Reads(found, list(names), judges.asked)
        forecasts = [
            _forecast(name, found.after(layout, text), layout, reads, judges.known)
            for name, (layout, text) in layouts.items()
        ]
        choice = _choice(forecasts)
        written = next(part.files for part in forecasts if part.layout == choice)
        duration = _duration(scope.spark, found, written, options.sample_size)
        chosen, queried = layouts[choice][0], choice == QUERIED
        source: Sequence[str] = ()
        if cut_for and queried:
            source = query_source(logged=cut_for.of_log, logged_path=cut_for.logged_path)
        if queried and layout_queries(snapshot) != NO_QUERIES:
            chosen = replace(chosen, mode="full")  # else it may go on with those of the last one
        way = advised(scope, snapshot, chosen, queried=queried, source=source)
        return Forecast(
            table=scope.service.path,
            columns=tuple(options.columns),
            partitions=tuple(dict.fromkeys(group.partition for group in found.groups)),
            files=found.files,
            rows=round(found.now.rows - found.assumed_rows),
            bytes=found.bytes,
            seconds=duration.seconds,
            warm_seconds=duration.warm_seconds,
            seconds_from=duration.basis,
            sampled_rows=found.sample.rows,
            layouts=tuple(forecasts),
            choice=choice,
            command=way.command,
            call=way.call,
            notes=(
                *(planned or work).notes,
                *_told_of(holdout, queried=cut_for is not None),
                *judges.notes,
                *skipless_conditions(snapshot, chain.from_iterable(judges.asked.values())),
                *_about_files(found),
                *way.notes,
            ),
        )


def _divided(queries: Sequence[WeightedQuery], used: Sequence[WeightedQuery]) -> Holdout:
    """Divides queries so that either half has its part of those that files are cut for."""
    cut_for = hold_out(used, template_of_sql)
    if not cut_for.are_apart:
        return Holdout(queries, queries)
    known = set(used)
    others = hold_out([query for query in queries if query not in known], template_of_sql)
    if not others.are_apart:  # of so few there are no halves; in either is half of each
        half = [replace(query, weight=query.weight / 2) for query in others.known]
        others = Holdout(half, half)
    return Holdout(
        [*cut_for.known, *others.known],
        [*cut_for.held_back, *others.held_back],
    )


@dataclass(frozen=True)
class _Judges:
    """The queries that layouts are judged by.

    Attributes:
        asked: predicates and the queries that are held back, by their kinds.
        known: queries that a layout is cut for.
        leaves: the columns that they ask.
        notes: which were left out.
    """

    asked: Mapping[str, Sequence[BoundQuery]]
    known: Sequence[BoundQuery]
    leaves: Mapping[str, ColumnSchema]
    notes: Sequence[str]

    @classmethod
    def of(
        cls,
        snapshot: TableSnapshot,
        predicates: Sequence[WeightedQuery],
        holdout: Holdout,
        columns: Iterable[str],
        zone: str | None,
    ) -> _Judges:
        """Chooses as many as there is time for, on as many columns as a sample can have."""
        notes: list[str] = []
        leaves: dict[str, ColumnSchema] = {}

        def chosen(queries: Sequence[WeightedQuery]) -> list[BoundQuery]:
            kept = heaviest(queries, MOST_JUDGED)
            notes.extend(left_out(queries, kept, "to save time; the heaviest stayed"))
            bound = list(bind_queries(snapshot, kept, zone))
            few = of_few_columns(bound, (*columns, *leaves))
            notes.extend(left_out(bound, few, OF_MANY_COLUMNS))
            leaves.update(leaves_of(few))
            return few

        held_back = sorted(chosen(holdout.held_back), key=lambda part: -part.query.weight)
        known = chosen(holdout.known)
        asked = {PREDICATE: chosen(predicates), QUERY: held_back}
        return cls(asked, known, leaves, list(dict.fromkeys(notes)))

    def of_files(self, files: int) -> _Judges:
        """Returns as many of each kind as there is time to hold so many files against."""
        notes = list(self.notes)

        def chosen(queries: Sequence[BoundQuery]) -> list[BoundQuery]:
            kept = heaviest(queries, most_judged(files))
            why = f"to save time on {files:,} files; the heaviest stayed"
            notes.extend(left_out(queries, kept, why))
            return kept

        asked = {kind: chosen(queries) for kind, queries in self.asked.items()}
        known = chosen(self.known)
        return replace(self, asked=asked, known=known, notes=list(dict.fromkeys(notes)))


def _forecast(
    name: str,
    files: FileSet,
    options: ZOrderOptions,
    reads: Reads,
    known: Sequence[BoundQuery],
) -> LayoutForecast:
    found = reads.of(files, options)
    judged = next(filter(None, (_of_kind(found, kind) for kind in (QUERY, PREDICATE, COLUMN))))
    return LayoutForecast(
        layout=name,
        files=len(files.files),
        reads=tuple(found),
        mean=sum(read.weight * read.after for read in judged) / sum(r.weight for r in judged),
        mean_known=_mean(known, files) if known else None,
    )


def _of_kind(reads: Sequence[ForecastRead], kind: str) -> list[ForecastRead]:
    return [read for read in reads if read.kind == kind]


def _mean(asked: Sequence[BoundQuery], files: FileSet) -> float:
    weight = sum(part.query.weight for part in asked)
    return sum(part.query.weight * files.share_of_query(part) for part in asked) / weight


def _choice(layouts: Sequence[LayoutForecast]) -> str:
    """Returns the layout that reads least; the default where it reads 1.01 times that at most."""
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
    past = history.history(found.snapshot, last=REMEMBERED)
    return duration_of(work, spark.sparkContext.defaultParallelism, past, sample_size)


def _told_of(holdout: Holdout, *, queried: bool) -> Iterator[str]:
    if queried and not holdout.are_apart:
        yield (
            f"of fewer than {LEAST_QUERIES} queries on sort columns none is held back: '{QUERIED}' "
            "is judged by the very ones that it is cut for"
        )


def _about_files(found: DryRun) -> Iterator[str]:
    if found.assumed_rows:
        yield (
            f"log files are thought to have {found.assumed_rows:,.0f} rows more, by their size, "
            "which may be rows that are there already"
        )
    unknown = sum(not file.bounds for file in found.now.files)
    if unknown:
        one = "file has log files or an older schema, and is"
        more = "files have log files or an older schema, and are"
        yield f"{plural(unknown, one, more)} always read now"
