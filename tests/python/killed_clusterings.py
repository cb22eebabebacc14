"""A process of stalled clusterings, killed: what it leaves of a table at each moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path

from stalled_clusterings import ENDLESS, MOMENTS

# Of these "indexed" is made.
ALWAYS = ("written", "committed")


def timeline(path: Path) -> list[str]:
    names = (entry.name for entry in Path(path, ".hoodie", "timeline").iterdir())
    return sorted(name for name in names if not name.startswith("."))


def heartbeats(path: Path) -> list[Path]:
    return [file for file in path.glob(".hoodie/.heartbeat/*") if file.name[0] != "."]


def has_halted(folder: Path, moment: str) -> bool:
    path = folder / moment
    names = timeline(path)
    if moment == "locked":
        lock = path / ".hoodie/lock"
        return lock.exists() and lock.stat().st_size > 0
    if moment == "planned":
        return any(name.endswith(".clustering.requested") for name in names)
    if moment == "written":
        [beat] = heartbeats(path) or [None]
        return beat is not None and len(list(path.glob(f"*_{beat.name}.parquet"))) > 3
    return any(name.endswith(".replacecommit") and "_" in name for name in names)


def kill(folder: Path, asked: Collection[str]) -> None:
    """Makes tables by the moments that are asked for, and some, of the table that a folder has."""
    moments = [moment for moment in MOMENTS if moment in {*asked, *ALWAYS}]
    for moment in moments:
        shutil.copytree(folder / "t", folder / moment)
    _kill_where_all_halt(folder, moments)
    written = folder / "written"
    for name in (f"{ENDLESS}.commit.requested", f"{ENDLESS}.inflight"):
        (written / ".hoodie/timeline" / name).unlink()
    # The moments around the commit that no halt reaches: Hudi writes to its metadata table first,
    # and removes markers last.
    [beat] = heartbeats(written)
    [done] = [name for name in timeline(folder / "committed") if name.endswith(".replacecommit")]
    shutil.copytree(folder / "committed", folder / "indexed")
    (folder / "indexed/.hoodie/timeline" / done).unlink()
    for moment in ("committed", "indexed"):
        instant = done.split("_")[0]
        (folder / moment / ".hoodie/.heartbeat").mkdir(exist_ok=True)
        shutil.copy(beat, folder / moment / ".hoodie/.heartbeat" / instant)
        shutil.copytree(
            written / ".hoodie/.temp" / beat.name, folder / moment / ".hoodie/.temp" / instant
        )


def _kill_where_all_halt(folder: Path, moments: Collection[str]) -> None:
    script = Path(__file__).with_name("stalled_clusterings.py")
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, script, folder, *moments],
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            deadline = time.monotonic() + 180
            while not all(has_halted(folder, moment) for moment in moments):
                assert process.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
            time.sleep(0.5)
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
