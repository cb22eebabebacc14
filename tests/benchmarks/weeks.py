"""Experiment: weeks of loads of many kinds, with upkeep after each, and everything checked.

After every load: the table's rows beside a model in DuckDB, the share of rows that an equality
reads beside a grid of full files, the bytes rewritten, and a second run, which must change nothing.
"""

from __future__ import annotations

import math
import shutil
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from environment import CACHE
from harness import fresh_folder
from hudi import HudiTableBuilder
from pyspark.sql import SparkSession
from skipping import VALUES, Parts, file_parts
from systems import UPKEPT
from table_formats import System
from upkeep import FIRST_MEASURED
from week_loads import WEEKS, Maker, Weeks, Write

import hudi_zorder as hz

SYSTEM = UPKEPT[0]
_SETTINGS = {
    "hoodie.table.name": "weeks",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.bulkinsert.sort.mode": "NONE",
    "hoodie.upsert.shuffle.parallelism": "3",
    "hoodie.write.markers.type": "DIRECT",
    "hoodie.delete.shuffle.parallelism": "2",
    "hoodie.parquet.small.file.limit": "0",
    "hoodie.index.bloom.num_entries": "1000",
    "hoodie.parquet.compression.codec": "zstd",
    "hoodie.metadata.index.column.stats.enable": "true",
}
_OF_CLUSTERINGS = (
    "hoodie.index.bloom.num_entries",
    "hoodie.parquet.compression.codec",
    "hoodie.metadata.index.column.stats.enable",
)
_SCRATCH = CACHE / "weeks"


def jobs(*, quick: bool) -> list[str]:
    """Returns the names of the weeks to measure."""
    return ["late", "updates-mor"] if quick else list(WEEKS)


class Model:
    """The rows that there should be, kept by DuckDB."""

    def __init__(self) -> None:
        self._db = duckdb.connect()
        self._names: list[str] = []

    def write(self, write: Write) -> None:
        """Does what Hudi should do."""
        rows = write.rows
        self._db.register("load", rows)
        if not self._names:
            self._db.sql("CREATE TABLE rows AS SELECT * FROM load LIMIT 0")
            self._names = rows.column_names
        for name in rows.column_names:
            if name not in self._names:
                self._db.sql(f"ALTER TABLE rows ADD COLUMN {name} BIGINT")
                self._names.append(name)
        self._db.sql("DELETE FROM rows WHERE id IN (SELECT id FROM load)")
        if write.operation != "delete":
            self._db.sql("INSERT INTO rows BY NAME SELECT * FROM load")

    def rows(self) -> pa.Table:
        """Returns all."""
        return self._db.sql("SELECT * FROM rows").to_arrow_table()

    def differing(self, spark: SparkSession, table: Path) -> int:
        """Returns how many rows of the table are too many, or missing."""
        shutil.rmtree(_SCRATCH, ignore_errors=True)
        shown = spark.read.format("hudi").load(str(table)).select(*self._names)
        shown.write.parquet(str(_SCRATCH))
        self._db.sql(f"CREATE OR REPLACE VIEW shown AS FROM '{_SCRATCH}/*.parquet'")
        # Twice the same row is one too many.
        differing = self._db.sql(
            "SELECT count(*) FROM ((FROM rows EXCEPT ALL FROM shown)"
            " UNION ALL (FROM shown EXCEPT ALL FROM rows))"
        ).fetchone()
        return int(differing[0])


class Files:
    """The latest file slices, by hudi-rs."""

    def __init__(self, table: Path) -> None:
        self._table = HudiTableBuilder.from_base_uri(str(table)).build()
        self._slices = self._table.get_file_slices()
        self._path = table

    def base(self) -> dict[str, int]:
        """Returns sizes of base files by their path."""
        paths = [str(self._path / s.base_file_relative_path()) for s in self._slices]
        return {path: Path(path).stat().st_size for path in paths}

    def parts(self, columns: tuple[str, ...]) -> Parts:
        """Returns the bounds of base files, widened by the rows that logs have changed."""
        parts = file_parts(list(self.base()), columns)
        for number, file_slice in enumerate(self._slices):
            if file_slice.has_log_files():
                reader = self._table.create_file_group_reader_with_options()
                merged = pa.table(reader.read_file_slice(file_slice))
                for column in columns:
                    lows, highs = parts.bounds[column]
                    values = merged[column].drop_null().to_pylist()
                    lows[number] = min([lows[number], *values])
                    highs[number] = max([highs[number], *values])
        return parts

    def optimum(self, target: float, columns: tuple[str, ...]) -> float:
        """Returns the share that an equality reads of grids of full files, one a partition."""
        sizes: dict[str, int] = {}
        for path, size in self.base().items():
            folder = str(Path(path).parent)
            sizes[folder] = sizes.get(folder, 0) + size
        grids = {folder: max(1.0, size / target) for folder, size in sizes.items()}
        read = sum(sizes[f] * grid ** (-1 / len(columns)) for f, grid in grids.items())
        return read / sum(sizes.values())


class Table:
    """The Hudi table that is kept up."""

    def __init__(self, spark: SparkSession, path: Path, weeks: Weeks) -> None:
        self.spark = spark
        self.path = path
        self.weeks = weeks
        self.target = 0

    def files(self) -> Files:
        """Returns its files as they are now."""
        return Files(self.path)

    def write(self, write: Write) -> None:
        """Writes as a user of Hudi does."""
        load = CACHE / "load.parquet"
        pq.write_table(write.rows, load, compression="zstd")
        rows = self.spark.read.parquet(str(load))
        if write.operation == "bulk_insert":
            rows = rows.repartition(write.files)
        operation = {"hoodie.datasource.write.operation": write.operation}
        options = {**_SETTINGS, **operation, **self.weeks.options}
        rows.write.format("hudi").options(**options).mode("append").save(str(self.path))

    def cluster(self, **fields: Any) -> bool:
        """Keeps the table up; returns whether there was something to do."""
        limit = int(self.weeks.limit * self.weeks.files * self.target)
        bounded = {"max_bytes_per_plan": limit} if limit else {}
        return bool(
            hz.ZOrderTable(self.spark, self.path).cluster(
                list(self.weeks.columns),
                target_file_size=self.target,
                hudi_options={key: _SETTINGS[key] for key in _OF_CLUSTERINGS},
                **{**bounded, **fields},
            )
        )

    def changes_once_more(self) -> bool:
        """Runs upkeep again, and returns whether any file below the table's folder has changed."""
        before = self._everything()
        return self.cluster() or self._everything() != before

    def read(self, rows: pa.Table) -> float:
        """Returns what an equality reads, in times of what a grid of full files would."""
        columns, files = self.weeks.columns, self.files()
        parts = files.parts(columns)
        random = np.random.default_rng(7)
        shares = []
        for column in columns:
            values = rows[column].drop_null()
            for value in values.take(random.integers(0, len(values), VALUES)).to_pylist():
                shares.append(parts.share(parts.hit(column, value, value)))
        return float(np.mean(shares)) / files.optimum(self.target, columns)

    def _everything(self) -> dict[Path, tuple[int, int]]:
        found = ((file, file.stat()) for file in self.path.rglob("*") if file.is_file())
        return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in found}


def run(spark: SparkSession, system: System, name: str) -> dict[str, Any]:
    """Loads, keeps the table up, and checks after each load."""
    weeks = WEEKS[name]
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    model = Model()
    steps = []
    wrong = again = 0
    with fresh_folder(system) as path:
        table = Table(spark, path, weeks)
        for writes in weeks.loads(Maker(weeks.shape)):
            before = table.files().base() if steps else {}
            for write in writes:
                table.write(write)
                model.write(write)
            loaded = table.files().base()
            written = _new(loaded, before)
            if not steps:
                rows = sum(write.rows.num_rows for write in writes)
                table.target = math.ceil(written / rows * weeks.rows / weeks.files)
            started = time.monotonic()
            table.cluster()
            seconds = time.monotonic() - started
            files = table.files().base()
            wrong += model.differing(spark, path)
            if not weeks.limit:
                again += table.changes_once_more()
            read = table.read(model.rows())
            steps.append([written, _new(files, loaded), len(files), read, seconds])
        total = sum(files.values())
        table.cluster(mode="full", max_bytes_per_plan=None)
        anew = table.read(model.rows())
        wrong += model.differing(spark, path)
    ratios = [step[3] for step in steps[FIRST_MEASURED - 1 :]]
    return {
        "by_writes": sum(step[0] for step in steps) / total,
        "rewritten": sum(step[1] for step in steps) / total,
        "mean": float(np.mean(ratios)),
        "worst": max(ratios),
        "anew": anew,
        "files": steps[-1][2],
        "idle": sum(not step[1] for step in steps),
        "wrong": wrong,
        "again": again,
        "seconds": sum(step[4] for step in steps),
        "steps": steps,
    }


def _new(after: dict[str, int], before: dict[str, int]) -> int:
    return sum(size for path, size in after.items() if path not in before)
