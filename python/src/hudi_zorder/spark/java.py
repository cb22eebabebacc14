"""The Java that Spark starts, as far as its own files tell of it."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyspark

from hudi_zorder.errors import SessionError
from hudi_zorder.spark.settings import JAVA_OPTIONS, SPARK_ENV, Settings, defaults_folder

# Later ones lack what Hadoop asks them for, unless 23 is told to have it.
_JAVAS: Final = range(11, 23)
_SECURITY_MANAGER: Final = "-Djava.security.manager"
_OTHER_JAVA: Final = (
    f"install a JDK from {_JAVAS[0]} to {_JAVAS[-1]}, such as openjdk-17, or set JAVA_HOME to the "
    "folder of one"
)


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


def check_java(user: Settings) -> None:
    """Refuses a Java on which Spark does not run, as far as it is known.

    Raises:
        SessionError: when there is none, or another one; with the remedy.
    """
    if _is_chosen_by_script():
        return
    home = os.environ.get("JAVA_HOME")
    if not _java_command():
        found = f"'JAVA_HOME' was '{home}', which has no bin/java" if home else "found no 'java'"
        raise SessionError(f"Cannot start Spark: {found}; {_OTHER_JAVA}")
    java = installed_java()
    if java is None or java.version in _JAVAS:
        return
    said = [user.get(JAVA_OPTIONS), *map(os.getenv, ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"))]
    if not any(_SECURITY_MANAGER in options for options in said if options):
        raise SessionError(
            f"Cannot start Spark: '{java.home}' is Java {java.version}, on which Spark "
            f"{pyspark.__version__} and this package do not run; {_OTHER_JAVA}"
        )


def installed_java() -> Java | None:
    """Returns the Java that Spark starts; None where there is none, or it is not known which."""
    command = None if _is_chosen_by_script() else _java_command()
    if command is None:
        return None
    home = Path(command).resolve().parents[1]
    file = home / "release"
    if not file.is_file():
        return None
    release = file.read_text(encoding="utf-8")
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    return Java(home, int(version[1]), release) if version else None


def _is_chosen_by_script() -> bool:
    """Tells whether Spark runs a script before it looks for Java, which may name another."""
    return (defaults_folder() / SPARK_ENV).exists()


def _java_command() -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(f"{home}/bin/java" if home else "java")
