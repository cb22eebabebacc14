"""File systems that fsspec serves, as pyarrow takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.texts import first_line

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_AZURE: Final = ("abfs:", "abfss:", "az:")
_HDFS: Final = ("hdfs:", "viewfs:")
_REMEDY_OF_HDFS: Final = (
    "see the name of its host, and that JAVA_HOME, HADOOP_HOME or ARROW_LIBHDFS_DIR, and "
    "CLASSPATH, as 'hadoop classpath --glob' prints it, are set, by which pyarrow finds Hadoop"
)
_REMEDY_OF_AZURE: Final = (
    "pip install adlfs, and set AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN or "
    "AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ANON=false for the identity of the machine "
    "or of 'az login'; open_table takes storage_options= and filesystem= as well"
)


class _WithSystemErrors:
    """A store of fsspec's, or a file of it, whose own errors come as those of the system.

    Each package has classes of its own, such as ``azure.core.exceptions.AzureError``, which whoever
    reads a table could not tell from a fault of the program.
    """

    def __init__(self, of_fsspec: Any) -> None:
        self._of_fsspec = of_fsspec

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns what makes a copy, which else would look for its store before it has one."""
        return type(self), (self._of_fsspec,)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of_fsspec, name)
        if not callable(found):
            return found

        def called(*args: Any, **options: Any) -> Any:
            try:
                return found(*args, **options)
            except (OSError, NotImplementedError):
                raise
            except Exception as fault:
                raise OSError(first_line(fault)) from fault

        return called


class _Store(_WithSystemErrors):
    """A store of fsspec's that tells what it has, or fails: what pyarrow asks of it.

    fsspec takes whatever goes wrong while a path is looked up, such as credentials that have ended,
    for a path that is not there.
    """

    def open(self, path: str, **options: Any) -> _WithSystemErrors:
        return _WithSystemErrors(self.__getattr__("open")(path, **options))

    def isfile(self, path: str) -> bool:
        return self._type(path) == "file"

    def isdir(self, path: str) -> bool:
        # A store's own answer comes first: it may need one request less, or know more, as of HTTP.
        return bool(self.__getattr__("isdir")(path)) or self._type(path) == "directory"

    def exists(self, path: str) -> bool:
        return self._type(path) is not None

    def find(self, path: str, maxdepth: int | None, **options: Any) -> dict[str, Any]:
        """Returns what is in a folder, or below it as well, by paths."""
        from fsspec import AbstractFileSystem

        if maxdepth is None:
            if type(self._of_fsspec).find is AbstractFileSystem.find:
                # It goes from folder to folder, and takes one that it cannot list for an empty one.
                options["on_error"] = _unless_gone
            return dict(self.__getattr__("find")(path, **options))
        # Azure's would list all that is below.
        return {entry["name"].rstrip("/"): entry for entry in self.ls(path, detail=True)}

    def _type(self, path: str) -> str | None:
        """Returns what a path is to fsspec, such as ``"file"``; None when it is not there."""
        try:
            kind: str = self.info(path)["type"]
        except (FileNotFoundError, NotADirectoryError):
            return None
        return kind


def _unless_gone(fault: OSError) -> None:
    """Raises what keeps a folder from being listed, but that it is there no more."""
    if not isinstance(fault, FileNotFoundError):
        raise fault


def as_arrow(filesystem: Any) -> FileSystem:
    """Returns a file system of pyarrow or fsspec as one of pyarrow, its listings forgotten.

    What it raises is an OSError, whoever serves it.
    """
    from pyarrow.fs import FileSystem, FSSpecHandler, PyFileSystem, SubTreeFileSystem

    if isinstance(filesystem, SubTreeFileSystem):
        return SubTreeFileSystem(filesystem.base_path, as_arrow(filesystem.base_fs))
    store = filesystem
    if isinstance(filesystem, PyFileSystem) and type(filesystem.handler) is FSSpecHandler:
        store = filesystem.handler.fs
    elif isinstance(filesystem, FileSystem):
        return filesystem
    found = PyFileSystem(FSSpecHandler(_Store(store)))
    # Instances are shared, and remember listings: a table would stay as it was once opened.
    forget_listings(found)
    return found


def forget_listings(filesystem: FileSystem) -> None:
    """Has a store of fsspec's list folders anew that were listed before."""
    from pyarrow.fs import FSSpecHandler, PyFileSystem, SubTreeFileSystem

    if isinstance(filesystem, SubTreeFileSystem):
        forget_listings(filesystem.base_fs)
    elif isinstance(filesystem, PyFileSystem) and isinstance(filesystem.handler, FSSpecHandler):
        filesystem.handler.fs.invalidate_cache()


def open_with_fsspec(
    url: str, storage_options: Mapping[str, Any], of_arrow: Exception | None = None
) -> tuple[FileSystem, str]:
    """Returns the file system of a URL, and the path inside it.

    Args:
        url: the URL.
        storage_options: what its fsspec package is to be opened with.
        of_arrow: why pyarrow has not opened it; None when it was not asked.

    Raises:
        OptionError: for options that the package does not take.
        TableError: when there is no such package, or it cannot open the URL.
    """
    try:
        from fsspec.core import url_to_fs

        filesystem, path = url_to_fs(url, **storage_options)
    except TypeError as fault:
        given = f"has {', '.join(map(str, storage_options))}" if storage_options else "is empty"
        raise OptionError(
            f"Cannot open a table: 'storage_options' {given}, which the fsspec package of '{url}' "
            f"does not take ({first_line(fault)}); give what its documentation has"
        ) from fault
    except (ImportError, ValueError, OSError) as fault:
        raise _not_opened(url, fault, of_arrow) from fault
    return as_arrow(filesystem), path


def _not_opened(url: str, fault: Exception, of_arrow: Exception | None) -> TableError:
    if url.startswith(_AZURE):
        return TableError(
            f"Cannot open a table: Azure wants adlfs and credentials, 'path' was '{url}' "
            f"({first_line(fault)}); {_REMEDY_OF_AZURE}"
        )
    if url.startswith(_HDFS):
        return TableError(
            f"Cannot open a table: HDFS cannot be read, 'path' was '{url}' "
            f"({first_line(of_arrow or fault)}); {_REMEDY_OF_HDFS}"
        )
    # Whoever serves the scheme has gone there: pyarrow, or else fsspec.
    gone = next((cause for cause in (of_arrow, fault) if isinstance(cause, OSError)), None)
    if gone is not None:
        return TableError(
            f"Cannot open a table: it cannot be reached, 'path' was '{url}' ({first_line(gone)}); "
            "see the name of its bucket or host, the network and the credentials"
        )
    causes = " and ".join(first_line(cause) for cause in (of_arrow, fault) if cause)
    return TableError(
        f"Cannot open a table: no file system serves it, 'path' was '{url}' ({causes}); "
        "install the fsspec package of its protocol"
    )
