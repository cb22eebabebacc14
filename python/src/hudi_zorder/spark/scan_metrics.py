"""What the scans of an executed query really read, as Spark's own metrics count it."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from hudi_zorder.spark._jvm.session_state import scan_totals


@dataclass(frozen=True)
class ScanMetrics:
    """Sums over the file scans of one query.

    Attributes:
        files: files that were opened, after data skipping by column statistics.
        rows: rows that the readers handed on, after skipping by row groups and pages.
    """

    files: int
    rows: int


def scan_metrics(frame: DataFrame) -> ScanMetrics:
    """Returns what a query read.

    Args:
        frame: a data frame that was collected; one that was not has read nothing.
    """
    files, rows = scan_totals(frame, ["numFiles", "numOutputRows"])
    return ScanMetrics(files, rows)
