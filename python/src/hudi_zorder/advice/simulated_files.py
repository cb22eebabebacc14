"""Files that do not exist yet: their statistics, from a sample of the rows they would hold.

Real files are looked at in the same way, so that now and then compare: the sample says which values
exist and how many rows have them, the statistics of the files say which of them must be read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, from_arrow, is_float
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest

if TYPE_CHECKING:
    import pyarrow as pa

_TESTED = 4096  # values that a test's selectivity is taken from


@dataclass(frozen=True)
class SimulatedFile:
    """A file as the simulation sees it, there already or yet to be written.

    Attributes:
        partition: its folder relative to the table.
        rows: how many rows it has.
        bounds: by column; None, or none at all, where nothing is known.
    """

    partition: str
    rows: float
    bounds: Mapping[str, Bounds | None]


@dataclass(frozen=True)
class NumberedColumn:
    """The sampled values of one column.

    Attributes:
        leaf: the column.
        values: the distinct values in ascending order, without null and NaN.
        below: rows with a lesser value than each of them, and with any value at the end.
        nan_rows: rows with a NaN.
        nulls: the share of rows without a value.
        codes: for each sampled row the place of its value in ``values``, null for null.
    """

    leaf: ColumnSchema
    values: Sequence[Comparable]
    below: Sequence[float]
    nan_rows: float
    nulls: float
    codes: pa.Array = field(repr=False)

    def rows_within(self, bounds: Bounds | None) -> float:
        """Returns how many rows have a value that lies within bounds."""
        if bounds is None or not bounds.known:
            return self.below[-1] + self.nan_rows
        found = self.nan_rows if bounds.may_hold_nan else 0.0
        if bounds.low is not None and bounds.high is not None:
            first = bisect_left(self.values, bounds.low)
            last = bisect_right(self.values, bounds.high)
            found += self.below[last] - self.below[first]
        return found

    def selectivity(self, test: ValueTest) -> float:
        """Returns the share of rows that pass a test, from some thousand values."""
        total = self.below[-1] + self.nan_rows
        if not total:
            return 1.0 if test.null_passes else 0.0
        step = max(1, len(self.values) // _TESTED)
        weighed = [
            (self.below[min(i + step, len(self.values))] - self.below[i], self.values[i])
            for i in range(0, len(self.values), step)
        ]
        passing = sum(weight for weight, value in weighed if test.passes(value))
        passing += self.nan_rows if test.nan_passes else 0.0
        return (1 - self.nulls) * passing / total + (self.nulls if test.null_passes else 0.0)


class RowSample:
    """Sampled rows of the clustering groups of a plan.

    Args:
        groups: the number of each row's group.
        values: the rows' values, an array for each of ``leaves``.
        leaves: the columns by their names.
        partitions: the partition of each group.
        rows: how many rows each group has.
        nan_shows: whether the table's writer lets a NaN show in the bounds of a file.
    """

    def __init__(
        self,
        groups: pa.Array,
        values: Sequence[pa.Array],
        leaves: Mapping[str, ColumnSchema],
        partitions: Sequence[str],
        rows: Sequence[float],
        *,
        nan_shows: bool,
    ) -> None:
        self.rows = len(groups)
        self._partitions = partitions
        self._rows = rows
        self._nan_shows = nan_shows
        self._groups = groups
        sampled = dict(_counted(self._groups))
        # How many rows a sampled row stands for, by group.
        self._weights = {g: rows[g] / count for g, count in sampled.items()}
        weight_of_row = None
        if len(set(self._weights.values())) > 1:
            weight_of_row = [self._weights[g] for g in self._groups.to_pylist()]
        weight = next(iter(self._weights.values()), 1.0)
        self.columns = {
            name: _column(array, leaf, weight, weight_of_row)
            for array, (name, leaf) in zip(values, leaves.items(), strict=True)
        }

    @property
    def groups(self) -> pa.Array:
        """The number of each row's group."""
        return self._groups

    @property
    def rows_of_groups(self) -> Sequence[float]:
        """How many rows each group has."""
        return self._rows

    def divided(self, groups: pa.Array, partitions: Sequence[str]) -> RowSample:
        """Returns the same rows in other groups, each of one partition.

        Args:
            groups: the number of each row's group, as int32.
            partitions: the partition of each group.
        """
        import pyarrow as pa

        table = pa.table({"new": groups, "old": self._groups, "row": groups})
        rows = [0.0] * len(partitions)
        for found in table.group_by(["new", "old"]).aggregate([("row", "count")]).to_pylist():
            rows[found["new"]] += found["row_count"] * self._weights[found["old"]]
        other = copy(self)
        other._groups, other._partitions, other._rows = groups, partitions, rows
        other._weights = {g: rows[g] / count for g, count in _counted(groups)}
        return other

    def files(self, numbers: pa.Array) -> list[SimulatedFile]:
        """Returns the files that the sampled rows go to.

        Args:
            numbers: the number of each row's file; a file is of one group.
        """
        import pyarrow as pa

        names = list(self.columns)
        codes = [self.columns[name].codes for name in names]
        keys = [str(i) for i in range(len(names))]
        table = pa.table([numbers, self._groups, *codes], names=["file", "group", *keys])
        kinds = ("min", "max", "count")
        found = table.group_by("file", use_threads=False).aggregate(
            [("group", "min"), ("group", "count"), *((key, kind) for key in keys for kind in kinds)]
        )
        groups = found["group_min"].to_pylist()
        counts = found["group_count"].to_pylist()
        bounds = {
            name: self._bounds(
                name, counts, *(found[f"{key}_{kind}"].to_pylist() for kind in kinds)
            )
            for name, key in zip(names, keys, strict=True)
        }
        return [
            SimulatedFile(
                self._partitions[group],
                counts[i] * self._weights[group],
                {name: bounds[name][i] for name in names},
            )
            for i, group in enumerate(groups)
        ]

    def _bounds(
        self,
        name: str,
        counts: Sequence[int],
        lows: Sequence[int | None],
        highs: Sequence[int | None],
        valid: Sequence[int],
    ) -> list[Bounds]:
        column = self.columns[name]
        values, leaf = column.values, column.leaf
        found = []
        for rows, low, high, known in zip(counts, lows, highs, valid, strict=True):
            bounds = Bounds(rows, rows - known, None, None)
            if high == len(values):  # a NaN
                bounds = Bounds(rows, rows - known, None, None, True)
            elif low is not None and high is not None:
                may_hold_nan = leaf.is_float and not self._nan_shows
                bounds = Bounds(rows, rows - known, values[low], values[high], may_hold_nan)
            found.append(leaf.certain_bounds(bounds))
        return found


class FileSet:
    """Files, real or forecast, and what is read of them; what was found once is kept.

    Args:
        files: the files.
        within: from a partition's folder to the bounds of its partition columns.
    """

    def __init__(
        self, files: Sequence[SimulatedFile], within: Callable[[str], Mapping[str, Bounds]]
    ) -> None:
        self.files = files
        self.rows = sum(file.rows for file in files)
        self._partitions = {file.partition: within(file.partition) for file in files}
        # As explain does: no file is believed of a partition column that its folder leaves unclear.
        self._unclear = {
            partition: {name for name, bounds in columns.items() if not bounds.known}
            for partition, columns in self._partitions.items()
        }
        self._passing: dict[ValueTest, list[bool]] = {}

    def parts(self, bound: BoundPredicate | None = None) -> list[tuple[float, int]]:
        """Returns rows and files of each partition; no files where a predicate need not look."""
        found = {partition: (0.0, 0) for partition in self._partitions}
        for file in self.files:
            rows, files = found[file.partition]
            found[file.partition] = (rows + file.rows, files + 1)
        opened = self._opened(bound) if bound else found
        return [(rows, files if p in opened else 0) for p, (rows, files) in found.items()]

    def share_of_column(self, column: NumberedColumn) -> float:
        """Returns the mean share of rows that an equality on an existing value must read."""
        values = column.below[-1] + column.nan_rows
        if not self.rows or not values:
            return 0.0
        name = column.leaf.name
        touched = sum(file.rows * column.rows_within(file.bounds.get(name)) for file in self.files)
        return touched / self.rows / values

    def share_of_predicate(self, bound: BoundPredicate) -> float:
        """Returns the share of rows that a predicate must read."""
        read = sum(file.rows for file in self._read_by(bound))
        return read / self.rows if self.rows else 0.0

    def files_of_predicate(self, bound: BoundPredicate) -> int:
        """Returns how many files a predicate must read."""
        return sum(1 for _ in self._read_by(bound))

    def _read_by(self, bound: BoundPredicate) -> Iterator[SimulatedFile]:
        opened = self._opened(bound)
        for i, file in enumerate(self.files):
            unclear = self._unclear[file.partition]

            def passes(test: ValueTest, i: int = i, unclear: set[str] = unclear) -> bool:
                return test.column in unclear or self._passes(test)[i]

            if file.partition in opened and bound.may_hold(passes):
                yield file

    def _opened(self, bound: BoundPredicate) -> set[str]:
        every = self._partitions.items()
        return {name for name, bounds in every if bound.may_hold_within(bounds.get)}

    def _passes(self, test: ValueTest) -> list[bool]:
        if test not in self._passing:
            every = (file.bounds.get(test.column) for file in self.files)
            self._passing[test] = [bounds is None or test.may_pass(bounds) for bounds in every]
        return self._passing[test]


def _counted(values: pa.Array) -> list[tuple[int, int]]:
    counts = values.value_counts()
    return [(row["values"], row["counts"]) for row in counts.to_pylist()]


def _column(
    array: pa.Array, leaf: ColumnSchema, weight: float, weight_of_row: Sequence[float] | None
) -> NumberedColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = pc.unique(array.drop_null())
    distinct = distinct.take(pc.array_sort_indices(distinct))  # a NaN comes last
    codes = pc.index_in(array, value_set=distinct)
    if is_float(array.type):
        distinct = distinct.filter(pc.invert(pc.is_nan(distinct)))
    size = len(distinct)
    weights = [0.0] * (size + 1)
    if weight_of_row is None:
        for code, count in _counted(codes.drop_null()):
            weights[code] = count * weight
        nulls = array.null_count / len(array) if len(array) else 0.0
    else:
        table = pa.table({"code": codes, "weight": pa.array(weight_of_row, pa.float64())})
        sums = table.group_by("code").aggregate([("weight", "sum")])
        missing = 0.0
        for code, number in zip(
            *(sums[n].to_pylist() for n in ("code", "weight_sum")), strict=True
        ):
            if code is None:
                missing = number
            else:
                weights[code] = number
        nulls = missing / sum(weight_of_row)
    below = [0.0, *accumulate(weights[:size])]
    return NumberedColumn(leaf, from_arrow(distinct), below, weights[size], nulls, codes)  # type: ignore[arg-type]
