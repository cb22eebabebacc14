"""Experiment: seconds and memory of what reads a table of many files, without Spark.

Each command is a process of its own, started by a small one, so that the peak of memory is its own.
The files are links of a few hundred, and so in the memory of the operating system: what is measured
is the reading and not the disk.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from reading_table import indexed_files, many_files
from store import Store

COMMANDS: Final = {
    "info": ("info",),
    "explain": ("explain", "dep_time = 700 AND carrier = 'AS'"),
    "explain, one partition": ("explain", "month = 3 AND distance > 2500"),
    "stats": ("stats",),
    "stats, one column": ("stats", "--columns", "distance"),
    "history": ("history",),
}
BY_INDEX: Final = {
    f"{name}, index": (*arguments, "--source", "index")
    for name, arguments in COMMANDS.items()
    if name != "history"
}
_MAIN: Final = "from hudi_zorder.cli import main; main()"
_USED: Final = (sys.executable, str(Path(__file__).with_name("usage.py")))
_SIZES: Final = ((20_000, 10_000), (100_000, 50_000))  # files, archived instants


def tables(*, quick: bool) -> dict[str, tuple[str, int, int]]:
    """Returns the commands by the key of their result, with files and archived instants."""
    return {
        f"{name}/{files}/{archived}": (name, files, archived)
        for files, archived in (_SIZES[:1] if quick else _SIZES)
        for name in (*COMMANDS, *BY_INDEX)
    }


def run(results: Path, *, quick: bool) -> None:
    """Measures all commands on all tables, and keeps seconds and the peak of memory."""
    store = Store(results, "reading-all")
    for key, (name, files, archived) in tables(quick=quick).items():
        if key not in store.runs:
            made = indexed_files if name in BY_INDEX else many_files
            result = measured(made(files, archived), {**COMMANDS, **BY_INDEX}[name])
            store.add(key, result)
            print(f"reading {key}: {result}")


def measured(table: Path, arguments: tuple[str, ...]) -> dict[str, float]:
    """Returns seconds and the peak of resident memory, in MB, of one command."""
    verb, *others = arguments
    command = [sys.executable, "-c", _MAIN, verb, str(table), *others]
    run = subprocess.run([*_USED, *command], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        raise RuntimeError(f"Cannot measure: '{' '.join(command)}' failed, see above")
    found: dict[str, float] = json.loads(run.stdout)
    return found
