"""What statistics say of one column's values in a file, a row group or a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hudi_zorder.parquet.comparables import Comparable


@dataclass(slots=True)
class Bounds:
    """Bounds of one column's values, not always reached by one (writers may cut long texts).

    There are millions of them, and frozen ones take four times as long to make.

    Attributes:
        rows: rows, nulls included.
        null_count: nulls; None when unknown.
        low: no value lies below it; None when unknown or when all are null.
        high: no value but NaN lies above it; None like ``low``.
        may_hold_nan: whether there may be a NaN, which Spark puts above all others.
    """

    rows: int
    null_count: int | None
    low: Comparable | None
    high: Comparable | None
    may_hold_nan: bool = False

    @classmethod
    def of_written(
        cls,
        rows: int,
        null_count: int | None,
        written: tuple[Comparable, Comparable] | None,
        *,
        is_float: bool,
        nan_shows: bool,
    ) -> Bounds:
        """Returns bounds as a Parquet writer left them, without those that NaN spoilt.

        Args:
            rows: rows, nulls included.
            null_count: nulls; None when unknown.
            written: the smallest and the largest value; None when not written.
            is_float: whether a value can be NaN.
            nan_shows: whether this writer lets a NaN among the values show as the largest.
        """
        if written is None or (is_float and any(math.isnan(value) for value in written)):  # type: ignore[arg-type]
            return cls(rows, null_count, None, None, is_float)
        return cls(rows, null_count, *written, is_float and not nan_shows)

    def without_range(self) -> Bounds:
        """Returns what is left when the range is not to be trusted."""
        return Bounds(self.rows, self.null_count, None, None, self.may_hold_nan)

    @property
    def all_null(self) -> bool:
        """Whether there is surely no value but null."""
        return self.null_count == self.rows

    @property
    def known(self) -> bool:
        """Whether the range of the values is known, be it empty."""
        return self.all_null or self.low is not None


def merge_bounds(parts: Sequence[Bounds]) -> Bounds:
    """Returns the bounds of all parts together: unknown where any part's are."""
    if len(parts) == 1 and not parts[0].all_null and None not in (parts[0].low, parts[0].high):
        return parts[0]
    nulls = [part.null_count for part in parts if part.null_count is not None]
    filled = [part for part in parts if not part.all_null]
    known = all(part.known for part in filled)
    lows = [part.low for part in filled if part.low is not None] if known else []
    highs = [part.high for part in filled if part.high is not None] if known else []
    return Bounds(
        sum(part.rows for part in parts),
        sum(nulls) if len(nulls) == len(parts) else None,
        min(lows, default=None),
        max(highs, default=None),
        any(part.may_hold_nan for part in filled),
    )
