"""Experiment: row groups that statistics and dictionaries filter, after Impala 2.9's article.

First a table clustered by date, asked for one date: row groups in total, filtered by minimum and
maximum, filtered by their dictionaries. Then months as partitions, alone and clustered within, by a
related column (the day and hour of Christmas Eve) and by an unrelated one (a customer's year).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.fs
import pyarrow.parquet as pq
from harness import Job, cluster, fresh_table
from pyspark.sql import SparkSession
from systems import TREE
from table_formats import System

from hudi_zorder.parquet.file_schema import FileSchema
from hudi_zorder.parquet.page_index import FileDetails

SYSTEMS = (TREE,)

DATE = 2452590
_PARTITION = "d_month"
# By sort columns: inclusive ranges of what the article's two questions ask.
_QUESTIONS: Mapping[tuple[str, ...], Mapping[str, tuple[int, int]]] = {
    ("ss_sold_date_sk",): {"ss_sold_date_sk": (DATE, DATE)},
    ("d_dom", "t_hour"): {"d_month": (200212, 200212), "d_dom": (24, 24), "t_hour": (1, 12)},
    ("ss_customer_sk", "d_dom"): {
        "d_month": (200201, 200212),
        "ss_customer_sk": (4997, 4997),
    },
}


def jobs(*, quick: bool) -> list[str]:
    """Returns the table by date, and the months; files are those of a month there."""
    scale = "0.1" if quick else "1"
    return [
        f"store_sales_sf{scale}/ss_sold_date_sk/{16 if quick else 64}",
        f"store_sales_months_sf{scale}/d_dom+t_hour/4",
        f"store_sales_months_sf{scale}/ss_customer_sk+d_dom/4",
    ]


def run(spark: SparkSession, system: System, job: Job) -> dict[str, Any]:
    """Asks the question of the job's columns of the table as loaded, and as clustered."""
    question = _QUESTIONS[job.columns]
    partition = _PARTITION if _PARTITION in question else ""
    result: dict[str, Any] = {"question": {c: list(r) for c, r in question.items()}}
    if partition:
        with fresh_table(system, job.data) as table:
            result["alone"] = count(system.files(spark, table), question)
    with fresh_table(system, job.data, partition) as table:
        files = system.files(spark, table)
        result["loaded"] = count(files, question)
        # Months are of about one size, so that a month's share of the table is that of its files.
        wanted = job.files * len({Path(path).parent for path in files})
        done = cluster(spark, system, table, job.columns, wanted)
        result["clustered"] = count(done.files, question)
    return {**result, "seconds": done.seconds}


def count(paths: Sequence[str], question: Mapping[str, tuple[int, int]]) -> dict[str, int]:
    """Counts row groups in all, by what filters them, and the rows in those that are left.

    A dictionary filters a row group when it holds every value of a column, and none that is asked.
    """
    totals = dict.fromkeys(
        ("row_groups", "by_partition", "by_statistics", "by_dictionary", "rows", "rows_left"), 0
    )
    for path in paths:
        metadata = pq.read_metadata(path)
        with FileDetails(pyarrow.fs.LocalFileSystem(), path, FileSchema.of(metadata)) as details:
            for number in range(metadata.num_row_groups):
                rows = metadata.row_group(number).num_rows
                totals["row_groups"] += 1
                totals["rows"] += rows
                reason = _filtered(path, metadata, number, details, question)
                if reason:
                    totals[reason] += 1
                else:
                    totals["rows_left"] += rows
    return totals


def _filtered(
    path: str,
    metadata: pq.FileMetaData,
    number: int,
    details: FileDetails,
    question: Mapping[str, tuple[int, int]],
) -> str | None:
    schema = FileSchema.of(metadata)
    group = metadata.row_group(number)
    folder = Path(path).parent.name
    if folder.startswith(f"{_PARTITION}="):
        low, high = question[_PARTITION]
        if not low <= int(folder.partition("=")[2]) <= high:
            return "by_partition"
    for column, (low, high) in question.items():
        statistics = group.column(schema.column(column).index).statistics
        if statistics.null_count == group.num_rows:
            return "by_statistics"
        if statistics.has_min_max and (statistics.min > high or statistics.max < low):
            return "by_statistics"
    for column, (low, high) in question.items():
        values = details.dictionary(number, schema.column(column))
        if values is not None and not any(low <= int(value) <= high for value in values):
            return "by_dictionary"
    return None
