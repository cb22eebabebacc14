"""A sample of the rows that exist in base files: what users ask equalities about."""

from __future__ import annotations

import posixpath
import random
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from itertools import accumulate
from typing import TYPE_CHECKING, Final, Union, cast

from hudi_zorder.errors import TableError
from hudi_zorder.parallel import in_parallel
from hudi_zorder.parquet.comparables import Comparable, from_arrow
from hudi_zorder.parquet.file_metadata import read_metadata
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.parquet.footers import Footer, RowGroup

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.snapshot import TableSnapshot

_PLACES = 64  # so many places in the table are read, which bounds the files that are opened
_BATCH: Final = 8192  # rows that are decoded at a time, of a dictionary's values each a copy
_MOST_BYTES: Final = 256 * 1024 * 1024  # of files, which are held at a time

SampledRow = tuple[Comparable | None, ...]


class Unread(Enum):
    """What stands for a value that a file has in a type that does not compare with the table's."""

    VALUE = "unread"


PartialRow = tuple[Union[Comparable, Unread, None], ...]  # noqa: UP007


def sample_rows(
    snapshot: TableSnapshot, rows: Mapping[str, int], columns: Sequence[str], count: int
) -> list[SampledRow]:
    """Returns about ``count`` rows, every row of the files being as likely as any other.

    The rows come from at most 64 row groups, spread evenly over the files' rows; of the files that
    have these, footers are read. The same files give the same sample.

    Args:
        snapshot: the table.
        rows: how many rows each of the files to take rows from has, by path relative to the table.
        columns: the columns of the sampled rows, spelt as in the table; a chosen file that lacks
            one, or has it in a type that does not compare with the table's, gives none.
        count: how many rows.

    Raises:
        TableError: when a file cannot be read; it names the file.
    """
    leaves = [snapshot.schema.leaves[name] for name in columns]
    sampled = _sampled(snapshot, rows, leaves, count, lambda f: all(map(f.has_alike, leaves)))
    return cast("list[SampledRow]", sampled)


def sample_partial_rows(
    snapshot: TableSnapshot, rows: Mapping[str, int], columns: Sequence[str], count: int
) -> list[PartialRow]:
    """Returns rows as ``sample_rows`` does, also of files that have not all of the columns.

    A column that a file lacks is null there, as Spark reads it.
    """
    leaves = [snapshot.schema.leaves[name] for name in columns]
    return _sampled(snapshot, rows, leaves, count, lambda _: True)


def _sampled(
    snapshot: TableSnapshot,
    rows: Mapping[str, int],
    leaves: Sequence[ColumnSchema],
    count: int,
    fits: Callable[[Footer], bool],
) -> list[PartialRow]:
    paths = list(rows)
    ends = list(accumulate(rows.values()))
    if not ends or not ends[-1]:
        return []
    chance = random.Random(0)
    places = [int((place + chance.random()) / _PLACES * ends[-1]) for place in range(_PLACES)]
    numbers = [bisect_right(ends, place) for place in places]
    names = [leaf.name for leaf in leaves]
    footers = snapshot.footers.read(list(dict.fromkeys(paths[n] for n in numbers)), names)
    chosen: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, number in zip(places, numbers, strict=True):
        footer = footers[paths[number]]
        groups = list(accumulate(group.rows for group in footer.row_groups))
        group = bisect_right(groups, place - (ends[number - 1] if number else 0))
        if group < len(groups) and fits(footer):
            size = footer.row_groups[group].rows
            picks = (chance.randrange(size) for _ in range(-(-count // _PLACES)))
            chosen[paths[number], group].extend(picks)

    def read(place: tuple[str, int]) -> list[PartialRow]:
        path, number = place
        return _read_rows(snapshot, path, number, footers[path], leaves, sorted(chosen[place]))

    largest = max([1, *(_bytes(footers[path].row_groups[n], names) for path, n in chosen)])
    readers = min(snapshot.readers, max(1, _MOST_BYTES // largest))
    return [row for rows in in_parallel(read, list(chosen), readers) for row in rows]


def rows_to_sample(
    snapshot: TableSnapshot, footers: Mapping[str, Footer], columns: Sequence[str]
) -> dict[str, int]:
    """Returns the rows of those files that ``sample_rows`` can take rows from.

    A file that lacks one of the columns is left out, or that has one in a type that does not
    compare with the table's, and one from before a change of the schema, whose columns of these
    names may be others.
    """
    leaves = [snapshot.schema.leaves[name] for name in columns]
    return {
        path: footer.rows
        for path, footer in footers.items()
        if all(map(footer.has_alike, leaves)) and not snapshot.precedes_schema_change(path)
    }


def rows_unchanged(snapshot: TableSnapshot, footers: Mapping[str, Footer]) -> dict[str, int]:
    """Returns the rows of those files that ``sample_partial_rows`` can take rows from.

    A file from before a change of the schema is left out: its columns may be others.
    """
    return {
        path: footer.rows
        for path, footer in footers.items()
        if not snapshot.precedes_schema_change(path)
    }


def _read_rows(
    snapshot: TableSnapshot,
    path: str,
    row_group: int,
    footer: Footer,
    leaves: Sequence[ColumnSchema],
    rows: list[int],
) -> list[PartialRow]:
    own = [footer.leaves[leaf.name] if footer.has_alike(leaf) else None for leaf in leaves]
    read = [leaf.name for leaf in own if leaf is not None]
    if read:
        picked = _picked(snapshot, path, row_group, read, rows)
    columns: list[Sequence[Comparable | Unread | None]] = []
    for leaf, of_file in zip(leaves, own, strict=True):
        if of_file is not None:
            columns.append(from_arrow(_leaf_values(picked, of_file)))
        else:
            other = Unread.VALUE if leaf.name in footer.leaves else None
            columns.append([other] * len(rows))
    return list(zip(*columns, strict=True))


def _bytes(group: RowGroup, columns: Sequence[str]) -> int:
    return sum(group.chunks[name].compressed for name in columns if name in group.chunks)


def _picked(
    snapshot: TableSnapshot, path: str, row_group: int, columns: Sequence[str], rows: Sequence[int]
) -> pa.Table:
    """Returns rows of a row group by their places in it, which are in order."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = posixpath.join(snapshot.path, path)
    try:
        with (
            snapshot.filesystem.open_input_file(place) as source,
            pq.ParquetFile(source, metadata=read_metadata(source)) as file,
        ):
            return _taken(file.iter_batches(_BATCH, [row_group], columns), rows)
    except (OSError, pa.ArrowException) as fault:
        raise TableError(
            f"Cannot read rows: row group {row_group} of '{place}' cannot be read ({fault}); "
            "restore the file, or open the table again if it was changed meanwhile"
        ) from fault


def _taken(batches: Iterable[pa.RecordBatch], rows: Sequence[int]) -> pa.Table:
    """Returns the rows at these places, reading no further than the last of them."""
    import pyarrow as pa

    found = []
    start = taken = 0
    for batch in batches:
        stop = start + batch.num_rows
        end = bisect_left(rows, stop, taken)
        if taken < end:  # copied, for the batch to be let go; pa.array would import pandas
            places = pa.py_buffer(array("q", [row - start for row in rows[taken:end]]))
            found.append(batch.take(pa.Array.from_buffers(pa.int64(), end - taken, [None, places])))
        if end == len(rows):
            break
        start, taken = stop, end
    return pa.Table.from_batches(found)


def _leaf_values(table: pa.Table, leaf: ColumnSchema) -> pa.Array:
    import pyarrow.compute as pc

    top, *fields = [leaf.name] if leaf.name in table.column_names else leaf.name.split(".")
    values = table[top].combine_chunks()
    return pc.struct_field(values, fields) if fields else values
