"""Calls to storage below a folder: recorded, done again elsewhere, and had to fail.

The Python side of ``tests/java/io/hudizorder/crash``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from conftest import TEST_CLASSES

# By default Hudi tries for minutes.
FEW_ATTEMPTS_TO_LOCK = {"hoodie.write.lock.client.num_retries": "1"}
FILE_SYSTEM = "io.hudizorder.crash.CrashFileSystem"
WATCHED_LOCK = "io.hudizorder.crash.WatchedLock"
WATCHED_LOCK_IN_PROCESS = f"{WATCHED_LOCK}$InProcess"


@dataclass(frozen=True, slots=True)
class Call:
    """A call to storage: its name, what it does, and to which paths of the table."""

    name: str
    operation: str
    path: str
    to: str
    content: bytes = field(repr=False)

    @property
    def changes(self) -> bool:
        """Whether storage is not as before when it is done."""
        return self.operation != "list"

    def do_again(self, table: Path, share: float = 1.0) -> None:
        """Does it to another copy of the table; of what it writes, a share."""
        path = table / self.path
        if self.operation == "create":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
        elif self.operation == "write":
            with path.open("ab") as file:
                file.write(self.content[: int(len(self.content) * share)])
        elif self.operation == "rename":
            path.rename(table / self.to)
        elif self.operation == "delete":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        elif self.operation == "mkdirs":
            path.mkdir(parents=True, exist_ok=True)


@contextmanager
def faulty_storage(
    spark: SparkSession, settings: Mapping[str, str] = FEW_ATTEMPTS_TO_LOCK
) -> Iterator[None]:
    """While it lasts, local files are those of a file system that can be had to fail.

    Args:
        spark: a session.
        settings: of Hudi's, for whoever has no others.
    """
    jvm: Any = spark._jvm
    hadoop = spark._jsc.hadoopConfiguration()
    assert (TEST_CLASSES / FILE_SYSTEM.replace(".", "/")).with_suffix(".class").exists(), (
        "the file system of the tests is not compiled: mvn test-compile"
    )
    systems = jvm.org.apache.hadoop.fs.FileSystem
    usual = hadoop.get("fs.file.impl")
    hadoop.set("fs.file.impl", FILE_SYSTEM)
    hudis = jvm.org.apache.hudi.common.config.DFSPropertiesConfiguration
    for setting in settings.items():
        hudis.addToGlobalProps(*setting)
    systems.closeAll()
    # Hadoop keeps the first that anybody asks for, by whatever settings.
    assert systems.getLocal(hadoop).getClass().getName() == FILE_SYSTEM
    try:
        yield
    finally:
        hudis.clearGlobalProps()
        if usual is None:
            hadoop.unset("fs.file.impl")
        else:
            hadoop.set("fs.file.impl", usual)
        systems.closeAll()


def watched_locks(spark: SparkSession) -> None:
    """Has a session know the locks that tell of who takes and releases them."""
    jvm: Any = spark._jvm
    names = spark.sparkContext._gateway.new_array(jvm.String, 2)
    names[0], names[1] = WATCHED_LOCK, WATCHED_LOCK_IN_PROCESS
    jvm.io.hudizorder.crash.HudisLoader.define(names)


class StorageCalls:
    """What is called below one folder at a time, in a session with ``faulty_storage``."""

    def __init__(self, spark: SparkSession) -> None:
        self._calls: Any = spark._jvm.io.hudizorder.crash.StorageCalls

    def watch(self, folder: Path, call: str | None = None, fault: str | None = None) -> None:
        """Begins a journal; the call of a name has a fault of Java's ``StorageCalls.Fault``."""
        self._calls.watch(str(folder), call, fault)

    def stop_next(self, call: str | None) -> None:
        """Has another call stop, by its name among those from now on."""
        self._calls.stopNext(call)

    def stops(self) -> int:
        """How many calls have stopped."""
        return int(self._calls.stops())

    def refusals(self) -> int:
        """How often somebody has not got a ``WatchedLock`` that another had."""
        return int(self._calls.refusals())

    def resume(self, stop: int) -> None:
        """Goes on with the call that stopped as the first, or as the second."""
        self._calls.resume(stop)

    def end(self) -> bool:
        """Ends it; returns whether the call with the fault was made."""
        return bool(self._calls.end())

    def journal(self) -> list[Call]:
        """What was called between the two."""
        lines = str(self._calls.journal()).splitlines()
        return [
            Call(*line.split("\t"), content=bytes(self._calls.content(number)))
            for number, line in enumerate(lines)
        ]
