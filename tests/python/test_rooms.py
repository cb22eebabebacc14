"""Who may import whom: the contracts of ``pyproject.toml``, and what they cannot say."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

import hudi_zorder

PACKAGE = Path(hudi_zorder.__file__).parent
CONTRACTS = Path(__file__).parents[2] / "python" / "pyproject.toml"

# What PySpark's objects hold of the JVM.
BEHIND_PYSPARK = {"_gateway", "_jconf", "_jdf", "_jsc", "_jsparkSession", "_jvm"}


def test_each_room_imports_only_those_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])  # import-linter prepends to it
    passed = lint_imports(str(CONTRACTS), no_cache=True, no_logo=True) == 0
    assert passed, capsys.readouterr().out


def test_one_room_reaches_behind_pyspark() -> None:
    reaching = {file.parent for file in PACKAGE.rglob("*.py") if _attributes(file) & BEHIND_PYSPARK}
    assert reaching == {PACKAGE / "spark" / "_jvm"}


def _attributes(file: Path) -> set[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
