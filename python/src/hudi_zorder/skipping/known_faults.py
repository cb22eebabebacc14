"""Known faults of Hudi's statistics, from 0.15 to 1.2, recognised by what they did to files.

``python/HUDI_FAULTS.md`` describes them for users.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, is_float, is_number, is_text
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.like import Pattern
from hudi_zorder.predicate.parser import parse
from hudi_zorder.skipping.audit_report import Fault
from hudi_zorder.skipping.disordered import Disordered, disordered
from hudi_zorder.stats.unsafe_statistics import WITHOUT_SKIPPING, files_with_missed_texts

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot

LIKE, NAN, EMPTY, NULL = "hudi#18791", "hudi#18754", "hudi#18755", "hudi#19645"

_UNKNOWN: Final = Fault(
    "", "no known fault of Hudi explains this", f"{WITHOUT_SKIPPING}, and report it"
)

Place = tuple[str, str]  # partition and name of a file


def explained(
    snapshot: TableSnapshot, predicate: str, places: Sequence[Place]
) -> tuple[dict[Place, str], tuple[Fault, ...]]:
    """Returns which known faults explain that data skipping changes what files return.

    Args:
        snapshot: the table.
        predicate: the predicate.
        places: partition and name of the files of which it does.

    Returns:
        The numbers of the faults by file, and what they are; a fault without a number when a file
        is explained by none.
    """
    if not places:
        return {}, ()
    tests = _Tests.of(snapshot.schema, parse(predicate), snapshot.config.partition_fields)
    partitions = {partition for partition, _ in places}
    parts = [part for part in snapshot.slices if part.partition in partitions]
    bases = [part.base.path for part in parts if part.base]
    footers = snapshot.footers.read(bases, tests.columns)
    missed = {name: files_with_missed_texts(snapshot, footers, name) for name in tests.columns}
    of_functions = [_function(part) for part in disordered(predicate, snapshot.schema)]
    issues: dict[Place, str] = {}
    faults: dict[Fault, None] = {}
    for place in places:
        path = posixpath.join(*place)
        footer = footers.get(path)
        changed = snapshot.precedes_schema_change(path)  # its footer is of the columns of then
        found = list(tests.faults(footer)) if footer and not changed else []
        found += [_changed(snapshot.schema_changed_at)] if changed else []
        found += [_order(name) for name in tests.columns if path in missed[name]]
        found = found or [_partition(snapshot.schema, c) for c in tests.partition_columns]
        found = found or of_functions or list(tests.likely())
        issues[place] = ", ".join(dict.fromkeys(fault.issue for fault in found if fault.issue))
        faults.update(dict.fromkeys(found or [_UNKNOWN]))
    return issues, tuple(faults)


def like_fault(snapshot: TableSnapshot, predicate: str) -> Fault | None:
    """Returns how a LIKE of a prefix loses rows wherever Hudi skips files; None without one."""
    if "like" not in predicate.lower():
        return None
    tests = _Tests.of(snapshot.schema, parse(predicate), snapshot.config.partition_fields)
    for leaf, pattern in tests.prefixes:
        if leaf.name not in tests.partition_columns:
            return _like(leaf, snapshot.schema.in_sql(leaf.name), pattern)
    return None


@dataclass(frozen=True, slots=True)
class _Tests:
    """What a predicate asks of the columns: by likeness, for null, or at all."""

    columns: list[str]
    prefixes: tuple[tuple[ColumnSchema, Pattern], ...]
    null_columns: tuple[str, ...]
    partition_columns: tuple[str, ...]

    @classmethod
    def of(
        cls, schema: FileSchema, predicate: p.Predicate, partition_fields: Sequence[str]
    ) -> _Tests:
        prefixes, nulls, names = [], [], []
        for leaf in p.leaves_of(predicate):
            found = schema.find(getattr(leaf, "column", ""))
            if found is None:
                continue
            names.append(found.name)
            if isinstance(leaf, p.NullTest) and not leaf.negated:
                nulls.append(found.name)
            # Hudi knows that texts of numbers have another order than numbers.
            if isinstance(leaf, p.Like) and not leaf.negated and not is_number(found.arrow_type):
                pattern = Pattern.parse(leaf.pattern, leaf.escape)
                if pattern is not None and pattern.prefix and not pattern.exact:
                    prefixes.append((found, pattern))
        fields = {field.lower() for field in partition_fields}
        by_folder = tuple(dict.fromkeys(name for name in names if name.lower() in fields))
        return cls(list(dict.fromkeys(names)), tuple(prefixes), tuple(nulls), by_folder)

    def faults(self, footer: Footer) -> Iterator[Fault]:
        """Yields the faults that explain a wrong answer about a file."""
        for leaf, pattern in self.prefixes:
            bounds = footer.bounds(leaf.name)
            if bounds is not None and _may_begin_above(bounds.low, leaf, pattern):
                yield _like(leaf, footer.schema.in_sql(leaf.name), pattern)
        for name in self.columns:
            bounds = footer.bounds(name)
            if bounds is not None and _lost_its_range(bounds):
                single = is_float(footer.leaves[name].arrow_type)
                yield _nan(name) if single else _empty(name)
        for name in self.null_columns:
            if name not in self.partition_columns:
                yield _null(name, lacking=name not in footer.leaves)

    def likely(self) -> Iterator[Fault]:
        """Yields what may explain it where footers do not tell."""
        if len(self.columns) > 1:
            yield _unlike(self.columns)


def _lost_its_range(bounds: Bounds) -> bool:
    return bounds.low is None and not bounds.all_null


def _may_begin_above(low: Comparable | None, leaf: ColumnSchema, pattern: Pattern) -> bool:
    """Tells whether the least value, as a text, may be above a prefix, so that LIKE loses it."""
    if is_text(leaf.arrow_type):
        return isinstance(low, bytes) and low > pattern.prefix
    return low is not None  # the text of a time depends on the session's zone


def _like(leaf: ColumnSchema, in_sql: str, pattern: Pattern) -> Fault:
    prefix = pattern.prefix.decode()
    cause = (
        f"'{leaf.name} LIKE' skips a file unless the prefix '{prefix}' itself lies between its "
        "minimum and maximum"
    )
    if not is_text(leaf.arrow_type):  # which a range of texts does not mean the same of
        return Fault(LIKE, cause, WITHOUT_SKIPPING)
    end = pattern.starts.high
    try:
        after = end.decode() if isinstance(end, bytes) else None
    except UnicodeDecodeError:
        after = None
    if after is None or "'" in prefix + after or not (prefix + after).isprintable():
        return Fault(LIKE, cause, WITHOUT_SKIPPING)
    low, high = (text.replace("\\", "\\\\") for text in (prefix, after))
    wanted = f"{in_sql} >= '{low}' AND {in_sql} < '{high}'"
    if not pattern.is_prefix:
        wanted += f" AND concat({in_sql}, '') LIKE ..."
    return Fault(LIKE, cause, f'write "{wanted}", or {WITHOUT_SKIPPING}')


def _function(compared: Disordered) -> Fault:
    return Fault(
        compared.issue,
        f"'{compared.text}' skips a file by what it makes of the minimum and maximum of "
        f"'{compared.column}', whose order it need not keep",
        f'write "least({compared.text}, {compared.text})" in its place, or {WITHOUT_SKIPPING}',
    )


def _nan(column: str) -> Fault:
    return Fault(
        NAN,
        f"a NaN in '{column}' makes its minimum and maximum 0 in the index",
        f"write null in place of NaN, or leave '{column}' out of the columns with statistics, or "
        f"{WITHOUT_SKIPPING}",
    )


def _empty(column: str) -> Fault:
    return Fault(
        EMPTY,
        f"'{column}' has values too long for statistics, which the index takes for nulls",
        f"leave '{column}' out of the columns with statistics, or {WITHOUT_SKIPPING}",
    )


def _order(column: str) -> Fault:
    return Fault(
        "",
        f"ranges of '{column}' are merged in the order of UTF-16, where emojis and others beyond "
        "U+FFFF lie elsewhere than in that of queries, and leave texts out",
        f"leave '{column}' out of the columns with statistics, or {WITHOUT_SKIPPING}",
    )


def _changed(instant: str) -> Fault:
    return Fault(
        "",
        f"the file was written before the table's schema was changed at {instant}, and what the "
        "index has of a column there may be of one that had its name before it was dropped",
        f"cluster the table with mode='full', or {WITHOUT_SKIPPING}",
    )


def _partition(schema: FileSchema, column: str) -> Fault:
    return Fault(
        "",
        f"'{column}' is a partition column, and Hudi takes its values from the names of folders, "
        "with data skipping off, too",
        "name another column that holds the same; for a text, "
        f"\"concat({schema.in_sql(column)}, '')\" may do",
    )


def _unlike(columns: Sequence[str]) -> Fault:
    names = ", ".join(f"'{column}'" for column in columns)
    return Fault(
        "",
        f"none of those that files tell of; likely the index has statistics of {names} for some "
        "files or partitions and not for others, as of writers with different lists of columns, "
        "and Hudi takes what is missing for no match",
        "give all writers the same 'hoodie.metadata.index.column.stats.column.list' and cluster "
        f"with mode='full', or {WITHOUT_SKIPPING}",
    )


def _null(column: str, *, lacking: bool) -> Fault:
    why = "the file was written before there was such a column" if lacking else "it is unknown"
    return Fault(
        NULL,
        f"'{column} IS NULL' skips a file of which the index has no number of nulls: {why}",
        f"cluster the table, which writes '{column}' to every file, or {WITHOUT_SKIPPING}",
    )
