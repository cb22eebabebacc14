"""A predicate over the columns of one table: what its parts say of a file, a page, a dictionary."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING, Final, Union

from hudi_zorder.errors import PredicateError, did_you_mean, nearest
from hudi_zorder.hudi.committed_schema import is_of_kind
from hudi_zorder.hudi.partition_values import formatted_columns
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import display, is_text, is_time, shortened
from hudi_zorder.parquet.file_schema import META_COLUMNS, ColumnSchema, FileSchema
from hudi_zorder.parquet.row_ranges import RowRanges, common, joined
from hudi_zorder.predicate.coercion import NotComparable, bind
from hudi_zorder.predicate.constants import of_unquoted_date
from hudi_zorder.predicate.covers import covered
from hudi_zorder.predicate.tree import And, ColumnLeaf, Constant, Or, Predicate, Unusable
from hudi_zorder.predicate.unfit_literals import check_literals
from hudi_zorder.predicate.value_tests import ValueTest, any_of

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

# A report has a reason for each file, which must not repeat a list of thousands of values.
_LONGEST_TEXT, _LONGEST_REASON = 120, 600

_MOST_CONJUNCTIONS: Final = 64

# What may stand where a column does, if the table has none of that name: functions, and of files.
_FUNCTIONS: Final = (
    "current_catalog",
    "current_database",
    "current_schema",
    "current_time",
    "localtimestamp",
    "session_user",
    "user",
)
_OF_FILES: Final = "_metadata"

BoundsOf = Callable[[str], "Bounds | None"]


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[_Node, ...]


_Node = Union[_All, _Any, ValueTest, Constant, Unusable]  # noqa: UP007


@dataclass(frozen=True, slots=True)
class BoundPredicate:
    """A predicate whose leaves know the types of their columns.

    Attributes:
        source: the same, without types.
        leaves: the columns that statistics are asked of, by the table's spelling.
        unusable: the parts that statistics cannot decide, each of which may always be true.
    """

    _root: _Node
    source: Predicate
    leaves: Mapping[str, ColumnSchema]
    unusable: tuple[Unusable, ...]

    @classmethod
    def of(
        cls,
        predicate: Predicate,
        snapshot: TableSnapshot,
        zone: tzinfo | None,
    ) -> BoundPredicate:
        """Binds a predicate to a table's columns.

        Args:
            predicate: the predicate.
            snapshot: the table.
            zone: the session's time zone; None when it is not known.

        Raises:
            PredicateError: for a column that the table does not have, or a literal that no value
                of a column can be.
        """
        root = _bind(predicate, _Scope(snapshot, zone))
        tests = [node for node in _leaves(root) if isinstance(node, ValueTest)]
        return cls(
            root,
            predicate,
            {test.column: snapshot.schema.leaves[test.column] for test in tests},
            tuple(dict.fromkeys(node for node in _leaves(root) if isinstance(node, Unusable))),
        )

    @property
    def columns(self) -> list[str]:
        """The columns that statistics are asked of."""
        return list(self.leaves)

    def may_hold(self, decide: Callable[[ValueTest], bool]) -> bool:
        """Returns whether the predicate may be true of a row, given which tests may pass."""
        return _may_hold(self._root, decide)

    def may_hold_within(self, bounds_of: BoundsOf) -> bool:
        """Returns whether the predicate may be true of a row within the columns' bounds."""
        return self.may_hold(lambda test: _passes_within(test, bounds_of))

    def decided(self, bounds: Mapping[str, Bounds]) -> BoundPredicate:
        """Returns the same with the tests of those columns decided by these bounds alone."""
        return replace(self, _root=_decided(self._root, bounds))

    def conjunctions(self) -> list[tuple[ValueTest, ...]]:
        """Returns tests of which all pass in a row of one of the tuples, if it satisfies this.

        What cannot be tested is taken to be true; where there would be too many, neighbours are
        covered together.
        """
        return _conjunctions(self._root)

    def rows(self, total: int, rows_of: Callable[[ValueTest], RowRanges]) -> RowRanges:
        """Returns the rows that the predicate may be true of, given those that tests may pass."""
        return _rows(self._root, total, rows_of)

    def share(self, share_of: Callable[[ValueTest], float]) -> float:
        """Returns a share of rows, those of the tests being taken for independent."""
        return _share(self._root, share_of)

    def why_kept(self, bounds_of: BoundsOf) -> str:
        """Returns, in words, why the predicate may be true within the columns' bounds.

        What is unusable is so of every file, and told of by ``unusable``.
        """
        if self.unusable and not self.leaves:
            return "no condition has a use of statistics"
        return shortened(_why_kept(self._root, bounds_of, self.leaves), _LONGEST_REASON)

    def why_skipped(self, bounds_of: BoundsOf) -> str:
        """Returns, in words, why the predicate cannot be true within the columns' bounds."""
        return shortened(_why_skipped(self._root, bounds_of, self.leaves), _LONGEST_REASON)


@dataclass(frozen=True, slots=True)
class _Scope:
    snapshot: TableSnapshot
    zone: tzinfo | None

    @property
    def schema(self) -> FileSchema:
        return self.snapshot.schema


def _bind(node: Predicate, scope: _Scope) -> _Node:
    if isinstance(node, And | Or):
        parts = tuple(_bind(part, scope) for part in node.parts)
        return _All(parts) if isinstance(node, And) else _Any(parts)
    if isinstance(node, Unusable):
        _check_columns(node, scope)
        return node
    if isinstance(node, Constant):
        return node
    return _bind_leaf(node, scope)


def _bind_leaf(leaf: ColumnLeaf, scope: _Scope) -> _Node:
    found = scope.schema.find(leaf.column)
    if found is None:
        return Unusable(leaf.text, _why_not_found(leaf.column, scope))
    committed = scope.snapshot.committed_kinds.get(found.name.lower())
    if committed is not None and not is_of_kind(found.arrow_type, committed):
        return Unusable(
            leaf.text, f"the newest files hold {found.name} as {found.arrow_type}, not {committed}"
        )
    if found.name.lower() not in formatted_columns(scope.snapshot.config):
        check_literals(leaf, found.arrow_type)
    try:
        test = bind(leaf, found.arrow_type, scope.zone)
    except NotComparable as why:
        return Unusable(leaf.text, str(why))
    return replace(test, column=found.name)


def _check_columns(part: Unusable, scope: _Scope) -> None:
    """Refuses what names no column of the table: perhaps a text whose quotes the shell took."""
    faults = {
        column: fault for column in part.columns if (fault := _fault_of(column, scope)) is not None
    }
    if faults:
        column, fault = next(iter(faults.items()))
        if len(faults) == len(set(part.columns)):  # the first is rather meant to be a column
            raise fault
        quoted = re.sub(rf"`?{re.escape(column)}`?", f"'{column}'", part.text)
        close = nearest(column, scope.schema.leaves)
        or_else = f"did you mean '{close}'? Or " if close else ""
        raise PredicateError(
            f"Cannot read a predicate: there is no column '{column}'; {or_else}was it a "
            f'text whose quotes the shell took? Then write "{quoted}"'
        ) from fault
    unquoted = of_unquoted_date(part.text)
    kinds = [leaf.arrow_type for leaf in map(scope.schema.find, part.columns) if leaf]
    if unquoted and any(is_text(kind) or is_time(kind) for kind in kinds):
        raise PredicateError(f"Cannot read a predicate: in '{part.text}' {unquoted}")


def _fault_of(column: str, scope: _Scope) -> PredicateError | None:
    """Returns what to say of a name that is no column's; None of a column."""
    if scope.schema.find(column) is not None or _is_struct(column, scope):
        return None
    try:
        _why_not_found(column, scope)
    except PredicateError as fault:
        return fault
    return None


def _is_struct(column: str, scope: _Scope) -> bool:
    within = f"{column}.".lower()
    return any(name.lower().startswith(within) for name in scope.schema.leaves)


def _why_not_found(column: str, scope: _Scope) -> str:
    """Returns why a column of the table has no statistics; refuses one that it does not have."""
    top = column.split(".")[0].lower()
    for name, kind in scope.schema.others.items():
        if name.lower() == top:
            return f"{name} has type {kind}, which has no statistics"
    if column.lower() in (name.lower() for name in scope.snapshot.config.partition_fields):
        return f"the files do not hold the partition column {column}, nor its type"
    if top in scope.snapshot.committed_kinds:
        return f"the newest files do not hold the column {column}"
    if column.lower() in _FUNCTIONS or top == _OF_FILES:
        return f"{column} is no column of the table, but told by Spark"
    known = [name for name in scope.schema.leaves if name not in META_COLUMNS]
    if not known:
        return "the files are skeletons of a bootstrap, which hold none of the table's columns"
    raise PredicateError(
        f"Cannot read a predicate: there is no column '{column}'; {did_you_mean(column, known)}"
    )


def _leaves(node: _Node) -> Iterator[_Node]:
    if isinstance(node, _All | _Any):
        for part in node.parts:
            yield from _leaves(part)
    else:
        yield node


def _may_hold(node: _Node, decide: Callable[[ValueTest], bool]) -> bool:
    if isinstance(node, _All):
        return all(_may_hold(part, decide) for part in node.parts)
    if isinstance(node, _Any):
        return any(_may_hold(part, decide) for part in node.parts)
    if isinstance(node, ValueTest):
        return decide(node)
    return node.holds if isinstance(node, Constant) else True


def _decided(node: _Node, bounds: Mapping[str, Bounds]) -> _Node:
    if isinstance(node, _All | _Any):
        return type(node)(tuple(_decided(part, bounds) for part in node.parts))
    if isinstance(node, ValueTest) and node.column in bounds:
        return Constant(node.text, node.may_pass(bounds[node.column]))
    return node


def _conjunctions(node: _Node) -> list[tuple[ValueTest, ...]]:
    if isinstance(node, ValueTest):
        return [(node,)]
    if isinstance(node, _Any):
        found = _united(tests for part in node.parts for tests in _conjunctions(part))
        return [()] if () in found else covered(found, _MOST_CONJUNCTIONS)
    if isinstance(node, _All):
        all_found: list[tuple[ValueTest, ...]] = [()]
        for more in sorted(map(_conjunctions, node.parts), key=len):
            few = covered(more, _MOST_CONJUNCTIONS // max(1, len(all_found)))
            all_found = [(*one, *other) for one in all_found for other in few]
        return all_found
    return [()] if not isinstance(node, Constant) or node.holds else []


def _united(found: Iterable[tuple[ValueTest, ...]]) -> list[tuple[ValueTest, ...]]:
    """Returns alternatives, those on values of one column alone as the one test of an IN."""
    alone: dict[str, list[ValueTest]] = {}
    others: list[tuple[ValueTest, ...]] = []
    for tests in found:
        if len(tests) == 1 and tests[0].is_of_points:
            alone.setdefault(tests[0].column, []).append(tests[0])
        else:
            others.append(tests)
    return [*((any_of(tests),) for tests in alone.values()), *others]


def _passes_within(test: ValueTest, bounds_of: BoundsOf) -> bool:
    bounds = bounds_of(test.column)
    return bounds is None or test.may_pass(bounds)


def _rows(node: _Node, total: int, rows_of: Callable[[ValueTest], RowRanges]) -> RowRanges:
    if isinstance(node, _All):
        found: RowRanges = ((0, total),)
        for part in node.parts:
            found = common(found, _rows(part, total, rows_of))
        return found
    if isinstance(node, _Any):
        return joined(rows for part in node.parts for rows in _rows(part, total, rows_of))
    if isinstance(node, ValueTest):
        return rows_of(node)
    return ((0, total),) if not isinstance(node, Constant) or node.holds else ()


def _share(node: _Node, share_of: Callable[[ValueTest], float]) -> float:
    if isinstance(node, _All):
        share = 1.0
        for part in node.parts:
            share *= _share(part, share_of)
        return share
    if isinstance(node, _Any):
        missed = 1.0
        for part in node.parts:
            missed *= 1 - _share(part, share_of)
        return 1 - missed
    if isinstance(node, ValueTest):
        return share_of(node)
    return 1.0 if not isinstance(node, Constant) or node.holds else 0.0


def _why_kept(node: _Node, bounds_of: BoundsOf, leaves: Mapping[str, ColumnSchema]) -> str:
    if isinstance(node, _All | _Any):
        parts = [
            part
            for part in node.parts
            if _may_hold(part, lambda test: _passes_within(test, bounds_of))
        ]
        if isinstance(node, _All):
            parts = [part for part in parts if _is_tested(part)] or parts
        reasons = dict.fromkeys(_why_kept(part, bounds_of, leaves) for part in parts)
        return (" and " if isinstance(node, _All) else " or ").join(reasons)
    if isinstance(node, Unusable):
        return f"{_text(node)} has no use of statistics"
    if isinstance(node, Constant):
        return f"{_text(node)} holds everywhere"
    bounds = bounds_of(node.column)
    if bounds is None or not bounds.known:
        return f"{node.column} has unknown minimum and maximum"
    return f"{_text(node)} may hold, {_seen(node, bounds, leaves[node.column])}"


def _is_tested(node: _Node) -> bool:
    return any(isinstance(leaf, ValueTest) for leaf in _leaves(node))


def _seen(test: ValueTest, bounds: Bounds, leaf: ColumnSchema) -> str:
    if test.null_passes and bounds.null_count != 0:
        return f"{'unknown' if bounds.null_count is None else bounds.null_count} nulls"
    nan = ", perhaps a NaN" if test.nan_passes and bounds.may_hold_nan else ""
    return f"{_range(bounds, leaf)}{nan}"


def _range(bounds: Bounds, leaf: ColumnSchema) -> str:
    low, high = display(bounds.low, leaf.arrow_type), display(bounds.high, leaf.arrow_type)
    return f"{leaf.name} is {low}" if low == high else f"{leaf.name} is {low} to {high}"


def _why_skipped(node: _Node, bounds_of: BoundsOf, leaves: Mapping[str, ColumnSchema]) -> str:
    if isinstance(node, _All):
        for part in node.parts:
            if not _may_hold(part, lambda test: _passes_within(test, bounds_of)):
                return _why_skipped(part, bounds_of, leaves)
    if isinstance(node, _Any):
        parts = (_why_skipped(part, bounds_of, leaves) for part in node.parts)
        return " and ".join(dict.fromkeys(parts))
    if isinstance(node, ValueTest):
        bounds = bounds_of(node.column)
        if bounds is not None:
            why = node.why_not(bounds)
            if why == "outside minimum and maximum":
                why = _range(bounds, leaves[node.column])
            return f"{_text(node)} cannot hold, {why}"
    return f"{_text(node)} never holds"


def _text(node: _Node) -> str:
    return shortened(getattr(node, "text", ""), _LONGEST_TEXT)
