"""Numbers of Spark's SQL as literals."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from math import isinf
from typing import Final

from hudi_zorder.errors import PredicateError
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate.literals import Literal, NotUsable

_WHOLE_NUMBER: Final = re.compile(r"\d+")
_DECIMAL_NUMBER: Final = re.compile(r"-?(\d+(\.\d*)?|\.\d+)")
_ANY_NUMBER: Final = re.compile(  # of which Spark makes no null, as it does of '-nan'
    r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf|infinity)|nan", re.IGNORECASE | re.ASCII
)


def number_of(text: str) -> Literal:
    """Returns a number as Spark types it: an integer, a decimal or, with an exponent, a double.

    Raises:
        PredicateError: for one of more digits than can be read.
    """
    if _WHOLE_NUMBER.fullmatch(text):
        try:
            return Literal(kinds.INTEGER, int(text))
        except ValueError as fault:  # of more digits than Python reads
            why = f"it has a number of {len(text):,} digits; write at most 38, as Spark reads"
            raise PredicateError(f"Cannot parse a predicate: {why}") from fault
    if _DECIMAL_NUMBER.fullmatch(text):
        return decimal_of(text)
    return Literal(kinds.DOUBLE, any_number(text))


def decimal_of(text: str) -> Literal:
    """Returns a decimal of all digits that are written."""
    if not _DECIMAL_NUMBER.fullmatch(text):
        raise NotUsable(f"'{text}' is no number")
    return Literal(kinds.DECIMAL, Decimal(text))


def fits_decimal(text: str, parameters: list[str]) -> bool:
    """Tells whether a number keeps its value as a decimal of that precision and scale."""
    if len(parameters) != 2 or not all(map(str.isdecimal, parameters)):
        return False
    precision, scale = map(int, parameters)
    whole, _, fraction = text.lstrip("-").partition(".")
    # Spark would round what has more digits behind the point, and nulls what has more before it.
    return len(fraction) == scale and len(whole.lstrip("0")) <= precision - scale


def any_number(text: str) -> float:
    """Returns a text that Spark reads as a double, such as ``1e5`` or ``-inf``, as that."""
    if not _ANY_NUMBER.fullmatch(text):
        raise NotUsable(f"'{text}' is no number")
    number = float(text)
    if isinf(number) and "inf" not in text.lower():
        raise NotUsable(f"'{text}' is out of range")
    return number


def float_of(kind: str, number: float, rounded: Callable[[float], float]) -> Literal:
    """Returns a double, or a float as ``rounded`` makes one of it."""
    try:
        return Literal(kind, rounded(number) if kind == kinds.FLOAT else number)
    except OverflowError as fault:
        raise NotUsable(f"'{number}' is out of range") from fault
