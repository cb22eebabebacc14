"""Every query answers the same, skipping or not, whoever asks: drawn tables, drawn predicates.

A table of a few commits is written and clustered by Hudi. What matches a predicate is told by
DuckDB, of the rows as they were before anything was written; then by Spark through Hudi, with data
skipping and without; by DuckDB, which skips by footers, of the files themselves; and, of half the
tables, of the rows as hudi-rs reads them, another implementation of Hudi's tables. Where Spark
loses rows to skipping, the audit has to name the known fault of Hudi's that does it.
"""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hudi import HudiTableBuilder
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import write
from hudi_zorder.errors import HudiZOrderError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from people_tables import MERGE_ON_READ, QUICK
from test_skipping_sound import PREDICATES, files, matching_rows, translated

# A predicate on bytes ends in a ClassCastException in Hudi's skipping; HUDI_FAULTS.md.
ASKED = PREDICATES.filter(lambda predicate: "x" not in predicate.replace("X'", "x'"))
SORTABLE = ("i", "l", "d", "m", "s", "y", "t")
PREDICATES_A_TABLE = 6
LEAST_ROWS = 30


def numbered(tables: Sequence[pa.Table]) -> list[pa.Table]:
    """The same rows with keys, which tell their table and their place in it."""
    return [
        rows.append_column("id", pa.array([n * 1_000 + row for row in range(len(rows))]))
        for n, rows in enumerate(tables)
    ]


def written(spark: SparkSession, folder: Path, tables: Sequence[pa.Table], *, logs: bool) -> str:
    """A Hudi table with a commit for each table; of a merge-on-read one the last is in logs."""
    path = ""
    for number, rows in enumerate(tables):
        source = folder / f"{number}.parquet"
        pq.write_table(rows, source)
        frame = spark.read.parquet(str(source))
        first = {"datasource__write__operation": "bulk_insert"}
        kind = MERGE_ON_READ if logs else {}
        path = write(frame, folder / "t", **QUICK, **kind, **first)
        if logs:  # a second version of the same rows
            upsert = {"datasource__write__operation": "upsert"}
            write(frame.where("id % 2 = 0"), folder / "t", **QUICK, **kind, **upsert)
    return path


def by_spark(spark: SparkSession, path: str, predicate: str, *, skipping: bool) -> list[int]:
    options = {"hoodie.enable.data.skipping": skipping, "hoodie.metadata.enable": skipping}
    frame = spark.read.format("hudi").options(**options).load(path)
    return sorted(row.id for row in frame.where(predicate).select("id").collect())


def by_files(path: str, predicate: str) -> list[int]:
    """Of a table without logs: DuckDB reads the latest base files, and skips by their footers."""
    latest = [str(Path(path, part.path)) for part in TableSnapshot.open(path).slices]
    with duckdb.connect() as connection:
        return matching(connection, connection.read_parquet(latest), predicate)


def by_hudi_rs(path: str, predicate: str) -> list[int]:
    rows = pa.Table.from_batches(HudiTableBuilder.from_base_uri(path).build().read())
    with duckdb.connect() as connection:
        return matching(connection, connection.from_arrow(rows), predicate)


def matching(
    connection: duckdb.DuckDBPyConnection, rows: duckdb.DuckDBPyRelation, predicate: str
) -> list[int]:
    connection.execute("SET TimeZone = 'UTC'")
    return sorted(row[0] for row in rows.filter(translated(predicate)).project("id").fetchall())


def check(
    spark: SparkSession, tables: Sequence[pa.Table], predicates: Sequence[str], seed: int
) -> None:
    draw = random.Random(seed)
    logs = draw.random() < 0.5
    columns = draw.sample(SORTABLE, draw.randint(1, 3))
    by_rust = draw.random() < 0.5
    if by_rust:  # hudi-rs 0.5 ends at a timestamp without a time zone
        tables = [rows.drop_columns(["u"]) for rows in tables]
        predicates = [predicate for predicate in predicates if not re.search(r"\bu\b", predicate)]
    expected = [
        sorted(n * 1_000 + row for n, row in matches)
        for matches in matching_rows(list(tables), list(predicates))
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = written(spark, Path(folder), numbered(tables), logs=logs)
        table = hz.ZOrderTable(spark, path)
        assert table.cluster(
            columns,
            target_file_size=f"{draw.choice([4, 8, 16])}KB",
            strategy=draw.choice(["ZORDER", "HILBERT", "LINEAR"]),
        )
        for predicate, ids in zip(predicates, expected, strict=True):
            assert by_spark(spark, path, predicate, skipping=False) == ids, predicate
            assert by_files(path, predicate) == ids, predicate
            if by_rust:
                assert by_hudi_rs(path, predicate) == ids, predicate
            try:
                with jvm_errors("query the table", HudiZOrderError):
                    same = by_spark(spark, path, predicate, skipping=True) == ids
            except HudiZOrderError:
                same = False
            if not same:
                audit = table.explain(predicate, audit=True).audit
                assert audit is not None
                assert audit.explain_is_sound
                assert not audit.hudi_is_sound
                assert all(fault.issue for fault in audit.faults), (predicate, str(audit))


def oracle(examples: int) -> object:
    drawn = given(
        # The first that is drawn is the least there is.
        tables=files().filter(lambda tables: sum(map(len, tables)) >= LEAST_ROWS),
        predicates=st.lists(
            ASKED, min_size=PREDICATES_A_TABLE, max_size=PREDICATES_A_TABLE, unique=True
        ),
        seed=st.integers(0, 2**31),
    )
    chosen = settings(
        max_examples=examples,
        phases=[Phase.generate],  # a table takes too long to look for a smaller one
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: chosen(drawn(test))


@oracle(1)
def test_a_drawn_table_answers_the_same_whoever_asks(
    spark: SparkSession, tables: list[pa.Table], predicates: list[str], seed: int
) -> None:
    check(spark, tables, predicates, seed)


@pytest.mark.slow
@oracle(10)
def test_ten_drawn_tables_answer_the_same_whoever_asks(
    spark: SparkSession, tables: list[pa.Table], predicates: list[str], seed: int
) -> None:
    check(spark, tables, predicates, seed)


@pytest.mark.soak
@oracle(int(os.environ.get("ORACLE", "200")))
def test_many_drawn_tables_answer_the_same_whoever_asks(
    spark: SparkSession, tables: list[pa.Table], predicates: list[str], seed: int
) -> None:
    check(spark, tables, predicates, seed)
