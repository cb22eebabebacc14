"""Beside Hudi's other services: compaction, cleaning, archiving, and indexes of the metadata table.

What a query about the past returns is held to a twin of the table that nobody clusters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import fastavro
import pytest
from pyspark.sql import DataFrame, SparkSession

import hudi_zorder as hz
from conftest import quick_first
from hudi_zorder.hudi.snapshot import TableSnapshot
from people_tables import MERGE_ON_READ, Case, Table, both, check_metadata, twins

INDEXES = {
    "metadata__index__column__stats__enable": "true",
    "metadata__global__record__level__index__enable": "true",
    "index__type": "GLOBAL_RECORD_LEVEL_INDEX",
}
KINDS = quick_first([MERGE_ON_READ, {}])
KIND_NAMES = ["merge-on-read", "copy-on-write"]
LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "12KB"}
QUERY = "hoodie.datasource.query.type"
BEGIN = "hoodie.datasource.read.begin.instanttime"
END = "hoodie.datasource.read.end.instanttime"


class Past:
    """A table at the moments at which its writes were completed."""

    def __init__(self, table: Table) -> None:
        self._table = table
        action = "deltacommit" if table.case.merges_on_read else "commit"
        names = (entry.name for entry in Path(table.path, ".hoodie/timeline").iterdir())
        found = (re.fullmatch(rf"\d+_(\d+)\.{action}", name) for name in names)
        self.moments = sorted(match[1] for match in found if match)

    def at(self, moment: int) -> Counter[str]:
        """All rows as they were then."""
        return self._rows({"as.of.instant": self.moments[moment]})

    def between(self, begin: int, end: int) -> Counter[str]:
        """What was changed after one moment and up to another; -1 is before all."""
        since = self.moments[begin] if begin >= 0 else "000"
        return self._rows({QUERY: "incremental", BEGIN: since, END: self.moments[end]})

    def _rows(self, options: dict[str, str]) -> Counter[str]:
        reader = self._table.spark.read.format("hudi").options(**options)
        frame: DataFrame = reader.load(self._table.path)
        return Counter(map(str, frame.select("id", "a", "b", "text", "part").collect()))


def planned(table: Table, *, ours: bool) -> Callable[[], object]:
    """Plans a clustering; returns what executes it."""
    if ours:
        clustered = hz.ZOrderTable(table.spark, table.path)
        instant = clustered.schedule(**LAYOUT)
        assert instant is not None
        return lambda: clustered.execute(instant)
    call = f"CALL run_clustering(path => '{table.path}', order => 'a,b', op => '{{}}')"
    table.spark.sql(call.format("schedule")).collect()
    return lambda: table.spark.sql(call.format("execute")).collect()


@pytest.mark.parametrize(
    ("kind", "ours"),
    quick_first([(MERGE_ON_READ, True), ({}, True), (MERGE_ON_READ, False)], 0),
    ids=[*KIND_NAMES, "by-hudi-itself"],
)
def test_the_past_is_as_without_the_clustering(
    spark: SparkSession, tmp_path: Path, kind: dict[str, str], ours: bool
) -> None:
    case = Case("past", {**(INDEXES if ours else {}), **kind})
    plain, clustered = twins(spark, case, tmp_path)
    during = len(Past(plain).moments)
    # A load between the plan and its commit, and an upsert, a delete and a compaction after it.
    execute = planned(clustered, ours=ours)
    for each in (plain, clustered):
        each._write(case.rows(spark, 1400).where("id >= 1300"), "bulk_insert")
    execute()
    both(plain, clustered, "live_on")

    then, now = Past(plain), Past(clustered)
    assert len(then.moments) == len(now.moments) == during + 3
    for moment in range(len(now.moments)):
        assert now.at(moment) == then.at(moment)
    sizes = set()
    last = len(now.moments) - 1
    # From one to the next, from the first on, and all around the clustering.
    windows = {*pairwise(range(-1, last + 1)), *((-1, end) for end in range(last + 1))}
    for begin, end in sorted({*windows, (during - 1, last)}):
        if end == during:
            continue  # it ends between a plan and its commit: HUDI_FAULTS.md
        changes = now.between(begin, end)
        assert changes == then.between(begin, end), (begin, end)
        sizes.add(changes.total())
    assert len(sizes) > 2
    if case.merges_on_read:
        # When this fails, Hudi has mended it.
        assert now.between(-1, during) < then.between(-1, during)
    check_metadata(clustered)


# Each write cleans and archives what it can.
TIDY = {
    "clean__automatic": "true",
    "clean__commits__retained": "1",
    "keep__min__commits": "2",
    "keep__max__commits": "3",
    # Nothing is archived that the metadata table has not compacted.
    "metadata__compact__max__delta__commits": "1",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=KIND_NAMES)
def test_upkeep_goes_on_where_clusterings_are_cleaned_and_archived(
    spark: SparkSession, tmp_path: Path, kind: dict[str, str]
) -> None:
    case = Case("tidy", {**INDEXES, **kind, **TIDY})
    table = Table(spark, case, tmp_path / "t")
    table.make()
    clustered = hz.ZOrderTable(spark, table.path)
    results = [clustered.cluster(**LAYOUT)]
    first = TableSnapshot.open(table.path).slices
    for load in range(3):
        rows = case.rows(spark, 2_000 + 100 * load).where(f"id >= {1_900 + 100 * load}")
        table._write(rows, "insert")
        table.live_on()
        results.append(clustered.cluster(**LAYOUT))

    assert all(results)
    assert all("new" in result.taken for result in results)
    assert not clustered.cluster(**LAYOUT)
    archived = {instant.time for instant in TableSnapshot.open(table.path).timeline.archived}
    assert results[0].instant in archived
    past = clustered.history()
    assert [one.instant for one in past] == [result.instant for result in results]
    assert [one.taken for one in past] == [result.taken for result in results]
    assert {one.columns for one in past} == {("a", "b")}
    bases = [Path(table.path, part.base.path) for part in first if part.base]
    assert not all(base.exists() for base in bases)
    check_metadata(table)


@pytest.mark.slow
def test_file_groups_under_a_pending_log_compaction_are_left_alone_until_it_has_ended(
    spark: SparkSession, tmp_path: Path
) -> None:
    case = Case("log compaction", MERGE_ON_READ)
    table = Table(spark, case, tmp_path / "t")
    table.make()
    table._write(case.rows(spark, 1400).where("id >= 1300"), "bulk_insert")  # in files of their own
    before = table.own_rows()
    clustering = hz.ZOrderTable(spark, table.path)
    jvm: Any = spark._jvm
    with clustering._service._hudi._client(
        {"hoodie.log.compaction.blocks.threshold": "1"}
    ) as client:
        instant = client.scheduleLogCompaction(jvm.org.apache.hudi.common.util.Option.empty()).get()
        [file] = Path(table.path).glob(f".hoodie/timeline/{instant}.logcompaction.requested")
        with file.open("rb") as content:
            [plan] = fastavro.reader(content)
        taken = {operation["fileId"] for operation in plan["operations"]}

        done = clustering.cluster(**LAYOUT)

        assert done.instant
        assert done.left_alone["pending_compaction"] == len(taken) > 1
        assert not taken & replaced(table, done.instant)
        assert table.own_rows() == before
        client.logCompact(instant, True)
    assert table.own_rows() == before
    last = clustering.cluster(**LAYOUT)
    assert last.instant
    assert taken <= replaced(table, last.instant)
    assert table.own_rows() == before
    check_metadata(table)


def replaced(table: Table, instant: str) -> set[str]:
    """The file groups that a clustering has replaced."""
    timeline = TableSnapshot.open(table.path).timeline
    [commit] = (one for one in timeline.completed if one.time == instant)
    groups = timeline.metadata(commit)["partitionToReplaceFileIds"]
    return {name for names in groups.values() for name in names}
