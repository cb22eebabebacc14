"""Experiment: nanoseconds a row of words, interleaving and routing; seconds and bytes of a tree."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from environment import (
    CACHE,
    HUDI,
    ICEBERG,
    JMH,
    JMH_BUILD,
    benchmark_jar,
    maven_jar,
    strategy_jar,
)
from store import Store

_QUICK = ("-f", "1", "-wi", "1", "-w", "1", "-i", "2", "-r", "1", "-p", "rows=200000")
_FULL = ("-f", "1", "-wi", "2", "-w", "1", "-i", "3", "-r", "1")


def unmeasured(results: Path, *, quick: bool) -> list[str]:
    """Returns the classes of benchmarks of which there is no result."""
    classes = ["KeyBenchmark"] if quick else [path.stem for path in JMH.rglob("*Benchmark.java")]
    done = {key.partition(".")[0] for key in Store(results, "jmh-all").runs}
    return sorted({*classes} - done)


def run(results: Path, *, quick: bool) -> None:
    """Runs JMH and keeps a score for each benchmark and its parameters."""
    classes = unmeasured(results, quick=quick)
    if not classes:
        print("jmh: there is a result already")
        return
    store = Store(results, "jmh-all")
    pattern = rf"\.({'|'.join(classes)})\."
    output = CACHE / "jmh.json"
    jars = [benchmark_jar(), strategy_jar(), maven_jar(HUDI), maven_jar(ICEBERG)]
    classpath = os.pathsep.join([*(str(jar) for jar in jars), str(JMH_BUILD / "lib" / "*")])
    options = [*(_QUICK if quick else _FULL), "-rf", "json", "-rff", str(output), pattern]
    output.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["java", "-cp", classpath, "org.openjdk.jmh.Main", *options], check=True)
    for entry in json.loads(output.read_text()):
        store.add(*_score(entry))


def _score(entry: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    parameters = ", ".join(f"{key}={value}" for key, value in entry["params"].items())
    name = ".".join(entry["benchmark"].split(".")[-2:])
    metric = entry["primaryMetric"]
    score = {"score": metric["score"], "unit": metric["scoreUnit"]}
    if isinstance(metric["scoreError"], float):
        score["error"] = metric["scoreError"]
    for key, secondary in entry["secondaryMetrics"].items():
        # JMH adds counters up over iterations, of which there is one for each of the forks.
        score[key] = max(value for fork in secondary["rawData"] for value in fork)
    return f"{name}({parameters})", score
