"""The archive of a timeline is read when it is asked about, and no more of it than that."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from conftest import write
from hudi_zorder import options
from hudi_zorder.clustering.verification import verify
from hudi_zorder.errors import TableError
from hudi_zorder.hudi.history import history, layout_columns
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.skipping.explain import explain
from plain_table import CLUSTERED, write_archive, write_clustered_table, write_plain_table

# Of a writer whose commits are archived soon, for which the metadata table would have to wait.
SOON = {
    "keep__min__commits": "2",
    "keep__max__commits": "3",
    "clean__commits__retained": "1",
    "metadata__enable": "false",
}
OFF = {"hoodie.metadata.enable": "false"}
PLAN = {
    "operationType": "CLUSTER",
    "clusteringPlan": {
        "strategy": {
            "strategyParams": {
                "hoodie.clustering.plan.strategy.sort.columns": "b, a",
                "hoodie.clustering.zorder.mode": "full",
            },
        },
        "inputGroups": [
            {
                "metrics": {
                    f"hoodie.clustering.zorder.{name}": number
                    for name, number in {
                        "bytes": taken,
                        "read.now": taken,
                        "read.after": taken / 5,
                        "bytes.in.all": 1600.0,
                        "read.in.all": 1280.0,
                        "read.as.one": 320.0,
                    }.items()
                },
                "slices": [{"partitionPath": "", "fileId": f"f{taken}"}],
            }
            for taken in (500.0, 700.0)
        ],
    },
}
CLUSTERING = {"operationType": "CLUSTER", "partitionToReplaceFileIds": {"": ["x"]}}


def archive(path: Path, rows: Mapping[str, tuple[str, Any, Any]]) -> Path:
    """Archives instants: action, metadata and plan by time, in one file for each.

    Returns the folder.
    """
    files = {}
    for time, (action, metadata, plan) in rows.items():
        row = {"instantTime": time, "completionTime": f"{time}1", "action": action}
        row["metadata"], row["plan"] = (json.dumps(part).encode() for part in (metadata, plan))
        files[f"{time}_{time}_0.parquet"] = pa.Table.from_pylist([row])
    return write_archive(path, files)


def damage_archive(path: Path) -> None:
    for file in (path / ".hoodie/timeline/history").glob("*.parquet"):
        file.write_bytes(b"PAR1 damaged PAR1")


def test_explain_reads_no_archive_while_a_clustering_is_active(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    archive(path, {"2025": ("replacecommit", CLUSTERING, PLAN)})
    damage_archive(path)
    plan = json.dumps(PLAN)
    (path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested").write_text(plan)
    snapshot = TableSnapshot.open(path)
    assert explain(snapshot, "a = 5").laid_out_by == ("b", "a")
    with pytest.raises(TableError, match=r"2025_2025_0.parquet' is no readable Parquet file"):
        history(snapshot)


def test_an_archived_clustering_is_found_by_its_plan_alone(tmp_path: Path) -> None:
    """What other instants did, however large, is neither decoded nor kept."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [2]})])
    damaged = "no metadata"
    archive(
        path,
        {
            "20250101": ("replacecommit", damaged, PLAN),
            "20250102": ("commit", damaged, damaged),
            "20250103": ("clean", damaged, damaged),
        },
    )
    snapshot = TableSnapshot.open(path)
    assert layout_columns(snapshot) == ("b", "a")
    held = snapshot.timeline._archive._contents
    assert {column: list(contents) for column, (_, contents) in held.items()} == {
        "plan": ["20250101"]
    }


def test_history_tells_the_same_of_archived_clusterings(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [2]})])
    archive(path, {"20250101": ("replacecommit", CLUSTERING, PLAN)})
    (past,) = history(TableSnapshot.open(path))
    assert (past.instant, past.columns, past.files_before) == ("20250101", ("b", "a"), 1)
    assert (past.mode, past.bytes_before) == ("full", 1200)
    # The two groups are of one partition, of which each tells the whole.
    shares = (past.share_now, past.share_after, past.share_as_one)
    assert shares == pytest.approx((0.8, (1280 - 0.8 * 1200) / 1600, 0.2))


@pytest.mark.parametrize(
    "version",
    [None, b"", b"11", b"1/../../x", b"\xff\xfe"],
    ids=["lacks", "empty", "its manifest lacks", "elsewhere", "no text"],
)
def test_without_a_version_of_a_manifest_the_greatest_counts(
    tmp_path: Path, version: bytes | None
) -> None:
    """Hudi deletes the version before it writes another, and lists the manifests meanwhile."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [2]})])
    folder = archive(path, {"20250101": ("replacecommit", CLUSTERING, PLAN)})
    before = history(TableSnapshot.open(path))
    (folder / "manifest_1").rename(folder / "manifest_10")
    (folder / "manifest_9").write_text(json.dumps({"files": []}))
    (folder / "manifest_12.tmp").write_text("damaged")
    (folder / "_version_").unlink()
    if version is not None:
        (folder / "_version_").write_bytes(version)

    snapshot = TableSnapshot.open(path)
    assert [clustering.instant for clustering in before] == ["20250101"]
    assert history(snapshot) == before
    assert layout_columns(snapshot) == ("b", "a")


@pytest.mark.parametrize("left", ["commit and plan", "commit"])
def test_a_clustering_that_hudi_is_archiving_is_told_of_once_and_with_its_plan(
    tmp_path: Path, left: str
) -> None:
    """Hudi writes the archive, and then deletes the plan, and then the commit."""
    path = write_clustered_table(tmp_path / "t")
    plan = path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested"
    plan.write_text(json.dumps(PLAN))
    before = history(TableSnapshot.open(path))
    archive(path, {CLUSTERED: ("replacecommit", CLUSTERING, PLAN)})
    if left == "commit":
        plan.unlink()

    snapshot = TableSnapshot.open(path)
    assert [clustering.instant for clustering in before] == [CLUSTERED]
    assert history(snapshot) == before
    assert layout_columns(snapshot) == ("b", "a")
    assert snapshot.timeline.completion_time(CLUSTERED) == before[0].completed


@pytest.mark.parametrize("read", ["archive", "nothing of it"])
def test_a_clustering_is_read_that_hudi_archives_after_the_timeline_was_listed(
    tmp_path: Path, read: str
) -> None:
    path = write_clustered_table(tmp_path / "t")
    commit = next((path / ".hoodie/timeline").glob(f"{CLUSTERED}_*"))
    plan = path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested"
    plan.write_text(json.dumps(PLAN))
    before = history(TableSnapshot.open(path))
    snapshot, another = TableSnapshot.open(path), TableSnapshot.open(path)
    for listed in (snapshot, another):
        assert len(listed.timeline.completed) == 2
        if read == "archive":
            assert listed.timeline.archived == ()
    done = json.loads(commit.read_text())
    archive(path, {CLUSTERED: ("replacecommit", done, PLAN)})
    plan.unlink()
    assert layout_columns(snapshot) == ("b", "a")
    commit.unlink()

    assert history(snapshot) == before
    assert [piece.file_id for piece in another.slices] == ["f10-0", "f11-0", "f12-0"]


def test_a_commit_that_is_gone_and_not_archived_is_told_of(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    snapshot = TableSnapshot.open(path)
    [*_, clustering] = snapshot.timeline.completed
    next((path / ".hoodie/timeline").glob(f"{CLUSTERED}_*")).unlink()
    with pytest.raises(TableError, match=r"replacecommit' is gone; .* open it again"):
        snapshot.timeline.metadata(clustering)


def test_the_rows_of_an_archived_clustering_are_not_proven(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    archive(path, {CLUSTERED: ("replacecommit", CLUSTERING, PLAN)})
    nobody: Any = None  # whose session reads the files of a clustering

    found = verify(nobody, TableSnapshot.open(path), None, {})

    assert (found.instant, found.archived) == (CLUSTERED, True)
    assert (found.passed, found.proven) == (True, False)
    assert "Hudi has archived the clustering" in str(found)


def test_no_more_clusterings_are_read_than_are_asked_for(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    archive(path, {f"2025{month}": ("replacecommit", CLUSTERING, PLAN) for month in (10, 11, 12)})
    active = [f"2026020{day}000000000" for day in range(1, 4)]
    for time in active:
        commit = path / f".hoodie/timeline/{time}_{time[:-1]}1.replacecommit"
        commit.write_text(json.dumps(CLUSTERING))
        (path / f".hoodie/timeline/{time}.replacecommit.requested").touch()

    def last(number: int) -> list[str]:
        found = history(TableSnapshot.open(path), last=number)
        return [clustering.instant for clustering in found]

    assert last(5) == ["202511", "202512", *active]
    damage_archive(path)
    assert last(3) == active
    (path / f".hoodie/timeline/{active[0]}_{active[0][:-1]}1.replacecommit").write_text("damaged")
    assert last(2) == active[1:]
    with pytest.raises(TableError, match="damaged"):
        last(3)


def test_what_replaces_files_and_is_no_clustering_is_not_in_history(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    overwritten = {**CLUSTERING, "operationType": "INSERT_OVERWRITE"}
    archive(path, {"20250101": ("replacecommit", overwritten, {})})
    assert [past.instant for past in history(TableSnapshot.open(path))] == [CLUSTERED]


def test_a_plan_that_foretells_no_gain_has_none_in_history(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [2]})])
    plan = json.loads(json.dumps(PLAN))
    del plan["clusteringPlan"]["inputGroups"][1]["metrics"]["hoodie.clustering.zorder.read.in.all"]
    archive(path, {"20250101": ("replacecommit", CLUSTERING, plan)})
    found = history(TableSnapshot.open(path))
    assert (found[0].share_now, found[0].share_after) == (None, None)
    assert "unknown" in str(found)


def test_how_much_a_plan_was_to_read_is_known_where_all_of_its_groups_tell(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1], "b": [2]})])
    plan = json.loads(json.dumps(PLAN))
    del plan["clusteringPlan"]["inputGroups"][1]["metrics"]["hoodie.clustering.zorder.bytes"]
    archive(path, {"20250101": ("replacecommit", CLUSTERING, plan)})
    assert history(TableSnapshot.open(path))[0].bytes_before is None


@pytest.mark.slow
def test_a_clustering_that_hudi_archived_keeps_its_columns(spark: Any, tmp_path: Path) -> None:
    soon = {**SOON, "datasource__write__operation": "insert"}
    rows = spark.range(20).selectExpr("id", "id % 7 AS a")
    table = hz.ZOrderTable(spark, write(rows, tmp_path / "t", **soon))
    instant = table.cluster(columns=["a", "id"], hudi_options=OFF).instant
    for _ in range(4):
        write(rows, table.path, **soon)
    timeline = TableSnapshot.open(table.path).timeline
    assert instant in {archived.time for archived in timeline.archived}
    [past] = table.history()
    assert (past.instant, past.columns, past.mode) == (instant, ("a", "id"), "incremental")
    assert past.bytes_before
    assert past.seconds
    assert (past.share_now, past.share_after) == (1.0, 1.0)  # one file, before and after


@pytest.mark.slow
def test_upkeep_goes_on_with_a_clustering_that_hudi_archived(spark: Any, tmp_path: Path) -> None:
    """Columns, target and queries, in Java as in Python; what it laid out is laid out still."""
    soon = {**SOON, "datasource__write__operation": "bulk_insert"}
    rows = spark.range(4_000).selectExpr("id", "hash(id) AS a", "hash(id, 1) AS b")
    table = hz.ZOrderTable(spark, write(rows, tmp_path / "t", **soon))
    queries = [f"a > {n * 10**8} AND b < {n * 10**8}" for n in range(9)]
    cut_for = {"queries": queries, "target_file_size": "20KB"}
    instant = table.cluster(**cut_for, hudi_options=OFF).instant
    cut = {part.file_id for part in TableSnapshot.open(table.path).slices}
    by_us = {"bulkinsert__user__defined__partitioner__class": options.BULK_INSERT_PARTITIONER}
    for _ in range(4):
        write(rows.limit(20), table.path, **soon, **by_us)
    snapshot = TableSnapshot.open(table.path)
    assert instant in {archived.time for archived in snapshot.timeline.archived}
    assert cut < {part.file_id for part in snapshot.slices}

    strategy = {options.PLAN_CLASS: options.PLAN_STRATEGY, **OFF}
    settings = ",".join(f"{key}={value}" for key, value in strategy.items())
    arguments = f"path => '{table.path}', op => 'schedule', order => 'A,b', options => '{settings}'"
    spark.sql(f"CALL run_clustering({arguments})").collect()

    [plan] = table.pending()
    assert plan.parameters[options.QUERIES] != options.NO_QUERIES
    assert not cut & {group for _, group in plan.file_groups}
