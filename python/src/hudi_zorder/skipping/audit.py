"""Proves by full scans that skipping does not change the answer to a predicate.

Two proofs, independent of each other. Everything that ``explain`` skips is read from the Parquet
files by Spark's plain reader and tested by Spark itself. And the table is read through Hudi twice:
with data skipping, and with nothing pushed down at all, so that no partition, file, row group or
page can be skipped. All of it are Spark jobs, which return counts per file, never rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from sqlglot import exp

from hudi_zorder.errors import HudiZOrderError, PredicateError, TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import METADATA
from hudi_zorder.predicate.parser import condition, parse
from hudi_zorder.skipping.audit_report import Audit, DifferentFile, WronglySkipped
from hudi_zorder.skipping.known_faults import Place, explained
from hudi_zorder.skipping.parquet_scan import PlainScan
from hudi_zorder.skipping.passed_over import passed_over
from hudi_zorder.skipping.skipping_report import PARTITION, SkippingReport
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.session_state import is_deterministic
from hudi_zorder.spark.scan_metrics import scan_metrics
from hudi_zorder.sql_names import quoted

if TYPE_CHECKING:
    from pyspark.sql import Column

_PARTITION: Final = "_hoodie_partition_path"
_FILE: Final = "_hoodie_file_name"
_SKIPPING: Final = "hoodie.enable.data.skipping"
_SNAPSHOT: Final = {"hoodie.datasource.query.type": "snapshot"}


def audit(
    spark: SparkSession,
    snapshot: TableSnapshot,
    report: SkippingReport,
    settings: Mapping[str, str] | None = None,
) -> Audit:
    """Audits what a predicate skips, in a report and in Hudi; reads the whole table twice.

    Args:
        spark: the session, whose settings (ANSI, time zone, case) the predicate is read by.
        snapshot: the table, as the report saw it.
        report: what ``explain`` skips.
        settings: further Hudi configuration, by which queries read the table.

    Raises:
        PredicateError: for a predicate whose truth is not that of a row alone: one with a
            subquery or a random function, or one that fails on some row.
        TableError: when the table was written to meanwhile, or cannot be read.
    """
    _refuse_subqueries(report.predicate)
    read = partial(_hudi, spark, snapshot.url, settings or {})
    with jvm_errors(f"audit the predicate '{report.predicate}'", PredicateError):
        frame = read(skipping=False)
        if not is_deterministic(frame.where(report.predicate)):
            raise PredicateError(
                f"Cannot audit a predicate: 'predicate' was '{report.predicate}', which is not "
                "the same for every scan; leave out functions such as rand() and now()"
            )
        everything = _matching(frame, report.predicate)
        truth, files = _answer(everything)
        scan = PlainScan(spark, snapshot, report, frame.schema)
        wrong = [*scan.wrongly_skipped(), *_whole_files(report, truth)]
    answer, opened, error = _through_hudi(read(skipping=True).where(report.predicate))
    _refuse_changes(snapshot)
    different = {} if error else _differences(answer, truth)
    issues, faults = explained(snapshot, report.predicate, list(different))
    return Audit(
        matching_rows=sum(part.rows for part in truth.values()),
        tested_rows=scan.tested_rows,
        untested_rows=scan.untested_rows,
        wrongly_skipped=tuple(dict.fromkeys(wrong)),
        rows_with_skipping=sum(part.rows for part in answer.values()),
        files_with_skipping=opened,
        files=files,
        same_contents=not different and not error,
        different_files=tuple(
            DifferentFile(place[1], place[0], with_rows, rows, issues.get(place, ""))
            for place, (with_rows, rows) in different.items()
        ),
        faults=(*faults, *passed_over(snapshot, [parse(report.predicate)])),
        notes=scan.notes,
        error=error,
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Matching rows of one file: how many, and a hash of their values in any order."""

    rows: int
    contents: int


_NOTHING: Final = _Part(0, 0)


def _hudi(
    spark: SparkSession, path: str, settings: Mapping[str, str], *, skipping: bool
) -> DataFrame:
    reader = spark.read.format("hudi").options(**{**settings, **_SNAPSHOT})
    return reader.options(**{_SKIPPING: skipping, METADATA: skipping}).load(path)


def _through_hudi(frame: DataFrame) -> tuple[dict[Place, _Part], int, str]:
    """Returns what a query with data skipping finds and opens, and why it fails if it does."""
    try:
        with jvm_errors("query the table", HudiZOrderError):
            return *_answer(_counted(frame, F.lit(True))), ""
    except HudiZOrderError as fault:
        return {}, 0, str(fault)


def _matching(frame: DataFrame, predicate: str) -> DataFrame:
    """Returns the matching rows by file, from a scan that the predicate is not pushed into."""
    return _counted(frame, F.coalesce(F.expr(predicate).cast("boolean"), F.lit(False)))


def _counted(frame: DataFrame, matches: Column) -> DataFrame:
    hashes = F.xxhash64(*(_hashable(frame, name) for name in frame.columns))
    names = [
        F.coalesce(F.col(name), F.lit("")).alias(name)
        if name in frame.columns
        else F.lit("").alias(name)
        for name in (_PARTITION, _FILE)
    ]
    marked = frame.select(
        *names,
        matches.cast("long").alias("matches"),
        F.when(matches, hashes).cast("decimal(38,0)").alias("contents"),
    )
    return marked.groupBy(_PARTITION, _FILE).agg(
        F.sum("matches").alias("rows"), F.sum("contents").alias("contents")
    )


def _hashable(frame: DataFrame, name: str) -> Column:
    """Returns a column as one that has a hash, null unlike any value."""
    column = F.col(quoted(name))
    if "map<" in frame.schema[name].dataType.simpleString():
        column = F.to_json(F.struct(column))
    return F.struct(column.isNull(), column)


def _answer(counted: DataFrame) -> tuple[dict[Place, _Part], int]:
    """Returns the matching rows of each file that has some, and the number of files opened."""
    rows = counted.collect()
    parts = {(row[0], row[1]): _Part(row[2], int(row[3])) for row in rows if row[2]}
    return parts, scan_metrics(counted).files


def _differences(
    answer: Mapping[Place, _Part], truth: Mapping[Place, _Part]
) -> dict[Place, tuple[int, int]]:
    """Returns rows with and without skipping of each file in which the answers differ."""
    return {
        place: (answer.get(place, _NOTHING).rows, truth.get(place, _NOTHING).rows)
        for place in sorted({*answer, *truth})
        if answer.get(place, _NOTHING) != truth.get(place, _NOTHING)
    }


def _whole_files(report: SkippingReport, truth: Mapping[Place, _Part]) -> Iterator[WronglySkipped]:
    """Yields what is skipped as a whole of which Hudi's reader returns matching rows.

    Rows from log files need not name a file of their slice: these are told by their partition.
    """
    skipped = {file.partition for file in report.files if file.skipped_by == PARTITION}
    files = {(file.partition, file.file): file for file in report.files}
    for (partition, name), part in truth.items():
        file = files.get((partition, name))
        if file is None and partition in skipped:
            yield WronglySkipped(name, partition, PARTITION, None, 0, part.rows, part.rows)
        elif file is not None and file.skipped_by:
            yield WronglySkipped(name, partition, file.skipped_by, None, 0, file.rows, part.rows)


def _refuse_subqueries(predicate: str) -> None:
    parsed = condition(predicate)
    if parsed is not None and parsed.find(exp.Query) is not None:
        raise PredicateError(
            f"Cannot audit a predicate: 'predicate' was '{predicate}', which has a subquery; "
            "audit it with the subquery's values in its place"
        )


def _refuse_changes(snapshot: TableSnapshot) -> None:
    now = snapshot.now().timeline.completed
    if now != snapshot.timeline.completed:
        raise TableError(
            f"Cannot audit a predicate: '{snapshot.url}' was written to meanwhile, by "
            f"{now[-1].action} {now[-1].time}; audit it again"
        )
