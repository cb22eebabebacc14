"""What a session knows: its catalog, its file systems, and how it executes a query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession

from hudi_zorder.errors import TableError
from hudi_zorder.spark._jvm.collections import mapped
from hudi_zorder.spark._jvm.exceptions import jvm_errors, translated
from hudi_zorder.spark._jvm.process import jvm_of


def table_location(spark: SparkSession, name: str) -> str:
    """Returns the base path of a table in the catalog.

    Raises:
        TableError: when the catalog has no such table.
    """
    jvm = jvm_of(spark)
    try:
        identifier = spark._jsparkSession.sessionState().sqlParser().parseTableIdentifier(name)
        table = spark._jsparkSession.sessionState().catalog().getTableMetadata(identifier)
        # A URI spells a space as %20, which Hadoop's paths do not.
        return str(jvm.org.apache.hadoop.fs.Path(table.location()).toString())
    except Exception as error:
        raise translated(error, f"find the table '{name}'", TableError) from error


def qualified(spark: SparkSession, path: str) -> str:
    """Returns a path with the scheme and host that the session's file systems give it."""
    place = jvm_of(spark).org.apache.hadoop.fs.Path(path)
    with jvm_errors(f"find the file system of '{path}'", TableError):
        return str(place.getFileSystem(_hadoop(spark)).makeQualified(place).toString())


def hadoop_settings(spark: SparkSession, *prefixes: str) -> dict[str, str]:
    """Returns the session's settings that start so, by their whole names.

    Of Hadoop, to which Spark adds those of SQL.
    """
    with jvm_errors(f"read the session's settings '{'*, '.join(prefixes)}*'", TableError):
        hadoop = _hadoop(spark)
        return {
            f"{prefix}{key}": str(value)
            for prefix in prefixes
            for key, value in mapped(hadoop.getPropsWithPrefix(prefix)).items()
        }


def is_deterministic(frame: DataFrame) -> bool:
    """Tells whether a data frame has the same rows whenever it is evaluated.

    Spark calls the current time deterministic, which it is within one query alone.
    """
    plan = frame._jdf.queryExecution().analyzed()
    jvm: Any = SparkContext._jvm
    current_time = jvm.org.apache.spark.sql.catalyst.trees.TreePattern.CURRENT_LIKE()
    return bool(plan.deterministic()) and not plan.containsPattern(current_time)


def _hadoop(spark: SparkSession) -> Any:
    session: Any = spark
    return session._jsparkSession.sessionState().newHadoopConf()


def scan_totals(frame: DataFrame, metrics: Sequence[str]) -> list[int]:
    """Returns metrics of Spark's, each summed over the file scans of an executed query."""
    plan = frame._jdf.queryExecution().executedPlan()
    scans = [scan for scan in _leaves(plan) if scan.metrics().contains("numFiles")]
    return [sum(scan.metrics().apply(name).value() for scan in scans) for name in metrics]


def _leaves(plan: Any) -> Iterator[Any]:
    """Yields the leaves of a physical plan, looking into the stages of adaptive execution."""
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        children = [plan.executedPlan()]
    elif name.endswith("QueryStageExec"):
        children = [plan.plan()]
    else:
        children = [plan.children().apply(i) for i in range(plan.children().size())]
    if not children:
        yield plan
    for child in children:
        yield from _leaves(child)
