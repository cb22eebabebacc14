"""Our strategies by nothing but configuration, and Hudi's procedure by settings of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def strategy(columns: Sequence[str], target: int) -> dict[str, str]:
    """What plans and executes by us, for files of a size in bytes."""
    return {
        "hoodie.clustering.plan.strategy.class": "io.hudizorder.ZOrderClusteringPlanStrategy",
        "hoodie.clustering.execution.strategy.class": (
            "io.hudizorder.ZOrderClusteringExecutionStrategy"
        ),
        "hoodie.clustering.plan.strategy.sort.columns": ",".join(columns),
        "hoodie.clustering.plan.strategy.target.file.max.bytes": str(target),
    }


def run_clustering(
    spark: Any, path: str, settings: Mapping[str, str], op: str = "scheduleAndExecute"
) -> None:
    """Clusters by SQL, by settings that the session has as long, and with column statistics."""
    chosen = {"hoodie.metadata.index.column.stats.enable": "true", **settings}
    for key, value in chosen.items():
        spark.conf.set(key, value)
    try:
        spark.sql(f"CALL run_clustering(path => '{path}', op => '{op}')").collect()
    finally:
        for key in chosen:
            spark.conf.unset(key)
