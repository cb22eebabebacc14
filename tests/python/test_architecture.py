"""java/ARCHITECTURE.md: what it names is there, and no room is missing from it."""

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


def test_every_room_has_its_line_and_every_line_its_room() -> None:
    lines = re.findall(r"^\| `([\w/]+)/` \|", OF_JAVA, re.MULTILINE)
    rooms = {path.parent.relative_to(JAVA).as_posix() for path in JAVA.rglob("*.java")}
    assert sorted(lines) == sorted(rooms - {"."})

    drawing = OF_PYTHON.split("## ")[0]
    named = set(re.findall(r"\b(\w+)/\s", drawing))
    assert named == {path.parent.name for path in PYTHON.glob("*/__init__.py")}
