"""java/ARCHITECTURE.md: what it names is there, and no room is missing from it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

JAVA = Path(__file__).parents[2] / "java"
SOURCES = JAVA / "src/main/java/io/hudizorder"
PAGE = (JAVA / "ARCHITECTURE.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w/]+\.java)`", PAGE))))
def test_a_file_that_the_page_names_exists(path: str) -> None:
    assert (SOURCES / path).is_file()


def test_every_room_has_its_line_and_every_line_its_room() -> None:
    lines = re.findall(r"^\| `([\w/]+)/` \|", PAGE, re.MULTILINE)
    rooms = {path.parent.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.java")}

    assert sorted(lines) == sorted(rooms - {"."})
