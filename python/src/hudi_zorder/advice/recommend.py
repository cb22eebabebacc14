"""Which columns to cluster by, for given queries: forecast over sets of columns and their weights.

Every set is laid out by the split tree on one sample, and what the queries would read of its files
is what counts. The search is a beam: from the best single columns to larger sets, as long as that
gains something; then weights are doubled, one at a time.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.advice.forecast import Prospect, call, command, prospect
from hudi_zorder.advice.recommendation import Candidate, QueryRead, Recommendation
from hudi_zorder.advice.simulated_files import FileSet, RowSample, SampledColumn
from hudi_zorder.advice.workload import WeightedQuery, conditions_of
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.parquet.file_schema import META_COLUMNS, ColumnSchema
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.explain import bind_predicate
from hudi_zorder.spark.progress import status
from hudi_zorder.spark.session import session_time_zone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAMPLE_ROWS: Final = 100_000
MAX_COLUMNS: Final = 4

_HANDFUL: Final = 16  # so few distinct values divide a table into partitions
_GAIN: Final = 0.98  # what does not read this much less is not worth a column or a weight
_BEAM: Final = 2
_MOST_CANDIDATES: Final = 10
_MOST_STEPS: Final = 4
_MOST_WORK: Final = 50_000  # conditions × files that are looked at for each set
_MOST_NOTES: Final = 5
_CORRELATED: Final = 0.95  # a column of that rank correlation with another adds nothing
_PAIRS: Final = 20_000  # rows that two columns are compared on

Weights = Mapping[str, float]


@dataclass(frozen=True)
class _Asked:
    """A query's conditions on the table."""

    query: WeightedQuery
    bounds: tuple[BoundPredicate, ...]


def recommend(
    service: ClusteringService,
    spark: SparkSession,
    queries: Sequence[WeightedQuery],
    where: str | None,
    settings: Mapping[str, str],
    fields: Mapping[str, Any],
    max_columns: int,
    sample_rows: int,
) -> Recommendation:
    """Returns what to cluster by; ``ZOrderTable.recommend`` has the rest."""
    if isinstance(max_columns, bool) or not isinstance(max_columns, int) or max_columns < 1:
        raise OptionError(
            f"Cannot recommend columns: 'max_columns' was '{max_columns}'; "
            "write a whole number from 1"
        )
    snapshot = service.snapshot()
    asked = _asked(snapshot, queries, session_time_zone(spark))
    use, partitioned = _used(snapshot, asked)
    candidates = sorted(use, key=lambda name: -use[name])[:_MOST_CANDIDATES]
    looked: dict[str, ColumnSchema] = {}
    for part in asked:
        for bound in part.bounds:
            looked.update(bound.leaves)
    options = ZOrderOptions(columns=candidates, **fields)
    with (
        prospect(spark, service, snapshot, options, where, settings, looked, sample_rows) as found,
        status("Trying columns") as say,
    ):
        search = _Search(found, options, asked, say)
        best = search.best(candidates, max_columns)
        advice = list(_about_partitions(partitioned))
        now = search.shares(found.now)
        if best.share > _GAIN * search.weighed(now):
            reason = "no set of columns makes these queries read less than they do now"
            return search.result(None, now, [reason, *advice], "", "")
        advice += search.advice(candidates, best)
        chosen = replace(options, columns=best.columns, column_weights=best.column_weights)
        return search.result(
            best,
            now,
            advice,
            command(service.path, chosen, where, settings),
            call(chosen, where, settings),
        )


def _asked(
    snapshot: TableSnapshot, queries: Sequence[WeightedQuery], zone: str | None
) -> list[_Asked]:
    names = [snapshot.config.name, snapshot.url, snapshot.path]
    columns = [*snapshot.schema.leaves, *snapshot.schema.others, *snapshot.config.partition_fields]
    return [
        _Asked(
            query,
            tuple(
                bind_predicate(snapshot, condition, zone)
                for condition in conditions_of(query.text, names, columns)
            ),
        )
        for query in queries
    ]


def _used(
    snapshot: TableSnapshot, asked: Sequence[_Asked]
) -> tuple[dict[str, float], dict[str, float]]:
    """Returns the columns that queries name, with their weight; partition columns apart.

    Raises:
        PredicateError: when there is no column to sort by.
    """
    fields = {name.lower() for name in snapshot.config.partition_fields}
    use: dict[str, float] = defaultdict(float)
    partitioned: dict[str, float] = defaultdict(float)
    for part in asked:
        named = {name for bound in part.bounds for name in bound.columns}
        for name in named - META_COLUMNS:
            (partitioned if name.lower() in fields else use)[name] += part.query.weight
    if use:
        return use, partitioned
    if partitioned:
        raise PredicateError(
            f"Cannot recommend columns: the queries name no others than {', '.join(partitioned)}, "
            "by which the table is partitioned; partitions are skipped already"
        )
    reasons = [part.reason for a in asked for bound in a.bounds for part in bound.unusable]
    why = f" ({reasons[0]})" if reasons else ""
    raise PredicateError(
        f"Cannot recommend columns: no query compares a column of the table with a value{why}; "
        "give queries such as \"customer = 7 AND day > '2026-11-01'\""
    )


class _Search:
    def __init__(
        self,
        found: Prospect,
        options: ZOrderOptions,
        asked: Sequence[_Asked],
        say: Callable[[str], None],
    ) -> None:
        self._found = found
        self._options = options
        self._say = say
        self._tried: dict[tuple[tuple[str, float], ...], Candidate] = {}
        files = max(len(found.now.files), sum(group.files for group in found.preview.groups))
        conditions = sum(len(part.bounds) for part in asked)
        most = max(1, len(asked) * _MOST_WORK // max(_MOST_WORK, conditions * files))
        heaviest = sorted(asked, key=lambda part: -part.query.weight)[:most]
        self._asked = heaviest
        self._left_out = len(asked) - len(heaviest)
        self._files = 0
        self._correlations: dict[frozenset[str], float] = {}
        self._all_weight = sum(part.query.weight for part in heaviest)

    def best(self, candidates: Sequence[str], most: int) -> Candidate:
        """Returns the best set of columns, with its weights."""
        singles = [self._try({name: 1.0}) for name in candidates]
        many = [name for name in candidates if self._distinct(name) > _HANDFUL] or candidates
        beam = [c for c in sorted(singles, key=_by_share) if c.columns[0] in many][:_BEAM]
        for _ in range(1, min(most, len(many))):
            larger = {
                tuple(sorted((*small.columns, name)))
                for small in beam
                for name in many
                if self._is_news(name, small.columns)
            }
            if not larger:
                break
            tried = [self._try(dict.fromkeys(names, 1.0)) for names in sorted(larger)]
            tried.sort(key=_by_share)
            if tried[0].share > _GAIN * beam[0].share:
                break
            beam = tried[:_BEAM]
        by_size = [
            self._climbed(min(tried, key=_by_share), ())
            for size in range(1, most + 1)
            if (tried := [c for c in self._tried.values() if len(c.columns) == size])
        ]
        best = by_size[0]
        for candidate in by_size[1:]:
            if candidate.share < _GAIN * best.share:
                best = candidate
        return self._climbed(best, many if len(best.columns) < most else ())

    def _climbed(self, best: Candidate, more: Sequence[str]) -> Candidate:
        """Doubles a weight, or adds one of more columns, as long as that gains something."""
        for _ in range(_MOST_STEPS):
            weights = _weights(best)
            divided = weights if len(weights) > 1 else ()
            steps = [{**weights, name: 2 * weights[name]} for name in divided]
            added = [name for name in more if self._is_news(name, best.columns)]
            steps += [_added(weights, name) for name in added]
            if not steps:
                break
            better = min((self._try(step) for step in steps), key=_by_share)
            if better.share > _GAIN * best.share:
                break
            best, more = better, ()
        return best

    def _is_news(self, name: str, columns: Sequence[str]) -> bool:
        """Returns whether a column is not among others, nor goes with one of them."""
        return name not in columns and self._companion(name, columns)[1] < _CORRELATED

    def _companion(self, name: str, columns: Sequence[str]) -> tuple[str, float]:
        """Returns which of some columns another goes with best, and how well."""
        for other in columns:
            pair = frozenset((name, other))
            if pair not in self._correlations:
                self._correlations[pair] = _correlation(self._found.sample, name, other)
        pairs = ((other, self._correlations[frozenset((name, other))]) for other in columns)
        return max(pairs, key=lambda found: found[1])

    def _try(self, weights: Weights) -> Candidate:
        least = min(weights.values())
        weights = {name: weight / least for name, weight in weights.items()}
        key = tuple(sorted(weights.items()))
        if key not in self._tried:
            self._say(f"Trying {', '.join(weights)} ({len(self._tried)} sets tried)")
            files = self._lay_out(weights)
            share = self.weighed(self.shares(files))
            columns = tuple(sorted(weights, key=lambda name: (-self._distinct(name), name)))
            uneven = weights if len(set(weights.values())) > 1 else {}
            ordered = {name: uneven[name] for name in columns if name in uneven}
            self._tried[key] = Candidate(columns=columns, column_weights=ordered, share=share)
        return self._tried[key]

    def _lay_out(self, weights: Weights) -> FileSet:
        columns = sorted(weights, key=lambda name: (-self._distinct(name), name))
        files = self._found.after(
            replace(self._options, columns=columns, column_weights=dict(weights))
        )
        self._files = len(files.files)
        return files

    def _distinct(self, name: str) -> int:
        return len(self._column(name).values)

    def _column(self, name: str) -> SampledColumn:
        return self._found.sample.columns[name]

    def shares(self, files: FileSet) -> list[float]:
        """Returns the share of rows that each query reads of files."""
        return [
            statistics.fmean(files.share_of_predicate(bound) for bound in part.bounds)
            for part in self._asked
        ]

    def weighed(self, shares: Sequence[float]) -> float:
        """Returns the mean share, by the queries' weights."""
        parts = zip(shares, self._asked, strict=True)
        return sum(share * part.query.weight for share, part in parts) / self._all_weight

    def advice(self, candidates: Sequence[str], best: Candidate) -> Iterator[str]:
        """Yields what is to be said about each column."""
        counts = {name: self._distinct(name) for name in candidates}
        if len(best.columns) > 1:
            order = ", ".join(f"{name} ({counts[name]:,})" for name in best.columns)
            yield f"high cardinality first, by distinct values in the sample: {order}"
        for name in candidates:
            if counts[name] <= _HANDFUL:
                values = f"{counts[name]} distinct value{'s' if counts[name] != 1 else ''}"
                yield f"{name} has {values}: that belongs to partitioning rather than to sorting"
            elif name not in best.columns:
                with_it = self._try(_added(_weights(best), name)).share
                yield self._why_not(name, best, with_it)

    def _why_not(self, name: str, best: Candidate, with_it: float) -> str:
        change = f"the queries would read {with_it:.3f} with it, {best.share:.3f} without"
        other, strength = self._companion(name, best.columns)
        if strength >= _CORRELATED:
            much = "nothing" if with_it > _GAIN * best.share else "little"
            goes = f"{name} goes with {other} (rank correlation {strength:.2f})"
            return f"{goes} and adds {much}: {change}"
        return f"{name} is left out: {change}"

    def result(
        self,
        best: Candidate | None,
        now: Sequence[float],
        advice: Iterable[str],
        shell: str,
        python: str,
    ) -> Recommendation:
        """Returns what was found; without a best set, that nothing is to be done."""
        after = list(now)
        if best is not None:
            after = self.shares(self._lay_out(_weights(best)))
        reads = zip(self._asked, now, after, strict=True)
        return Recommendation(
            table=self._found.snapshot.url,
            columns=best.columns if best else (),
            column_weights=dict(best.column_weights) if best else {},
            files=self._files if best else len(self._found.now.files),
            sampled_rows=self._found.sample.rows,
            share_now=self.weighed(now),
            share_after=self.weighed(after),
            candidates=tuple(sorted(self._tried.values(), key=_by_share)),
            queries=tuple(
                QueryRead(
                    query=part.query.text,
                    weight=part.query.weight / self._all_weight,
                    now=share_now,
                    after=share_after,
                )
                for part, share_now, share_after in reads
            ),
            advice=tuple(advice),
            command=shell,
            call=python,
            notes=tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        if self._left_out:
            yield f"{self._left_out:,} queries of the least weight were left out, to save time"
        parts = (p for a in self._asked for bound in a.bounds for p in bound.unusable)
        for part in list(dict.fromkeys(parts))[:_MOST_NOTES]:
            yield f"{part.text} skips nothing: {part.reason}"


def _by_share(candidate: Candidate) -> tuple[float, int]:
    return candidate.share, len(candidate.columns)


def _weights(candidate: Candidate) -> dict[str, float]:
    return {name: candidate.column_weights.get(name, 1.0) for name in candidate.columns}


def _added(weights: Weights, name: str) -> dict[str, float]:
    return {**weights, name: min(weights.values())}


def _about_partitions(partitioned: Iterable[str]) -> Iterator[str]:
    for name in partitioned:
        yield f"{name} is a partition column, by which partitions are skipped already"


def _correlation(sample: RowSample, one: str, other: str) -> float:
    """Returns how well the order of one column's values is that of the other's, 0 to 1."""
    codes = [sample.columns[name].codes.slice(0, _PAIRS).to_pylist() for name in (one, other)]
    pairs = [(a, b) for a, b in zip(*codes, strict=True) if a is not None and b is not None]
    try:
        return abs(statistics.correlation([a for a, _ in pairs], [b for _, b in pairs]))
    except statistics.StatisticsError:  # fewer than two rows, or a single value
        return 0.0
