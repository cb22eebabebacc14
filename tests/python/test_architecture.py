"""java/ARCHITECTURE.md: what it names is there, and no room is missing from its two pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
JAVA = CHECKOUT / "java/src/main/java/io/hudizorder"
PYTHON = CHECKOUT / "python/src/hudi_zorder"
TESTS = CHECKOUT / "tests/python"
PAGE = (CHECKOUT / "java/ARCHITECTURE.md").read_text(encoding="utf-8")
OF_JAVA, OF_PYTHON = PAGE.split("\n# Python\n")


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+\.java)`", OF_JAVA))))
def test_a_file_of_java_that_the_page_names_exists(path: str) -> None:
    assert (JAVA / path).is_file()


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\b[\w/]+\.py\b", OF_PYTHON))))
def test_a_module_that_the_page_names_exists(path: str) -> None:
    places = (PYTHON / path, TESTS / path, CHECKOUT / path)
    assert [place for place in places if place.is_file()]


def test_every_package_of_java_has_its_line_and_every_line_its_package() -> None:
    lines = re.findall(r"^\| `([\w/]+)/` \|", OF_JAVA, re.MULTILINE)
    rooms = {path.parent.relative_to(JAVA).as_posix() for path in JAVA.rglob("*.java")}
    assert sorted(lines) == sorted(rooms - {"."})
    for sources in (CHECKOUT / "java/src").iterdir():
        assert f"`java/src/{sources.name}" in OF_JAVA or f"{sources.name}`" in OF_JAVA


def test_every_room_and_module_at_the_top_of_python_is_in_the_drawing() -> None:
    drawing = OF_PYTHON.split("## ")[0]
    rooms = {path.parent.name for path in PYTHON.glob("*/__init__.py")}
    assert set(re.findall(r"\b(\w+)/\s", drawing)) == rooms
    modules = {path.stem for path in [*PYTHON.glob("*.py"), *PYTHON.glob("cli/*.py")]}
    assert modules - {"__init__"} - set(re.findall(r"\w+", drawing)) == set()


@pytest.mark.parametrize("page", [OF_JAVA, OF_PYTHON], ids=["java", "python"])
def test_a_language_has_a_page_and_its_five_likeliest_changes(page: str) -> None:
    assert len(page.splitlines()) <= 80
    assert len(re.findall(r"^- \*\*", page, re.MULTILINE)) == 5
