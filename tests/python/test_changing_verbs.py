"""The verbs that change a table or say what a change would bring, with every flag, by Spark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run, write
from hudi_zorder.options import COLUMN_WEIGHTS, QUERIES, SEED, STRATEGY, TARGET_FILE_SIZE


def test_the_verbs_that_change_a_table(
    run: Run,
    spark: Any,
    tmp_path: Path,
    write_hudi: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    rows = spark.range(400).selectExpr("id", "id % 20 AS a", "id DIV 20 AS b")
    path = write_hudi(rows.repartition(4), tmp_path / "t")
    layout = ["--columns", "a,b", "--target-file-size", "1MB"]
    plan = json.loads(run("plan", path, *layout, "--output", "json").stdout)
    assert (plan["files"], plan["taken"][0]["reason"]) == (4, "new")
    assert "To rewrite: 4 files into 1" in run("plan", path, *layout).stdout
    scheduled = json.loads(run("schedule", path, *layout, "--output", "json").stdout)
    instant = scheduled["instant"]
    assert instant in run("pending", path).stdout
    assert f"Cancelled {instant}." in run("cancel", path, instant).stdout
    result = run("cancel", path, instant, code=1)
    assert f"'instant' was '{instant}'" in result.stderr
    again = json.loads(run("schedule", path, *layout, "--output", "json").stdout)["instant"]
    assert json.loads(run("execute", path, again, "--output", "json").stdout)["instant"] == again
    assert "Nothing to cluster." in run("plan", path, *layout).stdout
    said = run("cluster", path, *layout).stdout
    assert said.startswith("Nothing to cluster: every file is laid out as asked")
    assert "Clustered" in run("cluster", path, *layout, "--mode", "full").stdout
    (first, second) = json.loads(run("history", path, "--output", "json").stdout)["clusterings"]
    assert (first["instant"], second["columns"]) == (again, ["a", "b"])
    assert (second["mode"], second["share_now"], second["share_after"]) == ("full", 1.0, 1.0)
    assert "Depth, all columns" in run("info", path).stdout


@pytest.fixture
def partitioned(
    spark: Any,
    made_once: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> str:
    monkeypatch.setattr(spark, "stop", lambda: None)  # the command stops its own session
    rows = spark.range(40).selectExpr("id", "id % 20 AS a", "id DIV 20 AS b", "id % 2 AS p")
    options = {"datasource__write__partitionpath__field": "p", "metadata__enable": "false"}
    return made_once(tmp_path / "p", lambda path: write(rows.coalesce(1), path, **options))


def test_a_plan_is_made_as_every_flag_says(run: Run, partitioned: str, tmp_path: Path) -> None:
    (tmp_path / "log.sql").write_text("3\ta = 5\n")
    flags = ["-c", "a,b", "--strategy", "HILBERT", "--weights", "b=2", "--target-file-size", "2MB"]
    flags += ["--mode", "full", "--where", "p = 1", "--hudi", f"{SEED}=7"]
    run("schedule", partitioned, *flags, "--queries", tmp_path / "log.sql")
    [plan] = json.loads(run("pending", partitioned, "--output", "json").stdout)["clusterings"]
    assert (plan["columns"], plan["mode"], plan["partitions"]) == (["a", "b"], "full", ["1"])
    stored = [plan["parameters"][key] for key in (STRATEGY, COLUMN_WEIGHTS, TARGET_FILE_SIZE, SEED)]
    assert stored == ["HILBERT", "a=1.0,b=2.0", str(2 << 20), "7"]
    kept = json.loads(plan["parameters"][QUERIES])
    assert (kept["unit"], kept["queries"]) == (3, [[1, {"a": [["5", "5"]]}]])


@pytest.mark.parametrize("verb", ["cluster", "schedule", "plan", "forecast"])
def test_sizes_and_weights_that_no_layout_has_are_refused_before_spark_starts(
    run: Run, tmp_path: Path, verb: str
) -> None:
    for flag, value, why in (
        ("--target-file-size", "0", "'target_file_size' was '0'"),
        ("--weights", "nope=2", "'column_weights' names 'nope', which is no sort column"),
    ):
        assert why in run(verb, tmp_path, "-c", "a", flag, value, code=2).stderr


def test_what_every_flag_says_is_refused_by_who_is_to_use_it(
    run: Run, spark: Any, partitioned: str, tmp_path: Path
) -> None:
    instant = run("schedule", partitioned, "-c", "a").stdout.strip()
    (tmp_path / "log.sql").write_text("nope = 5\n")
    unfit: dict[str, tuple[object, str]] = {
        "--hudi": (f"{SEED}s=1", f"there is no option '{SEED}s'"),
        "--where": ("a = 1", "name nothing but partition columns"),
        "--queries": (tmp_path / "log.sql", "there is no column 'nope'"),
        "--unsafe-statistics": ("leave-out", "a plan does not say what has statistics"),
        "--predicate": ("nope = 5", "there is no column 'nope'"),
        "--sample-rows": (0, "'sample_rows' was '0'"),
        "--max-columns": (0, "'max_columns' was '0'"),
        "--target-file-size": ("0", "'target_file_size' was '0'"),
    }
    of_plans = ["--hudi", "--where", "--queries"]
    taken: dict[tuple[str, ...], list[str]] = {
        ("cluster", "-c", "a"): of_plans,
        ("schedule", "-c", "a"): [*of_plans, "--unsafe-statistics"],
        ("plan", "-c", "a"): of_plans,
        ("forecast", "-c", "a"): [*of_plans, "--predicate", "--sample-rows"],
        ("recommend", "--query", "a = 5"): [
            *of_plans,
            "--sample-rows",
            "--max-columns",
            "--target-file-size",
        ],
        ("execute", instant): ["--hudi"],
        ("cancel", instant): ["--hudi"],
    }
    for (verb, *given), flags in taken.items():
        for flag in flags:
            value, why = unfit[flag]
            setting = ["--conf", f"spark.zorder.test={verb} {flag}"]
            refused = run(verb, partitioned, *given, flag, value, *setting, code=2)
            assert why in refused.stderr, (verb, flag)
            assert spark.conf.get("spark.zorder.test") == f"{verb} {flag}"
    spark.conf.unset("spark.zorder.test")
