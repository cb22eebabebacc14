"""Experiment: where the time of a clustering goes, by the JVM's own sampling profiler.

The flight recorder looks at running threads a hundred times a second, also in native code such as
compression; each sample goes to the first phase whose packages appear in its stack, from the
innermost frame outwards. Shares are of all samples in executor threads.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from environment import CACHE
from store import Store
from systems import COPY, TREE
from table_formats import System

SYSTEMS = (TREE, COPY)

# A frame belongs to the first phase of which it holds a text.
_PHASES = {
    "key and routing": ("io/hudizorder/key/", "io/hudizorder/layout/", "io/hudizorder/spark/"),
    "rows from generated code": (
        "GeneratedIteratorForCodegenStage",
        "catalyst/expressions/codegen/",
    ),
    "shuffle": ("org/apache/spark/shuffle/", "org/apache/spark/storage/", "org/apache/spark/io/"),
    "sort": ("spark/util/collection/unsafe/sort/", "UnsafeExternalRowSorter", "SortExec"),
    "encode and write": (
        "parquet/column/values/",
        "parquet/column/impl/ColumnWrite",
        "parquet/hadoop/InternalParquetRecordWriter",
        "org/apache/hudi/io/storage/row/",
        "HoodieRowParquetWriteSupport",
        "ParquetWriteSupport",
        "io/hudizorder/parquet/FieldWriter",
        "io/hudizorder/RowWriter",
    ),
    "meta columns and bloom filter": (
        "common/bloom/",
        "org/apache/hudi/io/storage/",
        "io/hudizorder/parquet/RecordKeyBloomFilter",
    ),
    "read": (
        "datasources/parquet/",
        "parquet/hadoop/ParquetFileReader",
        "execution/vectorized/",
    ),
}
_EXECUTOR = "Executor task launch worker"


def job(*, quick: bool) -> str:
    """Returns what is clustered, and copied."""
    return "flights/2/22" if quick else "store_sales_sf1/2/22"


def run(results: Path, *, quick: bool) -> None:
    """Records clusterings of one table, and the copy of it beside, and keeps samples by phase."""
    clustered = job(quick=quick)
    for system in SYSTEMS:
        store = Store(results, f"profile-{system.name}")
        if clustered not in store.runs:
            store.add(clustered, _profiled(system, clustered))


def _profiled(system: System, job: str) -> dict[str, Any]:
    recording = CACHE / "profile.jfr"
    recording.unlink(missing_ok=True)
    shutil.rmtree(CACHE / "profile", ignore_errors=True)
    java = f"java=-XX:StartFlightRecording=filename={recording},settings=profile,dumponexit=true"
    worker = Path(__file__).with_name("worker.py")
    options = ["--system", system.name, "--experiment", "speed", "--setting", java]
    timings = CACHE / "profile"
    subprocess.run(
        [sys.executable, str(worker), *options, "--results", str(timings), job], check=True
    )
    seconds = Store(timings, f"speed-{system.name}").runs[job]
    # What the strategy does not see: Hudi's scheduling, and a client that is set up for it.
    around = seconds["warm"] - sum(seconds["warm_phases"].values())
    phases = {**seconds["warm_phases"], "plan": around} if system is TREE else {}
    begin = seconds["warm_started"]
    counted = samples(recording, begin, begin + seconds["warm"])
    return {"samples": dict(counted), "phases": phases}


def samples(recording: Path, begin: float, end: float) -> Counter[str]:
    """Returns samples of executor threads by phase, taken between two seconds since 1970."""
    command = ["jfr", "print", "--json", "--stack-depth", "64", "--events"]
    events = "jdk.ExecutionSample,jdk.NativeMethodSample"
    text = subprocess.run([*command, events, str(recording)], capture_output=True, check=True)
    counts: Counter[str] = Counter()
    for event in json.loads(text.stdout)["recording"]["events"]:
        values = event["values"]
        thread = (values.get("sampledThread") or {}).get("javaName") or ""
        within = begin <= _seconds(values["startTime"]) <= end
        if within and thread.startswith(_EXECUTOR) and values.get("stackTrace"):
            counts[_phase(values["stackTrace"]["frames"])] += 1
    return counts


def _seconds(time: str) -> float:
    """Reads a time such as ``2026-11-21T14:46:20.123456789Z``, to the microsecond."""
    moment, zone = re.fullmatch(r"([^.+Z]+(?:\.\d{1,6})?)\d*(Z|[+-].*)", time).groups()
    return datetime.fromisoformat(moment + zone).timestamp()


def _phase(frames: Sequence[Any]) -> str:
    for frame in frames:
        method = frame["method"]["type"]["name"]
        for phase, texts in _PHASES.items():
            if any(text in method for text in texts):
                return phase
    return "other"
