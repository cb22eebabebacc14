"""Values as Spark's plans write them: bare, so that their types come from the scan's schema."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Final

from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate.literals import Literal

# From narrow to wide: what Spark casts to by itself, so that the cast need not be written.
_NUMBERS: Final = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")
_WHOLE: Final = _NUMBERS[:4]
_DIGITS: Final = dict(zip(_WHOLE, (3, 5, 10, 19), strict=True))  # of the longest value
_ATTRIBUTE: Final = re.compile(r"\w#\d")
_REDACTED: Final = "(redacted)"
_INTEGER: Final = re.compile(r"-?\d+")
_DECIMAL_TYPE: Final = re.compile(r"decimal\((\d+),(\d+)\)")
_DECIMAL: Final = re.compile(r"-?\d+(\.\d+)?(E[+-]?\d+)?")
_FLOAT: Final = re.compile(r"-?(\d+\.\d+(E-?\d+)?|Infinity)|NaN")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME: Final = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?")
_BYTES: Final = re.compile(r"0x([0-9A-F]{2})*")


class Unclear(Exception):
    """A text of a plan that can be read in more ways than one, or in none."""


@lru_cache(maxsize=256)
def column_types(schema: str) -> Mapping[str, str]:
    """Returns the types of columns in ``struct<a:int,b:struct<c:string>>``, nested ones as b.c."""
    found: dict[str, str] = {}
    _collect(schema, "", found)
    return found


def _collect(text: str, prefix: str, found: dict[str, str]) -> None:
    if not (text.startswith("struct<") and text.endswith(">")):
        return
    depth, begin = 0, 0
    inside = text[len("struct<") : -1] + ","
    for i, character in enumerate(inside):
        depth += (character in "<(") - (character in ">)")
        if character == "," and depth == 0:
            name, _, kind = inside[begin:i].partition(":")
            if kind:
                found[prefix + name] = kind
                _collect(kind, f"{prefix}{name}.", found)
            begin = i + 1


def widens(kind: str, wider: str) -> bool:
    """Tells whether Spark casts a column of one type to another by itself to compare it."""
    narrow, wide = (name.partition("(")[0] for name in (kind, wider))
    if wide == "decimal":
        return _fits(kind, wider)
    if narrow in _NUMBERS and wide in _NUMBERS:
        return _NUMBERS.index(narrow) <= _NUMBERS.index(wide)
    return (narrow, wide) == ("date", "timestamp")


def _fits(kind: str, wider: str) -> bool:
    """Tells whether a decimal type has every value of another one, or of an integer type."""
    wide = _DECIMAL_TYPE.fullmatch(wider)
    if wide is None:
        return False
    precision, scale = map(int, wide.groups())
    if kind in _DIGITS:
        return precision - scale >= _DIGITS[kind]
    narrow = _DECIMAL_TYPE.fullmatch(kind)
    if narrow is None:
        return False
    own_precision, own_scale = map(int, narrow.groups())
    return scale >= own_scale and precision - scale >= own_precision - own_scale


def literal_of(text: str, kind: str | None) -> Literal:
    """Returns the literal of a text; a time is one on the session's clock.

    Args:
        text: as the plan has it.
        kind: the type that Spark compares in; None when the plan does not tell, where the literal
            is a text, which Spark casts to the column's type.

    Raises:
        Unclear: when the text is no value of that type.
    """
    if _REDACTED in text or _ATTRIBUTE.search(text):
        raise Unclear
    name = "string" if kind is None else kind.partition("(")[0]
    if name == "string":
        return Literal(kinds.STRING, text)
    if name == "boolean" and text in ("true", "false"):
        return Literal(kinds.BOOLEAN, text == "true")
    if name in _WHOLE and _INTEGER.fullmatch(text):
        return Literal(kinds.INTEGER, int(text))
    if name == "decimal" and _DECIMAL.fullmatch(text):
        return Literal(kinds.DECIMAL, Decimal(text))
    if name in ("float", "double") and _FLOAT.fullmatch(text):
        return Literal(kinds.FLOAT if name == "float" else kinds.DOUBLE, float(text))
    if name == "date" and _DATE.fullmatch(text):
        return Literal(kinds.DATE, text)
    if name == "timestamp" and _TIME.fullmatch(text):
        return Literal(kinds.TIMESTAMP, text)
    if name == "timestamp_ntz" and _TIME.fullmatch(text):
        return Literal(kinds.TIMESTAMP_NTZ, text)
    if name == "binary" and _BYTES.fullmatch(text):
        return Literal(kinds.BINARY, bytes.fromhex(text[2:]))
    raise Unclear
