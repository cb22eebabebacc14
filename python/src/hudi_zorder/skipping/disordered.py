"""What a predicate compares that Hudi takes to be in a column's order, and that is not.

Of ``f(column) = value`` Hudi looks between ``f`` of a file's minimum and ``f`` of its maximum, for
a list of functions that is to keep the order of values (its ``OrderPreservingTransformation``).
These are of the list, and do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hudi_zorder.parquet.comparables import is_text
from hudi_zorder.parquet.file_schema import FileSchema
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.parser import condition, parse

ORDER, FORMAT = "hudi#19445", "hudi#19481"

_COMPARISONS: Final = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE),
    *(exp.In, exp.Between, exp.Like, exp.ILike, exp.StartsWith),
)
_ISSUES: Final[dict[type[exp.Expr], str]] = {
    **dict.fromkeys((exp.Lower, exp.Upper), ORDER),
    # By a negative number, by the column itself, or beyond the end of a type.
    **dict.fromkeys((exp.Add, exp.Mul, exp.Div, exp.BitwiseOr, exp.BitwiseLeftShift), ORDER),
    **dict.fromkeys((exp.Ln, exp.Log), ORDER),  # of numbers below 0 they are null
    **dict.fromkeys((exp.Cast, exp.TryCast, exp.TsOrDsToDate), ORDER),
    exp.DateDiff: ORDER,  # of the day that it counts from
    **dict.fromkeys((exp.AtTimeZone, exp.FromTimeZone), ORDER),  # where a clock is set back
    **dict.fromkeys((exp.TimeToStr, exp.UnixToStr, exp.StrToUnix), FORMAT),
}
_OF_NO_NODE: Final = {"log1p"}
_CASTS_OF_TEXT: Final = (kinds.BOOLEAN, kinds.DATE, kinds.TIMESTAMP, kinds.TIMESTAMP_NTZ)


@dataclass(frozen=True, slots=True)
class Disordered:
    """A function of one column that is compared.

    Attributes:
        column: the column.
        text: the function of it in SQL.
        issue: the number of Hudi's fault.
    """

    column: str
    text: str
    issue: str


def disordered(predicate: str, schema: FileSchema) -> Iterator[Disordered]:
    """Yields what a predicate compares whose order need not be that of the column in it."""
    parsed = condition(predicate)
    for node in parsed.find_all(*_COMPARISONS) if parsed is not None else ():
        for operand in _operands(node):
            names = {".".join(part.name for part in c.parts) for c in operand.find_all(exp.Column)}
            issue = next(filter(None, map(_issue, operand.walk())), None)
            if len(names) == 1 and issue is not None:
                yield Disordered(names.pop(), operand.sql(dialect="spark", comments=False), issue)
    for leaf in p.leaves_of(parse(predicate)):
        yield from _cast_texts(leaf, schema)


def _operands(node: exp.Expr) -> Iterator[exp.Expr]:
    for side in (node.this, node.args.get("expression")):
        if isinstance(side, exp.Expr):
            bare = side.unnest()
            yield exp.Lower(this=bare.copy()) if isinstance(node, exp.ILike) else bare


def _issue(node: exp.Expr) -> str | None:
    if node.find(exp.Column) is None:
        return None
    is_known = isinstance(node, exp.Anonymous) and node.name.lower() in _OF_NO_NODE
    return ORDER if is_known else _ISSUES.get(type(node))


def _cast_texts(leaf: p.Leaf, schema: FileSchema) -> Iterator[Disordered]:
    """Yields a column of texts that Spark casts, being compared with a date, say.

    Other texts lie between those of dates, of which the cast makes a null.
    """
    if isinstance(leaf, p.Comparison) and leaf.operator not in (p.SAME, p.NOT_SAME):
        literals: tuple[kinds.Literal, ...] = (leaf.literal,)
    elif isinstance(leaf, p.InList):
        literals = leaf.literals
    else:
        return
    found = schema.find(leaf.column)
    kind = literals[0].kind
    if found is not None and is_text(found.arrow_type) and kind in _CASTS_OF_TEXT:
        text = f"CAST({schema.in_sql(found.name)} AS {kind.upper()})"
        yield Disordered(found.name, text, ORDER)
