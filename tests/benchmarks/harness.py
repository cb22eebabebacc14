"""What experiments share: jobs, an unclustered table, one timed clustering."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import data_sets
from environment import TABLES
from pyspark.sql import SparkSession
from store import job_of
from table_formats import System

_LOADER = Path(__file__).with_name("load.py")


@dataclass(frozen=True)
class Job:
    """What to cluster: ``uniform_1000k/2/64`` as text, ``#3`` behind it to do so a third time.

    Rows come in one load, or in so many as a fourth number says: ``uniform_1000k/2/64/20``.
    """

    data: data_sets.DataSet
    columns: tuple[str, ...]
    files: int
    loads: int = 1

    @classmethod
    def parse(cls, text: str) -> Job:
        """Reads a job; its second part is a number of columns, or their names joined by ``+``."""
        name, columns, files, *loads = job_of(text).split("/")
        data = data_sets.named(name)
        chosen = data.columns[: int(columns)] if columns.isdigit() else tuple(columns.split("+"))
        return cls(data, chosen, int(files), *(int(number) for number in loads))


@contextmanager
def fresh_folder(system: System) -> Iterator[Path]:
    """Gives a place for a table of its own, and removes it afterwards."""
    table = TABLES / f"{system.family}_run" / f"t{os.getpid()}_{time.monotonic_ns()}"
    try:
        yield table
    finally:
        shutil.rmtree(table, ignore_errors=True)


@contextmanager
def fresh_table(system: System, data: data_sets.DataSet, partition: str = "") -> Iterator[Path]:
    """Gives an unclustered table of its own, and removes it afterwards."""
    with fresh_folder(system) as table:
        if system.movable:
            loaded = TABLES / system.family / "_".join([data.name.replace(".", "_"), partition])
            if not loaded.exists():
                unfinished = loaded.with_name(loaded.name + ".unfinished")
                shutil.rmtree(unfinished, ignore_errors=True)
                _load(system, data, partition, unfinished)
                unfinished.rename(loaded)
            shutil.copytree(loaded, table)
        else:
            _load(system, data, partition, table)
        yield table


def _load(system: System, data: data_sets.DataSet, partition: str, table: Path) -> None:
    """Has another process load the data: one that has done so clusters seconds sooner."""
    arguments = [system.name, data.name, str(table), partition]
    subprocess.run([sys.executable, str(_LOADER), *arguments], check=True)


@dataclass(frozen=True)
class Clustering:
    """A clustering that was done.

    Attributes:
        files: the table's files after it.
        bytes: of all files.
        seconds: its duration.
        phases: seconds by phase, where the system tells.
    """

    files: list[str]
    bytes: int
    seconds: float
    phases: Mapping[str, float]


def cluster(
    spark: SparkSession, system: System, table: Path, columns: tuple[str, ...], files: int
) -> Clustering:
    """Clusters a table into about so many files, each system by its own table's size."""
    size = size_of(system.files(spark, table))
    started = time.monotonic()
    phases = system.cluster(spark, table, columns, size // files + 1)
    seconds = time.monotonic() - started
    written = system.files(spark, table)
    return Clustering(written, size_of(written), seconds, dict(phases))


def size_of(paths: Iterable[str | Path]) -> int:
    """Returns the bytes of all files."""
    return sum(Path(path).stat().st_size for path in paths)
