"""The set-up names every tool that is missing, at once, with the way to install it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / ".ci" / "tools"


def _run(folder: Path, programs: dict[str, str], **variables: str) -> tuple[int, str, str]:
    """Runs the check with programs of the given names that print the given texts."""
    for name, text in programs.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{text}'\n", encoding="utf-8")
        program.chmod(0o755)
    result = subprocess.run(
        [str(TOOLS)],
        env={"PATH": f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


def test_tools_that_fit_are_silent_and_name_the_python(tmp_path: Path) -> None:
    fitting = {"javac": "javac 17.0.15", "mvn": "Apache Maven 3.8.7"}
    found = _run(tmp_path, fitting, PYTHON=sys.executable)
    assert found == (0, f"{sys.executable}\n", "")


@pytest.mark.parametrize("version", ["3.6.3", "2.99"])
def test_an_old_maven_is_named(tmp_path: Path, version: str) -> None:
    programs = {"javac": "javac 17.0.15", "mvn": f"Apache Maven {version}", "python3": ""}
    code, _, errors = _run(tmp_path, programs)
    assert code == 1
    assert errors.startswith(f"Missing: Maven 3.8 or newer, found {version}\n  ")
    assert "install" in errors


@pytest.mark.parametrize("jdk", ["11", "25"])
def test_another_jdk_is_named(tmp_path: Path, jdk: str) -> None:
    programs = {"javac": f"javac {jdk}.0.2", "mvn": "Apache Maven 4.0.0", "python3": ""}
    code, _, errors = _run(tmp_path, programs)
    assert code == 1
    assert errors.startswith(f"Missing: a JDK from 17 to 22, found {jdk}\n  ")
    assert "set JAVA_HOME" in errors


@pytest.mark.parametrize("jdk", ["11", "25"])
def test_a_maven_that_runs_by_another_jdk_is_named(tmp_path: Path, jdk: str) -> None:
    maven = f"Apache Maven 3.9.9\nJava version: {jdk}.0.2, vendor: any"
    code, _, errors = _run(tmp_path, {"javac": "javac 17.0.15", "mvn": maven, "python3": ""})
    assert code == 1
    assert f"Missing: Maven by a JDK from 17 to 22, and it runs by Java {jdk}\n" in errors
    assert "set JAVA_HOME" in errors


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    code, _, errors = _run(tmp_path, {}, JAVA_HOME="/nowhere", PYTHON="nopython")
    assert code == 1
    assert "a JDK 17, found no /nowhere/bin/javac" in errors
    assert "or correct JAVA_HOME=/nowhere" in errors
    assert "Python 3.10 or newer, found none in PYTHON=nopython" in errors
