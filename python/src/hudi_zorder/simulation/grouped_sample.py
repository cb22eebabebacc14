"""A sample of the rows of a plan's groups, and the statistics of the files that they go to.

The sample says which values exist and how many rows have them, in place of files that do not exist
yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import comparable_alike
from hudi_zorder.parquet.file_schema import ColumnSchema, unwritten_leaf
from hudi_zorder.simulation.file_set import SimulatedFile
from hudi_zorder.simulation.numbered_column import NumberedColumn, counted
from hudi_zorder.simulation.unseen_rows import UnseenRows

if TYPE_CHECKING:
    import pyarrow as pa


class GroupedSample:
    """Sampled rows of the clustering groups of a plan.

    Args:
        groups: the number of each row's group.
        values: the rows' values, an array for each of ``leaves``.
        leaves: the columns by their names.
        partitions: the partition of each group.
        rows: how many rows each group has.
        nan_shows: whether the table's writer lets a NaN show in the bounds of a file.
        known: what the present files' statistics say of columns; nothing where they are unknown.
        is_whole: whether all rows were sampled, however many the groups are thought to have.
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
        known: Mapping[str, Bounds] | None = None,
        is_whole: bool = False,
    ) -> None:
        self.rows = len(groups)
        self._partitions = partitions
        self._rows = rows
        self._nan_shows = nan_shows
        self._known = known or {}
        self._is_whole = is_whole
        self._unseen: dict[str, UnseenRows] = {}
        self._groups = groups
        sampled = dict(counted(self._groups))
        # How many rows a sampled row stands for, by group.
        self._weights = {g: rows[g] / count for g, count in sampled.items()}
        weight_of_row = None
        if len(set(self._weights.values())) > 1:
            weight_of_row = [self._weights[g] for g in self._groups.to_pylist()]
        weight = next(iter(self._weights.values()), 1.0)
        self.columns = {
            name: NumberedColumn.of(array, _as_sampled(leaf, array.type), weight, weight_of_row)
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

    def divided(self, groups: pa.Array, partitions: Sequence[str]) -> GroupedSample:
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
        other._unseen = {}
        other._weights = {g: rows[g] / count for g, count in counted(groups)}
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
                name, groups, counts, *(found[f"{key}_{kind}"].to_pylist() for kind in kinds)
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
        groups: Sequence[int],
        counts: Sequence[int],
        lows: Sequence[int | None],
        highs: Sequence[int | None],
        valid: Sequence[int],
    ) -> list[Bounds]:
        column = self.columns[name]
        values, leaf = column.values, column.leaf
        may_hold_nan = leaf.is_float and not self._nan_shows
        found = []
        parts = zip(groups, counts, lows, highs, valid, strict=True)
        for group, rows, low, high, number in parts:
            weight = 1.0 if self._is_whole else self._weights[group]
            bounds = Bounds(rows, rows - number, None, None)
            if high == len(values):  # a NaN
                bounds = Bounds(rows, rows - number, None, None, True)
            elif weight > 1:
                bounds = self._unseen_of(name).bounds(group, weight, rows, low, high, number)
                bounds.may_hold_nan = may_hold_nan and not bounds.all_null
            elif low is not None and high is not None:
                bounds = Bounds(rows, rows - number, values[low], values[high], may_hold_nan)
            found.append(leaf.certain_bounds(bounds))
        return found

    def _unseen_of(self, name: str) -> UnseenRows:
        if name not in self._unseen:
            column = self.columns[name]
            known = self._known.get(name) if column.leaf.is_written else None
            self._unseen[name] = UnseenRows(column, self._groups, known)
        return self._unseen[name]


def _as_sampled(leaf: ColumnSchema, arrow_type: pa.DataType) -> ColumnSchema:
    """Returns the column of rows that have it in a type which may be none of the files yet."""
    is_alike = comparable_alike(leaf.arrow_type, arrow_type)
    return leaf if is_alike else unwritten_leaf(leaf.name, arrow_type)
