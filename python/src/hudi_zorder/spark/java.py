"""The Java that Spark starts, as far as its own files tell of it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Java:
    """An installed Java.

    Attributes:
        home: its folder.
        version: its feature release, such as 17.
        release: what its file of that name says.
    """

    home: Path
    version: int
    release: str


def java_command() -> str | None:
    """Returns the program that Spark starts; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")


def installed_java() -> Java | None:
    """Returns the Java of that program; None where there is none, or it does not tell which."""
    command = java_command()
    if command is None:
        return None
    home = Path(command).resolve().parents[1]
    file = home / "release"
    if not file.is_file():
        return None
    release = file.read_text(encoding="utf-8")
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    return Java(home, int(version[1]), release) if version else None
