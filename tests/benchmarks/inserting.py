"""Experiment: seconds and memory of a bulk insert that lays rows of many input partitions out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from harness import fresh_folder, size_of
from pyspark.sql import SparkSession
from speed import peak_memory
from store import numbers_of
from table_formats import System

import hudi_zorder as hz

_TARGET = 8 << 20


@dataclass(frozen=True)
class InsertJob:
    """Thousands of rows, and the partitions of their input: ``4000/2000`` as text."""

    thousands: int
    partitions: int

    @classmethod
    def parse(cls, text: str) -> InsertJob:
        """Reads a job."""
        return cls(*numbers_of(text))


def run(spark: SparkSession, system: System, job: InsertJob) -> dict[str, Any]:
    """Inserts into two new tables."""
    values = [f"abs(hash(id, {seed})) % 1000000L AS {name}" for seed, name in enumerate("ab")]
    rows = spark.range(job.thousands * 1000, numPartitions=job.partitions)
    options = {
        "hoodie.table.name": "inserted",
        "hoodie.datasource.write.recordkey.field": "id",
        **hz.ZOrderOptions(columns=["a", "b"], target_file_size=_TARGET).bulk_insert(),
    }
    result: dict[str, Any] = {}
    for temperature in ("cold", "warm"):
        with fresh_folder(system) as table:
            written = rows.selectExpr("id", *values, "sha2(string(id), 256) AS payload")
            started = time.monotonic()
            written.write.format("hudi").options(**options).mode("overwrite").save(str(table))
            result[temperature] = time.monotonic() - started
            files = [*table.glob("*.parquet")]
            result["files"], result["bytes"] = len(files), size_of(files)
    return {**result, **dict(peak_memory(spark))}
