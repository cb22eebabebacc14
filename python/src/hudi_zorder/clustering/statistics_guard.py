"""Statistics by which Hudi would lose rows: a clustering warns, refuses, or leaves them out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from hudi_zorder.errors import OptionError, UnsafeStatisticsError
from hudi_zorder.hudi.clusterings import FileGroup
from hudi_zorder.hudi.metadata_indexes import (
    PARTITION_STATS_INDEX,
    has_index,
    indexed_columns,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import choice
from hudi_zorder.options import COLUMN_STATS_LIST
from hudi_zorder.stats.unsafe_statistics import (
    BYTES,
    SOME_FILES,
    SOME_PARTITIONS,
    UnsafeColumn,
    suspects,
    unreadable,
    unsafe_values,
)

WARN: Final = "warn"
REFUSE: Final = "refuse"
LEAVE_OUT: Final = "leave-out"
CHOICES: Final = (WARN, REFUSE, LEAVE_OUT)
_FIRST_TO_TELL_QUERIES: Final = 9  # the table's version, of Hudi 1.1


class UnsafeStatisticsWarning(UserWarning):
    """A clustering makes statistics of a column by which Hudi's data skipping loses rows."""


def checked(unsafe_statistics: str) -> str:
    """Returns what is to be done about such statistics; raises OptionError if there is no such."""
    return choice("unsafe_statistics", unsafe_statistics, CHOICES)


def checked_of_plan(unsafe_statistics: str) -> str:
    """Returns the same for a plan that others may execute, who choose what has statistics."""
    what = checked(unsafe_statistics)
    if what == LEAVE_OUT:
        raise OptionError(
            f"Cannot schedule: 'unsafe_statistics' was '{LEAVE_OUT}', and a plan does not say what "
            f"has statistics; give it to execute, or set '{COLUMN_STATS_LIST}' where it is executed"
        )
    return what


@dataclass(frozen=True)
class StatisticsGuard:
    """What a clustering makes statistics of, beside what queries ask of the index.

    They ask it for the columns that the last write had statistics of: a clustering changes those of
    its own files alone.

    Attributes:
        snapshot: the table before it.
        sorted_by: its sort columns, which always have statistics.
        columns: the columns that its files get statistics of; none where no index is in use.
        setting: what the executor is to be told besides.
        unasked: the columns that queries are to ask the index for no more.
        notes: what was left out, and what skips no files, one sentence each.
    """

    snapshot: TableSnapshot
    sorted_by: Sequence[str]
    columns: Sequence[str]
    setting: Mapping[str, str] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def obeying(
        self, unsafe_statistics: str, rewritten: Collection[FileGroup]
    ) -> tuple[StatisticsGuard, tuple[UnsafeColumn, ...]]:
        """Returns what there are to be statistics of, and by which of them Hudi still loses rows.

        Raises:
            UnsafeStatisticsError: for statistics that are not to be made, or not to be left out.
        """
        unsafe = self.unsafe(rewritten)
        require(unsafe_statistics, unsafe)
        if unsafe and unsafe_statistics == LEAVE_OUT:
            return self._without(unsafe), ()
        return self, unsafe

    def unsafe(self, rewritten: Collection[FileGroup]) -> tuple[UnsafeColumn, ...]:
        """Returns the columns whose statistics lose rows once these file groups are rewritten.

        Of files that are left alone the index has what it has: their footers are read where there
        is none yet, for Hudi then makes statistics of all files.
        """
        if not self.columns or not rewritten:
            return ()
        unread = tuple(self._unreadable(len(rewritten)))
        if not has_index(self.snapshot):
            every = [(part.partition, part.file_id) for part in self.snapshot.slices]
            return (*unread, *self.unsafe_values(every))
        return (
            *unread,
            *self.unsafe_values(rewritten),
            *self._lacking(len(rewritten)),
            *self._new(rewritten),
        )

    def unsafe_values(self, groups: Collection[FileGroup]) -> tuple[UnsafeColumn, ...]:
        """Returns the columns that have values in these file groups of which Hudi errs.

        Footers are read of the columns alone that may have such values by their types.
        """
        asked = self._asked or self.columns
        columns = suspects(self.snapshot.schema, [name for name in self.columns if name in asked])
        if not columns:
            return ()
        wanted = set(groups)
        slices = (p for p in self.snapshot.slices if (p.partition, p.file_id) in wanted)
        bases = [part.base.path for part in slices if part.base]
        # The sort columns, too, whose ranges are measured: so each footer is read once.
        footers = self.snapshot.footers.read(bases, [*columns, *self.sorted_by])
        found = unsafe_values(self.snapshot, footers, columns)
        return tuple(self._unsafe(*what, files) for what, files in found.items())

    def _unreadable(self, files: int) -> Iterator[UnsafeColumn]:
        """Yields the sort columns that queries of partitions fail on: those are asked for."""
        if self.snapshot.config.partition_fields:
            for column in unreadable(self.snapshot, self.sorted_by):
                yield self._unsafe(column, BYTES, files)

    def _lacking(self, files: int) -> Iterator[UnsafeColumn]:
        """Yields the columns that queries ask for, and that so many new files would lack."""
        for column in self._asked:
            if column not in self.columns and self.snapshot.schema.find(column) is not None:
                yield self._unsafe(column, SOME_FILES, files)

    def _new(self, rewritten: Collection[FileGroup]) -> Iterator[UnsafeColumn]:
        """Yields the columns that are new to the index, and of which files stay that lack them."""
        fixed = fixed_columns(self.snapshot, rewritten)
        for column in self.columns if fixed else ():
            if column not in fixed and self.snapshot.schema.find(column) is not None:
                yield self._unsafe(column, SOME_PARTITIONS, len(rewritten))

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        """The columns that queries ask the index for; nothing where it does not say."""
        return indexed_columns(self.snapshot) if self._tells_queries else ()

    @property
    def _tells_queries(self) -> bool:
        return self.snapshot.config.version >= _FIRST_TO_TELL_QUERIES

    def _unsafe(self, column: str, fault: str, files: int) -> UnsafeColumn:
        kept_by = "" if fault == SOME_PARTITIONS else self._kept_by(column)
        return UnsafeColumn.of(column, fault, files, kept_by)

    def _kept_by(self, column: str) -> str:
        if column.lower() in (name.lower() for name in self.sorted_by):
            return "a sort column always has statistics"
        if not self._tells_queries or (has_index(self.snapshot) and not self._asked):
            return "queries of tables before version 9 ask the index for what was left out, too"
        return ""

    def _without(self, unsafe: Sequence[UnsafeColumn]) -> StatisticsGuard:
        names = tuple(dict.fromkeys(part.column for part in unsafe))
        columns = [name for name in self.columns if name not in names]
        listed = ",".join(columns)
        return replace(
            self,
            columns=columns,
            setting={COLUMN_STATS_LIST: listed},
            unasked=tuple(name for name in names if name in self._asked),
            notes=(
                *self.notes,
                *(f"'{part.column}' gets no statistics: {part.reason}" for part in unsafe),
                f"let every writer set '{COLUMN_STATS_LIST}' = '{listed}': one that does not has "
                "queries ask for columns of which other files have no statistics, and lose these",
            ),
        )


def fixed_columns(snapshot: TableSnapshot, rewritten: Collection[FileGroup]) -> tuple[str, ...]:
    """Returns the columns that alone may have statistics once these file groups are rewritten.

    Of a partition Hudi keeps the range of each column by the files that have statistics of it, and
    takes a partition without such a range for one without rows. So a column must be new to the
    index in all files at once, or not at all.

    Returns:
        What the index has; none where all file groups are rewritten, or there is no such index.
    """
    if not has_index(snapshot, PARTITION_STATS_INDEX) or not has_index(snapshot):
        return ()
    groups = set(rewritten)
    if all((part.partition, part.file_id) in groups for part in snapshot.slices):
        return ()
    return tuple(name for name in indexed_columns(snapshot) if snapshot.schema.find(name))


def unskipped(snapshot: TableSnapshot, columns: Sequence[str]) -> tuple[str, ...]:
    """Returns what to say of sort columns that Hudi skips no file by, save what is warned of."""
    from hudi_zorder.skipping.passed_over import passed_over_column

    warned = unreadable(snapshot, columns) if snapshot.config.partition_fields else ()
    leaves = snapshot.schema.find_all([name for name in columns if name not in warned])
    faults = (passed_over_column(snapshot, leaf) for leaf in leaves.values())
    return tuple(str(fault) for fault in faults if fault is not None)


def left_unindexed(columns: Sequence[str]) -> str:
    """Returns what to say of sort columns that get no statistics for that reason."""
    if not columns:
        return ""
    return (
        f"Hudi's index has nothing of {', '.join(columns)}, and gets nothing of it: Hudi would "
        "show no rows of partitions that it has nothing of; cluster all partitions with "
        "mode='full' to have it indexed"
    )


def require(unsafe_statistics: str, unsafe: Sequence[UnsafeColumn]) -> None:
    """Refuses statistics that are not to be made, or not to be left out.

    Raises:
        UnsafeStatisticsError: with the columns, the reasons and the remedies.
    """
    if unsafe_statistics == WARN:
        return
    refused = [part for part in unsafe if unsafe_statistics == REFUSE or part.kept_by]
    if refused:
        raise UnsafeStatisticsError(
            f"Cannot cluster: {'; '.join(map(str, refused))}; 'unsafe_statistics' was "
            f"'{unsafe_statistics}'"
        )


def warn_of(table: str, unsafe: Sequence[UnsafeColumn]) -> None:
    """Warns of statistics that lose rows."""
    for part in unsafe:
        warnings.warn(f"{table}: {part}", UnsafeStatisticsWarning, stacklevel=2)


def together(
    foreseen: Sequence[UnsafeColumn], seen: Sequence[UnsafeColumn]
) -> tuple[UnsafeColumn, ...]:
    """Returns what was foreseen, and what shows in the files written alone."""
    known = {(part.column, part.fault) for part in foreseen}
    return (*foreseen, *(part for part in seen if (part.column, part.fault) not in known))
