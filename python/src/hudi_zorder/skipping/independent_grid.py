"""What a grid of independent columns reads for a predicate: what skipping is measured by.

N files that k independent columns lay out as a grid have n = N^(1/k) slices in each column. A test
that a share s of the rows passes, in m ranges of values, touches the share s + m/n of the slices at
best: an equality on a rare value 1/n. Tests are taken for independent, as the columns are. What
does not lie in a column of the layout is read whole. No table need be so: where columns correlate,
less can be read, since files need not divide what does not exist.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest
from hudi_zorder.skipping.skipping_report import PARTITION, FileReport
from hudi_zorder.stats.row_sample import SampledRow

SAMPLED_ROWS = 256


def independent_share(
    bound: BoundPredicate,
    sample: Sequence[SampledRow],
    files: Sequence[FileReport],
    columns: Sequence[str],
) -> float | None:
    """Returns the share of rows that a grid reads for a predicate; None without a sample.

    Args:
        bound: the predicate.
        sample: rows of the table, the predicate's columns in their order.
        files: what the predicate skips of each file; skipped partitions cost nothing.
        columns: the columns that the files are laid out by.
    """
    if not sample or not any(file.rows for file in files):
        return None

    def selectivity(test: ValueTest) -> float:
        position = bound.columns.index(test.column)
        values = [row[position] for row in sample]
        count = sum(test.null_passes if v is None else test.passes(v) for v in values)
        return count / len(values)

    rows = Counter[str]()
    left = Counter[str]()
    for file in files:
        rows[file.partition] += file.rows
        left[file.partition] += file.skipped_by != PARTITION
    parts = [(rows[partition], number) for partition, number in left.items()]
    return independent_share_of_parts(bound, parts, columns, selectivity)


def independent_share_of_parts(
    bound: BoundPredicate,
    parts: Sequence[tuple[float, int]],
    columns: Sequence[str],
    selectivity: Callable[[ValueTest], float],
) -> float:
    """Returns the share of rows that a predicate reads of a grid of files yet to be made.

    Args:
        bound: the predicate.
        parts: rows and files of each part of the table that is laid out by itself; no files where
            the predicate does not need to look.
        columns: the columns that the files are laid out by.
        selectivity: the share of rows that pass a test.
    """
    laid_out = {name.lower() for name in columns}
    passing: dict[ValueTest, float] = {}

    def share(test: ValueTest) -> float:
        if test not in passing:
            passing[test] = selectivity(test)
        return passing[test]

    # Of parts with as many files the same share is read: each number is looked at with all tests
    # once, and there can be thousands of parts and of values in a test.
    rows_by_files: dict[int, float] = defaultdict(float)
    for rows, files in parts:
        rows_by_files[files] += rows
    total = sum(rows_by_files.values())
    read = 0.0
    for files, rows in rows_by_files.items():
        if not files:
            continue
        slices = math.pow(files, 1 / len(columns))

        def touched(test: ValueTest, slices: float = slices) -> float:
            if test.column.lower() not in laid_out:
                return 1.0
            return min(1.0, share(test) + max(1, len(test.intervals)) / slices)

        read += rows / total * bound.share(touched)
    return read
