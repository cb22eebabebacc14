"""The entries of the column-statistics index, by which Spark skips files, as comparables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.hudi.committed_schema import kind_of
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.metadata_table.column_stats import ColumnStatsIndex
from hudi_zorder.metadata_table.stats_records import (
    DECIMAL,
    DECIMAL_SCALE,
    DECIMAL_WRAPPER,
    StatsRecord,
)
from hudi_zorder.parquet.comparables import (
    Comparable,
    cast,
    comparable_alike,
    is_binary,
    is_text,
)
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.writer_traits import WriterTraits
from hudi_zorder.progress import progress
from hudi_zorder.stats.footer_stats import changed_schema

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS: Final = {  # of Hudi's ValueType
    2: "boolean",
    3: "int",
    4: "long",
    5: "float",
    6: "double",
    7: "string",
    8: "bytes",
    9: "bytes",
    12: "date",
    15: "timestamp-millis",
    16: "timestamp-micros",
    18: "local-timestamp-millis",
    19: "local-timestamp-micros",
}
_TEXTS: Final = "BYTE_ARRAY"
_NO_CHARACTER: Final = "\ufffd".encode()  # what Java makes of bytes that are no text
_ANY_WRITER: Final = WriterTraits(
    nan_shows_in_bounds=False, orders_bytes=True, calendar_is_certain=False
)
_DAYS: Final = 1 << 31
_NO_BOUNDS: Final = "the index has no bounds of it, as where a NaN is among the values"
_OTHER_TYPE: Final = "it is of another type in the index"


@dataclass(slots=True)
class IndexEntry:
    """What the index has of one file and column.

    Attributes:
        low: the smallest value as a comparable; None when unknown and when all are null.
        high: the largest, likewise.
        null_count: nulls; None when unknown.
        rows: rows, nulls included.
        bytes: the column's bytes in the file; None when unknown.
        unknown: why the bounds are; None when they are known.
        certain: whether no fault of Hudi's can have made it what it is. The index tells neither a
            NaN, which makes bounds of 0, nor values without statistics, as long ones are, which it
            counts as nulls, nor by which calendar old dates were written.
    """

    low: Comparable | None
    high: Comparable | None
    null_count: int | None
    rows: int
    bytes: int | None
    unknown: str | None
    certain: bool = True


def index_entries(
    snapshot: TableSnapshot, leaves: Mapping[str, ColumnSchema]
) -> Iterator[tuple[str, dict[str, IndexEntry]]]:
    """Yields each column with the index's entries of the latest base files, by file name.

    A table without the index has none of any column.

    Args:
        snapshot: the table.
        leaves: the columns by name.

    Raises:
        TableError: when the index cannot be read, or is damaged.
    """
    files = {part.base.name for part in snapshot.slices if part.base}
    names = {name.encode("utf-8"): name for name in files}
    changed = {name for name in files if snapshot.precedes_schema_change(name)}
    with progress("Reading the index", len(leaves)) as advance:
        index = ColumnStatsIndex.of(snapshot)
        for name, leaf in leaves.items():
            entries = _Conversion(leaf).entries(index.records(name, files), names)
            for file in changed & entries.keys():  # it may be of another column that had the name
                rows, size = entries[file].rows, entries[file].bytes
                why = changed_schema(snapshot)
                entries[file] = IndexEntry(None, None, None, rows, size, why, certain=False)
            yield name, entries
            advance(1)


class _Conversion:
    """Makes entries of one column's records, of which there are millions.

    Args:
        leaf: the column.
    """

    def __init__(self, leaf: ColumnSchema) -> None:
        self._leaf = leaf
        self._is_text = leaf.physical_type == _TEXTS
        self._uncertain_below = _ANY_WRITER.certain_from(leaf.arrow_type)
        self._by_type: dict[Any, _OfType] = {}

    def entries(
        self, records: Iterable[StatsRecord], names: Mapping[bytes, str]
    ) -> dict[str, IndexEntry]:
        """Returns the entries that records of files with these names are, by name."""
        found = {}
        type_known: Any = ()
        held = comparable = None
        is_alike = True
        for file, low, high, wrapper, rows, nulls, size, _, _, kind, detail in records:
            name = names.get(file)
            if name is None or not rows:
                continue
            # Hudi 1.2.0 records the bounds of a file without values as 0, and takes values that
            # have no statistics for nulls.
            if nulls == rows:
                found[name] = IndexEntry(None, None, nulls, rows, size, None, certain=False)
                continue
            if (wrapper, kind, detail) != type_known:
                type_known = wrapper, kind, detail
                own = self._of_type(*type_known)
                held, comparable, is_alike = own.held, own.comparable, own.is_alike
            if type(low) is held and type(high) is held:
                if comparable is not None:
                    low, high = comparable(low), comparable(high)
                # A NaN is not even equal to itself.
                if low is not None and high is not None and low == low and high == high:
                    certain = is_alike and self._is_certain(low, high, nulls)
                    found[name] = IndexEntry(low, high, nulls, rows, size, None, certain)
                    continue
            why = _NO_BOUNDS if self._of_type(*type_known).is_same else _OTHER_TYPE
            found[name] = IndexEntry(None, None, nulls, rows, size, why, certain=False)
        return found

    def _of_type(self, wrapper: str | None, kind: int | None, detail: bytes | None) -> _OfType:
        own = self._by_type.get((wrapper, kind, detail))
        if own is None:
            own = _OfType.of(wrapper, kind, detail, self._leaf.arrow_type)
            self._by_type[wrapper, kind, detail] = own
        return own

    def _is_certain(self, low: Any, high: Any, nulls: int | None) -> bool:
        """Tells whether no fault that the index does not show can have made the bounds."""
        leaf = self._leaf
        if not leaf.bounds_are_ordered or (self._is_text and nulls != 0):
            return False
        if leaf.is_float:
            # One row group with a NaN counts as 0, whatever those beside it have.
            return bool(low > 0 or high < 0)
        if type(low) is bytes:
            return _NO_CHARACTER not in low and _NO_CHARACTER not in high
        return self._uncertain_below is None or bool(low >= self._uncertain_below)


@dataclass(frozen=True, slots=True)
class _OfType:
    """How bounds of one type in the index become those of the table's.

    Attributes:
        held: what a wrapper of it holds; None where no bound has an equal in the table's type.
        comparable: from that; None for what has no equal there. None where it is the comparable.
        is_same: whether it is the table's type.
        is_alike: whether its values compare as the table's do.
    """

    held: type | None
    comparable: Callable[[Any], Comparable | None] | None
    is_same: bool
    is_alike: bool

    @classmethod
    def of(
        cls, wrapper: str | None, kind: int | None, detail: bytes | None, arrow_type: pa.DataType
    ) -> _OfType:
        own = _type_of(kind, detail, arrow_type)
        convert = cast(own, arrow_type)
        if convert is None:
            return cls(None, None, own == arrow_type, is_alike=False)
        held, plain = _plain(own, wrapper)
        rounds = wrapper == DECIMAL_WRAPPER and own.scale > DECIMAL_SCALE
        is_alike = comparable_alike(own, arrow_type) and not rounds
        comparable = _both(plain, None if _is_whole(own, arrow_type) else convert)
        return cls(held, comparable, own == arrow_type, is_alike)


_Step = Callable[[Any], "Comparable | None"]


def _both(plain: _Step | None, convert: _Step | None) -> _Step | None:
    """Returns one function that is both, one after the other."""
    if plain is None or convert is None:
        return plain or convert

    def both(held: Any) -> Comparable | None:
        value = plain(held)
        return None if value is None else convert(value)

    return both


def _is_whole(own: pa.DataType, arrow_type: pa.DataType) -> bool:
    """Tells whether what a wrapper can hold is what the table's type can."""
    import pyarrow.types as t

    kinds = (t.is_int64, t.is_timestamp, t.is_boolean, t.is_floating, is_text, is_binary)
    return own == arrow_type and any(is_kind(own) for is_kind in kinds)


def _type_of(kind: int | None, detail: bytes | None, arrow_type: pa.DataType) -> pa.DataType:
    """Returns the type of bounds, which is an older one in files from before a change of it.

    Before version 9 the index does not say, and ``_plain`` goes by the bounds themselves.
    """
    import pyarrow as pa

    if kind is None:
        return arrow_type
    if kind == DECIMAL:
        try:
            precision, scale = map(int, (detail or b"").split(b","))
            return pa.decimal128(precision, scale)
        except (ValueError, pa.ArrowException):
            return pa.null()
    known = _KINDS.get(kind, "")
    if known == kind_of(arrow_type):
        return arrow_type
    return {"int": pa.int32(), "long": pa.int64()}.get(known, pa.null())


def _plain(own: pa.DataType, wrapper: str | None) -> tuple[type, _Step | None]:
    """Returns what a wrapper of a type holds, and how that becomes a comparable if it is none."""
    import pyarrow.types as t

    if t.is_decimal(own):
        if wrapper == DECIMAL_WRAPPER:  # as tables before version 9 have it
            return int, lambda held: _rescaled(held, own.scale - DECIMAL_SCALE)
        return bytes, lambda held: int.from_bytes(held, "big", signed=True)
    if t.is_fixed_size_binary(own):
        return bytes, lambda held: held if len(held) == own.byte_width else None
    if is_text(own) or is_binary(own):
        return bytes, None
    if t.is_floating(own):
        return float, None
    if t.is_boolean(own):
        return bool, None
    if t.is_date32(own):
        return int, lambda held: held if -_DAYS <= held < _DAYS else None
    is_millis = t.is_timestamp(own) and own.unit == "ms"
    return int, (lambda held: held * 1000) if is_millis else None


def _rescaled(unscaled: int, power: int) -> int:
    if power >= 0:
        return unscaled * int(10**power)
    quotient = abs(unscaled) // int(10**-power)
    return quotient if unscaled >= 0 else -quotient
