"""The table that ``column_stats`` returns, whichever source its numbers come from.

``ZOrderTable.column_stats`` reads the metadata table's column-statistics index, or footers where
there is no index; ``hudi_zorder.stats.footer_stats`` reads footers alone. Both hand the same rows
to ``stats_table``, so that the tables of both sources compare equal.

One row for each latest base file and column, ordered by partition and file, then by the columns as
they were asked for:

==========  =========  ==========================================================================
column      type       meaning
==========  =========  ==========================================================================
file        string     name of the base file, without folders
partition   string     the partition's folder relative to the table; ``""`` when not partitioned
column      string     the column, ``a.b`` for a nested one, spelt as in the table
min, max    see below  smallest and largest value in Spark's order; null when the file holds none,
                       and when unknown (no statistics, or a NaN among the values)
null_count  int64      nulls; null when unknown
rows        int64      rows, nulls included; null when unknown
bytes       int64      compressed bytes of the column in the file; null when unknown
==========  =========  ==========================================================================

``min`` and ``max`` have the column's own Arrow type (``int32``, ``decimal128(7, 2)``, ``date32``,
``timestamp[us, tz=UTC]``, ``string`` ...) when all columns asked for share one type. Else they are
an ``AnyValueType``: a dense union with one child for each distinct type, in the order in which the
columns first name it, whose rows are nevertheless plain Python values in ``to_pylist()`` and
``to_pandas()``. (A plain union cannot go to pandas; a struct with a child for each column turns
large integers into floats there, and grows with the square of the columns.)

A column that was added to the table after a file was written is unknown in that file: its rows are
known, its bytes are 0. A slice of log files alone has one unknown row for each column, under the
name of its first log file. The schema's metadata names the ``source`` (``footers``, ``index``) and,
as a JSON list, the ``files_with_logs``: their statistics are those before the logs are merged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudi_zorder.parquet.comparables import Comparable, from_arrow

if TYPE_CHECKING:
    import pyarrow as pa

FOOTERS, INDEX = "footers", "index"


@dataclass(slots=True)
class FileColumn:
    """One row of the table; its fields are the columns, ``min`` and ``max`` as comparables.

    There are millions of them, and frozen ones take several times as long to make.
    """

    file: str
    partition: str
    column: str
    min: Comparable | None
    max: Comparable | None
    null_count: int | None
    rows: int | None
    bytes: int | None


def stats_table(
    rows: Sequence[FileColumn],
    types: Mapping[str, pa.DataType],
    source: str,
    files_with_logs: Sequence[str] = (),
) -> pa.Table:
    """Returns the table that this module's head describes.

    Args:
        rows: in the order they shall have.
        types: the type of each column asked for, in the order asked.
        source: ``footers`` or ``index``.
        files_with_logs: names of the files whose slice has log files.
    """
    import pyarrow as pa

    from hudi_zorder.stats.any_value import any_values

    keys = [row.column for row in rows]
    table = pa.table(
        {
            "file": pa.array([row.file for row in rows], pa.string()),
            "partition": pa.array([row.partition for row in rows], pa.string()),
            "column": pa.array(keys, pa.string()),
            "min": any_values([row.min for row in rows], keys, types),
            "max": any_values([row.max for row in rows], keys, types),
            "null_count": pa.array([row.null_count for row in rows], pa.int64()),
            "rows": pa.array([row.rows for row in rows], pa.int64()),
            "bytes": pa.array([row.bytes for row in rows], pa.int64()),
        }
    )
    return table.replace_schema_metadata(
        {"source": source, "files_with_logs": json.dumps(sorted(files_with_logs))}
    )


def aggregate(stats: pa.Table) -> pa.Table:
    """Returns the statistics of the whole table: one row for each column.

    Args:
        stats: what ``stats_table`` returned.

    Returns:
        The columns of ``stats`` without ``partition``, ``file`` being replaced by ``files``, the
        number of files (int64). A sum or bound is null when any file's part of it is unknown.
    """
    import pyarrow as pa

    from hudi_zorder.stats.any_value import any_values

    types: dict[str, pa.DataType] = {}
    files: Counter[str] = Counter()
    found: dict[str, FileColumn] = {}
    for batch in stats.to_batches():  # as rows of Python's, a whole table would fill the memory
        groups: dict[str, list[FileColumn]] = {}
        for row in rows_of(pa.Table.from_batches([batch]), types):
            groups.setdefault(row.column, []).append(row)
        for name, rows in groups.items():
            files[name] += len(rows)
            found[name] = _merge(name, [found[name], *rows] if name in found else rows)
    merged = list(found.values())
    keys = [row.column for row in merged]
    table = pa.table(
        {
            "column": pa.array(keys, pa.string()),
            "min": any_values([row.min for row in merged], keys, types),
            "max": any_values([row.max for row in merged], keys, types),
            "null_count": pa.array([row.null_count for row in merged], pa.int64()),
            "rows": pa.array([row.rows for row in merged], pa.int64()),
            "bytes": pa.array([row.bytes for row in merged], pa.int64()),
            "files": pa.array([files[key] for key in keys], pa.int64()),
        }
    )
    return table.replace_schema_metadata(stats.schema.metadata)


def rows_of(stats: pa.Table, types: dict[str, pa.DataType] | None = None) -> list[FileColumn]:
    """Returns the rows of a table that ``stats_table`` made.

    Args:
        stats: the table.
        types: filled with the type of each column, when given.
    """
    plain = {
        name: stats[name].to_pylist() for name in stats.column_names if name not in ("min", "max")
    }
    bounds = []
    for name in ("min", "max"):
        comparables, kinds = _comparables(stats[name].combine_chunks())
        bounds.append(comparables)
        if types is not None:
            types.update(zip(plain["column"], kinds, strict=True))
    columns = [plain["file"], plain["partition"], plain["column"], *bounds]
    columns += [plain["null_count"], plain["rows"], plain["bytes"]]
    return [FileColumn(*row) for row in zip(*columns, strict=True)]


def _comparables(array: pa.Array) -> tuple[list[Comparable | None], list[pa.DataType]]:
    import pyarrow as pa

    if not isinstance(array, pa.ExtensionArray):
        return from_arrow(array), [array.type] * len(array)
    union = array.storage
    children = [union.field(i) for i in range(union.type.num_fields)]
    decoded = [from_arrow(child) for child in children]
    places = list(zip(union.type_codes.to_pylist(), union.offsets.to_pylist(), strict=True))
    return [decoded[c][i] for c, i in places], [children[c].type for c, _ in places]


def _merge(column: str, rows: Sequence[FileColumn]) -> FileColumn:
    filled = [row for row in rows if row.rows is None or row.null_count != row.rows]
    unknown = any(row.min is None or row.max is None for row in filled)
    lows = [] if unknown else [row.min for row in filled if row.min is not None]
    highs = [] if unknown else [row.max for row in filled if row.max is not None]
    return FileColumn(
        "",
        "",
        column,
        min(lows, default=None),
        max(highs, default=None),
        _sum([row.null_count for row in rows]),
        _sum([row.rows for row in rows]),
        _sum([row.bytes for row in rows]),
    )


def _sum(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
