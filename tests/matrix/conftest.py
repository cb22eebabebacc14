"""The marker of these tests, which ``make matrix`` runs for each version of Hudi, and Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from cell import HUDI, SCALA, SPARK
from pyspark.sql import SparkSession

import hudi_zorder as hz


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, so that this folder can be run without the project's settings."""
    config.addinivalue_line("markers", "matrix: of one version of Hudi, which HUDI names")


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with that version, for all tests."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
    )
    session = hz.configure_spark(builder, hudi=HUDI).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    jvm: Any = session._jvm
    assert jvm.io.hudizorder.spark.SparkRelease.scala() == SCALA
    assert session.version == (SPARK or session.version)
    yield session
    session.stop()
