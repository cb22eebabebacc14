"""Results on disk: one small JSON file for each experiment and system, saved after every run.

A run whose result is there is not repeated, so that an interrupted benchmark goes on where it was.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from environment import machine


class Store:
    """The results of one experiment, by a key for each run.

    Args:
        folder: where results lie.
        name: of the file, such as ``layout-tree``.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.json"
        self._content: dict[str, Any] = {"machine": machine(), "runs": {}}
        if self.path.is_file():
            self._content = json.loads(self.path.read_text())

    @property
    def runs(self) -> dict[str, Any]:
        """The results so far, by key."""
        return self._content["runs"]

    @property
    def machine(self) -> dict[str, str]:
        """The machine that the first run was made on."""
        return self._content["machine"]

    @property
    def rounds(self) -> dict[str, list[Any]]:
        """The results by job, those of its rounds (``#2`` behind it) together."""
        by_job: dict[str, list[Any]] = {}
        for key, result in self.runs.items():
            by_job.setdefault(key.partition("#")[0], []).append(result)
        return by_job

    def add(self, key: str, result: Any) -> None:
        """Keeps a result and saves all."""
        self.runs[key] = result
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(self._content, indent=1, sort_keys=True) + "\n")
        os.replace(unfinished, self.path)


def numbers_of(job: str) -> list[int]:
    """Returns the numbers of a job that has nothing else, ``20000/10000``, whatever its round."""
    return [int(number) for number in job.partition("#")[0].split("/")]


def sizes_of(job: str) -> list[int]:
    """Returns the numbers behind the data of a job, of ``store_sales_sf1/2/22`` 2 and 22."""
    return numbers_of(job.partition("/")[2])


def stores(folder: Path, prefix: str) -> dict[str, Store]:
    """Returns the results of an experiment by what follows the prefix in the file's name."""
    paths = sorted(folder.glob(f"{prefix}-*.json"))
    return {path.stem.removeprefix(f"{prefix}-"): Store(folder, path.stem) for path in paths}
