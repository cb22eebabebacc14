"""The part of the report that is about what a clustering's proofs cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

from store import Store
from systems import PROVEN
from tables import bound, section, table

_BASE: Final = PROVEN[0].name
# Less than a hundredth of the clustering, and less than half of it.
_LIMITS: Final = {"verify-count": 1.01, "verify-content": 1.5}
_EXPLAINED: Final = """\
Medians of warm seconds: one clustering by each proof in turn, in one JVM, two such JVMs. The phase
is what the strategy itself spends on a proof; the validator reads within Hudi's commit."""


def sections(results: Path) -> list[str]:
    """Returns the section of all rounds that have results."""
    by_job = Store(results, "verify-all").rounds
    parts = [part for job, rounds in by_job.items() for part in _job(job, rounds)]
    return [section("Proofs: what they cost", _EXPLAINED if parts else "", *parts)]


def _job(job: str, rounds: list[Mapping[str, Any]]) -> list[str]:
    seconds, phase = (
        {system.name: _median(rounds, system.name, what) for system in PROVEN}
        for what in ("seconds", "verify")
    )
    rows = [[name, seconds[name], seconds[name] / seconds[_BASE], phase[name]] for name in seconds]
    return [
        f"{job.replace('/', ' / ')} (data / columns / files)",
        table(("proof", "warm s", f"of {_BASE}", "phase verify, s"), rows),
        "\n".join(
            bound(f"{name} against {_BASE}, warm", seconds[name] / seconds[_BASE], limit)
            for name, limit in _LIMITS.items()
        ),
    ]


def _median(rounds: list[Mapping[str, Any]], name: str, what: str) -> float:
    return median(value for result in rounds for value in result[name][what])
