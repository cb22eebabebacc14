"""A clustering that is executed while others write, by the version of Hudi that HUDI names."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, IS_FIT
from made_tables import KINDS, TARGET, Table, assert_rows, frame, made, options
from pyspark.sql import functions as F

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]


def update(table: Table, kind: str, text: str) -> None:
    """Changes rows of another partition than the one that is clustered."""
    rows = frame(table.spark, 0, 200).where("part = 'p1'").withColumn("text", F.lit(text))
    upsert = options(kind, datasource__write__operation="upsert", compact__inline="false")
    rows.write.format("hudi").options(**upsert).mode("append").save(table.path)


def commits(path: str) -> set[Path]:
    return {
        file
        for end in ("commit", "deltacommit")
        for file in Path(path, ".hoodie").rglob(f"*.{end}")
        if "metadata" not in file.parts
    }


def test_goes_on_beside_a_writer_that_looks_for_expired_partitions(
    spark: Any, tmp_path: Path
) -> None:
    table = made(spark, tmp_path / "t", "COPY_ON_WRITE")
    more = options("COPY_ON_WRITE", partition__ttl__inline="true")
    frame(spark, 0, 10).write.format("hudi").options(**more).mode("append").save(table.path)
    requests = [
        file
        for file in Path(table.path, ".hoodie").rglob("*.replacecommit.requested")
        if "metadata" not in file.parts and file.stat().st_size > 0
    ]
    for request in requests:
        os.utime(request, (time.time() - 600,) * 2)
    before = table.content()

    result = hz.ZOrderTable(spark, table.path).cluster(["a", "b"], wait_for_writers=1)

    assert len(requests) == HUDI.startswith(("1.1", "1.2"))
    assert result.instant
    assert_rows(table, before)


@pytest.mark.parametrize("kind", KINDS)
def test_goes_on_beside_writes_to_other_files(spark: Any, tmp_path: Path, kind: str) -> None:
    """One is committed since the plan, and another inflight as the clustering commits."""
    table = made(spark, tmp_path / "t", kind)
    ours = hz.ZOrderTable(spark, table.path)
    instant = ours.schedule(["a", "b"], where="part = 'p0'", target_file_size=TARGET)
    update(table, kind, "committed")
    before = commits(table.path)
    update(table, kind, "inflight")
    [commit] = commits(table.path) - before
    aside = commit.rename(tmp_path / commit.name)

    result = ours.execute(instant)

    aside.rename(commit)
    assert result.instant == instant
    assert result.after.files > 1
    assert table.read().where("text = 'inflight'").count() == 100
    assert_rows(table, table.content())
    kept = [row for row in table.rows if row.id >= 200 or row.part == "p0"]
    assert [row for row in table.content() if row.text != "inflight"] == kept
