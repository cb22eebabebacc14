"""Column statistics from the metadata table's index, compared with the footers of the files.

The index is what Spark skips files by, the footers are what is true. The index has gaps that no
query reports: a ``smallint`` column leaves every file of the first commit without statistics, and
a writer whose list of columns lacks one leaves its files without that column's. And it has faults:
a NaN among the values of a file makes both bounds 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal

from pyspark.sql import SparkSession

from hudi_zorder.errors import OptionError, did_you_mean
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.spark.filesystem import open_snapshot
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.stats.stats_index import has_index, index_entries
from hudi_zorder.stats.stats_table import INDEX, FileColumn, rows_of, stats_table

if TYPE_CHECKING:
    import pyarrow as pa

Source = Literal["auto", "index", "footers"]
SOURCES: Final = ("auto", "index", "footers")


class IndexWarning(UserWarning):
    """The column-statistics index lacks what it should have, so that Spark skips fewer files."""


def column_stats(
    spark: SparkSession,
    path: str,
    columns: Sequence[str] | None = None,
    source: Source = "auto",
) -> pa.Table:
    """Returns statistics of the latest base files, as ``hudi_zorder.stats.stats_table`` describes.

    Two more entries of the schema's metadata say where the values are from: ``source`` is
    ``index``, ``footers``, or ``mixed`` when footers had to fill or correct the index; ``note`` is
    what is wrong with the index, empty when nothing is.

    Args:
        spark: the session that reads the metadata table.
        path: the table's base path.
        columns: the columns, nested ones as ``a.b``; None for all that can have statistics.
        source: ``auto`` compares the index with the footers, completes and corrects it, and says
            what was wrong in an IndexWarning; ``index`` gives it as it is, with nulls for gaps and
            for columns that may be others by now; ``footers`` does not look at it.

    Raises:
        OptionError: for another source.
        ColumnError: for a column that the table does not have, or not with statistics.
        TableError: when the table cannot be read.
    """
    if source not in SOURCES:
        raise OptionError(
            f"Cannot read statistics: 'source' was '{source}'; {did_you_mean(source, SOURCES)}"
        )
    snapshot = open_snapshot(spark, path)
    leaves = snapshot.schema.statistics_columns(columns)
    if source == "footers":
        return _with_note(footer_stats(snapshot, list(leaves)), "")
    entries = index_entries(spark, snapshot, path, leaves)
    if source == "index":
        return _with_note(_table(snapshot, leaves, entries, INDEX), "")
    from_footers = footer_stats(snapshot, list(leaves))
    truth = {(row.file, row.column): row for row in rows_of(from_footers)}
    known = {key for key in entries if entries[key].min is not None or truth[key].min is None}
    gaps = [key for key, row in truth.items() if row.rows is not None and key not in known]
    wrong = [key for key in entries if _contradicts(entries[key], truth[key], leaves[key[1]])]
    if not gaps and not wrong:
        return _with_note(_table(snapshot, leaves, entries, INDEX), "")
    notes = [_about_gaps(snapshot, gaps, len(known)), _about_faults(wrong)]
    note = "; ".join(filter(None, notes))
    warnings.warn(f"{path}: {note}", IndexWarning, stacklevel=3)
    right = {key: entries[key] for key in known - set(wrong)}
    if not right:
        return _with_note(from_footers, note)
    return _with_note(_table(snapshot, leaves, truth | right, "mixed"), note)


def _contradicts(entry: FileColumn, truth: FileColumn, leaf: ColumnSchema) -> bool:
    """Tells whether the index claims what the footer of the same file denies."""
    counts = ((entry.null_count, truth.null_count), (entry.rows, truth.rows))
    if any(claimed != true for claimed, true in counts if None not in (claimed, true)):
        return True
    if truth.min is None:
        # Where a NaN has left a footer without bounds, Hudi 1.2.0 records both of them as 0.
        return leaf.is_float and entry.min is not None
    if entry.min is None or entry.max is None or truth.max is None:
        return False
    # Wider bounds only skip less; Hudi makes them of a row group without values.
    return entry.min > truth.min or entry.max < truth.max  # type: ignore[operator]


def _about_gaps(snapshot: TableSnapshot, gaps: Sequence[tuple[str, str]], known: int) -> str | None:
    """Returns what the index lacks, and the remedy."""
    if not gaps:
        return None
    if not has_index(snapshot):
        return (
            "there is no column-statistics index, so that Spark skips no files; write with "
            "'hoodie.metadata.index.column.stats.enable' = 'true'"
        )
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


def _about_faults(wrong: Sequence[tuple[str, str]]) -> str | None:
    """Returns what the index has wrong, and the remedy."""
    if not wrong:
        return None
    return (
        f"the column-statistics index contradicts the footers about {_described(wrong)}, so that "
        "queries may miss rows; a NaN does this (hudi#18754): read with "
        "'hoodie.enable.data.skipping' = 'false' when a filter names these columns"
    )


def _described(keys: Sequence[tuple[str, str]]) -> str:
    files = sorted({file for file, _ in keys})
    columns = ", ".join(sorted({column for _, column in keys}))
    return f"{columns} in {len(files)} files such as {files[0]}"


def _table(
    snapshot: TableSnapshot,
    leaves: Mapping[str, ColumnSchema],
    entries: Mapping[tuple[str, str], FileColumn],
    source: str,
) -> pa.Table:
    rows = []
    for part in snapshot.slices:
        name = part.path.rpartition("/")[2]
        for column in leaves:
            unknown = FileColumn(name, part.partition, column, None, None, None, None, None)
            rows.append(entries.get((name, column), unknown))
    types = {name: leaf.arrow_type for name, leaf in leaves.items()}
    with_logs = [part.path.rpartition("/")[2] for part in snapshot.slices if part.has_logs]
    return stats_table(rows, types, source, with_logs)


def _with_note(table: pa.Table, note: str) -> pa.Table:
    return table.replace_schema_metadata({**(table.schema.metadata or {}), "note": note})
