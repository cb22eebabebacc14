"""Tables of many files and a long archive, for the experiment ``reading``.

Spark writes the flights as a real Hudi table, archives some of its commits and clusters it. Its
files, each with the Bloom filter that Hudi puts into a footer however few its keys are, are then
linked under as many names as a table is to have; the clustering's plan and commit name them all,
and Hudi's own archived instants are repeated with other file ids, in files of the sizes that Hudi's
compaction of the archive leaves. The column-statistics index of such a table is Hudi's own: a write
makes it of all footers.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from environment import TABLES, benchmark_jar

COLUMNS = ("dep_time", "distance", "carrier")
_FAMILY = TABLES / "reading"
_BATCH = 10  # Hudi archives so many instants at a time, and compacts so many files of the archive
_ROW_GROUP = 120 << 20  # bytes, Hudi's own
_ROW_WRITER = "hoodie.parquet.spark.row.write.support.class"
_CLUSTERINGS = 50  # of so many archived instants, one
_WRITE = {
    "hoodie.table.name": "flights",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "month",
    "hoodie.datasource.write.hive_style_partitioning": "true",
    "hoodie.datasource.write.operation": "bulk_insert",
}


def many_files(files: int, archived: int) -> Path:
    """Returns a table of so many base files and archived instants, made now if it is not there."""
    table = _FAMILY / f"{files}_{archived}"
    if not table.exists():
        seed = _seed()
        unfinished = table.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(seed / ".hoodie", unfinished / ".hoodie")
        timeline = unfinished / ".hoodie/timeline"
        (commit,) = timeline.glob("*.replacecommit")
        names = _link(seed, unfinished, commit.name.partition("_")[0], files)
        _name_all(commit, _of_commit, names)
        (plan,) = timeline.glob("*.clustering.requested")
        _name_all(plan, _of_plan, names)
        _lengthen(timeline / "history", _Content.of(commit, plan, seed), archived)
        unfinished.rename(table)
    return table


def indexed_files(files: int, archived: int) -> Path:
    """Returns such a table, and one file more, with Hudi's column-statistics index."""
    table = _FAMILY / f"{files}_{archived}_indexed"
    if not table.exists():
        plain = many_files(files, archived)
        unfinished = table.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unlike = shutil.ignore_patterns("*.crc")  # of files that were rewritten since
        shutil.copytree(plain / ".hoodie", unfinished / ".hoodie", ignore=unlike)
        for folder in plain.glob("month=*"):
            shutil.copytree(folder, unfinished / folder.name, copy_function=os.link)
            # Without it Hudi takes a folder for no partition.
            known = Path(folder.name, ".hoodie_partition_metadata")
            shutil.copy(_seed() / known, unfinished / known)
        subprocess.run([sys.executable, __file__, str(unfinished)], check=True)
        unfinished.rename(table)
    return table


def _seed() -> Path:
    """Returns the table that Spark writes, by a process of its own."""
    seed = _FAMILY / "seed"
    if not seed.exists():
        subprocess.run([sys.executable, __file__], check=True)
    return seed


def write_seed() -> None:
    """Writes the flights by month, in as many commits as make Hudi archive some, and clusters."""
    import hudi_zorder as hz

    unfinished = _FAMILY / "seed.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    spark, rows = _flights()
    options = {
        **_WRITE,
        "hoodie.metadata.enable": "false",
        "hoodie.keep.min.commits": "2",
        "hoodie.keep.max.commits": "3",
        "hoodie.clean.commits.retained": "1",
    }
    for number in range(6):
        part = rows.where(f"id % 6 = {number}").coalesce(1)
        part.write.format("hudi").options(**options).mode("append").save(str(unfinished))
    table = hz.ZOrderTable(spark, unfinished)
    hudi = {"hoodie.metadata.enable": "false", _ROW_WRITER: "io.hudizorder.bench.HudiRowWriter"}
    print(table.cluster(columns=COLUMNS, target_file_size="64KB", hudi_options=hudi))
    spark.stop()
    unfinished.rename(_FAMILY / "seed")


def write_index(table: Path) -> None:
    """Writes one row more, by which Hudi makes its index of all files."""
    from pyspark.sql import functions as F

    spark, rows = _flights()
    options = {
        **_WRITE,
        "hoodie.metadata.index.column.stats.enable": "true",
        "hoodie.metadata.index.column.stats.parallelism": "200",
        "hoodie.clean.automatic": "false",
        "hoodie.archive.automatic": "false",
    }
    row = rows.where("month = 1").limit(1).withColumn("id", F.lit(-1).cast("bigint"))
    row.write.format("hudi").options(**options).mode("append").save(str(table))
    spark.stop()


def _flights() -> tuple[Any, Any]:
    """Returns a session, and the flights in it."""
    from data_sets import flights
    from pyspark.sql import SparkSession

    import hudi_zorder as hz

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = session.config("spark.jars", str(benchmark_jar()))
    session = session.config("spark.driver.memory", "4g")
    spark = hz.configure_spark(session).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark, spark.read.parquet(str(flights().folder()))


Named = Mapping[str, Sequence[str]]  # base files by partition


def _link(seed: Path, table: Path, instant: str, files: int) -> Named:
    """Links the seed's clustered files under so many names; returns them by partition."""
    sources = {
        folder.name: sorted(folder.glob(f"*_{instant}.parquet")) for folder in seed.glob("month=*")
    }
    names: dict[str, list[str]] = {name: [] for name in sorted(sources)}
    for name in names:
        (table / name).mkdir()
    for number in range(files):
        partition = sorted(sources)[number % len(sources)]
        found = sources[partition]
        name = f"{uuid.UUID(int=number, version=4)}-0_{number}-0-0_{instant}.parquet"
        os.link(found[number // len(sources) % len(found)], table / partition / name)
        names[partition].append(name)
    return names


def _name_all(file: Path, renamed: Any, names: Named) -> None:
    """Rewrites an Avro file of the timeline so that it is about the files of these names."""
    with file.open("rb") as content:
        reader = fastavro.reader(content)
        record, schema = next(reader), reader.writer_schema
    renamed(record, names)
    with file.open("wb") as content:
        fastavro.writer(content, schema, [record])


def _of_commit(commit: dict[str, Any], names: Named) -> None:
    replaced = commit["partitionToReplaceFileIds"]
    for partition, files in names.items():
        seeds = commit["partitionToWriteStats"][partition]
        stats = commit["partitionToWriteStats"][partition] = [
            copy.deepcopy(seeds[number % len(seeds)]) for number in range(len(files))
        ]
        for stat, name in zip(stats, files, strict=True):
            stat["fileId"] = name.partition("_")[0]
            stat["path"] = f"{partition}/{name}"
        replaced[partition] = [f"{_old(name)}-0" for name in files]


def _of_plan(request: dict[str, Any], names: Named) -> None:
    for group in request["clusteringPlan"]["inputGroups"]:
        seeds = group["slices"]
        partition = seeds[0]["partitionPath"]
        group["slices"] = [
            {**seeds[number % len(seeds)], "fileId": f"{_old(name)}-0"}
            for number, name in enumerate(names[partition])
        ]


def _old(name: str) -> uuid.UUID:
    """Returns the id of the file that one took the place of."""
    return uuid.uuid5(uuid.NAMESPACE_URL, name)


class _Content:
    """Metadata and plan of an instant of each action, as Hudi wrote them, with their file ids."""

    def __init__(self, schema: pa.Schema, rows: Mapping[str, dict[str, Any]]) -> None:
        self.schema = schema
        self._rows = rows
        self._random = random.Random(0)

    @classmethod
    def of(cls, commit: Path, plan: Path, seed: Path) -> _Content:
        """Takes archived commits from Hudi's archive, and the clustering from the timeline."""
        history = seed / ".hoodie/timeline/history"
        tables = [pq.ParquetFile(file).read() for file in sorted(history.glob("*.parquet"))]
        rows = {row["action"]: row for row in pa.concat_tables(tables).to_pylist()}
        own = seed / ".hoodie/timeline"
        content = {"metadata": own / commit.name, "plan": own / plan.name}
        clustering = {key: file.read_bytes() for key, file in content.items()}
        rows["replacecommit"] = {**rows["commit"], "action": "replacecommit", **clustering}
        return cls(tables[0].schema, rows)

    def row(self, number: int) -> dict[str, Any]:
        """Returns the archived instant of a number, each with file ids of its own."""
        row = dict(self._rows["commit" if number % _CLUSTERINGS else "replacecommit"])
        row["instantTime"] = row["completionTime"] = str(20200101000000000 + number)
        for column in ("metadata", "plan"):
            if row[column]:
                row[column] = self._other_ids(row[column])
        return row

    def _other_ids(self, content: bytes) -> bytes:
        """Returns bytes in which what looks like the ids of files is as long, and other."""
        parts = content.split(b"-0_")
        for number, part in enumerate(parts[:-1]):
            if len(part) >= 36:
                made = uuid.UUID(int=self._random.getrandbits(128), version=4)
                parts[number] = part[:-36] + str(made).encode()
        return b"-0_".join(parts)


def _lengthen(history: Path, content: _Content, archived: int) -> None:
    """Replaces the archive by one of so many instants."""
    shutil.rmtree(history)
    history.mkdir()
    entries = []
    for level, first, count in _archive_files(archived):
        rows = [content.row(number) for number in range(first, first + count)]
        ends = rows[0]["instantTime"], rows[-1]["instantTime"]
        name = f"{ends[0]}_{ends[1]}_{level}.parquet"
        size = sum(len(row["metadata"] or b"") + len(row["plan"] or b"") for row in rows)
        per_group = max(1, count * _ROW_GROUP // max(size, 1))
        pq.write_table(
            pa.Table.from_pylist(rows, content.schema),
            history / name,
            row_group_size=per_group,
            compression="gzip",
        )
        entries.append({"fileName": name, "fileLen": (history / name).stat().st_size})
    (history / "manifest_1").write_text(json.dumps({"files": entries}))
    (history / "_version_").write_text("1")


def _archive_files(archived: int) -> Iterator[tuple[int, int, int]]:
    """Yields level, first instant and number of instants of files as compactions leave them."""
    first, size, level = 0, _BATCH, 0
    while size * _BATCH <= archived:
        size *= _BATCH
        level += 1
    while first < archived:
        while size > archived - first and level:
            size //= _BATCH
            level -= 1
        count = min(size, archived - first)
        yield level, first, count
        first += count


if __name__ == "__main__":
    if sys.argv[1:]:
        write_index(Path(sys.argv[1]))
    else:
        write_seed()
