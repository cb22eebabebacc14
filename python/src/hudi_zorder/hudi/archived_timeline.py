"""The archive of a timeline: Parquet files, of which the newest manifest names the valid ones.

What an instant did, and its plan, are far larger than its name: they are read for those instants
alone that are asked about, a row group of the archive at a time.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.shapes import TEXT, Always, json_of

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

METADATA, PLAN = "metadata", "plan"
_TIME: Final = "instantTime"
_NAMES: Final = [_TIME, "completionTime", "action"]

_VERSION: Final = "_version_"
_MANIFEST_NAME: Final = re.compile(r"manifest_([0-9]{1,10})")  # an int of Java's
_MANIFEST: Final = {"files": Always([{"fileName": Always(TEXT)}])}
_BASE_NAME: Final = re.compile(r"\w[\w.-]*")
# Hudi ends a file of an archive at a gigabyte, and no instant tells less than a thousand bytes.
_MOST_INSTANTS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class ArchivedInstant:
    """One archived action: when it was requested and completed, and what kind of action it is."""

    time: str
    completion_time: str | None
    action: str


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    row_group: int
    action: str


class Archive:
    """The archived instants of one table.

    Args:
        folder: where the archive lies; ``""`` when it cannot be read.
        filesystem: where the table lies.
        read: reads a small file as a whole; None when there is none.
    """

    def __init__(
        self, filesystem: FileSystem, folder: str, read: Callable[[str], bytes | None]
    ) -> None:
        self._filesystem = filesystem
        self._folder = folder
        self._read = read
        self._contents: dict[str, tuple[_Place, dict[str, bytes]]] = {}
        self._reading = RLock()  # what one thread has read, others need not

    def __reduce__(self) -> tuple[Any, ...]:
        """Returns what makes a copy, which reads for itself."""
        return type(self), (self._filesystem, self._folder, self._read)

    @cached_property
    def instants(self) -> tuple[ArchivedInstant, ...]:
        """Every archived instant once, from the oldest to the newest."""
        return tuple(self._found[time][0] for time in sorted(self._found))

    def content(self, time: str, column: str, *, moved: bool = False) -> tuple[str, bytes]:
        """Returns what an instant did, or its plan, behind the path of its file.

        There are no bytes when it had none, and no path either when it is not archived.

        Args:
            time: of the instant.
            column: ``METADATA`` or ``PLAN``.
            moved: whether it has left the timeline since that was listed, and so may have come to
                the archive since that was read.
        """
        with self._reading:
            if moved and time not in self._found:
                del self._found
            if time not in self._found:
                return "", b""
            place = self._found[time][1]
            held, contents = self._contents.get(column, (None, {}))
            if held != place:
                contents = self._read_contents(place, column)
                self._contents[column] = place, contents
            return self._path(place.file), contents[time]

    @cached_property
    def _found(self) -> dict[str, tuple[ArchivedInstant, _Place]]:
        found: dict[str, tuple[ArchivedInstant, _Place]] = {}
        for name in self._files():
            with self._opened(name, _NAMES) as file:
                for number in range(file.num_row_groups):
                    for row in _rows(file, number):
                        place = _Place(name, number, row.action)
                        found.setdefault(row.time, (row, place))
        return found

    def _read_contents(self, place: _Place, column: str) -> dict[str, bytes]:
        import pyarrow.compute as pc

        columns = [_TIME, "action", column]
        with self._opened(place.file, columns) as file:
            rows = file.read_row_group(place.row_group, columns=columns)
        rows = rows.filter(pc.equal(rows["action"], place.action))
        contents = (content or b"" for content in rows[column].to_pylist())
        return dict(zip(rows[_TIME].to_pylist(), contents, strict=True))

    @contextmanager
    def _opened(self, name: str, columns: Sequence[str]) -> Iterator[Any]:
        """Opens a file of the archive, to read columns of it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self._path(name)
        try:
            with pq.ParquetFile(path, filesystem=self._filesystem) as file:
                _refuse_unlike_hudi(file, columns)
                yield file
        except (OSError, pa.ArrowException) as fault:
            raise _unreadable(path, f"is no readable Parquet file ({fault})") from fault
        except ValueError as fault:
            raise _unreadable(path, f"is none of Hudi's: {fault}") from fault

    def _files(self) -> Iterator[str]:
        for name in self._manifests() if self._folder else ():
            content = self._read(self._path(name))
            if content:
                yield from _named_files(self._path(name), content)
                return

    def _manifests(self) -> Iterator[str]:
        """Yields the names of manifests, of which the first that holds anything counts."""
        version = (self._read(self._path(_VERSION)) or b"").strip()
        if version.isdigit():
            yield f"manifest_{version.decode()}"
        # Hudi deletes the version before it writes the next one, and goes by the manifests
        # themselves where it can read none.
        names = (entry.base_name for entry in listed(self._filesystem, self._folder))
        numbers = (int(found[1]) for found in map(_MANIFEST_NAME.fullmatch, names) if found)
        yield from (f"manifest_{number}" for number in sorted(numbers, reverse=True))

    def _path(self, name: str) -> str:
        return posixpath.join(self._folder, name)


def _rows(file: Any, row_group: int) -> Iterator[ArchivedInstant]:
    """Yields the instants of a row group; raises ValueError for one without a time or an action."""
    rows = file.read_row_group(row_group, columns=_NAMES).to_pydict()
    for time, completed, action in zip(*(rows[column] for column in _NAMES), strict=True):
        if time is None or action is None:
            raise ValueError("an instant has no time, or no action")
        yield ArchivedInstant(time, completed, action)


def _refuse_unlike_hudi(file: Any, columns: Sequence[str]) -> None:
    """Raises ValueError for a file that Hudi has not written into an archive."""
    import pyarrow.types as pt

    schema = file.schema_arrow
    for column in columns:
        if len(schema.get_all_field_indices(column)) != 1:
            raise ValueError(f"it has no column '{column}', or several")
        kind = schema.field(column).type
        if not (pt.is_string(kind) if column in _NAMES else pt.is_binary(kind)):
            raise ValueError(f"its column '{column}' is of type {kind}")
    if file.metadata.num_rows > _MOST_INSTANTS:
        raise ValueError(f"it has {file.metadata.num_rows:,} instants")


def _named_files(manifest: str, content: bytes) -> Iterator[str]:
    """Yields the names of the archive's files, which lie beside their manifest."""
    try:
        found = json_of(content, _MANIFEST)
    except ValueError as fault:
        raise _unreadable(manifest, f"is no manifest ({fault})") from fault
    for entry in found["files"]:
        name = entry["fileName"]
        if not _BASE_NAME.fullmatch(name):
            raise _unreadable(manifest, f"names '{name}', which is no name of a file beside it")
        yield name


def _unreadable(path: str, what: str) -> TableError:
    return TableError(
        f"Cannot read the timeline: '{path}' {what}; "
        "restore it, or open the table again if it was changed meanwhile"
    )
