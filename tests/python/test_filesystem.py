"""Where a table lies: as Hadoop takes its URL, and as the session is set up."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.fs
import pytest
from fsspec.implementations.dirfs import DirFileSystem

import hudi_zorder as hz
from hudi_tables import session_settings
from hudi_zorder.errors import TableError
from hudi_zorder.hudi.filesystem import S3_SETTINGS, open_location
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm.session_state import hadoop_settings
from hudi_zorder.spark.filesystem import located
from plain_table import write_plain_table

S3 = {"fs.s3a.endpoint": "http://127.0.0.1:9", "fs.s3a.access.key": "a", "fs.s3a.secret.key": "b"}


@pytest.mark.parametrize(
    "path", ["a b", "größe/漢", "a%41b", "day=2026-01-01/%2F", "a?b", "a#b", "a+b&c", "plain/"]
)
@pytest.mark.parametrize("place", ["gs://bucket", "abfss://bucket@account.dfs.core.windows.net"])
def test_the_path_of_an_object_store_is_taken_literally(place: str, path: str) -> None:
    assert open_location(f"{place}/{path}")[1] == f"bucket/{path}".rstrip("/")


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


def test_storage_options_go_to_fsspec(tmp_path: Path) -> None:
    write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    options = {"fo": None, "target_protocol": "file"}
    with pytest.raises(TableError, match="no file system serves it"):
        TableSnapshot.open("nope://t", storage_options=options)
    snapshot = TableSnapshot.open(
        f"simplecache::file://{tmp_path / 't'}", storage_options={"file": {"auto_mkdir": False}}
    )
    assert list(snapshot.schema.leaves) == ["a"]


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


def test_the_session_s_own_settings_are_those_of_s3(spark: Any) -> None:
    where = "s3a://lake/t?region=eu-north-1"
    from_arrow, _ = pa.fs.FileSystem.from_uri("s3://lake/t?region=eu-north-1")
    assert open_location(where, hadoop=hadoop_settings(spark, S3_SETTINGS))[0] == from_arrow
    with session_settings(spark, {**S3, "fs.s3a.path.style.access": "true"}):
        found, path = open_location("s3a://lake/t", hadoop=hadoop_settings(spark, S3_SETTINGS))
    endpoint = "http://127.0.0.1:9"
    assert path == "lake/t"
    assert found == pa.fs.S3FileSystem(access_key="a", secret_key="b", endpoint_override=endpoint)
