"""A plan that nobody wrote, whose rows are sampled and dealt out to files by a layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, SparkSession

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class PlannedGroup:
    """What a plan would take together: a partition, unless that is divided.

    Attributes:
        partition: its folder relative to the table, ``""`` when not partitioned.
        file_ids: the file groups that would be replaced.
        files: how many files would replace them.
    """

    partition: str
    file_ids: tuple[str, ...]
    files: int


class Preview:
    """A plan that nobody wrote, and a sample of the rows that it would rewrite.

    Attributes:
        groups: its clustering groups.
    """

    def __init__(self, spark: SparkSession, preview: Any) -> None:
        self._spark = spark
        self._preview = preview
        lines = (line.split("\t", 2) for line in preview.describe().split("\n"))
        self.groups = tuple(
            PlannedGroup(partition, tuple(ids.split(",")), int(files))
            for files, ids, partition in lines
        )

    def sample(
        self, columns: Sequence[str], rows: Sequence[int], size: int
    ) -> tuple[pa.Array, list[pa.Array]]:
        """Samples rows, the same ones for the same rows and seed.

        Args:
            columns: the columns to be looked at.
            rows: about how many rows each group has.
            size: rows to sample at least, or all there are.

        Returns:
            The number of each row's group, and the values of each column.
        """
        import pyarrow as pa

        frame = DataFrame(self._preview.sample(list(columns), list(rows), size), self._spark)
        # Spark's public ways to Arrow all go through pandas.
        batches = frame._collect_as_arrow()
        if not batches:
            return pa.array([], pa.int32()), [pa.nulls(0) for _ in columns]
        groups, *values = pa.Table.from_batches(batches).columns
        return groups.combine_chunks(), [column.combine_chunks() for column in values]

    def is_whole(self) -> bool:
        """Tells whether the sample has every row."""
        return bool(self._preview.isWhole())

    def files(self, layout: Mapping[str, str]) -> pa.Array:
        """Returns the number of the file that each sampled row would go to under a layout.

        Args:
            layout: Hudi options, whose sort columns are among those of the plan.
        """
        return _numbers(self._preview.files(dict(layout)))

    def files_of_groups(
        self,
        layout: Mapping[str, str],
        groups: pa.Array,
        rows: Sequence[float],
        files: Sequence[int],
    ) -> pa.Array:
        """Returns the same, were the rows divided into other groups.

        Args:
            layout: as ``files`` takes it.
            groups: the number of each sampled row's group, as int32.
            rows: about how many rows each group has.
            files: how many files each group is to fill.
        """
        width = groups.type.bit_width // 8
        numbers = groups.buffers()[1].slice(width * groups.offset, width * len(groups))
        found = self._preview.filesOfGroups(
            dict(layout), numbers.to_pybytes(), [round(number) for number in rows], list(files)
        )
        return _numbers(found)


def _numbers(found: bytes) -> pa.Array:
    """Returns Java's four bytes for each row as int32."""
    import pyarrow as pa

    whole = bytes(found)
    return pa.Array.from_buffers(pa.int32(), len(whole) // 4, [None, pa.py_buffer(whole)])
