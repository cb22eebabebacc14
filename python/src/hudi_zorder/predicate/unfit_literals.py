"""Literals that no value of a column can be: mistakes, which Spark answers with no row at all.

What Spark may read in any way is let through, however odd: only what is certain is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import PredicateError
from hudi_zorder.parquet.comparables import is_float, is_time
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.literals import Literal

if TYPE_CHECKING:
    import pyarrow as pa

_NUMBER: Final = re.compile(
    r"\s*[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?[df]?|0x[\da-f.p+-]+|nan|inf(inity)?)\s*", re.I
)
_DAY: Final = re.compile(r"\s*[+-]?(\d{4,})(?:-(\d{1,2})(?:-(\d{1,2})([ T].*)?)?)?\s*", re.S)
_TIME_OF_DAY: Final = re.compile(r"\s*T?\d{1,2}:.*", re.S)
_NAMED_TIMES: Final = ("epoch", "now", "today", "tomorrow", "yesterday")
_TRUTHS: Final = ("t", "true", "y", "yes", "1", "f", "false", "n", "no", "0")
_NUMBERS: Final = (kinds.INTEGER, kinds.DECIMAL, kinds.FLOAT, kinds.DOUBLE)


def check_literals(leaf: p.ColumnLeaf, arrow_type: pa.DataType) -> None:
    """Refuses a leaf whose literals the column's type cannot be, where it is true of no row then.

    Raises:
        PredicateError: naming the column, its type, the literal and what would do.
    """
    literals = _only_by_these(leaf)
    wanted = [_wanted(literal, arrow_type) for literal in literals]
    if literals and all(wanted):
        raise PredicateError(
            f"Cannot read a predicate: '{leaf.text}' compares {leaf.column}, which is "
            f"{arrow_type}, with {literals[0].text}; write {wanted[0]}"
        )


def _only_by_these(leaf: p.ColumnLeaf) -> Sequence[Literal]:
    """Returns the literals by one of which alone a leaf is true; none of any other leaf.

    What is no number is null to ``<=>``, as rows may be, and a text that others differ from to
    ``NOT IN``.
    """
    if isinstance(leaf, p.Comparison) and leaf.operator not in (p.SAME, p.NOT_SAME):
        return [leaf.literal]
    return leaf.literals if isinstance(leaf, p.InList) and not leaf.negated else []


def _wanted(literal: Literal, arrow_type: pa.DataType) -> str:
    """Returns what should stand in place of a literal; nothing when it may be one of the type."""
    import pyarrow.types as t

    text = literal.value if isinstance(literal.value, str) else ""
    is_string = literal.kind == kinds.STRING
    if t.is_signed_integer(arrow_type) or t.is_decimal(arrow_type) or is_float(arrow_type):
        unfit = is_string and not _NUMBER.fullmatch(text)
        return "a number" if unfit or literal.kind == kinds.DATE else ""
    if t.is_boolean(arrow_type):
        return "TRUE or FALSE" if is_string and text.strip().lower() not in _TRUTHS else ""
    if is_time(arrow_type):
        unfit = (is_string or literal.kind == kinds.DATE) and not _may_be_time(text)
        return "a date, such as '2026-11-30'" if unfit or literal.kind in _NUMBERS else ""
    return ""


def _may_be_time(text: str) -> bool:
    if text.strip().lower() in _NAMED_TIMES or _TIME_OF_DAY.fullmatch(text):
        return True
    found = _DAY.fullmatch(text)
    if found is None:
        return False
    # A year that Python does not know has the days of one that it does, which recur in 400 years.
    year, month, day = int(found[1][-4:]), int(found[2] or 1), int(found[3] or 1)
    try:
        date(2000 + year % 400, month, day)
    except ValueError:
        return False
    return True
