"""What ``test_commands.py`` starts and kills: a process that clusters, with its own JVM."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import hudi_zorder as hz


def main(path: str, hudi: str, target: str) -> None:
    """Clusters the table."""
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "4")
    spark = hz.configure_spark(builder, hudi=hudi).getOrCreate()
    hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size=target)


if __name__ == "__main__":
    main(*sys.argv[1:])
