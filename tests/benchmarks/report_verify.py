"""The part of the report that is about what a clustering's proofs cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any, Final

import verify
from store import Store, job_of
from systems import PROVEN
from tables import bound, section, table

_BASE: Final = PROVEN[0].name
# Less than a hundredth of the clustering, and less than half of it.
_LIMITS: Final = {"verify-count": 1.01, "verify-content": 1.5}
_EXPLAINED: Final = """\
Medians of warm seconds: three clusterings by each proof, in turn in one JVM. The phase is what
the strategy itself spends on a proof; the validator reads within Hudi's commit."""


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the section of all rounds that have results."""
    rounds = Store(results, "verify-all").runs.rounds
    jobs = Counter(job_of(key) for key in verify.jobs(quick=quick))
    parts = [part for job, of in jobs.items() for part in _job(job, rounds.get(job, []), of)]
    return [section("Proofs: what they cost", _EXPLAINED, *parts)]


def _job(job: str, rounds: list[Mapping[str, Any]], of: int) -> list[str]:
    complete = rounds if len(rounds) == of else []
    names = [system.name for system in PROVEN]
    rows = [
        [name, _median(rounds, name, "seconds"), _of_base(rounds, name), phase]
        for name in names
        if (phase := _median(rounds, name, "verify")) is not None
    ]
    return [
        f"{job.replace('/', ' / ')} (data / columns / files), {len(rounds)} of {of} JVMs",
        table(("proof", "warm s", f"of {_BASE}", "phase verify, s"), rows),
        "\n".join(
            bound(f"{name} against {_BASE}, warm", _of_base(complete, name), limit)
            for name, limit in _LIMITS.items()
        ),
    ]


def _of_base(rounds: list[Mapping[str, Any]], name: str) -> float | None:
    seconds, base = (_median(rounds, of, "seconds") for of in (name, _BASE))
    return None if seconds is None or base is None else seconds / base


def _median(rounds: list[Mapping[str, Any]], name: str, what: str) -> float | None:
    values = [value for result in rounds for value in result[name][what]]
    return median(values) if values else None
