"""Tables of which some slices have log files, and the rows that they should have.

What is expected is said by rows that were never in a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from conftest import write
from hudi_tables import fingerprint

BY_PART = {
    "datasource__write__table__type": "MERGE_ON_READ",
    "datasource__write__partitionpath__field": "p",
    "table__ordering__fields": "ts",
    # Files as the partitions of the frame.
    "bulkinsert__sort__mode": "NONE",
    # By default the fifth write to logs compacts them.
    "compact__inline": "false",
}
UPSERT = {"datasource__write__operation": "upsert"}
DELETE = {"datasource__write__operation": "delete"}
# Inserts go to logs. What it knows it knows for all tables of a process, by their keys.
TO_LOGS = {"index__type": "INMEMORY"}
NO_INDEX = {"hoodie.metadata.enable": "false"}

COLUMNS = {
    "a": "hash(id, {v}) % 100",
    "text": "if((id + {v}) % 9 = 0, null, md5(string(id + {v})))",
    "amount": "cast((id + {v}) / 7 as decimal(30,5))",
    "price": "cast(id + {v} as decimal(9,2))",
    "day": "date_sub(date'2026-01-01', int(id + {v}))",
    "at": "timestamp_micros(id * 86400003 - 5 + {v})",
    "local": "cast(timestamp_micros(id * 3600007 + {v}) as timestamp_ntz)",
    "nested": "named_struct('x', array(id, {v}), 'y', named_struct('z', if(id % 3 = 0, null, at)))",
    "entries": "map('k', id + {v})",
}


def frame(
    spark: SparkSession, ids: range, part: str, version: int = 0, ts: int = 10, files: int = 1
) -> DataFrame:
    columns = [f"{sql.format(v=version)} AS {name}" for name, sql in COLUMNS.items()]
    rows = spark.range(ids.start, ids.stop, ids.step, files)
    return rows.selectExpr("id", *columns, f"{ts} AS ts", f"'{part}' AS p")


def together(frames: Iterable[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, frames)


def rows_of(rows: DataFrame) -> Counter[str]:
    """All rows, how often each occurs, without what Hudi adds to them."""
    names = sorted(name for name in rows.columns if not name.startswith("_hoodie_"))
    return Counter(map(str, rows.select(names).collect()))


def newest_files(path: str) -> dict[str, pa.Table]:
    """The file of the last write in each partition that it wrote to, by pyarrow."""
    files = list(Path(path).glob("*/*.parquet"))
    last = max(file.stem.split("_")[2] for file in files)
    newest = [file for file in files if file.stem.endswith(last)]
    found = {file.parent.name: pq.read_table(file, partitioning=None) for file in newest}
    assert len(found) == len(newest)
    return found


def data_files(path: str) -> set[Path]:
    return set(Path(path).glob("*/*.parquet"))


def logs(path: str) -> list[Path]:
    return [log for log in Path(path).glob("*/.*.log.*") if log.suffix != ".crc"]


def clustered(path: str, spark: SparkSession, **settings: str) -> hz.ClusteringResult:
    """Clusters in the one job of small groups, and proves that it was that job."""
    before = fingerprint(spark, path)
    chosen = {**NO_INDEX, **{key.replace("__", "."): value for key, value in settings.items()}}
    table = hz.ZOrderTable(spark, path)
    done = table.cluster(["a", "id"], strategy="linear", verify="content", hudi_options=chosen)
    assert "small groups" in done.phases
    assert "sort and write" not in done.phases, "a job of a group's own"
    assert table.pending() == []
    assert fingerprint(spark, path) == before
    return done


def write_every_kind(spark: SparkSession, path: Path, **options: str) -> None:
    """Writes partitions each of which has other kinds of slices."""
    chosen = {**BY_PART, **options}
    whole = [
        frame(spark, range(400), "several", files=4),
        frame(spark, range(1000, 1100), "gone"),
        frame(spark, range(2000, 2200), "alone", files=2),
        frame(spark, range(3000, 3100), "both"),
    ]
    write(not_deleted(whole), path, **chosen)
    inserted = [
        frame(spark, range(100_000, 100_200), "logs"),
        frame(spark, range(110_000, 110_100), "both"),
    ]
    write(not_deleted(inserted), path, **chosen, **UPSERT, **TO_LOGS)
    changed = [
        frame(spark, range(0, 40), "several", 1, ts=20),
        frame(spark, range(60, 150), "several", 1, ts=20),
        frame(spark, range(250, 300), "several", 2, ts=5),
        frame(spark, range(3000, 3020), "both", 3, ts=11),
    ]
    deleted = [
        frame(spark, range(40, 60), "several", ts=30),
        frame(spark, range(1000, 1100), "gone", ts=30),
    ]
    write(with_deletes(changed, deleted), path, **chosen, **UPSERT)
    changed = [
        frame(spark, range(100_000, 100_050), "logs", 4, ts=11),
        frame(spark, range(100_050, 100_100), "logs", 5, ts=5),
    ]
    deleted = [frame(spark, range(100_150, 100_160), "logs", ts=30)]
    write(with_deletes(changed, deleted), path, **chosen, **UPSERT, **TO_LOGS)


def with_deletes(changed: list[DataFrame], deleted: list[DataFrame]) -> DataFrame:
    """Rows of which Hudi's writer makes blocks of data and blocks of deletes."""
    gone = together(deleted).withColumn("_hoodie_is_deleted", F.lit(True))
    return not_deleted(changed).unionByName(gone)


def not_deleted(frames: Iterable[DataFrame]) -> DataFrame:
    return together(frames).withColumn("_hoodie_is_deleted", F.lit(False))


def every_kind(spark: SparkSession, *, latest_wins: bool) -> DataFrame:
    """The rows of such a table."""
    late = {"several": (2, 5), "logs": (5, 5)} if latest_wins else {"several": (0, 10)}

    def rows(start: int, stop: int, part: str, version: int = 0, ts: int = 10) -> DataFrame:
        return frame(spark, range(start, stop), part, version, ts)

    return together(
        [
            rows(0, 40, "several", 1, 20),
            rows(60, 150, "several", 1, 20),
            rows(150, 250, "several"),
            rows(250, 300, "several", *late["several"]),
            rows(300, 400, "several"),
            rows(2000, 2200, "alone"),
            rows(3000, 3020, "both", 3, 11),
            rows(3020, 3100, "both"),
            rows(110_000, 110_100, "both"),
            rows(100_000, 100_050, "logs", 4, 11),
            rows(100_050, 100_100, "logs", *late.get("logs", (0, 10))),
            rows(100_100, 100_150, "logs"),
            rows(100_160, 100_200, "logs"),
        ]
    )


PARQUET_LOGS = {"logfile__data__block__format": "parquet"}
LATEST_WINS = {"write__record__merge__mode": "COMMIT_TIME_ORDERING"}
POSITIONS = {"write__record__positions": "true"}
BEFORE_9 = {"write__table__version": "8", "write__auto__upgrade": "false"}
BEFORE_8 = {"write__table__version": "6", "write__auto__upgrade": "false"}
