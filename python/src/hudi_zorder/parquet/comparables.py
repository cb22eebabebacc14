"""Column values in the one form in which they are compared: Spark's order as Python's order.

A comparable is an ``int`` (integers; dates as days, timestamps as microseconds since 1970; decimals
as their unscaled number), a ``float``, a ``bool`` or ``bytes`` (text as UTF-8, which Spark orders
by unsigned bytes as Python orders ``bytes``). Types that Spark cannot compare, or that Parquet
keeps no ordered statistics for, have no comparables: arrays, maps, INT96 and nanosecond timestamps,
unsigned integers, times, intervals.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from functools import partial
from operator import mul
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

Comparable = int | float | bytes
_MICROS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_EPOCH = dt.datetime(1970, 1, 1)
_WIDEST = 40
_WIDE = Context(prec=80)  # Python's default of 28 digits would round a decimal of 38


def comparable_from_parquet(
    arrow_type: pa.DataType, physical_type: str
) -> Callable[[Any], Comparable] | None:
    """Returns the function from a physical Parquet value to its comparable; None if there is none.

    Args:
        arrow_type: the leaf column's type as pyarrow reads it from the Parquet schema.
        physical_type: the leaf column's physical type, such as ``INT64``.
    """
    import pyarrow.types as t

    if t.is_boolean(arrow_type) or t.is_signed_integer(arrow_type) or t.is_date32(arrow_type):
        return _same
    if t.is_float32(arrow_type) or t.is_float64(arrow_type):
        return _same
    if t.is_timestamp(arrow_type) and physical_type == "INT64" and arrow_type.unit in _MICROS:
        factor = _MICROS[arrow_type.unit]
        # No lambda: an opened table goes to other processes.
        return _same if factor == 1 else partial(mul, factor)
    if t.is_decimal(arrow_type):
        return _same if physical_type in ("INT32", "INT64") else _big_endian
    if is_text(arrow_type) or is_binary(arrow_type):
        return bytes
    return None


def is_text(arrow_type: pa.DataType) -> bool:
    """Returns whether values are text."""
    import pyarrow.types as t

    return bool(t.is_string(arrow_type) or t.is_large_string(arrow_type))


def is_binary(arrow_type: pa.DataType) -> bool:
    """Returns whether values are bytes without a meaning."""
    import pyarrow.types as t

    return bool(
        t.is_binary(arrow_type)
        or t.is_large_binary(arrow_type)
        or t.is_fixed_size_binary(arrow_type)
    )


def is_number(arrow_type: pa.DataType) -> bool:
    """Returns whether values are numbers."""
    import pyarrow.types as t

    return bool(t.is_integer(arrow_type) or t.is_floating(arrow_type) or t.is_decimal(arrow_type))


def is_time(arrow_type: pa.DataType) -> bool:
    """Returns whether values are dates or timestamps."""
    import pyarrow.types as t

    return bool(t.is_date32(arrow_type) or t.is_timestamp(arrow_type))


def is_float(arrow_type: pa.DataType) -> bool:
    """Returns whether values can be NaN."""
    import pyarrow.types as t

    return bool(t.is_float32(arrow_type) or t.is_float64(arrow_type))


def comparable_alike(first: pa.DataType, second: pa.DataType) -> bool:
    """Returns whether the comparables of both types mean the same values.

    A float read as a double does not: Hudi takes the way through text, which changes the value. Nor
    do times of two units: Hudi takes a file's microseconds for the table's milliseconds.
    """
    import pyarrow.types as t

    if first == second:
        return True
    if t.is_signed_integer(first) and t.is_signed_integer(second):
        return True
    if t.is_decimal(first) and t.is_decimal(second):
        return bool(first.scale == second.scale)
    if t.is_timestamp(first) and t.is_timestamp(second):
        return first.unit == second.unit and (first.tz is None) == (second.tz is None)
    return (is_text(first) and is_text(second)) or (is_binary(first) and is_binary(second))


def cast(own: pa.DataType, wanted: pa.DataType) -> Callable[[Comparable], Comparable | None] | None:
    """Returns the function from one type's comparables to their equals in another type.

    It returns None for a value that has no equal there. There is no such function for types whose
    order differs, as that of numbers and their texts does, and where a reader changes the value.
    """
    import pyarrow.types as t

    if t.is_decimal(wanted) and (t.is_decimal(own) or t.is_signed_integer(own)):
        power = wanted.scale - (own.scale if t.is_decimal(own) else 0)
        end = 10**wanted.precision
        return None if power < 0 else _scaled(10**power, 1 - end, end - 1)
    if t.is_signed_integer(own) and t.is_signed_integer(wanted):
        end = 1 << (wanted.bit_width - 1)
        return _scaled(1, -end, end - 1)
    if t.is_signed_integer(own) and is_float(wanted):
        end = 1 << (24 if t.is_float32(wanted) else 53)  # beyond which integers are rounded
        return _scaled(1, -end, end)
    if t.is_fixed_size_binary(wanted):
        return _same if own == wanted else None
    return _same if comparable_alike(own, wanted) else None


def to_python(value: Comparable, arrow_type: pa.DataType) -> Any:
    """Returns a comparable as Python has it: a ``date``, a ``Decimal``, a ``str`` and so on.

    A date before year 1 or after year 9999 stays a number of days, a time one of microseconds.
    """
    import pyarrow.types as t

    if isinstance(value, bytes):
        return value.decode("utf-8", "replace") if is_text(arrow_type) else value
    try:
        if t.is_date32(arrow_type):
            return _EPOCH.date() + dt.timedelta(days=value)
        if t.is_timestamp(arrow_type):
            time = _EPOCH + dt.timedelta(microseconds=value)
            return time if arrow_type.tz is None else time.replace(tzinfo=dt.timezone.utc)
    except OverflowError:
        return value
    return (
        Decimal(int(value)).scaleb(-arrow_type.scale, _WIDE) if t.is_decimal(arrow_type) else value
    )


def to_arrow(values: Sequence[Comparable | None], arrow_type: pa.DataType) -> pa.Array:
    """Returns comparables as an array of the column's own type; None becomes null."""
    import pyarrow as pa
    import pyarrow.types as t

    if t.is_date32(arrow_type):
        return pa.array(values, pa.int32()).view(arrow_type)
    if t.is_timestamp(arrow_type):
        factor = _MICROS[arrow_type.unit]
        counts = [None if v is None else int(v) // factor for v in values]
        return pa.array(counts, pa.int64()).view(arrow_type)
    if t.is_decimal(arrow_type):
        numbers = [None if v is None else to_python(v, arrow_type) for v in values]
        return pa.array(numbers, arrow_type)
    if is_text(arrow_type):
        return pa.array(values, pa.large_binary()).cast(arrow_type)
    return pa.array(values, arrow_type)


def numbers_to_arrow(
    values: NDArray[Any], known: NDArray[np.bool_], arrow_type: pa.DataType
) -> pa.Array:
    """Returns comparables that are numbers, times in microseconds, as ``to_arrow`` does."""
    import pyarrow as pa
    import pyarrow.types as t

    found = pa.array(values, mask=~known)
    if t.is_date32(arrow_type):
        return found.cast(pa.int32()).view(arrow_type)
    if t.is_timestamp(arrow_type):
        return found.view(arrow_type)
    return found.cast(arrow_type)


def from_arrow(values: pa.Array) -> list[Comparable | None]:
    """Returns the comparables of an array of a type that has them."""
    import pyarrow as pa
    import pyarrow.types as t

    if t.is_date32(values.type):
        return list(values.view(pa.int32()).to_pylist())
    if t.is_timestamp(values.type):
        factor = _MICROS[values.type.unit]
        counts = values.view(pa.int64()).to_pylist()
        return [None if count is None else count * factor for count in counts]
    if t.is_decimal(values.type):
        scale = values.type.scale
        return [
            None if number is None else int(number.scaleb(scale, _WIDE))
            for number in values.to_pylist()
        ]
    if is_text(values.type):
        return list(values.cast(pa.large_binary()).to_pylist())
    return list(values.to_pylist())


def display(value: Comparable | None, arrow_type: pa.DataType) -> str:
    """Returns a comparable as people write it; long texts are cut."""
    if value is None:
        return "unknown"
    plain = to_python(value, arrow_type)
    text = repr(plain) if isinstance(plain, str | bytes) else str(plain)
    return shortened(text, _WIDEST)


def shortened(text: str, length: int) -> str:
    """Returns a text of so many characters at most, which shows if it was longer."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _same(raw: Any) -> Comparable:
    value: Comparable = raw
    return value


def _scaled(factor: int, least: int, most: int) -> Callable[[Comparable], Comparable | None]:
    def scaled(value: Comparable) -> Comparable | None:
        number = int(value) * factor
        return number if least <= number <= most else None

    return scaled


def _big_endian(raw: bytes) -> int:
    return int.from_bytes(raw, "big", signed=True)
