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


def strategy_jar() -> Path:
    """Returns the jar under test; ``HUDI_ZORDER_JAR`` names another than that of the checkout."""
    built = CHECKOUT / "target" / f"hudi-zorder-{version('hudi-zorder')}.jar"
    jar = Path(os.environ.get("HUDI_ZORDER_JAR", built))
    if not jar.is_file():
        raise SystemExit(f"Cannot run benchmarks: there is no '{jar}'; run make setup")
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


def machine() -> dict[str, str]:
    """Returns what results depend on beside the code."""
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    revision = ["git", "-C", str(CHECKOUT), "rev-parse", "--short", "HEAD"]
    return {
        "hudi-zorder": subprocess.run(revision, capture_output=True, text=True).stdout.strip(),
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


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
