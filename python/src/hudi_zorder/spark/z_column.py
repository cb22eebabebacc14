"""A stored z-column: one column that holds the z-value of others, and what to ask of it.

The session's extension keeps it true in every write of a data frame and of SQL, and asks it by
itself; what is here does either by hand. It is ``hex(zorder_value(a, b, ...))``, a text.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from hudi_zorder.errors import OptionError
from hudi_zorder.option_checks import is_whole
from hudi_zorder.options import ZOrderOptions
from hudi_zorder.spark._jvm.process import hudi_jvm_of
from hudi_zorder.spark._jvm.z_predicate import z_filtered
from hudi_zorder.spark._jvm.z_predicate import z_predicate as _z_predicate
from hudi_zorder.spark.functions import zorder_value

DEFAULT_RANGES = 16


def with_z_column(frame: DataFrame, options: ZOrderOptions) -> DataFrame:
    """Returns the rows with their z-values in ``options.z_column``, whatever was in it.

    A write to a table that has the column needs this no more than it is in the way: the extension
    computes it again.

    Raises:
        OptionError: when the options have no ``z_column``.
        SessionError: when no Spark session runs.
    """
    if options.z_column is None:
        raise OptionError("Cannot add a z-column: 'z_column' was not given; name it, such as '_z'")
    return frame.withColumn(options.z_column, F.hex(zorder_value(*options.columns)))


def where_z(frame: DataFrame, predicate: str, max_ranges: int) -> DataFrame:
    """Returns the rows of a table's data frame that satisfy a predicate, asked by z-ranges."""
    return z_filtered(frame, predicate, _checked(max_ranges))


def z_predicate(spark: SparkSession, path: str, predicate: str, max_ranges: int) -> str | None:
    """Returns what a predicate means for the z-column of the table at a path, as text."""
    most = _checked(max_ranges)
    hudi_jvm_of(spark)  # or Spark knows of no format "hudi"
    frame = spark.read.format("hudi").load(path)
    return _z_predicate(frame, predicate, most)


def _checked(max_ranges: int) -> int:
    if not is_whole(max_ranges) or not 1 <= max_ranges <= 999:
        raise OptionError(
            f"Cannot ask a z-column: 'max_ranges' was '{max_ranges}'; "
            "write a whole number from 1 to 999"
        )
    return int(max_ranges)
