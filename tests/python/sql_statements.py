"""What somebody says in SQL to change a table beside a clustering, in a session of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from hudi_zorder.options import LOCKING

# By default an update is lost in logs that a clustering has replaced: HUDI_FAULTS.md.
OPTIMIZED_WRITES = "hoodie.spark.sql.optimized.writes.enable"


def update(change: str, where: str) -> str:
    """A statement that changes rows."""
    return f"UPDATE {{table}} SET {change} WHERE {where}"


def delete(where: str) -> str:
    """A statement that deletes rows."""
    return f"DELETE FROM {{table}} WHERE {where}"


def merge(rows: str) -> str:
    """A statement that changes the rows that a query has the ids of, and adds the others."""
    return (
        f"MERGE INTO {{table}} old USING ({rows}) new ON old.id = new.id"
        " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def insert_overwrite(partition: str, rows: str) -> str:
    """A statement that has a query's rows be all of a partition."""
    return f"INSERT OVERWRITE {{table}} PARTITION ({partition}) {rows}"


def say(
    spark: SparkSession,
    path: str | Path,
    statement: str,
    settings: Mapping[str, str],
    *,
    merges_on_read: bool,
) -> None:
    """Says a statement about ``{table}``, in a session whose settings nobody else sees."""
    session, name = spark.newSession(), f"beside_{Path(path).name}"
    for key in LOCKING:  # which whoever clusters has
        session.conf.unset(f"spark.{key}")
    session.conf.set(OPTIMIZED_WRITES, str(not merges_on_read).lower())
    for key, value in settings.items():
        session.conf.set(key, value)
    session.sql(f"CREATE TABLE {name} USING hudi LOCATION '{path}'")
    try:
        session.sql(statement.format(table=name))
    finally:
        session.sql(f"DROP TABLE {name}")
