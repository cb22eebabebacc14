"""The data files of a table by its metadata table, held against those that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession


def check_listing(
    spark: SparkSession, path: Path, may_lack: Callable[[str], bool] = lambda file: False
) -> None:
    """Fails unless the metadata table lists every file, and no other.

    Args:
        spark: a session.
        path: of a table whose partitions are folders of one level.
        may_lack: whether a file need not be listed, by its partition and name.
    """
    listed, there = _listed(spark, path), _data(path)
    known = {file: size for file, size in there.items() if file in listed or not may_lack(file)}
    assert listed == known, f"the metadata table lists other files: {apart(listed, known)}"


def _listed(spark: SparkSession, path: Path) -> dict[str, int]:
    """The data files by the metadata table, and their sizes."""
    jvm: Any = spark._jvm
    jsc = jvm.org.apache.spark.api.java.JavaSparkContext(spark._jsparkSession.sparkContext())
    engine = jvm.org.apache.hudi.client.common.HoodieSparkEngineContext(jsc)
    location = jvm.org.apache.hudi.storage.StoragePath(str(path))
    storage = jvm.org.apache.hudi.storage.hadoop.HoodieHadoopStorage(
        location, engine.getStorageConf()
    )
    config = jvm.org.apache.hudi.common.config.HoodieMetadataConfig.newBuilder().build()
    metadata = jvm.org.apache.hudi.metadata.HoodieBackedTableMetadata(
        engine, storage, config, str(path)
    )
    try:
        partitions = [f"{path}/{name}" for name in metadata.getAllPartitionPaths()]
        found = metadata.getAllFilesInPartitions(partitions)
        return {
            f"{Path(partition).name}/{file.getPath().getName()}": file.getLength()
            for partition, files in found.items()
            for file in files
        }
    finally:
        metadata.close()


def _data(table: Path) -> dict[str, int]:
    """The base and log files of a table that lie in its partitions, with their sizes."""
    files = [file for file in table.glob("[!.]*/*") if is_data(file.name)]
    return {str(file.relative_to(table)): file.stat().st_size for file in files}


def is_data(name: str) -> bool:
    """Whether a file of a partition has rows: Hudi's own checksums and marks have none."""
    return not name.startswith(".hoodie_partition") and not name.endswith(".crc")


def apart(left: Mapping[Any, Any], right: Mapping[Any, Any]) -> str:
    """What each of two has that the other has not."""
    return " and ".join(
        str({key: a[key] for key in a if key not in b or a[key] != b[key]})
        for a, b in [(left, right), (right, left)]
    )
