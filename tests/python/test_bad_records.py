"""What a table's timeline holds leads nowhere else, ends in a typed error, and takes little memory.

Tables are made by hand, and read by all that looks at a timeline.
"""

from __future__ import annotations

import copy
import io
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

import hudi_zorder as hz
from hudi_zorder.hudi import processes
from hudi_zorder.hudi.crash_leftovers import examine
from hudi_zorder.hudi.last_layout import options_again
from hudi_zorder.hudi.snapshot import TableSnapshot
from plain_table import CLUSTERED, PENDING, write_archive, write_clustered_table, write_plan
from test_archive import PLAN
from test_bad_input import commit_of, digest

Read = Callable[[Path], object]
Damage = Callable[[Path], object]


def history(path: Path) -> object:
    return hz.open_table(path).history().to_arrow()


def pending(path: Path) -> object:
    return hz.open_table(path).pending().to_arrow()


def explain(path: Path) -> object:
    return hz.open_table(path).explain("a = 5")


def information(path: Path) -> object:
    return hz.open_table(path).clustering_information(["a"], queries=["a = 5"])


def repair(path: Path) -> object:
    return examine(TableSnapshot.open(path))


def again(path: Path) -> object:
    return options_again(TableSnapshot.open(path), ["a"])


ROW = {
    "instantTime": "20250101",
    "completionTime": "20250102",
    "action": "replacecommit",
    "metadata": b"{}",
    "plan": json.dumps(PLAN).encode(),
}
NAME = "20250101_20250101_0.parquet"
DEEP = b'{"clusteringPlan": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


def rows(**other: Any) -> pa.Table:
    return pa.Table.from_pylist([ROW | other])


def manifest(content: bytes) -> Damage:
    return lambda path: write_archive(path, {NAME: rows()}, content)


def names(name: str) -> Damage:
    return manifest(json.dumps({"files": [{"fileName": name}]}).encode())


def archived(table: pa.Table) -> Damage:
    return lambda path: write_archive(path, {NAME: table})


def corrupt_archive(path: Path) -> None:
    spoil_pages(write_archive(path, {NAME: rows()}) / NAME)


def committed(key: str, value: object) -> Damage:
    def damage(path: Path) -> None:
        done = json.loads(commit_of(path).read_text())
        commit_of(path).write_text(json.dumps(done | {key: value}))

    return damage


def of_plan(key: str, value: object) -> Damage:
    return lambda path: write_plan(path, json.dumps(PLAN | {key: value}).encode())


def plan(content: bytes, action: str = "clustering") -> Damage:
    return lambda path: write_plan(path, content, action)


def asked(key: str, value: str) -> Damage:
    def damage(path: Path) -> None:
        told = copy.deepcopy(PLAN)
        told["clusteringPlan"]["strategy"]["strategyParams"][key] = value
        file = path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested"
        file.write_text(json.dumps(told))

    return damage


def spoil_pages(file: Path) -> None:
    """Overwrites the bytes of all pages, and leaves the footer as it is."""
    content = file.read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    end = len(content) - 8 - length
    file.write_bytes(content[:4] + b"\xff" * (end - 4) + content[end:])


def spoil_base_files(path: Path) -> None:
    for file in path.glob("*.parquet"):
        spoil_pages(file)


def avro(items: Any, codec: str = "null", count: int = 0, *, name: str = "inputGroups") -> bytes:
    """A container whose record has a list of many elements that take no bytes."""
    of_plan = {"type": "record", "name": "Plan", "fields": []}
    of_plan["fields"] = [{"name": name, "type": {"type": "array", "items": items}}]
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "clusteringPlan", "type": of_plan}],
    }
    out = io.BytesIO()
    fastavro.writer(out, schema, [{"clusteringPlan": {name: [None] * count}}], codec=codec)
    return out.getvalue()


def deep_type(depth: int) -> Any:
    return "int" if not depth else {"type": "array", "items": deep_type(depth - 1)}


ITSELF = {"type": "record", "name": "N", "fields": [{"name": "next", "type": ["null", "N"]}]}
MANIFEST = "manifest_1'"
ONE = f"{CLUSTERED}_20260102000000001.replacecommit'"
PLANNED = f"{PENDING}.clustering.requested'"
RECORDS: dict[str, tuple[Damage, Read, str, str]] = {
    "a manifest that is no JSON": (manifest(b'{"files": ['), history, MANIFEST, "is no manifest"),
    "a manifest that is a list": (manifest(b"[1]"), history, MANIFEST, "it is no object"),
    "a manifest of no files": (manifest(b'{"a": 1}'), history, MANIFEST, "it has no 'files'"),
    "a manifest that is a number": (manifest(b"7"), history, MANIFEST, "it is no object"),
    "a manifest that is null": (manifest(b"null"), history, MANIFEST, "it is no object"),
    "a manifest that nests": (manifest(DEEP), history, MANIFEST, "nests too deeply"),
    "a name that is a number": (
        manifest(b'{"files": [{"fileName": 7}]}'),
        history,
        MANIFEST,
        "'files[0].fileName' is no text, but int",
    ),
    "a name above the archive": (names(f"../{NAME}"), history, MANIFEST, "no name of a file"),
    "a name from the root": (names(f"/{NAME}"), history, MANIFEST, "no name of a file"),
    "a name within a folder": (names(f"x/{NAME}"), history, MANIFEST, "no name of a file"),
    "a name of a folder": (names(".."), history, MANIFEST, "no name of a file"),
    "an empty name": (names(""), history, MANIFEST, "no name of a file"),
    "a name that ends early": (names(f"x\0{NAME}"), history, MANIFEST, "no name of a file"),
    "an archive of others": (
        archived(pa.table({"a": [1]})),
        history,
        NAME,
        "no column 'instantTime'",
    ),
    "an archive without plans": (
        archived(rows().drop_columns(["plan"])),
        explain,
        NAME,
        "no column 'plan'",
    ),
    "times that are numbers": (archived(rows(instantTime=7)), history, NAME, "is of type int64"),
    "plans that are texts": (archived(rows(plan="{}")), explain, NAME, "is of type string"),
    "instants of no time": (
        archived(pa.Table.from_pylist([ROW, ROW | {"instantTime": None}])),
        history,
        NAME,
        "has no time",
    ),
    "an archived plan that nests": (archived(rows(plan=DEEP)), explain, NAME, "nests too deeply"),
    "an archive of corrupt pages": (corrupt_archive, history, NAME, "no readable Parquet file"),
    "written files that are a number": (
        committed("partitionToWriteStats", 7),
        history,
        ONE,
        "'partitionToWriteStats' is no object",
    ),
    "written files of no rows": (
        committed("partitionToWriteStats", {"": [{"fileId": "f", "fileSizeInBytes": 1}]}),
        history,
        ONE,
        "no 'partitionToWriteStats.[0].numWrites'",
    ),
    "rows that are a text": (
        committed("partitionToWriteStats", {"": [{"numWrites": "7", "fileSizeInBytes": 1}]}),
        history,
        ONE,
        "numWrites' is no whole number, but str",
    ),
    "rows that nobody counts": (
        committed("partitionToWriteStats", {"": [{"numWrites": 10**30, "fileSizeInBytes": 1}]}),
        history,
        ONE,
        "numWrites' is out of range",
    ),
    "a schema that is no JSON": (
        committed("extraMetadata", {"schema": "{"}),
        explain,
        CLUSTERED,
        "the schema in replacecommit",
    ),
    "a schema that is a list": (
        committed("extraMetadata", {"schema": "[]"}),
        explain,
        CLUSTERED,
        "no schema of a record",
    ),
    "a schema without types": (
        committed("extraMetadata", {"schema": '{"fields": [{"name": "a"}]}'}),
        explain,
        CLUSTERED,
        "no schema of a record: KeyError('type')",
    ),
    "a schema that nests": (
        committed("extraMetadata", {"schema": "[" * 100_000}),
        explain,
        CLUSTERED,
        "nests too deeply",
    ),
    "a plan of no groups": (of_plan("clusteringPlan", [1]), pending, PLANNED, "is no object"),
    "groups that are a text": (
        of_plan("clusteringPlan", {"inputGroups": "x"}),
        pending,
        PLANNED,
        "'clusteringPlan.inputGroups' is no list, but str",
    ),
    "a group of no slices": (
        of_plan("clusteringPlan", {"inputGroups": [{}]}),
        pending,
        PLANNED,
        "no 'clusteringPlan.inputGroups[0].slices'",
    ),
    "a slice of no partition": (
        of_plan("clusteringPlan", {"inputGroups": [{"slices": [{"fileId": "f"}]}]}),
        pending,
        PLANNED,
        "slices[0].partitionPath'",
    ),
    "a plan that nests": (plan(DEEP), pending, PLANNED, "nests too deeply"),
    "a plan that is a list": (plan(b"[]"), pending, PLANNED, "it is no object"),
    "a plan of groups that are nothing": (plan(avro("null")), pending, PLANNED, "no bytes"),
    "a plan of empty records": (
        plan(avro({"type": "record", "name": "E", "fields": []})),
        pending,
        PLANNED,
        "'E' takes no bytes",
    ),
    "a plan of empty texts of a size": (
        plan(avro({"type": "fixed", "name": "F", "size": 0})),
        pending,
        PLANNED,
        "'F' takes no bytes",
    ),
    "a plan that holds itself": (plan(avro(ITSELF)), pending, PLANNED, "holds itself"),
    "a plan of deep types": (plan(avro(deep_type(200))), pending, PLANNED, "deeper than 64"),
    "a compressed plan": (plan(avro("int", "deflate")), pending, PLANNED, "compressed by"),
    "queries that are a number": (
        asked("hoodie.clustering.zorder.queries", "7"),
        history,
        CLUSTERED,
        "'hoodie.clustering.zorder.queries' was '7'",
    ),
    "queries of no boxes": (
        asked("hoodie.clustering.zorder.queries", '{"queries": [[1, 7]]}'),
        information,
        "the last clustering",
        "'hoodie.clustering.zorder.queries' was",
    ),
    "a size that is no number": (
        asked("hoodie.clustering.plan.strategy.target.file.max.bytes", "large"),
        again,
        "the last clustering",
        "target.file.max.bytes' was 'large'",
    ),
    "corrupt pages": (spoil_base_files, explain, ".parquet'", "cannot be read"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_bad_record_gets_an_error_that_names_its_file(tmp_path: Path, name: str) -> None:
    damage, read, file, why = RECORDS[name]
    path = write_clustered_table(tmp_path / "t")
    damage(path)
    before = digest(tmp_path)

    with pytest.raises(hz.HudiZOrderError) as refused:
        read(path)

    assert type(refused.value).__name__ in ("TableError", "DamagedInstantError")
    assert str(refused.value).startswith("Cannot ")
    assert file in str(refused.value)
    assert why in str(refused.value)
    assert "; " in str(refused.value)  # what to do
    assert digest(tmp_path) == before


def test_a_compressed_plan_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    file = write_plan(path, avro(["null"], "deflate", 2_000_000))
    assert file.stat().st_size < 10_000
    tracemalloc.start()

    with pytest.raises(hz.TableError):
        pending(path)

    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_file_larger_than_any_of_hudis_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    os.truncate(commit_of(path), 1 << 40)
    with pytest.raises(hz.TableError, match=r"replacecommit' has 1,099,511,627,776 bytes"):
        history(path)


def test_a_plan_that_ends_early_is_one_that_was_not_written_whole(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    whole = avro("int")
    for length in range(len(whole) - 16):  # a mark of 16 bytes ends a record
        write_plan(path, whole[:length])
        [found] = hz.open_table(path).pending()
        assert "it was not written whole" in found.standing


def test_a_process_is_looked_up_by_its_number_alone() -> None:
    machine = " ".join(processes._machine())
    assert processes.is_dead(f"{machine} 999999999 1")
    assert not processes.is_dead(f"{machine} ../999999999 1")


def parts(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values within one."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*place, key)
        if isinstance(inner, (dict, list)):
            yield from parts(inner, (*place, key))


def changed(value: Any, place: tuple[Any, ...], into: Any) -> Any:
    value = copy.deepcopy(value)
    holder = value
    for key in place[:-1]:
        holder = holder[key]
    if into is parts:
        del holder[place[-1]]
    else:
        holder[place[-1]] = into
    return value


OTHERS = (parts, None, 7, 1e400, "x", [None], {"x": None}, {"": [{}]})


def test_no_record_of_another_shape_ends_in_an_untyped_error(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    told = copy.deepcopy(PLAN) | {"extraMetadata": {"hudi-zorder.executor": "a b 7 c"}}
    slices = [{"partitionPath": "", "fileId": "f1", "dataFilePath": "x", "deltaFilePaths": ["y"]}]
    metrics = {"hoodie.clustering.zorder.bytes": 5.0}
    told["clusteringPlan"]["inputGroups"] = [{"metrics": metrics, "slices": slices}]
    done = json.loads(commit_of(path).read_text())
    done["partitionToWriteStats"][""] = done["partitionToWriteStats"][""][:1]
    requested = path / f".hoodie/timeline/{CLUSTERED}.replacecommit.requested"
    for file, record, reads in (
        (requested, told, (history, again)),
        (write_plan(path, b""), told, (pending, repair)),
        (commit_of(path), done, (history, information)),
    ):
        for place in parts(record):
            for other in OTHERS:
                file.write_text(json.dumps(changed(record, place, other)))
                for read in reads:
                    with suppress(hz.HudiZOrderError):
                        read(path)
        file.write_text(json.dumps(record))


def test_no_damage_to_an_avro_file_ends_in_an_untyped_error(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    whole = avro("int")
    for position in range(len(whole)):
        for other in (1, 0xFF):
            damaged = whole[:position] + bytes([other]) + whole[position + 1 :]
            write_plan(path, damaged)
            with suppress(hz.HudiZOrderError):
                pending(path)
