"""The options that a plan has fixed, held against those that its execution is given."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.last_layout import automatic_order
from hudi_zorder.hudi.plan_content import weights_of
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    CUTS,
    FILE_ORDER,
    NO_QUERIES,
    QUERIES,
    SORT_COLUMNS,
    STRATEGY,
    Z_COLUMN,
)

# What a z-column has of its own: a plan names it in place of the columns that it is made of.
_OF_Z_COLUMN: Final = (SORT_COLUMNS, STRATEGY, CUTS)
_SHOWN: Final = 80  # letters of a value that an error shows: queries have millions


def refuse_others(instant: str, parameters: Mapping[str, str], settings: Mapping[str, str]) -> None:
    """Refuses options that are not as a plan has them, by which it is executed all the same.

    What a plan does not store is up to its execution.

    Args:
        instant: the plan's.
        parameters: what it stores.
        settings: the configuration of its execution.

    Raises:
        OptionError: for the first that has another meaning there.
    """
    planned = dict(parameters)
    if settings.get(Z_COLUMN, "").strip():
        planned[Z_COLUMN] = planned.get(SORT_COLUMNS, "")
        for key in _OF_Z_COLUMN:
            planned.pop(key, None)
    for key, value in planned.items():
        given = settings.get(key, "")
        if given.strip() and _meaning(key, given, parameters) != _meaning(key, value, parameters):
            raise OptionError(
                f"Cannot execute clustering {instant}: '{key}' was '{given[:_SHOWN]}', and its "
                f"plan, by which it is executed, has '{value[:_SHOWN]}'; leave it out, or cancel "
                "the plan and schedule one with it"
            )


def _meaning(key: str, text: str, parameters: Mapping[str, str]) -> object:
    """Returns a value by which all spellings of it are equal, as Java reads them."""
    text = text.strip()
    if key == QUERIES:
        return text or NO_QUERIES
    if key in (SORT_COLUMNS, Z_COLUMN):
        return [name.strip().lower() for name in text.split(",")]
    if key == COLUMN_WEIGHTS:
        try:
            return {name.lower(): w for name, w in weights_of(text).items() if w != 1}
        except ValueError:
            return text
    if key == FILE_ORDER and text.lower() == "auto":
        text = automatic_order(parameters)
    return _number(text)


def _number(text: str) -> object:
    """Returns the number that a text is, or else its letters in one case."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return text.strip().upper().replace("-", "")  # Hudi writes Z-order both ways
