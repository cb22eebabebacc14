"""Z-order clustering for Apache Hudi from PySpark: configure, cluster, and see what it did."""

from __future__ import annotations

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
    from hudi_zorder.forecast_report import Forecast
    from hudi_zorder.functions import hilbert_value, zorder_compare, zorder_value, zorder_words
    from hudi_zorder.history import PastClustering, PendingClustering
    from hudi_zorder.recommendation import Recommendation
    from hudi_zorder.result import ClusteringResult
    from hudi_zorder.session import configure_spark
    from hudi_zorder.table import ZOrderTable
    from hudi_zorder.z_column import with_z_column
    from hudi_zorder.zvalues import bigmin, litmax, z_ranges

__version__ = "0.1.0"

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
    "with_z_column",
    "z_ranges",
    "zorder_compare",
    "zorder_value",
    "zorder_words",
]

# What needs pyspark is imported when it is asked for, so that reading works without it.
_LAZY = {
    "ClusteringResult": "hudi_zorder.result",
    "Forecast": "hudi_zorder.forecast_report",
    "PastClustering": "hudi_zorder.history",
    "PendingClustering": "hudi_zorder.history",
    "Recommendation": "hudi_zorder.recommendation",
    "ZOrderTable": "hudi_zorder.table",
    "bigmin": "hudi_zorder.zvalues",
    "configure_spark": "hudi_zorder.session",
    "hilbert_value": "hudi_zorder.functions",
    "litmax": "hudi_zorder.zvalues",
    "with_z_column": "hudi_zorder.z_column",
    "z_ranges": "hudi_zorder.zvalues",
    "zorder_compare": "hudi_zorder.functions",
    "zorder_value": "hudi_zorder.functions",
    "zorder_words": "hudi_zorder.functions",
}


def __getattr__(name: str) -> Any:
    module = _LAZY.get(name)
    if module is None:
        raise AttributeError(f"module 'hudi_zorder' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
