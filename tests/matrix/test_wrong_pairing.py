"""A Hudi that the jar has no room for is refused at the first touch, and nothing is written."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cell import HUDI, NEWEST, SCALA
from py4j.protocol import Py4JJavaError
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import SparkSession

from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.session import bundle_of, strategy_jar

UNFIT = "unfit"
"""What HUDI names for these tests: no other bundle than those of the rooms is for this Spark."""
UNKNOWN = {"2.12": "0.15.0", "2.13": "1.1.1"}[SCALA]
BUNDLE = bundle_of(UNKNOWN, SCALA)
REFUSAL = {
    "2.12": f"Cannot cluster: this is Hudi {UNKNOWN}, and this jar was built without its room",
    "2.13": "and this jar was built for Spark 3.5.x with Scala 2.12.x",
}[SCALA]
ROOMS = ("io/hudizorder/hudi/v0", "io/hudizorder/hudi/v1_0", "io/hudizorder/spark/scala2_13")

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(HUDI != UNFIT, reason=f"asks for HUDI={UNFIT}"),
]

PLAN = {
    "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "1",
    "hoodie.clustering.plan.strategy.class": "io.hudizorder.ZOrderClusteringPlanStrategy",
    "hoodie.clustering.plan.strategy.sort.columns": "id",
}
EXECUTION = {
    "hoodie.clustering.inline": "true",
    "hoodie.clustering.inline.max.commits": "1",
    "hoodie.clustering.execution.strategy.class": (
        "io.hudizorder.ZOrderClusteringExecutionStrategy"
    ),
    "hoodie.clustering.plan.strategy.sort.columns": "id",
}
PARTITIONER = {
    "hoodie.datasource.write.operation": "bulk_insert",
    "hoodie.bulkinsert.user.defined.partitioner.class": "io.hudizorder.ZOrderBulkInsertPartitioner",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session as somebody sets it up who has not read which Hudi fits."""
    local = local_jar(BUNDLE)
    ours = without_rooms(strategy_jar(), tmp_path_factory.mktemp("jar") / "ours.jar")
    jars = [str(ours), *([str(local)] if local else [])]
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.jars", ",".join(jars))
        .config("spark.jars.packages", "" if local else BUNDLE)
        .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
        .config("spark.kryo.registrator", "org.apache.spark.HoodieSparkKryoRegistrar")
        .config("spark.sql.extensions", "org.apache.spark.sql.hudi.HoodieSparkSessionExtension")
    )
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def without_rooms(jar: Path, copy: Path) -> Path:
    """Copies a jar as it is without make every-hudi."""
    with zipfile.ZipFile(jar) as source, zipfile.ZipFile(copy, "w") as target:
        for entry in source.namelist():
            if not entry.startswith(ROOMS):
                target.writestr(entry, source.read(entry))
    return copy


def write(spark: SparkSession, path: Path, more: dict[str, str]) -> None:
    """Writes a hundred rows."""
    options = {
        "hoodie.table.name": "t",
        "hoodie.datasource.write.recordkey.field": "id",
        "hoodie.datasource.write.precombine.field": "id",
        **more,
    }
    spark.range(100).write.format("hudi").options(**options).mode("append").save(str(path))


@pytest.mark.parametrize("settings", [PLAN, EXECUTION, PARTITIONER])
def test_is_refused_by_name(spark: SparkSession, tmp_path: Path, settings: dict[str, str]) -> None:
    path = tmp_path / "t"
    write(spark, path, {})
    files = sorted(path.rglob("*.parquet"))

    with pytest.raises((Py4JJavaError, CapturedException)) as caught:
        write(spark, path, settings)

    assert REFUSAL in _messages(caught.value)
    if settings is PARTITIONER:
        assert sorted(path.rglob("*.parquet")) == files
    assert spark.read.format("hudi").load(str(path)).count() == 100


def test_no_session_starts_with_the_extension(spark: SparkSession) -> None:
    jvm: Any = spark._jvm
    extensions = jvm.org.apache.spark.sql.SparkSessionExtensions()

    with pytest.raises((Py4JJavaError, CapturedException)) as caught:
        jvm.io.hudizorder.ZOrderSparkSessionExtension().apply(extensions)

    assert REFUSAL in _messages(caught.value)


@pytest.mark.skipif(SCALA == "2.12", reason="PySpark's own Scala is that of the bundle")
def test_a_hudi_for_another_scala_is_refused_with_the_coordinates_of_one_that_fits() -> None:
    other = local_jar(bundle_of(NEWEST, "2.12"))
    extension = "io.hudizorder.ZOrderSparkSessionExtension"
    # A process of its own, as it is another class path.
    start = (
        "from pyspark.sql import SparkSession;"
        f"SparkSession.builder.config('spark.jars', '{strategy_jar()},{other}')"
        f".config('spark.sql.extensions', '{extension}').getOrCreate().sql('SELECT 1')"
    )

    done = subprocess.run(
        [sys.executable, "-c", start], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode != 0
    assert f"a Hudi for Scala 2.12, and a Spark with Scala {SCALA}; use {BUNDLE}" in done.stderr


def _messages(error: Any) -> str:
    """What a Java exception and its causes say."""
    said, thrown = [], getattr(error, "java_exception", None) or error._origin
    while thrown is not None:
        said.append(str(thrown))
        thrown = thrown.getCause()
    return "\n".join(said)
