"""Where a table lies: as Hadoop takes its URL, and as the session is set up."""

from __future__ import annotations

import copy
import datetime as dt
import os
import pickle
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from fsspec import AbstractFileSystem
from fsspec.implementations.dirfs import DirFileSystem
from fsspec.implementations.local import LocalFileSystem
from pyspark.sql import SparkSession

import hudi_zorder as hz
from hudi_tables import session_settings
from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.eventlog.log_files import find_logs
from hudi_zorder.hudi.filesystem import S3_SETTINGS, open_location
from hudi_zorder.hudi.heartbeats import heartbeats
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm import process
from hudi_zorder.spark._jvm.session_state import hadoop_settings
from hudi_zorder.spark.location import is_local, located
from hudi_zorder.spark.settings import Settings
from plain_table import (
    CLUSTERED,
    COMPLETED,
    INSTANT,
    PENDING,
    base_file,
    write_plain_table,
    write_plan,
)

S3 = {"fs.s3a.endpoint": "http://127.0.0.1:9", "fs.s3a.access.key": "a", "fs.s3a.secret.key": "b"}


@pytest.mark.parametrize(
    "path", ["a b", "größe/漢", "a%41b", "day=2026-01-01/%2F", "a?b", "a#b", "a+b&c", "plain/"]
)
@pytest.mark.parametrize(
    ("place", "options"),
    [
        ("gs://bucket", ""),
        ("abfss://bucket@account.dfs.core.windows.net", "?credential_kind=anonymous"),
        ("abfss://bucket:a2V5@account.dfs.core.windows.net", ""),
    ],
    ids=["gs", "azure", "azure with a key"],
)
def test_the_path_of_an_object_store_is_taken_literally(
    place: str, options: str, path: str
) -> None:
    assert open_location(f"{place}/{path}{options}")[1] == f"bucket/{path}".rstrip("/")


def test_options_of_arrow_stay_options() -> None:
    filesystem, path = open_location("s3a://bucket/a b%41?region=eu-north-1")
    assert path == "bucket/a b%41"
    assert filesystem.region == "eu-north-1"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (
            {**S3, "fs.s3a.path.style.access": "true"},
            {"endpoint_override": "http://127.0.0.1:9", "access_key": "a", "secret_key": "b"},
        ),
        (
            {
                "fs.s3a.endpoint": "s3.amazonaws.com",
                "fs.s3a.endpoint.region": "x",
                "fs.s3a.bucket.lake.endpoint.region": "y",
            },
            {"region": "y"},
        ),
        (
            {"fs.s3a.endpoint": "h:9", "fs.s3a.connection.ssl.enabled": "false"},
            {"endpoint_override": "h:9", "scheme": "http", "force_virtual_addressing": True},
        ),
        *(
            (
                {"fs.s3a.endpoint": host, **region},
                {"endpoint_override": host, "force_virtual_addressing": True, "region": expected},
            )
            for host, region, expected in (
                ("s3.eu-north-1.amazonaws.com", {}, "eu-north-1"),
                ("s3.eu-north-1.amazonaws.com", {"fs.s3a.endpoint.region": "x"}, "x"),
                ("https://s3-us-gov-west-1.amazonaws.com/", {}, "us-gov-west-1"),
                ("s3-fips.dualstack.us-east-2.amazonaws.com:443", {}, "us-east-2"),
                ("s3.cn-north-1.amazonaws.com.cn", {}, "cn-north-1"),
                ("vpce-0a-1b-us-west-2a.s3.us-west-2.vpce.amazonaws.com", {}, "us-west-2"),
            )
        ),
    ],
)
def test_settings_of_hadoop_hold_for_s3a(
    settings: Mapping[str, str], expected: Mapping[str, Any]
) -> None:
    filesystem, path = open_location("s3a://lake/a b/%41", hadoop=settings)
    assert path == "lake/a b/%41"
    assert filesystem == pa.fs.S3FileSystem(**expected)


def test_a_file_system_of_one_s_own(tmp_path: Path) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    for own in (
        pa.fs.SubTreeFileSystem(str(tmp_path), pa.fs.LocalFileSystem()),
        DirFileSystem(str(tmp_path), fsspec.filesystem("file")),
    ):
        snapshot = TableSnapshot.open("s3a://t", filesystem=own)
        assert list(snapshot.schema.leaves) == ["a"]


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("hdfs://host:8020/lake/t", "/lake/t"),
        ("abfss://box@account.dfs.core.windows.net/lake/t", "box/lake/t"),
        ("s3a://bucket/t/", "bucket/t"),
        ("file:/lake/t", "/lake/t"),
        ("file:///lake/t", "/lake/t"),
        ("t", "t"),
    ],
)
def test_the_path_in_a_file_system_of_one_s_own(url: str, path: str) -> None:
    assert open_location(url, filesystem=pa.fs.LocalFileSystem())[1] == path


def test_what_is_no_file_system_is_refused() -> None:
    with pytest.raises(OptionError, match="'filesystem' was 's3'; give one of pyarrow or fsspec"):
        open_location("s3://bucket/t", filesystem="s3")
    for kind in (LocalFileSystem, pa.fs.LocalFileSystem):
        with pytest.raises(OptionError, match=r"'filesystem' was <class .*; give one of pyarrow"):
            open_location("/lake/t", filesystem=kind)
    with pytest.raises(OptionError, match=r"'storage_options' has nope, token, .*; give") as told:
        open_location("github://x/t", storage_options={"nope": 1, "token": "a secret"})
    assert "secret" not in str(told.value)
    with pytest.raises(OptionError, match=r"'storage_options' is empty, which .* does not take"):
        open_location("github://x/t")


class _StoreOfACloud(LocalFileSystem):  # type: ignore[misc]
    """Local files, with what fsspec's stores of clouds have: remembered listings, other words."""

    protocol = "cloud"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(LocalFileSystem._strip_protocol(path.replace("cloud://", "file://")))

    def ls(self, path: str, detail: bool = False, **extra: Any) -> Any:
        path = self._strip_protocol(path)
        found = self._ls_from_cache(path)
        if found is None:
            found = super().ls(path, detail=True, **extra)
            self.dircache[path] = found
        return found if detail else [entry["name"] for entry in found]

    def modified(self, path: str) -> dt.datetime:
        return dt.datetime.fromtimestamp(self.info(path)["LastModified"], tz=dt.UTC)

    def info(self, path: str, **extra: Any) -> dict[str, Any]:
        found = super().info(path, **extra)
        return {"LastModified" if key == "mtime" else key: value for key, value in found.items()}

    def invalidate_cache(self, path: str | None = None) -> None:
        self.dircache.clear()


def test_a_table_that_is_opened_again_shows_later_commits(tmp_path: Path) -> None:
    fsspec.register_implementation("cloud", _StoreOfACloud, clobber=True)
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    in_arrow, in_subtree = (
        pa.fs.PyFileSystem(pa.fs.FSSpecHandler(_StoreOfACloud(skip_instance_cache=True)))
        for _ in range(2)
    )
    ways: list[dict[str, Any]] = [
        {"storage_options": {}},
        {"filesystem": _StoreOfACloud()},
        {"filesystem": in_arrow},
        {"filesystem": pa.fs.SubTreeFileSystem("/", in_subtree)},
    ]

    def rows() -> list[int]:
        tables = (hz.open_table(f"cloud://{path}", **way) for way in ways)
        return [table.column_stats()["rows"][0].as_py() for table in tables]

    assert rows() == [1] * 4
    (path / base_file("0")).rename(path / base_file("0", CLUSTERED))
    pq.write_table(pa.table({"a": [1, 2]}), path / base_file("0", CLUSTERED))
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").touch()
    assert rows() == [2] * 4


@pytest.mark.parametrize("in_subtree", [False, True])
def test_a_table_as_it_stands_by_now_shows_later_commits(tmp_path: Path, in_subtree: bool) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    store: Any = _StoreOfACloud(skip_instance_cache=True)
    if in_subtree:
        in_arrow = pa.fs.PyFileSystem(pa.fs.FSSpecHandler(store))
        store = pa.fs.SubTreeFileSystem("/", in_arrow)
    snapshot = TableSnapshot.open(path, filesystem=store)
    assert [instant.time for instant in snapshot.timeline.completed] == [INSTANT]
    assert len(snapshot.slices) == 1
    pq.write_table(pa.table({"a": [2]}), path / base_file("1", CLUSTERED))
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").touch()
    now = snapshot.now()
    assert [instant.time for instant in now.timeline.completed] == [INSTANT, CLUSTERED]
    assert len(now.slices) == 2


class _StoreOfAzure(LocalFileSystem):  # type: ignore[misc]
    """Local files, searched to any depth whatever is asked for, as adlfs has it."""

    def find(self, path: str, maxdepth: int | None = None, **options: Any) -> Any:
        return super().find(path, **options)


def test_a_listing_does_not_go_deeper_than_it_is_to(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", {"day=1/0": pa.table({"a": [1]})})
    for file in (
        f"day=1/.f0-0_{INSTANT}.log.1_0-0-0",
        f".hoodie/timeline/history/{INSTANT}_{COMPLETED}_0.parquet",
        f".hoodie/metadata/files/.files-0000-0_{INSTANT}.log.1_0-0-0",
    ):
        (path / file).parent.mkdir(parents=True, exist_ok=True)
        (path / file).touch()
    [found] = TableSnapshot.open(path, filesystem=_StoreOfAzure()).slices
    assert [found] == [*TableSnapshot.open(path).slices]
    assert len(found.logs) == 1


def test_event_logs_of_two_applications_stay_apart_in_any_store(tmp_path: Path) -> None:
    for name in ("a", "b"):
        folder = tmp_path / f"eventlog_v2_{name}"
        folder.mkdir()
        (folder / f"events_1_{name}").touch()
    _, logs = find_logs(tmp_path, _StoreOfAzure())
    assert logs == find_logs(tmp_path)[1]
    assert [len(log.files) for log in logs] == [1, 1]


def test_a_heart_that_has_long_been_still_is_dead_in_any_store(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    beat = path / ".hoodie/.heartbeat" / PENDING
    beat.parent.mkdir()
    beat.touch()
    os.utime(beat, times=(time.time() - 3600,) * 2)
    for filesystem in (None, _StoreOfACloud()):
        [heart] = heartbeats(TableSnapshot.open(path, filesystem=filesystem)).values()
        assert heart.seconds == pytest.approx(3600, abs=60)


def test_storage_options_go_to_fsspec(tmp_path: Path) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    options = {"fo": None, "target_protocol": "file"}
    with pytest.raises(TableError, match="no file system serves it"):
        TableSnapshot.open("nope://t", storage_options=options)
    snapshot = TableSnapshot.open(
        f"simplecache::file://{tmp_path / 't'}", storage_options={"file": {"auto_mkdir": False}}
    )
    assert list(snapshot.schema.leaves) == ["a"]


@pytest.mark.parametrize("scheme", ["abfs", "abfss", "az"])
def test_azure_without_credentials_is_told_what_to_give(
    monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """Arrow's own file system would end the process."""
    monkeypatch.setitem(sys.modules, "adlfs", None)
    with pytest.raises(TableError, match=r"pip install adlfs, and set AZURE_STORAGE_"):
        open_location(f"{scheme}://box@account.dfs.core.windows.net/t")


def test_azure_is_opened_by_the_fsspec_package_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[str] = []

    def url_to_fs(url: str, **options: Any) -> tuple[Any, str]:
        opened.append(url)
        return LocalFileSystem(**options), "box/t"

    monkeypatch.setattr("fsspec.core.url_to_fs", url_to_fs)
    url = "abfss://box@account.dfs.core.windows.net/t"
    assert open_location(url)[1] == "box/t"
    assert opened == [url]


@pytest.mark.parametrize("options", [None, {"timeout": 5}], ids=["no options", "options"])
def test_a_server_that_refuses_is_no_missing_package(options: dict[str, Any] | None) -> None:
    with pytest.raises(TableError, match=r"cannot be reached.*refused.*network") as told:
        open_location("ftp://127.0.0.1:9/t", storage_options=options)
    assert "install" not in str(told.value)


def test_an_error_has_one_line_of_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_uri(_: str) -> Any:
        raise OSError("Unable to load libjvm\n" + "dlopen failed\n" * 88)

    stand_in = type("FileSystem", (pyarrow.fs.FileSystem,), {"from_uri": staticmethod(from_uri)})
    monkeypatch.setattr(pyarrow.fs, "FileSystem", stand_in)
    with pytest.raises(TableError, match=r"\(Unable to load libjvm\); see the name") as told:
        open_location("hdfs://127.0.0.1:9/t")
    assert "\n" not in str(told.value)
    assert "CLASSPATH, as 'hadoop classpath --glob' prints it" in str(told.value)


class _StoreThatRefuses(LocalFileSystem):  # type: ignore[misc]
    def open(self, path: str, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no token from the credentials\nAttempted: ...")


def test_an_error_of_a_store_s_own_is_of_the_table(tmp_path: Path) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    with pytest.raises(TableError, match=r"cannot be opened \(no token from the credentials\)"):
        hz.open_table(tmp_path / "t", filesystem=_StoreThatRefuses())


class _StoreThatForbids(LocalFileSystem):  # type: ignore[misc]
    """One that looks a path up by a request, which it may refuse, as stores of clouds do."""

    isfile = AbstractFileSystem.isfile
    exists = AbstractFileSystem.exists
    forbidden = ""

    def info(self, path: Any, **options: Any) -> Any:
        if isinstance(path, str) and path.endswith(self.forbidden):
            raise RuntimeError("403")
        return super().info(path, **options)


@pytest.mark.parametrize("forbidden", ["", ".clustering.requested"])
def test_what_may_not_be_read_is_not_taken_for_what_is_not_there(
    tmp_path: Path, forbidden: str
) -> None:
    """For no table, or for a plan that was not written whole, which a repair would roll back."""
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    write_plan(path, b'{"operationType": "CLUSTER"}')
    store = _StoreThatForbids(skip_instance_cache=True)
    store.forbidden = forbidden
    with pytest.raises(TableError, match=r"cannot be opened \(403\)"):
        hz.open_table(path, filesystem=store).pending()


class _StoreOfFolders(LocalFileSystem):  # type: ignore[misc]
    """One that lists a tree folder by folder, as SFTP and WebHDFS do."""

    forbidden = gone = ""

    def ls(self, path: str, detail: bool = False, **options: Any) -> Any:
        if self.forbidden and path.endswith(self.forbidden):
            raise PermissionError(13, "Permission denied", path)
        if self.gone and path.endswith(self.gone):
            raise FileNotFoundError(path)
        return super().ls(path, detail=detail, **options)


def test_a_folder_that_may_not_be_listed_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    files = {f"p={place}/0": pa.table({"a": [place]}) for place in (1, 2)}
    path = write_plain_table(tmp_path / "t", files)
    store = _StoreOfFolders(skip_instance_cache=True)
    store.gone = "p=1"
    assert len(TableSnapshot.open(path, filesystem=store).slices) == 1
    store.forbidden = "p=2"
    with pytest.raises(TableError, match="Permission denied"):
        hz.open_table(path, filesystem=store).column_stats(["a"])


class _StoreOfAnHour(LocalFileSystem):  # type: ignore[misc]
    """One whose token ends while a table is read."""

    ended = ""

    def open(self, path: str, *_: Any, **__: Any) -> Any:
        file = super().open(path, "rb")
        if self.ended and self.ended in path:
            file.read = self._refuse
        return file

    def _refuse(self, *_: Any) -> Any:
        raise RuntimeError("the token has expired")


@pytest.mark.parametrize("arrow", [False, True])
def test_so_is_one_that_comes_while_footers_are_read(tmp_path: Path, arrow: bool) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    store = _StoreOfAnHour(skip_instance_cache=True)
    served = pa.fs.PyFileSystem(pa.fs.FSSpecHandler(store)) if arrow else store
    table = hz.open_table(tmp_path / "t", filesystem=served)
    store.ended = ".parquet"
    with pytest.raises(TableError, match=r"f0-0_0.*\(the token has expired\)"):
        table.column_stats(["a"])


def test_a_copy_of_a_table_in_a_store_of_fsspec_s_is_read_alike(tmp_path: Path) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    table = hz.open_table(tmp_path / "t", filesystem=LocalFileSystem())
    stats = table.column_stats(["a"])
    for again in (copy.deepcopy(table), pickle.loads(pickle.dumps(table))):
        assert again.column_stats(["a"]).equals(stats)


@pytest.mark.parametrize("alone", ["access.key", "session.token"])
def test_half_the_credentials_of_s3_are_told_of(alone: str) -> None:
    hadoop = {f"fs.s3a.{alone}": "k", "fs.s3a.endpoint": "localhost:9"}
    with pytest.raises(TableError, match=r"are not whole.*'fs\.s3a\.secret\.key'"):
        open_location("s3a://bucket/t", hadoop=hadoop)


def test_a_bucket_that_cannot_be_reached_is_no_missing_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Unreachable(pyarrow.fs.FileSystem):  # type: ignore[misc]
        @staticmethod
        def from_uri(uri: str) -> Any:
            raise OSError("HeadBucket: Could not resolve hostname")

    monkeypatch.setattr(pyarrow.fs, "FileSystem", Unreachable)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(TableError, match=r"cannot be reached.*HeadBucket.*credentials") as told:
        open_location("s3://nope/t")
    assert "install" not in str(told.value)


def test_a_path_without_a_scheme_is_where_the_session_would_load_it(
    spark: Any, tmp_path: Path
) -> None:
    assert located(spark, tmp_path) == str(tmp_path)
    assert located(spark, "file:/lake/t") == "file:/lake/t"
    with session_settings(spark, {"fs.defaultFS": "hdfs://127.0.0.1:9"}):
        assert located(spark, "/lake/a b") == "hdfs://127.0.0.1:9/lake/a b"
        assert located(spark, "t").startswith("hdfs://127.0.0.1:9/user/")
        assert located(spark, f"file:{tmp_path}") == f"file:{tmp_path}"
        with pytest.raises(TableError):
            hz.ZOrderTable(spark, "/lake/a b")
    with (
        session_settings(spark, {"fs.defaultFS": "nope://x"}),
        pytest.raises(TableError, match="Cannot find the file system of '/lake/t'"),
    ):
        located(spark, "/lake/t")


@pytest.mark.parametrize(
    ("path", "conf", "variables", "expected"),
    [
        ("/lake/t", {}, {}, True),
        ("t", {"spark.master": "local[1]"}, {}, True),
        ("file:/lake/t", {"spark.hadoop.fs.defaultFS": "hdfs://h"}, {}, True),
        ("s3a://lake/t", {}, {}, False),
        ("/lake/t", {"spark.hadoop.fs.defaultFS": "hdfs://h"}, {}, False),
        ("/lake/t", {"spark.driver.extraClassPath": "/etc/hadoop"}, {}, False),
        ("/lake/t", {}, {"HADOOP_CONF_DIR": "/etc/hadoop"}, False),
        ("/lake/t", {}, {"SPARK_CONF_DIR": "defaults"}, False),
        ("/lake/t", {}, {"SPARK_CONF_DIR": "core"}, False),
        ("/lake/t", {}, {"SPARK_CONF_DIR": "env"}, False),
        ("/lake/t", {}, {"SPARK_DIST_CLASSPATH": "/etc/hadoop"}, False),
    ],
)
def test_which_paths_are_local_for_certain(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    conf: Mapping[str, str],
    variables: Mapping[str, str],
    expected: bool,
) -> None:
    files = {"defaults": "spark-defaults.conf", "core": "core-site.xml", "env": "spark-env.sh"}
    for folder, name in files.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("spark.hadoop.fs.defaultFS hdfs://h")
    monkeypatch.chdir(tmp_path)
    hadoop = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_DIST_CLASSPATH")
    for variable in (*hadoop, "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    builder = SparkSession.builder
    for key, text in conf.items():
        builder = builder.config(key, text)
    monkeypatch.setattr(process, "jvm_runs", lambda: False)
    assert is_local(path, Settings(builder)) == expected


def test_the_session_s_own_settings_are_those_of_s3(spark: Any) -> None:
    where = "s3a://lake/t?region=eu-north-1"
    from_arrow, _ = pa.fs.FileSystem.from_uri("s3://lake/t?region=eu-north-1")
    assert open_location(where, hadoop=hadoop_settings(spark, S3_SETTINGS))[0] == from_arrow
    with session_settings(spark, {**S3, "fs.s3a.path.style.access": "true"}):
        found, path = open_location("s3a://lake/t", hadoop=hadoop_settings(spark, S3_SETTINGS))
    endpoint = "http://127.0.0.1:9"
    assert path == "lake/t"
    assert found == pa.fs.S3FileSystem(access_key="a", secret_key="b", endpoint_override=endpoint)
