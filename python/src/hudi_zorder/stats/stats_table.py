"""The table that ``column_stats`` returns, whichever source its numbers come from.

``ZOrderTable.column_stats`` reads the metadata table's column-statistics index, or footers where
there is no index; ``hudi_zorder.stats.footer_stats`` reads footers alone. Both hand the same values
to ``stats_table``, so that the tables of both sources compare equal.

One row for each latest file slice, ordered by partition and file:

==============  =======  ===========================================================================
column          type     meaning
==============  =======  ===========================================================================
partition       string   the partition's folder relative to the table; ``""`` when not partitioned
file            string   name of the base file, without folders; of the first log file where there
                         is no base file
log_files       int64    log files: where there are any, all else but ``bytes`` is as it was before
                         they are merged
rows            int64    rows of the base file; null when unknown
bytes           int64    bytes of the slice, log files included
==============  =======  ===========================================================================

and for each column ``x`` asked for, in that order, ``a.b`` for a nested one, spelt as in the table:

==============  =======  ===========================================================================
x.min, x.max    x's own  no value is smaller or larger, in Spark's order; null when all are null,
                         and when unknown. One that a writer cut short is reached by no value.
x.null_count    int64    nulls; null when unknown
x.bytes         int64    compressed bytes of the column in the file; null when unknown
x.unknown       string   why the bounds are unknown; null when they are known
==============  =======  ===========================================================================

A row for each file with the bounds side by side is how Hudi itself skips files: it transposes its
index so. The fields of each column are those of Iceberg's ``readable_metrics`` and Delta's parsed
statistics, which nest them; they are columns here, since pandas takes structs for dicts, and are
named as ``pyarrow.Table.flatten`` names fields. No two can share a name: those of columns end in
one of five words, and the others have no dot.

The type of the bounds is the table's (``int32``, ``decimal128(7, 2)``, ``timestamp[us, tz=UTC]``
...), also of a file in which the column has another; a bound that has no equal in the table's type
is unknown. The schema's metadata names the ``source``: ``footers``, ``index``, or ``mixed`` where
footers fill or correct the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.parquet.comparables import Comparable, from_arrow, is_text, to_arrow, to_python

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.file_slices import FileSlice

FOOTERS: Final = "footers"
INDEX: Final = "index"
FIELDS: Final = ("min", "max", "null_count", "bytes", "unknown")
_CUT: Final = "it is cut within a character"


@dataclass(slots=True)
class ColumnValues:
    """The statistics of one column, a member of each list for each file; bounds as comparables."""

    arrow_type: pa.DataType
    low: list[Comparable | None] = field(default_factory=list)
    high: list[Comparable | None] = field(default_factory=list)
    null_count: list[int | None] = field(default_factory=list)
    bytes: list[int | None] = field(default_factory=list)
    unknown: list[str | None] = field(default_factory=list)

    def add(
        self,
        low: Comparable | None,
        high: Comparable | None,
        null_count: int | None,
        size: int | None,
        unknown: str | None,
    ) -> None:
        """Appends the statistics in one file."""
        self.low.append(low)
        self.high.append(high)
        self.null_count.append(null_count)
        self.bytes.append(size)
        self.unknown.append(unknown)

    def arrays(self) -> Iterator[pa.Array]:
        """Yields the fields of the table, in their order."""
        import pyarrow as pa

        try:
            low, high = (to_arrow(values, self.arrow_type) for values in (self.low, self.high))
        except pa.ArrowInvalid:
            self._drop_cut_texts()
            low, high = (to_arrow(values, self.arrow_type) for values in (self.low, self.high))
        yield from (low, high)
        yield pa.array(self.null_count, pa.int64())
        yield pa.array(self.bytes, pa.int64())
        yield pa.array(self.unknown, pa.string())

    def _drop_cut_texts(self) -> None:
        if not is_text(self.arrow_type):
            return
        for number, ends in enumerate(zip(self.low, self.high, strict=True)):
            try:
                for end in ends:
                    if isinstance(end, bytes):
                        end.decode("utf-8")
            except UnicodeDecodeError:
                self.low[number] = self.high[number] = None
                self.unknown[number] = _CUT


@dataclass(frozen=True, slots=True)
class ColumnTotal:
    """The statistics of one column over all files; null what is unknown in any of them.

    Attributes:
        column: its name.
        min: its smallest value; a number where it is beyond the years that Python knows.
        max: its largest value, likewise.
        null_count: nulls.
        rows: rows, nulls included.
        bytes: compressed bytes.
        files: the number of files.
    """

    column: str
    min: Any
    max: Any
    null_count: int | None
    rows: int | None
    bytes: int | None
    files: int


def stats_table(
    slices: Sequence[FileSlice],
    rows: Sequence[int | None],
    columns: Mapping[str, Iterable[pa.Array]],
    source: str,
) -> pa.Table:
    """Returns the table that this module's head describes.

    Args:
        slices: the files, in the order that the rows shall have.
        rows: the rows in each.
        columns: the fields of each column asked for, in the order asked.
        source: ``footers`` or ``index``.
    """
    import pyarrow as pa

    arrays = {
        "partition": pa.array([part.partition for part in slices], pa.string()),
        "file": pa.array([part.path.rpartition("/")[2] for part in slices], pa.string()),
        "log_files": pa.array([len(part.logs) for part in slices], pa.int64()),
        "rows": pa.array(rows, pa.int64()),
        "bytes": pa.array([part.size for part in slices], pa.int64()),
    }
    for name, values in columns.items():
        arrays.update(zip(fields_of(name), values, strict=True))
    return pa.table(arrays).replace_schema_metadata({"source": source})


def fields_of(column: str) -> tuple[str, ...]:
    """Returns the names of a column's fields in the table."""
    return tuple(f"{column}.{part}" for part in FIELDS)


def columns_of(stats: pa.Table) -> list[str]:
    """Returns the columns that a table has statistics of."""
    last = f".{FIELDS[-1]}"
    return [name.removesuffix(last) for name in stats.column_names if name.endswith(last)]


def values_of(stats: pa.Table, column: str) -> ColumnValues:
    """Returns the statistics of one column of a table that ``stats_table`` made."""
    low, high, *others = (stats[name].combine_chunks() for name in fields_of(column))
    plain = (array.to_pylist() for array in others)
    return ColumnValues(low.type, from_arrow(low), from_arrow(high), *plain)


def rows_of(stats: pa.Table) -> list[dict[str, Any]]:
    """Returns the table's rows as Python has them.

    Bounds beyond the years that Python knows stay numbers, of which ``to_pylist`` makes an error.
    """
    bounds = {}
    for column in columns_of(stats):
        values, (low, high, *_) = values_of(stats, column), fields_of(column)
        for name, ends in ((low, values.low), (high, values.high)):
            bounds[name] = [_python(end, values.arrow_type) for end in ends]
    names = stats.column_names
    columns = (bounds[name] if name in bounds else stats[name].to_pylist() for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def totals(stats: pa.Table) -> list[ColumnTotal]:
    """Returns the statistics of the whole table, for each column that it has statistics of."""
    return [_total(stats, column) for column in columns_of(stats)]


def _total(stats: pa.Table, column: str) -> ColumnTotal:
    *_, null_count, size, unknown = (stats[name] for name in fields_of(column))
    values = values_of(stats, column)
    known = unknown.null_count == stats.num_rows
    lows = [low for low in values.low if low is not None and known]
    highs = [high for high in values.high if high is not None and known]
    return ColumnTotal(
        column,
        _python(min(lows, default=None), values.arrow_type),
        _python(max(highs, default=None), values.arrow_type),
        _sum(null_count),
        _sum(stats["rows"]),
        _sum(size),
        stats.num_rows,
    )


def _python(value: Comparable | None, arrow_type: pa.DataType) -> Any:
    return None if value is None else to_python(value, arrow_type)


def _sum(numbers: pa.ChunkedArray) -> int | None:
    import pyarrow.compute as pc

    total: int | None = pc.sum(numbers, skip_nulls=False, min_count=0).as_py()
    return total
