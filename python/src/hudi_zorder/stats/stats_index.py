"""The entries of the column-statistics index, by which Spark skips files, as comparables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.metadata_table.stats_batches import UNKNOWN, StatsBatch
from hudi_zorder.metadata_table.stats_layers import ColumnStatsIndex
from hudi_zorder.parquet.comparables import Comparable, is_binary, is_text, numbers_to_arrow
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.writer_traits import WriterTraits
from hudi_zorder.progress import progress
from hudi_zorder.stats.footer_stats import changed_schema
from hudi_zorder.stats.indexed_types import IndexedType, dtype_of
from hudi_zorder.stats.stats_table import ColumnValues

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_TEXTS: Final = "BYTE_ARRAY"
_NO_CHARACTER: Final = "\ufffd".encode()  # what Java makes of bytes that are no text
_ANY_WRITER: Final = WriterTraits(
    nan_shows_in_bounds=False, orders_bytes=True, calendar_is_certain=False
)
_NO_ENTRY: Final = "the index has no entry of it"
_NO_BOUNDS: Final = "the index has no bounds of it, as where a NaN is among the values"
_OTHER_TYPE: Final = "it is of another type in the index"


@dataclass(slots=True)
class IndexColumn:
    """What the index has of one column: in each array a member for each file, in order.

    Attributes:
        held: whether it has an entry of the file.
        rows: rows, nulls included.
        null_count: nulls; ``UNKNOWN`` when unknown.
        bytes: the column's bytes in the file; ``UNKNOWN`` when unknown.
        low: the smallest value as a comparable, where there are bounds.
        high: the largest, likewise.
        bounded: whether there are bounds: they are known, and not all values are null.
        unknown: why the bounds are not known; None when they are.
        certain: whether no fault of Hudi's can have made the entry what it is. The index tells
            neither a NaN, which makes bounds of 0, nor values without statistics, as long ones are,
            which it counts as nulls, nor by which calendar old dates were written.
    """

    held: Flags
    rows: Numbers
    null_count: Numbers
    bytes: Numbers
    low: NDArray[Any]
    high: NDArray[Any]
    bounded: Flags
    unknown: NDArray[np.object_]
    certain: Flags

    @classmethod
    def empty(cls, count: int, dtype: type) -> IndexColumn:
        """Returns one that has nothing of so many files.

        Args:
            count: how many.
            dtype: that of the column's comparables.
        """
        import numpy as np

        return cls(
            held=np.zeros(count, np.bool_),
            rows=np.full(count, UNKNOWN, np.int64),
            null_count=np.full(count, UNKNOWN, np.int64),
            bytes=np.full(count, UNKNOWN, np.int64),
            low=np.zeros(count, dtype),
            high=np.zeros(count, dtype),
            bounded=np.zeros(count, np.bool_),
            unknown=np.full(count, _NO_ENTRY, np.object_),
            certain=np.zeros(count, np.bool_),
        )

    def bounds(self) -> tuple[list[Comparable | None], list[Comparable | None]]:
        """Returns the smallest and the largest values, None where there are no bounds."""
        return _listed(self.low, self.bounded), _listed(self.high, self.bounded)

    def null_counts(self) -> list[int | None]:
        """Returns the nulls, None where they are unknown."""
        return _listed(self.null_count, self.null_count != UNKNOWN)

    def arrays(self, arrow_type: pa.DataType) -> list[pa.Array]:
        """Returns the fields of the table of statistics; takes the column's type."""
        import pyarrow as pa

        if self.low.dtype == object:
            low, high = self.bounds()
            sizes, unknown = _listed(self.bytes, self.bytes != UNKNOWN), self.unknown.tolist()
            values = ColumnValues(arrow_type, low, high, self.null_counts(), sizes, unknown)
            return list(values.arrays())
        ends = (numbers_to_arrow(end, self.bounded, arrow_type) for end in (self.low, self.high))
        counts = (pa.array(n, mask=n == UNKNOWN) for n in (self.null_count, self.bytes))
        return [*ends, *counts, pa.array(self.unknown, pa.string())]

    def take(self, files: Numbers, other: IndexColumn, which: Flags) -> None:
        """Takes what another one has of some of its files, as of these."""
        for field in fields(self):
            getattr(self, field.name)[files] = getattr(other, field.name)[which]

    def without_bounds(self, files: Numbers, why: str) -> None:
        """Forgets the bounds and nulls that it has of some files."""
        files = files[self.held[files]]
        self.null_count[files] = UNKNOWN
        self.bounded[files] = self.certain[files] = False
        self.unknown[files] = why


def _listed(values: NDArray[Any], known: Flags) -> list[Any]:
    found = values.astype(object)
    found[~known] = None
    return list(found)


def index_columns(
    snapshot: TableSnapshot, leaves: Mapping[str, ColumnSchema], logs: Sequence[str] = ()
) -> Iterator[tuple[str, IndexColumn]]:
    """Yields each column with the index's entries of the latest base files, and of log files.

    A table without the index has none of any column. The files of a column are the slices' base
    files, in the order of the slices, and then the log files.

    Args:
        snapshot: the table.
        leaves: the columns by name.
        logs: names of log files.

    Raises:
        TableError: when the index cannot be read, or is damaged.
    """
    import numpy as np

    bases = [(number, part.base) for number, part in enumerate(snapshot.slices) if part.base]
    count = len(snapshot.slices) + len(logs)
    of_logs = zip(range(len(snapshot.slices), count), logs, strict=True)
    numbers: dict[str, int] = {}
    for number, name in [*((number, base.name) for number, base in bases), *of_logs]:
        # Of files of one name in two partitions, which buckets may have, no entry tells which.
        numbers[name] = -1 if name in numbers else number
    by_name: dict[bytes | None, int] = {
        name.encode("utf-8"): number for name, number in numbers.items()
    }
    changed = np.array(
        [number for number, base in bases if snapshot.precedes_schema_change(base.path)], np.int64
    )
    files = numbers.keys()
    with progress("Reading the index", len(leaves)) as advance:
        index = ColumnStatsIndex.of(snapshot)
        for name, leaf in leaves.items():
            column = IndexColumn.empty(count, dtype_of(leaf.arrow_type))
            conversion = _Conversion(leaf, column)
            for batch in index.batches(name, files) if leaf.is_written else ():
                conversion.add(batch, by_name)
            if len(changed):  # it may be of another column that had the name
                column.without_bounds(changed, changed_schema(snapshot))
            yield name, column
            advance(1)


class _Conversion:
    """Makes entries of one column's records.

    Args:
        leaf: the column.
        column: is filled.
    """

    def __init__(self, leaf: ColumnSchema, column: IndexColumn) -> None:
        self._leaf = leaf
        self._column = column
        self._dtype = dtype_of(leaf.arrow_type)
        self._is_text = leaf.physical_type == _TEXTS
        self._uncertain_below = _ANY_WRITER.certain_from(leaf.arrow_type)
        self._by_type: dict[Any, IndexedType] = {}

    def add(self, batch: StatsBatch, names: Mapping[bytes | None, int]) -> None:
        """Adds what records tell of files with these names, which have these numbers."""
        import numpy as np

        files = np.fromiter(map(names.get, batch.files, repeat(-1)), np.int64, len(batch.files))
        counts = (files >= 0) & ~batch.deleted & (batch.rows != 0) & (batch.rows != UNKNOWN)
        self._column.take(files[counts], self._told(batch), counts)

    def _told(self, batch: StatsBatch) -> IndexColumn:
        """Returns what records tell, each of a file of its own."""
        import numpy as np

        # Hudi 1.2.0 records the bounds of a file without values as 0, and takes values that have
        # no statistics for nulls.
        empty = batch.null_count == batch.rows
        of = self._of_type(batch)
        low, high, bounded = self._bounds(batch, of)
        bounded &= ~empty
        unknown = np.full(len(empty), None, object)
        unknown[~bounded & ~empty] = _NO_BOUNDS if of.is_same else _OTHER_TYPE
        comparable = bounded & of.is_alike & self._leaf.bounds_are_ordered
        return IndexColumn(
            held=np.ones(len(empty), np.bool_),
            rows=batch.rows,
            null_count=batch.null_count,
            bytes=batch.size,
            low=low,
            high=high,
            bounded=bounded,
            unknown=unknown,
            certain=comparable & self._certain(low, high, batch.null_count, comparable),
        )

    def _of_type(self, batch: StatsBatch) -> IndexedType:
        own = batch.wrapper, batch.kind, batch.detail
        if own not in self._by_type:
            self._by_type[own] = IndexedType.of(*own, self._leaf.arrow_type)
        return self._by_type[own]

    def _bounds(
        self, batch: StatsBatch, of: IndexedType
    ) -> tuple[NDArray[Any], NDArray[Any], Flags]:
        """Returns the bounds as comparables, and where both of them are."""
        import numpy as np

        if batch.low is None or batch.high is None:
            nothing: NDArray[Any] = np.zeros(len(batch.files), self._dtype)
            return nothing, nothing, np.zeros(len(nothing), np.bool_)
        low, has_low = of.comparables(batch.low, self._dtype)
        high, has_high = of.comparables(batch.high, self._dtype)
        bounded = has_low & has_high
        if self._dtype is float:  # a NaN is not even equal to itself
            bounded &= (low == low) & (high == high)
        return low, high, bounded

    def _certain(
        self, low: NDArray[Any], high: NDArray[Any], nulls: Numbers, looked: Flags
    ) -> Flags:
        """Tells of bounds that are looked at whether no fault of Hudi's can have made them."""
        import numpy as np

        if self._leaf.is_float:
            # One row group with a NaN counts as 0, whatever those beside it have.
            return (low > 0) | (high < 0)
        if self._uncertain_below is not None:
            return low >= self._uncertain_below
        if is_binary(self._leaf.arrow_type):  # Hudi compares them as signed bytes
            return np.zeros(len(nulls), np.bool_)
        certain = nulls == 0 if self._is_text else np.ones(len(nulls), np.bool_)
        if is_text(self._leaf.arrow_type):
            ends = zip(low[looked], high[looked], strict=True)
            certain[looked] &= np.array([_are_least_and_greatest(*e) for e in ends], np.bool_)
        return certain


def _are_least_and_greatest(low: bytes, high: bytes) -> bool:
    """Tells whether texts are the ends by their bytes, too, where Hudi has compared them as Java's.

    It merges the ends of row groups, and of blocks of a log, in the order of UTF-16, where what
    UTF-8 begins with F0 lies below what it begins with EE or EF.
    """
    return _NO_CHARACTER not in low and max(low, default=0) < 0xF0 and not {0xEE, 0xEF} & set(high)
