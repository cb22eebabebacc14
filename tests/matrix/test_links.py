"""The jar links with the version of Hudi that HUDI names, but for what other versions alone run."""

from __future__ import annotations

import pytest
from cell import HUDI, IS_FIT, NEWEST, SCALA
from class_files import ClassPath, classes_of

from hudi_zorder.spark.maven import local_jar
from hudi_zorder.spark.session import bundle_of, strategy_jar
from hudi_zorder.spark.settings import spark_home

pytestmark = [pytest.mark.matrix, pytest.mark.skipif(not IS_FIT, reason=f"Hudi {HUDI} is refused")]
OURS = "io/hudizorder/"
ROOMS = f"{OURS}hudi/v"
SPARK_ROOMS = f"{OURS}spark/scala"
# Run under Hudi 1.2 alone: HudiRelease.requireZColumns is asked before.
Z_COLUMN_WRITERS = {
    f"{OURS}zcolumn/{name}"
    for name in (
        "IndexedColumns",
        "RecordMerging",
        "RecordingWriter",
        "RecordingWriter$Client",
        "SqlWrite",
        "WriteOptions",
        "WriteRule",
    )
}
# Run since Hudi 1.0 alone: HudiRelease.asksZColumns is asked before.
Z_COLUMN_READERS = {
    f"{OURS}zcolumn/{name}" for name in ("SnapshotFileIndex$Pinned", "TimelineBounds")
}
# Run in Scala 2.12 alone: the same is asked before.
Z_COLUMNS_OF_2_12 = {
    f"{OURS}zcolumn/{name}"
    for name in (
        "AskedRanges",
        "InlineCompaction",
        "ReadRule",
        "SnapshotFileIndex",
        "ZColumnWrite",
        "ZColumns",
    )
}
# In the room of 1.2, and run under 1.1 too.
SINCE_1_1 = f"{ROOMS}1_2/SinceHudi1_1"
# The same, and under 1.0.
FORMAT_1 = f"{ROOMS}1_2/FormatOf1"
# In the room of 1.0, and run under 0.15 too.
UNTIL_1_0 = tuple(f"{ROOMS}1_0/{name}" for name in ("UntilHudi1_0", "RecordWriter", "TimeUnits"))
# Hudi 1.2 alone calls the method that takes one.
SCHEMA = "org/apache/hudi/common/schema/HoodieSchema"
# Hudi since 1.0 alone calls the methods that call these of their superclass.
PLANNING = "org/apache/hudi/client/clustering/plan/strategy/SparkSizeBasedClusteringPlanStrategy"
PLANNED_SINCE_1_0 = (f"{PLANNING}.filterPartitionPaths(", f"{PLANNING}.generateClusteringPlan(")
# Hudi 1.2 alone calls the method that calls this one of its superclass.
STRATEGY = "org/apache/hudi/client/transaction/PreferWriterConflictResolutionStrategy"
TABLE, INSTANT, OPTION = (
    f"Lorg/apache/hudi/common/{name};"
    for name in ("table/HoodieTableMetaClient", "table/timeline/HoodieInstant", "util/Option")
)
ASKED_BY_1_2 = f"{STRATEGY}.getCandidateInstants({TABLE}{INSTANT}{OPTION}{OPTION})"


def test_links() -> None:
    bundle = local_jar(bundle_of(HUDI, SCALA))
    assert bundle is not None
    spark = sorted((spark_home() / "jars").glob("*.jar"))
    path = ClassPath([strategy_jar(), bundle, *spark])
    rooms: tuple[str, ...] = (
        f"{ROOMS}{'_'.join(HUDI.split('.')[:2])}/",
        f"{SPARK_ROOMS}{SCALA.replace('.', '_')}/",
    )
    if HUDI.startswith("1.1."):
        rooms += (SINCE_1_1,)
    never_called: tuple[str, ...] = (SCHEMA,) if HUDI == NEWEST else (SCHEMA, ASKED_BY_1_2)
    if HUDI.startswith("0."):
        rooms += UNTIL_1_0
        never_called += PLANNED_SINCE_1_0
    else:
        rooms += (FORMAT_1,)

    missing = {
        found.name: left
        for found in classes_of(strategy_jar())
        if not found.name.startswith((ROOMS, SPARK_ROOMS)) or found.name.startswith(rooms)
        if (left := [name for name in path.missing(found) if not name.startswith(never_called)])
    }

    never_run = Z_COLUMN_WRITERS if HUDI != NEWEST else set()
    if HUDI.startswith("0.") or SCALA != "2.12":
        never_run |= Z_COLUMN_READERS
    if SCALA != "2.12":
        never_run |= Z_COLUMNS_OF_2_12
    missing = {name: left for name, left in missing.items() if name not in never_run}
    assert missing == {}
