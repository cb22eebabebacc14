"""Tables that people have: how one is written and goes on, and whether all that Hudi keeps agrees.

A case is written once, and its folder copied. One of the two is clustered, both live on, and at
every step they must hold the same rows.
"""

from __future__ import annotations

import shutil
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
from hudi import HudiTableBuilder
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_tables import session_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats.stats_table import columns_of, fields_of

ROWS = 1200
COLUMNS = {
    "a": "hash(id)",
    "b": "hash(id, 2) % 1000000 + 0L",
    "ts": "id % 3",
    "text": "md5(cast(id as string))",
}
MERGE_ON_READ = {"datasource__write__table__type": "MERGE_ON_READ"}
# What costs seconds and says nothing here.
QUICK = {
    "clean__automatic": "false",
    "bulkinsert__shuffle__parallelism": "2",
    "metadata__global__record__level__index__min__filegroup__count": "1",
}
# Hudi creates no index without a lock.
LOCK = {
    "hoodie.write.lock.provider": "org.apache.hudi.client.transaction.lock.InProcessLockProvider"
}
COMPACTION = {"compact__inline": "true", "compact__inline__max__delta__commits": "1"}
CHANGES_WITH_A_WRITE = ("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name")


@dataclass(frozen=True)
class Case:
    """A table, what it is clustered by, and what is asked of it.

    Attributes:
        name: what makes it such a table.
        options: of its writer, in the spelling of ``conftest.write``.
        columns: in SQL over ``id``, besides or instead of ``COLUMNS``.
        by: the sort columns as a user types them.
        part: the column that the table is partitioned by, in SQL over ``id``.
        partition: the writer's partition fields; empty when there is none.
        overwrite: the rows that an insert overwrite replaces a partition by; empty for none.
        before: statements after the first write, to which the table is ``people``.
        changed: the columns that an upsert changes.
        where: a query that skips files.
        files: at least as many has the table when it is clustered.
        elsewhere: whether hudi-rs can read it.
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    by: Sequence[str] = ("a", "b")
    part: str = "concat('p', id % 2)"
    partition: str = "part"
    overwrite: str = "part = 'p1' AND id < 100"
    before: Sequence[str] = ()
    changed: Mapping[str, str] = field(default_factory=lambda: {"b": "-id"})
    where: str = "a > 0 AND b < 500000"
    files: int = 4
    elsewhere: bool = True

    @property
    def merges_on_read(self) -> bool:
        """Whether the table has log files."""
        return MERGE_ON_READ.items() <= self.options.items()

    def rows(self, spark: SparkSession, count: int = ROWS, *, changed: bool = False) -> DataFrame:
        """The rows that are written first, or changed and some more."""
        columns = {**COLUMNS, **self.columns, **(self.changed if changed else {})}
        return spark.range(0, count, 1, 2).selectExpr(
            "id", *(f"{sql} AS `{name}`" for name, sql in columns.items()), f"{self.part} AS part"
        )


class Table:
    """A table of a case."""

    def __init__(self, spark: SparkSession, case: Case, path: Path) -> None:
        self.spark = spark
        self.case = case
        self.path = str(path)

    def make(self) -> None:
        """Writes the rows; where the table has logs, changes and deletes into them."""
        self._write(self.case.rows(self.spark), "bulk_insert")
        if self.case.before:
            with session_settings(self.spark, LOCK):
                self.spark.sql(f"CREATE TABLE people USING hudi LOCATION '{self.path}'")
                for statement in self.case.before:
                    self.spark.sql(statement)
                self.spark.sql("DROP TABLE people")
        if self.case.merges_on_read:
            changed = self.case.rows(self.spark, changed=True)
            self._write(changed.where("id % 10 = 3"), "upsert")
            self._write(changed.where("id % 100 = 7"), "delete")

    def live_on(self) -> None:
        """An upsert, a delete, and a compaction where there is something to compact."""
        changed = self.case.rows(self.spark, ROWS + 50, changed=True)
        self._write(changed.where(f"id % 5 = 1 OR id >= {ROWS}"), "upsert")
        compaction = COMPACTION if self.case.merges_on_read else {}
        self._write(changed.where("id % 7 = 2"), "delete", **compaction)

    def overwrite(self) -> None:
        """An insert overwrite of one partition."""
        if not self.case.overwrite:
            return
        rows = self.case.rows(self.spark, changed=True).where(self.case.overwrite)
        self._write(rows, "insert_overwrite")

    def _write(self, rows: DataFrame, operation: str, **options: str) -> None:
        chosen = {**QUICK, **self.case.options, **options}
        if self.case.partition:
            chosen["datasource__write__partitionpath__field"] = self.case.partition
        write(rows, self.path, datasource__write__operation=operation, **chosen)

    def read(self, **options: str) -> DataFrame:
        """The table's rows; dots in keys are written as ``__``."""
        keys = {f"hoodie.{key.replace('__', '.')}": value for key, value in options.items()}
        return self.spark.read.format("hudi").options(**keys).load(self.path)

    def entries(self) -> DataFrame:
        """The records of the metadata table."""
        return self.spark.read.format("hudi").load(f"{self.path}/.hoodie/metadata")

    def rows(self, without: Sequence[str] = ("_hoodie_file_name",)) -> Counter[str]:
        """All rows, how often each occurs, without some columns."""
        rows = self.read()
        names = sorted(name for name in rows.columns if name not in without)
        return Counter(map(str, rows.select(*(f"`{name}`" for name in names)).collect()))

    def own_rows(self) -> Counter[str]:
        """All rows, without what every write makes anew."""
        return self.rows(CHANGES_WITH_A_WRITE)

    def rows_of_another_reader(self) -> Counter[str]:
        """All rows as hudi-rs reads them; nothing where it reads no such table."""
        rows: Counter[str] = Counter()
        if not self.case.elsewhere:
            return rows
        for batch in HudiTableBuilder.from_base_uri(self.path).build().read():
            names = [n for n in batch.column_names if n not in CHANGES_WITH_A_WRITE]
            rows.update(map(str, batch.select(sorted(names)).to_pylist()))
        return rows


def twins(spark: SparkSession, case: Case, folder: Path) -> tuple[Table, Table]:
    """The same table twice."""
    one, other = (Table(spark, case, folder / name / "t") for name in ("plain", "clustered"))
    one.make()
    shutil.copytree(one.path, other.path)
    return one, other


def both(one: Table, other: Table, step: str) -> None:
    """Has both do the same, at the same time."""
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(getattr(table, step)) for table in (one, other)]:
            done.result()


def check_metadata(table: Table) -> None:
    """Holds every index of the metadata table against the data."""
    partitions = metadata_partitions(table.path)
    case = table.case
    found = [
        table.read(metadata__enable=on, enable__data__skipping=on).where(case.where).count()
        for on in ("true", "false")
    ]
    assert found[0] == found[1] > 0
    if "column_stats" in partitions:
        stats = hz.ZOrderTable(table.spark, table.path).column_stats
        index, truth = (stats(source=source) for source in ("index", "footers"))
        for name in columns_of(truth):
            # A writer that does not list them leaves nested columns out.
            listed = pc.is_valid(index[f"{name}.bytes"])
            columns = ["partition", "file", "rows", *fields_of(name)]
            assert index.select(columns).filter(listed).equals(truth.select(columns).filter(listed))
    if "record_index" in partitions:
        check_record_index(table)
    if "bloom_filters" in partitions:
        check_bloom_filters(table)
    for name in partitions:
        if name.startswith("secondary_index_"):
            check_secondary_index(table)


def metadata_partitions(path: str) -> set[str]:
    """The indexes that the table says it has."""
    return set(table_properties(path)["hoodie.table.metadata.partitions"].split(","))


def table_properties(path: str) -> dict[str, str]:
    """The table's configuration."""
    lines = Path(path, ".hoodie", "hoodie.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def file_columns(table: Table) -> set[tuple[str, ...]]:
    """The columns of the latest base files, as the files have them."""
    snapshot = TableSnapshot.open(table.path)
    files = [Path(table.path, part.base.path) for part in snapshot.slices if part.base]
    return {tuple(pq.read_schema(file).names) for file in files}


def check_record_index(table: Table) -> None:
    """Every key resolves to the file group that has it, and no other key does."""
    rows = table.read().select("_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name")
    truth = Counter((key, part, name.split("_")[0]) for key, part, name in rows.collect())
    info = table.entries().where("type = 5").select("key", "recordIndexMetadata.*").collect()
    assert Counter((row.key, row.partitionName, _file_id(row)) for row in info) == truth


def _file_id(row: Any) -> str:
    if row.fileIdEncoding == 1:
        return str(row.fileId)
    bits = ((row.fileIdHighBits % 2**64) << 64) | row.fileIdLowBits % 2**64
    return f"{uuid.UUID(int=bits)}-{row.fileIndex}"


def check_bloom_filters(table: Table) -> None:
    """Every base file has its own footer's filter in the index."""
    jvm: Any = table.spark._jvm
    ids, payload = jvm.org.apache.hudi.common.util.hash, jvm.org.apache.hudi.metadata
    info = table.entries().where("type = 4").select("key", "BloomFilterMetadata.*")
    filters = {row.key: bytes(row.bloomFilter) for row in info.collect() if not row.isDeleted}
    files = table.read().select("_hoodie_partition_path", "_hoodie_file_name").distinct().collect()
    for partition, name in files:
        key = payload.HoodieMetadataPayload.getBloomFilterIndexKey(
            ids.PartitionIndexID(partition), ids.FileIndexID(name)
        )
        footer = pq.read_metadata(Path(table.path, partition, name)).metadata
        assert filters[key] == footer[b"org.apache.hudi.bloomfilter"]


def check_secondary_index(table: Table) -> None:
    """Every value leads to the keys of its rows, and to no other."""
    live = table.entries().where("type = 7 AND NOT SecondaryIndexMetadata.isDeleted").select("key")
    rows = table.read().select(F.concat_ws("$", "b", "_hoodie_record_key"))
    assert Counter(row[0] for row in live.collect()) == Counter(row[0] for row in rows.collect())
