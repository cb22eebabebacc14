"""What spark-submit runs for ``test_on_a_cluster.py``: two loads, a CALL and a query."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from hudi_zorder.spark.scan_metrics import scan_metrics

LOADS = 2
ROWS = 4000
PRIME = 4001
"""The values of ``a`` and ``b`` lie below it, each in some order of its own."""


def main(path: str) -> None:
    """Writes the table, clusters it, and prints how many files an equality then reads."""
    spark = SparkSession.builder.getOrCreate()
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.index.bloom.num_entries": "1000",
    }
    for load in range(LOADS):
        first = load * ROWS // LOADS
        rows = spark.range(first, first + ROWS // LOADS, 1, 2).selectExpr(
            "id",
            f"id * 7919 % {PRIME} a",
            f"id * 4999 % {PRIME} b",
            "sha2(cast(id AS string), 256) text",
        )
        rows.write.format("hudi").options(**options).mode("append").save(path)
    spark.sql(f"CALL run_clustering(path => '{path}')").collect()
    found = spark.read.format("hudi").load(path).where("a = 7")
    found.collect()
    print(f"files read: {scan_metrics(found).files}")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
