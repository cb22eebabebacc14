"""Loads in one process, clusterings in others: what was acknowledged is in the table afterwards.

``LOADS`` (100) is how many loads there are, ``SEED`` (0) what they are drawn by.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hudi import HudiTableBuilder

RACE = Path(__file__).with_name("race.py")
SHARED = Path(__file__).parents[1] / "python"
LOADS = os.environ.get("LOADS", "100")
SEED = os.environ.get("SEED", "0")
# Both lock the table, and the clustering gives way: of a writer that found the lock taken for too
# long this allows some. Without that a third of the loads were refused.
MOST_REFUSED = 0.1


pytestmark = pytest.mark.soak


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize(
    "modes", ["cluster", "schedule", "call", "cluster,cluster", "cluster,call"]
)
@pytest.mark.parametrize("how", ["unaware", "locked"])
def test_no_acknowledged_row_is_lost_beside_clusterings(
    tmp_path: Path, kind: str, modes: str, how: str
) -> None:
    path, told_file, stop = tmp_path / "race", tmp_path / "told.json", tmp_path / "stop"
    processes = [
        start("cluster", path, mode, stop, log=tmp_path / f"clusterer-{number}.log")
        for number, mode in enumerate(modes.split(","))
    ]
    try:
        log = tmp_path / "writer.log"
        writer = start("write", path, kind, how, LOADS, SEED, told_file, log=log)
        said, _ = writer.communicate()
        assert writer.returncode == 0, said
    finally:
        stop.touch()
    outcomes = [process.communicate()[0].strip().splitlines()[-1] for process in processes]
    report = json.loads(told_file.read_text())
    told = dict(report["told"])

    print(f"\n{kind} {modes} {how}: {outcomes}; refused: {report['refused']}")
    assert rows_of(path) == told
    assert shown_by_hudi([path], tmp_path / "check.log") == [sorted(told.items())]
    assert rows_of(path) == told
    if how == "locked":
        assert len(report["refused"]) <= MOST_REFUSED * int(LOADS), report["refused"]
    clustered = sum(json.loads(text).get("True", 0) for text in outcomes)
    assert clustered > 0


def start(*arguments: object, log: Path) -> subprocess.Popen[str]:
    """Starts a process whose last line is its outcome; what Spark says goes into a file."""
    command = [sys.executable, str(RACE), *map(str, arguments)]
    found = [str(SHARED), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(found)}
    with log.open("w") as file:
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=file, text=True, env=environment
        )


def shown_by_hudi(paths: list[Path], log: Path) -> list[list[tuple[int, int]]]:
    """Clusters tables, and checks their metadata tables; returns id and version of each row."""
    checks = start("check", *paths, log=log)
    said, _ = checks.communicate()
    assert checks.returncode == 0, log.read_text()[-5000:]
    return [sorted(map(tuple, rows)) for rows in json.loads(said.splitlines()[-1])]


def rows_of(path: Path) -> dict[int, int]:
    """The table's rows by the reader that is not ours: no id may be there twice."""
    pairs = [
        (row["id"], row["version"])
        for batch in HudiTableBuilder.from_base_uri(str(path)).build().read()
        for row in batch.to_pylist()
    ]
    assert len(pairs) == len(dict(pairs))
    return dict(pairs)
