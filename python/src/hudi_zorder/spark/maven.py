"""Jars in Maven's local repository: whoever has built this project has the Hudi bundle there."""

from __future__ import annotations

from pathlib import Path


def local_jar(coordinates: str) -> Path | None:
    """Returns the file of ``group:artifact:version`` in ``~/.m2/repository``, None if not there.

    Spark takes a file as it is; coordinates it has Ivy resolve, over the network, at every start.
    """
    group, artifact, version = coordinates.split(":")
    folder = Path.home() / ".m2" / "repository" / group.replace(".", "/") / artifact / version
    jar = folder / f"{artifact}-{version}.jar"
    return jar if jar.is_file() else None
