"""Parts of a file, read where they are asked for; a small file is read at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import TableError

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_WINDOW: Final = 1 << 20  # bytes at least that a request is for, which takes as long for one
_LARGEST: Final = 1 << 28  # bytes; Hudi ends blocks at a megabyte, and a commit's at a hundred


class FormatError(ValueError):
    """What a file holds is nothing that Hudi writes there."""


class RangeReader:
    """Reads ranges of one file, and keeps the last one for those within it.

    Args:
        filesystem: where the file lies.
        path: the file.
    """

    def __init__(self, filesystem: FileSystem, path: str) -> None:
        self.path = path
        self._filesystem = filesystem
        self._start, self._held = 0, b""
        try:
            with filesystem.open_input_file(path) as file:
                self.size: int = file.size()
                if self.size <= _WINDOW:
                    self._held = file.read()
        except OSError as fault:
            raise self._unreadable(fault) from fault

    def read(self, offset: int, count: int) -> bytes:
        """Returns so many bytes from a place on.

        Raises:
            FormatError: when the file does not have them, or nothing of Hudi's is so long.
            TableError: when the file cannot be read.
        """
        if not (0 <= offset and 0 <= count <= _LARGEST and offset + count <= self.size):
            raise FormatError(f"it has no {count:,} bytes from {offset:,} on")
        if not (self._start <= offset and offset + count <= self._start + len(self._held)):
            self._start = offset
            self._held = self._fetched(offset, min(max(count, _WINDOW), self.size - offset))
        first = offset - self._start
        return self._held[first : first + count]

    def _fetched(self, offset: int, count: int) -> bytes:
        try:
            with self._filesystem.open_input_file(self.path) as file:
                found: bytes = file.read_at(count, offset)
        except OSError as fault:
            raise self._unreadable(fault) from fault
        if len(found) < count:
            raise FormatError(f"it ends before {offset + count:,} bytes")
        return found

    def _unreadable(self, fault: OSError) -> TableError:
        return TableError(
            f"Cannot read the metadata table: '{self.path}' cannot be read ({fault}); "
            "open the table again if it was changed meanwhile"
        )


class Part:
    """A part of a file that is a file of its own, as a block of a log is.

    Args:
        reader: reads the file.
        start: where the part begins.
        size: its bytes.
    """

    def __init__(self, reader: RangeReader, start: int, size: int) -> None:
        self._reader = reader
        self._start = start
        self.size = size

    def read(self, offset: int, count: int) -> bytes:
        """Returns so many bytes from a place in the part on; raises what ``RangeReader`` does."""
        if not (0 <= offset and 0 <= count and offset + count <= self.size):
            raise FormatError(f"it has no {count:,} bytes from {offset:,} on")
        return self._reader.read(self._start + offset, count)
