"""Column statistics from the metadata table's index, compared with the footers of the files.

The index is what Spark skips files by, the footers are what is true. The index has gaps that no
query reports: a ``smallint`` column leaves every file of the first commit without statistics, and
a writer whose list of columns lacks one leaves its files without that column's. And it has faults:
a NaN among the values of a file makes both bounds 0, and of values too long for statistics it makes
nulls.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from hudi_zorder.errors import OptionError, did_you_mean
from hudi_zorder.hudi.metadata_indexes import opens_index
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import Comparable
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.stats.footer_stats import NOT_WRITTEN, footer_stats
from hudi_zorder.stats.stats_index import IndexColumn, index_columns
from hudi_zorder.stats.stats_table import (
    INDEX,
    fields_of,
    stats_table,
    values_of,
)
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    import pyarrow as pa

Source = Literal["auto", "index", "footers"]
SOURCES: Final = ("auto", "index", "footers")
_NO_INDEX: Final = (
    "there is no column-statistics index, so that Spark skips no files; write with "
    "'hoodie.metadata.index.column.stats.enable' = 'true'"
)


class IndexWarning(UserWarning):
    """The column-statistics index lacks what it should have, so that Spark skips fewer files."""


def column_stats(
    snapshot: TableSnapshot, columns: Sequence[str] | None = None, source: Source = "auto"
) -> pa.Table:
    """Returns statistics of the latest base files, as ``hudi_zorder.stats.stats_table`` describes.

    The schema's metadata says where the values are from: ``source`` is ``index``, ``footers``, or
    ``mixed`` when footers had to fill or correct the index; ``note`` is what is wrong with the
    index, empty when nothing is.

    Args:
        snapshot: the table.
        columns: the columns, nested ones as ``a.b``; None for all that can have statistics.
        source: ``auto`` compares the index with the footers, completes and corrects it, and says
            what was wrong in an IndexWarning; ``index`` gives it as it is, with nulls for gaps and
            for columns that may be others by now, and says only that there is none; ``footers``
            does not look at it.

    Raises:
        OptionError: for another source.
        ColumnError: for a column that the table does not have, or not with statistics.
        TableError: when the table cannot be read.
    """
    checked_source(source, SOURCES, "read statistics")
    leaves = snapshot.statistics_columns(columns)
    if source == "footers":
        return _with_note(footer_stats(snapshot, list(leaves)), "")
    index = _Index(snapshot)
    if source == "index":
        for name, column in index_columns(snapshot, leaves):
            index.add(name, leaves[name], column)
        if opens_index(snapshot):
            return _with_note(index.table(), "")
        _warn(snapshot, _NO_INDEX)
        return _with_note(index.table(), _NO_INDEX)
    truth = footer_stats(snapshot, list(leaves))
    compared = {}
    for name, column in index_columns(snapshot, leaves):
        index.add(name, leaves[name], column)
        if leaves[name].is_written:
            compared[name] = _Compared.of(name, leaves[name], column, truth)
    gaps = {name: part.gaps for name, part in compared.items() if part.gaps}
    wrong = {name: part.wrong for name, part in compared.items() if part.wrong}
    if compared and not gaps and not wrong:
        return _with_note(index.table(), "")
    known = sum(part.known for part in compared.values())
    note = "; ".join(filter(None, (_about_gaps(snapshot, gaps, known), _about_faults(wrong))))
    if note:
        _warn(snapshot, note)
    if not any(any(part.right) for part in compared.values()):
        return _with_note(truth, note)
    return _with_note(_mixed(index.table(), truth, compared), note)


def _warn(snapshot: TableSnapshot, note: str) -> None:
    warnings.warn(f"{snapshot.url}: {note}", IndexWarning, stacklevel=4)


def checked_source(source: str, known: Sequence[str], purpose: str) -> None:
    """Returns if statistics can be taken from a source; raises OptionError if not."""
    if source not in known:
        raise OptionError(
            f"Cannot {purpose}: 'source' was '{source}'; {did_you_mean(str(source), known)}"
        )


def contradictions(snapshot: TableSnapshot) -> dict[str, list[str]] | None:
    """Returns the files of which the index claims what their footers deny, by column.

    Gaps are none: Spark reads a file that the index lacks.

    Returns:
        None where there is no index.
    """
    if not opens_index(snapshot):
        return None
    leaves = snapshot.schema.statistics_columns(None)
    truth = footer_stats(snapshot, list(leaves))
    compared = {
        name: _Compared.of(name, leaves[name], column, truth)
        for name, column in index_columns(snapshot, leaves)
    }
    return {name: part.wrong for name, part in compared.items() if part.wrong}


@dataclass
class _Compared:
    """The index beside the footers, in one column.

    Attributes:
        right: for each file whether the index has it, and right.
        known: in how many files the index has it.
        gaps: the files in which the index lacks it.
        wrong: the files in which it claims what the footer denies.
    """

    right: list[bool] = field(default_factory=list)
    known: int = 0
    gaps: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, name: str, leaf: ColumnSchema, column: IndexColumn, truth: pa.Table) -> _Compared:
        found, true = cls(), values_of(truth, name)
        files, rows = truth["file"].to_pylist(), truth["rows"].to_pylist()
        footers = zip(true.low, true.high, true.null_count, rows, true.unknown, strict=True)
        for file, entry, footer in zip(
            files, _entries(column), map(_InFooter._make, footers), strict=True
        ):
            known = entry is not None and (entry.low is not None or footer.low is None)
            wrong = entry is not None and _contradicts(entry, footer, leaf)
            found.right.append(known and not wrong)
            found.known += known
            if wrong:
                found.wrong.append(file)
            if footer.rows is not None and not known:
                found.gaps.append(file)
        return found


class _InIndex(NamedTuple):
    """What the index has of a column in a file."""

    low: Comparable | None
    high: Comparable | None
    null_count: int | None
    rows: int


def _entries(column: IndexColumn) -> Iterator[_InIndex | None]:
    """Yields what the index has of each file, None where it has no entry."""
    fields = (*column.bounds(), column.null_counts(), column.rows.tolist())
    for held, *entry in zip(column.held.tolist(), *fields, strict=True):
        yield _InIndex(*entry) if held else None


class _InFooter(NamedTuple):
    """What a file's footer has of a column, as ``ColumnValues`` holds it for all files."""

    low: Comparable | None
    high: Comparable | None
    null_count: int | None
    rows: int | None
    unknown: str | None


def _contradicts(entry: _InIndex, footer: _InFooter, leaf: ColumnSchema) -> bool:
    """Tells whether the index claims what the footer of the same file denies."""
    counts = ((entry.null_count, footer.null_count), (entry.rows, footer.rows))
    if any(claimed != true for claimed, true in counts if None not in (claimed, true)):
        return True
    if footer.low is None or footer.high is None:
        return footer.unknown in NOT_WRITTEN and _is_made_up(entry, footer, leaf)
    if entry.low is None or entry.high is None:
        return False
    # Wider bounds only skip less; Hudi makes them of a row group without values.
    return entry.low > footer.low or entry.high < footer.high  # type: ignore[operator]


def _is_made_up(entry: _InIndex, footer: _InFooter, leaf: ColumnSchema) -> bool:
    """Tells whether the index claims to know what the footer does not tell."""
    if footer.null_count is None:
        # Of values too long for statistics Hudi 1.2.0 makes nulls, beside the bounds, if there are
        # any, of the row groups that have statistics.
        return entry.low is not None or entry.null_count == entry.rows
    # Where a NaN has left a footer without bounds, Hudi 1.2.0 records both of them as 0.
    return leaf.is_float and entry.low is not None


def _about_gaps(
    snapshot: TableSnapshot, gaps: Mapping[str, Sequence[str]], known: int
) -> str | None:
    """Returns what the index lacks, and the remedy."""
    if not gaps:
        return None
    if not opens_index(snapshot):
        return _NO_INDEX
    if not known:
        return (
            "the column-statistics index is empty for these columns, so that Spark skips no files "
            "by them; a smallint column does this to the first commit: cluster the table, or set "
            "'hoodie.metadata.index.column.stats.column.list' to the other columns and write anew"
        )
    return (
        f"the column-statistics index lacks {_described(gaps)}, which Spark then reads always; "
        "whoever wrote them had these columns not in "
        "'hoodie.metadata.index.column.stats.column.list': add them there and cluster again"
    )


def _about_faults(wrong: Mapping[str, Sequence[str]]) -> str | None:
    """Returns what the index has wrong, and the remedy."""
    if not wrong:
        return None
    return (
        f"the column-statistics index contradicts the footers about {_described(wrong)}, so that "
        "queries may miss rows; a NaN does this (hudi#18754), and so do values too long for "
        "statistics (hudi#18755): read with 'hoodie.enable.data.skipping' = 'false' when a filter "
        "names these columns"
    )


def _described(files_by_column: Mapping[str, Sequence[str]]) -> str:
    files = sorted({file for files in files_by_column.values() for file in files})
    found = plural(len(files), "file")
    return f"{', '.join(sorted(files_by_column))} in {found} such as {files[0]}"


class _Index:
    """The table of what the index has, made column by column."""

    def __init__(self, snapshot: TableSnapshot) -> None:
        self._slices = snapshot.slices
        self._rows: dict[int, int] = {}
        self._columns: dict[str, list[pa.Array]] = {}

    def add(self, name: str, leaf: ColumnSchema, column: IndexColumn) -> None:
        """Adds a column."""
        self._columns[name] = column.arrays(leaf.arrow_type)
        held = column.held.nonzero()[0]
        self._rows.update(zip(held.tolist(), column.rows[held].tolist(), strict=True))

    def table(self) -> pa.Table:
        """Returns the table."""
        rows = [self._rows.get(number) for number in range(len(self._slices))]
        return stats_table(self._slices, rows, self._columns, INDEX)


def _mixed(index: pa.Table, truth: pa.Table, compared: Mapping[str, _Compared]) -> pa.Table:
    """Returns what the index has right, and of the rest what the footers have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrays = {name: truth[name] for name in truth.column_names}
    for column, part in compared.items():
        right = pa.array(part.right, pa.bool_())
        for name in fields_of(column):
            pair = (table[name].combine_chunks() for table in (index, truth))
            arrays[name] = pc.if_else(right, *pair)
    return pa.table(arrays).replace_schema_metadata({"source": "mixed"})


def _with_note(table: pa.Table, note: str) -> pa.Table:
    return table.replace_schema_metadata({**(table.schema.metadata or {}), "note": note})
