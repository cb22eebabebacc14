"""Where a table lies: any path or URL that pyarrow or fsspec can open.

A URL's path is taken as Hadoop takes it, literally: blanks, letters of any script and percent signs
stand for themselves.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.hudi.fsspec_stores import as_arrow, open_with_fsspec
from hudi_zorder.texts import first_line

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

# Hadoop's names of the S3 connector; pyarrow and fsspec know the protocol as plain s3.
_HADOOP_S3 = re.compile(r"^s3[an]://")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")
# Authority, path, and options of pyarrow's such as "?region=us-east-1".
_ADDRESS = re.compile(r"^([^:]+://[^/?]*)(.*?)(\?[a-z_]+=.*)?$", re.DOTALL)
# Of Hadoop's S3 connector, what pyarrow calls them.
_S3_TEXTS = {
    "access.key": "access_key",
    "secret.key": "secret_key",
    "session.token": "session_token",
    "endpoint": "endpoint_override",
    "endpoint.region": "region",
}
S3_SETTINGS = "fs.s3a."
# pyarrow ends the process where it finds none, unless the URL says whose to take.
_AZURE = re.compile(r"^(abfss?|az):")
_CREDENTIALS = re.compile(r"^[^:]+://[^/@]*:[^/@]*@|\?[a-z_]+=[^/]*$")
_OF_ONE_HOST = ("hdfs", "viewfs")  # whose file system is of the host that the URL names
# A commit tells of a file in some thousand bytes, so that one of a million files fits.
_LARGEST = 1 << 30
_AWS = "s3.amazonaws.com"  # what Spark itself sets as the endpoint where nobody did
# Of an endpoint of Amazon's, such as s3.eu-north-1.amazonaws.com, the region, as Hadoop takes it.
_REGION_OF_HOST = re.compile(
    r"(?:^|[./-])([a-z]{2}(?:-[a-z]+)+-\d+)(?:\.vpce)?\.amazonaws\.com(?:\.cn)?(?::\d+)?/?$"
)


def open_location(
    url: str | os.PathLike[str],
    *,
    filesystem: Any = None,
    storage_options: Mapping[str, Any] | None = None,
    hadoop: Mapping[str, str] | None = None,
) -> tuple[FileSystem, str]:
    """Returns the file system of a path or URL and the path inside it, without a trailing slash.

    Args:
        url: a local path, ``file:/x`` and ``file:///x`` as Hadoop writes them, a URL of a file
            system that pyarrow has built in (``s3://``, ``gs://``, ``hdfs://``, and ``abfs://``
            that says whose credentials to take, as by ``?credential_kind=default``), or one that
            an installed fsspec package serves.
        filesystem: one of pyarrow or fsspec that serves the URL, whatever its scheme.
        storage_options: what the URL's fsspec package is to be opened with.
        hadoop: settings of Hadoop's, of which those of its S3 connector hold for ``s3a://``.

    Raises:
        OptionError: for a file system that is none.
        TableError: when it names no folder, no file system serves the URL, or it cannot be reached.
    """
    from pyarrow.fs import FileSystem, LocalFileSystem

    text = folder_named(url)
    scheme = _SCHEME.match(text)
    if storage_options and (
        filesystem is not None or scheme is None or scheme[1].lower() == "file"
    ):
        where = "a local path" if filesystem is None else "in a 'filesystem' that is open"
        raise OptionError(
            f"Cannot open a table: 'storage_options' were given, and '{text}' is {where}, which "
            "needs none; leave them out"
        )
    if filesystem is not None:
        path = _path_in(filesystem, text)
        return as_arrow(filesystem), path.rstrip("/")
    if scheme is None:
        return LocalFileSystem(), absolute(text)
    if scheme[1].lower() == "file":
        return LocalFileSystem(), os.path.abspath(local_path(text))
    address = _HADOOP_S3.sub("s3://", text)
    settings = _s3_settings(text, hadoop or {})
    if settings:
        return _open_s3(text, settings), address.removeprefix("s3://").rstrip("/")
    if storage_options is not None or _is_azure_without_credentials(address):
        filesystem, path = open_with_fsspec(address, storage_options or {})
    else:
        try:
            filesystem, path = FileSystem.from_uri(_encoded(address))
        except (ValueError, OSError, NotImplementedError) as not_built_in:
            filesystem, path = open_with_fsspec(address, {}, not_built_in)
    return filesystem, path.rstrip("/")


def folder_named(url: str | os.PathLike[str]) -> str:
    """Returns the text of a path or URL.

    Raises:
        TableError: for what cannot name a folder.
    """
    text = os.fspath(url) if isinstance(url, str | os.PathLike) else url
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise TableError(
            f"Cannot open a table: 'path' was {text!r}, which names no folder; "
            "name the one that holds .hoodie"
        )
    return text


def read_or_none(filesystem: FileSystem, path: str) -> bytes | None:
    """Returns what a file of a table holds; None when there is no such file.

    Raises:
        TableError: when it is there and cannot be read, or is larger than any of Hudi's.
    """
    import pyarrow as pa

    try:
        with filesystem.open_input_file(path) as file:
            size = file.size()
            content: bytes = file.read() if size <= _LARGEST else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, pa.ArrowException) as fault:
        raise TableError(
            f"Cannot read a table: '{path}' cannot be opened ({first_line(fault)}); see that "
            "this user may read the table's folder"
        ) from fault
    if size > _LARGEST:
        raise TableError(
            f"Cannot read a table: '{path}' has {size:,} bytes, and no such file of Hudi's has "
            f"more than {_LARGEST:,}; restore it"
        )
    return content


def listed(
    filesystem: FileSystem, folder: str, *, recursive: bool = False, may_lack: bool = True
) -> list[FileInfo]:
    """Returns what is in a folder of a table; nothing when it lacks and may.

    Raises:
        TableError: when it cannot be listed.
    """
    import pyarrow as pa
    from pyarrow.fs import FileSelector

    selector = FileSelector(folder, recursive=recursive, allow_not_found=may_lack)
    try:
        entries: list[FileInfo] = filesystem.get_file_info(selector)
        return entries
    except (OSError, pa.ArrowException) as fault:
        raise TableError(
            f"Cannot read a table: '{folder}' cannot be listed ({first_line(fault)}); see that "
            "this user may read the table's folder"
        ) from fault


def written_at(filesystem: FileSystem, file: FileInfo) -> datetime | None:
    """Returns when a file was written; None when its store does not tell.

    Of fsspec's, pyarrow knows those that call it ``mtime``: the stores of clouds have other words.
    """
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    written: datetime | None = file.mtime
    handler = filesystem.handler if isinstance(filesystem, PyFileSystem) else None
    if written is None and isinstance(handler, FSSpecHandler):
        with suppress(NotImplementedError, FileNotFoundError):
            written = handler.fs.modified(file.path)
    if written is None:
        return None
    return written if written.tzinfo else written.replace(tzinfo=timezone.utc)


def _is_azure_without_credentials(url: str) -> bool:
    return bool(_AZURE.match(url)) and not _CREDENTIALS.search(url)


def _encoded(url: str) -> str:
    """Returns a URL whose path, once decoded, is the path that was given."""
    found = _ADDRESS.match(url)
    if found is None:
        return url
    place, path, options = found.groups()
    return f"{place}{quote(path)}{options or ''}"


def _s3_settings(url: str, hadoop: Mapping[str, str]) -> dict[str, Any]:
    """Returns what Hadoop's S3 connector is told of a bucket, in pyarrow's words."""
    if not _HADOOP_S3.match(url):
        return {}
    bucket = url.split("/")[2]

    def setting(name: str) -> str | None:
        own = hadoop.get(f"{S3_SETTINGS}bucket.{bucket}.{name}")
        return own or hadoop.get(f"{S3_SETTINGS}{name}") or None

    found: dict[str, Any] = {
        theirs: value
        for name, theirs in _S3_TEXTS.items()
        if (value := setting(name)) and value != _AWS
    }
    if not found:
        return {}
    if setting("connection.ssl.enabled") == "false":
        found["scheme"] = "http"
    endpoint = found.get("endpoint_override", "")
    if endpoint and setting("path.style.access") != "true":
        found["force_virtual_addressing"] = True
    if region := _REGION_OF_HOST.search(endpoint):
        found.setdefault("region", region[1])
    return found


def local_path(url: str) -> str:
    """Returns the path of a ``file:`` URL, however it is spelt; any other text as it is."""
    return re.sub(r"^file:(//localhost(?=/))?/*", "/", url, flags=re.IGNORECASE)


def _path_in(filesystem: Any, url: str) -> str:
    """Returns the path of a URL in a file system that serves it, as that will spell it."""
    from pyarrow.fs import FileSystem

    scheme = _SCHEME.match(url)
    path = re.sub(r"^[^:/]+://", "", url)
    if isinstance(filesystem, FileSystem):
        if scheme is None:
            return url
        if scheme[1].lower() == "file":
            return local_path(url)
        if scheme[1] in _OF_ONE_HOST:
            return "/" + path.partition("/")[2]
        # abfs://container@account.host/path
        return re.sub(r"^([^@/]+)@[^/]+", r"\1", path)
    no_file_system = (
        f"Cannot open a table: 'filesystem' was {filesystem!r}; give one of pyarrow or fsspec"
    )
    if isinstance(filesystem, type):  # of fsspec's, a class knows its protocol, too
        raise OptionError(no_file_system)
    try:
        protocols = filesystem.protocol
        own = scheme and scheme[1] in ([protocols] if isinstance(protocols, str) else protocols)
        stripped: str = filesystem._strip_protocol(url if own else path)
    except AttributeError as fault:
        raise OptionError(no_file_system) from fault
    return stripped


def _open_s3(url: str, settings: Mapping[str, Any]) -> FileSystem:
    from pyarrow.fs import S3FileSystem, resolve_s3_region

    try:
        if settings.keys() & {"region", "endpoint_override"}:
            return S3FileSystem(**settings)
        return S3FileSystem(**settings, region=resolve_s3_region(url.split("/")[2]))
    except ValueError as fault:  # a key without its secret
        raise TableError(
            f"Cannot open a table: the credentials of 'spark.hadoop.{S3_SETTINGS}*' are not whole, "
            f"'path' was '{url}' ({first_line(fault)}); set both '{S3_SETTINGS}access.key' and "
            f"'{S3_SETTINGS}secret.key'"
        ) from fault
    except OSError as fault:
        raise TableError(
            f"Cannot open a table: the region of its bucket is not known, 'path' was '{url}' "
            f"({first_line(fault)}); set 'spark.hadoop.{S3_SETTINGS}endpoint.region'"
        ) from fault


def absolute(url: str | os.PathLike[str]) -> str:
    """Returns a table's location as any process understands it: a relative path made absolute."""
    text = os.fspath(url)
    return text if _SCHEME.match(text) else os.path.abspath(os.path.expanduser(text))


def has_hadoop_settings(url: str) -> bool:
    """Tells whether settings of Hadoop hold for a location."""
    return _HADOOP_S3.match(url) is not None


def has_scheme(url: str) -> bool:
    """Tells whether a location names its file system."""
    return _SCHEME.match(url) is not None
