"""Conditions as Spark's plans write them, read back to trees of columns and literals.

The plan has no quotes: ``(name#3 = a AND b)`` is one text or two conditions. A reading counts only
when it is the only one; what can be read in two ways, or in none, is ``Unusable``, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from hudi_zorder.eventlog.plan_literals import Unclear, literal_of, widens
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.tree import And, Constant, Or, Predicate, Unusable

RUN_TIME: Final = "found only when the query ran, by a join or a subquery"
NESTED: Final = "it nests too deeply"
UNQUOTED: Final = "ambiguous, for the plan does not quote texts"
NOT_SIMPLE: Final = "no comparison of a column with a literal"
ZONE: Final = "a time in a zone that is not known"

# Of joins, which prune at run time, and of subqueries.
FOUND_LATER: Final = re.compile(r"dynamicpruning|might_contain\(|[sS]ubquery ?(#|scalar-|subquery)")
_NAME: Final = r"(?P<name>[^\W\d]\w*)#\d+L?(?P<fields>(?:\.\w+)*)"
_COLUMN: Final = re.compile(_NAME)
_CAST: Final = re.compile(rf"cast\({_NAME} as (?P<kind>\w+(?:\([\d,]+\))?)\)")
_IS_NULL: Final = re.compile(rf"is(?P<negated>not)?null\({_NAME}\)")
_STARTS: Final = re.compile(
    rf"(?P<function>StartsWith|EndsWith|Contains)\({_NAME}, (?P<text>.*)\)", re.S
)
_LIKE: Final = re.compile(rf"{_NAME} LIKE (?P<text>.*?)(?: ESCAPE '(?P<escape>.)')?", re.S)
_IN: Final = re.compile(r"(?P<column>\S+#\S*|cast\(.*?\)) IN \((?P<values>.*)\)", re.S)
_IN_SET: Final = re.compile(rf"{_NAME} INSET (?P<values>.*)", re.S)
_OPERATOR: Final = re.compile(r" (<=>|<=|>=|=|<|>) ")
_FUNCTION: Final = re.compile(r"[^\W\d]\w*(?=\()")
_HIVE: Final = r"Hive\w+UDF#[\w.$]+\("
_BEGIN: Final = re.compile(rf"\(|NOT |[^\W\d]\w*\(|{_NAME}|CASE WHEN |if \(|{_HIVE}")
# What begins in these ways is said whole, however its parentheses stand.
_SPELLED: Final = re.compile(rf"CASE WHEN .* END|if \(.*\) .* else .*|{_HIVE}.*\)", re.S)
_OPERATORS: Final = {
    "=": p.EQUAL,
    "<=>": p.SAME,
    "<": p.LESS,
    "<=": p.LESS_OR_EQUAL,
    ">": p.GREATER,
    ">=": p.GREATER_OR_EQUAL,
}
_CERTAIN_TEXTS: Final = 2  # a list of one is an equality in a plan, so that two texts are two


@dataclass(frozen=True)
class Condition:
    """One of the conditions that a scan's rows meet.

    Attributes:
        text: as the plan has it.
        meaning: what it says.
        supposed: whether that is so only if no text of a list has a comma in it.
    """

    text: str
    meaning: Predicate
    supposed: bool = False


class PlanText:
    """Reads the conditions of a scan.

    Args:
        types: of the columns, nested ones as ``a.b``.
        pushed: the filters pushed down, as the plan has them.
    """

    def __init__(self, types: Mapping[str, str], pushed: str) -> None:
        self._types = types
        self._pushed = pushed
        self._supposed = False

    def conditions(self, listed: str) -> list[Condition]:
        """Returns the conditions of a list such as ``[isnotnull(a#1), (a#1 = 5)]``.

        A list that cannot be divided is one condition, which is unusable.
        """
        inside = listed[1:-1]
        if not inside:
            return []
        texts = _divided(inside)
        if texts is None:
            return [Condition(inside, Unusable(inside, UNQUOTED))]
        return [self._condition(text) for text in texts]

    def _condition(self, text: str) -> Condition:
        if FOUND_LATER.search(text):
            return Condition(text, Unusable(text, RUN_TIME))
        self._supposed = False
        try:
            found = set(self._readings(text))
        except RecursionError:
            return Condition(text, Unusable(text, NESTED))
        if len(found) == 1:
            return Condition(text, found.pop(), self._supposed)
        return Condition(text, Unusable(text, UNQUOTED))

    def _readings(self, text: str) -> Iterator[Predicate]:
        """Yields every meaning that a text can have as a condition by itself."""
        if text.startswith("NOT "):
            yield from (_negated(inner) for inner in self._readings(text[4:]))
            return
        if _closes(text, 0) == len(text):
            found = list(self._of_group(text[1:-1]))
            yield from found or [_unusable(text)]
            return
        leaf = self._leaf(text)
        if leaf is not None:
            yield leaf
            return
        function = _FUNCTION.match(text)
        closed = function and _closes(text, function.end()) == len(text)
        if closed or _SPELLED.fullmatch(text):
            yield _unusable(text)

    def _of_group(self, inside: str) -> Iterator[Predicate]:
        """Yields every meaning of what is between parentheses: two conditions, or a comparison."""
        for word, kind in ((" AND ", And), (" OR ", Or)):
            for place in _outside(inside, word):
                parts = (inside[:place], inside[place + len(word) :])
                for pair in product(*map(self._readings, parts)):
                    yield kind(flat(kind, pair))
        for operator in _OPERATOR.finditer(inside):
            left, right = inside[: operator.start()], inside[operator.end() :]
            name = _OPERATORS[operator[1]]
            yield from self._comparison(left, name, right)
            yield from self._comparison(right, p.MIRRORED[name], left)

    def _comparison(self, column: str, operator: str, value: str) -> Iterator[Predicate]:
        found = self._column(column)
        if found is None:
            return
        try:
            literal = literal_of(value, found[1])
        except Unclear:
            return
        yield p.Comparison(found[0], operator, literal)

    def _leaf(self, text: str) -> Predicate | None:
        """Returns the meaning of a text that is no group; None when it is none of ours."""
        if text in ("true", "false"):
            return Constant(text, text == "true")
        if found := _COLUMN.fullmatch(text):
            return p.Truth(_path(found), negated=False)
        if found := _IS_NULL.fullmatch(text):
            return p.NullTest(_path(found), negated=bool(found["negated"]))
        try:
            if found := _IN_SET.fullmatch(text):
                return self._in_set(_path(found), found["values"])
            if found := _STARTS.fullmatch(text):
                return _pattern_of(found, self._text(found["text"]))
            if found := _IN.fullmatch(text):
                return self._in(found["column"], found["values"])
            if found := _LIKE.fullmatch(text):
                pattern = self._text(found["text"])
                return p.Like(_path(found), pattern, found["escape"] or "\\", negated=False)
        except Unclear:
            return Unusable(text, UNQUOTED)
        return None

    def _text(self, text: str) -> str:
        return str(literal_of(text, "string").value)

    def _in(self, column: str, values: str) -> Predicate | None:
        found = self._column(column)
        if found is None:
            return None
        name, kind = found
        parts = values.split(",")
        if "null" in parts:
            raise Unclear  # a text, or none
        if kind in (None, "string") and len(parts) > _CERTAIN_TEXTS:
            self._suppose(parts)
        return p.InList(name, self._literals(parts, kind), negated=False)

    def _in_set(self, name: str, values: str) -> Predicate:
        kind = self._types.get(name)
        parts = values.split(", ")
        if "null" in parts:
            raise Unclear
        if kind in (None, "string"):
            self._prove(name, parts)
        return p.InList(name, self._literals(parts, kind), negated=False)

    def _prove(self, name: str, parts: Sequence[str]) -> None:
        """Compares a list with that of the pushed filters, which they divide by bare commas.

        A text with a comma would be divided in another way there.
        """
        lists = re.findall(rf"In\({re.escape(name)}, \[(.*?)\]\)", self._pushed, re.S)
        if not lists:  # as of a partition column
            self._suppose(parts)
        elif all(sorted(one.split(",")) != sorted(parts) for one in lists):
            raise Unclear

    def _suppose(self, parts: Sequence[str]) -> None:
        """Takes each part for a text, unless one looks like a piece of a text with a comma."""
        if any(part != part.strip() or not part for part in parts):
            raise Unclear
        self._supposed = True

    def _literals(self, parts: Sequence[str], kind: str | None) -> tuple[Literal, ...]:
        return tuple(literal_of(part, kind) for part in parts)

    def _column(self, text: str) -> tuple[str, str | None] | None:
        """Returns a column and the type that it is compared in; None for anything else."""
        found = _COLUMN.fullmatch(text)
        if found:
            return _path(found), self._types.get(_path(found))
        found = _CAST.fullmatch(text)
        kind = self._types.get(_path(found)) if found else None
        if found and kind and widens(kind, found["kind"]):
            return _path(found), found["kind"]
        return None


def _divided(text: str) -> list[str] | None:
    """Returns the parts of a list; None when its parentheses do not tell where they end."""
    depth, begin, parts = 0, 0, []
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return None
        if depth == 0 and text.startswith(", ", i) and _BEGIN.match(text, i + 2):
            parts.append(text[begin:i])
            begin = i + 2
    parts.append(text[begin:])
    known = all(_COLUMN.search(part) or FOUND_LATER.search(part) for part in parts)
    return parts if depth == 0 and known else None


def _closes(text: str, start: int) -> int:
    """Returns the place after the parenthesis that closes the one at ``start``; 0 without one."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1 if i > start else 0
    return 0


def _outside(text: str, word: str) -> Iterator[int]:
    """Yields where a word stands outside of all parentheses."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and text.startswith(word, i):
            yield i


def _path(found: re.Match[str]) -> str:
    return found["name"] + found["fields"]


def _unusable(text: str) -> Unusable:
    return Unusable(text, NOT_SIMPLE)


def _pattern_of(found: re.Match[str], text: str) -> p.Like:
    plain = re.sub(r"([\\%_])", r"\\\1", text)
    start = "" if found["function"] == "StartsWith" else "%"
    end = "" if found["function"] == "EndsWith" else "%"
    return p.Like(_path(found), f"{start}{plain}{end}", "\\", negated=False)


def flat(kind: type[And] | type[Or], parts: Sequence[Predicate]) -> tuple[Predicate, ...]:
    """Returns the parts of conditions that are joined by one word, without groups by the same."""
    found: list[Predicate] = []
    for part in parts:
        found += part.parts if isinstance(part, kind) else (part,)
    return tuple(found)


def _negated(part: Predicate) -> Predicate:
    """Returns what is true where a condition is false."""
    if isinstance(part, And | Or):
        parts = tuple(_negated(inner) for inner in part.parts)
        return Or(parts) if isinstance(part, And) else And(parts)
    if isinstance(part, p.Comparison):
        return p.Comparison(part.column, p.NEGATED[part.operator], part.literal)
    if isinstance(part, p.InList):
        return p.InList(part.column, part.literals, not part.negated)
    if isinstance(part, p.Like):
        return p.Like(part.column, part.pattern, part.escape, not part.negated)
    if isinstance(part, p.NullTest):
        return p.NullTest(part.column, not part.negated)
    if isinstance(part, p.Truth):
        return p.Truth(part.column, not part.negated)
    if isinstance(part, Constant):
        return Constant(str(not part.holds).lower(), not part.holds)
    return Unusable(f"NOT {part.text}", part.reason)
