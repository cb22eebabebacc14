"""The systems under comparison by name: our layouts, the copy, and what users have otherwise."""

from __future__ import annotations

from collections.abc import Mapping

from table_formats import Delta, Hudi, HudiUpdated, HudiZOrder, Iceberg, System


def _ours(name: str, **layout: str) -> Hudi:
    keys = {
        "strategy": "hoodie.layout.optimize.strategy",
        "cuts": "hoodie.clustering.zorder.cuts",
        "build": "hoodie.layout.optimize.curve.build.method",
        "order": "hoodie.clustering.zorder.file.order",
        "page_rows": "hoodie.clustering.zorder.page.row.limit",
        "verify": "hoodie.clustering.zorder.verify",
        "validator": "hoodie.precommit.validators",
    }
    return Hudi(
        name,
        {
            "hoodie.clustering.plan.strategy.class": "io.hudizorder.ZOrderClusteringPlanStrategy",
            "hoodie.clustering.execution.strategy.class": (
                "io.hudizorder.ZOrderClusteringExecutionStrategy"
            ),
            "hoodie.clustering.zorder.mode": "full",
            **{keys[key]: value for key, value in layout.items()},
        },
    )


# Our client of Hudi's sets 5 ms where nobody sets any, and our strategy has as few tasks.
_MARKER_INTERVAL = "hoodie.markers.timeline_server_based.batch.interval_ms"
_AS_OURS = {
    _MARKER_INTERVAL: "5",
    "hoodie.metadata.index.column.stats.parallelism": "4",
    "hoodie.metadata.index.partition.stats.parallelism": "4",
}


def _hudi(name: str, strategy: str, build: str = "direct") -> Hudi:
    clustering = "org.apache.hudi.client.clustering"
    return Hudi(
        name,
        {
            "hoodie.clustering.plan.strategy.class": (
                f"{clustering}.plan.strategy.SparkSizeBasedClusteringPlanStrategy"
            ),
            "hoodie.clustering.execution.strategy.class": (
                f"{clustering}.run.strategy.SparkSortAndSizeExecutionStrategy"
            ),
            "hoodie.layout.optimize.strategy": strategy,
            "hoodie.layout.optimize.curve.build.method": build,
            _MARKER_INTERVAL: "50",  # Hudi's own default
        },
    )


TREE, EQUAL_Z, EQUAL_HILBERT, LINEAR = (
    _ours("tree"),
    _ours("equal-zorder", cuts="equal"),
    _ours("equal-hilbert", cuts="equal", strategy="hilbert"),
    _ours("linear", cuts="equal", strategy="linear"),
)
TREE_HILBERT, TREE_ZORDER = (_ours(f"tree-{order}", order=order) for order in ("hilbert", "zorder"))
# 22,200 rows a page make no more pages than Impala's; 20,000 are Parquet's own.
TREE_PAGES = tuple(
    _ours(f"tree-pages-{rows}", page_rows=str(rows)) for rows in (1_000, 5_000, 22_200)
)
# The tree by what it proves before the commit, nothing first.
PROVEN = (
    *(_ours(f"verify-{proof}", verify=proof) for proof in ("none", "count", "content")),
    _ours("validator", verify="none", validator="io.hudizorder.RowPreservationValidator"),
)
COPY = Hudi(
    "copy",
    {
        **_hudi("copy", "linear").options,
        **_AS_OURS,
        "hoodie.clustering.execution.strategy.class": "io.hudizorder.bench.CopyExecutionStrategy",
    },
)
# Hudi's copy, with what writes rows faster than Hudi does.
COPY_OUR_WRITER = Hudi(
    "copy-our-writer",
    {**COPY.options, "hoodie.parquet.spark.row.write.support.class": "io.hudizorder.RowWriter"},
)
# Copies as many files as a clustering makes, and those very rows in them; see speed.run.
COPY_CLUSTERED = Hudi(
    "copy-clustered", {**COPY.options, "hoodie.table.services.incremental.enabled": "false"}
)
COPIES = (COPY, COPY_OUR_WRITER, COPY_CLUSTERED)
OURS = (TREE, EQUAL_Z, EQUAL_HILBERT, LINEAR)
PEERS = (
    _hudi("hudi-linear", "linear"),
    _hudi("hudi-zorder-direct", "z-order"),
    _hudi("hudi-zorder-sample", "z-order", "sample"),
    _hudi("hudi-hilbert-direct", "hilbert"),
    Delta(),
    Iceberg("iceberg-zorder", "zorder"),
    Iceberg("iceberg-sort", "sort"),
)
# What users run after every load, each as it comes; Hudi's by its curve that skips best.
UPKEPT = (HudiZOrder("upkeep", {}), _hudi("hudi-zorder-sample", "z-order", "sample"), *PEERS[4:6])
_RECORDS = {"hoodie.datasource.write.row.writer.enable": "false"}
RECORDS = tuple(
    Hudi(f"{system.name}-records", {**system.options, **_RECORDS}) for system in (TREE, PEERS[0])
)
UPDATED = tuple(
    HudiUpdated(f"{system.name}-updated", system.options, "hudi-updated")
    for system in (TREE, PEERS[0])
)
_ALL = (
    *OURS,
    TREE_HILBERT,
    TREE_ZORDER,
    *TREE_PAGES,
    *COPIES,
    *PEERS,
    UPKEPT[0],
    *RECORDS,
    *UPDATED,
)
SYSTEMS: Mapping[str, System] = {system.name: system for system in _ALL}
