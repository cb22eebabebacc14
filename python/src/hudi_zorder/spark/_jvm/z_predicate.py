"""What a predicate means for a table's z-column."""

from __future__ import annotations

from pyspark.sql import DataFrame

from hudi_zorder.errors import PredicateError
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.process import hudi_jvm_of


def z_filtered(frame: DataFrame, predicate: str, most: int) -> DataFrame:
    """Returns the rows of which a predicate is true, asked by the table's z-column too."""
    with jvm_errors(f"ask for '{predicate}'", PredicateError):
        columns = hudi_jvm_of(frame.sparkSession).io.hudizorder.zcolumn.ZColumns
        return DataFrame(columns.where(frame._jdf, predicate, most), frame.sparkSession)


def z_predicate(frame: DataFrame, predicate: str, most: int) -> str | None:
    """Returns what a predicate means for the z-column, as text; None when that is nothing."""
    with jvm_errors(f"ask for '{predicate}'", PredicateError):
        columns = hudi_jvm_of(frame.sparkSession).io.hudizorder.zcolumn.ZColumns
        found = columns.predicate(frame._jdf, predicate, most)
    return str(found.get()) if found.isPresent() else None
