"""Where a table lies: any path or URL that pyarrow or fsspec can open."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hudi_zorder.errors import TableError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# Hadoop's names of the S3 connector; pyarrow and fsspec know the protocol as plain s3.
_HADOOP_S3 = re.compile(r"^s3[an]://")
_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")


def open_location(url: str | os.PathLike[str]) -> tuple[FileSystem, str]:
    """Returns the file system of a path or URL and the path inside it, without a trailing slash.

    Args:
        url: a local path, ``file:/x`` and ``file:///x`` as Hadoop writes them, a URL of a file
            system that pyarrow has built in (``s3://``, ``gs://``, ``abfs://``, ``hdfs://``), or
            one that an installed fsspec package serves.

    Raises:
        TableError: when no file system serves the URL.
    """
    from pyarrow.fs import FileSystem, LocalFileSystem

    text = os.fspath(url)
    scheme = _SCHEME.match(text)
    if scheme is None:
        return LocalFileSystem(), absolute(text)
    if scheme[1] == "file":
        return LocalFileSystem(), os.path.abspath(re.sub(r"^file:/*", "/", text))
    address = _HADOOP_S3.sub("s3://", text)
    try:
        filesystem, path = FileSystem.from_uri(address)
    except (ValueError, OSError, NotImplementedError) as not_built_in:
        filesystem, path = _open_with_fsspec(address, not_built_in)
    return filesystem, path.rstrip("/")


def _open_with_fsspec(url: str, cause: Exception) -> tuple[FileSystem, str]:
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    try:
        from fsspec.core import url_to_fs

        filesystem, path = url_to_fs(url)
    except (ImportError, ValueError, OSError) as fault:
        raise TableError(
            f"Cannot open a table: no file system serves it, 'path' was '{url}' ({cause}); "
            f"install the fsspec package of its protocol ({fault})"
        ) from fault
    return PyFileSystem(FSSpecHandler(filesystem)), path


def absolute(url: str | os.PathLike[str]) -> str:
    """Returns a table's location as any process understands it: a relative path made absolute."""
    text = os.fspath(url)
    return text if _SCHEME.match(text) else os.path.abspath(os.path.expanduser(text))
