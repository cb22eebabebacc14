"""What the scans of an executed query really read, as Spark's own metrics count it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame


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
    plan = frame._jdf.queryExecution().executedPlan()
    scans = [scan for scan in _leaves(plan) if scan.metrics().contains("numFiles")]
    return ScanMetrics(_sum(scans, "numFiles"), _sum(scans, "numOutputRows"))


def _leaves(plan: Any) -> Iterator[Any]:
    """Yields the leaves of a physical plan, looking into the stages of adaptive execution."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        children = [plan.executedPlan()]
    elif name.endswith("QueryStageExec"):
        children = [plan.plan()]
    else:
        children = [plan.children().apply(i) for i in range(plan.children().size())]
    if not children:
        yield plan
    for child in children:
        yield from _leaves(child)


def _sum(scans: list[Any], metric: str) -> int:
    return sum(scan.metrics().apply(metric).value() for scan in scans)
