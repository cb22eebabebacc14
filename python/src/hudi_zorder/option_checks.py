"""One value of an option: checked, and in its one canonical form.

Every check raises an OptionError, or a ColumnError for what names columns, with the remedy.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Final, TypeGuard

from hudi_zorder.errors import ColumnError, OptionError, did_you_mean

LONG_MAX: Final = 2**63 - 1
INT_MAX: Final = 2**31 - 1
LEAST_FILE_BYTES: Final = 2048  # the footer of a Parquet file takes as much
MAX_COLUMNS: Final = 128  # an interleaved key holds 1024 bytes, 8 for each column
MAX_Z_COLUMNS: Final = 64  # a stored one is a text of 16 digits a column
_SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*((?:[KMGT]I?)?)B?", re.ASCII)
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_size(name: str, value: int | str) -> int:
    """Returns the bytes that ``value`` means: a number, or a text such as ``"1.5GB"``.

    Units are powers of 1024: B, KB, MB, GB and TB, also spelt KiB and so on.
    """
    size = None
    if isinstance(value, str):
        match = _SIZE.fullmatch(value.strip().upper())
        if match:
            size = int(min(float(match[1]) * _UNITS[match[2][:1]], 2.0 * LONG_MAX))
    elif is_whole(value):
        size = int(value)
    if size is None or not 1 <= size <= LONG_MAX:
        raise OptionError(
            f"Cannot read a size: '{name}' was '{value}'; "
            "write a positive number of bytes or a text such as '128MB'"
        )
    return size


def parse_file_size(name: str, value: int | str) -> int:
    """The same of a file: one of so few bytes was to be of a larger unit."""
    size = parse_size(name, value)
    if size < LEAST_FILE_BYTES:
        raise OptionError(
            f"Cannot write files of {size} bytes: '{name}' was '{value}'; write a text "
            "with its unit, such as '128MB'"
        )
    return size


def is_whole(value: object) -> TypeGuard[int]:
    """Tells whether a value is a whole number, of Python or numpy."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def checked_instant(name: str, instant: str) -> str:
    """Returns an instant; refuses what is no text, such as its digits as a number."""
    if not isinstance(instant, str):
        raise OptionError(
            f"Cannot read an instant: '{name}' was {instant!r}, which is no text; write it in "
            "quotes, as pending() and history() have it"
        )
    return instant


def column_names(name: str, columns: Iterable[str]) -> tuple[str, ...]:
    """Returns the columns as a tuple; refuses a bare text, and what is no text."""
    if isinstance(columns, str):
        raise ColumnError(
            f"Cannot read columns: '{name}' was the text '{columns}'; "
            f"write a list: {name}={[c.strip() for c in columns.split(',')]}"
        )
    if not isinstance(columns, Iterable):
        raise ColumnError(
            f"Cannot read columns: '{name}' was '{columns}'; write a list: {name}=['a', 'b']"
        )
    names = tuple(columns)
    for column in names:
        if not isinstance(column, str):
            raise ColumnError(
                f"Cannot read columns: '{name}' holds '{column}'; a column name is a text"
            )
    return names


def checked_columns(name: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Returns the columns as a tuple; refuses a bare text, empty, doubled and comma names."""
    names = column_names(name, columns)
    seen: set[str] = set()
    for column in names:
        if not column.strip() or "," in column:
            raise ColumnError(
                f"Cannot read columns: '{name}' holds '{column}'; "
                "a column name is a text without commas"
            )
        if column.lower() in seen:  # Spark's column names ignore case
            raise ColumnError(f"Cannot read columns: '{name}' holds '{column}' twice; name it once")
        seen.add(column.lower())
    return names


def checked_sort_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Returns the columns of a layout, of which there is one, and no more than a key holds."""
    checked = checked_columns("columns", columns)
    if not checked:
        raise ColumnError("Cannot lay out: 'columns' is empty; name at least one column")
    if len(checked) > MAX_COLUMNS:
        raise ColumnError(
            f"Cannot lay out: 'columns' names {len(checked)} columns; name at most {MAX_COLUMNS}"
        )
    return checked


def check_z_column(name: str, columns: Sequence[str], weights: Mapping[str, float]) -> None:
    """Refuses a z-column that is one of its own columns, or that these cannot make."""
    [checked] = checked_columns("z_column", [name])
    if checked.lower() in (column.lower() for column in columns):
        raise ColumnError(
            f"Cannot lay out: 'z_column' was '{name}', which is one of its own columns; "
            "give it a name of its own"
        )
    if len(columns) > MAX_Z_COLUMNS:
        raise ColumnError(
            f"Cannot lay out: 'z_column' is made of {len(columns)} columns; "
            f"name at most {MAX_Z_COLUMNS}"
        )
    if weights:
        raise OptionError(
            f"Cannot lay out: 'column_weights' was '{dict(weights)}' and 'z_column' '{name}', in "
            "which all columns weigh the same; leave one of them out"
        )


def choice(
    name: str, value: str, choices: Sequence[str], aliases: Mapping[str, int] | None = None
) -> str:
    """Returns the choice that a text means, whatever its case; aliases name one by its place."""
    text = str(value).upper()
    for choice in choices:
        if choice.upper() == text:
            return choice
    if aliases and text in aliases:
        return choices[aliases[text]]
    raise OptionError(
        f"Cannot lay out: '{name}' was '{value}'; {did_you_mean(str(value), choices)}"
    )


def whole(name: str, value: object, low: int, high: int) -> int:
    """Returns a whole number between two others, both allowed."""
    if not is_whole(value) or not low <= value <= high:
        raise OptionError(
            f"Cannot lay out: '{name}' was '{value}'; write a whole number from {low} to {high}"
        )
    return int(value)


def above(name: str, value: float, low: float) -> float:
    """Returns a finite number above another."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value <= low:
        raise OptionError(f"Cannot lay out: '{name}' was '{value}'; write a number above {low:g}")
    return int(value) if is_whole(value) else float(value)


def checked_weights(weights: Mapping[str, float], columns: Sequence[str]) -> Mapping[str, float]:
    """Returns weights of some of the columns by name."""
    if not isinstance(weights, Mapping):
        raise OptionError(
            f"Cannot lay out: 'column_weights' was '{weights}'; write column_weights="
            f"{{'{columns[0]}': 2}}"
        )
    for name in column_names("column_weights", weights):
        if name not in columns:
            raise ColumnError(
                f"Cannot lay out: 'column_weights' names '{name}', which is no sort column; "
                f"{did_you_mean(name, columns)}"
            )
    return {name: above(f"column_weights['{name}']", w, 0) for name, w in weights.items()}
