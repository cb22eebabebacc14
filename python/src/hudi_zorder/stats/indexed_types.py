"""How bounds of one type in the column-statistics index become those of the table's.

The type in the index is an older one in files from before a change of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.hudi.committed_schema import kind_of
from hudi_zorder.metadata_table.stats_records import DECIMAL, DECIMAL_SCALE, DECIMAL_WRAPPER
from hudi_zorder.parquet.comparables import (
    Comparable,
    cast,
    comparable_alike,
    is_binary,
    is_text,
    is_time,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]

_Step = Callable[[Any], "Comparable | None"]

_KINDS: Final = {  # of Hudi's ValueType
    2: "boolean",
    3: "int",
    4: "long",
    5: "float",
    6: "double",
    7: "string",
    8: "bytes",
    9: "bytes",
    DECIMAL: "decimal",
    12: "date",
    15: "timestamp-millis",
    16: "timestamp-micros",
    18: "local-timestamp-millis",
    19: "local-timestamp-micros",
}
_WRAPPED: Final = {  # before version 9, which has no ValueType
    "BooleanWrapper": "boolean",
    "IntWrapper": "int",
    "LongWrapper": "long",
    "FloatWrapper": "float",
    "DoubleWrapper": "double",
    "StringWrapper": "string",
    "BytesWrapper": "bytes",
}
_DAYS: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class IndexedType:
    """How bounds of one type in the index become those of the table's.

    Attributes:
        held: what a wrapper of it holds; None where no bound has an equal in the table's type.
        comparable: from that; None for what has no equal there. None where it is the comparable.
        is_same: whether it is the table's type.
        is_alike: whether its values compare as the table's do.
        range: the least and the most that is a comparable, where the numbers are the same.
    """

    held: type | None
    comparable: _Step | None
    is_same: bool
    is_alike: bool
    range: tuple[int, int] | None = None

    @classmethod
    def of(
        cls, wrapper: str | None, kind: int | None, detail: bytes | None, arrow_type: pa.DataType
    ) -> IndexedType:
        """Returns the way from what a wrapper holds, of Hudi's ``ValueType``, to a table's type."""
        import pyarrow.types as t

        own = _type_of(_kind_of(wrapper, kind, arrow_type), detail, arrow_type)
        convert = cast(own, arrow_type)
        if convert is None:
            return cls(None, None, own == arrow_type, is_alike=False)
        held, plain = _plain(own, wrapper)
        rounds = wrapper == DECIMAL_WRAPPER and own.scale > DECIMAL_SCALE
        has_no_unit = kind is None and t.is_timestamp(arrow_type)  # of which the file alone tells
        is_alike = comparable_alike(own, arrow_type) and not rounds and not has_no_unit
        comparable = _both(plain, None if _is_whole(own, arrow_type) else convert)
        return cls(held, comparable, own == arrow_type, is_alike, _range(own, arrow_type))

    def comparables(
        self, held: NDArray[Any] | list[Any], dtype: type
    ) -> tuple[NDArray[Any], Flags]:
        """Returns the comparables of bounds, and which of them there are.

        Args:
            held: what wrappers hold.
            dtype: that of the comparables of the table's type.
        """
        import numpy as np

        if self.held is None or _type_within(held) is not self.held:
            return np.zeros(len(held), dtype), np.zeros(len(held), np.bool_)
        if self.range is not None:
            numbers = np.asarray(held)
            fits = (self.range[0] <= numbers) & (numbers <= self.range[1])
            return np.where(fits, numbers, 0), fits
        if self.comparable is None:
            return _array(held, dtype), np.ones(len(held), np.bool_)
        plain = held if isinstance(held, list) else held.tolist()
        found = [self.comparable(value) for value in plain]
        fits = np.array([value is not None for value in found])
        return _array([0 if value is None else value for value in found], dtype), fits


def dtype_of(arrow_type: pa.DataType) -> type:
    """Returns the type of an array that can hold all comparables of a type."""
    import pyarrow.types as t

    if t.is_boolean(arrow_type):
        return bool
    if t.is_floating(arrow_type):
        return float
    is_micros = t.is_timestamp(arrow_type) and arrow_type.unit == "us"
    is_number = t.is_signed_integer(arrow_type) or t.is_date32(arrow_type) or is_micros
    return int if is_number else object


def _array(values: Sequence[Any] | NDArray[Any], dtype: type) -> NDArray[Any]:
    import numpy as np

    found: NDArray[Any] = np.empty(len(values), dtype)
    found[:] = values
    return found


def _type_within(held: NDArray[Any] | list[Any]) -> type | None:
    if isinstance(held, list):
        return type(held[0])
    return {"b": bool, "i": int, "f": float}.get(held.dtype.kind)


def _range(own: pa.DataType, arrow_type: pa.DataType) -> tuple[int, int] | None:
    import pyarrow.types as t

    whole = t.is_signed_integer(own) and t.is_signed_integer(arrow_type)
    if not whole and not (t.is_date32(own) and own == arrow_type):
        return None
    end = 1 << (arrow_type.bit_width - 1)
    return -end, end - 1


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


def _kind_of(wrapper: str | None, kind: int | None, arrow_type: pa.DataType) -> str:
    """Returns the kind of what bounds are, as ``kind_of`` has it of types.

    Before version 9 wrappers alone tell it, and of times and decimals no more than that they are.
    """
    import pyarrow.types as t

    if kind is not None:
        return _KINDS.get(kind, "")
    is_decimal = wrapper == DECIMAL_WRAPPER and t.is_decimal(arrow_type)
    is_the_tables = wrapper is None or is_time(arrow_type) or is_decimal
    return kind_of(arrow_type) if is_the_tables else _WRAPPED.get(wrapper or "", "")


def _type_of(kind: str, detail: bytes | None, arrow_type: pa.DataType) -> pa.DataType:
    """Returns the type of bounds, which is an older one in files from before a change of it."""
    import pyarrow as pa

    if kind == kind_of(arrow_type):
        return arrow_type
    if kind == "decimal":
        try:
            precision, scale = map(int, (detail or b"").split(b","))
            return pa.decimal128(precision, scale)
        except (ValueError, pa.ArrowException):
            return pa.null()
    return {"int": pa.int32(), "long": pa.int64()}.get(kind, pa.null())


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
