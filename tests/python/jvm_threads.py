"""The threads of a session's JVM, by their names and by what they call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession

from hudi_zorder.spark._jvm.collections import listed


def threads(spark: SparkSession, name: str = "") -> Iterator[tuple[Any, set[str]]]:
    """Yields the threads whose names begin so, with the methods they are in, as ``Class.method``.

    Names of Scala's lambdas are those of the methods that they are written in.
    """
    jvm: Any = spark._jvm
    for thread in listed(jvm.Thread.getAllStackTraces().keySet()):
        if thread.getName().startswith(name):
            frames = thread.getStackTrace()
            yield thread, {f"{_last(f.getClassName())}.{_method(f)}" for f in frames}


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _method(frame: Any) -> str:
    return str(frame.getMethodName()).split("$")[-1]
