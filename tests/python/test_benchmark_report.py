"""The report of the benchmarks, from results alone: no Spark, and nothing is measured."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import bench  # noqa: E402

LAYOUT: dict[str, Any] = {
    "mean": 0.25,
    "ratio": 1.5,
    "files": 22,
    "fullness": [0.9, 1.1],
    "distinct": {"distance": 200, "dep_time": 1300},
}


def keep(folder: Path, name: str, runs: dict[str, Any]) -> None:
    """Writes results as a benchmark does."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"machine": {"hudi-zorder": "0123abc"}, "runs": runs}
    (folder / f"{name}.json").write_text(json.dumps(content))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.py", *arguments])
    bench.main()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["speed", "compare", "typo"], "no series 'typo': speed has columns, compare, files"),
        (["--quick", "speed", "rows"], "no series 'rows': with --quick, speed has compare"),
        (["layout", "rows"], "'layout' has no series"),
    ],
)
def test_a_series_that_there_is_not_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    told: str,
) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, *arguments)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err


def test_a_quick_report_needs_no_independent_columns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "CACHE", tmp_path)
    keep(tmp_path / "quick", "layout-tree", {"flights/2/22": LAYOUT})
    run(monkeypatch, "--quick", "report")
    page = (tmp_path / "quick" / "RESULTS.md").read_text()
    assert "| **hudi-zorder** | 1.500 |  | 1.500 |" in page
