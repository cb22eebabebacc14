"""Conditions by which statistics skip files, and Hudi's data skipping none.

``python/HUDI_FAULTS.md`` describes them for users. Row groups and pages are skipped all the same,
but for enums.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.committed_schema import ENUM
from hudi_zorder.hudi.metadata_indexes import has_index, indexed_columns
from hudi_zorder.parquet.comparables import is_text, is_time, shortened
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.like import Pattern
from hudi_zorder.skipping.audit_report import Fault
from hudi_zorder.stats.unsafe_statistics import UNREADABLE_BYTES, WITHOUT_SKIPPING, unreadable

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.file_schema import ColumnSchema

NESTED: Final = "hudi#5804"

_MOST_LISTED: Final = 10
_THRESHOLD: Final = "spark.sql.optimizer.inSetConversionThreshold"  # which that is of
_TIMES: Final = (kinds.DATE, kinds.TIMESTAMP, kinds.TIMESTAMP_NTZ)
_KNOWN_PREFIX: Final = re.compile(r"[^_%]+%[^_%]*")  # Spark makes startswith of it
_LONGEST_TEXT: Final = 120


def passed_over(snapshot: TableSnapshot, predicates: Iterable[p.Predicate]) -> tuple[Fault, ...]:
    """Returns why Hudi skips no file by conditions of predicates by which statistics could.

    Nothing where the table has no index for Hudi to skip files by.
    """
    if not has_index(snapshot):
        return ()
    indexed = indexed_columns(snapshot)
    found: list[Fault] = []
    for predicate in predicates:
        parts = list(_conjuncts(predicate))
        compared = {part.column.lower() for part in parts if isinstance(part, p.Comparison)}
        reader = _Reader(snapshot, indexed, compared)
        found += reader.failures(predicate)
        for part in parts:
            found += reader.passed_over(part)
    return tuple(dict.fromkeys(found))


def passed_over_column(snapshot: TableSnapshot, column: ColumnSchema) -> Fault | None:
    """Returns why Hudi skips no file by any condition on a column; None where it does."""
    return _without_statistics(snapshot, column) or _unreadable(snapshot, column)


def _without_statistics(snapshot: TableSnapshot, column: ColumnSchema) -> Fault | None:
    name = column.name
    if "." in name:
        return Fault(
            NESTED,
            f"Hudi skips no file by '{name}', a field of a struct",
            "store it as a column of its own, too, and ask for that",
        )
    if snapshot.committed_kinds.get(name.lower()) == ENUM:
        return Fault(
            "",
            f"Hudi skips no file by '{name}', an enum in the table's schema, and Spark nothing in "
            "files that hold it as one",
            "store it as a column of strings, too, and ask for that",
        )
    return None


def _unreadable(snapshot: TableSnapshot, column: ColumnSchema) -> Fault | None:
    name = column.name
    if name not in unreadable(snapshot, [name]):
        return None
    also = ""
    if snapshot.config.partition_fields:
        also = ", and fails where it compares it and no condition is on partition columns alone"
    return Fault(
        UNREADABLE_BYTES,
        f"Hudi cannot read its statistics of bytes, as of '{name}': a query that names it skips no "
        f"file by whatever condition{also}",
        f"leave '{name}' out of the columns with statistics, or {WITHOUT_SKIPPING}",
    )


def _conjuncts(node: p.Predicate) -> Iterator[p.Predicate]:
    if isinstance(node, p.And):
        for part in node.parts:
            yield from _conjuncts(part)
    else:
        yield node


@dataclass(frozen=True, slots=True)
class _Reader:
    """What Hudi's data skipping makes of conditions on a table's columns.

    Attributes:
        snapshot: the table.
        indexed: the columns in the index; empty where it does not say.
        compared: the columns that conditions by themselves compare, in lower case.
    """

    snapshot: TableSnapshot
    indexed: Collection[str]
    compared: Collection[str]

    def failures(self, predicate: p.Predicate) -> Iterator[Fault]:
        """Yields what it fails on, wherever it stands, so that no other condition counts either."""
        for leaf in p.leaves_of(predicate):
            for column in self._columns(leaf):
                if "." not in column.name and (not self.indexed or column.name in self.indexed):
                    fault = _unreadable(self.snapshot, column)
                    if fault is not None:
                        yield fault
                if isinstance(leaf, p.InList) and _is_set_of_times(leaf, column):
                    yield Fault(
                        "",
                        f"Hudi fails on more than {_MOST_LISTED} dates or timestamps in a list, as "
                        f"in {_text(leaf)}, and skips no file by whatever condition",
                        f"divide the list into several of at most {_MOST_LISTED}, joined by OR, or "
                        f"set '{_THRESHOLD}' above their number",
                    )

    def passed_over(self, node: p.Predicate) -> list[Fault]:
        """Returns why it skips no file by one condition; nothing where it may."""
        if isinstance(node, p.And | p.Or):
            parts = [self.passed_over(part) for part in node.parts]
            counts = all if isinstance(node, p.And) else any
            return [fault for part in parts for fault in part] if counts(parts) else []
        if isinstance(node, p.Unusable):
            return []
        found = (self._passed_over_leaf(node, column) for column in self._columns(node))
        return [fault for fault in found if fault is not None]

    def _passed_over_leaf(self, leaf: p.Leaf, column: ColumnSchema) -> Fault | None:
        without = _without_statistics(self.snapshot, column)
        if without is not None:
            return without
        by, in_sql = (
            f"Hudi skips no file by {_text(leaf)}",
            self.snapshot.schema.in_sql(column.name),
        )
        wanted = _wanted_truth(leaf)
        if wanted is not None:
            instead = f"{in_sql} >= true" if wanted else f"{in_sql} <= false"
            return Fault("", f"{by}, for which Spark has the column by itself", f"write {instead}")
        if isinstance(leaf, p.Comparison) and leaf.operator == p.SAME:
            return Fault("", f"{by}, a null-safe equality", f"write = in place of {p.SAME}")
        if self._is_alone(column) and isinstance(leaf, p.Like) and _is_pattern_to_spark(leaf):
            return Fault(
                "",
                f"{by}, a pattern that begins with a text and is not that text and a single %",
                f"name the range of what begins with that text, too: {in_sql} >= ... AND "
                f"{in_sql} < ...",
            )
        return None

    def _is_alone(self, column: ColumnSchema) -> bool:
        """Tells whether no range of a text's values is named beside a pattern of it."""
        return is_text(column.arrow_type) and column.name.lower() not in self.compared

    def _columns(self, leaf: p.Leaf) -> Iterator[ColumnSchema]:
        """Yields the columns that a leaf names, but for those that partitions are skipped by."""
        names = leaf.columns if isinstance(leaf, p.Unusable) else [getattr(leaf, "column", "")]
        fields = {field.lower() for field in self.snapshot.config.partition_fields}
        for column in self.snapshot.schema.find_all(list(names)).values():
            if column.name.lower() not in fields:
                yield column


def _is_set_of_times(leaf: p.InList, column: ColumnSchema) -> bool:
    """Tells whether Spark makes a set of a list, of numbers, which Hudi compares with times."""
    if leaf.negated or not is_time(column.arrow_type):
        return False
    return len({*leaf.literals}) > _MOST_LISTED and all(v.kind in _TIMES for v in leaf.literals)


def _wanted_truth(leaf: p.Leaf) -> bool | None:
    """Returns what a column of truth values is to be, where Spark asks for it by itself."""
    if isinstance(leaf, p.Truth):
        return not leaf.negated
    if isinstance(leaf, p.InList) and not leaf.negated and len({*leaf.literals}) == 1:
        leaf = p.Comparison(leaf.column, p.EQUAL, leaf.literals[0])
    if not isinstance(leaf, p.Comparison) or leaf.literal.kind != kinds.BOOLEAN:
        return None
    if leaf.operator in (p.EQUAL, p.SAME):
        return bool(leaf.literal.value)
    return not leaf.literal.value if leaf.operator == p.NOT_EQUAL else None


def _is_pattern_to_spark(leaf: p.Like) -> bool:
    """Tells whether Spark keeps a pattern of a prefix as one, and makes no startswith of it."""
    pattern = Pattern.parse(leaf.pattern, leaf.escape)
    if leaf.negated or pattern is None or not pattern.prefix:
        return False
    if leaf.escape in leaf.pattern:
        return True
    return not pattern.exact and _KNOWN_PREFIX.fullmatch(leaf.pattern) is None


def _text(leaf: p.Leaf) -> str:
    return shortened(leaf.text, _LONGEST_TEXT)
