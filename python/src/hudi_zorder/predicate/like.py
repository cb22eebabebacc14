"""Patterns of SQL's LIKE: what every match starts with, and whether a text matches."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.predicate.value_tests import Interval


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern.

    Attributes:
        prefix: what every match starts with, as UTF-8.
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
        stem = self.prefix.rstrip(b"\xff")
        after = stem[:-1] + bytes([stem[-1] + 1]) if stem else None
        return Interval(self.prefix, after, high_open=True)

    def may_match(self, value: Comparable) -> bool:
        """Returns whether a text, given as UTF-8, matches; true for what is no UTF-8."""
        text = _decoded(value)
        return text is None or self.expression.fullmatch(text) is not None

    def may_not_match(self, value: Comparable) -> bool:
        """Returns whether a text, given as UTF-8, does not match; true for what is no UTF-8."""
        text = _decoded(value)
        return text is None or self.expression.fullmatch(text) is None


def _decoded(value: Comparable) -> str | None:
    try:
        return value.decode() if isinstance(value, bytes) else None
    except UnicodeDecodeError:
        return None
