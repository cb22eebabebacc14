"""The command's help, and the exit codes that it and the documents have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import Run

CHECKOUT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (3, {"HiddenRowsError", "UnsafeStatisticsError"}),
        (4, {"ConflictError", "UnendedWriteError", "PlanInUseError", "TableLockedError"}),
    ],
)
def test_what_loses_rows_and_what_can_be_tried_again_is_told_by_the_exit_code(
    code: int, names: set[str]
) -> None:
    from hudi_zorder import errors

    assert names == {n for n, kind in vars(errors).items() if getattr(kind, "exit_code", 0) == code}


def test_the_exit_codes_are_documented(run: Run) -> None:
    from hudi_zorder.errors import ExitCode

    codes = {code.value for code in ExitCode}
    assert {
        int(code) for code in re.findall(r"(\d+) [a-z]", run().stdout.split("codes:")[1])
    } == codes
    for name in ("python/MANUAL.md", "python/JSON.md"):
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        rows = text.split("| exit code |")[1].split("\n\n")[0]
        assert {int(code) for code in re.findall(r"^\| (\d+) \|", rows, re.MULTILINE)} == codes


def test_every_verb_has_help_with_an_example(run: Run) -> None:
    top = run("--help").stdout
    verbs = [
        "demo",
        "plan",
        "recommend",
        "cluster",
        "schedule",
        "execute",
        "explain",
        "stats",
        "info",
        "history",
        "pending",
        "queries",
        "cancel",
        "repair",
        "verify",
        "plot",
        "report",
    ]
    for verb in verbs:
        assert f" {verb} " in top
        told = run(verb, "--help").stdout
        assert f"Example: hudi-zorder {verb}" in told
        assert [line for line in told.splitlines() if len(line) > 80] == []


def test_help_says_when_the_last_clustering_comes_before_the_default(run: Run) -> None:
    told = " ".join(run("cluster", "--help").stdout.replace("│", " ").split())
    words = "but as the last clustering had it where --columns are its own, or are not given."
    assert f"by default ZORDER, {words}" in told
    assert f"by default 128MB, {words}" in told
