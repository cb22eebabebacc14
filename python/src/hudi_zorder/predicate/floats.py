"""Numbers of 32 and 64 bits, rounded as Java does."""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction
from math import copysign, inf, isfinite, nextafter
from typing import Final

LARGEST_EXACT: Final = 1 << 53
"""A double tells whole numbers up to this one apart."""


def single(number: float) -> float:
    """Returns what 32 bits leave of a number.

    Raises:
        OverflowError: when that is out of range.
    """
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded


def single_of(text: str, number: float) -> float:
    """Returns what 32 bits leave of a text, rounded once.

    Where the double next to the text lies midway between two floats, it alone does not tell on
    which side the text is.

    Args:
        text: a number.
        number: the same as a double.

    Raises:
        OverflowError: when that is out of range.
    """
    if isfinite(number) and _is_midway(number):
        beyond = Fraction(Decimal(text)) - Fraction(number)
        return single(nextafter(number, copysign(inf, beyond)) if beyond else number)
    return single(number)


def _is_midway(number: float) -> bool:
    below, above = (_wide(nextafter(number, end)) for end in (-inf, inf))
    return below != above and 2 * Fraction(number) == below + above


def _wide(number: float) -> Fraction:
    """Returns a number as ``single`` has it, or as it is where that has none."""
    try:
        return Fraction(single(number))
    except (OverflowError, ValueError):
        return Fraction(number)
