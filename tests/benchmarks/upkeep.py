"""Experiment: loads with upkeep after each; what that rewrites, and what an equality then reads.

Real loads in every system, and made-up ones in the model of the planner's own tests, which also
runs for a thousand loads. The measure of reading: the share of rows in files that minimum and
maximum cannot rule out for an equality on one column, over that of a grid of as many full files.
A load is of small files, as writers leave them, for size is all that most planners look at.
"""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from environment import CACHE, CHECKOUT, HUDI, maven_jar
from harness import Job, fresh_folder
from pyspark.sql import SparkSession
from skipping import file_parts, measure, predicates
from store import Store
from systems import UPKEPT
from table_formats import System

SYSTEMS: Final = UPKEPT
_FILES_A_TARGET: Final = 8  # Hudi writes files of 120 MB, and clusters them into those of 1 GB
OURS: Final = UPKEPT[0].name
FIRST_MEASURED: Final = 5  # before the fifth load there is hardly a layout to read
TWENTY: Final = ("uniform_1000k/2/64/20", "by_day_1000k/2/64/20")
_HUNDRED: Final = "uniform_1000k/2/100/100"
# Real loads, and the nearest that the model has.
LIKE: Final = dict(
    zip((*TWENTY, _HUNDRED), ("20/3/1.5/random", "20/3/1.5/days", "100/1/1.5/random"), strict=True)
)
# The same loads in the model, by a bulk insert that lays them out.
LAID_OUT: Final = {LIKE[job]: f"{LIKE[job]}/laid-out" for job in TWENTY}
THRESHOLDS: Final = ("1.1", "1.25", "1.5", "1.75", "2", "3")


def jobs(system: System, *, quick: bool) -> list[str]:
    """Returns data, columns, files of the whole, and loads."""
    if quick:
        return ["uniform_300k/2/16/6"]
    return [*TWENTY, _HUNDRED] if system.name == OURS else list(TWENTY)


def run(spark: SparkSession, system: System, job: Job) -> dict[str, Any]:
    """Loads slice by slice, keeps the table up, and measures after each load."""
    rows = pq.read_table(job.data.folder())
    size = -(-rows.num_rows // job.loads)
    steps = []
    target = rewritten = 0
    with fresh_folder(system) as table:
        for number in range(job.loads):
            load = _spark_rows(spark, rows.slice(number * size, size))
            files_a_load = _FILES_A_TARGET * job.files // job.loads
            system.append(load.repartition(files_a_load), table, job.data)
            loaded = system.files(spark, table)
            target = target or _bytes(loaded) * job.loads // job.files
            started = time.monotonic()
            system.upkeep(spark, table, job.columns, target)
            seconds = time.monotonic() - started
            files = system.files(spark, table)
            written = _bytes(list({*files} - {*loaded}))
            rewritten += written
            so_far = rows.slice(0, (number + 1) * size).select(job.columns)
            share = _share(files, so_far, job.columns)
            optimum = max(1.0, _bytes(files) / target) ** (-1 / len(job.columns))
            steps.append([written, len(files), share / optimum, seconds])
        total = _bytes(files)
    ratios = [step[2] for step in steps[FIRST_MEASURED - 1 :]]
    return {
        "rewritten": rewritten / total,
        "mean": float(np.mean(ratios)),
        "worst": max(ratios),
        "seconds": sum(step[3] for step in steps),
        "files": len(files),
        "steps": steps,
    }


def curve(threshold: str) -> dict[str, str]:
    """Returns the loads in the model by which a threshold is told of."""
    return {
        told: f"{loads}/{files}/{threshold}"
        for told, loads, files in (("100", 100, 1), ("1 TB", 1000, 1), ("10 TB", 1000, 10))
    }


# All that the model runs.
SIMULATED: Final = list(
    dict.fromkeys(
        (
            *LIKE.values(),
            *LAID_OUT.values(),
            *(f"{loads}/random" for t in THRESHOLDS for loads in curve(t).values()),
        )
    )
)


def simulate(results: Path) -> None:
    """Runs the model for what is loaded for real, and for a thousand loads by threshold."""
    store = Store(results, "upkeep-model")
    missing = [run for run in SIMULATED if run not in store.runs]
    if not missing:
        return
    subprocess.run(["mvn", "-q", "-B", "-ntp", "test-compile"], cwd=CHECKOUT, check=True)
    built = [CHECKOUT / "target" / name for name in ("classes", "test-classes")]
    spark = Path(*pyspark.__path__, "jars", "*")
    command = [
        *("java", "-cp", ":".join(map(str, [*built, maven_jar(HUDI), spark]))),
        *("io.hudizorder.plan.upkeep.UpkeepSimulation", *missing),
    ]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines():
        result = json.loads(line)
        store.add(result.pop("run"), result)
        print(f"upkeep model {line}")


def _spark_rows(spark: SparkSession, rows: pa.Table) -> Any:
    path = CACHE / "load.parquet"
    pq.write_table(rows, path, compression="zstd")
    return spark.read.parquet(str(path))


def _share(files: list[str], rows: pa.Table, columns: tuple[str, ...]) -> float:
    measured = measure(file_parts(files, columns), predicates(rows, columns), columns)
    return float(measured["mean"])


def _bytes(files: list[str]) -> int:
    return sum(Path(file).stat().st_size for file in files)
