"""The Python options and the Java options are the same ones."""

from __future__ import annotations

from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder import options
from hudi_zorder.spark._jvm import process


def test_every_java_option_has_its_python_twin_with_the_same_default(spark: SparkSession) -> None:
    java = process.described_options(spark)
    python = hz.ZOrderOptions(columns=["a"]).to_dict()
    # Those that have no default: columns must be given, weights are 1, there is no z-column, and
    # queries are an argument of cluster().
    assert java.pop(options.SORT_COLUMNS) == ""
    assert java.pop(options.COLUMN_WEIGHTS) == ""
    assert java.pop(options.Z_COLUMN) == ""
    assert java.pop(options.QUERIES) == ""
    assert {key: python.get(key) for key in java} == java


def test_own_keys_are_the_same_in_the_same_order(spark: SparkSession) -> None:
    java = [key for key in process.described_options(spark) if key.startswith(options.PREFIX)]
    assert tuple(java) == options.OWN_KEYS


def test_the_classes_that_the_options_name_are_in_the_jar(spark: SparkSession) -> None:
    assert process.missing_classes() == []
