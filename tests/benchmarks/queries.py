"""Experiment: what Spark itself reads for queries that a layout has not seen, but others like them.

Queries of the same templates are drawn twice. Of the first draw every layout may know what it can
use: the plain tree its best columns, the recommended tree their weights too, ``cluster(queries=)``
all of it, Hudi's own linear order the one best column, Delta and Iceberg the best columns. Of the
second draw, each query is run, and what Spark's own scan and its tasks count is summed up.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from operator import itemgetter
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
_ROUNDS, _ROUNDS_OF_MANY, _MANY = 3, 2, 100  # fewer where files are many
_MOST_COLUMNS: Final = 4
_FILES: Final = ("numFiles", "resultDataFiles")  # Spark's name of the metric, and Iceberg's


def jobs(*, quick: bool) -> list[str]:
    """Returns data and files."""
    if quick:
        return ["flights/16"]
    return [
        "flights/40",
        "store_sales_sf0.2/40",
        "lineitem_sf0.2/40",
        "lineorder_1200k/40",
        "orders_1200k/40",
        "store_sales_sf0.4/400",
        "lineitem_sf0.2/400",
    ]


@dataclass(frozen=True)
class QueryJob:
    """Data and files, of our layouts; or of the one by columns, joined by ``+``."""

    data: data_sets.DataSet
    files: int
    columns: str = ""

    @classmethod
    def parse(cls, text: str) -> QueryJob:
        """Reads a job."""
        name, files, *columns = text.split("/")
        return cls(data_sets.named(name), int(files), *columns)

    @property
    def workload(self) -> QueryWorkload:
        """The templates of its table."""
        name = self.data.name
        return WORKLOADS[name if name in WORKLOADS else name.rpartition("_")[0]]


def run(spark: SparkSession, system: System, job: QueryJob) -> dict[str, Any]:
    """Clusters for queries of one draw, and runs those of another."""
    if not job.columns:
        return _ours(spark, system, job)
    with fresh_table(system, job.data) as table:
        done = cluster(spark, system, table, tuple(job.columns.split("+")), job.files)
        return {
            "seconds": done.seconds,
            "phases": dict(done.phases),
            "columns": job.columns,
            **_measured(spark, system, table, job),
        }


def best_columns(results: Path, job: str) -> list[str]:
    """Returns the columns of each of ``SYSTEMS``; none where the plain tree was not measured."""
    ours = Store(results, f"queries-{TREE.name}").runs.get(job)
    if ours is None:
        return []
    found = ours["plain"]
    return [found["single"], found["columns"], found["columns"]]


def _ours(spark: SparkSession, system: System, job: QueryJob) -> dict[str, Any]:
    """Returns what each of ``OWN`` costs, by turns, and what is read of it."""
    with ExitStack() as tables:
        paths = {name: tables.enter_context(fresh_table(system, job.data)) for name in OWN}
        target = _bytes(paths["plain"]) // job.files + 1
        train = job.workload.known(_TRAIN)
        advice = hz.ZOrderTable(spark, paths["plain"]).recommend(
            train, max_columns=_MOST_COLUMNS, target_file_size=target
        )
        layouts: Mapping[str, Mapping[str, Any]] = {
            "plain": {"columns": _best(advice, _MOST_COLUMNS)},
            "weighted": {"columns": advice.columns, "column_weights": advice.column_weights},
            "queries": {"queries": train},
        }
        rounds: dict[str, list[tuple[float, dict[str, float]]]] = defaultdict(list)
        for _ in range(_ROUNDS if job.files < _MANY else _ROUNDS_OF_MANY):
            for name in OWN:
                table = hz.ZOrderTable(spark, paths[name])
                rounds[name].append(_clustered(table, target, layouts[name]))
        found: dict[str, Any] = {}
        for name in OWN:
            seconds, phases = sorted(rounds[name], key=itemgetter(0))[(len(rounds[name]) - 1) // 2]
            found[name] = {
                "seconds": seconds,
                "phases": phases,
                "columns": "+".join(layouts[name].get("columns", ())),
                **_measured(spark, system, paths[name], job),
            }
        found["plain"]["single"] = _best(advice, 1)[0]
        return found


def _bytes(table: Path) -> int:
    files = (file for file in table.rglob("*.parquet") if ".hoodie" not in file.parts)
    return sum(file.stat().st_size for file in files)


def _clustered(
    table: hz.ZOrderTable, target: int, layout: Mapping[str, Any]
) -> tuple[float, dict[str, float]]:
    """Returns the seconds of a clustering, and of its phases."""
    started = time.monotonic()
    done = table.cluster(
        **layout,
        target_file_size=target,
        mode="full",
        hudi_options={"hoodie.parquet.compression.codec": "zstd"},
    )
    seconds = time.monotonic() - started
    if not done:
        raise RuntimeError(f"Cannot measure: {done}")
    return seconds, dict(done.phases)


def _best(advice: hz.Recommendation, most: int) -> tuple[str, ...]:
    """Returns the columns, of equal weights, by which the queries would read least."""
    tried = [c for c in advice.candidates if len(c.columns) <= most and not c.column_weights]
    return min(tried, key=lambda candidate: candidate.share).columns


def _measured(spark: SparkSession, system: System, table: Path, job: QueryJob) -> dict[str, Any]:
    files = system.files(spark, table)
    total = sum(Path(file).stat().st_size for file in files)
    frame = system.read(spark, table)
    rows = frame.count()
    reads = [_read(frame.where(asked)) for asked in job.workload.unseen(_TEST)]
    # Rows that match, in whole files of as many rows each.
    bounds = [-(-read["matching"] * job.files // rows) for read in reads]
    return {
        "files": len(files),
        "rows": rows,
        "bytes": total,
        "queries": len(reads),
        "queries_of_template": _TEST,
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
