"""Timeline, configuration and file slices, from hand-made files and from tables that Hudi wrote."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import quick_first
from hudi_zorder.errors import TableError
from hudi_zorder.hudi.filesystem import open_location
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.table_config import parse_properties
from hudi_zorder.hudi.timeline import (
    COMPLETED,
    INFLIGHT,
    REQUESTED,
    parse_instant,
)
from plain_table import INSTANT, base_file, write_archive, write_plain_table

ROWS = pa.table({"id": [1, 2, 3]})
LATER = "20260102000000000"
LAST = "20260103000000000"


def table(tmp_path: Path, **properties: str) -> Path:
    entries = {f"hoodie.{key.replace('__', '.')}": value for key, value in properties.items()}
    return write_plain_table(tmp_path / "t", [ROWS], properties=entries)


def touch(path: Path, name: str, content: bytes = b"") -> None:
    file = path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def avro(record: dict[str, Any], schema: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    fastavro.writer(out, schema, [record])
    return out.getvalue()


def replace_commit(*file_ids: str, partition: str = "") -> bytes:
    ids = {"type": "map", "values": {"type": "array", "items": "string"}}
    field = {"name": "partitionToReplaceFileIds", "type": ids}
    schema = {"type": "record", "name": "Replace", "fields": [field]}
    return avro({"partitionToReplaceFileIds": {partition: list(file_ids)}}, schema)


def paths(path: Path) -> list[str]:
    return [part.path for part in TableSnapshot.open(path).slices]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("20260101000000000_20260101000001000.commit", ("commit", COMPLETED, "20260101000001000")),
        ("20260101000000000_20260101000001000.replacecommit", ("replacecommit", COMPLETED, "2026")),
        ("20260101000000000.commit", ("commit", COMPLETED, None)),
        ("20260101000000000.inflight", ("commit", INFLIGHT, None)),
        ("20260101000000000.commit.requested", ("commit", REQUESTED, None)),
        ("20260101000000000.clustering.inflight", ("clustering", INFLIGHT, None)),
        ("20260101000000000.deltacommit.inflight", ("deltacommit", INFLIGHT, None)),
        ("20260101.savepoint", ("savepoint", COMPLETED, None)),
    ],
)
def test_instants_are_read_from_file_names(
    name: str, expected: tuple[str, str, str | None]
) -> None:
    instant = parse_instant(name)
    assert instant is not None
    assert (instant.action, instant.state) == expected[:2]
    assert (instant.completion_time or "").startswith(expected[2] or "")
    assert bool(instant.completion_time) == bool(expected[2])


@pytest.mark.parametrize(
    "name", ["hoodie.properties", "history", "20260101", ".20260101.commit.crc", "a.commit", ""]
)
def test_other_files_are_no_instants(name: str) -> None:
    assert parse_instant(name) is None


def test_properties_are_read_as_java_writes_them() -> None:
    text = "#Updated at 2026\n!x\na.b=c\\=d\\:e\nu=\\u00e9\\t1\nempty=\nspaced = v \nk\\ 1=x\nc:d\n"
    expected = {"a.b": "c=d:e", "u": "é\t1", "empty": "", "spaced": "v", "k 1": "x", "c": "d"}
    assert parse_properties(text) == expected


def test_config(tmp_path: Path) -> None:
    path = table(tmp_path, table__partition__fields="day:timestamp,region")
    config = TableSnapshot.open(path).config
    assert (config.name, config.version, config.table_type) == ("t", 9, "COPY_ON_WRITE")
    assert config.partition_fields == ("day", "region")


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"table__version": "10"}, "'hoodie.table.version' was '10'"),
        ({"table__base__file__format": "ORC"}, "'hoodie.table.base.file.format' was 'ORC'"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(
    tmp_path: Path, properties: dict[str, str], message: str
) -> None:
    with pytest.raises(TableError, match=message):
        TableSnapshot.open(table(tmp_path, **properties))


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"there is no Hudi table, 'path' was '.*nothing'"):
        TableSnapshot.open(tmp_path / "nothing")


def test_a_file_in_place_of_a_folder_is_refused(tmp_path: Path) -> None:
    touch(tmp_path, "file")
    with pytest.raises(TableError, match=r"there is no Hudi table, 'path' was '.*file'"):
        TableSnapshot.open(tmp_path / "file")


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path)
    (path / ".hoodie/hoodie.properties").unlink()
    (path / ".hoodie/hoodie.properties").mkdir()
    with pytest.raises(TableError, match=r"'.*hoodie.properties' cannot be opened \(.*user may"):
        TableSnapshot.open(path)


@pytest.mark.parametrize("form", ["{}", "{}/", "file:{}", "file://{}", "local://{}"])
def test_paths_and_urls(tmp_path: Path, form: str) -> None:
    path = table(tmp_path)
    assert len(TableSnapshot.open(form.format(path)).slices) == 1


def test_a_memory_filesystem(tmp_path: Path) -> None:
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.put(str(table(tmp_path)), "/lake/t", recursive=True)
    snapshot = TableSnapshot.open("memory://lake/t")
    assert [part.path for part in snapshot.slices] == [base_file("0")]
    assert list(snapshot.schema.leaves) == ["id"]


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(TableError, match="no file system serves it, 'path' was 'nope://x'"):
        open_location("nope://x")


def test_the_newest_completed_base_file_counts(tmp_path: Path) -> None:
    path = table(tmp_path)
    pq.write_table(ROWS, path / base_file("0", LATER))
    pq.write_table(ROWS, path / base_file("1", LATER))
    assert paths(path) == [base_file("0")]
    touch(path, f".hoodie/timeline/{LATER}.inflight")
    assert paths(path) == [base_file("0")]
    touch(path, f".hoodie/timeline/{LATER}_{LAST}.commit")
    assert paths(path) == [base_file("0", LATER), base_file("1", LATER)]


def test_of_a_first_write_that_is_under_way_nothing_is_there_to_be_seen(tmp_path: Path) -> None:
    path = table(tmp_path)
    [done] = (path / ".hoodie/timeline").glob("*.commit")
    done.rename(done.with_name(f"{INSTANT}.inflight"))
    assert paths(path) == []


def test_of_two_files_of_one_instant_the_retry_of_the_task_counts(tmp_path: Path) -> None:
    path = table(tmp_path)
    # Folders are listed in no order: of many, the last is hardly the first.
    for attempt in range(1, 9):
        touch(path, f"f0-0_0-0-{attempt}_{INSTANT}.parquet")
    (part,) = TableSnapshot.open(path).slices
    assert part.path == f"f0-0_0-0-8_{INSTANT}.parquet"


def test_replaced_file_groups_are_gone(tmp_path: Path) -> None:
    path = table(tmp_path)
    pq.write_table(ROWS, path / base_file("1", LATER))
    content = replace_commit("f0-0")
    touch(path, f".hoodie/timeline/{LATER}_{LAST}.replacecommit", content)
    assert paths(path) == [base_file("1", LATER)]


def test_replaced_file_groups_of_another_partition_stay(tmp_path: Path) -> None:
    path = table(tmp_path)
    content = replace_commit("f0-0", partition="day=1")
    touch(path, f".hoodie/timeline/{LATER}_{LAST}.replacecommit", content)
    assert paths(path) == [base_file("0")]


def test_log_files_belong_to_the_slice_they_were_completed_after(tmp_path: Path) -> None:
    path = table(tmp_path)
    pq.write_table(ROWS, path / base_file("0", LATER))  # a compaction, requested at LATER
    touch(path, f".hoodie/timeline/{LATER}_20260102000009000.commit")
    touch(path, ".hoodie/timeline/20260101120000000_20260101130000000.deltacommit")
    touch(path, ".hoodie/timeline/20260101230000000_20260102000001000.deltacommit")
    touch(path, f".hoodie/timeline/{LAST}.deltacommit.inflight")
    for instant in ("20260101120000000", "20260101230000000", LAST):
        touch(path, f".f0-0_{instant}.log.1_0-1-2")
    touch(path, ".f0-0_20260101230000000.log.1_0-1-2.cdc")
    (part,) = TableSnapshot.open(path).slices
    assert part.base is not None
    assert part.base.instant == LATER
    # The first was compacted; the second was written meanwhile; the third is not completed.
    assert [log.name for log in part.logs] == [".f0-0_20260101230000000.log.1_0-1-2"]


def test_a_log_file_of_which_nobody_knows_when_it_was_completed_is_kept(tmp_path: Path) -> None:
    path = table(tmp_path)
    touch(path, ".f0-0_20251231000000000.log.1_0-1-2")  # archived, and not to be found there
    (part,) = TableSnapshot.open(path).slices
    assert part.base is not None
    assert part.has_logs


def test_a_log_file_that_hudi_takes_for_a_pending_one_is_kept(tmp_path: Path) -> None:
    """Its write was archived behind a restore, of which Hudi asks the archive nothing."""
    path = table(tmp_path)
    logged = "20251231000000000"
    touch(path, f".f0-0_{logged}.log.1_0-1-2")
    row = {"instantTime": logged, "completionTime": logged, "action": "deltacommit"}
    write_archive(
        path, {"a.parquet": pa.Table.from_pylist([{**row, "metadata": b"", "plan": b""}])}
    )
    [part] = TableSnapshot.open(path).slices
    assert not part.has_logs
    restored = "20251230000000000"
    touch(path, f".hoodie/timeline/{restored}_{restored}.restore")
    [part] = TableSnapshot.open(path).slices
    assert [log.instant for log in part.logs] == [logged]


def test_a_slice_of_log_files_alone(tmp_path: Path) -> None:
    path = table(tmp_path)
    touch(path, f".f9-0_{INSTANT}.log.1_0-1-2", b"12345")
    alone = TableSnapshot.open(path).slices[0]
    assert (alone.base, alone.size, alone.has_logs) == (None, 5, True)


def test_version_6_log_files_name_their_base_file(tmp_path: Path) -> None:
    path = table(tmp_path, table__version="6", timeline__layout__version="1")
    touch(path, f".hoodie/{INSTANT}.commit", b"{}")
    touch(path, f".hoodie/{LATER}.deltacommit", b"{}")
    touch(path, f".f0-0_{INSTANT}.log.1_0-1-2")
    snapshot = TableSnapshot.open(path)
    assert [len(part.logs) for part in snapshot.slices] == [1]
    assert not snapshot.timeline.reads_archive


def test_version_6_log_files_of_a_failed_write_begin_no_slice(tmp_path: Path) -> None:
    """It leaves them beside a block that takes it back, and the next write begins a slice anew."""
    path = table(tmp_path, table__version="6", timeline__layout__version="1")
    touch(path, f".hoodie/{INSTANT}.deltacommit", b"{}")
    touch(path, f".hoodie/{LATER}.deltacommit.inflight")
    touch(path, f".hoodie/{LAST}.deltacommit", b"{}")
    compaction = "20260104000000000"
    touch(path, f".hoodie/{compaction}.compaction.requested")
    for file_id, instants in {"f8": [LATER], "f9": [LATER, LAST, compaction]}.items():
        for instant in instants:
            touch(path, f".{file_id}-0_{instant}.log.1_0-1-2")
    begun = {part.file_id: part.logs for part in TableSnapshot.open(path).slices}
    assert begun.keys() == {"f0-0", "f9-0"}
    assert [log.instant for log in begun["f9-0"]] == [LAST, compaction]
    for archived in (f"{INSTANT}.deltacommit", f"{LATER}.deltacommit.inflight"):
        (path / ".hoodie" / archived).unlink()
    begun = {part.file_id: part.logs for part in TableSnapshot.open(path).slices}
    assert [log.instant for log in begun["f9-0"]] == [LAST, compaction]


@pytest.mark.parametrize(
    "first",
    [f"{LATER}_{LAST}.commit", f"{LATER}.compaction.requested", f"{LATER}.logcompaction.inflight"],
)
def test_archived_commits_are_visible(tmp_path: Path, first: str) -> None:
    path = table(tmp_path)
    (path / f".hoodie/timeline/{INSTANT}_20260101000001000.commit").unlink()
    touch(path, f".hoodie/timeline/{first}")
    assert paths(path) == [base_file("0")]


def test_a_savepoint_does_not_hide_what_was_archived_after_it(tmp_path: Path) -> None:
    path = table(tmp_path)
    pq.write_table(ROWS, path / base_file("1", "20260101120000000"))
    touch(path, f".hoodie/timeline/{INSTANT}_20260101000002000.savepoint")
    touch(path, f".hoodie/timeline/{LATER}_{LAST}.commit")
    assert len(paths(path)) == 2


def test_a_restore_to_the_oldest_savepoint_keeps_what_was_archived_before_it(
    tmp_path: Path,
) -> None:
    path = table(tmp_path)
    pq.write_table(ROWS, path / base_file("1", LATER))
    (path / f".hoodie/timeline/{INSTANT}_20260101000001000.commit").unlink()
    for action in ("commit", "savepoint"):
        touch(path, f".hoodie/timeline/{LATER}_{LAST}.{action}")
    assert paths(path) == [base_file("0"), base_file("1", LATER)]


def test_the_archive_is_read_by_its_newest_manifest(tmp_path: Path) -> None:
    path = table(tmp_path)
    history = path / ".hoodie/timeline/history"
    history.mkdir()
    commit = json.dumps({"operationType": "INSERT"}).encode()
    for name, time in (("new_0.parquet", "20250101000000000"), ("old_0.parquet", "2024")):
        row = {"instantTime": time, "completionTime": LAST, "action": "commit"}
        rows = [{**row, "metadata": commit, "plan": b""}]
        pq.write_table(pa.Table.from_pylist(rows), history / name)
    (history / "manifest_2").write_text(json.dumps({"files": [{"fileName": "new_0.parquet"}]}))
    (history / "_version_").write_text("2")
    timeline = TableSnapshot.open(path).timeline
    (instant,) = timeline.archived
    assert (instant.time, instant.completion_time) == ("20250101000000000", LAST)
    assert timeline.metadata(instant) == {"operationType": "INSERT"}
    assert timeline.plan(instant) == {}
    assert timeline.completion_time("20250101000000000") == LAST
    assert timeline.completion_time("20240101000000000") is None


def test_of_a_plan_that_is_gone_since_the_listing_nothing_is_known(
    tmp_path: Path,
) -> None:
    path = table(tmp_path)
    touch(path, f".hoodie/timeline/{LATER}.clustering.requested", b'{"operationType": "CLUSTER"}')
    plan = path / f".hoodie/timeline/{LATER}.clustering.requested"
    os.utime(plan, (0, 0))
    timeline = TableSnapshot.open(path).timeline
    [pending] = timeline.pending_clustering
    assert timeline.plan(pending) == {"operationType": "CLUSTER"}
    plan.unlink()
    assert timeline.plan(pending) == {}
    assert timeline.age(pending) == 0


def test_damaged_metadata_is_named(tmp_path: Path) -> None:
    path = table(tmp_path)
    touch(path, f".hoodie/timeline/{LATER}_{LAST}.replacecommit", b"Obj\x01 damaged")
    with pytest.raises(TableError, match=f"metadata of replacecommit '{LATER}' is damaged"):
        TableSnapshot.open(path).slices  # noqa: B018


def test_schema_changes_are_dated(tmp_path: Path) -> None:
    path = table(tmp_path)
    assert TableSnapshot.open(path).schema_changed_at == ""
    schemas = {"schemas": [{"version_id": 20250101000000000}, {"version_id": int(LATER)}]}
    touch(path, f".hoodie/.schema/{LAST}_{LAST}.schemacommit", json.dumps(schemas).encode())
    assert TableSnapshot.open(path).schema_changed_at == LATER


@pytest.mark.parametrize("version", quick_first(["9", "6"]))
def test_tables_that_hudi_wrote(
    spark: Any, tmp_path: Path, write_hudi: Callable[..., str], version: str
) -> None:
    """Slices are those of the hudi package, which reads the timeline independently."""
    from hudi import HudiTableBuilder

    merge_on_read = {
        "datasource__write__table__type": "MERGE_ON_READ",
        "datasource__write__partitionpath__field": "part",
        "metadata__enable": "false",
    }
    rows = spark.range(300).selectExpr("id", "id AS v", "concat('p', id % 2) AS part")
    upsert = {"datasource__write__operation": "upsert"}
    settings = {**merge_on_read, "write__table__version": version}
    settings["write__auto__upgrade"] = "false"
    path = write_hudi(rows, tmp_path / f"v{version}", **settings)
    for commit in range(3):
        inline = {"compact__inline": "true", "compact__inline__max__delta__commits": "2"}
        some = rows.where(f"part = 'p0' AND id < {20 * (commit + 1)}")
        write_hudi(some, path, **settings, **upsert, **inline)
    snapshot = TableSnapshot.open(path)
    ours = sorted((part.path, len(part.logs)) for part in snapshot.slices)
    slices = HudiTableBuilder.from_base_uri(path).build().get_file_slices()
    theirs = sorted((s.base_file_relative_path(), len(s.log_file_names)) for s in slices)
    assert ours == theirs
    assert sum(count for _, count in ours) == 1
    assert snapshot.config.version == int(version)
