"""The ranges and rows of a table's files in some columns, and what an equality reads of them."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.file_ranges import FileRanges
from hudi_zorder.stats.index_bounds import indexed_bounds
from hudi_zorder.stats.information_report import ColumnInformation
from hudi_zorder.stats.row_sample import SampledRow, rows_to_sample, sample_rows

if TYPE_CHECKING:
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.stats.file_ranges import Files

_VALUES = 256
_MOST_MET = 20_000  # files that are each compared with all others in several columns at once
_SAMPLED_FILES = 4_000  # of more; their mean is within some 3 % of that of all
_LAST_SINGLE_DEPTH = 16  # Snowflake's histogram counts depths up to here singly, then in octaves


def depth_histogram(depths: Sequence[int]) -> dict[str, float]:
    """Returns the share of ``depths`` in each of Snowflake's buckets that is not empty."""
    counts = Counter(depths)
    buckets: dict[str, float] = {}
    for depth in sorted(counts):
        bucket = _bucket(depth)
        buckets[bucket] = buckets.get(bucket, 0.0) + counts[depth] / len(depths)
    return buckets


def _bucket(depth: int) -> str:
    if depth <= _LAST_SINGLE_DEPTH:
        return str(depth)
    high = 1 << (depth - 1).bit_length()
    return f"{high // 2 + 1}-{high}"


class MeasuredFiles:
    """The files' ranges and sizes, and a sample of their rows.

    Args:
        partitions: the partition of each file.
        sizes: the bytes of each.
        rows: the rows of each; 0 where there are log files alone.
        bounds: for each column its bounds in each file; None where nothing is known.
    """

    def __init__(
        self,
        partitions: Sequence[str],
        sizes: Sequence[int],
        rows: Sequence[int],
        bounds: dict[str, list[Bounds | None]],
    ) -> None:
        self._names = list(bounds)
        self._partitions = partitions
        self.bytes = sizes
        self.rows = rows
        self.bounds = bounds
        self._ranges = {name: FileRanges(parts) for name, parts in bounds.items()}
        self.sample: list[SampledRow] = []

    @classmethod
    def of(cls, snapshot: TableSnapshot, names: Sequence[str]) -> MeasuredFiles:
        """Measures the latest file slices by their footers."""
        slices = snapshot.slices
        bases = [part.base.path for part in slices if part.base]
        leaves = snapshot.statistics_columns(names)
        footers = snapshot.footers.read(bases, names)
        found = [footers[part.base.path] if part.base else None for part in slices]
        trusted = [_is_true(snapshot, part) for part in slices]
        measured = cls(
            [part.partition for part in slices],
            [part.size for part in slices],
            [footer.rows if footer else 0 for footer in found],
            _bounds(leaves, found, trusted),
        )
        measured.sample = _sampled(
            snapshot, leaves, lambda names: rows_to_sample(snapshot, footers, names)
        )
        return measured

    @classmethod
    def by_index(cls, snapshot: TableSnapshot, names: Sequence[str]) -> MeasuredFiles:
        """Measures the latest file slices by the column-statistics index."""
        slices = snapshot.slices
        leaves = snapshot.statistics_columns(names)
        found = indexed_bounds(snapshot, leaves, slices)
        trusted = [not snapshot.precedes_schema_change(part.path) for part in slices]
        bounds = _bounds(leaves, [found.footers.get(part.path) for part in slices], trusted)
        for number, part in enumerate(slices):
            if trusted[number] and (part.has_logs or part.path in found.bounds):
                own = {name: parts[number] for name, parts in bounds.items()}
                told = found.with_logs(part, found.bounds.get(part.path, own))
                for name, parts in bounds.items():
                    parts[number] = told.get(name)
        rows = [found.rows.get(part.path, 0) for part in slices]
        measured = cls([part.partition for part in slices], [p.size for p in slices], rows, bounds)
        bases = zip(slices, rows, strict=True)
        by_path = {
            part.path: count
            for part, count in bases
            if part.base and not snapshot.precedes_schema_change(part.path)
        }
        measured.sample = _sampled(snapshot, leaves, lambda _: by_path)
        return measured

    @classmethod
    def of_files(
        cls, snapshot: TableSnapshot, files: Sequence[str], names: Sequence[str]
    ) -> MeasuredFiles:
        """Measures base files, the latest or not, by their footers."""
        leaves = snapshot.statistics_columns(names)
        footers = snapshot.footers.read(files, names)
        found = [footers[path] for path in files]
        trusted = [not snapshot.precedes_schema_change(path) for path in files]
        measured = cls(
            [path.rpartition("/")[0] for path in files],
            [sum(g.compressed for g in footer.row_groups) for footer in found],
            [footer.rows for footer in found],
            _bounds(leaves, found, trusted),
        )
        measured.sample = _sampled(
            snapshot, leaves, lambda names: rows_to_sample(snapshot, footers, names)
        )
        return measured

    def independent_share(self, columns: int) -> float:
        """Returns the share of rows that an equality reads of a grid of so many columns."""
        files = Counter(self._partitions)
        rows: Counter[str] = Counter()
        for partition, count in zip(self._partitions, self.rows, strict=True):
            rows[partition] += count
        total = sum(rows.values())
        if not total:
            return 1.0
        return math.fsum(rows[p] / total * math.pow(files[p], -1 / columns) for p in files)

    def holding(self, row: SampledRow) -> Files:
        """Returns the files that an equality on all columns of the row cannot rule out."""
        import numpy as np

        found = np.ones(len(self.rows), np.bool_)
        for name, value in zip(self._names, row, strict=True):
            if value is not None:  # an equality never asks for null
                found &= self._ranges[name].holding(value)
        return found

    @property
    def compared_files(self) -> Sequence[int]:
        """The files to ask ``overlaps`` of: all, or a sample where that takes minutes."""
        files = range(len(self.rows))
        if len(self._names) == 1 or len(files) <= _MOST_MET:
            return files
        return sorted(random.Random(0).sample(files, _SAMPLED_FILES))

    def overlaps(self, files: Sequence[int]) -> list[int]:
        """Returns the number of other files whose boxes meet that of each of the files."""
        first, *others = (self._ranges[name] for name in self._names)
        if not others:
            return first.overlaps
        counts = []
        for number in files:
            found = first.meeting(number)
            for ranges in others:
                found &= ranges.meeting(number)
            counts.append(int(found.sum()) - int(found[number]))
        return counts

    def column(self, name: str) -> ColumnInformation:
        """Returns one column's part of the information."""
        position = self._names.index(name)
        values = [row[position] for row in self.sample]
        ranges = self._ranges[name]
        holders = [ranges.holding(value) for value in values if value is not None]
        depths = [int(files.sum()) for files in holders]
        share = _mean_share(holders, ranges.unknown, self.rows)
        return ColumnInformation(
            column=name,
            constant_files=sum(is_constant(part) for part in self.bounds[name]),
            unknown_files=int(ranges.unknown.sum()),
            average_overlap=mean(ranges.overlaps, self.rows),
            average_depth=mean(depths),
            depth_histogram=depth_histogram(depths),
            share_read=share,
            bytes_read=_mean_share(holders, ranges.unknown, self.bytes),
            score=share / self.independent_share(len(self._names)),
        )


def _is_true(snapshot: TableSnapshot, part: FileSlice) -> bool:
    """Tells whether the statistics of a slice's base file are the truth about its rows."""
    return not part.has_logs and not snapshot.precedes_schema_change(part.path)


def _bounds(
    leaves: Mapping[str, ColumnSchema],
    footers: Sequence[Footer | None],
    trusted: Sequence[bool],
) -> dict[str, list[Bounds | None]]:
    """Returns the bounds of each column in each file; None where nothing is known."""
    return {
        name: [
            footer.bounds(name) if footer and trust and footer.has_alike(leaf) else None
            for footer, trust in zip(footers, trusted, strict=True)
        ]
        for name, leaf in leaves.items()
    }


def _sampled(
    snapshot: TableSnapshot,
    leaves: Mapping[str, ColumnSchema],
    rows_of: Callable[[list[str]], Mapping[str, int]],
) -> list[SampledRow]:
    """Returns rows to ask for, without values of columns that are written nowhere."""
    written = [name for name, leaf in leaves.items() if leaf.is_written]
    if not written:
        return []
    rows = sample_rows(snapshot, rows_of(written), written, _VALUES)
    places = [written.index(n) if leaf.is_written else None for n, leaf in leaves.items()]
    return [tuple(None if at is None else row[at] for at in places) for row in rows]


def is_constant(bounds: Bounds | None) -> bool:
    """Returns whether a column surely has one value alone in a file, or none."""
    if bounds is None or bounds.may_hold_nan or not bounds.known:
        return False
    return bounds.all_null or (bounds.low == bounds.high and bounds.null_count == 0)


def _mean_share(asked: Sequence[Files], always: Files, weights: Sequence[int]) -> float:
    """Returns the mean over ``asked``, sets of files, of their share of the weights.

    Whatever is asked for, the files ``always`` are read, also where no value can be asked for.
    """
    import numpy as np

    total = sum(weights)
    if not total:
        return 0.0
    each = np.array(weights, np.int64)
    return mean([int(each[files].sum()) / total for files in asked or [always]])


def mean(numbers: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Returns the mean of numbers, 0 of none; not weighed where all weights are 0."""
    if weights is not None and any(weights):
        weighed = (n * w for n, w in zip(numbers, weights, strict=True))
        return math.fsum(weighed) / math.fsum(weights)
    return math.fsum(numbers) / len(numbers) if numbers else 0.0
