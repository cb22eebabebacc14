"""Experiment: rows in files that a stored z-column rules out, beside the columns' own statistics.

One table with a z-column is laid out three ways, in as many files: sorted by the z-column, by the
split tree of its columns, and by the first of them. Of predicates on existing values it is asked,
from the footers, which files an engine must read that knows the z-column's minimum and maximum
alone, asked for so many z-ranges; which by the columns' own; and which by both.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from data_sets import named
from environment import TABLES
from harness import Job
from pyspark.sql import SparkSession
from session import start_session
from skipping import VALUES, Parts, Predicates, file_parts, predicates
from store import Store
from systems import TREE

import hudi_zorder as hz

RANGES: Final = (1, 4, 16, 64)
_EXTENSIONS: Final = ",".join(
    (
        "org.apache.spark.sql.hudi.HoodieSparkSessionExtension",
        "io.hudizorder.ZOrderSparkSessionExtension",
    )
)
_Z: Final = "_z"
_Box = Mapping[str, tuple[int, int]]


def jobs(*, quick: bool) -> list[str]:
    """Returns data, columns and files."""
    if quick:
        return ["uniform_30k/2/16"]
    return [
        *(f"uniform_300k/{k}/{n}" for k, n in ((2, 16), (2, 128), (3, 64), (4, 128))),
        "correlated_300k/2/64",
    ]


def run(results: Path, *, quick: bool) -> None:
    """Measures every job that has no result yet."""
    store = Store(results, "zcolumn-all")
    missing = [job for job in jobs(quick=quick) if job not in store.runs]
    if not missing:
        print("zcolumn: there is a result already")
        return
    spark = start_session(TREE, {"spark.sql.extensions": _EXTENSIONS}, "4g")
    try:
        for name in missing:
            store.add(name, _measure(spark, Job.parse(name)))
            print(f"zcolumn {name}: done")
    finally:
        spark.stop()


def _measure(spark: SparkSession, job: Job) -> dict[str, Any]:
    layouts = {
        "z-column": hz.ZOrderOptions(columns=job.columns, z_column=_Z),
        "tree": hz.ZOrderOptions(columns=job.columns),
        "linear": hz.ZOrderOptions(columns=job.columns, strategy="LINEAR", cuts="equal"),
    }
    data = named(job.data.name).read(list(job.columns))
    asked = predicates(data, job.columns)
    return {
        layout: _layout(spark, job, options, asked, data) for layout, options in layouts.items()
    }


def _layout(
    spark: SparkSession, job: Job, options: hz.ZOrderOptions, asked: Predicates, data: pa.Table
) -> dict[str, Any]:
    path = TABLES / "zcolumn_run" / "t"
    shutil.rmtree(path, ignore_errors=True)
    writer = hz.ZOrderOptions(columns=job.columns, z_column=_Z).writer()
    hudi = {
        **writer,
        "hoodie.table.name": "t",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.datasource.write.recordkey.field": ",".join(job.data.keys),
    }
    rows = spark.read.parquet(str(job.data.folder()))
    rows.write.format("hudi").options(**hudi).mode("overwrite").save(str(path))
    table = hz.ZOrderTable(spark, path)
    size = sum(table.column_stats(columns=[_Z])[f"{_Z}.bytes"].to_pylist())
    fields = {"target_file_size": size // job.files + 1}
    table.cluster(options=_with(options, fields))
    files = table.column_stats(columns=[_Z])["file"].to_pylist()
    parts = file_parts([str(path / file) for file in files], [*job.columns, _Z])
    bounds = {column: _ends(data[column]) for column in job.columns}
    return {
        "files": len(files),
        "shares": {
            kind: _shares(parts, boxes, bounds) for kind, boxes in _boxes(asked, job).items()
        },
    }


def _with(options: hz.ZOrderOptions, fields: Mapping[str, Any]) -> hz.ZOrderOptions:
    from dataclasses import replace

    return replace(options, **fields)


def _ends(values: pa.ChunkedArray) -> tuple[int, int]:
    return int(values.to_numpy().min()), int(values.to_numpy().max())


def _boxes(asked: Predicates, job: Job) -> dict[str, list[_Box]]:
    """Returns boxes by kind of predicate: of columns that are not named there is nothing."""
    first, last = job.columns[0], job.columns[-1]
    points = asked.points
    return {
        "equality on the first": [{first: pair} for pair in asked.ranges["equality"][first]],
        "equality on the last": [{last: pair} for pair in asked.ranges["equality"][last]],
        "1 % of the last": [{last: pair} for pair in asked.ranges["range_1"][last]],
        "equality on all": [
            {column: (points[column][i][0], points[column][i][0]) for column in job.columns}
            for i in range(VALUES)
        ],
        "10 % of each": [
            {column: points[column][i][1:] for column in job.columns} for i in range(VALUES)
        ],
    }


def _shares(
    parts: Parts, boxes: Sequence[_Box], bounds: Mapping[str, tuple[int, int]]
) -> dict[str, float]:
    own = [
        np.logical_and.reduce([parts.hit(column, *ends) for column, ends in box.items()])
        for box in boxes
    ]
    shares = {"own": _mean(parts, own)}
    for most in RANGES:
        asked = [_z_hits(parts, {**bounds, **box}, most) for box in boxes]
        shares[f"z {most}"] = _mean(parts, asked)
        both = [a & b for a, b in zip(asked, own, strict=True)]
        shares[f"both {most}"] = _mean(parts, both)
    return shares


def _z_hits(parts: Parts, box: _Box, most: int) -> np.ndarray:
    words = [(int(low) + 2**63, int(high) + 2**63) for low, high in box.values()]
    ranges = hz.z_ranges(words, most)
    hits = [parts.hit(_Z, first.hex().upper(), last.hex().upper()) for first, last in ranges]
    return np.logical_or.reduce(hits)


def _mean(parts: Parts, hits: Sequence[np.ndarray]) -> float:
    return float(np.mean([parts.share(hit) for hit in hits]))
