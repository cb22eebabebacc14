"""Z-order clustering for Apache Hudi from PySpark: configure, cluster, and see what it did.

``open_table`` and what it returns, the options and the errors need no Spark; all else needs the
extra ``spark``.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import (
    ClusteringError,
    ColumnError,
    ConflictError,
    ExitCode,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    PlanInUseError,
    PredicateError,
    SessionError,
    SessionWarning,
    TableError,
    TableLockedError,
    UnendedWriteError,
    UnsafeStatisticsError,
    not_there,
)
from hudi_zorder.option_fields import LayoutFields, SharedFields
from hudi_zorder.options import ZOrderOptions

if TYPE_CHECKING:
    from hudi_zorder.clustering.clustering_plan import (
        ClusteringPlan,
        FilesByReason,
        PlannedPartition,
    )
    from hudi_zorder.clustering.foretold_shares import ForetoldShare
    from hudi_zorder.clustering.result import ClusteringResult, Layout
    from hudi_zorder.clustering.statistics_guard import UnsafeStatisticsWarning
    from hudi_zorder.clustering.verification_report import Verification
    from hudi_zorder.eventlog.queries import LeftOut, LoggedQuery, Queries
    from hudi_zorder.eventlog.reader import queries_from_event_log
    from hudi_zorder.forecast.forecast_report import Forecast, ForecastRead, LayoutForecast
    from hudi_zorder.hudi.clusterings import (
        PastClustering,
        PastClusterings,
        PendingClustering,
        PendingClusterings,
    )
    from hudi_zorder.hudi.crash_leftovers import Repair, RepairedPlan
    from hudi_zorder.hudi.upkeep import Upkeep
    from hudi_zorder.hudi_table import HudiTable, open_table
    from hudi_zorder.recommendation.partitioning import Partitioning
    from hudi_zorder.recommendation.recommendation_report import (
        Candidate,
        QueryRead,
        Recommendation,
    )
    from hudi_zorder.skipping.audit_report import Audit, DifferentFile, Fault, WronglySkipped
    from hudi_zorder.skipping.skipping_report import FileReport, Level, SkippingReport
    from hudi_zorder.spark.functions import (
        hilbert_value,
        zorder_compare,
        zorder_value,
        zorder_words,
    )
    from hudi_zorder.spark.session import configure_spark
    from hudi_zorder.spark.z_column import with_z_column
    from hudi_zorder.spark.zvalues import bigmin, litmax, z_ranges
    from hudi_zorder.stats.column_stats import IndexWarning
    from hudi_zorder.stats.fit_report import QueriesFit, QueryFit
    from hudi_zorder.stats.information_report import ClusteringInformation, ColumnInformation
    from hudi_zorder.stats.unsafe_statistics import UnsafeColumn
    from hudi_zorder.table import ZOrderTable
    from hudi_zorder.workload.weighted_queries import WeightedQuery

__version__ = version("hudi-zorder")

__all__ = [
    "Audit",
    "Candidate",
    "ClusteringError",
    "ClusteringInformation",
    "ClusteringPlan",
    "ClusteringResult",
    "ColumnError",
    "ColumnInformation",
    "ConflictError",
    "DifferentFile",
    "ExitCode",
    "Fault",
    "FileReport",
    "FilesByReason",
    "Forecast",
    "ForecastRead",
    "ForetoldShare",
    "HiddenRowsError",
    "HudiTable",
    "HudiZOrderError",
    "IndexWarning",
    "Layout",
    "LayoutFields",
    "LayoutForecast",
    "LeftOut",
    "Level",
    "LoggedQuery",
    "OptionError",
    "Partitioning",
    "PastClustering",
    "PastClusterings",
    "PendingClustering",
    "PendingClusterings",
    "PlanInUseError",
    "PlannedPartition",
    "PredicateError",
    "Queries",
    "QueriesFit",
    "QueryFit",
    "QueryRead",
    "Recommendation",
    "Repair",
    "RepairedPlan",
    "SessionError",
    "SessionWarning",
    "SharedFields",
    "SkippingReport",
    "TableError",
    "TableLockedError",
    "UnendedWriteError",
    "UnsafeColumn",
    "UnsafeStatisticsError",
    "UnsafeStatisticsWarning",
    "Upkeep",
    "Verification",
    "WeightedQuery",
    "WronglySkipped",
    "ZOrderOptions",
    "ZOrderTable",
    "bigmin",
    "configure_spark",
    "hilbert_value",
    "litmax",
    "open_table",
    "queries_from_event_log",
    "with_z_column",
    "z_ranges",
    "zorder_compare",
    "zorder_value",
    "zorder_words",
]

# What needs pyspark is imported when it is asked for, so that reading works without it.
_LAZY = {
    "Audit": "hudi_zorder.skipping.audit_report",
    "Candidate": "hudi_zorder.recommendation.recommendation_report",
    "ClusteringInformation": "hudi_zorder.stats.information_report",
    "QueriesFit": "hudi_zorder.stats.fit_report",
    "QueryFit": "hudi_zorder.stats.fit_report",
    "ClusteringPlan": "hudi_zorder.clustering.clustering_plan",
    "ClusteringResult": "hudi_zorder.clustering.result",
    "ColumnInformation": "hudi_zorder.stats.information_report",
    "DifferentFile": "hudi_zorder.skipping.audit_report",
    "Fault": "hudi_zorder.skipping.audit_report",
    "FileReport": "hudi_zorder.skipping.skipping_report",
    "FilesByReason": "hudi_zorder.clustering.clustering_plan",
    "Forecast": "hudi_zorder.forecast.forecast_report",
    "ForecastRead": "hudi_zorder.forecast.forecast_report",
    "ForetoldShare": "hudi_zorder.clustering.foretold_shares",
    "HudiTable": "hudi_zorder.hudi_table",
    "IndexWarning": "hudi_zorder.stats.column_stats",
    "Layout": "hudi_zorder.clustering.result",
    "LayoutForecast": "hudi_zorder.forecast.forecast_report",
    "LeftOut": "hudi_zorder.eventlog.queries",
    "Level": "hudi_zorder.skipping.skipping_report",
    "LoggedQuery": "hudi_zorder.eventlog.queries",
    "Partitioning": "hudi_zorder.recommendation.partitioning",
    "PastClustering": "hudi_zorder.hudi.clusterings",
    "PastClusterings": "hudi_zorder.hudi.clusterings",
    "PendingClustering": "hudi_zorder.hudi.clusterings",
    "PendingClusterings": "hudi_zorder.hudi.clusterings",
    "PlannedPartition": "hudi_zorder.clustering.clustering_plan",
    "Queries": "hudi_zorder.eventlog.queries",
    "QueryRead": "hudi_zorder.recommendation.recommendation_report",
    "Recommendation": "hudi_zorder.recommendation.recommendation_report",
    "Repair": "hudi_zorder.hudi.crash_leftovers",
    "RepairedPlan": "hudi_zorder.hudi.crash_leftovers",
    "SkippingReport": "hudi_zorder.skipping.skipping_report",
    "UnsafeColumn": "hudi_zorder.stats.unsafe_statistics",
    "UnsafeStatisticsWarning": "hudi_zorder.clustering.statistics_guard",
    "Upkeep": "hudi_zorder.hudi.upkeep",
    "Verification": "hudi_zorder.clustering.verification_report",
    "WeightedQuery": "hudi_zorder.workload.weighted_queries",
    "WronglySkipped": "hudi_zorder.skipping.audit_report",
    "ZOrderTable": "hudi_zorder.table",
    "bigmin": "hudi_zorder.spark.zvalues",
    "configure_spark": "hudi_zorder.spark.session",
    "hilbert_value": "hudi_zorder.spark.functions",
    "litmax": "hudi_zorder.spark.zvalues",
    "open_table": "hudi_zorder.hudi_table",
    "queries_from_event_log": "hudi_zorder.eventlog.reader",
    "with_z_column": "hudi_zorder.spark.z_column",
    "z_ranges": "hudi_zorder.spark.zvalues",
    "zorder_compare": "hudi_zorder.spark.functions",
    "zorder_value": "hudi_zorder.spark.functions",
    "zorder_words": "hudi_zorder.spark.functions",
}

_OF_SPARK = ("hudi_zorder.spark.", "hudi_zorder.table")


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'hudi_zorder' has no attribute '{name}'")
    from importlib import import_module

    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as missing:
        raise not_there(f"hudi_zorder.{name}", missing, sys._getframe(1)) from missing


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


if not _is_installed("pyspark"):
    # Not as an assignment: type checkers see all names.
    globals()["__all__"] = [
        name for name in __all__ if not _LAZY.get(name, "").startswith(_OF_SPARK)
    ]


def __dir__() -> list[str]:
    return sorted(__all__)
