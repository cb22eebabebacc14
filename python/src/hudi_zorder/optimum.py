"""The least that files of a given number can read for a predicate: what skipping is measured by.

N files that k independent columns lay out as a grid have n = N^(1/k) slices in each column. A test
that a share s of the rows passes, in m ranges of values, touches the share s + m/n of the slices at
best: an equality on a rare value 1/n. Tests are taken for independent, as the columns are. What
does not lie in a column of the layout is read whole.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hudi_zorder.bound_predicate import BoundPredicate
from hudi_zorder.errors import OptionError
from hudi_zorder.footers import Footer
from hudi_zorder.options import SORT_COLUMNS
from hudi_zorder.sampling import sample_rows
from hudi_zorder.skipping_report import PARTITION, FileReport
from hudi_zorder.value_tests import ValueTest

if TYPE_CHECKING:
    from hudi_zorder.snapshot import TableSnapshot

_ROWS = 256


def layout_columns(snapshot: TableSnapshot) -> tuple[str, ...]:
    """Returns the sort columns of the table's last clustering; none when there was none."""
    timeline = snapshot.timeline
    for instant in reversed((*timeline.archived, *timeline.completed)):
        if instant.action != "replacecommit":
            continue
        plan = timeline.plan(instant).get("clusteringPlan") or {}
        parameters = (plan.get("strategy") or {}).get("strategyParams") or {}
        names = [name.strip() for name in parameters.get(SORT_COLUMNS, "").split(",")]
        if any(names):
            return tuple(name for name in names if name)
    return ()


def chosen_columns(snapshot: TableSnapshot, given: Sequence[str] | None) -> list[str]:
    """Returns the columns given, or else those of the table's last clustering.

    Raises:
        OptionError: when there are neither.
    """
    names = list(given or layout_columns(snapshot))
    if not names:
        raise OptionError(
            "Cannot choose columns: the table was never clustered; name some with --columns or "
            "columns=[...]"
        )
    return names


def least_share(
    snapshot: TableSnapshot,
    bound: BoundPredicate,
    footers: Mapping[str, Footer],
    files: Sequence[FileReport],
    columns: Sequence[str],
) -> float | None:
    """Returns the least share of rows that a predicate can read; None without a sample.

    Args:
        snapshot: the table.
        bound: the predicate.
        footers: the footers of the base files, by path.
        files: what the predicate skips of each file; skipped partitions cost nothing.
        columns: the columns that the files are laid out by.
    """
    sample = sample_rows(snapshot, footers, bound.columns, _ROWS)
    total = sum(file.rows for file in files)
    if not sample or not total:
        return None
    laid_out = {name.lower() for name in columns}
    passing: dict[ValueTest, float] = {}

    def selectivity(test: ValueTest) -> float:
        if test not in passing:
            position = bound.columns.index(test.column)
            values = [row[position] for row in sample]
            count = sum(test.null_passes if v is None else test.passes(v) for v in values)
            passing[test] = count / len(values)
        return passing[test]

    left = [file for file in files if file.skipped_by != PARTITION]
    rows = Counter[str]()
    for file in left:
        rows[file.partition] += file.rows
    least = 0.0
    for partition, number in Counter(file.partition for file in left).items():
        slices = math.pow(number, 1 / len(columns))

        def touched(test: ValueTest, slices: float = slices) -> float:
            if test.column.lower() not in laid_out:
                return 1.0
            ranges = max(1, len(test.intervals))
            return min(1.0, selectivity(test) + ranges / slices)

        least += rows[partition] / total * bound.share(touched)
    return least
