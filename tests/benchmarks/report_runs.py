"""The parts of the report about its runs: what each was made by, and which there are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import measured
from store import Store
from tables import section, table

_FEW: Final = 3  # runs that are named, of more only how many


def machines(results: Path) -> str:
    """Returns the section of what holds for all runs, and apart from it what differs."""
    runs = [
        (path.stem, key, run["machine"])
        for path in sorted(results.glob("*.json"))
        for key, run in Store(results, path.stem).runs.items()
    ]
    if not runs:
        return ""
    facts = {fact: {machine[fact] for _, _, machine in runs} for fact in runs[0][2]}
    same = [(fact, *values) for fact, values in facts.items() if len(values) == 1]
    differing = [fact for fact, values in facts.items() if len(values) > 1]
    made: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for name, key, machine in runs:
        by = (_experiment(name), *(machine[fact] for fact in differing))
        made.setdefault(by, {}).setdefault(name, []).append(key)
    all_of = Counter(name for name, _, _ in runs)
    alone = Counter(experiment for experiment, *_ in made)
    rows = [
        [
            experiment,
            *found,
            "" if alone[experiment] == 1 else _told(experiment, by_name, all_of),
        ]
        for (experiment, *found), by_name in made.items()
    ]
    return section(
        "Machine and versions",
        table(("", ""), same),
        "Of two revisions with dots between them, the run was made by one from the first to the"
        " second. Where an experiment has several, runs are named.",
        table(("experiment", *differing, "runs"), rows) if differing else "",
    )


def _experiment(name: str) -> str:
    words = name.split("-")
    return " ".join(words[:2] if words[0] == "speed" else words[:1])


def _told(experiment: str, by_name: Mapping[str, Sequence[str]], all_of: Counter[str]) -> str:
    """Names files of results by what is behind their experiment, and the runs of some of them."""
    told = []
    for name, keys in by_name.items():
        system = name[len(experiment) + 1 :]
        some = keys[0] if len(keys) == 1 else f"{len(keys)} of {all_of[name]}"
        told.append(system if len(keys) == all_of[name] else f"{system} ({some})")
    return "; ".join(told)


def missing(results: Path, *, quick: bool) -> str:
    """Returns the section of what has no result, or nothing."""
    rows = [
        [name, len(keys), "; ".join((*keys[:_FEW], *("..." for _ in keys[_FEW : _FEW + 1])))]
        for name, keys in measured.missing(results, quick=quick).items()
    ]
    return section(
        "Not measured",
        "Runs that the commands make, and that have no result.",
        table(("results", "runs", "of"), rows),
    )
