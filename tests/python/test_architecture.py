"""Each ARCHITECTURE.md: what it names is there, and no room is missing from it."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
JAVA = CHECKOUT / "java/src/main/java/io/hudizorder"
PYTHON = CHECKOUT / "python/src/hudi_zorder"
TESTS = CHECKOUT / "tests/python"
OF_JAVA = (CHECKOUT / "java/ARCHITECTURE.md").read_text(encoding="utf-8")
OF_PYTHON = (CHECKOUT / "python/ARCHITECTURE.md").read_text(encoding="utf-8")


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


def test_the_drawing_of_java_is_what_its_rooms_know() -> None:
    lines, arrows = _drawn(OF_JAVA.split("what its arrows lead to:\n\n")[1].split("\n\n")[0])
    others = {"hudi.v1_1", "hudi.v1_0", "hudi.v0_15", "spark.scala2_12", "spark.scala2_13"}
    known = {room: names for room, names in _known().items() if room not in others}
    assert set(lines) == set(known)
    assert {(room, other) for room, other in arrows if other not in known[room]} == set()
    upwards = {
        (room, other)
        for room, names in known.items()
        for other in names
        if lines[room] >= lines[other] and other not in _reached(room, arrows)
    }
    assert upwards == set()


def _known() -> dict[str, set[str]]:
    """Returns which others each room of Java knows, as ``RoomsTest`` holds them to it."""
    test = (CHECKOUT / "tests/java/io/hudizorder/RoomsTest.java").read_text(encoding="utf-8")
    entries = re.findall(r'Map\.entry\(\s*(USERS|"[\w.]+"),((?:[\s+]*"[\w. ]*")+)', test)
    assert len(entries) == test.count("Map.entry(")
    return {
        "root" if room == "USERS" else room.strip('"'): set(re.findall(r"[\w.]+", names))
        for room, names in entries
    }


def _drawn(drawing: str) -> tuple[dict[str, int], set[tuple[str, str]]]:
    """Returns the line of each room, and from which to which others arrows lead."""
    lines: dict[str, int] = {}
    arrows: set[tuple[str, str]] = set()
    above: list[tuple[re.Match[str], str]] = []
    folder = ""
    for number, line in enumerate(drawing.splitlines()):
        left, upwards, text = line[:14], "^" in line, re.split(r"[┐│┘]|what users", line)[0]
        if not upwards:
            folder = left.strip().removesuffix("/:") if "/:" in left else ""
        words = re.finditer(r"[a-z]\w*(?:/\w+)*(?![\w/:])", text)
        found = [(word, _room(word[0], folder)) for word in words]
        lines |= {room: number for _, room in found}
        for (word, room), (next_word, other) in pairwise(found):
            if "──>" in text[word.end() : next_word.start()]:
                arrows.add((room, other))
        if upwards:
            place = text.index("^")
            arrows |= {(found[-1][1], o) for w, o in above if w.start() <= place < w.end()}
        above = found
    return lines, arrows


def _room(name: str, folder: str) -> str:
    inside = folder and name != folder
    return f"{folder}.{name}" if inside else name.replace("/", ".")


def _reached(room: str, arrows: set[tuple[str, str]]) -> set[str]:
    next_ones = {other for one, other in arrows if one == room}
    return next_ones.union(*(_reached(other, arrows) for other in next_ones))


def test_every_room_and_module_at_the_top_of_python_is_in_the_drawing() -> None:
    drawing = OF_PYTHON.split("## ")[0]
    rooms = {path.parent.name for path in PYTHON.glob("*/__init__.py")}
    assert set(re.findall(r"\b(\w+)/\s", drawing)) == rooms
    modules = {path.stem for path in [*PYTHON.glob("*.py"), *PYTHON.glob("cli/*.py")]}
    assert modules - {"__init__"} - set(re.findall(r"\w+", drawing)) == set()


@pytest.mark.parametrize("page", [OF_JAVA, OF_PYTHON], ids=["java", "python"])
def test_a_language_has_a_page_and_its_five_likeliest_changes(page: str) -> None:
    assert len(page.splitlines()) <= 90
    assert len(re.findall(r"^- \*\*", page, re.MULTILINE)) == 5
