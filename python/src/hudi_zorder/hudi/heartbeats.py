"""Who executes a plan: the heartbeats of executors, in files that they touch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.processes import is_dead
from hudi_zorder.hudi.table_config import METADATA_FOLDER
from hudi_zorder.hudi.timeline import seconds_since

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo

    from hudi_zorder.hudi.snapshot import TableSnapshot

# By Hudi's defaults: a process that executes a plan touches a file each minute, and may miss two.
# Heartbeat.toleratedMs in Java goes by what is set.
SECONDS_ALIVE: Final = 180

_FOLDER: Final = ".heartbeat"
_LONGEST: Final = 1024  # bytes that name a process, which take some seventy


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


def _heartbeat(snapshot: TableSnapshot, file: FileInfo) -> Heartbeat:
    try:
        with snapshot.filesystem.open_input_stream(file.path) as stream:
            process = stream.read(_LONGEST).decode("ascii", "replace")
    except FileNotFoundError:  # it has just ended
        process = ""
    return Heartbeat(
        file.base_name, seconds_since(snapshot.filesystem, file), process.strip(), file.path
    )
