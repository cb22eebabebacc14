"""Who may import whom: the contracts of ``pyproject.toml``, and what they cannot say."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import hudi_zorder

PACKAGE = Path(hudi_zorder.__file__).parent
CONTRACTS = Path(__file__).parents[2] / "python" / "pyproject.toml"

# What PySpark's objects hold of the JVM.
BEHIND_PYSPARK = {"_gateway", "_jconf", "_jdf", "_jsc", "_jsparkSession", "_jvm"}


def test_each_room_imports_only_those_before_it() -> None:
    # In a process of its own: import-linter disables all loggers of the one it runs in.
    linter = Path(sysconfig.get_path("scripts"), "lint-imports")
    command = [linter, "--config", CONTRACTS, "--no-cache", "--no-logo"]
    linted = subprocess.run(
        command, cwd=CONTRACTS.parent, capture_output=True, text=True, check=False
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize(
    ("module", "unused"),
    [
        ("table", {"fit", "forecast", "pictures", "predicate", "recommendation", "simulation"}),
        ("table", {"skipping", "workload"}),
        ("hudi_table", {"clustering", "fit", "pictures", "predicate", "skipping", "stats"}),
    ],
)
def test_a_room_is_imported_when_it_is_first_used(module: str, unused: set[str]) -> None:
    program = f"import sys, hudi_zorder.{module}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert f"hudi_zorder.{module}" in imported
    assert {f"hudi_zorder.{room}" for room in unused} & imported == set()
    assert not {"sqlglot", "matplotlib"} & imported


def test_one_room_reaches_behind_pyspark() -> None:
    reaching = {file.parent for file in PACKAGE.rglob("*.py") if _attributes(file) & BEHIND_PYSPARK}
    assert reaching == {PACKAGE / "spark" / "_jvm"}


def _attributes(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
