"""Experiment: pages that the page index filters; what Impala measured for its Z-order.

The pages of all files together are one list. A predicate on one column keeps the pages of that
column whose bounds meet it; ``select *`` then reads, in every other column, the pages that hold
rows of the pages kept. Meta columns that Hudi adds are not counted, as Impala has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow.fs
import pyarrow.parquet as pq
from harness import Job, cluster, fresh_table
from pyspark.sql import SparkSession
from skipping import Predicates, predicates
from systems import EQUAL_Z, LINEAR, TREE, TREE_HILBERT, TREE_PAGES, TREE_ZORDER
from table_formats import System

from hudi_zorder.parquet.file_schema import META_COLUMNS, FileSchema
from hudi_zorder.parquet.page_index import FileDetails

SYSTEMS = (TREE, TREE_HILBERT, TREE_ZORDER, *TREE_PAGES, EQUAL_Z, LINEAR)

IMPALA_PAGES, IMPALA_FILTERED = 3035, 2776
NAMED_VALUES = {"ss_customer_sk": 49969, "ss_cdemo_sk": 961370}
_BAD_CASES = ("small_range", "sparse", "correlated", "few_distinct")


def jobs(system: System, *, quick: bool) -> list[str]:
    """Returns Impala's own table in 1, 10 and 22 files, uniform data, and the bad cases."""
    if quick:
        return ["flights/2/1", "flights/2/8"]
    impala = [f"store_sales_sf1/2/{files}" for files in (1, 10, 22)]
    if system in TREE_PAGES:
        return impala
    return [
        *impala,
        "uniform_2000k/2/1",
        "uniform_2000k/4/1",
        "uniform_2000k/4/22",
        *(f"{kind}_1000k/2/1" for kind in _BAD_CASES),
    ]


def run(spark: SparkSession, system: System, job: Job) -> dict[str, Any]:
    """Clusters once, and measures from page indexes."""
    with fresh_table(system, job.data) as table:
        done = cluster(spark, system, table, job.columns, job.files)
        groups = [group for path in done.files for group in read_pages(path, job.columns)]
    result: dict[str, Any] = {
        "seconds": done.seconds,
        "bytes": done.bytes,
        "files": len(done.files),
        "all_pages": sum(len(starts) for group in groups for starts in group.starts.values()),
    }
    asked = _asked(job.data.name, job.columns)
    for column in job.columns:
        pages = sum(len(group.bounds[column]) for group in groups)
        grid = pages ** (-1 / len(job.columns))
        equality = [value for value, _ in asked.ranges["equality"][column]]
        share = float(np.mean([_kept(groups, column, value) for value in equality])) / pages
        result[column] = {"pages": pages, "share": share, "ratio": share / grid}
        if column in NAMED_VALUES:
            value = NAMED_VALUES[column]
            result[column]["named"] = {
                "value": value,
                "filtered": pages - _kept(groups, column, value),
                "filtered_of_all": result["all_pages"] - _kept_of_all(groups, column, value),
            }
    ratios = [result[column]["ratio"] for column in job.columns]
    return {**result, "ratio": float(np.mean(ratios))}


@dataclass(frozen=True)
class GroupPages:
    """The pages of a row group.

    Attributes:
        rows: rows in it.
        starts: first row of every page, by column.
        bounds: least and greatest value of every page, by sort column; None when all are null.
    """

    rows: int
    starts: dict[str, np.ndarray]
    bounds: dict[str, list[tuple[Any, Any] | None]]


def read_pages(path: str, columns: Sequence[str]) -> list[GroupPages]:
    """Reads the page indexes of a file."""
    metadata = pq.read_metadata(path)
    schema = FileSchema.of(metadata)
    groups = []
    with FileDetails(pyarrow.fs.LocalFileSystem(), path, schema) as details:
        for number in range(metadata.num_row_groups):
            starts = {}
            for name, leaf in schema.leaves.items():
                if name not in META_COLUMNS:
                    sizes = details.page_sizes(number, leaf)
                    if sizes is None:
                        raise ValueError(f"Cannot measure '{path}': no page index of '{name}'")
                    starts[name] = np.array([first for first, _ in sizes])
            bounds: dict[str, list[tuple[Any, Any] | None]] = {}
            for column in columns:
                pages = details.pages(number, schema.column(column))
                if pages is None:
                    raise ValueError(f"Cannot measure '{path}': no page index of '{column}'")
                bounds[column] = [
                    None if page.bounds.all_null else (page.bounds.low, page.bounds.high)
                    for page in pages
                ]
            groups.append(GroupPages(metadata.row_group(number).num_rows, starts, bounds))
    return groups


def _hits(group: GroupPages, column: str, value: Any) -> list[int]:
    key = value.encode() if isinstance(value, str) else value
    return [
        number
        for number, bounds in enumerate(group.bounds[column])
        if bounds is not None and bounds[0] <= key <= bounds[1]
    ]


def _kept(groups: Sequence[GroupPages], column: str, value: Any) -> int:
    return sum(len(_hits(group, column, value)) for group in groups)


def _kept_of_all(groups: Sequence[GroupPages], column: str, value: Any) -> int:
    kept = 0
    for group in groups:
        ends = {name: np.append(starts[1:], group.rows) for name, starts in group.starts.items()}
        hits = _hits(group, column, value)
        lows, highs = group.starts[column][hits], ends[column][hits]
        for name, starts in group.starts.items():
            meets = (starts[:, None] < highs) & (ends[name][:, None] > lows)
            kept += int(meets.any(axis=1).sum())
    return kept


@cache
def _asked(data: str, columns: tuple[str, ...]) -> Predicates:
    from data_sets import named

    return predicates(named(data).read(list(columns)), columns)
