"""The faults of Hudi's statistics, which each of its versions has, on the one that HUDI names.

When one fails with another version, ``python/HUDI_FAULTS.md`` has to tell them by version.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, IS_FIT

import hudi_zorder as hz
from hudi_zorder.skipping.disordered import FORMAT, ORDER

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]


def written(spark: Any, path: Path, rows: Any, **options: str) -> str:
    settings = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "id",
        "hoodie.datasource.write.operation": "bulk_insert",
        "hoodie.bulkinsert.sort.mode": "NONE",
        "hoodie.metadata.index.column.stats.enable": "true",
        "hoodie.index.bloom.num_entries": "100",
        **options,
    }
    rows.write.format("hudi").options(**settings).mode("append").save(str(path))
    return str(path)


@pytest.fixture(scope="module")
def mixed(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Ids 0 to 299 in three files of a hundred rows."""
    rows = spark.range(300).selectExpr(
        "id",
        "concat(element_at(array('apple', 'banana', 'cherry'), 1 + cast(id DIV 100 AS int)), id) s",
        "CASE id WHEN 150 THEN double('NaN') ELSE id END d",
        "if(id = 150, repeat('x', 5000), concat('v', lpad(id, 3, 0))) t",
        "date_add(date'2026-01-01', cast(id DIV 10 AS int)) day",
        "if(id % 2 = 0, 'a', 'B') letter",
    )
    path = tmp_path_factory.mktemp("faults") / "mixed"
    return written(spark, path, rows.repartitionByRange(3, "id"))


@pytest.fixture(scope="module")
def added(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A column that was added with the second load."""
    path = tmp_path_factory.mktemp("faults") / "added"
    written(spark, path, spark.range(300).selectExpr("id", "id AS a"))
    later = spark.range(300, 400).selectExpr("id", "id AS a", "if(id % 2 = 0, id, NULL) AS c")
    return written(spark, path, later)


@pytest.fixture(scope="module")
def listed(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two loads, of which the first has statistics of one column alone."""
    path = tmp_path_factory.mktemp("faults") / "listed"
    rows = "SELECT id, cast(id AS int) a, cast(id AS int) b FROM range({}, {})"
    one = {"hoodie.metadata.index.column.stats.column.list": "a"}
    written(spark, path, spark.sql(rows.format(0, 100)), **one)
    return written(spark, path, spark.sql(rows.format(100, 200)))


# Per case: table, predicate, issue, matching rows, rows lost. Each version has them all.
FAULTS = [
    ("mixed", "s LIKE 'b%'", "hudi#18791", 100, 100),
    ("mixed", "d > 10", "hudi#18754", 289, 100),
    ("mixed", "t = 'v120'", "hudi#18755", 1, 1),
    ("added", "c IS NULL AND a >= 0", "hudi#19645", 350, 300),
    ("listed", "a < 50 AND b < 50", "", 50, 50),
    ("mixed", "lower(letter) = 'a'", ORDER, 150, 150),
    ("mixed", "id * -1 = -5", ORDER, 1, 1),
    ("mixed", "date_format(day, 'd') = '5'", FORMAT, 10, 10),
]


@pytest.mark.parametrize(("table", "predicate", "issue", "rows", "lost"), FAULTS)
def test_has_a_fault_that_the_audit_names(
    spark: Any,
    request: pytest.FixtureRequest,
    table: str,
    predicate: str,
    issue: str,
    rows: int,
    lost: int,
) -> None:
    path = request.getfixturevalue(table)
    audit = hz.ZOrderTable(spark, path).explain(predicate, audit=True).audit
    assert audit is not None
    assert (audit.explain_is_sound, audit.hudi_is_sound) == (True, False)
    assert (audit.matching_rows, audit.lost_rows) == (rows, lost)
    assert [fault.issue for fault in audit.faults] == [issue]
    for skipping, found in (("true", rows - lost), ("false", rows)):
        reader = spark.read.format("hudi").option("hoodie.metadata.enable", "true")
        frame = reader.option("hoodie.enable.data.skipping", skipping).load(path)
        assert frame.where(predicate).count() == found
