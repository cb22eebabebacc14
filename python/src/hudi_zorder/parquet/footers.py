"""Statistics of base files, read from their Parquet footers."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import TableError
from hudi_zorder.parquet.bounds import Bounds, merge_bounds
from hudi_zorder.parquet.comparables import comparable_alike
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


_LOCAL_READERS, _REMOTE_READERS = 8, 32


@dataclass(frozen=True, slots=True)
class ColumnChunk:
    """One column of one row group.

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
    """

    schema: FileSchema
    rows: int
    row_groups: tuple[RowGroup, ...]
    leaves: Mapping[str, ColumnSchema]

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
        if own is None or own.to_comparable is None:
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
        return sum(
            group.chunks[column].compressed for group in self.row_groups if column in group.chunks
        )


class Footers:
    """The footers of a table's files, each read once for the columns asked for so far.

    Files never change, so that several snapshots of one table share them. Of a footer is kept what
    ``Footer`` has; the Bloom filter of record keys that Hudi writes into it, which can be larger
    than all the rest, is not.

    Args:
        filesystem: where the table lies.
        path: the table's base folder in it.
    """

    def __init__(self, filesystem: FileSystem, path: str) -> None:
        self._filesystem = filesystem
        self._path = path
        self._found: dict[str, Footer] = {}
        self._columns: dict[str, frozenset[str] | None] = {}  # None for all
        self._schemas: list[FileSchema] = []

    def read(self, files: Sequence[str], columns: Sequence[str] | None) -> dict[str, Footer]:
        """Returns the footers of files, reading those that are not yet known, some at a time.

        Args:
            files: paths of base files relative to the table.
            columns: the columns asked for, in any case; None for all. A footer that was read for
                others, too, has them all.

        Returns:
            The footers by path, in the order of ``files``.

        Raises:
            TableError: when a file is gone or is no Parquet file.
        """
        lacking = [path for path in files if not self._knows(path, columns)]
        if lacking:
            with ThreadPoolExecutor(min(_readers(self._filesystem), len(lacking))) as pool:
                for path, footer in zip(
                    lacking, pool.map(lambda path: self._read(path, columns), lacking), strict=True
                ):
                    self._found[path] = footer
                    self._columns[path] = self._together(path, columns)
        return {path: self._found[path] for path in files}

    def _knows(self, path: str, columns: Sequence[str] | None) -> bool:
        return path in self._found and self._columns[path] == self._together(path, columns)

    def _together(self, path: str, columns: Sequence[str] | None) -> frozenset[str] | None:
        """Returns the columns that were asked for before, and these."""
        known = self._columns.get(path, frozenset())
        return None if known is None or columns is None else known.union(columns)

    def _read(self, path: str, columns: Sequence[str] | None) -> Footer:
        wanted = self._together(path, columns)
        place = posixpath.join(self._path, path)
        names = None if wanted is None else sorted(wanted)
        footer = read_footer(self._filesystem, place, names, tuple(self._schemas))
        if not any(footer.schema is schema for schema in self._schemas):
            self._schemas.append(footer.schema)
        return footer


def read_footer(
    filesystem: FileSystem,
    path: str,
    columns: Sequence[str] | None,
    known: Sequence[FileSchema] = (),
) -> Footer:
    """Reads one footer.

    Args:
        filesystem: where the file lies.
        path: the file in it.
        columns: the columns asked for, in any case; None for all.
        known: the schemas of other files, which spare reading the same one again.

    Raises:
        TableError: when the file is gone or is no Parquet file.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with filesystem.open_input_file(path) as file:
            metadata = pq.read_metadata(file)
    except (OSError, pa.ArrowException) as fault:
        raise TableError(
            f"Cannot read statistics: '{path}' is no readable Parquet file ({fault}); "
            "open the table again if it was changed meanwhile"
        ) from fault
    schema = FileSchema.of(metadata, known)
    leaves = schema.leaves if columns is None else schema.find_all(columns)
    groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
    row_groups = tuple(_row_group(group, leaves, schema) for group in groups)
    return Footer(schema, metadata.num_rows, row_groups, leaves)


def _readers(filesystem: FileSystem) -> int:
    """Returns how many footers are read at a time: elsewhere, reading is waiting for storage."""
    from pyarrow.fs import LocalFileSystem

    return _LOCAL_READERS if isinstance(filesystem, LocalFileSystem) else _REMOTE_READERS


def _row_group(group: Any, leaves: Mapping[str, ColumnSchema], schema: FileSchema) -> RowGroup:
    chunks = {}
    for name, leaf in leaves.items():
        chunk = group.column(leaf.index)
        chunks[name] = ColumnChunk(
            _chunk_bounds(chunk.statistics, leaf, group.num_rows, schema.nan_shows_in_bounds),
            chunk.total_compressed_size,
            chunk.has_column_index and chunk.has_offset_index,
            chunk.has_dictionary_page,
        )
    compressed = sum(group.column(i).total_compressed_size for i in range(group.num_columns))
    return RowGroup(group.num_rows, compressed, chunks)


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
