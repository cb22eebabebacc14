"""A plan from before a change by schema on read, and a change that the last write has hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from by_configuration import run_clustering, strategy
from cell import HUDI, IS_FIT
from py4j.protocol import Py4JJavaError
from test_unreadable_slices import content, evolve, files, write

import hudi_zorder as hz

pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused"),
]

STRATEGY = strategy(("a", "id"), 30_000)


@pytest.mark.skipif(HUDI == "0.15.0", reason="test_unreadable_slices.py asks it")
def test_a_plan_from_before_a_renaming_gives_way(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    write(spark, path, "bulk_insert", "id old")
    run_clustering(spark, str(path), STRATEGY, "schedule")
    evolve(spark, path)
    rows, before = content(spark, path), {file for file in files(path) if file.suffix == ".parquet"}

    with pytest.raises(Py4JJavaError, match=r"has changed column 'new'.*cluster again"):
        run_clustering(spark, str(path), STRATEGY, "execute")

    assert hz.open_table(path).pending() == []
    assert {file for file in files(path) if file.suffix == ".parquet"} == before
    run_clustering(spark, str(path), STRATEGY, "scheduleAndExecute")
    assert content(spark, path) == rows


def test_files_from_before_a_hidden_renaming_are_left(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t"
    write(spark, path, "bulk_insert", "id old")
    evolve(spark, path)
    write(spark, path, "bulk_insert", "id new")

    with pytest.raises(Py4JJavaError, match=r"'new'.*reconcile.schema.*Nothing was planned"):
        run_clustering(spark, str(path), STRATEGY, "scheduleAndExecute")
