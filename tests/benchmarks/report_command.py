"""The part of the report that is about the command from start to end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

import commands
from store import Store, job_of
from tables import bound, section, table

Rounds = Sequence[Mapping[str, Any]]
_TIMED: Final = ("command", "command_within", "hudi", "hudi_within")
_EXPLAINED: Final = """\
Medians of seconds from start to end: `hudi-zorder cluster` by default, and a process that starts a
session of Spark, clusters by Hudi's own `linear` and ends; within it, the clustering alone. The
command's JVM has the parallel collector, and an archive of classes that a run before has left, as
for any user; that of Hudi is as Java and Spark have it by default, with G1."""


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the section of all rounds that have results."""
    by_job = Store(results, "command-all").runs.rounds
    rows, bounds = [], []
    for job in dict.fromkeys(job_of(key) for key in commands.keys(quick=quick)):
        rounds = by_job.get(job, [])
        if rounds:
            seconds = [median(found[what] for found in rounds) for what in _TIMED]
            rows.append([job.replace("/", " / "), *seconds, len(rounds)])
        complete = rounds if len(rounds) == commands.ROUNDS else []
        around, quotient = _around(complete), _quotient(complete)
        bounds.append(bound(f"seconds around the clustering, {job}", around, 6))
        bounds.append(bound(f"the command against Hudi's, {job}", quotient, 1.5))
    header = ("data / columns / files", "command", "within it", "Hudi, `linear`", "within it")
    return [
        section(
            "Speed: the command from start to end",
            _EXPLAINED,
            table((*header, "rounds"), rows),
            "\n".join(bounds),
        )
    ]


def _around(rounds: Rounds) -> float | None:
    if not rounds:
        return None
    return median(found["command"] - found["command_within"] for found in rounds)


def _quotient(rounds: Rounds) -> float | None:
    if not rounds:
        return None
    command, hudi = (median(found[what] for found in rounds) for what in ("command", "hudi"))
    return command / hudi
