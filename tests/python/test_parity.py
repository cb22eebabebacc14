"""The Python options and the Java options are the same ones."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_zorder import options
from hudi_zorder.spark._jvm import process
from hudi_zorder.spark._jvm.collections import listed, mapped


def test_what_is_not_given_is_the_same_in_java(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    given = jvm.java.util.Properties()
    given.setProperty(options.SORT_COLUMNS, "a")
    java = mapped(jvm.io.hudizorder.ZOrderOptions.of(given, {}).toPlanParameters())
    python = hz.ZOrderOptions(columns=["a"]).to_dict()
    # Python leaves out what has no default; queries are an argument of cluster().
    assert java.pop(options.COLUMN_WEIGHTS) == "a=1.0"
    assert java.pop(options.Z_COLUMN) == ""
    assert java.pop(options.QUERIES) == "none"
    # What "auto" comes to, with this strategy.
    assert java.pop(options.FILE_ORDER) == "tiles"
    assert {key: python.get(key) for key in java} == java
    # ZOrderOptionsTest has it in Java.
    assert python[options.TARGET_FILE_SIZE] == "134217728"


def test_own_keys_are_the_same_in_the_same_order_with_the_same_defaults(
    spark: SparkSession,
) -> None:
    jvm: Any = spark._jvm
    keys = listed(jvm.io.hudizorder.option.OwnOptions.ALL)
    java = {key.key(): key.defaultValue() for key in keys}
    assert tuple(java) == options.OWN_KEYS
    python = hz.ZOrderOptions(columns=["a"]).to_dict()
    assert {key: python.get(key, "") for key in java} == java


def test_the_classes_that_the_options_name_are_in_the_jar(spark: SparkSession) -> None:
    assert process.missing_classes() == []
