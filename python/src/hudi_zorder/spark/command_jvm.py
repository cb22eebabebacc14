"""The JVM of one command, which works for half a minute and ends.

Of its processor time a third would go into loading some 24,000 classes, and into a garbage
collector that works beside the two or four threads that write. What a user has chosen is kept.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

from hudi_zorder.spark.class_archive import class_archive
from hudi_zorder.spark.settings import (
    CLASS_PATH,
    JARS,
    JAVA_OPTIONS,
    PACKAGES,
    Settings,
    add_java_options,
    defaults_file,
    spark_home,
)

_MORE_JAVA_OPTIONS: Final = "spark.driver.defaultJavaOptions"
_OF_ALL_JVMS: Final = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")

_COLLECTOR: Final = "-XX:+UseParallelGC"


def for_one_command(
    builder: SparkSession.Builder, *, keep_classes: bool = False
) -> SparkSession.Builder:
    """Has a configured builder start a JVM that is soon at work; returns the builder.

    A JVM that already runs is left alone, and so is what ``PYSPARK_SUBMIT_ARGS`` or another master
    than a local one says.

    Args:
        builder: as ``configure_spark`` returns it.
        keep_classes: whether this command is one from whose classes an archive is to be made, when
            it has ended, if there is none yet.
    """
    user = Settings(builder)
    if user.jvm_runs or "PYSPARK_SUBMIT_ARGS" in os.environ or not _is_local(user):
        return builder
    _put_on_class_path(builder, user)
    given = [user.get(JAVA_OPTIONS), user.get(_MORE_JAVA_OPTIONS), *map(os.getenv, _OF_ALL_JVMS)]
    said = " ".join(filter(None, given))
    ours = []
    if "GC" not in said:  # of two collectors, Java chooses none and ends
        ours.append(_COLLECTOR)
    if not re.search("share|archive", said, re.IGNORECASE):
        jars = user.entries(CLASS_PATH)
        ours += class_archive(spark_home(), jars, create=keep_classes)
    add_java_options(builder, user, JAVA_OPTIONS, ours)
    return builder


def _is_local(user: Settings) -> bool:
    master = user.get("spark.master") or os.environ.get("MASTER") or "local"
    return re.fullmatch(r"local(\[.*\])?", master) is not None


def _put_on_class_path(builder: SparkSession.Builder, user: Settings) -> None:
    """Takes jars from the list that Spark serves to executors, of which there are none.

    Spark copies each of that list, and loads its classes in a way that no archive can help. Those
    on the class path do not see what is not on it: all are, or none.
    """
    jars = user.entries(JARS)
    elsewhere = user.entries(PACKAGES) or defaults_file().get(JARS)
    if elsewhere or not all(Path(jar).is_file() for jar in jars):
        return
    entries = dict.fromkeys([*user.entries(CLASS_PATH), *jars])
    builder.config(CLASS_PATH, os.pathsep.join(entries))
    builder._options.pop(JARS, None)
