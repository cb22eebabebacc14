"""Who executes a plan, and whether that process lives: heartbeats, and the names of processes.

A process is named by the machine's boot, the namespace of process numbers, its number and when it
started: ``ProcessIdentity`` in Java writes it, into heartbeats and into the file of ``TableLock``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.table_config import METADATA_FOLDER
from hudi_zorder.hudi.timeline import seconds_since

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

    from hudi_zorder.hudi.snapshot import TableSnapshot

# Hudi's own: a process that executes a plan touches a file each minute, and may miss two.
SECONDS_ALIVE: Final = 180

_FOLDER: Final = ".heartbeat"
_PROCESSES: Final = Path("/proc")
_FIRST: Final = "1"
_NUMBER: Final = re.compile(r"\d{1,10}", re.ASCII)  # of a process
_LONGEST: Final = 1024  # bytes that name a process, which take some seventy
# In the file stat, after the name of the program.
_STATE, _START_TIME = 0, 19
_ENDED: Final = frozenset("ZX")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """What the executor of an instant shows of itself.

    Attributes:
        instant: what it executes.
        seconds: since its last sign of life.
        process: its name; ``""`` when it does not tell.
        path: the file, in the table's file system.
    """

    instant: str
    seconds: float
    process: str
    path: str

    @property
    def dead(self) -> bool:
        """Whether it is dead: silent for long, or known to have ended."""
        return self.seconds >= SECONDS_ALIVE or is_dead(self.process)


def heartbeats(snapshot: TableSnapshot) -> Mapping[str, Heartbeat]:
    """Returns every heartbeat in a table, by its instant."""
    folder = f"{snapshot.path}/{METADATA_FOLDER}/{_FOLDER}"
    entries = listed(snapshot.filesystem, folder)
    files = (file for file in entries if file.is_file and file.base_name.isdigit())
    return {file.base_name: _heartbeat(snapshot, file) for file in files}


def is_dead(process: str) -> bool:
    """Tells whether a process is certain to have ended; False of one on another machine."""
    return _lives(process) is False


def is_alive(process: str) -> bool:
    """Tells whether a process is certain to live; False of one on another machine."""
    return _lives(process) is True


def _lives(process: str) -> bool | None:
    parts = process.split()
    try:
        if len(parts) != 4 or parts[:2] != _machine() or not _NUMBER.fullmatch(parts[2]):
            return None
        _stat(_FIRST)
    except OSError:  # no Linux, or one that hides the processes of others
        return None
    try:
        stat = _stat(parts[2])
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat[_STATE] not in _ENDED and stat[_START_TIME] == parts[3]


def _heartbeat(snapshot: TableSnapshot, file: FileInfo) -> Heartbeat:
    try:
        with snapshot.filesystem.open_input_stream(file.path) as stream:
            process = stream.read(_LONGEST).decode("ascii", "replace")
    except FileNotFoundError:  # it has just ended
        process = ""
    return Heartbeat(file.base_name, seconds_since(file), process.strip(), file.path)


def _machine() -> list[str]:
    boot = (_PROCESSES / "sys/kernel/random/boot_id").read_text().strip()
    return [boot, str((_PROCESSES / "self/ns/pid").readlink())]


def _stat(number: str) -> list[str]:
    stat = (_PROCESSES / number / "stat").read_text()
    return stat[stat.rindex(")") + 2 :].split()  # the program's name may hold anything
