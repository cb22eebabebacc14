"""Templates of queries: what those have in common that are the same but for their literals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Final

from hudi_zorder.workload.query_boxes import Box, Range

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


def text_of_boxes(boxes: Iterable[Box]) -> str:
    """Returns a query that is its boxes as JSON, the same however its conditions are ordered."""
    return json.dumps(sorted(boxes, key=place_of_box), sort_keys=True)


def place_of_box(box: Box) -> tuple[list[tuple[str, str]], str]:
    """Returns what the boxes of a query are ordered by: first by what no literal changes."""
    return _template(box), json.dumps(box, sort_keys=True)


def template_of_boxes(text: str) -> str:
    """Returns a query that is its boxes, as JSON, without its literals and their number.

    Two are of one template here if Java's ``Query.template`` is the same of them: of each column
    this one is the marks of that one, each once, whatever ranges Java has joined.
    """
    return json.dumps([_template(box) for box in json.loads(text)])


def _template(box: Box) -> list[tuple[str, str]]:
    return sorted((name, _marks(values)) for name, values in box.items())


def _marks(values: Sequence[Range]) -> str:
    """Returns which ends there are to the values asked for, whatever the literals.

    A value has two ends as a range has, for a report asks for days of any number.
    """
    marks = set()
    for one in values:
        low, high = ("n", "n") if isinstance(one, str) else one[:2]
        marks.add("n" if one == "null" else "<" if low is None else "[")
        marks.add(">" if high is None else "]")
    if "n" in marks:  # nulls lie before all values: those with no low end go on from there
        marks.discard("<")
    return "".join(sorted(marks))
