"""Statistics of base files, read from their Parquet footers."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.parallel import READERS, in_parallel
from hudi_zorder.parquet.bounds import Bounds, merge_bounds
from hudi_zorder.parquet.comparables import comparable_alike
from hudi_zorder.parquet.file_metadata import EncryptedFileError, read_metadata
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema
from hudi_zorder.progress import progress

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_LAYOUT_MARK: Final = b"hudizorder.layout"  # LayoutMark in Java writes it
_LAYOUT: Final = re.compile(rb"[0-9a-f]{8}")


@dataclass(slots=True)
class ColumnChunk:
    """One column of one row group: as many as bounds, and for that not frozen.

    Attributes:
        bounds: its statistics.
        compressed: its bytes in the file.
        has_page_index: whether the file also keeps statistics of its pages.
        has_dictionary: whether it has a dictionary page.
    """

    bounds: Bounds
    compressed: int
    has_page_index: bool
    has_dictionary: bool


@dataclass(frozen=True, slots=True)
class RowGroup:
    """One row group: its rows, its bytes in the file, and its chunks by the names asked for."""

    rows: int
    compressed: int
    chunks: Mapping[str, ColumnChunk]


@dataclass(frozen=True, slots=True)
class Footer:
    """What a base file's footer says of the columns asked for.

    Attributes:
        schema: all columns of the file.
        rows: its rows.
        row_groups: its row groups, in order.
        leaves: the columns asked for that the file has, by the names asked for.
        layout: the layout that a bulk insert has laid the file out by; None when it tells none.
    """

    schema: FileSchema
    rows: int
    row_groups: tuple[RowGroup, ...]
    leaves: Mapping[str, ColumnSchema]
    layout: int | None = None

    def bounds(self, column: str) -> Bounds | None:
        """Returns a column's statistics over the whole file; None when the file lacks it."""
        if column not in self.leaves:
            return None
        return merge_bounds([group.chunks[column].bounds for group in self.row_groups])

    def has_alike(self, leaf: ColumnSchema) -> bool:
        """Tells whether the file has the table's column, with values that compare as the table's.

        Values of INT96 and times in nanoseconds do not compare at all.
        """
        own = self.leaves.get(leaf.name)
        if own is None or own.to_comparable is None or not leaf.is_written:
            return False
        return comparable_alike(own.arrow_type, leaf.arrow_type)

    def certain(self) -> Footer:
        """Returns the footer without the ranges of values that may mean others to Spark."""
        if all(leaf.certain_from is None for leaf in self.leaves.values()):
            return self
        groups = (
            replace(
                group,
                chunks={
                    name: replace(chunk, bounds=self.leaves[name].certain_bounds(chunk.bounds))
                    for name, chunk in group.chunks.items()
                },
            )
            for group in self.row_groups
        )
        return replace(self, row_groups=tuple(groups))

    def compressed(self, column: str) -> int:
        """Returns a column's bytes in the file; 0 when the file lacks it."""
        if column not in self.leaves:
            return 0
        return sum([group.chunks[column].compressed for group in self.row_groups])


class Footers:
    """The footers of a table's files, each read once for the columns asked for so far.

    Files never change, so that several snapshots of one table share them. Of a footer is kept what
    ``Footer`` has; the Bloom filter of record keys that Hudi writes into it, which can be larger
    than all the rest, is not even read.

    Args:
        filesystem: where the table lies.
        path: the table's base folder in it.
        readers: how many footers are read at a time.
    """

    def __init__(self, filesystem: FileSystem, path: str, readers: int = READERS) -> None:
        self._filesystem = filesystem
        self._path = path
        self._readers = readers
        self._found: dict[str, Footer] = {}
        self._columns: dict[str, frozenset[str] | None] = {}  # None for all
        self._schemas: list[FileSchema] = []
        self._lock = RLock()  # of several threads each may ask for other columns

    def __getstate__(self) -> dict[str, Any]:
        """Returns what a copy, or another process, goes on with: all but the lock."""
        with self._lock:
            kept = {**self.__dict__, "_found": {**self._found}, "_columns": {**self._columns}}
        del kept["_lock"]
        return {**kept, "_schemas": [*self._schemas]}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()

    def read(self, files: Sequence[str], columns: Sequence[str] | None) -> dict[str, Footer]:
        """Returns the footers of files, reading those that are not yet known, some at a time.

        Args:
            files: paths of base files relative to the table.
            columns: the columns asked for, in any case; None for all. A footer that was read for
                others, too, has them all.

        Returns:
            The footers by path, in the order of ``files``.

        Raises:
            TableError: when a file is gone, is no Parquet file, or is encrypted.
        """
        asked = _asked(columns)
        with self._lock:
            lacking: dict[frozenset[str] | None, list[str]] = {}
            for path in files:
                if self._lacks(path, asked):
                    lacking.setdefault(self._together(path, asked), []).append(path)
            for wanted, paths in lacking.items():
                for path, footer in zip(paths, self._read(paths, wanted), strict=True):
                    self._found[path] = footer
                    self._columns[path] = wanted  # one set for all of them
            return {path: self._found[path] for path in files}

    def each(self, files: Sequence[str], columns: Sequence[str] | None) -> Iterator[Footer]:
        """Yields the footers of files, and keeps none that was not known.

        Takes and raises what ``read`` does.
        """
        asked = _asked(columns)
        with self._lock:
            known = {path: self._found[path] for path in files if not self._lacks(path, asked)}
        footers = self._read([path for path in files if path not in known], asked)
        for path in files:
            yield known[path] if path in known else next(footers)

    def _lacks(self, path: str, asked: frozenset[str] | None) -> bool:
        return path not in self._found or self._columns[path] != self._together(path, asked)

    def _together(self, path: str, asked: frozenset[str] | None) -> frozenset[str] | None:
        """Returns the columns that were asked for before, and these."""
        known = self._columns.get(path, asked)
        if known == asked:
            return asked
        return None if known is None or asked is None else known | asked

    def _read(self, files: Sequence[str], columns: frozenset[str] | None) -> Iterator[Footer]:
        names = None if columns is None else sorted(columns)
        leaves: dict[int, Mapping[str, ColumnSchema]] = {}  # by the schema, which is alive

        def read(path: str) -> Footer:
            metadata = _metadata(self._filesystem, posixpath.join(self._path, path))
            schema = FileSchema.of(metadata, self._schemas)
            if id(schema) not in leaves:
                self._schemas.append(schema)
                leaves[id(schema)] = _leaves(schema, names)
            return _footer(metadata, schema, leaves[id(schema)])

        with progress("Reading footers", len(files)) as advance:
            for footer in in_parallel(read, files, self._readers):
                yield footer
                advance(1)


def _asked(columns: Sequence[str] | None) -> frozenset[str] | None:
    return None if columns is None else frozenset(columns)


def _metadata(filesystem: FileSystem, path: str) -> Any:
    import pyarrow as pa

    if not path.endswith(".parquet"):
        raise TableError(
            f"Cannot read statistics: '{path}' is of another format than the table; only Parquet "
            "base files have statistics"
        )
    try:
        with filesystem.open_input_file(path) as file:
            return read_metadata(file)
    except (OSError, pa.ArrowException) as fault:
        raise TableError(
            f"Cannot read statistics: '{path}' is no readable Parquet file ({fault}); "
            "open the table again if it was changed meanwhile"
        ) from fault
    except EncryptedFileError as fault:
        raise TableError(
            f"Cannot read statistics: '{path}' is encrypted, and its keys are Spark's alone; "
            "query the table by Spark, and cluster it by CALL run_clustering"
        ) from fault


def _leaves(schema: FileSchema, columns: Sequence[str] | None) -> Mapping[str, ColumnSchema]:
    return schema.leaves if columns is None else schema.find_all(columns)


def _footer(metadata: Any, schema: FileSchema, leaves: Mapping[str, ColumnSchema]) -> Footer:
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    row_groups = tuple(_row_group(group, leaves, schema) for group in groups)
    return Footer(schema, metadata.num_rows, row_groups, leaves, _layout(metadata))


def _layout(metadata: Any) -> int | None:
    told = (metadata.metadata or {}).get(_LAYOUT_MARK, b"")
    return int(told, 16) if _LAYOUT.fullmatch(told) else None


def _row_group(group: Any, leaves: Mapping[str, ColumnSchema], schema: FileSchema) -> RowGroup:
    rows = group.num_rows
    columns = [group.column(i) for i in range(group.num_columns)]
    sizes = [column.total_compressed_size for column in columns]
    chunks = {
        name: ColumnChunk(
            _chunk_bounds(columns[leaf.index].statistics, leaf, rows, schema.nan_shows_in_bounds),
            sizes[leaf.index],
            columns[leaf.index].has_column_index and columns[leaf.index].has_offset_index,
            columns[leaf.index].has_dictionary_page,
        )
        for name, leaf in leaves.items()
    }
    return RowGroup(rows, sum(sizes), chunks)


def _chunk_bounds(statistics: Any, leaf: ColumnSchema, rows: int, nan_shows: bool) -> Bounds:
    written = null_count = None
    if statistics is not None:
        null_count = statistics.null_count if statistics.has_null_count else None
        ordered = statistics.has_min_max and leaf.bounds_are_ordered
        if ordered and leaf.to_comparable is not None:
            written = (
                leaf.to_comparable(statistics.min_raw),
                leaf.to_comparable(statistics.max_raw),
            )
    return Bounds.of_written(rows, null_count, written, is_float=leaf.is_float, nan_shows=nan_shows)
