"""Tables whose updates are merged into rows by more than the latest: a clustering merges alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import quick_first, write
from hudi_tables import fingerprint
from people_tables import MERGE_ON_READ, QUICK

ROWS = 300
PAYLOADS = "org.apache.hudi.common.model."
LEFT_OUT = "__debezium_unavailable_value"
DEBEZIUM = {
    "datasource__write__payload__class": f"{PAYLOADS}debezium.PostgresDebeziumAvroPayload",
    "table__ordering__fields": "_event_lsn",
}
PARTIAL_BEFORE_9 = {
    "write__table__version": "8",
    "write__auto__upgrade": "false",
    "datasource__write__payload__class": f"{PAYLOADS}PartialUpdateAvroPayload",
    "table__ordering__fields": "_event_lsn",
}
INSERTED = "'c' AS _change_operation_type"
BY_RECORDS = {"hoodie.datasource.write.row.writer.enable": "false"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "left_out", "settings"),
    quick_first(
        [
            (DEBEZIUM, LEFT_OUT, {}),
            (DEBEZIUM, LEFT_OUT, BY_RECORDS),
            (PARTIAL_BEFORE_9, None, {}),
        ]
    ),
)
def test_values_that_updates_leave_out_are_kept(
    spark: SparkSession,
    tmp_path: Path,
    options: Mapping[str, str],
    left_out: str | None,
    settings: Mapping[str, str],
) -> None:
    mark = "string(NULL)" if left_out is None else f"'{left_out}'"
    chosen = {**QUICK, **MERGE_ON_READ, **options}

    def updated(change: str, lsn: str) -> None:
        rows = spark.range(1, ROWS, 5, 1).selectExpr(
            "id", "0 AS a", f"{change} AS text", f"{lsn} AS _event_lsn", INSERTED
        )
        write(rows, tmp_path / "t", datasource__write__operation="upsert", **chosen)

    first = spark.range(0, ROWS, 1, 2).selectExpr(
        "id", "hash(id) AS a", "md5(string(id)) AS text", "id + 100 AS _event_lsn", INSERTED
    )
    path = write(first, tmp_path / "t", **chosen)
    updated(mark, "id + 1000")
    updated("'late'", "id - 1000")
    before = fingerprint(spark, path)

    result = hz.ZOrderTable(spark, path).cluster(["a"], hudi_options=settings)

    assert result.readers == {"merging": 1}
    assert fingerprint(spark, path) == before
    read = spark.read.format("hudi").load(path)
    assert read.where(f"a = 0 AND text <> '{LEFT_OUT}'").count() == ROWS // 5
