"""What the column-statistics index says of files, and footers of base files it does not tell of.

An entry is taken where no fault of Hudi's can have made it, as ``IndexColumn.certain`` has it. Of a
base file that lacks one for a column asked for, or whose entry may be wrong, the footer is read in
its place: what is found is as true as what footers alone say, in as few requests as the index
leaves. Of log files the index alone tells anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from hudi_zorder.hudi.metadata_indexes import indexed_columns
from hudi_zorder.parquet.bounds import Bounds, merge_bounds
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.stats.stats_index import IndexColumn, index_columns
from hudi_zorder.stats.stats_table import FOOTERS, INDEX

if TYPE_CHECKING:
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot

OneSource = Literal["footers", "index"]
ONE_SOURCE: Final[tuple[OneSource, ...]] = (FOOTERS, INDEX)


@dataclass(frozen=True, slots=True)
class IndexedBounds:
    """The bounds of columns in files, by the paths of slices.

    Attributes:
        rows: the rows of every base file of which the index has an entry, or the footer was read.
        bounds: those of the base files that the index tells of, by column.
        footers: the footers of the others.
        logs: those of each of a slice's log files, by column, as far as the index tells them.
    """

    rows: Mapping[str, int]
    bounds: Mapping[str, Mapping[str, Bounds]]
    footers: Mapping[str, Footer]
    logs: Mapping[str, Sequence[Mapping[str, Bounds]]]

    def with_logs(
        self, part: FileSlice, base: Mapping[str, Bounds | None]
    ) -> Mapping[str, Bounds | None]:
        """Returns the bounds of a slice's rows, of those in its base file."""
        if not part.has_logs:
            return base
        own = [base] if part.base else []
        return _joined([*own, *self.logs.get(part.path, [{}])])


def _joined(parts: Sequence[Mapping[str, Bounds | None]]) -> dict[str, Bounds | None]:
    """Returns the bounds of columns in several files that are known of all of them."""
    first, *others = parts
    joined: dict[str, Bounds | None] = {}
    for name, bounds in first.items():
        found = [bounds, *(other.get(name) for other in others)]
        known = [part for part in found if part is not None]
        if len(known) == len(found):
            joined[name] = merge_bounds(known)
    return joined


def indexed_bounds(
    snapshot: TableSnapshot,
    leaves: Mapping[str, ColumnSchema],
    needed: Sequence[FileSlice],
) -> IndexedBounds:
    """Returns what the index says of columns, and footers where it does not tell.

    Of files with log files that the index does not tell of, and of those from before a change of
    the schema, statistics are not the truth: no footer of them is read save for the number of rows.

    Args:
        snapshot: the table.
        leaves: the columns by name.
        needed: the slices whose footers are read where the index does not tell.

    Raises:
        TableError: when a file cannot be read, or the index is damaged.
    """
    told = _Told(snapshot, {name: leaf for name, leaf in leaves.items() if leaf.is_written})
    lacking = [part.base.path for part in needed if part.base and told.lacks(part, part.base.path)]
    footers = snapshot.footers.read(lacking, list(leaves))
    return IndexedBounds(
        rows=told.rows | {path: footer.rows for path, footer in footers.items()},
        bounds={path: bounds for path, bounds in told.bounds.items() if path not in footers},
        footers=footers,
        logs=told.logs,
    )


class _Told:
    """What the index tells of columns: rows, bounds and logs as ``IndexedBounds`` has them."""

    def __init__(self, snapshot: TableSnapshot, asked: Mapping[str, ColumnSchema]) -> None:
        self._snapshot = snapshot
        self._asked = asked
        self._paths = [part.path for part in snapshot.slices]
        self._of_log: dict[str, dict[str, Bounds]] = {}
        self.logs = self._logs()
        self._log_names = list(self._of_log)
        self.rows: dict[str, int] = {}
        self.bounds: dict[str, dict[str, Bounds]] = {}
        columns = asked or _any_column(snapshot)
        for name, column in index_columns(snapshot, columns, self._log_names):
            self._count_rows(column)
            if name in asked:
                self._take(name, column)

    def _logs(self) -> dict[str, list[dict[str, Bounds]]]:
        """Returns room for the bounds of each slice's log files, where they are worth reading."""
        if not self._snapshot.config.merges_keep_values:
            return {}
        changed = self._snapshot.schema_changed_at
        return {
            part.path: [self._of_log.setdefault(log.name, {}) for log in part.logs]
            for part in self._snapshot.slices
            if part.has_logs and all(log.instant >= changed for log in part.logs)
        }

    def _count_rows(self, column: IndexColumn) -> None:
        held = column.held[: len(self._paths)].nonzero()[0]
        counts = zip(held.tolist(), column.rows[held].tolist(), strict=True)
        self.rows.update((self._paths[number], count) for number, count in counts)

    def _take(self, name: str, column: IndexColumn) -> None:
        leaf = self._asked[name]
        may_hold_nan = leaf.is_float and not self._snapshot.schema.nan_shows_in_bounds
        # Hudi has those of Spark's rows in a log a thousand times too late.
        in_milliseconds = getattr(leaf.arrow_type, "unit", "") == "ms"
        slices = len(self._paths)
        for number, known in _certain(column, may_hold_nan):
            if number < slices:
                self.bounds.setdefault(self._paths[number], {})[name] = known
            elif not in_milliseconds:
                self._of_log[self._log_names[number - slices]][name] = known

    def lacks(self, part: FileSlice, path: str) -> bool:
        """Returns whether the footer of a slice's base file tells what the index does not."""
        if path not in self.rows:
            return True
        if self._snapshot.precedes_schema_change(path):
            return False
        wanted: Set[str] = self._asked.keys()
        if part.has_logs:  # what no log tells of a slice, its base file need not tell
            wanted = {name for log in self.logs.get(path, ()) for name in log}
        return bool(wanted - self.bounds.get(path, {}).keys())


def _certain(column: IndexColumn, may_hold_nan: bool) -> Iterator[tuple[int, Bounds]]:
    """Yields the bounds that are certain, with the number of the file slice."""
    found = column.certain.nonzero()[0]
    nulls = column.null_counts()
    fields = (end[found].tolist() for end in (column.rows, column.low, column.high))
    for number, rows, low, high in zip(found.tolist(), *fields, strict=True):
        yield number, Bounds(rows, nulls[number], low, high, may_hold_nan)


def _any_column(snapshot: TableSnapshot) -> dict[str, ColumnSchema]:
    """Returns a column that the index likely has, for the number of rows alone."""
    leaves = snapshot.schema.statistics_columns(None)
    names = [name for name in indexed_columns(snapshot) if name in leaves] or list(leaves)
    return {name: leaves[name] for name in names[:1]}
