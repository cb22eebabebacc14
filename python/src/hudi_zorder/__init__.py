"""Z-order clustering for Apache Hudi from PySpark: configure, cluster, and see what it did."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import (
    ClusteringError,
    ColumnError,
    ConflictError,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    PlanInUseError,
    PredicateError,
    SessionError,
    TableError,
)
from hudi_zorder.options import ZOrderOptions

if TYPE_CHECKING:
    from hudi_zorder.advice.forecast_report import Forecast
    from hudi_zorder.advice.recommendation import Recommendation
    from hudi_zorder.clustering.result import ClusteringResult
    from hudi_zorder.hudi.history import PastClustering, PendingClustering
    from hudi_zorder.spark.functions import (
        hilbert_value,
        zorder_compare,
        zorder_value,
        zorder_words,
    )
    from hudi_zorder.spark.session import configure_spark
    from hudi_zorder.spark.zvalues import bigmin, litmax, z_ranges
    from hudi_zorder.table import ZOrderTable

__version__ = version("hudi-zorder")

__all__ = [
    "ClusteringError",
    "ClusteringResult",
    "ColumnError",
    "ConflictError",
    "Forecast",
    "HiddenRowsError",
    "HudiZOrderError",
    "OptionError",
    "PastClustering",
    "PendingClustering",
    "PlanInUseError",
    "PredicateError",
    "Recommendation",
    "SessionError",
    "TableError",
    "ZOrderOptions",
    "ZOrderTable",
    "bigmin",
    "configure_spark",
    "hilbert_value",
    "litmax",
    "z_ranges",
    "zorder_compare",
    "zorder_value",
    "zorder_words",
]

# What needs pyspark is imported when it is asked for, so that reading works without it.
_LAZY = {
    "ClusteringResult": "hudi_zorder.clustering.result",
    "Forecast": "hudi_zorder.advice.forecast_report",
    "PastClustering": "hudi_zorder.hudi.history",
    "PendingClustering": "hudi_zorder.hudi.history",
    "Recommendation": "hudi_zorder.advice.recommendation",
    "ZOrderTable": "hudi_zorder.table",
    "bigmin": "hudi_zorder.spark.zvalues",
    "configure_spark": "hudi_zorder.spark.session",
    "hilbert_value": "hudi_zorder.spark.functions",
    "litmax": "hudi_zorder.spark.zvalues",
    "z_ranges": "hudi_zorder.spark.zvalues",
    "zorder_compare": "hudi_zorder.spark.functions",
    "zorder_value": "hudi_zorder.spark.functions",
    "zorder_words": "hudi_zorder.spark.functions",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'hudi_zorder' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
