"""Partitionings of a table by what its queries ask, beside the recommended layout.

Each is simulated on the sample that columns are searched on, its partitions clustered by the
recommended columns, and judged by the same measure: the share of rows in files that the queries
must read. A partition has files of its own, however few its rows are, and more files read less
whatever divides them; the recommended layout is therefore looked at in as many files, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.parquet.comparables import is_text, is_time, to_python
from hudi_zorder.recommendation.column_search import HANDFUL, ColumnSearch
from hudi_zorder.recommendation.partitioning import DAY, MONTH, VALUE, YEAR, Partitioning
from hudi_zorder.simulation.dry_run import DryRun
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.numbered_column import NumberedColumn
from hudi_zorder.times import time_zone

if TYPE_CHECKING:
    import pyarrow as pa

MUCH: Final = 0.8  # of the rows that are read otherwise, for a table to be written anew
_FEW: Final = 0.5  # of the files that are opened otherwise, where no more rows are read
_AS_MANY: Final = 1.02  # what rows may be more by chance
_MOST_FILES: Final = 2.0  # against the recommended layout, whose files are full

_LENGTHS: Final[Mapping[str, int]] = {YEAR: 4, MONTH: 7, DAY: 10}  # of times as ISO writes them


@dataclass(frozen=True)
class _Division:
    """Sampled rows by partition: the number of each row's, and which these are."""

    column: str
    unit: str
    groups: pa.Array
    names: Sequence[str]


@dataclass(frozen=True)
class TriedPartitionings:
    """What dividing the table otherwise would bring.

    Attributes:
        tried: what was tried, the least share first.
        best: the one that is worth writing the table anew; None when none is.
        notes: how sure that is, or why nothing was tried.
    """

    tried: Sequence[Partitioning] = ()
    best: Partitioning | None = None
    notes: Sequence[str] = ()

    @property
    def advice(self) -> list[str]:
        """What to know of it, in sentences."""
        if self.best:
            return [self.best.advice]
        return [f"no partitioning is clearly better: {part.gain}" for part in self.tried[:1]]


class PartitioningTrials:
    """Simulates partitionings.

    Args:
        search: the search that has found the recommended layout, on the same sample.
        found: the plan of the whole table, and the sample.
        weights: the weights of the recommended columns.
        files: the files of the recommended layout; those of now, where it is none better.
        file_bytes: bytes of a full file.
        zone: the session's time zone, in which days begin; UTC where nobody knows.
    """

    def __init__(
        self,
        search: ColumnSearch,
        found: DryRun,
        weights: Mapping[str, float],
        files: FileSet,
        file_bytes: int,
        zone: str | None,
    ) -> None:
        self._search = search
        self._found = found
        self._weights = weights
        self._file_bytes = file_bytes
        self._zone = time_zone(zone or "UTC")
        self._files = len(files.files)
        self._share = search.weighed(search.shares(files))
        self._opened = search.opened(files)
        self._full = math.ceil(found.bytes / file_bytes)

    def of(self, names: Sequence[str]) -> TriedPartitionings:
        """Returns what dividing the table by columns brings, and by none if it is divided now.

        Left out is what would make a single partition, or more than the table fills files.

        Args:
            names: the columns that queries ask and that the table is not partitioned by.
        """
        looked, slices = len(self._found.now.files), len(self._found.snapshot.slices)
        if looked < slices:
            part = f"only {looked:,} of {slices:,} file groups were looked at"
            return TriedPartitionings(notes=[f"no partitionings were tried: {part}"])
        tried = [self._tried(part) for name in names for part in self._divisions(name)]
        if self._found.snapshot.config.partition_fields:
            tried.append(self._tried(self._undone()))
        if not tried:
            return TriedPartitionings()
        tried.sort(key=lambda part: (part.share, part.files))
        best = next(filter(self.is_clearly_better, tried), None)
        rows = f"{self._found.sample.rows:,} sampled rows"
        return TriedPartitionings(
            tried, best, [f"partitions are those of the {rows}; there may be more"]
        )

    def _undone(self) -> _Division:
        import pyarrow as pa

        return _Division("", "", pa.array([0] * self._found.sample.rows, pa.int32()), [""])

    def is_clearly_better(self, tried: Partitioning) -> bool:
        """Returns whether a partitioning is worth that the table is written anew.

        Its files are at least half full, and the queries read a fifth fewer rows than of the
        recommended layout in as many files; or they open at most half of its files, and read no
        more rows. Nothing is better than a layout of which they read none.
        """
        if tried.files > _MOST_FILES * self._files:
            return False
        fewer_files = tried.opened <= _FEW * self._opened
        return tried.share < (_AS_MANY if fewer_files else MUCH) * tried.share_otherwise

    def _divisions(self, name: str) -> Iterator[_Division]:
        column = self._found.sample.columns[name]
        for unit in _units(column):
            division = self._division(name, unit, column)
            if 2 <= len(division.names) <= self._full:
                yield division

    def _division(self, name: str, unit: str, column: NumberedColumn) -> _Division:
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = column.leaf.arrow_type
        of_values = [partition_of(to_python(v, kind), unit, self._zone) for v in column.values]
        names = sorted(set(of_values))
        places = {part: place for place, part in enumerate(names)}
        of_codes = pa.array([places[part] for part in of_values], pa.int32())
        groups = of_codes.take(column.codes)
        if groups.null_count:
            groups = pc.fill_null(groups, pa.scalar(len(names), pa.int32()))
            names.append("null")
        return _Division(name, unit, groups, names)

    def _tried(self, division: _Division) -> Partitioning:
        layout = self._search.layout(self._inside(division))
        rows = self._found.sample.divided(division.groups, division.names).rows_of_groups
        fill = self._found.bytes / self._file_bytes / sum(rows)
        filled = [fill * number for number in rows]
        numbers = [max(1, math.ceil(number)) for number in filled]
        files = self._found.divided(layout, division.groups, division.names, numbers)
        return Partitioning(
            column=division.column,
            unit=division.unit,
            partitions=len(numbers),
            small_partitions=sum(number < 0.5 for number in filled),
            files=sum(numbers),
            opened=self._search.opened(files),
            share=self._search.weighed(self._search.shares(files)),
            share_otherwise=self._otherwise(sum(numbers)),
        )

    def _inside(self, division: _Division) -> Mapping[str, float]:
        """Returns the weights inside a partition, without a column that has one value there."""
        rest = {name: w for name, w in self._weights.items() if name != division.column}
        return rest if rest and division.unit == VALUE else self._weights

    def _otherwise(self, files: int) -> float:
        """Returns what the queries read of the recommended layout, in as many files if more."""
        groups = self._found.groups
        more = max(1.0, files / sum(group.files for group in groups))
        sample = self._found.sample
        alike = self._found.divided(
            self._search.layout(self._weights),
            sample.groups,
            [group.partition for group in groups],
            [math.ceil(more * group.files) for group in groups],
        )
        return min(self._share, self._search.weighed(self._search.shares(alike)))


def partition_of(value: Any, unit: str, zone: tzinfo) -> str:
    """Returns the partition that a value is in, of those by its year, month, day or itself."""
    if isinstance(value, datetime) and value.tzinfo is not None:
        # A day from either end of the calendar the zone's own time may lie beyond it.
        with suppress(OverflowError):
            value = value.astimezone(zone)
    if unit in _LENGTHS and isinstance(value, date):
        return value.isoformat()[: _LENGTHS[unit]]
    return str(value)


def _units(column: NumberedColumn) -> Sequence[str]:
    """Returns by what of its values a column may divide a table, if at all."""
    import pyarrow.types as t

    kind = column.leaf.arrow_type
    if t.is_date32(kind):
        return (YEAR, MONTH, VALUE)
    if is_time(kind):
        return (YEAR, MONTH, DAY)
    makes_folders = is_text(kind) or t.is_signed_integer(kind) or t.is_boolean(kind)
    return (VALUE,) if makes_folders and len(column.values) <= HANDFUL else ()
