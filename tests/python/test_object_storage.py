"""Tables on object storage, by Hadoop's S3 connector: clustered, read, no row lost to faults."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow.parquet as pq
import pytest

import hudi_zorder as hz
from conftest import write
from hudi_zorder.errors import HudiZOrderError
from object_storage import BUCKET, ObjectStore, in_session, object_store, session_process
from people_tables import MERGE_ON_READ

pytestmark = pytest.mark.slow

ROWS = 4_000
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "10KB"}
LAG = 2.0
# Uploads, by their keys: data, the plan, the commit, what the metadata table is told, a heartbeat.
REFUSED = [
    r"/[^/.]+\.parquet$",
    r"clustering\.requested",
    r"replacecommit",
    r"\.hoodie/metadata/files/",
    r"\.hoodie/metadata/\.hoodie/timeline/.*deltacommit",
    r"\.hoodie/\.heartbeat/",
]
InSession = Callable[..., Any]


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as started:
        yield started


@pytest.fixture(scope="module")
def session(store: ObjectStore) -> Iterator[InSession]:
    with session_process(store) as process:
        yield lambda work, *given: process.submit(in_session, work, *given).result(timeout=300)


@pytest.fixture(autouse=True)
def _healed(store: ObjectStore) -> Iterator[None]:
    yield
    store.heal()


# What the session's process does.


def made(spark: Any, url: str, kind: Mapping[str, str]) -> None:
    for first in (0, ROWS // 2):
        rows = spark.range(first, first + ROWS // 2, 1, 1).selectExpr(
            "id", "hash(id, 1) AS a", "hash(id, 2) % 1000 + 0L AS b"
        )
        write(rows, url, **kind)


def updated(spark: Any, url: str) -> None:
    rows = spark.range(0, ROWS, 7, 1).selectExpr("id", "-1 AS a", "-1L AS b")
    write(rows, url, datasource__write__operation="upsert", **MERGE_ON_READ)


def rows_of(spark: Any, url: str) -> Counter[tuple[Any, ...]]:
    frame = spark.read.format("hudi").load(url).select("id", "a", "b", "_hoodie_commit_time")
    return Counter(tuple(row) for row in frame.collect())


def cluster(spark: Any, url: str, mode: str = "incremental") -> str:
    """What a clustering says that fails; ``""`` if it has succeeded."""
    try:
        result = hz.ZOrderTable(spark, url).cluster(**LAYOUT, mode=mode)
        assert any("were not locked out" in note for note in result.notes)
    except HudiZOrderError as fault:
        return f"{type(fault).__name__}: {fault}"
    return ""


def cancelled(spark: Any, url: str) -> None:
    table = hz.ZOrderTable(spark, url)
    for plan in table.pending():
        table.cancel(plan.instant, force=True)


def told(spark: Any, url: str) -> tuple[int, int, int]:
    """Clusterings that are past, plans that wait, and files that a query skips."""
    table = hz.ZOrderTable(spark, url)
    return len(table.history()), len(table.pending()), skipped_of(table)


def skipped_of(table: hz.HudiTable) -> int:
    return table.explain("a = 5").file_level.skipped


def test_a_table_on_s3_is_clustered_and_skipped(store: ObjectStore, session: InSession) -> None:
    url = f"s3a://{BUCKET}/logs"
    session(made, url, MERGE_ON_READ)
    session(updated, url)
    before = session(rows_of, url)
    assert session(cluster, url) == ""
    assert session(rows_of, url) == before
    past, waiting, skipped = session(told, url)
    assert (past, waiting) == (1, 0)

    # Without a session, and by a client that is not ours.
    table = hz.open_table(f"s3://{BUCKET}/logs", filesystem=store.filesystem())
    assert skipped_of(table) == skipped > 5
    files = [f"{BUCKET}/logs/{file}" for file in table.column_stats()["file"].to_pylist()]
    read = pq.read_table(files, columns=["id", "a", "b"], filesystem=store.filesystem())
    assert Counter(zip(*read.to_pydict().values(), strict=True)) == Counter(
        row[:3] for row in before.elements()
    )
    assert [past.rows for past in table.history()] == [ROWS]


@pytest.fixture(scope="module")
def table(session: InSession) -> str:
    """The URL of a table that was not clustered yet."""
    url = f"s3a://{BUCKET}/t"
    session(made, url, {})
    return url


def test_an_upload_that_fails_costs_no_row(
    store: ObjectStore, session: InSession, table: str
) -> None:
    before = session(rows_of, table)
    for refused in REFUSED:
        store.refused = re.compile(refused)
        said = session(cluster, table)
        assert store.met, f"nothing was refused by {refused}"
        store.heal()
        assert said, f"nobody has heard of {refused}"
        assert session(rows_of, table) == before, refused
    assert session(cluster, table) == ""
    assert session(rows_of, table) == before
    past, waiting, skipped = session(told, table)
    assert (past, waiting) == (1, 0)
    assert skipped > 5


def test_a_listing_that_lags_costs_no_row(
    store: ObjectStore, session: InSession, table: str
) -> None:
    """S3 lists what is written at once since 2020; others may not."""
    before = session(rows_of, table)
    time.sleep(LAG)  # or there would be nothing yet to cluster
    store.lag = LAG
    said = session(cluster, table, "full")
    time.sleep(LAG)
    store.heal()
    assert session(rows_of, table) == before, said
    session(cancelled, table)  # a plan that its author did not see
    assert session(cluster, table, "full") == "", said
    assert session(rows_of, table) == before
    assert session(told, table)[1] == 0
