"""Experiment: seconds and memory of a plan of a table of many files, of which none is laid out.

The files are links, each with Hudi's Bloom filter in its footer; what is timed is ``table.plan``,
cold in a fresh JVM and warm in the same one, and nothing is written.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession
from reading_table import COLUMNS, indexed_files
from speed import peak_memory
from store import numbers_of
from table_formats import System

import hudi_zorder as hz

_TARGET = 16 << 20


@dataclass(frozen=True)
class PlanJob:
    """A table of so many files and archived instants: ``20000/10000`` as text, ``#2`` behind it."""

    files: int
    archived: int

    @classmethod
    def parse(cls, text: str) -> PlanJob:
        """Reads a job."""
        return cls(*numbers_of(text))


def run(spark: SparkSession, _: System, job: PlanJob) -> dict[str, Any]:
    """Plans twice."""
    table = hz.ZOrderTable(spark, str(indexed_files(job.files, job.archived)))
    result: dict[str, Any] = {}
    for temperature in ("cold", "warm"):
        started = time.monotonic()
        plan = table.plan(columns=COLUMNS, target_file_size=_TARGET)
        result[temperature] = time.monotonic() - started
        result["planned"], result["groups"] = len(plan.file_groups), plan.groups
    return {**result, **dict(peak_memory(spark))}
