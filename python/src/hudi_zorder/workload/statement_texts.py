"""Which texts are statements, and the parts of those that may read a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# What a `;` divides no statement in: a text, a name or a comment. For `re.DOTALL`.
WHOLE: Final = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|/\*.*?\*/|--[^\n]*)"""

# Each text can be one comment in one way alone; of two, a search tries out all sums of them.
_COMMENT: Final = r"(?:--[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)"
_HEAD: Final = rf"(?:\s|\(|{_COMMENT})*"
_GAP: Final = rf"(?:\s|{_COMMENT})+"
# A column may be called as what begins a statement; then it has an operator after it.
_NO_COLUMN: Final = (
    rf"(?={_GAP}[\w`'\"])"
    rf"(?!{_GAP}(?:is|not|in|between|like|ilike|rlike|regexp|and|or|div)\b)"
)
# Of Spark and Hudi, and what else a log has of statements that read no table.
_IDLE: Final = re.compile(
    rf"{_HEAD}(?:(?:set|use|show|desc|describe|call|alter|drop|truncate|refresh|analyze|msck|"
    rf"repair|add|list|reset|load|clear|uncache|comment|grant|revoke|declare|export|import|lock|"
    rf"unlock|start|optimize|vacuum|restore|begin|commit|rollback)\b{_NO_COLUMN}|"
    rf"(?:begin|commit|rollback)(?:{_GAP})?(?:;|\Z))",
    re.IGNORECASE,
)
_STATEMENT: Final = re.compile(
    rf"{_HEAD}(?:select\b|(?:with|update|delete|insert|merge|create(?:{_GAP}or{_GAP}replace)?|"
    rf"replace|explain|from|values|table|cache)\b{_NO_COLUMN}|"
    rf"(?:explain|from|values)(?:{_GAP})?\()",
    re.IGNORECASE,
)
_EXPLAIN: Final = re.compile(
    rf"({_HEAD})explain\b(?:{_GAP}(?:extended|codegen|cost|formatted)\b)?", re.IGNORECASE
)
_PIECE: Final = re.compile(rf"{WHOLE}|(;)", re.DOTALL)


def is_statement(text: str, start: int = 0) -> bool:
    """Returns whether a text from there on is a statement, not a condition as after WHERE."""
    return any(kind.match(text, start) for kind in (_STATEMENT, _IDLE))


def reading_parts(text: str) -> Iterator[str]:
    """Yields the statements of a text that may read tables; of EXPLAIN what it explains."""
    begin = 0
    ends = [piece.start() for piece in _PIECE.finditer(text) if piece[1]]
    for end in (*ends, len(text)):
        part = text[begin:end]
        if not _IDLE.match(part):
            yield _EXPLAIN.sub(r"\1", part, count=1) if _EXPLAIN.match(part) else part
        begin = end + 1
