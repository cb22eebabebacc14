"""Whether a process lives, by its name, on the machine that asks.

A process is named by the machine's boot, the namespace of process numbers, its number and when it
started: ``ProcessIdentity`` in Java writes it, into heartbeats and into the file of ``TableLock``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_PROCESSES: Final = Path("/proc")
_FIRST: Final = "1"
_NUMBER: Final = re.compile(r"\d{1,10}", re.ASCII)  # of a process
# In the file stat, after the name of the program.
_STATE, _START_TIME = 0, 19
_ENDED: Final = frozenset("ZX")


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


def _machine() -> list[str]:
    boot = (_PROCESSES / "sys/kernel/random/boot_id").read_text().strip()
    return [boot, str((_PROCESSES / "self/ns/pid").readlink())]


def _stat(number: str) -> list[str]:
    stat = (_PROCESSES / number / "stat").read_text()
    return stat[stat.rindex(")") + 2 :].split()  # the program's name may hold anything
