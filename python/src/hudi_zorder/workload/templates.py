"""Templates of queries: what those have in common that are the same but for their literals."""

from __future__ import annotations

import json
import re
from typing import Final

from hudi_zorder.workload.query_boxes import Range

# A text or a number that is no part of a name, with the word before it that tells its type.
_LITERAL: Final = re.compile(
    r"""(?:\b(?:date|timestamp(?:_ntz|_ltz)?|x)\s*)?'(?:[^'\\]|\\.|'')*'"""
    r"""|"(?:[^"\\]|\\.)*"|(?<![\w.`])[-+]?\d(?:[\w.]|(?<=[eE])[-+])*""",
    re.IGNORECASE,
)
_LITERALS: Final = re.compile(r"\?(?:\s*,\s*\?)+")


def template_of_sql(text: str) -> str:
    """Returns a condition or a statement without its literals and their number."""
    return _LITERALS.sub("?", _LITERAL.sub("?", text))


def template_of_boxes(text: str) -> str:
    """Returns a query that is its boxes, as JSON, without its literals and their number.

    Two are of one template here if Java's ``Query.template`` is the same of them.
    """
    return json.dumps(
        [
            sorted((name, sorted({_way(one) for one in ranges})) for name, ranges in box.items())
            for box in json.loads(text)
        ]
    )


def _way(values: Range) -> str:
    """Returns how values are asked for, whatever the literals."""
    if isinstance(values, str):
        return values  # it is "null"
    low, high = values[:2]
    if low is not None and low == high:
        return "="
    return (">" if low is not None else "") + ("<" if high is not None else "")
