"""The SQL functions, beside Hudi's extension: the bytes of the golden vectors, nulls, sorting."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import AnalysisException
from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

import hudi_zorder as hz
from hudi_zorder.spark import session

VECTORS = Path(__file__).parents[1] / "vectors"
SQL_TYPES = {"byte": "tinyint", "short": "smallint", "long": "bigint"}


def load(name: str) -> Any:
    return json.loads((VECTORS / name).read_text(encoding="utf-8"))


def literal(type_name: str, text: str | None) -> Column:
    """A value of a golden vector: not written as a literal of SQL, so that nothing is folded."""
    sql_type = SQL_TYPES.get(type_name, type_name)
    if text is None:
        return F.lit(None).cast(sql_type)
    if type_name == "binary":
        return F.unhex(F.lit(text.removeprefix("0x")))
    if text.startswith("0x"):
        return F.lit(float.fromhex("nan")).cast(sql_type)
    return F.lit(text).cast(sql_type)


@pytest.mark.parametrize("folded", [False, True])
def test_words_of_all_types_are_those_of_the_golden_vectors(
    spark: SparkSession, folded: bool
) -> None:
    vectors = [v for v in load("words.json")["vectors"] if fits(v)]
    values = [literal(v["type"], v["value"]).alias(f"c{i}") for i, v in enumerate(vectors)]
    frame = spark.range(1).select(*values)
    if not folded:
        frame = frame.repartition(1)
    row = frame.select(*(hz.zorder_value(f"c{i}") for i in range(len(vectors)))).first()
    assert row is not None
    found = [(v["type"], v["value"], key.hex()) for v, key in zip(vectors, row, strict=True)]
    assert found == [(v["type"], v["value"], v["word"]) for v in vectors]


def fits(vector: dict[str, Any]) -> bool:
    """Whether Spark's cast makes the vector's value: not decimals beyond their precision."""
    if decimal := re.fullmatch(r"decimal\((\d+),\d+\)", vector["type"]):
        digits = re.sub(r"\D", "", vector["value"] or "").lstrip("0")
        return len(digits) <= int(decimal[1])
    return True


@pytest.mark.parametrize(
    ("file", "key", "function"),
    [
        ("zvalues.json", "zvalue", hz.zorder_value),
        ("hilbert.json", "key", hz.hilbert_value),
    ],
)
def test_keys_are_those_of_the_golden_vectors(
    spark: SparkSession, file: str, key: str, function: Any
) -> None:
    vectors = load(file)["vectors"]
    rows = [[int(word, 16) for word in vector["words"]] for vector in vectors]
    # The long of a word; null has the word 0.
    values = [
        F.lit(word - 2**63 if word else None).cast("bigint").alias(f"c{r}_{c}")
        for r, words in enumerate(rows)
        for c, word in enumerate(words)
    ]
    names = [[f"c{r}_{c}" for c in range(len(words))] for r, words in enumerate(rows)]
    frame = spark.range(1).select(*values).repartition(1)
    found = frame.select(*(function(*columns) for columns in names)).first()
    assert found is not None
    assert [value.hex() for value in found] == [vector[key] for vector in vectors]


def test_words_come_back_from_z_values(spark: SparkSession) -> None:
    vectors = load("zvalues.json")["vectors"]
    z_values = [F.unhex(F.lit(v["zvalue"])) for v in vectors]
    columns = (np.int64(len(v["words"])) for v in vectors)  # no other than a number of Python's
    words = [hz.zorder_words(z, n) for z, n in zip(z_values, columns, strict=True)]
    row = spark.range(1).select(*words).first()
    assert row is not None
    found = [[f"{word % 2**64:016x}" for word in words] for words in row]
    assert found == [v["words"] for v in vectors]


def test_order_by_and_repartition_by_range_follow_the_curve(spark: SparkSession) -> None:
    grid = spark.range(64).selectExpr("cast(id % 8 as int) AS a", "cast(id div 8 as int) AS b")
    expected = sorted(
        ((a, b) for a in range(8) for b in range(8)),
        key=lambda row: [
            bit for a, b in zip(*(f"{v:03b}" for v in row), strict=True) for bit in a + b
        ],
    )
    grid.createOrReplaceTempView("zorder_grid")
    by_sql = spark.sql("SELECT a, b FROM zorder_grid ORDER BY zorder_value(a, b)").collect()
    assert [tuple(row) for row in by_sql] == expected
    parts = grid.repartitionByRange(4, hz.zorder_value("a", F.col("b"))).rdd.glom().collect()
    corners = [sorted({(row.a // 4, row.b // 4) for row in part}) for part in parts]
    assert sum(len(part) for part in parts) == 64
    assert [corner for part in corners for corner in part] == sorted(
        corner for part in corners for corner in part
    )


def test_nulls_sort_first_and_null_z_values_give_null(spark: SparkSession) -> None:
    frame = spark.sql("SELECT * FROM VALUES (1, 'x'), (NULL, 'x'), (1, NULL) AS t(a, b)")
    row = frame.orderBy(hz.zorder_value("a", "b")).first()
    assert row is not None
    assert row.a is None
    none = spark.sql(
        "SELECT zorder_value(NULL, NULL) z, zorder_words(NULL, 1) w, zorder_compare(NULL, X'00') c"
    ).first()
    assert none is not None
    assert (bytes(none.z), none.w, none.c) == (bytes(16), None, None)


def test_z_values_compare_by_unsigned_bytes(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(b"\x7f", b"\x80"), (b"\x80", b"\x7f"), (b"\x01", b"\x01"), (None, b"")],
        "a binary, b binary",
    )
    rows = frame.select(hz.zorder_compare("a", "b").alias("c")).collect()
    assert [row.c for row in rows] == [-1, 1, 0, None]


def test_wrong_arguments_are_refused_by_name(spark: SparkSession) -> None:
    frame = spark.range(1)
    with pytest.raises(AnalysisException, match=r"`zorder_value` requires 1 to 128 parameters"):
        frame.select(hz.zorder_value(*["id"] * 129))
    with pytest.raises(AnalysisException, match="UNEXPECTED_INPUT_TYPE"):
        frame.select(hz.hilbert_value("id", F.array("id")))
    with pytest.raises(Py4JJavaError, match=r"'length' was '8' for 2 columns"):
        frame.select(hz.zorder_words(hz.zorder_value("id"), 2)).collect()


@pytest.mark.slow
def test_spark_sql_alone_knows_the_functions(tmp_path: Path) -> None:
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [
        str(home / "bin" / "spark-sql"),
        *("--master", "local[1]", "--jars", str(session.strategy_jar())),
        *("--conf", "spark.sql.extensions=io.hudizorder.ZOrderSparkSessionExtension"),
        *("--conf", "spark.ui.enabled=false", "--conf", f"spark.sql.warehouse.dir={tmp_path}"),
        *("--conf", f"spark.driver.extraJavaOptions=-Dderby.system.home={tmp_path}"),
        *("-e", "SELECT hex(zorder_value(1, 2)), zorder_compare(X'00', X'01')"),
    ]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    run = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert "C0000000000000060000000000000000\t-1" in run.stdout
