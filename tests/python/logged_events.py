"""Events of Spark 3.5 as its listener logs them, of scans that no Spark has run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from hudi_zorder.eventlog.events import BYTES, FILES, ROWS

TABLE = "/lake/t"
BEGUN = datetime(2026, 11, 1, tzinfo=timezone.utc)

Event = Mapping[str, Any]
_SQL = "org.apache.spark.sql.execution.ui.SparkListener"
_NAMES = (ROWS, FILES, BYTES)


def environment(zone: str | None = "UTC") -> Event:
    settings = {} if zone is None else {"spark.sql.session.timeZone": zone}
    return {"Event": "SparkListenerEnvironmentUpdate", "Spark Properties": settings}


def scan(
    filters: str = "[(a#1 = 5)]",
    first: int = 0,
    schema: str = "struct<a:int>",
    place: str = TABLE,
    index: str = "HoodieFileIndex",
) -> Event:
    """A scan whose accumulators, of rows, files and bytes, are numbered from ``first``."""
    return {
        "nodeName": "Scan parquet ",
        "simpleString": "FileScan parquet [a#1] Batched: true",
        "metadata": {
            "Location": f"{index}(1 paths)[file:{place}]",
            "ReadSchema": schema,
            "DataFilters": filters,
        },
        "metrics": [
            {"name": name, "accumulatorId": first + n, "metricType": "sum"}
            for n, name in enumerate(_NAMES)
        ],
        "children": [],
    }


def below(name: str, child: Event) -> Event:
    return {"nodeName": name, "simpleString": name, "metrics": [], "children": [child]}


def started(execution: int, plan: Event, begun: datetime = BEGUN) -> Event:
    return {
        "Event": f"{_SQL}SQLExecutionStart",
        "executionId": execution,
        "time": round(begun.timestamp() * 1000),
        "sparkPlanInfo": plan,
    }


def updated(execution: int, plan: Event) -> Event:
    """A plan that Spark has changed while it ran."""
    return {
        "Event": f"{_SQL}SQLAdaptiveExecutionUpdate",
        "executionId": execution,
        "sparkPlanInfo": plan,
    }


def listed(execution: int, first: int = 0, files: int = 2, size: int = 100) -> Event:
    """What the driver tells, once, of the files of a scan."""
    updates = [[first + 1, files], [first + 2, size]]
    return {
        "Event": f"{_SQL}DriverAccumUpdates",
        "executionId": execution,
        "accumUpdates": updates,
    }


def job(number: int, execution: int | None, stages: Sequence[int]) -> Event:
    properties = {} if execution is None else {"spark.sql.execution.id": str(execution)}
    return {
        "Event": "SparkListenerJobStart",
        "Job ID": number,
        "Stage IDs": list(stages),
        "Properties": properties,
    }


def submitted(stage: int, execution: int, attempt: int = 0) -> Event:
    return {
        "Event": "SparkListenerStageSubmitted",
        "Stage Info": {"Stage ID": stage, "Stage Attempt ID": attempt},
        "Properties": {"spark.sql.execution.id": str(execution)},
    }


def task(stage: int | None, rows: int, first: int = 0, reason: str = "Success") -> Event:
    told: dict[str, Any] = {
        "Event": "SparkListenerTaskEnd",
        "Task End Reason": {"Reason": reason},
        "Task Info": {"Accumulables": [{"ID": first, "Name": ROWS, "Update": rows}]},
    }
    return told if stage is None else {**told, "Stage ID": stage, "Stage Attempt ID": 0}


def job_failed(number: int) -> Event:
    return {
        "Event": "SparkListenerJobEnd",
        "Job ID": number,
        "Job Result": {"Result": "JobFailed", "Exception": {"Message": "cancelled"}},
    }


def ended(execution: int, error: str | None = "") -> Event:
    told = {"Event": f"{_SQL}SQLExecutionEnd", "executionId": execution, "time": 1}
    return told if error is None else {**told, "errorMessage": error}


def read(execution: int, plan: Event, begun: datetime = BEGUN, first: int = 0) -> list[Event]:
    """A query that has read 10 rows of 2 files."""
    return [
        started(execution, plan, begun),
        listed(execution, first),
        job(execution, execution, [execution]),
        task(execution, 10, first),
        ended(execution),
    ]


def lines_of(events: Sequence[Event]) -> list[bytes]:
    return [json.dumps(event, separators=(",", ":")).encode() for event in events]


def write_log(path: Path, *events: Event) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines_of(events)))
    return path
