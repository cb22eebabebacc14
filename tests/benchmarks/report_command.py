"""The part of the report that is about the command from start to end."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Final

from store import Store
from tables import bound, section, table

_EXPLAINED: Final = """\
Medians of seconds from start to end: `hudi-zorder cluster` by default, and a process that starts a
session of Spark, clusters by Hudi's own `linear` and ends; within it, the clustering alone."""


def sections(results: Path) -> list[str]:
    """Returns the section of all rounds that have results."""
    rows, bounds = [], []
    for job, rounds in Store(results, "command-all").rounds.items():
        seconds = {what: median(found[what] for found in rounds) for what in rounds[0]}
        rows.append([job.replace("/", " / "), *seconds.values()])
        around = median(found["command"] - found["command_within"] for found in rounds)
        bounds.append(bound(f"seconds around the clustering, {job}", around, 6))
        quotient = seconds["command"] / seconds["hudi"]
        bounds.append(bound(f"the command against Hudi's, {job}", quotient, 1.5))
    if not rows:
        return []
    header = ("data / columns / files", "command", "within it", "Hudi, `linear`", "within it")
    return [
        section(
            "Speed: the command from start to end",
            _EXPLAINED,
            table(header, rows),
            "\n".join(bounds),
        )
    ]
