"""Whether those agree who know the files of a past clustering: plan, commit, listings, storage."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import hudi_zorder as hz
from conftest import METADATA_TABLE, quick_first
from hudi_zorder.cli import app
from people_tables import MERGE_ON_READ, ROWS, Case, Table
from trial_table import timeline_of

LAYOUT: dict[str, Any] = {"columns": ["a", "b"], "target_file_size": "12KB"}


def kept_at(version: int) -> dict[str, str]:
    """What has Hudi write a table of an older version, and leave it so."""
    return {"write__table__version": str(version), "write__auto__upgrade": "false"}


KINDS: Mapping[str, Mapping[str, str]] = {
    "version 9, merge-on-read": MERGE_ON_READ,
    "version 9": {},
    "version 8": kept_at(8),
    "version 8, merge-on-read": {**MERGE_ON_READ, **kept_at(8)},
    "version 6": kept_at(6),
    "version 6, merge-on-read": {**MERGE_ON_READ, **kept_at(6)},
    "without a metadata table": {"metadata__enable": "false"},
}
WITH_METADATA_TABLE = [kind for kind in KINDS if kind != "without a metadata table"]
# Commits as JSON, and as Avro.
OF_BOTH_FORMATS = quick_first(["version 9", "version 6"])


@dataclass(frozen=True)
class Clustered:
    """A table that was clustered once.

    Attributes:
        table: as it is after that.
        instant: the clustering's.
        older: the metadata table as it was before, where the table has one.
    """

    table: Table
    instant: str
    older: Path

    @property
    def path(self) -> Path:
        """The table's folder."""
        return Path(self.table.path)

    def copied(self, folder: Path) -> Clustered:
        """The same table elsewhere."""
        path = shutil.copytree(self.path, folder / "t")
        return Clustered(Table(self.table.spark, self.table.case, path), self.instant, self.older)

    def verify(self) -> hz.Verification:
        """What is told of the clustering."""
        return hz.ZOrderTable(self.table.spark, self.path).verify(self.instant)

    def written(self) -> list[Path]:
        """The files that it wrote."""
        return sorted(self.path.glob(f"p*/*_{self.instant}.parquet"))

    def client(self, **settings: str) -> Any:
        """A write client of Hudi's."""
        options = {**self.table.case.options, **settings}
        keys = {f"hoodie.{key.replace('__', '.')}": value for key, value in options.items()}
        return hz.ZOrderTable(self.table.spark, self.path)._service._hudi._client(keys)


def clustered_by(table: Table, **more: Any) -> str:
    """Clusters a table, as its writer has it about a metadata table; returns the instant."""
    enabled = table.case.options.get("metadata__enable", "true")
    done = hz.ZOrderTable(table.spark, table.path).cluster(
        **LAYOUT, **more, hudi_options={METADATA_TABLE: enabled}
    )
    assert done.instant
    return done.instant


@pytest.fixture(scope="module")
def clustered(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Clustered]:
    """Makes a table of each kind once, to be copied."""

    @cache
    def made(kind: str) -> Clustered:
        folder = tmp_path_factory.mktemp("clustered")
        table = Table(spark, Case(kind, KINDS[kind]), folder / "t")
        table.make()
        if kind in WITH_METADATA_TABLE:
            shutil.copytree(folder / "t/.hoodie/metadata", folder / "older")
        return Clustered(table, clustered_by(table), folder / "older")

    return made


@pytest.fixture
def kind() -> str:
    """Which table it is, where a test is of one kind alone."""
    return "version 9"


@pytest.fixture
def one(clustered: Callable[[str], Clustered], tmp_path: Path, kind: str) -> Clustered:
    """A table of the kind, for one test."""
    return clustered(kind).copied(tmp_path)


@pytest.fixture
def rows(one: Clustered) -> int:
    """How many rows it has before anything is done to it."""
    return one.table.rows().total()


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, spark: SparkSession) -> Callable[[Clustered], Any]:
    """Returns what runs the command, which must fail, and returns its JSON."""
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session

    def fails(one: Clustered) -> Any:
        run = CliRunner().invoke(app, ["verify", str(one.path), one.instant, "--output", "json"])
        assert run.exit_code == 3, run.output
        return json.loads(run.stdout)

    return fails


def rolled_back(one: Clustered) -> None:
    """A write that is taken back again."""
    one.table._write(one.table.case.rows(one.table.spark, changed=True), "upsert")
    last = max(file.name[:17] for file in timeline_of(one.path).glob("2*commit"))
    with one.client() as client:
        assert client.rollback(last)


def clustered_again(one: Clustered) -> Clustered:
    """All of it is laid out anew; returns the table as it is after that."""
    return Clustered(one.table, clustered_by(one.table, mode="full"), one.older)


def cleaned(one: Clustered) -> None:
    one.table._write(one.table.case.rows(one.table.spark, 10), "upsert")
    with one.client(clean__commits__retained="1") as client:
        client.clean()
    assert not one.written()


def archived(one: Clustered) -> None:
    """As much of what came before is archived as may be."""
    tidy = {
        "clean__commits__retained": "1",
        "keep__min__commits": "2",
        "keep__max__commits": "3",
        "metadata__compact__max__delta__commits": "1",
    }
    instants = set(timeline_of(one.path).glob("2*commit"))
    rows = one.table.case.rows(one.table.spark, ROWS + 10)
    one.table._write(rows.where(f"id >= {ROWS}"), "insert", **tidy)
    assert instants - set(timeline_of(one.path).glob("2*commit"))


def agreed(found: hz.Verification, kind: str) -> None:
    """Nothing is told of any file."""
    assert found.passed, str(found)
    assert found.unlisted == (() if kind in WITH_METADATA_TABLE else None)
    assert (found.strays, found.kept, found.hidden) == ((), (), ())


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_agree_whatever_comes_later(one: Clustered, kind: str) -> None:
    rolled_back(one)
    one.table.live_on()
    agreed(one.verify(), kind)
    clustered_again(one)
    agreed(one.verify(), kind)
    cleaned(one)
    found = one.verify()
    agreed(found, kind)
    assert not found.proven


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_all_agree_where_what_came_before_is_archived(one: Clustered, kind: str) -> None:
    one.table.live_on()
    again = clustered_again(one)
    archived(again)
    agreed(again.verify(), kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", WITH_METADATA_TABLE)
def test_files_that_the_metadata_table_does_not_list_are_invisible(
    one: Clustered, rows: int, command: Callable[[Clustered], Any]
) -> None:
    """As where it was brought back from a copy that is older than the clustering."""
    bring_back_older(one)

    told = command(one)

    names = [file.name for file in one.written()]
    assert sorted(Path(file).name for file in told["unlisted"]) == sorted(names)
    assert (told["passed"], told["proven"], told["same_rows"]) == (False, True, True)
    assert (told["lost"], told["strays"], told["kept"], told["hidden"]) == ([], [], [], [])
    # What is told, a query meets.
    assert one.table.read(metadata__enable="true").count() == 0
    assert one.table.read(metadata__enable="false").count() == rows


def bring_back_older(one: Clustered) -> None:
    shutil.rmtree(one.path / ".hoodie/metadata")
    shutil.copytree(one.older, one.path / ".hoodie/metadata")


@pytest.mark.slow
def test_a_metadata_table_that_is_made_anew_lists_them_again(one: Clustered, rows: int) -> None:
    """What the message has whoever reads it do."""
    spark = one.table.spark
    bring_back_older(one)
    spark.sql(f"CREATE TABLE verified USING hudi LOCATION '{one.path}'")
    try:
        spark.sql("CALL delete_metadata_table(table => 'verified')")
    finally:
        spark.sql("DROP TABLE verified")
    one.table._write(one.table.case.rows(spark, 10), "upsert")

    agreed(one.verify(), "version 9")
    assert one.table.read(metadata__enable="true").count() == rows


@pytest.mark.slow
def test_a_metadata_table_whose_folder_was_deleted_is_none(one: Clustered, rows: int) -> None:
    """The table's properties name it until the next write; readers do without it."""
    shutil.rmtree(one.path / ".hoodie/metadata")

    found = one.verify()

    assert (found.passed, found.proven, found.same_rows) == (True, True, True), str(found)
    assert (found.unlisted, found.strays, found.wrong_statistics) == (None, (), None)
    assert "metadata table: the table has none that opens" in str(found)
    assert one.table.read(metadata__enable="true").count() == rows


def unlist(one: Clustered, file: Path) -> None:
    """Has Hudi's own writer of the metadata table take a file off, as for a cleaner."""
    jvm: Any = one.table.spark._jvm
    model, partition = jvm.org.apache.hudi.avro.model, file.parent.name
    gone = (
        model.HoodieCleanPartitionMetadata.newBuilder()
        .setPartitionPath(partition)
        .setPolicy("KEEP_LATEST_COMMITS")
        .setDeletePathPatterns([file.name])
        .setSuccessDeleteFiles([file.name])
        .setFailedDeleteFiles([])
        .setIsPartitionDeleted(False)
        .build()
    )
    with one.client() as client:
        time = client.createNewInstantTime(False)
        clean = (
            model.HoodieCleanMetadata.newBuilder()
            .setStartCleanTime(time)
            .setTimeTakenInMillis(0)
            .setTotalFilesDeleted(1)
            .setEarliestCommitToRetain(time)
            .setLastCompletedCommitTimestamp(time)
            .setPartitionMetadata({partition: gone})
            .setVersion(2)
            .setBootstrapPartitionMetadata({})
            .build()
        )
        sparks = jvm.org.apache.hudi.table.HoodieSparkTable
        table = sparks.create(client.getConfig(), client.getEngineContext())
        writer = jvm.org.apache.hudi.metadata.SparkMetadataWriterFactory.create(
            table.getStorageConf(),
            client.getConfig(),
            client.getEngineContext(),
            table.getMetaClient().getTableConfig(),
        )
        writer.update(clean, time)
        writer.close()


@pytest.mark.parametrize("kind", quick_first(["version 9", "version 9, merge-on-read"]))
def test_one_file_that_the_metadata_table_does_not_list_is_told(one: Clustered, rows: int) -> None:
    file = one.written()[0]
    unlist(one, file)

    found = one.verify()

    assert not found.passed
    assert found.unlisted is not None
    assert [Path(name) for name in found.unlisted] == [file]
    assert f"ROWS ARE INVISIBLE: the metadata table does not list 1 file, such as {file.name}" in (
        " ".join(str(found).split())
    )
    assert one.table.read(metadata__enable="true").count() < rows
    # The next clustering does not see it, and so leaves it where it is.
    clustered_again(one)
    assert one.verify().unlisted == found.unlisted


@pytest.mark.parametrize("kind", quick_first(["version 9", "without a metadata table"]))
def test_a_file_of_its_instant_that_it_did_not_write_is_a_stray(
    one: Clustered, rows: int, kind: str, command: Callable[[Clustered], Any]
) -> None:
    """As a task leaves it that outlives the clustering."""
    file = one.written()[0]
    stray = file.with_name(f"5eed{file.name[4:]}")
    shutil.copyfile(file, stray)

    told = command(one)

    assert [Path(name) for name in told["strays"]] == [stray]
    assert (told["passed"], told["proven"], told["same_rows"]) == (False, True, True)
    assert one.table.read(metadata__enable="false").count() > rows
    stray.unlink()
    agreed(one.verify(), kind)


def change_commit(one: Clustered, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes what the clustering's commit says."""
    [file] = timeline_of(one.path).glob(f"{one.instant}*.replacecommit")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    if file.read_bytes().startswith(b"{"):
        commit = json.loads(file.read_text())
        change(commit)
        file.write_text(json.dumps(commit))
        return
    with file.open("rb") as content:
        reader = fastavro.reader(content)
        [commit] = reader
        schema = reader.writer_schema
    change(commit)
    with file.open("wb") as content:
        fastavro.writer(content, schema, [commit])


@pytest.mark.parametrize("kind", OF_BOTH_FORMATS)
def test_file_groups_of_the_plan_that_were_not_replaced_are_told(
    one: Clustered, rows: int, command: Callable[[Clustered], Any]
) -> None:
    forgotten: list[str] = []
    change_commit(
        one, lambda commit: forgotten.append(commit["partitionToReplaceFileIds"]["p0"].pop())
    )

    told = command(one)

    assert told["kept"] == [f"p0/{forgotten[0]}"]
    assert (told["hidden"], told["unlisted"], told["strays"]) == ([], [], [])
    assert one.table.read().count() > rows


@pytest.mark.slow
@pytest.mark.parametrize("kind", OF_BOTH_FORMATS)
def test_file_groups_that_were_replaced_by_no_plan_are_told(
    one: Clustered, rows: int, command: Callable[[Clustered], Any]
) -> None:
    more = one.table.case.rows(one.table.spark, ROWS + 50).where(f"id >= {ROWS} AND part = 'p1'")
    one.table._write(more, "bulk_insert")
    [new] = {
        row[0].split("_")[0]
        for row in one.table.read().where(f"id >= {ROWS}").select("_hoodie_file_name").collect()
    }
    assert one.table.read().count() > rows
    change_commit(one, lambda commit: commit["partitionToReplaceFileIds"]["p1"].append(new))

    told = command(one)

    assert told["hidden"] == [f"p1/{new}"]
    assert (told["kept"], told["unlisted"], told["strays"]) == ([], [], [])
    assert one.table.read().count() == rows
