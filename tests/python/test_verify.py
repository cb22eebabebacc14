"""Whether a past clustering kept all rows, told from what it left; and whether faults are seen."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import as_keywords, quick_first
from hudi_tables import HUDIS_STRATEGY
from hudi_zorder.cli import app
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats import record_index
from people_tables import MERGE_ON_READ, ROWS, Case, Table

INDEXED = as_keywords({"hoodie.metadata.global.record.level.index.enable": "true"})
HUDIS = {"hoodie.clustering.execution.strategy.class": HUDIS_STRATEGY}


FOUND = hz.Verification(
    table="/lake/orders",
    instant="20260101000000000",
    archived=False,
    rows_replaced=5,
    rows_written=5,
    same_rows=True,
    cleaned=(),
    lost=(),
    unlisted=(),
    strays=(),
    kept=(),
    hidden=(),
    wrong_statistics={},
    keys=5,
    wrong_keys=0,
    doubled_keys=0,
)


@pytest.mark.parametrize(
    "fault",
    [
        {"same_rows": False},
        {"lost": ("a.parquet",)},
        {"unlisted": ("a.parquet",)},
        {"strays": ("a.parquet",)},
        {"kept": ("p/f1",)},
        {"hidden": ("p/f1",)},
        {"wrong_statistics": {"a": ["a.parquet"]}},
        {"wrong_keys": 1},
    ],
    ids=lambda fault: next(iter(fault)),
)
def test_one_fault_of_any_kind_is_enough_to_fail(fault: dict[str, Any]) -> None:
    assert FOUND.passed
    assert not replace(FOUND, **fault).passed


def test_columns_of_wrong_statistics_that_are_not_shown_are_counted() -> None:
    wrong = {f"c{n}": ["a.parquet"] for n in range(12)}
    for number, more in ((10, []), (11, ["and 1 more"]), (12, ["and 2 more"])):
        shown = str(replace(FOUND, wrong_statistics=dict(list(wrong.items())[:number])))
        lines = [line.strip() for line in shown.splitlines()]
        assert sum("1 file such as a.parquet" in line for line in lines) == 10
        assert [line for line in lines if line.startswith("and ")] == more


@pytest.fixture(scope="module")
def clustered(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., tuple[Table, str]]:
    """Clusters a table of each kind once; returns it, and the clustering's instant."""
    made: dict[str, tuple[Table, str]] = {}

    def table(name: str, hudi_options: dict[str, str] | None = None) -> tuple[Table, str]:
        if name not in made:
            logs = MERGE_ON_READ if name == "merge-on-read" else {}
            case = Case(name, {**INDEXED, **logs})
            found = Table(spark, case, tmp_path_factory.mktemp("verified") / "t")
            found.make()
            done = hz.ZOrderTable(spark, found.path).cluster(
                ["a", "b"], target_file_size="12KB", hudi_options=hudi_options
            )
            assert done.instant
            made[name] = found, done.instant
        return made[name]

    return table


def copied(table: Table, folder: Path) -> hz.ZOrderTable:
    path = folder / "t"
    shutil.copytree(table.path, path)
    return hz.ZOrderTable(table.spark, path)


def written_by(table: hz.ZOrderTable, instant: str) -> list[Path]:
    return sorted(Path(table.path).rglob(f"*_{instant}.parquet"))


def rewrite(file: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    content = pq.read_table(file, partitioning=None)
    pq.write_table(change(content), file, store_schema=False)
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)


def with_two_texts_swapped(content: pa.Table) -> pa.Table:
    text = content.schema.get_field_index("text")
    swapped = content["text"].to_pylist()
    assert swapped[0] != swapped[1]
    swapped[:2] = swapped[1::-1]
    return content.set_column(text, content.schema.field(text), [swapped])


@pytest.mark.parametrize(
    ("name", "hudi_options"),
    quick_first([("merge-on-read", None), ("copy-on-write", None), ("by Hudi", HUDIS)]),
)
def test_what_a_clustering_left_proves_that_it_kept_all_rows(
    clustered: Callable[..., tuple[Table, str]],
    tmp_path: Path,
    name: str,
    hudi_options: dict[str, str] | None,
) -> None:
    made, instant = clustered(name, hudi_options)
    table = copied(made, tmp_path)
    rows = sum(made.rows().values())

    found = table.verify()

    assert found.passed
    assert found.proven
    assert found.instant == instant
    assert (found.rows_replaced, found.rows_written, found.keys) == (rows, rows, rows)
    assert (found.wrong_statistics, found.wrong_keys) == ({}, 0)
    assert str(found).splitlines() == [
        f"Verified: clustering {instant}",
        f"  rows: it wrote the {rows:,} rows that it replaced",
        "  metadata table: lists all files that it wrote and queries read",
        "  column statistics: nothing that the files' footers deny",
        f"  record index: leads to rows of all {rows:,} keys",
    ]


@pytest.mark.slow
def test_what_was_proven_stays_so_while_the_table_lives_on(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    rows = sum(made.rows().values())
    moved = Table(made.spark, made.case, Path(table.path))
    moved.live_on()

    later = table.verify(instant)

    assert later.passed
    assert (later.rows_replaced, later.rows_written) == (rows, rows)
    assert later.keys == sum(moved.rows().values()) != rows


def test_a_row_that_a_file_has_lost_is_missed_by_each_proof(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    rows = sum(made.rows().values())
    file = written_by(table, instant)[0]
    rewrite(file, lambda content: content.slice(1))

    found = table.verify()

    assert not found.passed
    assert not found.same_rows
    assert (found.rows_replaced, found.rows_written) == (rows, rows - 1)
    assert {files[0] for files in found.wrong_statistics.values()} == {file.name}
    assert (found.keys, found.wrong_keys) == (rows - 1, 1)
    assert f"ROWS DIFFER: it replaced {rows:,} and wrote {rows - 1:,}" in str(found)
    assert "THE RECORD INDEX IS WRONG about 1 of" in str(found)


def test_a_value_that_a_file_has_changed_is_found_and_the_command_fails_by_it(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    rows = sum(made.rows().values())
    file = written_by(table, instant)[0]
    rewrite(file, with_two_texts_swapped)
    monkeypatch.setattr(made.spark, "stop", lambda: None)  # the command stops its own session

    found = CliRunner().invoke(app, ["verify", table.path, "--output", "json"])

    assert found.exit_code == 3
    told = json.loads(found.stdout)
    assert (told["passed"], told["proven"], told["same_rows"]) == (False, True, False)
    assert (told["rows_replaced"], told["rows_written"], told["wrong_keys"]) == (rows, rows, 0)


def test_a_record_index_that_missed_the_clustering_is_found(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    rows = sum(made.rows().values())
    entries = list(Path(table.path).glob(f".hoodie/metadata/record_index/.*_{instant}.log*"))
    assert entries
    for file in entries:
        file.unlink()

    found = table.verify()

    assert not found.passed
    assert (found.same_rows, found.wrong_statistics, found.wrong_keys) == (True, {}, rows)


def test_keys_of_several_rows_are_told_and_are_no_fault_of_the_record_index(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path
) -> None:
    made, _ = clustered("copy-on-write")
    table = copied(made, tmp_path)
    again = Table(made.spark, made.case, Path(table.path))
    again._write(made.case.rows(made.spark).where("id < 3"), "insert")
    snapshot = TableSnapshot.open(table.path)

    found = record_index.check_record_index(made.spark, snapshot, table.path, {})
    # Who reads the table by options of his own has its rows read by these.
    before_all = {"as.of.instant": "20200101000000000"}
    none = record_index.check_record_index(made.spark, snapshot, table.path, before_all)

    assert found == record_index.RecordIndexCheck(keys=ROWS, wrong=0, doubled=3)
    assert none == record_index.RecordIndexCheck(keys=0, wrong=ROWS, doubled=0)
    told = replace(FOUND, doubled_keys=3)
    assert told.passed
    assert "3 keys of several rows" in str(told)


@pytest.mark.slow
def test_what_is_committed_while_the_record_index_is_read_does_not_make_it_wrong(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = clustered("copy-on-write")
    table = copied(made, tmp_path)
    before = table.verify().keys
    written = iter([Table(made.spark, made.case, Path(table.path))])
    entries = record_index._entries

    def entries_after_a_write(spark: SparkSession, path: str) -> DataFrame:
        for other in written:
            other.live_on()
        return entries(spark, path)

    monkeypatch.setattr(record_index, "_entries", entries_after_a_write)

    found = table.verify()

    assert found.wrong_keys == 0
    assert found.keys != before


def test_the_command_says_what_the_cleaner_left_nothing_of(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    left = {file.name for file in written_by(table, instant)}
    old = {file.name: file for file in Path(table.path).glob("p*/*.parquet")}
    for name in old.keys() - left:
        old[name].unlink()
    monkeypatch.setattr(made.spark, "stop", lambda: None)  # the command stops its own session

    shown = CliRunner().invoke(app, ["verify", table.path, instant])
    as_json = CliRunner().invoke(app, ["verify", table.path, "--output", "json"])

    assert shown.exit_code == as_json.exit_code == 0, shown.output
    told = json.loads(as_json.output)
    assert (told["passed"], told["proven"]) == (True, False)
    cleaned = {Path(file).name for file in told["cleaned"]}
    assert len(cleaned) > 1
    assert cleaned <= old.keys() - left
    assert shown.output.startswith("Not proven:")
    assert f"not to be compared, for the cleaner has removed {len(cleaned)} files" in shown.output


def test_a_file_that_went_without_a_successor_is_told_as_lost_rows(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another execution of the same plan has deleted it."""
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    moved = Table(made.spark, made.case, Path(table.path))
    moved._write(made.case.rows(made.spark, changed=True), "upsert")  # to logs beside each file
    gone = written_by(table, instant)[0]
    gone.unlink()
    monkeypatch.setattr(made.spark, "stop", lambda: None)  # the command stops its own session

    shown = CliRunner().invoke(app, ["verify", table.path, instant])

    assert shown.exit_code == 3, shown.output
    assert shown.output.startswith("FAILED:")
    assert f"ROWS ARE LOST: 1 file that it wrote, such as {gone.name}" in " ".join(
        shown.output.split()
    )


def compacted(table: Table) -> None:
    table.live_on()


def clustered_again(table: Table) -> None:
    hz.ZOrderTable(table.spark, table.path).cluster(
        ["a", "b"], target_file_size="12KB", mode="full"
    )


@pytest.mark.slow
@pytest.mark.parametrize("later", [clustered_again, compacted])
def test_a_file_that_a_later_commit_has_outdated_was_the_cleaners(
    clustered: Callable[..., tuple[Table, str]], tmp_path: Path, later: Callable[[Table], None]
) -> None:
    made, instant = clustered("merge-on-read")
    table = copied(made, tmp_path)
    before = written_by(table, instant)
    later(Table(made.spark, made.case, Path(table.path)))
    everything = [file.name for file in Path(table.path).glob("p*/*.parquet")]
    for file in before:
        group = file.name.split("_")[0]
        newer = sum(name.startswith(group) for name in everything) > 1
        if newer or later is clustered_again:
            file.unlink()

    found = table.verify(instant)

    gone = {file.name for file in before if not file.exists()}
    assert gone
    assert {Path(file).name for file in found.cleaned} == gone
    assert (found.passed, found.proven, found.lost) == (True, False, ())


def test_what_was_never_clustered_cannot_be_verified(
    spark: SparkSession,
    clustered: Callable[..., tuple[Table, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, instant = clustered("merge-on-read")
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    refused = CliRunner().invoke(app, ["verify", str(made.path), "20200101"])
    assert refused.exit_code == 1
    assert re.search(f"'20200101' .* the last one is {instant}", refused.stderr)
    for key, fault in (
        ("hoodie.clustering.zorder.nonsense", hz.OptionError),
        ("hoodie.embed.timeline.server.port", hz.ClusteringError),
    ):
        with pytest.raises(fault, match="nonsense"):
            hz.ZOrderTable(spark, made.path).verify(hudi_options={key: "nonsense"})
    plain = Table(spark, Case("plain"), tmp_path / "t")
    plain._write(plain.case.rows(spark, ROWS // 10), "bulk_insert")
    with pytest.raises(hz.TableError, match="none was ever committed; cluster it first"):
        hz.ZOrderTable(spark, plain.path).verify()
