"""The wheel carries the jar of its own version, and is not built without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

import hudi_zorder
from plain_table import write_clustered_table

CHECKOUT = Path(__file__).parents[2]
JAR = f"hudi-zorder-{hudi_zorder.__version__}.jar"


def _copy(folder: Path) -> Path:
    """Copies what a build reads, so that it can neither see nor leave anything else."""
    shutil.copytree(
        CHECKOUT / "python", folder / "python", ignore=shutil.ignore_patterns("jars", ".*_cache")
    )
    for name in ("LICENSE", "README.md", "pom.xml"):
        shutil.copy(CHECKOUT / name, folder)
    shutil.copy(CHECKOUT / ".gitignore", folder)
    return folder / "python"


def _documents() -> str:
    names = ("README.md", "python/MANUAL.md")
    return "".join((CHECKOUT / name).read_text(encoding="utf-8") for name in names)


def _build(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "build", "--no-isolation", *arguments, str(project)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _with_jar(folder: Path, *, without: str = "") -> Path:
    """Copies what a build reads, with a jar that has a class of each room but one."""
    (folder / "target").mkdir()
    with zipfile.ZipFile(folder / "target" / JAR, "w") as jar:
        for room in {*_rooms_of_the_makefile()} - {without}:
            jar.writestr(f"io/hudizorder/{room}/Any.class", room)
    return _copy(folder)


def _rooms_of_the_makefile() -> list[str]:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    rooms = re.search(r"^ROOMS := (.*)$", makefile, re.MULTILINE)
    assert rooms
    return rooms[1].split()


def test_the_version_is_everywhere_that_of_the_pom() -> None:
    pom = ElementTree.parse(CHECKOUT / "pom.xml").getroot()
    of_pom = pom.findtext("{http://maven.apache.org/POM/4.0.0}version")
    changelog = (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest
    assert {of_pom, newest[1]} == {hudi_zorder.__version__}
    assert set(re.findall(r"hudi-zorder-(\d[\d.]*)\.jar", _documents())) == {
        hudi_zorder.__version__
    }


@pytest.mark.parametrize("through_sdist", [False, True])
def test_the_wheel_holds_the_jar_and_the_licence(tmp_path: Path, through_sdist: bool) -> None:
    project = _with_jar(tmp_path)
    result = _build(project, *([] if through_sdist else ["--wheel"]))
    assert result.returncode == 0, result.stdout + result.stderr
    (wheel,) = (project / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        jar = (tmp_path / "target" / JAR).read_bytes()
        assert archive.read(f"hudi_zorder/jars/{JAR}") == jar
        (metadata,) = (name for name in names if name.endswith("METADATA"))
        description = archive.read(metadata).decode()
    assert "hudi_zorder/py.typed" in names
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert len(names) == len(set(names))
    assert [name for name in names if not name.endswith(".jar") and "cache" in name] == []
    # What a description links to is there wherever it is read.
    assert "the manual" in description
    assert re.findall(r"\]\((?!https?:|#)[^)]+\)", description) == []


def test_a_build_without_the_jar_stops_with_the_command(tmp_path: Path) -> None:
    project = _copy(tmp_path)
    result = _build(project, "--wheel")
    assert result.returncode != 0
    message = f"there is no jar '{tmp_path / 'target' / JAR}'; run 'make dist' in"
    assert message in result.stdout + result.stderr
    assert not list(tmp_path.rglob("*.whl"))


def test_a_jar_for_the_newest_hudi_alone_is_not_released(tmp_path: Path) -> None:
    project = _with_jar(tmp_path, without="hudi/v1_0")
    result = _build(project, "--wheel")
    assert result.returncode != 0
    message = f"the jar '{tmp_path / 'target' / JAR}' lacks hudi/v1_0; run 'make dist' in"
    assert message in result.stdout + result.stderr
    assert not list(tmp_path.rglob("*.whl"))


def test_the_rooms_of_a_release_are_those_that_there_are() -> None:
    rooms = _rooms_of_the_makefile()
    hook = (CHECKOUT / "python/hatch_build.py").read_text(encoding="utf-8")
    asked = re.search(r"^ROOMS: Final = \((.*)\)$", hook, re.MULTILINE)
    assert asked
    assert re.findall(r'"([^"]+)"', asked[1]) == rooms
    lines = [path.name for path in (CHECKOUT / "java/src").glob("hudi-*")]
    of_hudi = {"hudi/v" + line.removeprefix("hudi-").replace(".", "_") for line in lines}
    assert set(rooms) == of_hudi | {"spark/scala2_13"}
    pom = (CHECKOUT / "pom.xml").read_text(encoding="utf-8")
    sources = pom.split("<id>every-source</id>")[1].split("</profile>")[0]
    assert [line for line in lines if f"java/src/{line}/java<" not in sources] == []


def _trial_wheel(folder: Path) -> Path:
    """Returns a wheel with the jar that there is, be it for the newest Hudi alone."""
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder]
    trial = {**os.environ, "HUDI_ZORDER_TRIAL": "1"}
    subprocess.run([*build, CHECKOUT / "python"], check=True, capture_output=True, env=trial)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.mark.slow
def test_the_examples_run_from_the_wheel_alone(tmp_path: Path) -> None:
    """In an environment with nothing but what the wheel and its extras bring, outside of it all."""
    wheel = Path(os.environ["WHEEL"]) if "WHEEL" in os.environ else _trial_wheel(tmp_path)
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "-q"]
    subprocess.run([*install, wheel], check=True)
    reads = write_clustered_table(tmp_path / "plain")
    look = (
        f"import hudi_zorder as hz; print(*hz.open_table({str(reads)!r}).history()); hz.ZOrderTable"
    )
    alone = subprocess.run([python, "-c", look], capture_output=True, text=True, check=False)
    assert "PastClustering(" in alone.stdout
    assert "run pip install 'hudi-zorder[spark]'" in alone.stderr
    subprocess.run([*install, f"hudi-zorder[spark] @ {wheel.as_uri()}"], check=True)
    text = _documents()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    script = "\n".join(blocks).replace("/tmp/orders", str(tmp_path / "orders"))
    done = subprocess.run(
        [python, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Clustered" in done.stdout
