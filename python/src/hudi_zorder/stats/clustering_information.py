"""How well a table is clustered, by any columns, in the words that Snowflake's users know.

Depth and share are taken at values that exist, sampled so that every row counts the same; rows and
bytes weigh, not the end points of ranges. The score compares with independent columns: of N
files that lay out k such columns as a grid, an equality on one of them touches the share N^(-1/k).
That is no bound: columns that tell of one another can be read less of, so that a score is below 1.
In a partitioned table it is that of each partition's own files, weighed by its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hudi_zorder.errors import ColumnError
from hudi_zorder.hudi.last_layout import last_layout_with
from hudi_zorder.hudi.upkeep import upkeep
from hudi_zorder.stats.clustering_advice import advice
from hudi_zorder.stats.column_stats import checked_source
from hudi_zorder.stats.index_bounds import ONE_SOURCE, OneSource
from hudi_zorder.stats.information_report import ClusteringInformation
from hudi_zorder.stats.measured_files import MeasuredFiles, depth_histogram, is_constant, mean
from hudi_zorder.stats.stats_table import INDEX

if TYPE_CHECKING:
    from hudi_zorder.hudi.snapshot import TableSnapshot


def clustering_information(
    snapshot: TableSnapshot, columns: Sequence[str], source: OneSource = "footers"
) -> ClusteringInformation:
    """Returns how well the table is clustered by the columns, clustered by them or not.

    Args:
        snapshot: the table.
        columns: the columns.
        source: ``footers``, or ``index``, which ``HudiTable.clustering_information`` describes.

    Raises:
        OptionError: for another source.
        ColumnError: for a column that does not exist, is named twice or has no statistics.
        TableError: when a file cannot be read.
    """
    checked_source(source, ONE_SOURCE, "measure clustering")
    names = _checked(snapshot, columns)
    slices = snapshot.slices
    by_index = source == INDEX
    measured = (
        MeasuredFiles.by_index(snapshot, names) if by_index else MeasuredFiles.of(snapshot, names)
    )
    independent = measured.independent_share(len(names))
    by_column = tuple(measured.column(name) for name in names)
    depths = [int(measured.holding(row).sum()) for row in measured.sample]
    share = mean([part.share_read for part in by_column])
    met = measured.compared_files
    found = upkeep(snapshot, by_names=by_index)
    layout = last_layout_with(snapshot, names)
    in_layout = share / measured.independent_share(len(layout or names))
    advised = advice(snapshot, names, layout, found, in_layout)
    return ClusteringInformation(
        table=snapshot.url,
        columns=tuple(names),
        total_files=len(slices),
        total_rows=sum(measured.rows),
        total_bytes=sum(measured.bytes),
        files_with_logs=sum(part.has_logs for part in slices),
        upkeep=found,
        constant_files=sum(
            all(is_constant(measured.bounds[name][i]) for name in names) for i in range(len(slices))
        ),
        average_overlap=mean(measured.overlaps(met), [measured.rows[number] for number in met]),
        average_depth=mean(depths),
        depth_histogram=depth_histogram(depths),
        share_read=share,
        independent_share=independent,
        sampled_rows=len(measured.sample),
        sampled_files=len(met),
        score=share / independent,
        by_column=by_column,
        standing=advised.standing,
        advice=advised.command,
        source=source,
    )


def read_share(
    snapshot: TableSnapshot, columns: Sequence[str], files: Sequence[str] | None = None
) -> dict[str, float]:
    """Returns what an equality on an existing value reads, for each column.

    That is the mean share of rows in files that minimum and maximum cannot rule out.

    Args:
        snapshot: the table.
        columns: the columns.
        files: paths of base files relative to the table; None for the latest file slices.

    Raises:
        ColumnError: for a column that does not exist, is named twice or has no statistics.
        TableError: when a file cannot be read.
    """
    names = _checked(snapshot, columns)
    if files is None:
        measured = MeasuredFiles.of(snapshot, names)
    else:
        measured = MeasuredFiles.of_files(snapshot, files, names)
    return {name: measured.column(name).share_read for name in names}


def _checked(snapshot: TableSnapshot, columns: Sequence[str]) -> list[str]:
    names = list(snapshot.statistics_columns(columns))
    if not names:
        raise ColumnError("Cannot measure clustering: 'columns' is empty; name at least one")
    return names
