"""The ranges of a stored z-column that the session's extension has added to a scan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hudi_zorder.eventlog.plan_text import Condition

_TERM: Final = re.compile(r"[^#]+(?P<number>#\d+) (?:(?:>=|<=|=) (?:[0-9A-F]{16})+|< )")
_WORDS: Final = re.compile(r" AND | OR ")
_NUMBER: Final = re.compile(r"#\d+")


def without_z_ranges(conditions: Sequence[Condition]) -> list[Condition]:
    """Returns the conditions of a query itself.

    What is added comes after what was asked, and compares one column with hexadecimal digits of
    whole words and nothing else. Whatever else is asked of that column alone, such as that it is
    not null, follows from it.
    """
    for condition in reversed(conditions):
        column = _ranged(condition.text)
        if column is not None:
            return [other for other in conditions if set(_NUMBER.findall(other.text)) != {column}]
    return list(conditions)


def _ranged(text: str) -> str | None:
    """Returns the number of the column that a condition asks z-ranges of; None of any other."""
    terms = _WORDS.split(re.sub(r"[()]", "", text))
    found = [_TERM.fullmatch(term) for term in terms]
    numbers = {term["number"] if term else None for term in found}
    return numbers.pop() if len(numbers) == 1 else None
