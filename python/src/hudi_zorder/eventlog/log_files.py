"""Where event logs lie: one application's file or rolling folder, or a folder of many."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.filesystem import open_location

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_ROLLING: Final = "eventlog_v2_"
_ROLLED: Final = re.compile(r"events_(\d+)_.*?(\.compact)?")
_STATUS: Final = "appstatus_"
_IN_PROGRESS: Final = ".inprogress"


@dataclass(frozen=True)
class ApplicationLog:
    """The event log of one application.

    Attributes:
        path: its file or folder.
        files: its files, in the order in which they were written.
        running: whether the application has not ended, or not told so.
        compacted: whether the history server has dropped events of what had ended.
        named: whether a call named it, rather than the folder it is in.
    """

    path: str
    files: tuple[str, ...]
    running: bool
    compacted: bool = False
    named: bool = True


def find_logs(
    url: str | os.PathLike[str], filesystem: Any = None
) -> tuple[FileSystem, list[ApplicationLog]]:
    """Returns the file system of a path or URL, and the event logs there, by their names.

    Raises:
        OptionError: when there is none.
        TableError: when no file system serves it.
    """
    from pyarrow.fs import FileType

    if not isinstance(url, str | os.PathLike) or not os.fspath(url):
        raise OptionError(
            f"Cannot read event logs: 'path' was {url!r}; name a log, or the folder that "
            "spark.eventLog.dir names"
        )
    files, path = open_location(url, filesystem=filesystem)
    found = files.get_file_info(path)
    logs = []
    if found.type == FileType.File:
        logs = [_single(found, named=True)]
    elif found.type == FileType.Directory:
        inside = _listed(files, path)
        log = _rolling(path, inside, named=True)
        logs = [log] if log else list(_logs_in(files, inside))
    if not logs:
        what = "is not there" if found.type == FileType.NotFound else "has no event log in it"
        raise OptionError(
            f"Cannot read event logs: 'path' was '{os.fspath(url)}', which {what}; name a log, or "
            "the folder that spark.eventLog.dir names"
        )
    return files, logs


def _listed(files: FileSystem, path: str) -> list[FileInfo]:
    from pyarrow.fs import FileSelector

    listed = files.get_file_info(FileSelector(path))
    visible = (info for info in listed if not info.base_name.startswith((".", "_")))
    return sorted(visible, key=lambda info: str(info.base_name))


def _logs_in(files: FileSystem, inside: list[FileInfo]) -> list[ApplicationLog]:
    from pyarrow.fs import FileType

    logs = []
    for info in inside:
        if info.type == FileType.File:
            logs.append(_single(info, named=False))
        elif info.base_name.startswith(_ROLLING):
            log = _rolling(info.path, _listed(files, info.path), named=False)
            logs += [log] if log else []
    return logs


def _single(info: FileInfo, *, named: bool) -> ApplicationLog:
    running = info.base_name.endswith(_IN_PROGRESS)
    return ApplicationLog(info.path, (info.path,), running, named=named)


def _rolling(path: str, inside: list[FileInfo], *, named: bool) -> ApplicationLog | None:
    """Returns the log of a folder of rolled files; None when there is none of these."""
    rolled = {}
    for info in inside:
        part = _ROLLED.fullmatch(info.base_name)
        if part:
            number, compact = int(part[1]), bool(part[2])
            rolled[number, compact] = info.path
    if not rolled:
        return None
    # A compacted file stands for all up to its own number, which may not have been removed yet.
    last = max((number for number, compact in rolled if compact), default=0)
    kept = [place for place in sorted(rolled) if place[0] > last or place == (last, True)]
    status = [info.base_name for info in inside if info.base_name.startswith(_STATUS)]
    return ApplicationLog(
        path,
        tuple(rolled[place] for place in kept),
        running=any(name.endswith(_IN_PROGRESS) for name in status),
        compacted=last > 0,
        named=named,
    )


def name_of(log: ApplicationLog) -> str:
    """Returns what a log is called where it is told of."""
    return posixpath.basename(log.path.rstrip("/"))
