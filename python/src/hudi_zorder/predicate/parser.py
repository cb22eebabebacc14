"""From Spark's SQL to predicates, by sqlglot's grammar of Spark.

sqlglot reads what Spark reads, but a node may mean more than its name says (``LIKE ANY``, a negated
``LIKE``, ``BETWEEN SYMMETRIC``): a node with any part that is not known here becomes ``Unusable``.
"""

from __future__ import annotations

import operator as operators
import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hudi_zorder.errors import PredicateError
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.constants import folded
from hudi_zorder.predicate.floats import single, single_of
from hudi_zorder.predicate.literals import Literal, NotUsable
from hudi_zorder.predicate.number_literals import (
    any_number,
    decimal_of,
    fits_decimal,
    float_of,
    number_of,
)
from hudi_zorder.predicate.tree import And, Constant, Or, Predicate, Unusable

_OPERATORS: Final[dict[type[exp.Expr], str]] = {
    exp.EQ: p.EQUAL,
    exp.NEQ: p.NOT_EQUAL,
    exp.LT: p.LESS,
    exp.LTE: p.LESS_OR_EQUAL,
    exp.GT: p.GREATER,
    exp.GTE: p.GREATER_OR_EQUAL,
    exp.NullSafeEQ: p.SAME,
    exp.NullSafeNEQ: p.NOT_SAME,
}
_OF_VALUES: Final[dict[str, Callable[[Any, Any], bool]]] = {
    p.EQUAL: operators.eq,
    p.NOT_EQUAL: operators.ne,
    p.LESS: operators.lt,
    p.LESS_OR_EQUAL: operators.le,
    p.GREATER: operators.gt,
    p.GREATER_OR_EQUAL: operators.ge,
    p.SAME: operators.eq,
    p.NOT_SAME: operators.ne,
}
_TIMES: Final = {
    "DATE": kinds.DATE,
    "TIMESTAMP": kinds.TIMESTAMP,
    "TIMESTAMPTZ": kinds.TIMESTAMP,
    "TIMESTAMPLTZ": kinds.TIMESTAMP,
    "TIMESTAMPNTZ": kinds.TIMESTAMP_NTZ,
}
_INTEGER_BITS: Final = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_FLOATS: Final = {"FLOAT": kinds.FLOAT, "DOUBLE": kinds.DOUBLE}
# Escapes that Spark and sqlglot read alike; any other leaves the text's meaning open.
_KNOWN_ESCAPES: Final = re.compile(r"\\[\\'\"%_nrt]")
REMEMBERED: Final = 20_000  # texts of which what they mean is: more than a plan keeps
_KINDS_OF_NUMBERS: Final = (kinds.STRING, kinds.INTEGER, kinds.DECIMAL, kinds.FLOAT, kinds.DOUBLE)
_TIME_OF_DAY: Final = re.compile(r"^(\d{4}-\d{2}-\d{2})[ T].*$", re.S)
_HOW: Final = (
    "write it as after WHERE, such as \"a = 5 AND b LIKE 'x%'\"; "
    "a shell takes the quotes of a text away unless there are others around"
)
_NO_SIMPLE_FORM: Final = "it is no comparison of a column with a literal"


@lru_cache(REMEMBERED)
def parse(text: str) -> Predicate:
    """Returns the tree of a predicate in Spark's SQL, such as ``a = 5 AND b LIKE 'x%'``.

    Raises:
        PredicateError: when the text is no predicate.
    """
    _refuse_halves_of_characters(text)
    parsed = condition(text)
    if parsed is None:
        raise PredicateError(
            f"Cannot parse a predicate: 'predicate' was '{text}'{_why_none(text)}; {_HOW}"
        )
    odd_escape = "\\" in _KNOWN_ESCAPES.sub("", text)
    try:
        return _Translator(odd_escape).predicate(parsed, negated=False)
    except RecursionError as fault:
        why = f"'predicate' was '{text}' (it nests too deeply)"
        raise PredicateError(f"Cannot parse a predicate: {why}; {_HOW}") from fault


def condition(text: str) -> exp.Expr | None:
    """Returns what follows WHERE, where a column may be called as a command, such as ``comment``.

    None for what is no condition.
    """
    try:
        statements = sqlglot.parse(f"SELECT 1 WHERE {text}\n", read="spark")
    except (SqlglotError, RecursionError):
        return None
    select = statements[0] if len(statements) == 1 else None
    if not isinstance(select, exp.Select):
        return None
    besides = [part for name, part in select.args.items() if name not in ("where", "expressions")]
    found = select.args["where"].this
    return found if isinstance(found, exp.Condition) and not any(besides) else None


def _why_none(text: str) -> str:
    """Returns why a text is no condition, as it is read by itself."""
    try:
        sqlglot.parse(text, read="spark")
    except (SqlglotError, RecursionError) as fault:
        return f" ({_first_line(fault)})"
    return ", which is not one condition"


def _refuse_halves_of_characters(text: str) -> None:
    """Refuses half a surrogate pair, which is no text in UTF-8, and a question mark to Java."""
    try:
        text.encode()
    except UnicodeEncodeError as fault:
        shown = text.encode("ascii", "backslashreplace").decode()
        raise PredicateError(
            f"Cannot parse a predicate: 'predicate' was '{shown}', whose character {fault.start} "
            "is half of one; write it in UTF-8"
        ) from fault


def _first_line(fault: BaseException) -> str:
    plain = re.sub(r"\x1b\[\d*m| for <class '[\w.]+'>", "", str(fault))
    return plain.splitlines()[0].strip().rstrip(".") if plain else type(fault).__name__


class _Translator:
    def __init__(self, odd_escape: bool) -> None:
        self._odd_escape = odd_escape
        self._leaves: dict[type[exp.Expr], Callable[[exp.Expr, str, bool], Predicate]]
        self._leaves = {
            exp.In: self._in,
            exp.Between: self._between,
            exp.Like: self._like,
            exp.Escape: self._like,
            exp.Is: self._is,
            exp.StartsWith: self._starts_with,
            exp.Column: self._truth,
            exp.Boolean: self._constant,
            exp.Null: self._constant,
            exp.Anonymous: self._function,
            **dict.fromkeys(_OPERATORS, self._comparison),
        }

    def predicate(self, node: exp.Expr, *, negated: bool) -> Predicate:
        """Returns the tree that is true where ``node``, or its negation, is true."""
        if isinstance(node, exp.Paren):
            return self.predicate(node.this, negated=negated)
        if isinstance(node, exp.Not):
            return self.predicate(node.this, negated=not negated)
        if isinstance(node, exp.And | exp.Or):
            parts = tuple(self.predicate(part, negated=negated) for part in node.flatten())
            return And(parts) if isinstance(node, exp.And) != negated else Or(parts)
        written = node.sql(dialect="spark", comments=False)
        text = f"NOT ({written})" if negated else written
        try:
            translate = self._leaves.get(type(node))
            if translate is None:
                raise NotUsable(_NO_SIMPLE_FORM)
            return translate(node, text, negated)
        except NotUsable as why:
            return Unusable(text, str(why), _columns(node))

    def _comparison(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        _only(node, "this", "expression")
        left, right = _bare(node.this), _bare(node.expression)
        operator = _OPERATORS[type(node)]
        if node.find(exp.Column) is None:
            return self._constant_comparison(operator, left, right, text, negated)
        if isinstance(right, exp.Column) and not isinstance(left, exp.Column):
            left, right, operator = right, left, p.MIRRORED[operator]
        if isinstance(right, exp.Column):
            raise NotUsable("it compares two columns")
        column, literal = _column(left), self._literal(right)
        if negated:
            operator = p.NEGATED[operator]
        if literal.kind == kinds.NULL:
            if operator in (p.SAME, p.NOT_SAME):
                return p.NullTest(column, negated=operator == p.NOT_SAME)
            return Constant(text, holds=False)  # null at best, whatever the column holds
        return p.Comparison(column, operator, literal)

    def _constant_comparison(
        self, operator: str, left: exp.Expr, right: exp.Expr, text: str, negated: bool
    ) -> Predicate:
        first, second = self._literal(left), self._literal(right)
        if first.kind != kinds.INTEGER or second.kind != kinds.INTEGER:
            raise NotUsable(_NO_SIMPLE_FORM)
        return Constant(text, _OF_VALUES[operator](first.value, second.value) != negated)

    def _in(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        _only(node, "this", "expressions")
        column = _column(node.this)
        found = [self._literal(_bare(part)) for part in node.expressions]
        known = tuple(literal for literal in found if literal.kind != kinds.NULL)
        if not known or (negated and len(known) < len(found)):
            # A null in the list makes NOT IN null at best.
            return Constant(text, holds=False) if found else Unusable(text, _NO_SIMPLE_FORM)
        return p.InList(column, known, negated)

    def _between(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        _only(node, "this", "low", "high")
        low = exp.GTE(this=node.this, expression=node.args["low"])
        high = exp.LTE(this=node.this, expression=node.args["high"])
        return self.predicate(exp.And(this=low, expression=high), negated=negated)

    def _like(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        escape = "\\"
        if isinstance(node, exp.Escape):
            _only(node, "this", "expression")
            escape = self._text(node.expression)
            node = node.this
        if not isinstance(node, exp.Like):
            raise NotUsable(_NO_SIMPLE_FORM)
        _only(node, "this", "expression", "negate")
        if node.args.get("negate"):
            negated = not negated
        pattern = self._text(node.expression)
        return p.Like(_column(node.this), pattern, escape, negated)

    def _starts_with(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        _only(node, "this", "expression")
        prefix = re.sub(r"([\\%_])", r"\\\1", self._text(node.expression))
        return p.Like(_column(node.this), f"{prefix}%", "\\", negated)

    def _is(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        _only(node, "this", "expression")
        if isinstance(node.expression, exp.Null):
            return p.NullTest(_column(node.this), negated)
        if isinstance(node.expression, exp.Boolean):
            operator = p.NOT_SAME if negated else p.SAME
            literal = Literal(kinds.BOOLEAN, bool(node.expression.this))
            return p.Comparison(_column(node.this), operator, literal)
        raise NotUsable(_NO_SIMPLE_FORM)

    def _truth(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        return p.Truth(_column(node), negated)

    def _constant(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        holds = isinstance(node, exp.Boolean) and bool(node.this) != negated
        return Constant(text, holds)

    def _function(self, node: exp.Expr, text: str, negated: bool) -> Predicate:
        name = str(node.this).lower()
        if name in ("isnull", "isnotnull") and len(node.expressions) == 1:
            return p.NullTest(_column(node.expressions[0]), negated != (name == "isnotnull"))
        raise NotUsable(_NO_SIMPLE_FORM)

    def _text(self, node: exp.Expr) -> str:
        literal = self._literal(_bare(node))
        if not isinstance(literal.value, str) or literal.kind != kinds.STRING:
            raise NotUsable("the pattern is no text")
        return literal.value

    def _literal(self, node: exp.Expr) -> Literal:
        if isinstance(node, exp.Null):
            return Literal(kinds.NULL, None)
        if isinstance(node, exp.Boolean):
            return Literal(kinds.BOOLEAN, bool(node.this))
        if isinstance(node, exp.HexString):
            digits = str(node.this)
            return Literal(kinds.BINARY, bytes.fromhex(digits.zfill(len(digits) + len(digits) % 2)))
        if isinstance(node, exp.RawString) and "\\" not in str(node.this):
            return Literal(kinds.STRING, str(node.this))
        if isinstance(node, exp.Concat) and all(_is_text(part) for part in node.expressions):
            return Literal(kinds.STRING, "".join(self._text(part) for part in node.expressions))
        if isinstance(node, exp.Literal):
            return self._string(node) if node.is_string else number_of(str(node.this))
        if isinstance(node, exp.Cast):  # TryCast, too
            return self._cast(node)
        found = folded(node, lambda part: self._literal(_bare(part)))
        if found is None:
            raise NotUsable(_NO_SIMPLE_FORM)
        return found

    def _string(self, node: exp.Literal) -> Literal:
        if self._odd_escape:
            raise NotUsable("a text has an escape that is not one of \\\\ \\' \\\" \\% \\_ \\n \\t")
        return Literal(kinds.STRING, str(node.this))

    def _cast(self, node: exp.Cast) -> Literal:
        target = node.to.this.name
        inner = self._literal(_bare(node.this))
        if target in _TIMES and isinstance(inner.value, str) and inner.kind == kinds.STRING:
            text = inner.value
            return Literal(_TIMES[target], _day(text) if target == "DATE" else text)
        if target == "DATE" and inner.kind == kinds.DATE:
            return inner
        if target in _INTEGER_BITS and isinstance(inner.value, int):  # 5L, 5S, 5Y
            limit = 1 << (_INTEGER_BITS[target] - 1)
            if inner.kind == kinds.INTEGER and -limit <= inner.value < limit:
                return inner
        if target in _FLOATS and inner.kind in _KINDS_OF_NUMBERS:
            if isinstance(inner.value, float):
                return float_of(_FLOATS[target], inner.value, single)
            text = str(inner.value)  # 1.5D, 1.5F, double('NaN')
            return float_of(_FLOATS[target], any_number(text), partial(single_of, text))
        if target == "DECIMAL" and isinstance(inner.value, str):  # 1.5BD
            parameters = [str(parameter.this) for parameter in node.to.expressions]
            if fits_decimal(inner.value, parameters):
                return decimal_of(inner.value)
        raise NotUsable("it casts a value")


def _only(node: exp.Expr, *known: str) -> None:
    """Refuses a node with parts that are not known, which would change what it means."""
    for name, value in node.args.items():
        if name not in known and value not in (None, False, []):
            raise NotUsable(_NO_SIMPLE_FORM)


def _columns(node: exp.Expr) -> tuple[str, ...]:
    """Returns the columns that a node names; what a query within it means is its own affair."""
    if next(node.find_all(exp.Query), None) is not None:
        return ()
    parts = (column.parts for column in node.find_all(exp.Column))
    return tuple(dict.fromkeys(".".join(part.name for part in names) for names in parts))


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


def _column(node: exp.Expr) -> str:
    node = _bare(node)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        return f"{_column(node.this)}.{node.expression.name}"
    if not isinstance(node, exp.Column) or not all(
        isinstance(part, exp.Identifier) for part in node.parts
    ):
        raise NotUsable(_NO_SIMPLE_FORM)
    return ".".join(part.name for part in node.parts)


def _day(text: str) -> str:
    """Returns the day alone of a text that Spark reads as a date, whatever comes after it."""
    return _TIME_OF_DAY.sub(r"\1", text)
