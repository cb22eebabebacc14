"""What a file may hold beyond the rows that were sampled of it.

Of a file of a million rows a thousand are sampled: what one row in ten thousand has, such as the
latest hour or a null, most of its files have and few of their sampled rows show. A file is taken to
have what it would more likely than not if it were like the whole, unless so many sampled rows would
hardly have missed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.simulation.numbered_column import NumberedColumn

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

_HARDLY_MISSED: Final = 5.0  # rows that a sample ought to have: one in 150 has none of them
_LIKELY: Final = 0.7  # rows of a file that nobody sampled: it has one more likely than none


@dataclass(frozen=True)
class _Whole:
    """What a part is a part of.

    Attributes:
        codes: of its sampled values, in ascending order, without those of null and NaN.
        low: no value lies below it; None where there is no value.
        high: no value but NaN lies above it; None like ``low``.
        nulls: the share of its rows without a value.
    """

    codes: NDArray[np.int64]
    low: Comparable | None
    high: Comparable | None
    nulls: float


class UnseenRows:
    """What files may hold of one column beyond their sampled rows.

    A file is looked at beside its group, and a group beside all that was sampled.

    Args:
        column: the sampled values.
        groups: the number of each row's group.
        known: what the present files' statistics say of all rows; None where they say nothing.
    """

    def __init__(self, column: NumberedColumn, groups: pa.Array, known: Bounds | None) -> None:
        import numpy as np

        self._values = column.values
        # As Python's numbers are taken: of another type all are converted for each search.
        codes = column.codes.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        of_rows = groups.to_numpy(zero_copy_only=False).astype(np.int64)
        order = np.lexsort((codes, of_rows))
        self._codes, self._numbers = codes[order], of_rows[order]
        low = [self._values[0]] if self._values else []
        high = [self._values[-1]] if self._values else []
        nulls = column.nulls
        if known is not None:
            low += [known.low] if known.low is not None else []
            high += [known.high] if known.high is not None else []
            if known.null_count is not None and known.rows:
                nulls = known.null_count / known.rows
        self._all = _Whole(
            self._of_values(np.sort(codes)),
            min(low, default=None),
            max(high, default=None),
            nulls,
        )
        self._groups: dict[int, _Whole] = {}

    def bounds(
        self, group: int, weight: float, rows: int, low: int | None, high: int | None, valid: int
    ) -> Bounds:
        """Returns a file's bounds, in sampled rows.

        Args:
            group: the number of its group.
            weight: how many rows a sampled one stands for.
            rows: its sampled rows.
            low: the code of the least of their values; None where all are null.
            high: the code of the greatest, which is no NaN.
            valid: how many are not null.
        """
        whole = self._group(group, weight)
        ends = self._ends(whole, weight, rows, low, high, valid)
        nulls = rows - valid
        if valid < rows and (valid or ends is None):
            return Bounds(rows, nulls, *(ends or (None, None)))
        unclear = not valid or _may_be_unseen(rows * whole.nulls, weight)
        return Bounds(rows, None if unclear else 0, *(ends or (None, None)))

    def _group(self, group: int, weight: float) -> _Whole:
        import numpy as np

        if group not in self._groups:
            first = np.searchsorted(self._numbers, group)
            rows = self._codes[first : np.searchsorted(self._numbers, group, "right")]
            codes = self._of_values(rows)
            nulls = int(np.searchsorted(rows, 0)) / len(rows)
            if not nulls and _may_be_unseen(len(rows) * self._all.nulls, weight):
                nulls = self._all.nulls
            low, high = (int(codes[0]), int(codes[-1])) if len(codes) else (None, None)
            ends = self._ends(self._all, weight, len(rows), low, high, len(codes))
            self._groups[group] = _Whole(codes, *(ends or (None, None)), nulls)
        return self._groups[group]

    def _of_values(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns sorted codes without those of null, which come first, and NaN, which is last."""
        import numpy as np

        return codes[np.searchsorted(codes, 0) : np.searchsorted(codes, len(self._values))]

    def _ends(
        self,
        whole: _Whole,
        weight: float,
        rows: int,
        low: int | None,
        high: int | None,
        valid: int,
    ) -> tuple[Comparable | None, Comparable | None] | None:
        """Returns between which values those of a part of a whole lie; None where it has none."""
        import numpy as np

        if low is None or high is None:
            found = _may_be_unseen(rows * (1 - whole.nulls), weight)
            return (whole.low, whole.high) if found else None
        below = int(np.searchsorted(whole.codes, low))
        inside = int(np.searchsorted(whole.codes, high, "right")) - below
        above = len(whole.codes) - below - inside
        # Which share of the values in its range a part has: all where it is sorted by the column,
        # and as many as of any values where it is not. A few values tell of no range.
        share = valid / (inside if valid > _HARDLY_MISSED else len(whole.codes))
        first: Comparable | None = self._values[low]
        last: Comparable | None = self._values[high]
        if (left := _left_out(share, below, weight)) < below or not left:
            first = self._values[whole.codes[left]] if left else whole.low
        if (left := _left_out(share, above, weight)) < above or not left:
            last = self._values[whole.codes[-1 - left]] if left else whole.high
        return first, last


def _left_out(share: float, beyond: int, weight: float) -> int:
    """Returns how many sampled values of a whole lie beyond the values of one of its parts.

    Args:
        share: what the part has of the values of the whole, in the part's range.
        beyond: how many lie beyond the sampled values of the part.
        weight: how many rows a sampled one stands for.
    """
    if share * max(1, beyond) > _HARDLY_MISSED:
        return max(1, beyond)
    # Of so few values there may well be one more than was sampled.
    return max(0, int(_LIKELY / (share * (weight - 1))) - 1)


def _may_be_unseen(expected: float, weight: float) -> bool:
    """Returns whether a part may have rows of a kind of which none was sampled.

    Args:
        expected: how many sampled rows it had if it were like the whole.
        weight: how many rows a sampled one stands for.
    """
    return expected <= _HARDLY_MISSED and expected * (weight - 1) >= _LIKELY
