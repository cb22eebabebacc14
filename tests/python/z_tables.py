"""Tables with a z-column, and what tests want to know: whether it is true, and whether asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import CLOCK_SKEW, METADATA_TABLE, SMALL_BLOOM_FILTERS, as_keywords, write
from hudi_tables import read, session_settings

OPTIONS = hz.ZOrderOptions(columns=["a", "b"], z_column="_z", stats_columns=[])
ENABLED = "spark.hudizorder.zcolumn.enabled"


def create(frame: DataFrame, path: Path | str, **others: str) -> str:
    """Writes a new table with the z-column of OPTIONS."""
    return write(frame, path, **as_keywords(OPTIONS.writer()), **others)


def upsert(frame: DataFrame, path: Path | str, **others: str) -> str:
    """Upserts rows, with no word of a z-column."""
    return write(frame, path, datasource__write__operation="upsert", **others)


def write_past_the_rules(
    frame: DataFrame, path: str, settings: Mapping[str, str] | None = None
) -> None:
    """Appends rows as a session without the extension does: by Hudi's source itself."""
    jvm: Any = frame.sparkSession._jvm
    options = {
        "path": path,
        "hoodie.table.name": Path(path).name,
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.operation": "insert",
        METADATA_TABLE: frame.sparkSession.conf.get(METADATA_TABLE, "true"),
        **dict([CLOCK_SKEW, SMALL_BLOOM_FILTERS]),
        **(settings or {}),
    }
    jvm.org.apache.hudi.DefaultSource().createRelation(
        frame.sparkSession._jsparkSession.sqlContext(),
        jvm.org.apache.spark.sql.SaveMode.Append,
        jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(options),
        frame._jdf,
    )


def untrue(spark: SparkSession, path: str, columns: str = "a, b") -> int:
    """Returns how many rows have another z-value than that of their columns."""
    with session_settings(spark, {ENABLED: "false"}):
        return read(spark, path).where(f"_z IS NULL OR _z <> hex(zorder_value({columns}))").count()


def asks(frame: DataFrame) -> bool:
    """Tells whether a query asks the z-column."""
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    return "SnapshotFileIndex" in frame._jdf.queryExecution().executedPlan().toString() and (
        "_z#" in plan.toString().split("Relation")[0]
    )


def ids(frame: DataFrame) -> list[int]:
    """Returns the keys of rows."""
    return sorted(row.id for row in frame.select("id").collect())


def same(spark: SparkSession, path: str, predicate: str) -> bool:
    """Returns whether the z-column is asked; fails when the result is another for it."""
    with session_settings(spark, {ENABLED: "false"}):
        expected = ids(read(spark, path).where(predicate))
    asked = read(spark, path).where(predicate)
    assert ids(asked) == expected, predicate
    return asks(asked)
