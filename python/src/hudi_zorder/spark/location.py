"""Where a table lies for a session: by its default file system, with its settings of Hadoop."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hudi_zorder.hudi.filesystem import (
    S3_SETTINGS,
    absolute,
    has_hadoop_settings,
    has_scheme,
)
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm.session_state import hadoop_settings, qualified

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def located(spark: SparkSession, path: str | os.PathLike[str]) -> str:
    """Returns a path as the session would load it: as a URL, unless it is a local file's."""
    text = os.fspath(path)
    if has_scheme(text):
        return text
    url = qualified(spark, os.path.expanduser(text))
    return absolute(text) if url.startswith("file:") else url


def open_snapshot(spark: SparkSession, path: str) -> TableSnapshot:
    """Opens a table with the session's settings of Hadoop's file systems.

    Where there are none for the path, this needs no JVM: of one that has died, the table tells what
    it has left.

    Raises:
        TableError: when there is no Hudi table, or one that these readers do not understand.
    """
    hadoop = hadoop_settings(spark, S3_SETTINGS) if has_hadoop_settings(path) else None
    return TableSnapshot.open(path, hadoop=hadoop)
