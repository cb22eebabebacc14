"""Runs a command and prints, as JSON, its seconds and its peak of memory.

A process of its own, and a small one: to the peak that Linux tells of a process belongs what its
parent had before it became the command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence


def used(command: Sequence[str]) -> dict[str, float]:
    """Returns seconds, those of processors, and the peak of resident memory in MB."""
    started = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - started
    if process.returncode:
        raise SystemExit(f"Cannot measure: it ended with {process.returncode}")
    return {
        "seconds": seconds,
        "processor": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss * 1024 / 1e6,
    }


if __name__ == "__main__":
    print(json.dumps(used(sys.argv[1:])))
