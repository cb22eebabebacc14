"""Experiment: what Spark itself reads for queries that a layout has not seen, but others like them.

Queries of the same templates are drawn twice. Of the first draw every layout may know what it can
use: the plain tree its best columns, the recommended tree their weights too, ``cluster(queries=)``
all of it, Hudi's own linear order the one best column, Delta and Iceberg the best columns. Of the
second draw, each query is run, and what Spark's own scan and its tasks count is summed up.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Final

import data_sets
from harness import cluster, fresh_table
from pyspark.sql import DataFrame, SparkSession
from query_workloads import WORKLOADS, QueryWorkload
from store import Store
from systems import PEERS, TREE
from table_formats import System

import hudi_zorder as hz

SYSTEMS: Final = (PEERS[0], *PEERS[4:6])
OWN: Final = ("plain", "weighted", "queries")
_TRAIN, _TEST = 20, 4  # queries of each template
_ROUNDS: Final = 3
_MOST_COLUMNS: Final = 4
_FILES: Final = ("numFiles", "resultDataFiles")  # Spark's name of the metric, and Iceberg's


def jobs(*, quick: bool) -> list[str]:
    """Returns data and files."""
    return ["flights/16"] if quick else ["flights/40", "store_sales_sf0.2/40"]


@dataclass(frozen=True)
class QueryJob:
    """Data, files and the layout: a name of ``OWN``, or columns joined by ``+``."""

    data: data_sets.DataSet
    files: int
    layout: str

    @classmethod
    def parse(cls, text: str) -> QueryJob:
        """Reads a job."""
        name, files, layout = text.split("/")
        return cls(data_sets.named(name), int(files), layout)

    @property
    def workload(self) -> QueryWorkload:
        """The templates of its table."""
        return WORKLOADS[self.data.name.partition("_sf")[0]]


def run(spark: SparkSession, system: System, job: QueryJob) -> dict[str, Any]:
    """Clusters for queries of one draw, and runs those of another."""
    own = job.layout in OWN
    with fresh_table(spark, system, job.data) as table:
        if not own:
            done = cluster(spark, system, table, tuple(job.layout.split("+")), job.files)
            found = {
                "seconds": done.seconds,
                "phases": dict(done.phases),
                "columns": job.layout,
            }
        else:
            found = _clustered(spark, table, job)
        return {**found, **_measured(spark, system, table, job)}


def best_columns(results: Path, job: str) -> list[str]:
    """Returns the columns of each of ``SYSTEMS``; none where the plain tree was not measured."""
    found = Store(results, f"queries-{TREE.name}").runs.get(f"{job}/plain")
    return [found["single"], found["columns"], found["columns"]] if found else []


def _clustered(spark: SparkSession, path: Path, job: QueryJob) -> dict[str, Any]:
    size = sum(
        file.stat().st_size for file in path.rglob("*.parquet") if ".hoodie" not in file.parts
    )
    target = size // job.files + 1
    table = hz.ZOrderTable(spark, path)
    train = job.workload.draw(_TRAIN, 1)
    advice = table.recommend(train, max_columns=_MOST_COLUMNS, target_file_size=target)
    layouts: dict[str, Mapping[str, Any]] = {
        "plain": {"columns": _best(advice, _MOST_COLUMNS)},
        "weighted": {"columns": advice.columns, "column_weights": advice.column_weights},
        "queries": {"queries": train},
    }
    rounds: list[tuple[float, Mapping[str, float]]] = []
    for _ in range(_ROUNDS):
        started = time.monotonic()
        done = table.cluster(
            **layouts[job.layout],
            target_file_size=target,
            mode="full",
            hudi_options={"hoodie.parquet.compression.codec": "zstd"},
        )
        rounds.append((time.monotonic() - started, done.phases))
        if not done:
            raise RuntimeError(f"Cannot measure: {done}")
    seconds, phases = sorted(rounds, key=lambda each: each[0])[_ROUNDS // 2]
    return {
        "seconds": seconds,
        "phases": dict(phases),
        "columns": "+".join(layouts[job.layout].get("columns", ())),
        "single": _best(advice, 1)[0],
    }


def _best(advice: hz.Recommendation, most: int) -> tuple[str, ...]:
    """Returns the columns, of equal weights, by which the queries would read least."""
    tried = [c for c in advice.candidates if len(c.columns) <= most and not c.column_weights]
    return min(tried, key=lambda candidate: candidate.share).columns


def _measured(spark: SparkSession, system: System, table: Path, job: QueryJob) -> dict[str, Any]:
    files = system.files(spark, table)
    total = sum(Path(file).stat().st_size for file in files)
    frame = system.read(spark, table)
    rows = frame.count()
    reads = [_read(frame.where(asked)) for asked in job.workload.draw(_TEST, 2)]
    # Rows that match, in whole files of as many rows each.
    bounds = [-(-read["matching"] * job.files // rows) for read in reads]
    return {
        "files": len(files),
        "rows": rows,
        "bytes": total,
        "queries": len(reads),
        "files_read": mean(read["files"] for read in reads) / len(files),
        "rows_read": mean(read["rows"] for read in reads) / rows,
        "bytes_read": mean(read["bytes"] for read in reads) / total,
        "bound": mean(bounds) / job.files,
        "reads": [[read["files"], read["rows"], read["bytes"], read["matching"]] for read in reads],
    }


def _read(frame: DataFrame) -> dict[str, int]:
    """Runs a query; returns files and rows of its scan, bytes of its tasks and rows that match."""
    spark = frame.sparkSession
    context: Any = spark.sparkContext
    group = f"query {time.monotonic_ns()}"
    execution = frame._jdf.queryExecution()
    plan = execution.executedPlan()  # planned before the group: what planning reads is no task's
    context.setJobGroup(group, group)
    matching = execution.toRdd().count()
    context._jsc.sc().listenerBus().waitUntilEmpty()
    tracker = context.statusTracker()
    done = [tracker.getJobInfo(number) for number in tracker.getJobIdsForGroup(group)]
    stages = [stage for job in done for stage in job.stageIds]
    kept = context._jsc.sc().statusStore()
    leaves = plan.collectLeaves()
    metrics = [leaves.apply(number).metrics() for number in range(leaves.size())]
    return {
        "files": _total(metrics, _FILES),
        "rows": _total(metrics, ("numOutputRows",)),
        "bytes": sum(kept.lastStageAttempt(stage).inputBytes() for stage in stages),
        "matching": matching,
    }


def _total(metrics: Sequence[Any], names: Sequence[str]) -> int:
    return sum(of.apply(name).value() for of in metrics for name in names if of.contains(name))
