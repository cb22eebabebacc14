"""The search for columns and weights: a beam, from the best single columns to larger sets.

It goes on as long as that gains something; then columns weigh as often as they are asked, and
weights are doubled, one at a time. Columns of a handful of values come last, if at all.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from hudi_zorder.options import ZOrderOptions
from hudi_zorder.recommendation.recommendation_report import Candidate
from hudi_zorder.simulation.dry_run import DryRun
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.grouped_sample import GroupedSample
from hudi_zorder.workload.bound_queries import BoundQuery
from hudi_zorder.workload.judged_queries import heaviest, left_out
from hudi_zorder.workload.queries_to_plan import LEAST_COLUMN_WEIGHT

HANDFUL: Final = 16  # so few distinct values divide a table into partitions
CORRELATED: Final = 0.95  # a column of that rank correlation with another adds nothing
_GAIN: Final = 0.98  # what does not read this much less is not worth a column or a weight
_BEAM: Final = 2
_MOST_STEPS: Final = 4
_MOST_WORK: Final = 50_000  # conditions × files that are looked at for each set
_LEAST_QUERIES: Final = 50  # looked at however many files there are
_PAIRS: Final = 20_000  # rows that two columns are compared on
_LEAST_PAIRS: Final = 30

Weights = Mapping[str, float]


class ColumnSearch:
    """The sets of columns and weights that were tried on one sample, by what queries read of them.

    Attributes:
        asked: the queries that are looked at, the heaviest first.
        notes: which were left out.
        all_weight: the sum of the weights of those that are looked at.

    Args:
        found: the plan and the sample.
        options: the layout, but for its columns and weights.
        asked: the queries; where there are many, the heaviest are looked at.
        say: shows what is being tried.
    """

    def __init__(
        self,
        found: DryRun,
        options: ZOrderOptions,
        asked: Sequence[BoundQuery],
        say: Callable[[str], None],
    ) -> None:
        self._found = found
        self._options = options
        self._say = say
        self._tried: dict[tuple[tuple[str, float], ...], Candidate] = {}
        files = max(len(found.now.files), sum(group.files for group in found.preview.groups))
        conditions = sum(len(part.predicates) for part in asked)
        most = len(asked) * _MOST_WORK // max(_MOST_WORK, conditions * files)
        kept = heaviest(asked, max(_LEAST_QUERIES, most))
        self.asked = sorted(kept, key=lambda part: -part.query.weight)
        self.notes = left_out(asked, kept, "to save time; the heaviest stayed, of equal ones some")
        self._correlations: dict[frozenset[str], float] = {}
        self.all_weight = sum(part.query.weight for part in kept)

    def best(self, use: Mapping[str, float], most: int) -> Candidate:
        """Returns the best set of columns, with its weights.

        Args:
            use: by candidate, the weight of the queries that ask it.
            most: the largest set to try.
        """
        candidates = list(use)
        singles = [self.tried({name: 1.0}) for name in candidates]
        many = [name for name in candidates if self.distinct(name) > HANDFUL] or candidates
        beam = [c for c in sorted(singles, key=by_share) if c.columns[0] in many][:_BEAM]
        for _ in range(1, min(most, len(many))):
            larger = {
                tuple(sorted((*small.columns, name)))
                for small in beam
                for name in many
                if self._is_news(name, small.columns)
            }
            if not larger:
                break
            grown = sorted(
                (self.tried(dict.fromkeys(names, 1.0)) for names in sorted(larger)), key=by_share
            )
            if not is_gain(grown[0].share, beam[0].share):
                break
            beam = grown[:_BEAM]
        by_size = [
            self._climbed(self._as_asked(min(alike, key=by_share), use), ())
            for size in range(1, most + 1)
            if (alike := [c for c in self._tried.values() if len(c.columns) == size])
        ]
        best = by_size[0]
        for candidate in by_size[1:]:
            if is_gain(candidate.share, best.share):
                best = candidate
        return self._climbed(best, candidates if len(best.columns) < most else ())

    def _as_asked(self, equal: Candidate, use: Mapping[str, float]) -> Candidate:
        """Returns columns weighed as often as they are asked, where that gains something.

        Of equalities on independent columns nothing reads less.
        """
        most = max(use[name] for name in equal.columns)
        shares = {name: max(LEAST_COLUMN_WEIGHT, use[name] / most) for name in equal.columns}
        least = min(shares.values())
        asked = self.tried({name: round(share / least, 1) for name, share in shares.items()})
        return asked if is_gain(asked.share, equal.share) else equal

    def _climbed(self, best: Candidate, more: Sequence[str]) -> Candidate:
        """Doubles a weight, or adds one of more columns, as long as that gains something."""
        for _ in range(_MOST_STEPS):
            weights = weights_of(best)
            divided = weights if len(weights) > 1 else ()
            steps = [{**weights, name: 2 * weights[name]} for name in divided]
            added = [name for name in more if self._is_news(name, best.columns)]
            steps += [with_column(weights, name) for name in added]
            if not steps:
                break
            better = min((self.tried(step) for step in steps), key=by_share)
            if not is_gain(better.share, best.share):
                break
            best, more = better, ()
        return best

    def _is_news(self, name: str, columns: Sequence[str]) -> bool:
        """Returns whether a column is not among others, nor goes with one of them."""
        return name not in columns and self.companion(name, columns)[1] < CORRELATED

    def companion(self, name: str, columns: Sequence[str]) -> tuple[str, float]:
        """Returns which of some columns another goes with best, and how well."""
        for other in columns:
            pair = frozenset((name, other))
            if pair not in self._correlations:
                self._correlations[pair] = _correlation(self._found.sample, name, other)
        pairs = ((other, self._correlations[frozenset((name, other))]) for other in columns)
        return max(pairs, key=lambda found: found[1])

    def tried(self, weights: Weights) -> Candidate:
        """Returns a set of columns with what the queries read of it, laid out but once."""
        least = min(weights.values())
        weights = {name: weight / least for name, weight in weights.items()}
        key = tuple(sorted(weights.items()))
        if key not in self._tried:
            self._say(f"Trying {', '.join(weights)} ({len(self._tried)} sets tried)")
            files = self.lay_out(weights)
            share = self.weighed(self.shares(files))
            columns = tuple(sorted(weights, key=lambda name: (-self.distinct(name), name)))
            uneven = weights if len(set(weights.values())) > 1 else {}
            ordered = {name: uneven[name] for name in columns if name in uneven}
            self._tried[key] = Candidate(columns=columns, column_weights=ordered, share=share)
        return self._tried[key]

    def lay_out(self, weights: Weights) -> FileSet:
        """Returns the files of a layout."""
        return self._found.after(self.layout(weights))

    def layout(self, weights: Weights) -> ZOrderOptions:
        """Returns the options of a layout, the column of the highest cardinality first."""
        columns = sorted(weights, key=lambda name: (-self.distinct(name), name))
        return replace(self._options, columns=columns, column_weights=dict(weights))

    def distinct(self, name: str) -> int:
        """Returns how many values a column has in the sample."""
        return len(self._found.sample.columns[name].values)

    def shares(self, files: FileSet) -> list[float]:
        """Returns the share of rows that each query reads of files."""
        return [files.share_of_query(part) for part in self.asked]

    def opened(self, files: FileSet) -> float:
        """Returns how many of the files a query reads, in the mean by the queries' weights."""
        return self.weighed([files.files_of_query(part) for part in self.asked])

    def weighed(self, shares: Sequence[float]) -> float:
        """Returns the mean of what is read, by the queries' weights."""
        parts = zip(shares, self.asked, strict=True)
        return sum(share * part.query.weight for share, part in parts) / self.all_weight

    @property
    def candidates(self) -> list[Candidate]:
        """All that was tried, the best first."""
        return sorted(self._tried.values(), key=by_share)


def is_gain(share: float, other: float) -> bool:
    """Tells whether so much less is read than otherwise that it is worth a column or a weight.

    Nothing is where nothing is read otherwise.
    """
    return share < _GAIN * other


def by_share(candidate: Candidate) -> tuple[float, int]:
    """Returns what candidates are ordered by: what is read, then the number of columns."""
    return candidate.share, len(candidate.columns)


def weights_of(candidate: Candidate) -> dict[str, float]:
    """Returns the weight of each of a candidate's columns."""
    return {name: candidate.column_weights.get(name, 1.0) for name in candidate.columns}


def with_column(weights: Weights, name: str) -> dict[str, float]:
    """Returns weights with that of one more column, no heavier than any."""
    return {**weights, name: min(weights.values())}


def _correlation(sample: GroupedSample, one: str, other: str) -> float:
    """Returns how well the order of one column's values is that of the other's, 0 to 1.

    Of too few rows that have both it is 0: the values of a handful go together by chance.
    """
    import pyarrow as pa

    codes = [sample.columns[name].codes for name in (one, other)]
    both = pa.table(codes, names=["one", "other"]).drop_null()
    # The rows are in the order of the files: the first ones are of a few days or partitions.
    step = -(-both.num_rows // _PAIRS) or 1
    pairs = both.take(pa.array(range(0, both.num_rows, step), pa.int64()))
    if pairs.num_rows < _LEAST_PAIRS:
        return 0.0
    try:
        return abs(statistics.correlation(*(column.to_pylist() for column in pairs.columns)))
    except statistics.StatisticsError:  # a single value
        return 0.0
