"""Columns by whose statistics Hudi's data skipping loses rows, as far as footers tell.

The faults are Hudi's; ``python/HUDI_FAULTS.md`` describes them. Footers tell neither of a long
value that is not the smallest or largest of its row group, nor of what log files hold.
"""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.hudi.metadata_indexes import (
    PARTITION_STATS_INDEX,
    has_index,
    indexed_columns,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import is_binary, is_text
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema
from hudi_zorder.parquet.footers import Footer
from hudi_zorder.texts import plural

NAN: Final = "nan"
LONG_VALUES: Final = "long_values"
TEXT_ORDER: Final = "text_order"
BYTES: Final = "bytes"
SOME_FILES: Final = "some_files"
SOME_PARTITIONS: Final = "some_partitions"

UNREADABLE_BYTES: Final = "hudi#18810"
WITHOUT_SKIPPING: Final = "read with 'hoodie.enable.data.skipping' = 'false'"
_LEAVE_OUT: Final = "leave it out of the index (unsafe_statistics='leave-out')"
_REASONS: Final = {
    NAN: "a NaN makes its minimum and maximum 0 in Hudi's index (hudi#18754), as in {files}",
    LONG_VALUES: (
        "it has values too long for statistics, which Hudi's index takes for nulls (hudi#18755), "
        "as in {files}"
    ),
    TEXT_ORDER: (
        "Hudi's index merges ranges of its texts in the order of UTF-16, where emojis and others "
        "beyond U+FFFF lie elsewhere than in that of queries, and has ranges that leave out texts "
        "of {files}"
    ),
    BYTES: (
        f"Hudi cannot read statistics of bytes ({UNREADABLE_BYTES}), so that a query that compares "
        "it fails unless a condition is on partition columns alone"
    ),
    SOME_FILES: (
        "queries ask Hudi's index for it, and {files} rewritten would have no statistics of it, "
        "so that a query about it and another column loses what is written"
    ),
    SOME_PARTITIONS: (
        "Hudi's index has none of it, and would have some of {files} alone: queries about it lose "
        "the other files of their partitions, and all other partitions"
    ),
}
_REMEDIES: Final = {
    NAN: "write null in place of NaN",
    LONG_VALUES: "",
    TEXT_ORDER: "",
    BYTES: "do not cluster by it",
    SOME_FILES: "name it among the columns with statistics (stats_columns)",
    SOME_PARTITIONS: "cluster all partitions with mode='full'",
}
_TEXTS: Final = "BYTE_ARRAY"
_FIRST_WITH_BYTES: Final = 9  # the table's version, of Hudi 1.1


@dataclass(frozen=True, kw_only=True)
class UnsafeColumn:
    """A column by whose statistics Hudi's data skipping loses rows of queries, or fails them.

    Attributes:
        column: its name.
        fault: ``nan``, ``long_values``, ``text_order``, ``bytes`` by which queries fail,
            ``some_files`` when not all files would have statistics, or ``some_partitions`` when
            only these would.
        files: how many files show it.
        reason: what goes wrong.
        remedy: the ways around it.
        kept_by: why it cannot be left out of the statistics; ``""`` when it can.
    """

    column: str
    fault: str
    files: int
    reason: str
    remedy: str
    kept_by: str = ""

    @classmethod
    def of(cls, column: str, fault: str, files: int, kept_by: str = "") -> UnsafeColumn:
        """Returns the column with the fault in words."""
        ways = [_REMEDIES[fault], "" if kept_by else _LEAVE_OUT, WITHOUT_SKIPPING]
        return cls(
            column=column,
            fault=fault,
            files=files,
            reason=_REASONS[fault].format(files=plural(files, "file")),
            remedy=", or ".join(filter(None, ways)),
            kept_by=kept_by,
        )

    def __str__(self) -> str:
        """Returns what is wrong and what to do, as a sentence without its end."""
        kept = f" ({self.kept_by})" if self.kept_by else ""
        what = "fail queries" if self.fault == BYTES else "lose rows of queries"
        return f"statistics of '{self.column}' {what}: {self.reason}; {self.remedy}{kept}"


def suspects(schema: FileSchema, columns: Iterable[str]) -> list[str]:
    """Returns those columns whose type has values of which Hudi makes wrong statistics."""
    leaves = schema.find_all(list(columns))
    return [name for name, leaf in leaves.items() if leaf.is_float or leaf.physical_type == _TEXTS]


def unreadable(snapshot: TableSnapshot, columns: Iterable[str]) -> list[str]:
    """Returns those columns that are of bytes, of which Hudi makes statistics it cannot read."""
    if snapshot.config.version < _FIRST_WITH_BYTES:
        return []
    leaves = snapshot.schema.find_all(list(columns))
    return [leaf.name for leaf in leaves.values() if is_binary(leaf.arrow_type)]


def unsafe_values(
    snapshot: TableSnapshot, footers: Mapping[str, Footer], columns: Sequence[str]
) -> dict[tuple[str, str], int]:
    """Returns in how many files which columns have which fault.

    Args:
        snapshot: the table.
        footers: those of files, by path, read for these columns.
        columns: what is, or is to be, in the index.
    """
    # What has a column's name may be another one.
    own = {
        path: footer
        for path, footer in footers.items()
        if not snapshot.precedes_schema_change(path)
    }
    found: Counter[tuple[str, str]] = Counter()
    for footer in own.values():
        # Of other writers nobody knows why they left bounds out.
        if footer.schema.nan_shows_in_bounds:
            found.update(_faults(footer, columns))
    for name in columns:
        if missed := files_with_missed_texts(snapshot, own, name):
            found[name, TEXT_ORDER] = len(missed)
    return dict(found)


def files_with_missed_texts(
    snapshot: TableSnapshot, footers: Mapping[str, Footer], column: str
) -> set[str]:
    """Returns the files with texts of a column that Hudi's ranges leave out.

    It merges the ranges of a file's row groups, and of a partition's files, in the order of Java's
    texts, which is that of UTF-16; queries look into them in that of UTF-8.

    Args:
        snapshot: the table.
        footers: those of files, by path, read for the column; of partitions, as far as they go.
        column: the column.
    """
    ends: dict[str, list[tuple[bytes, bytes]]] = {}
    for path, footer in footers.items():
        leaf = footer.leaves.get(column)
        if leaf is not None and is_text(leaf.arrow_type):
            every = (group.chunks[column].bounds for group in footer.row_groups)
            ends[path] = [
                (bounds.low, bounds.high)
                for bounds in every
                if isinstance(bounds.low, bytes) and isinstance(bounds.high, bytes)
            ]
    merged = [[path] for path in ends]
    if _keeps_ranges_of_partitions(snapshot):
        partitions = defaultdict(list)
        for path in ends:
            partitions[posixpath.dirname(path)].append(path)
        merged += partitions.values()
    return {path for paths in merged for path in _outside(paths, ends)}


def unsafe_in_index(
    snapshot: TableSnapshot, footers: Mapping[str, Footer], columns: Iterable[str]
) -> tuple[UnsafeColumn, ...]:
    """Returns those of some columns by whose statistics Hudi loses rows of these files as it is.

    Takes what ``unsafe_values`` does. None where there is no index of the columns.
    """
    if not has_index(snapshot):
        return ()
    known = indexed_columns(snapshot)
    indexed = [name for name in suspects(snapshot.schema, columns) if not known or name in known]
    found = unsafe_values(snapshot, footers, indexed)
    return tuple(UnsafeColumn.of(*what, files) for what, files in found.items())


def _faults(footer: Footer, columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in columns:
        leaf = footer.leaves.get(name)
        if leaf is None:
            continue
        every = (group.chunks[name].bounds for group in footer.row_groups)
        unknown = [bounds for bounds in every if not bounds.known]
        if any(_is_nan(leaf, bounds) for bounds in unknown):
            yield name, NAN
        if any(_is_too_long(leaf, bounds) for bounds in unknown):
            yield name, LONG_VALUES


def _keeps_ranges_of_partitions(snapshot: TableSnapshot) -> bool:
    """Tells whether queries skip partitions by ranges, or would by an index that is new."""
    has_them = has_index(snapshot, PARTITION_STATS_INDEX) or not has_index(snapshot)
    return bool(snapshot.config.partition_fields) and has_them


def _outside(
    paths: Sequence[str], ends: Mapping[str, Sequence[tuple[bytes, bytes]]]
) -> Iterator[str]:
    """Yields the files that lie partly outside of the range that Hudi has of all of them."""
    low = min((low for path in paths for low, _ in ends[path]), key=_utf_16, default=b"")
    high = max((high for path in paths for _, high in ends[path]), key=_utf_16, default=b"")
    for path in paths:
        if any(least < low or most > high for least, most in ends[path]):
            yield path


def _utf_16(text: bytes) -> bytes:
    """Returns what has Java's order of texts, given as UTF-8."""
    return text.decode("utf-8", "replace").encode("utf-16-be")


def _is_nan(leaf: ColumnSchema, unknown: Bounds) -> bool:
    """Tells whether it is for a NaN that there are no bounds: the number of nulls is there."""
    return leaf.is_float and unknown.null_count is not None


def _is_too_long(leaf: ColumnSchema, unknown: Bounds) -> bool:
    """Tells whether it is for their length that there are no bounds: then nothing is there."""
    return leaf.physical_type == _TEXTS and unknown.null_count is None
