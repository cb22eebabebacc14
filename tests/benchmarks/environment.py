"""Where benchmarks keep their data, the jars they need, and the machine they run on."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pyspark

CHECKOUT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("HUDI_ZORDER_BENCH", Path.home() / ".cache/hudi-zorder/bench"))
RESULTS = Path(__file__).resolve().parent / "results"
TABLES = CACHE / "tables"

HUDI = "org.apache.hudi:hudi-spark3.5-bundle_2.12:1.2.0"
DELTA = ("io.delta:delta-spark_2.12:3.3.3", "io.delta:delta-storage:3.3.3")
ICEBERG = "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0"
JMH = Path(__file__).resolve().parent / "jmh"
JMH_BUILD = Path(os.environ.get("HUDI_ZORDER_JMH", CHECKOUT / "target/bench/jmh"))

_OTHER_JAR = "HUDI_ZORDER_JAR"
# What is measured and what measures, but for what was written of it.
_CODE = ("java", "python", "pom.xml", "tests/benchmarks", ":!tests/benchmarks/results", ":!*.md")


def strategy_jar() -> Path:
    """Returns the jar under test; ``HUDI_ZORDER_JAR`` names another than that of the checkout.

    The checkout's is refused where a source is newer: results tell of it by the sources' revision.
    """
    if named := os.environ.get(_OTHER_JAR):
        return Path(named)
    jar = CHECKOUT / "target" / f"hudi-zorder-{version('hudi-zorder')}.jar"
    if not jar.is_file():
        raise SystemExit(f"Cannot run benchmarks: there is no '{jar}'; run make setup")
    sources = (CHECKOUT / "java/src").rglob("*.java")
    if max(source.stat().st_mtime for source in sources) > jar.stat().st_mtime:
        raise SystemExit(f"Cannot run benchmarks: a source is newer than '{jar}'; run make setup")
    return jar


@cache
def maven_jar(coordinates: str) -> Path:
    """Returns a jar in Maven's local repository, fetched when it is not there."""
    group, artifact, version = coordinates.split(":")
    repository = Path.home() / ".m2/repository"
    jar = repository.joinpath(*group.split("."), artifact, version, f"{artifact}-{version}.jar")
    if not jar.is_file():
        arguments = ["dependency:get", "-Dtransitive=false", f"-Dartifact={coordinates}"]
        subprocess.run(["mvn", "-q", "-B", *arguments], check=True)
    return jar


@cache
def benchmark_jar() -> Path:
    """Returns the jar of JMH benchmarks and of the copy strategy, built when a source is newer."""
    jar = JMH_BUILD / "hudi-zorder-benchmarks.jar"
    sources = [JMH / "pom.xml", *JMH.rglob("*.java"), strategy_jar()]
    if not jar.is_file() or jar.stat().st_mtime < max(s.stat().st_mtime for s in sources):
        settings = [f"-Dbuild.folder={JMH_BUILD}", f"-Dzorder.jar={strategy_jar()}"]
        subprocess.run(["mvn", "-q", "-B", "-ntp", *settings, "package"], cwd=JMH, check=True)
        jar.touch()
    return jar


@cache
def machine() -> dict[str, str]:
    """Returns what results of this process depend on: its code, as it first asks, and the rest."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    return {
        "hudi-zorder": _revision(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "java": java.splitlines()[1].strip() if java.count("\n") > 1 else java.strip(),
        "python": sys.version.split()[0],
        "spark": f"{pyspark.__version__}, local[2]",
        "hudi": HUDI.rpartition(":")[2],
        "delta": DELTA[0].rpartition(":")[2],
        "iceberg": ICEBERG.rpartition(":")[2],
    }


def _revision() -> str:
    """Returns the checkout's commit, and what else there is than that."""
    commit = _git("rev-parse", "--short", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", *_CODE)
    jar = os.environ.get(_OTHER_JAR)
    return commit + (", changed" if changed else "") + (f", jar '{jar}'" if jar else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(CHECKOUT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
