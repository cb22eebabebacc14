"""Where a table lies for a session: by its default file system, with its settings of Hadoop."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.filesystem import (
    S3_SETTINGS,
    absolute,
    folder_named,
    has_hadoop_settings,
    has_scheme,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parallel import READERS
from hudi_zorder.spark._jvm.process import jvm_of
from hudi_zorder.spark._jvm.session_state import hadoop_settings, qualified
from hudi_zorder.spark.settings import CLASS_PATH, SPARK_ENV, Settings, defaults_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Spark's names of the default file system, and the variables and files by which another may be
# named: a script may set any of the variables.
_DEFAULTS: Final = ("spark.hadoop.fs.defaultFS", "spark.hadoop.fs.default.name")
_ELSEWHERE: Final = (
    "HADOOP_CONF_DIR",
    "YARN_CONF_DIR",
    "SPARK_DIST_CLASSPATH",
    "PYSPARK_SUBMIT_ARGS",
)
_FILES: Final = ("core-site.xml", SPARK_ENV)


def located(spark: SparkSession, path: str | os.PathLike[str]) -> str:
    """Returns a path as the session would load it: as a URL, unless it is a local file's.

    Raises:
        SessionError: when the session's JVM is in another process.
        TableError: for what cannot name a folder.
    """
    jvm_of(spark)
    text = folder_named(path)
    if has_scheme(text):
        return text
    url = qualified(spark, os.path.expanduser(text))
    return absolute(text) if url.startswith("file:") else url


def is_local(path: str, user: Settings) -> bool:
    """Tells whether a path is one of local files for certain, before a session can be asked.

    Args:
        path: the table's.
        user: what is set for the session.
    """
    if has_scheme(path):
        return path.startswith("file:")
    if user.jvm_runs or any(map(os.getenv, _ELSEWHERE)) or user.get(CLASS_PATH):
        return False
    if any((defaults_folder() / name).exists() for name in _FILES):
        return False
    return not any(map(user.get, _DEFAULTS))


def open_snapshot(spark: SparkSession, path: str, readers: int = READERS) -> TableSnapshot:
    """Opens a table with the session's settings of Hadoop's file systems.

    Where there are none for the path, this needs no JVM: of one that has died, the table tells what
    it has left.

    Raises:
        OptionError: for fewer readers than one.
        TableError: when there is no Hudi table, or one that these readers do not understand.
    """
    hadoop = hadoop_settings(spark, S3_SETTINGS) if has_hadoop_settings(path) else None
    return TableSnapshot.open(path, hadoop=hadoop, readers=readers)
