"""Tables of skeletons, whose values a bootstrap has left in other files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROWS = 2000


def bootstrapped(spark: Any, path: Path, kind: str = "COPY_ON_WRITE") -> None:
    """A table of skeletons, whose rows are in other files."""
    source = str(path.with_name("source"))
    spark.range(0, ROWS, 1, 2).selectExpr(
        "id", f"cast((id * 7919) % {ROWS} as int) a"
    ).write.parquet(source)
    selector = "org.apache.hudi.client.bootstrap.selector.MetadataOnlyBootstrapModeSelector"
    spark.createDataFrame([], "").write.format("hudi").options(
        **{
            "hoodie.table.name": "t",
            "hoodie.datasource.write.table.type": kind,
            "hoodie.datasource.write.operation": "bootstrap",
            "hoodie.datasource.write.recordkey.field": "id",
            "hoodie.datasource.write.partitionpath.field": "",
            "hoodie.bootstrap.base.path": source,
            "hoodie.bootstrap.mode.selector": selector,
            "hoodie.bootstrap.parallelism": "2",
            "hoodie.metadata.index.column.stats.enable": "false",
        }
    ).mode("overwrite").save(str(path))
