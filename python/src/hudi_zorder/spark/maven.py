"""Jars that Maven or Ivy has fetched: whoever has built this project has the Hudi bundle there."""

from __future__ import annotations

from pathlib import Path


def local_jar(coordinates: str) -> Path | None:
    """Returns the file of ``group:artifact:version`` that Maven or Spark's Ivy has, None without.

    Spark takes a file as it is; coordinates it has Ivy resolve, over the network, at every start.
    """
    group, artifact, version = coordinates.split(":")
    try:
        home = Path.home()
    except RuntimeError:  # of a user whom nobody knows, as in containers
        return None
    name = f"{artifact}-{version}.jar"
    folder = home / ".m2" / "repository" / group.replace(".", "/") / artifact / version
    jars = (folder / name, home / ".ivy2" / "jars" / f"{group}_{name}")
    return next((jar for jar in jars if jar.is_file()), None)
