"""The indexes of the metadata table, which a commit costs that its configuration does not name."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz
from conftest import as_keywords, quick_first
from hudi_tables import PLAN_STRATEGY, STRATEGY, session_settings
from people_tables import Case, Table, check_metadata, metadata_partitions

PARTITIONED = "hoodie.metadata.record.level.index.enable"
GLOBAL = "hoodie.metadata.global.record.level.index.enable"
BLOOM = "hoodie.metadata.index.bloom.filter.enable"
METADATA = "hoodie.metadata.enable"
KEEPING = "hoodie.metadata.auto.delete.partitions"
STATS = "hoodie.metadata.index.column.stats.enable"


def call(spark: SparkSession, path: str, op: str, **settings: str) -> int:
    options = {"hoodie.clustering.execution.strategy.class": STRATEGY, **settings}
    text = ",".join(f"{key}={value}" for key, value in options.items())
    return spark.sql(
        f"CALL run_clustering(path => '{path}', order => 'a,b', op => '{op}', options => '{text}')"
    ).count()


@pytest.mark.parametrize(
    ("index", "setting", "options"),
    quick_first(
        [
            ("record_index", GLOBAL, {GLOBAL: "true"}),
            ("record_index", PARTITIONED, {PARTITIONED: "true"}),
            ("bloom_filters", BLOOM, {BLOOM: "true"}),
            ("column_stats", STATS, {}),
        ],
        quick=0,
    ),
    ids=["global", "partitioned", "bloom", "stats"],
)
def test_no_commit_of_ours_costs_an_index(
    spark: SparkSession, tmp_path: Path, index: str, setting: str, options: dict[str, str]
) -> None:
    table = Table(spark, Case(index, as_keywords(options)), tmp_path / "t")
    table.make()
    indexes, rows = metadata_partitions(table.path), table.rows()
    assert index in indexes
    losing = {STATS: "false"} if setting == STATS else {}
    planning = {"hoodie.clustering.plan.strategy.class": PLAN_STRATEGY}
    refused = f"has the index '{index}', which the commit would cost, as '{setting}' was 'false'"

    with pytest.raises(Exception, match=refused):
        call(spark, table.path, "schedule", **planning, **losing)
    clustering = hz.ZOrderTable(spark, table.path)
    assert clustering.pending() == []
    clustering.schedule(["a", "b"], target_file_size="12KB")
    with pytest.raises(Exception, match=refused):
        call(spark, table.path, "execute", **losing)
    assert len(clustering.pending()) == 1
    assert metadata_partitions(table.path) == indexes

    call(spark, table.path, "execute", **{setting: "true"})

    assert clustering.pending() == []
    assert table.rows() == rows
    assert metadata_partitions(table.path) == indexes
    check_metadata(table)


@pytest.mark.slow
def test_no_commit_of_ours_leaves_the_metadata_table_behind(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, Case("listed"), tmp_path / "t")
    table.make()
    rows = table.rows()
    clustering = hz.ZOrderTable(spark, table.path)
    off = {METADATA: "false"}
    refused = f"has the index 'files', which the commit would cost, as '{METADATA}' was 'false'"

    with pytest.raises(hz.OptionError, match=refused):
        clustering.cluster(["a", "b"], target_file_size="12KB", hudi_options=off)
    instant = clustering.schedule(["a", "b"], target_file_size="12KB") or ""
    with pytest.raises(hz.OptionError, match=refused):
        clustering.execute(instant, hudi_options=off)
    with pytest.raises(Exception, match=refused):
        call(spark, table.path, "execute", **off, **{KEEPING: "false"})
    assert table.rows() == rows
    with session_settings(spark, off):
        clustering.execute(instant)

    assert table.rows() == rows
    assert clustering.pending() == []
    check_metadata(table)
