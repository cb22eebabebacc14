"""Literals as a column's own type compares them: Spark 3.5's implicit casts, where they keep order.

Spark casts the column, the literal or both to a common type before it compares. Statistics are of
the column's own values, so that a comparison is used only when the cast of the column, if any,
never inverts their order (``int`` to ``double``), and the cast of the literal has one meaning,
whatever the session's settings. Every other pair of types is refused with a reason, and skips
nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from hudi_zorder import times
from hudi_zorder.parquet.comparables import Comparable, is_binary, is_float, is_text
from hudi_zorder.predicate import floats
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.like import Pattern
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.value_tests import (
    EVERYTHING,
    NOTHING,
    Interval,
    Point,
    ValueTest,
    outside,
    within,
)

if TYPE_CHECKING:
    import pyarrow as pa

# Spark casts such a text to the column's type, or both to double: alike up to 15 digits.
_INTEGER_TEXT = re.compile(r"0|-?[1-9]\d{0,14}")
_MOST_DIGITS = 38  # of a decimal
_LEAST_LONG, _MOST_LONG = -(1 << 63), (1 << 63) - 1


class NotComparable(Exception):
    """Why statistics of a column cannot decide a leaf."""


@dataclass(frozen=True, slots=True)
class _Operand:
    """A literal among the column's values.

    Attributes:
        low: the least value that it may stand for.
        high: the greatest one; the same when there is one alone.
        convert: what is to be applied to the column's values first; None when nothing.
        domain: what the values are compared as; a list must have one domain.
    """

    low: Point
    high: Point
    domain: str
    convert: Callable[[Comparable], Point] | None = None

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def is_nan(self) -> bool:
        return isinstance(self.low, float) and math.isnan(self.low)


def bind(
    leaf: p.ColumnLeaf,
    arrow_type: pa.DataType,
    zone: tzinfo | None,
) -> ValueTest:
    """Returns the test of a leaf on the values of a column.

    Args:
        leaf: the leaf.
        arrow_type: the column's type.
        zone: the session's time zone; None when it is not known.

    Raises:
        NotComparable: when statistics cannot decide it.
    """
    if isinstance(leaf, p.NullTest):
        if leaf.negated:
            return ValueTest(leaf.column, leaf.text, EVERYTHING, nan_passes=True)
        return ValueTest(leaf.column, leaf.text, NOTHING, null_passes=True)
    if isinstance(leaf, p.Truth):
        literal = Literal(kinds.BOOLEAN, not leaf.negated)
        leaf = p.Comparison(leaf.column, p.EQUAL, literal)
    if isinstance(leaf, p.Comparison):
        return _comparison(leaf, _operand(leaf.literal, arrow_type, zone), arrow_type)
    if isinstance(leaf, p.InList):
        operands = [_operand(literal, arrow_type, zone) for literal in leaf.literals]
        return _in_list(leaf, operands, arrow_type)
    return _like(leaf, arrow_type)


def _comparison(leaf: p.Comparison, operand: _Operand, arrow_type: pa.DataType) -> ValueTest:
    operator = leaf.operator
    null_passes = operator == p.NOT_SAME or _needs_no_value(operator, operand, arrow_type)
    if operator in (p.SAME, p.NOT_SAME):
        operator = p.EQUAL if operator == p.SAME else p.NOT_EQUAL
    if operand.is_nan:
        intervals, nan_passes = _beside_nan(operator)
    else:
        intervals = _intervals(operator, operand, arrow_type)
        nan_passes = operator in (p.GREATER, p.GREATER_OR_EQUAL, p.NOT_EQUAL)
    return ValueTest(leaf.column, leaf.text, intervals, null_passes, nan_passes, operand.convert)


def _needs_no_value(operator: str, operand: _Operand, arrow_type: pa.DataType) -> bool:
    """Returns whether Spark takes a comparison for true without a look at the column.

    So it does with whole numbers beside a literal that no ``bigint`` reaches, and so null passes.
    """
    import pyarrow.types as t

    if not t.is_signed_integer(arrow_type) or operand.domain != kinds.DECIMAL:
        return False
    if operator in (p.GREATER, p.GREATER_OR_EQUAL):
        return operand.low < _LEAST_LONG  # type: ignore[operator]
    return operator in (p.LESS, p.LESS_OR_EQUAL) and operand.high > _MOST_LONG  # type: ignore[operator]


def _intervals(operator: str, operand: _Operand, arrow_type: pa.DataType) -> tuple[Interval, ...]:
    if operator == p.EQUAL:
        return (Interval(operand.low, operand.high),)
    if operator == p.NOT_EQUAL:
        return _others([operand], arrow_type)
    if operator in (p.LESS, p.LESS_OR_EQUAL):
        return (Interval(None, operand.high, high_open=operator == p.LESS),)
    return (Interval(operand.low, None, low_open=operator == p.GREATER),)


def _beside_nan(operator: str) -> tuple[tuple[Interval, ...], bool]:
    """Returns which other values pass beside a literal NaN, and whether NaN itself does."""
    others = operator in (p.LESS, p.LESS_OR_EQUAL, p.NOT_EQUAL)
    itself = operator in (p.EQUAL, p.LESS_OR_EQUAL, p.GREATER_OR_EQUAL)
    return EVERYTHING if others else NOTHING, itself


def _others(operands: Sequence[_Operand], arrow_type: pa.DataType) -> tuple[Interval, ...]:
    """Returns where a value differs from all operands.

    Floats differ everywhere: Spark tells -0.0 from 0.0 in a long list, and nowhere else.
    """
    if is_float(arrow_type) or any(o.convert or not o.exact for o in operands):
        return EVERYTHING
    return outside(operand.low for operand in operands)


def _in_list(leaf: p.InList, operands: Sequence[_Operand], arrow_type: pa.DataType) -> ValueTest:
    import pyarrow.types as t

    if len({operand.domain for operand in operands}) > 1:
        raise NotComparable("Spark casts a list of several types to one that they share")
    as_text = operands[0].domain == kinds.STRING and not is_text(arrow_type)
    if as_text and t.is_timestamp(arrow_type):
        raise NotComparable("Spark casts a time to text to compare it with a list of texts")
    has_nan = any(operand.is_nan for operand in operands)
    numbers = [operand for operand in operands if not operand.is_nan]
    convert = operands[0].convert
    if leaf.negated:
        # As text a value may differ from another spelling of itself.
        others = EVERYTHING if as_text else _others(numbers, arrow_type)
        return ValueTest(leaf.column, leaf.text, others, False, not has_nan, convert)
    intervals = within((operand.low, operand.high) for operand in numbers)
    return ValueTest(leaf.column, leaf.text, intervals, False, has_nan, convert)


def _like(leaf: p.Like, arrow_type: pa.DataType) -> ValueTest:
    if not is_text(arrow_type):
        raise NotComparable(f"Spark casts {arrow_type} to text for LIKE")
    pattern = Pattern.parse(leaf.pattern, leaf.escape)
    if pattern is None:
        raise NotComparable("the pattern's escape is none that Spark allows")
    starts = pattern.starts
    if not leaf.negated:
        return ValueTest(leaf.column, leaf.text, (starts,), narrower=pattern.may_match)
    if not pattern.is_prefix:  # what starts alike need not match
        return ValueTest(leaf.column, leaf.text, EVERYTHING, narrower=pattern.may_not_match)
    before = Interval(None, starts.low, high_open=True)
    after = Interval(starts.high, None, low_open=not starts.high_open)
    return ValueTest(leaf.column, leaf.text, (before, after) if starts.high else (before,))


def _operand(literal: Literal, arrow_type: pa.DataType, zone: tzinfo | None) -> _Operand:
    import pyarrow.types as t

    operand: _Operand | None = None
    if t.is_boolean(arrow_type):
        operand = _single(literal, kinds.BOOLEAN)
    elif t.is_signed_integer(arrow_type):
        operand = _number_in_text(literal, arrow_type.bit_width) or _beside_number(literal, 0)
    elif t.is_decimal(arrow_type):
        operand = _beside_number(literal, arrow_type.scale)
    elif is_float(arrow_type):
        operand = _beside_float(literal, single=t.is_float32(arrow_type))
    elif t.is_date32(arrow_type):
        operand = _beside_date(literal)
    elif t.is_timestamp(arrow_type):
        operand = _beside_time(literal, zone, has_zone=arrow_type.tz is not None)
    elif is_text(arrow_type) and isinstance(literal.value, str):
        operand = _single(Literal(literal.kind, literal.value.encode()), kinds.STRING)
    elif is_binary(arrow_type):
        operand = _single(literal, kinds.BINARY)
    if operand is None:
        raise NotComparable(f"it compares {arrow_type} with {literal.text}")
    return operand


def _single(literal: Literal, kind: str) -> _Operand | None:
    if literal.kind != kind or literal.value is None or isinstance(literal.value, str | Decimal):
        return None
    return _Operand(literal.value, literal.value, kind)


def _number_in_text(literal: Literal, bits: int) -> _Operand | None:
    """Returns a whole number in a text; one too large for the column's type would be null."""
    text = literal.value
    if literal.kind != kinds.STRING or not isinstance(text, str):
        return None
    if not _INTEGER_TEXT.fullmatch(text):
        return None
    number, limit = int(text), 1 << (bits - 1)
    return _Operand(number, number, kinds.STRING) if -limit <= number < limit else None


def _beside_number(literal: Literal, scale: int) -> _Operand | None:
    """Returns a literal beside numbers with so many digits after the point."""
    value = literal.value
    if literal.kind in (kinds.INTEGER, kinds.DECIMAL) and isinstance(value, int | Decimal):
        own = Decimal(value).as_tuple()
        own_scale = max(0, -int(own.exponent))
        if len(own.digits) - own_scale + max(scale, own_scale) > _MOST_DIGITS:
            return None  # it does not fit the type that both are cast to, and becomes null
        exact = Fraction(value) * 10**scale
        unscaled = exact.numerator if exact.denominator == 1 else exact
        return _Operand(unscaled, unscaled, kinds.DECIMAL)
    if literal.kind == kinds.DOUBLE and isinstance(value, float):
        return _Operand(value, value, kinds.DOUBLE, lambda v: _as_double(v, scale))
    return None  # beside a float Spark rounds the column, which is worth no rule of its own


def _as_double(value: Comparable, scale: int) -> float:
    return float(Fraction(value) / 10**scale) if isinstance(value, int) else math.nan


def _beside_float(literal: Literal, *, single: bool) -> _Operand | None:
    """Returns a literal beside floats; ``single`` tells those of 32 bits.

    Those are compared with whole numbers as floats, and as doubles by ``spark.sql.ansi.enabled``.
    """
    value = literal.value
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    whole = literal.kind == kinds.INTEGER
    if single and whole and not -floats.LARGEST_EXACT <= value <= floats.LARGEST_EXACT:
        return None  # would be rounded twice here, and once by Spark
    try:
        number = rounded = float(value)
        if literal.kind == kinds.FLOAT or (single and whole):
            rounded = floats.single(number)
    except OverflowError:
        return None
    if single and whole:
        return _Operand(min(rounded, number), max(rounded, number), literal.kind)
    return _Operand(rounded, rounded, literal.kind if single else kinds.DOUBLE)


def _beside_date(literal: Literal) -> _Operand | None:
    if literal.kind not in (kinds.DATE, kinds.STRING) or not isinstance(literal.value, str):
        return None
    day = times.days(literal.value)
    return None if day is None else _Operand(day, day, literal.kind)


def _beside_time(literal: Literal, zone: tzinfo | None, *, has_zone: bool) -> _Operand | None:
    if not isinstance(literal.value, str):
        return None
    if has_zone:
        if literal.kind not in (kinds.TIMESTAMP, kinds.DATE, kinds.STRING):
            return None
        ends = times.instants(literal.value, zone)
        if ends is None:
            return None
        return _Operand(*ends, literal.kind)
    if literal.kind not in (kinds.TIMESTAMP_NTZ, kinds.DATE, kinds.STRING):
        return None
    micros = times.local_micros(literal.value)
    return None if micros is None else _Operand(micros, micros, literal.kind)
