"""The sampled values of a column: which there are, and how many rows have each."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, from_arrow, is_float
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.value_tests import ValueTest

if TYPE_CHECKING:
    import pyarrow as pa

_TESTED: Final = 4096  # values that a test's selectivity is taken from


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

    @classmethod
    def of(
        cls,
        array: pa.Array,
        leaf: ColumnSchema,
        weight: float,
        weight_of_row: Sequence[float] | None,
    ) -> NumberedColumn:
        """Returns a column by the values of sampled rows.

        Args:
            array: the values.
            leaf: the column.
            weight: how many rows a sampled one stands for.
            weight_of_row: the same by row, where they differ; None where they do not.
        """
        import pyarrow.compute as pc

        if is_float(array.type):  # logs keep the bits of a NaN, which are many
            array = pc.if_else(pc.is_nan(array), pc.cast(math.nan, array.type), array)
        distinct = pc.unique(array.drop_null())
        distinct = distinct.take(pc.array_sort_indices(distinct))  # a NaN comes last
        codes = pc.index_in(array, value_set=distinct)
        if is_float(array.type):
            distinct = distinct.filter(pc.invert(pc.is_nan(distinct)))
        size = len(distinct)
        rows = _rows_by_code(codes, weight, weight_of_row)
        missing = rows.pop(None, 0.0)
        total = weight * len(array) if weight_of_row is None else sum(weight_of_row)
        return cls(
            leaf=leaf,
            values=from_arrow(distinct),  # type: ignore[arg-type]
            below=[0.0, *accumulate(rows.get(code, 0.0) for code in range(size))],
            nan_rows=rows.get(size, 0.0),
            nulls=missing / total if total else 0.0,
            codes=codes,
        )

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


def counted(values: pa.Array) -> list[tuple[int, int]]:
    """Returns the values of an array, each with how often it is there."""
    counts = values.value_counts()
    return [(row["values"], row["counts"]) for row in counts.to_pylist()]


def _rows_by_code(
    codes: pa.Array, weight: float, weight_of_row: Sequence[float] | None
) -> dict[int | None, float]:
    """Returns how many rows the sampled ones with each code stand for; None is the code of null."""
    if weight_of_row is None:
        return {code: count * weight for code, count in counted(codes)}
    import pyarrow as pa

    table = pa.table({"code": codes, "weight": pa.array(weight_of_row, pa.float64())})
    sums = table.group_by("code").aggregate([("weight", "sum")])
    return {row["code"]: row["weight_sum"] for row in sums.to_pylist()}
