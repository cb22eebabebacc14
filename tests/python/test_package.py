"""The wheel carries the jar of its own version, and is not built without it."""

from __future__ import annotations

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


def _with_jar(folder: Path) -> Path:
    (folder / "target").mkdir()
    (folder / "target" / JAR).write_bytes(b"the jar")
    return _copy(folder)


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
        assert archive.read(f"hudi_zorder/jars/{JAR}") == b"the jar"
    assert "hudi_zorder/py.typed" in names
    assert [name for name in names if name.endswith("licenses/LICENSE")]
    assert len(names) == len(set(names))
    assert [name for name in names if not name.endswith(".jar") and "cache" in name] == []


def test_a_build_without_the_jar_stops_with_the_command(tmp_path: Path) -> None:
    project = _copy(tmp_path)
    result = _build(project, "--wheel")
    assert result.returncode != 0
    message = f"there is no jar '{tmp_path / 'target' / JAR}'; run 'mvn -DskipTests package' in"
    assert message in result.stdout + result.stderr
    assert not list(tmp_path.rglob("*.whl"))


@pytest.mark.slow
def test_the_examples_run_from_the_wheel_alone(tmp_path: Path) -> None:
    """In an environment with nothing but what the wheel and its extras bring, outside of it all."""
    wheels = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", tmp_path]
    subprocess.run([*wheels, CHECKOUT / "python"], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
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
