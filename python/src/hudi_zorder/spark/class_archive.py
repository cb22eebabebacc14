"""The classes of a command as the JVM holds them, in a file of 180 MB that the next one maps.

Java calls it class data sharing. One command writes the file as its JVM ends, by which time the
command itself has returned; the JVM checks it against the jars, and passes over what does not fit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hudi_zorder.spark.java import installed_java

_FIRST_JAVA: Final = 17
_OTHERS_KEPT: Final = 2  # the archives of other installations that were used last


def class_archive(spark_home: Path, jars: Sequence[str], *, create: bool) -> list[str]:
    """Returns the Java options that use the archive, or make it; none where neither can be.

    There is one archive for each installation, made anew when Java or a jar has changed, of the
    installations used last.

    Args:
        spark_home: whose jars are on the class path.
        jars: others on it.
        create: whether to make one that is missing.
    """
    java = _java_home()
    if java is None:
        return []
    changing = [java / "release", *(Path(jar) for jar in jars)]
    places = _digest([str(spark_home), *(str(path) for path in changing)])
    try:
        state = _digest([f"{path.stat().st_mtime_ns} {path.stat().st_size}" for path in changing])
        folder = _cache()
        archive = folder / f"{places}-{state}.jsa"
        if _is_complete(archive):
            with suppress(OSError):  # of an archive that is another user's
                archive.touch()
            return [f'"-XX:SharedArchiveFile={archive}"']
        if not create:
            return []
        folder.mkdir(parents=True, exist_ok=True)
        _make_room(folder, places)
    # Without a home, or one to write to, a command is slower, and no worse.
    except (OSError, RuntimeError):
        return []
    return [f'"-XX:ArchiveClassesAtExit={archive}"']


def _make_room(folder: Path, places: str) -> None:
    """Removes the archive that a new one of the same places replaces, and those not used lately."""
    archives = sorted(folder.glob("*.jsa"), key=lambda archive: archive.stat().st_mtime)
    others = [archive for archive in archives if not archive.name.startswith(places)]
    for unused in {*archives} - {*others[-_OTHERS_KEPT:]}:
        unused.unlink()


def _is_complete(archive: Path) -> bool:
    """Tells whether there is an archive that its JVM could finish: it writes the head at last."""
    if not archive.is_file():
        return False
    with archive.open("rb") as file:
        return any(file.read(4))


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hudi-zorder" / "classes"


def _java_home() -> Path | None:
    """Returns the folder of the Java that Spark starts, if it is one that archives classes."""
    java = installed_java()
    archives = java and java.version >= _FIRST_JAVA and "OpenJ9" not in java.release
    return java.home if java and archives else None


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
