"""The archive of a timeline: Parquet files, of which the newest manifest names the valid ones.

What an instant did, and its plan, are far larger than its name: they are read for those instants
alone that are asked about, a row group of the archive at a time.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import TableError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

METADATA, PLAN = "metadata", "plan"
_TIME: Final = "instantTime"
_NAMES: Final = [_TIME, "completionTime", "action"]


@dataclass(frozen=True, slots=True)
class ArchivedInstant:
    """One archived action: when it was requested and completed, and what kind of action it is."""

    time: str
    completion_time: str
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

    @cached_property
    def instants(self) -> tuple[ArchivedInstant, ...]:
        """Every archived instant once, from the oldest to the newest."""
        return tuple(self._found[time][0] for time in sorted(self._found))

    def content(self, time: str, column: str) -> bytes:
        """Returns what an archived instant did, or its plan; nothing when it had none."""
        place = self._found[time][1]
        held, contents = self._contents.get(column, (None, {}))
        if held != place:
            contents = self._read_contents(place, column)
            self._contents[column] = place, contents
        return contents[time]

    @cached_property
    def _found(self) -> dict[str, tuple[ArchivedInstant, _Place]]:
        found: dict[str, tuple[ArchivedInstant, _Place]] = {}
        for name in self._files():
            with self._open(name) as file:
                for number in range(file.num_row_groups):
                    rows = file.read_row_group(number, columns=_NAMES).to_pydict()
                    for row in zip(*(rows[column] for column in _NAMES), strict=True):
                        instant = ArchivedInstant(*row)
                        place = _Place(name, number, instant.action)
                        found.setdefault(instant.time, (instant, place))
        return found

    def _read_contents(self, place: _Place, column: str) -> dict[str, bytes]:
        import pyarrow.compute as pc

        with self._open(place.file) as file:
            rows = file.read_row_group(place.row_group, columns=[_TIME, "action", column])
        rows = rows.filter(pc.equal(rows["action"], place.action))
        contents = (content or b"" for content in rows[column].to_pylist())
        return dict(zip(rows[_TIME].to_pylist(), contents, strict=True))

    def _open(self, name: str) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = posixpath.join(self._folder, name)
        try:
            return pq.ParquetFile(path, filesystem=self._filesystem)
        except (OSError, pa.ArrowException) as fault:
            raise TableError(
                f"Cannot read the timeline: '{path}' is no readable Parquet file ({fault}); "
                "open the table again if it was changed meanwhile"
            ) from fault

    def _files(self) -> Iterator[str]:
        version = self._folder and self._read(posixpath.join(self._folder, "_version_"))
        if version:
            manifest = f"manifest_{version.decode().strip()}"
            content = self._read(posixpath.join(self._folder, manifest))
            if content:
                yield from (entry["fileName"] for entry in json.loads(content)["files"])
