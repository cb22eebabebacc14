"""What a user has set for Spark, wherever."""

from __future__ import annotations

import logging
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from pyspark.find_spark_home import _find_spark_home
from pyspark.sql import SparkSession

from hudi_zorder.options import LOCK_PROVIDER, LOCKING
from hudi_zorder.spark._jvm import process

logger = logging.getLogger("hudi_zorder")

JARS: Final = "spark.jars"
PACKAGES: Final = "spark.jars.packages"
CLASS_PATH: Final = "spark.driver.extraClassPath"
CLASS_PATH_OF_EXECUTORS: Final = "spark.executor.extraClassPath"
JAVA_OPTIONS: Final = "spark.driver.extraJavaOptions"
JAVA_OPTIONS_OF_EXECUTORS: Final = "spark.executor.extraJavaOptions"

SPARK_ENV: Final = "spark-env.sh"
"""A script in Spark's folder of settings, by which any variable may be another for its JVM."""

SYSTEM_FOLDER: Final = "/etc/hudi/conf"
_HUDI_DEFAULTS: Final = "hudi-defaults.conf"
_FLAGS: Final = {JARS: "--jars", PACKAGES: "--packages", CLASS_PATH: "--driver-class-path"}
_PROPERTIES: Final = "--properties-file"


def hudi_defaults() -> dict[str, str]:
    """Returns what ``hudi-defaults.conf`` says, from where Hudi will take it.

    One in a folder of the class path stands alone; else it is that of the system, and over it that
    of HUDI_CONF_DIR. What lies on another file system cannot be read before a session is there:
    then it counts as having a lock, and a warning in the log says so.
    """
    of_hadoop = (os.environ.get(name) for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"))
    # Spark has these on the class path of its JVMs, in this order.
    for folder in filter(None, (str(defaults_folder()), *of_hadoop)):
        if (path := Path(folder, _HUDI_DEFAULTS)).is_file():
            return _properties(str(path), set())
    read: set[str] = set()
    return {
        key: value
        for folder in filter(None, (SYSTEM_FOLDER, os.environ.get("HUDI_CONF_DIR")))
        for key, value in _properties(f"{folder}/{_HUDI_DEFAULTS}", read).items()
    }


def _properties(url: str, read: set[str]) -> dict[str, str]:
    """Returns the properties of a file, those that it includes in their place, as Hudi has them.

    Args:
        url: the file; one that is missing has none, and Hudi itself tells of it.
        read: files that are read already, to which this one is added.
    """
    place = urlsplit(url)
    if place.scheme not in ("", "file"):
        logger.warning(
            "Set no lock for the SQL statements of the session, as '%s' may name one, which only "
            "Hudi can read; if it names none, set '%s'",
            url,
            LOCK_PROVIDER,
        )
        return dict(LOCKING)
    if place.path in read:
        return {}
    read.add(place.path)
    try:
        text = Path(place.path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = re.sub(r"\s+", " ", line).partition("=" if "=" in line else " ")
        key, value = key.strip(), value.strip()
        if line.startswith(("include=", "include =")):
            found |= _properties(urljoin(url, value), read)
        elif not line.startswith("#"):
            found[key] = value
    return found


class Settings:
    """What is set on a builder; else in a JVM that runs, or for the one that PySpark will start.

    Of that, ``PYSPARK_SUBMIT_ARGS`` tells, and then the file of properties that they name, or
    ``spark-defaults.conf``.

    Args:
        builder: with the user's settings.

    Attributes:
        jvm_runs: whether a JVM runs, which no jar can be added to.
    """

    def __init__(self, builder: SparkSession.Builder) -> None:
        self.jvm_runs = process.jvm_runs()
        arguments = shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", ""))
        self._flags = dict(_flags(arguments, *_FLAGS.values(), _PROPERTIES))
        pairs = (pair.partition("=") for _, pair in _flags(arguments, "--conf", "-c"))
        self._conf = _of_spark((key, value) for key, _, value in pairs)
        started_with = (self._conf, defaults_file(self._flags.get(_PROPERTIES)))
        others = [process.running_settings()] if self.jvm_runs else started_with
        self._sources: Sequence[Any] = (builder._options, *others)

    def get(self, key: str) -> str | None:
        """Returns a setting, of the first source that has it; None when there is none."""
        found = (source.get(key, None) for source in self._sources)
        return next((str(value) for value in found if value is not None), None)

    def entries(self, key: str) -> list[str]:
        """Returns a setting that is a list."""
        return _parts(key, self.get(key))

    def flag(self, key: str) -> str | None:
        """Returns a list of jars set in PYSPARK_SUBMIT_ARGS, which hides that of the builder."""
        name = _FLAGS.get(key)
        return None if name is None else self._flags.get(name, self._conf.get(key))

    def class_path(self, key: str, home: Path) -> Iterator[str]:
        """Yields the jar files of a class path, the driver's or executors', and Spark's own."""
        for entry in (str(home / "jars" / "*"), *self._given(key)):
            if entry.endswith("*"):
                yield from map(str, Path(entry[:-1]).glob("*.jar"))
            else:
                yield entry

    def served(self) -> Iterator[str]:
        """Yields jar files and Maven coordinates that driver and executors will load beside it."""
        for key in (JARS, PACKAGES):
            yield from self._given(key)

    def _given(self, key: str) -> list[str]:
        return self.entries(key) + _parts(key, self.flag(key))


def add_java_options(
    builder: SparkSession.Builder, user: Settings, key: str, options: Sequence[str]
) -> None:
    """Has JVMs start with options before those that a setting has, which so have the last word."""
    builder.config(key, " ".join([*options, user.get(key) or ""]).strip())


def spark_home() -> Path:
    """Returns the folder of the Spark that PySpark starts."""
    return Path(_find_spark_home())  # type: ignore[no-untyped-call]  # pyspark gives it no type


def defaults_folder() -> Path:
    """Returns the folder of Spark's own settings, and those of Hadoop that it may hold."""
    return Path(os.environ.get("SPARK_CONF_DIR") or spark_home() / "conf")


def defaults_file(instead: str | None = None) -> dict[str, str]:
    """Returns what spark-defaults.conf sets, or the file of properties that is given instead."""
    path = Path(instead or defaults_folder() / "spark-defaults.conf")
    if not path.is_file():
        return {}
    # As Spark reads it, whatever encoding a comment is in.
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = (line.strip() for line in text.splitlines())
    pairs = (re.split(r"\s*=\s*|\s+", line, maxsplit=1) for line in lines if line[:1] != "#")
    return _of_spark((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def separator(key: str) -> str:
    """Returns what is between the entries of a setting that is a list."""
    return os.pathsep if key in (CLASS_PATH, CLASS_PATH_OF_EXECUTORS) else ","


def _parts(key: str, value: str | None) -> list[str]:
    parts = (part.strip() for part in (value or "").split(separator(key)))
    return [part for part in parts if part]


def _flags(arguments: Sequence[str], *names: str) -> Iterator[tuple[str, str]]:
    for position, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in names:
            if equals:
                yield name, value
            elif position + 1 < len(arguments):
                yield name, arguments[position + 1]


def _of_spark(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Returns settings, the last of each key, without those that spark-submit drops."""
    return {key: value for key, value in pairs if key.startswith("spark.")}
