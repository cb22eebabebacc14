"""Results on disk: one small JSON file for each experiment and system, saved after every run.

A run whose result is there is not repeated, so that an interrupted benchmark goes on where it was.
Each is kept with the machine and the revision that it was made by, for a file may have several.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from environment import machine


class NotMeasured(LookupError):
    """There is no such result; the text names it."""


class Runs(dict[str, Any]):
    """The results of one experiment and system by key; what is not there is ``NotMeasured``.

    Args:
        name: of the file, such as ``layout-tree``.
        found: the results.
    """

    def __init__(self, name: str, found: Mapping[str, Any]) -> None:
        super().__init__(found)
        self.name = name

    def __missing__(self, key: str) -> Any:
        raise NotMeasured(f"{self.name}: {key}")

    @property
    def rounds(self) -> dict[str, list[Any]]:
        """The results by job, those of its rounds (``#2`` behind it) together."""
        by_job: dict[str, list[Any]] = {}
        for key, result in self.items():
            by_job.setdefault(job_of(key), []).append(result)
        return by_job


class RunsBySystem(dict[str, Runs]):
    """The results of an experiment by system; those of one that has none are empty.

    Args:
        folder: where results lie.
        prefix: the experiment, or experiment and series.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        paths = sorted(folder.glob(f"{prefix}-*.json"))
        names = (path.stem.removeprefix(f"{prefix}-") for path in paths)
        super().__init__({name: Store(folder, f"{prefix}-{name}").runs for name in names})
        self._prefix = prefix

    def __missing__(self, system: str) -> Runs:
        return Runs(f"{self._prefix}-{system}", {})


class Store:
    """The results of one experiment, by a key for each run.

    ``machine`` of a result is what it was made by, which its file has once for all runs alike.

    Args:
        folder: where results lie.
        name: of the file, such as ``layout-tree``.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.json"
        self.runs = Runs(name, {})
        if self.path.is_file():
            content = json.loads(self.path.read_text())
            for key, run in content["runs"].items():
                self.runs[key] = {**run, "machine": content["machines"][run["machine"]]}

    def add(self, key: str, result: Mapping[str, Any]) -> None:
        """Keeps a result and what it was made by, and saves all."""
        self.runs[key] = {**result, "machine": machine()}
        self.save()

    def save(self) -> None:
        """Writes all results."""
        machines: list[Any] = []
        for _, run in sorted(self.runs.items()):
            if run["machine"] not in machines:
                machines.append(run["machine"])
        runs = {
            key: {**run, "machine": machines.index(run["machine"])}
            for key, run in self.runs.items()
        }
        content = {"machines": machines, "runs": runs}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
        os.replace(unfinished, self.path)


def job_of(key: str) -> str:
    """Returns the job of a run, ``flights/2/22`` of ``flights/2/22#2``."""
    return key.partition("#")[0]


def numbers_of(job: str) -> list[int]:
    """Returns the numbers of a job that has nothing else, ``20000/10000``, whatever its round."""
    return [int(number) for number in job_of(job).split("/")]


def sizes_of(job: str) -> list[int]:
    """Returns the numbers behind the data of a job, of ``store_sales_sf1/2/22`` 2 and 22."""
    return numbers_of(job.partition("/")[2])
