"""What a crash has left of clusterings, rolled back by Hudi's own means."""

from __future__ import annotations

from dataclasses import replace

from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.hudi.repairs import Repair, examine


def repair(service: ClusteringService) -> Repair:
    """Rolls back what nobody executes and nobody is to, and removes what dead executors left.

    Raises:
        PlanInUseError: when somebody begins to execute such a plan meanwhile.
        ClusteringError: when Hudi cannot roll it back.
    """
    found = examine(service.snapshot())
    for plan in found.plans:
        service.cancel(plan.instant)
    service.remove_leftovers(found.leftovers)
    return replace(found, table=service.path, dry_run=False)
