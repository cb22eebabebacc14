"""``hudi-zorder cluster`` is killed at any moment; run again, as by a user, it has it done.

``KILLS`` (30) is how often, for each kind of table; ``SEED`` (0) is what the moments are drawn by.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hudi import HudiTableBuilder
from test_race import shown_by_hudi, start

import hudi_zorder as hz

KILLS = int(os.environ.get("KILLS", "30"))
SEED = os.environ.get("SEED", "0")
LOADS = 12
PROGRAM = Path(sys.executable).with_name("hudi-zorder")
LAYOUT = ["--columns", "a,b", "--target-file-size", "30KB", "--output", "json"]
MINUTES = 10 * 60

pytestmark = pytest.mark.soak


@dataclass(frozen=True)
class Usual:
    """The seconds of a clustering that nobody kills: all, and since its plan."""

    total: float
    since_plan: float


class Command:
    """The command in processes of its own.

    Args:
        folder: for what it prints, and for its archive of classes.
    """

    def __init__(self, folder: Path) -> None:
        self._environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
        self._errors = folder / "errors.txt"

    def clusters(self, table: Path) -> str | None:
        """Clusters to the end; returns the instant, None where there was nothing to do."""
        process = self._begin(table)
        said, _ = process.communicate(timeout=MINUTES)
        assert process.returncode == 0, self._errors.read_text()
        instant: str | None = json.loads(said)["instant"]
        return instant

    def usual(self, table: Path) -> Usual:
        """Clusters to the end, and tells when its plan was there."""
        began = time.monotonic()
        process = self._begin(table)
        self._await(lambda: has_plan(table), process)
        planned = time.monotonic()
        process.communicate(timeout=MINUTES)
        ended = time.monotonic()
        return Usual(ended - began, ended - planned)

    def is_killed(self, table: Path, seconds: float, *, since_plan: bool) -> None:
        """Clusters, and kills it and its JVM so long after it has begun, or planned."""
        process = self._begin(table)
        if since_plan:
            self._await(lambda: has_plan(table), process)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    def _begin(self, table: Path) -> subprocess.Popen[str]:
        with self._errors.open("w") as errors:
            return subprocess.Popen(
                [PROGRAM, "cluster", table, *LAYOUT, "--conf", "spark.master=local[2]"],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=self._environment,
                start_new_session=True,
            )

    def _await(self, holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
        deadline = time.monotonic() + MINUTES
        while not holds():
            assert process.poll() is None, self._errors.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_who_was_killed_at_any_moment_has_only_to_be_run_again(tmp_path: Path, kind: str) -> None:
    made, told = tmp_path / "made", tmp_path / "told.json"
    log = tmp_path / "writer.log"
    assert start("write", made, kind, "unaware", LOADS, SEED, told, log=log).wait() == 0
    before = rows_of(made)
    command = Command(tmp_path)
    command.clusters(shutil.copytree(made, tmp_path / "first"))  # it archives its classes
    usual = command.usual(shutil.copytree(made, tmp_path / "usual"))
    print(f"\n{kind}: {len(before)} rows, {usual}")

    draw = random.Random(SEED)
    tables = []
    left: Counter[str] = Counter()
    for number in range(KILLS):
        table = shutil.copytree(made, tmp_path / str(number))
        # Of the whole, most would be the start of Spark.
        since_plan = number % 2 == 1
        seconds = draw.uniform(0, usual.since_plan if since_plan else usual.total)
        command.is_killed(table, seconds, since_plan=since_plan)
        state = what_is_left(table)
        left[state] += 1
        print(f"{number}: {seconds:.2f} s since its {'plan' if since_plan else 'start'}: {state}")

        command.clusters(table)
        check(table, before)
        assert command.clusters(table) is None, "the next one is to find all laid out"
        check(table, before)
        tables.append(table)
    print(dict(left))
    acknowledged = sorted(map(tuple, json.loads(told.read_text())["told"]))
    assert shown_by_hudi(tables, tmp_path / "check.log") == [acknowledged] * KILLS
    assert left["inflight"], "nobody was killed amid a clustering"


def has_plan(table: Path) -> bool:
    return any((table / ".hoodie/timeline").glob("[0-9]*.clustering.requested"))


def what_is_left(table: Path) -> str:
    """The state of the plan that was left behind, or whether there is one at all."""
    opened = hz.open_table(table)
    states = [plan.state for plan in opened.pending()]
    return " ".join(states) or ("committed" if opened.history() else "nothing")


def check(table: Path, before: Counter[tuple[Any, ...]]) -> None:
    """Holds a table to its rows, to one clustering, and to nothing that waits or is left over."""
    assert rows_of(table) == before
    opened = hz.open_table(table)
    assert len(opened.history()) == 1
    assert opened.pending() == []
    names = {file.name for file in (table / ".hoodie/timeline").glob("[0-9]*")}
    completed = {name.split("_")[0] for name in names if "_" in name}
    assert {name[:17] for name in names} == completed
    written = {file.stem.rpartition("_")[2] for file in table.glob("*/*.parquet")}
    assert written <= completed
    for folder in (".heartbeat", ".temp"):
        assert [*(table / ".hoodie" / folder).glob("[0-9]*")] == []


def rows_of(table: Path) -> Counter[tuple[Any, ...]]:
    """The rows by a reader that is not ours; of Hudi's columns, the file's name changes."""
    return Counter(
        tuple(value for name, value in row.items() if name != "_hoodie_file_name")
        for batch in HudiTableBuilder.from_base_uri(str(table)).build().read()
        for row in batch.to_pylist()
    )
