"""The jar links with the version of Hudi that HUDI names, but for what other versions alone run."""

from __future__ import annotations

import os

import pytest
from class_files import ClassPath, classes_of

from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.session import HUDI_BUNDLE, HUDI_RELEASES, strategy_jar
from hudi_zorder.spark.settings import spark_home

HUDI = os.environ.get("HUDI", HUDI_RELEASES[0])
pytestmark = [
    pytest.mark.matrix,
    pytest.mark.skipif(HUDI not in HUDI_RELEASES, reason=f"Hudi {HUDI} is refused"),
]
OURS = "io/hudizorder/"
ROOMS = f"{OURS}hudi/v"
# Run under Hudi 1.2 alone: HudiRelease.requireZColumns is asked before.
Z_COLUMN_WRITERS = {
    f"{OURS}zcolumn/{name}"
    for name in ("Merging", "RecordingWriter", "RecordingWriter$Client", "SqlWrite", "WriteOptions")
}
# Run since Hudi 1.0 alone: HudiRelease.asksZColumns is asked before, and no WriteRule injected.
Z_COLUMN_READERS = {
    f"{OURS}zcolumn/{name}" for name in ("History", "SnapshotFileIndex$Pinned", "WriteRule")
}
# In the room of 1.2, and run under 1.1 too.
SINCE_1_1 = f"{ROOMS}1_2/SinceHudi1_1"
# The same, and under 1.0.
FORMAT_1 = f"{ROOMS}1_2/FormatOf1"
# In the room of 1.0, and run under 0.15 too.
UNTIL_1_0 = (f"{ROOMS}1_0/UntilHudi1_0", f"{ROOMS}1_0/RecordWriter")
# Hudi 1.2 alone calls the method that takes one.
SCHEMA = "org/apache/hudi/common/schema/HoodieSchema"
# Hudi since 1.0 alone calls the methods that call these of their superclass.
PLANNING = "org/apache/hudi/client/clustering/plan/strategy/SparkSizeBasedClusteringPlanStrategy"
PLANNED_SINCE_1_0 = (f"{PLANNING}.filterPartitionPaths(", f"{PLANNING}.generateClusteringPlan(")


def test_links() -> None:
    bundle = local_jar(f"{HUDI_BUNDLE.rpartition(':')[0]}:{HUDI}")
    assert bundle is not None
    spark = sorted((spark_home() / "jars").glob("*.jar"))
    path = ClassPath([strategy_jar(), bundle, *spark])
    rooms: tuple[str, ...] = (f"{ROOMS}{'_'.join(HUDI.split('.')[:2])}/",)
    if HUDI.startswith("1.1."):
        rooms += (SINCE_1_1,)
    never_called: tuple[str, ...] = (SCHEMA,)
    if HUDI.startswith("0."):
        rooms += UNTIL_1_0
        never_called += PLANNED_SINCE_1_0
    else:
        rooms += (FORMAT_1,)

    missing = {
        found.name: left
        for found in classes_of(strategy_jar())
        if not found.name.startswith(ROOMS) or found.name.startswith(rooms)
        if (left := [name for name in path.missing(found) if not name.startswith(never_called)])
    }

    never_run = Z_COLUMN_WRITERS if HUDI != HUDI_RELEASES[0] else set()
    if HUDI.startswith("0."):
        never_run |= Z_COLUMN_READERS
    missing = {name: left for name, left in missing.items() if name not in never_run}
    assert missing == {}
