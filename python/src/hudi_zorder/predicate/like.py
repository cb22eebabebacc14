"""Patterns of SQL's LIKE: what every match starts with, and whether a text matches."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Final

from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.predicate.value_tests import Interval

# As which a regular expression sees bytes that are no UTF-8.
_NO_CHARACTER: Final = "\ufffd".encode()
_SURROGATES: Final = 0xD800
_AFTER_SURROGATES: Final = 0xE000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern.

    Attributes:
        prefix: what the pattern starts with, as UTF-8.
        exact: whether there is no wildcard, so that the prefix is the only match.
        is_prefix: whether whatever starts with the prefix matches, and nothing else.
        expression: the pattern as a regular expression.
    """

    prefix: bytes
    exact: bool
    is_prefix: bool
    expression: re.Pattern[str]

    @classmethod
    def parse(cls, pattern: str, escape: str) -> Pattern | None:
        """Returns the pattern; None for an escape that Spark refuses."""
        if len(escape) != 1 or escape in "%_":
            return None
        prefix: list[str] = []
        parts: list[str] = []
        wildcards = ""
        characters = iter(pattern)
        for character in characters:
            if character == escape:
                character = next(characters, "")
                if not character or character not in f"%_{escape}":
                    return None
            elif character in "%_":
                wildcards += character
                parts.append(".*" if character == "%" else ".")
                continue
            parts.append(re.escape(character))
            if not wildcards:
                prefix.append(character)
        return cls(
            "".join(prefix).encode(),
            not wildcards,
            wildcards == "%" and bool(parts) and parts[-1] == ".*",
            re.compile("".join(parts), re.DOTALL),
        )

    @property
    def starts(self) -> Interval:
        """The interval of all texts that start as a match does."""
        if self.exact:
            return Interval(self.prefix, self.prefix)
        prefix = self.prefix if self.is_prefix else self.prefix.partition(_NO_CHARACTER)[0]
        if not prefix:
            return Interval()
        return Interval(prefix, _after(prefix.decode()), high_open=True)

    def may_match(self, value: Comparable) -> bool:
        """Returns whether a text, given as UTF-8, matches; true for what is no UTF-8."""
        text = _decoded(value)
        return text is None or self.expression.fullmatch(text) is not None

    def may_not_match(self, value: Comparable) -> bool:
        """Returns whether a text, given as UTF-8, does not match; true for what is no UTF-8."""
        text = _decoded(value)
        return text is None or self.expression.fullmatch(text) is None


def _after(prefix: str) -> bytes | None:
    """Returns the least text above all that start with a prefix; None where there is none.

    UTF-8 is ordered as code points are, of which halves of a surrogate pair are no text.
    """
    stem = prefix.rstrip(chr(sys.maxunicode))
    if not stem:
        return None
    last = ord(stem[-1]) + 1
    return (stem[:-1] + chr(_AFTER_SURROGATES if last == _SURROGATES else last)).encode()


def _decoded(value: Comparable) -> str | None:
    try:
        return value.decode() if isinstance(value, bytes) else None
    except UnicodeDecodeError:
        return None
