"""The report of the benchmarks, from results alone: no Spark, and nothing is measured."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path.append(str(BENCHMARKS))

import bench  # noqa: E402
import environment  # noqa: E402
import report  # noqa: E402
import report_front  # noqa: E402
from store import Store  # noqa: E402
from tables import Apart, bound, compared  # noqa: E402

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
    content = {
        "machines": [{"hudi-zorder": "0123abc"}],
        "runs": {key: {**result, "machine": 0} for key, result in runs.items()},
    }
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


def test_each_run_is_kept_with_what_it_was_made_by(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = {"hudi-zorder": "0123abc", "processor": "one"}
    for revision, key in (("0123abc", "a/1"), ("4567def", "a/2"), ("0123abc", "a/3")):
        monkeypatch.setattr("store.machine", lambda by=revision: {**machine, "hudi-zorder": by})
        Store(tmp_path, "speed-rows-tree").add(key, {"cold": 1.0})
    written = (tmp_path / "speed-rows-tree.json").read_text()
    assert written == json.dumps(json.loads(written), indent=1, sort_keys=True) + "\n"
    assert json.loads(written)["machines"] == [machine, {**machine, "hudi-zorder": "4567def"}]
    runs = Store(tmp_path, "speed-rows-tree").runs
    revisions = [runs[f"a/{number}"]["machine"]["hudi-zorder"] for number in (1, 2, 3)]
    assert revisions == ["0123abc", "4567def", "0123abc"]


def test_the_results_of_the_repository_read_and_write_as_they_are(tmp_path: Path) -> None:
    for path in bench.RESULTS.glob("*.json"):
        store = Store(bench.RESULTS, path.stem)
        store.path = tmp_path / path.name
        store.save()
        assert store.path.read_text() == path.read_text(), path.name


def test_a_tree_that_is_changed_is_told_by_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for folder in ("java", "tests/benchmarks/results"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "file").write_text("as committed")
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True)
    monkeypatch.setattr(environment, "CHECKOUT", tmp_path)
    commit = environment._revision()
    (tmp_path / "tests/benchmarks/results/file").write_text("a result more")
    assert environment._revision() == commit
    (tmp_path / "java/file").write_text("another")
    assert environment._revision() == f"{commit}, changed"


def test_a_quotient_of_runs_that_did_not_take_turns_is_marked() -> None:
    old, new = ({"machine": {"hudi-zorder": revision}} for revision in ("0123abc", "4567def"))
    assert not isinstance(compared(0.5, (old, old)), Apart)
    assert bound("a", compared(0.5, (old, new)), 1) == "- kept: a, 0.5 † (at most 1)"


@pytest.fixture
def quick_policies(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the best policy of upkeep takes seconds, and needs no results."""
    monkeypatch.setattr("report_upkeep.least_rewritten", lambda *_: 3.3)


def counted(results: Path) -> tuple[int, int, str]:
    """Returns how many bounds are kept, of how many, and the page that says so."""
    page = report_front.write(results, report.write(results, quick=False), quick=False)
    found = re.search(r"(\d+) of (\d+) bounds are kept", page)
    assert found
    return int(found[1]), int(found[2]), page


@pytest.mark.usefixtures("quick_policies")
@pytest.mark.parametrize(
    ("deleted", "told"),
    [
        ("speed-large-delta-zorder", "Speed: a larger table: not measured: tree against delta-"),
        ("speed-touched-upkeep", "Speed: few of many partitions: not measured: 2,000 partitions"),
        ("command-all", "from start to end: not measured: the command against Hudi's, flights"),
        (
            "layout-hudi-hilbert-direct",
            "grid of independent columns: not measured: the tree against",
        ),
        ("upkeep-weeks", "Upkeep through weeks of other loads: not measured: rows that differ"),
        ("queries-tree", "not measured: rows read by queries, over those of the plain tree"),
    ],
)
def test_a_bound_without_its_result_is_counted_and_named(
    tmp_path: Path, deleted: str, told: str
) -> None:
    kept, bounds, page = counted(bench.RESULTS)
    assert told not in page
    results = tmp_path / "results"
    shutil.copytree(bench.RESULTS, results)
    (results / f"{deleted}.json").unlink()
    fewer, as_many, page = counted(results)
    assert as_many == bounds
    assert fewer <= kept
    assert told in page


@pytest.mark.usefixtures("quick_policies")
def test_a_bound_needs_all_rounds_of_what_it_compares(tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(bench.RESULTS, results)
    told = "Speed: all systems: not measured: tree against hudi-linear, warm"
    before = counted(results)
    assert told not in before[2]
    store = Store(results, "speed-compare-hudi-linear")
    del store.runs["store_sales_sf1/2/22#2"]
    store.save()
    after = counted(results)
    assert told in after[2]
    assert after[:2] == (before[0] - 1, before[1])


@pytest.mark.usefixtures("quick_policies")
def test_a_report_of_nothing_tells_of_no_results(tmp_path: Path) -> None:
    kept, bounds, page = counted(tmp_path)
    assert (kept, bounds) == (0, counted(bench.RESULTS)[1])
    assert "|" not in page
    tables = report.write(tmp_path, quick=False)
    assert "heap of 1 GB" not in tables
    assert "| speed-memory-tree | 3 |" in tables


def test_the_process_that_hudi_clusters_in_has_no_more_than_that_takes() -> None:
    script = (
        "import hudi_command, sys; print(*{'data_sets', 'harness', 'pyarrow'} & {*sys.modules})"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=BENCHMARKS, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "\n"


def test_what_failed_is_told_once_all_else_was_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(results: Path, *, quick: bool) -> None:
        raise RuntimeError("Cannot measure this")

    worker = tmp_path / "worker.py"
    worker.write_text("raise SystemExit(1)")
    monkeypatch.setattr(bench, "_WORKER", worker)
    monkeypatch.setattr(bench, "CACHE", tmp_path)
    monkeypatch.setattr(bench, "TABLES", tmp_path)
    monkeypatch.setattr(bench, "benchmark_jar", lambda: None)
    monkeypatch.setattr(bench, "COMMANDS", ("pages", "jmh", "report"))
    monkeypatch.setitem(bench.HERE, "jmh", fails)
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, "--quick", "all")
    assert (tmp_path / "quick" / "RESULTS.md").is_file()
    assert str(stopped.value.code).startswith("Some jobs failed, see above: pages-tree, pages-")
    assert str(stopped.value.code).endswith(", jmh")
    assert "Cannot measure this" in capsys.readouterr().err
