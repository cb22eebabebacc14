"""Expressions without columns, such as ``date '1994-01-01' + interval '1' year``, as one literal.

Only what has one value whatever the session's settings is computed: whole numbers within their
type, decimals of so few digits behind the point that Spark cuts none, doubles, dates. A time that
moves by days or months depends on the zone's clock changes, and is left alone.
"""

from __future__ import annotations

import operator
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Context, Decimal, localcontext
from math import isfinite
from typing import Any, Final

from sqlglot import exp

from hudi_zorder import times
from hudi_zorder.predicate import floats
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate.literals import Literal

# As written, a subtraction; rather a date whose quotes the shell took, and never computed.
_UNQUOTED_DATE: Final = re.compile(r"\b\d{4} - \d{1,2} - \d{1,2}\b")

_ARITHMETIC: Final[dict[type[exp.Expr], Callable[[Any, Any], Any]]] = {
    exp.Add: operator.add,
    exp.Sub: operator.sub,
    exp.Mul: operator.mul,
}
_NUMBERS: Final = (kinds.INTEGER, kinds.DECIMAL)
_NARROW: Final = ("TINYINT", "SMALLINT")  # they overflow sooner than a literal tells
_MOST_INT = (1 << 31) - 1
# Spark keeps six digits behind the point whatever the precision; so many before it always fit.
_MOST_SCALE, _MOST_DECIMAL = 6, Decimal(10) ** 20
_EXACT: Final = Context(prec=100)
_MONTHS: Final = {"MONTH": 1, "YEAR": 12}
_DAYS: Final = {"DAY": 1, "WEEK": 7}
_EPOCH: Final = date(1970, 1, 1)

LiteralOf = Callable[[exp.Expr], Literal]


def of_unquoted_date(text: str) -> str:
    """Returns what to say of a condition with a date whose quotes a shell took; else nothing."""
    date = _UNQUOTED_DATE.search(text)
    if date is None:
        return ""
    meant = text.replace(date[0], "'" + date[0].replace(" ", "") + "'")
    return (
        f"{date[0]} is a subtraction; was it a date whose quotes the shell took? "
        f'Then write "{meant}"'
    )


def folded(node: exp.Expr, literal_of: LiteralOf) -> Literal | None:
    """Returns what an expression comes to in every session; None where that is not certain.

    Args:
        node: the expression.
        literal_of: returns the literal that an operand is, or raises.
    """
    if isinstance(node, exp.Sub) and _UNQUOTED_DATE.fullmatch(node.sql(dialect="spark")):
        return None
    if isinstance(node, exp.TsOrDsToDate) and _has_only(node, "this", "safe"):
        return _date(literal_of(node.this))
    if isinstance(node, exp.TsOrDsAdd) and node.text("unit").upper() == "DAY":
        return _moved(literal_of(node.this), days=_whole(literal_of(node.expression)))
    if isinstance(node, exp.AddMonths) and _has_only(node, "this", "expression"):
        return _moved(literal_of(node.this), months=_whole(literal_of(node.expression)))
    if isinstance(node, exp.Neg):
        return _negated(node, literal_of(node.this))
    if isinstance(node, exp.Div):
        return _quotient(literal_of(node.left), literal_of(node.right))
    if not isinstance(node, exp.Binary) or type(node) not in _ARITHMETIC:
        return None
    left, right, compute = node.left, node.right, _ARITHMETIC[type(node)]
    if isinstance(node, exp.Add) and isinstance(left, exp.Interval):
        left, right = right, left
    if isinstance(right, exp.Interval):
        is_sum = not isinstance(node, exp.Mul)
        return _beside_interval(literal_of(left), right, compute(0, 1)) if is_sum else None
    first, second = literal_of(left), literal_of(right)
    if first.kind == kinds.DATE and not isinstance(node, exp.Mul):
        days = _whole(second)
        return _moved(first, days=None if days is None else compute(0, days))
    return None if _is_narrow(node) else _computed(first, second, compute)


def _is_narrow(node: exp.Expr) -> bool:
    return any(cast.to.this.name in _NARROW for cast in node.find_all(exp.Cast))


def _has_only(node: exp.Expr, *known: str) -> bool:
    return all(name in known or not value for name, value in node.args.items())


def _whole(literal: Literal, most: int = _MOST_INT) -> int | None:
    value = literal.value
    if literal.kind != kinds.INTEGER or not isinstance(value, int):
        return None
    return value if abs(value) <= most else None


def _date(literal: Literal) -> Literal | None:
    """Returns what Spark casts a text to where a function wants a date."""
    if literal.kind not in (kinds.DATE, kinds.STRING) or not isinstance(literal.value, str):
        return None
    return Literal(kinds.DATE, literal.value) if times.days(literal.value) is not None else None


def _moved(start: Literal, *, days: int | None = 0, months: int | None = 0) -> Literal | None:
    """Returns a date so many months and days later; beyond a month's end is its last day."""
    begin = _date(start)
    since = None if begin is None else times.days(str(begin.value))
    if since is None or days is None or months is None:
        return None
    try:
        day = _EPOCH + timedelta(days=since)
        year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
        last = monthrange(year, month + 1)[1]
        moved = day.replace(year=year, month=month + 1, day=min(day.day, last))
        return Literal(kinds.DATE, (moved + timedelta(days=days)).isoformat())
    except (ValueError, OverflowError):  # before year 1 or after year 9999
        return None


def _beside_interval(start: Literal, interval: exp.Interval, sign: int) -> Literal | None:
    """Returns a date moved by an interval of whole days or months."""
    length, unit = interval.this, interval.args.get("unit")
    known = isinstance(length, exp.Literal) and re.fullmatch(r"[+-]?\d{1,7}", str(length.this))
    if start.kind != kinds.DATE or not known or not isinstance(unit, exp.Var):
        return None
    name, number = unit.name.upper().removesuffix("S"), sign * int(str(length.this))
    if name in _MONTHS:
        return _moved(start, months=number * _MONTHS[name])
    return _moved(start, days=number * _DAYS[name]) if name in _DAYS else None


def _negated(node: exp.Neg, number: Literal) -> Literal | None:
    """Returns what a minus makes of a number; of one that is written out it is a part."""
    value = number.value
    # 5S is a cast of 5, and has its negative in every type.
    written = node.this.this if isinstance(node.this, exp.Cast) else node.this
    if number.kind == kinds.INTEGER and not isinstance(written, exp.Literal):
        return None if _is_narrow(node) else _integer(0, value, operator.sub)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    with localcontext(_EXACT):
        return Literal(number.kind, -value)


def _quotient(first: Literal, second: Literal) -> Literal | None:
    """Returns the double that Spark makes of two numbers; that of decimals is rounded."""
    top, bottom = _exact_double(first), _exact_double(second)
    return _double(top / bottom) if top is not None and bottom else None


def _exact_double(literal: Literal) -> float | None:
    """Returns a number that a double holds as it is, as Python divides it."""
    value = literal.value
    if literal.kind == kinds.DOUBLE and isinstance(value, float):
        return value
    return _whole(literal, floats.LARGEST_EXACT)


def _computed(
    first: Literal, second: Literal, compute: Callable[[Any, Any], Any]
) -> Literal | None:
    pair = (first.kind, second.kind)
    if pair == (kinds.DOUBLE, kinds.DOUBLE):
        return _double(compute(first.value, second.value))
    if not all(kind in _NUMBERS for kind in pair):
        return None
    if kinds.DECIMAL not in pair:
        return _integer(first.value, second.value, compute)
    parts = [Decimal(part.value) for part in (first, second)]  # type: ignore[arg-type]
    with localcontext(_EXACT):
        found = compute(*parts)
    fits = all(abs(n) < _MOST_DECIMAL and _scale(n) <= _MOST_SCALE for n in (*parts, found))
    return Literal(kinds.DECIMAL, found) if fits else None


def _integer(first: Any, second: Any, compute: Callable[[Any, Any], Any]) -> Literal | None:
    """Returns a sum that fits the type of its operands, which is no less than these need."""
    found = compute(first, second)
    bits = 32 if _fit(32, first, second) else 64
    return Literal(kinds.INTEGER, found) if _fit(bits, first, second, found) else None


def _fit(bits: int, *numbers: int) -> bool:
    end = 1 << bits - 1
    return all(-end <= number < end for number in numbers)


def _double(value: float) -> Literal | None:
    return Literal(kinds.DOUBLE, value) if isfinite(value) else None


def _scale(number: Decimal) -> int:
    return -int(number.as_tuple().exponent)
