"""The scans of Hudi tables among the events of an application.

A scan's plan comes with the start of its query and again whenever Spark has changed it; what was
read comes with tasks and from the driver, by the numbers of the plan's accumulators.

Spark empties these when a frame is executed again. The driver tells of the files of its scans only
once, for it keeps their list, and tasks only if they scan again what was not cached or shuffled.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from hudi_zorder.eventlog.accumulators import Accumulators
from hudi_zorder.eventlog.plan_text import FOUND_LATER
from hudi_zorder.hudi.filesystem import local_path

ROWS: Final = "number of output rows"
FILES: Final = "number of files read"
BYTES: Final = "size of files read"
EVENT: Final = b'{"Event":"'  # how each line begins
Z_INDEX: Final = "SnapshotFileIndex"  # where the session's extension asks a stored z-column

NOT_RUN: Final = "the plan has not run"
FAILED: Final = "the query failed or was cancelled"
CACHED: Final = "a cached frame was read in place of the table"
INCREMENTAL: Final = "an incremental read, whose files its commits tell"
REPEATED: Final = "repeated, and the log does not tell that the table was read again"

_OF_COMMITS: Final = ("HoodieIncrementalFileIndex", "HoodieCDCFileIndex")
_TIME: Final = "scan time"  # which tells of a scan even where no row was found
_OF_TASKS: Final = (ROWS, _TIME)
_METRICS: Final = (ROWS, FILES, BYTES, _TIME)
_CACHE: Final = ("InMemoryTableScan", "InMemoryRelation", "Scan In-memory table")

_SAID: Final = ("ReadSchema", "PushedFilters", "PartitionFilters", "DataFilters")

_SQL: Final = "org.apache.spark.sql.execution.ui.SparkListener"
_ZONE: Final = "spark.sql.session.timeZone"
_KIND: Final = re.compile(re.escape(EVENT) + rb'([\w.$]+)"')
_PATHS: Final = re.compile(r"(?P<index>\w+)\((?P<number>\d+) paths\)\[(?P<paths>.*)\]", re.S)
_NOT_NULL: Final = re.compile(r"isnotnull\([^()]*\)")
_ATTRIBUTE: Final = re.compile(r"#(\d+)")


class Said(NamedTuple):
    """What a plan says of a scan, as it writes it.

    Attributes:
        types: the types of its columns.
        pushed: the filters that files are asked by.
        partition: the conditions on partition columns.
        data: the other conditions.
    """

    types: str
    pushed: str
    partition: str
    data: str


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan of a table by one query.

    Attributes:
        execution: the query's number in its application.
        time: when the query began, in milliseconds since 1970.
        zone: the session's time zone; None when the log does not tell.
        name: the table's name in the catalog; empty when it was read by its path.
        path: the table's base path.
        said: what the plan says of the scan.
        index: the class that tells of its files.
        cached: whether its rows are those of a cached frame.
        met: numbers of the attributes that meet those of other tables, in joins and subqueries.
        accumulators: those of each of its metrics.
    """

    execution: int
    time: int
    zone: str | None
    name: str
    path: str
    said: Said
    index: str
    cached: bool = False
    met: set[str] = field(default_factory=set)
    accumulators: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def z_asked(self) -> bool:
        """Whether ranges of a stored z-column were added to what was asked."""
        return self.index == Z_INDEX


class Application:
    """The events of one application, taken one by one."""

    def __init__(self) -> None:
        self.scans: dict[tuple[int, str, bytes], Scan] = {}
        self._told = Accumulators()
        self._texts: dict[str, str] = {}
        self._ended: dict[int, bool | None] = {}
        self._zone: str | None = None
        self._starts: dict[int, tuple[int, str | None]] = {}
        self._met: dict[int, set[str]] = defaultdict(set)
        self._takers = {
            "SparkListenerEnvironmentUpdate": self._environment,
            "SparkListenerJobStart": self._told.start_job,
            "SparkListenerJobEnd": self._told.end_job,
            "SparkListenerStageSubmitted": self._told.submit_stage,
            "SparkListenerTaskEnd": self._task,
            f"{_SQL}SQLExecutionStart": self._start,
            f"{_SQL}SQLAdaptiveExecutionUpdate": self._plan,
            f"{_SQL}DriverAccumUpdates": self._driver,
            f"{_SQL}SQLExecutionEnd": self._end,
        }

    def take(self, line: bytes) -> bool:
        """Takes one event; of a kind that tells nothing of queries nothing.

        Returns:
            Whether the line is an event at all.
        """
        kind = _KIND.match(line)
        if kind is None:
            return False
        take = self._takers.get(kind[1].decode())
        if take is None:
            return line.rstrip().endswith(b"}")
        try:
            take(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return False  # it is damaged, or of another shape than Spark gives it
        return True

    def why_left_out(self, scan: Scan) -> str | None:
        """Returns why a scan is none of a query that counts; None when it is one."""
        if scan.index in _OF_COMMITS:
            return INCREMENTAL
        ended = scan.execution in self._ended
        if self._has_failed(scan.execution):
            return FAILED
        if self._has_run(scan):
            return None
        is_shared = self._told.is_shared(_numbers(scan))
        if scan.cached and (is_shared or ended):
            return CACHED
        return REPEATED if is_shared else NOT_RUN

    def read(self, scan: Scan, metric: str) -> int | None:
        """Returns what a scan has read; None when it has not run, or nothing was told so far."""
        numbers = scan.accumulators.get(metric, ())
        told = self._told.sum(numbers, scan.execution)
        if told is not None or not self._has_run(scan):
            return told
        if self._told.is_shared(numbers):
            if metric not in _OF_TASKS:
                return None if scan.cached else self._told.sum_of_first(numbers)
            if not self._told.is_told_apart(numbers):
                return None
        # Tasks tell nothing of a metric that is still 0.
        return 0 if scan.execution in self._ended else None

    def _has_run(self, scan: Scan) -> bool:
        return self._told.sum(_numbers(scan), scan.execution) is not None

    def _has_failed(self, execution: int) -> bool:
        """Tells whether a query has failed; of adaptive ones that have not, jobs may fail, too."""
        failed = self._ended.get(execution)
        return self._told.has_failed(execution) if failed is None else failed

    def _environment(self, event: Mapping[str, Any]) -> None:
        java = event.get("System Properties", {}).get("user.timezone")
        self._zone = event.get("Spark Properties", {}).get(_ZONE) or java or None

    def _start(self, event: Mapping[str, Any]) -> None:
        zone = event.get("modifiedConfigs", {}).get(_ZONE, self._zone)
        self._starts[event["executionId"]] = (event["time"], zone)
        self._plan(event)

    def _plan(self, event: Mapping[str, Any]) -> None:
        number = event["executionId"]
        if number not in self._starts:  # it began in a part of the log that is no longer there
            return
        nodes = list(_nodes(event["sparkPlanInfo"]))
        met = self._met[number]
        for node, _ in nodes:
            said = node["simpleString"]
            if "Join" in node["nodeName"] or FOUND_LATER.search(said):
                met.update(_ATTRIBUTE.findall(_NOT_NULL.sub("", said)))
        for node, cached in nodes:
            self._scan(number, node, met, cached)

    def _scan(self, number: int, node: Mapping[str, Any], met: set[str], cached: bool) -> None:
        metadata = node.get("metadata") or {}
        place = _PATHS.fullmatch(metadata.get("Location", ""))
        if place is None or not place["index"].startswith(("Hoodie", Z_INDEX)):
            return
        paths = place["paths"]
        path = paths if place["number"] == "1" else paths.partition(", ")[0]
        path = self._once(local_path(path))  # as a table is written to, or read by its name
        metrics = [m for m in node["metrics"] if m["name"] in _METRICS]
        attributes = node["simpleString"].partition("] ")[0]  # those of no other scan of the plan
        key = (
            number,
            path,
            blake2b(attributes.encode(errors="surrogatepass"), digest_size=16).digest(),
        )
        if key not in self.scans:
            time, zone = self._starts[number]
            name = self._once(re.sub(r"^Scan \S+ ?", "", node["nodeName"]))
            index = self._once(place["index"])
            said = Said(*(self._once(metadata.get(name, "")) for name in _SAID))
            self.scans[key] = Scan(number, time, zone, name, path, said, index, cached, met)
        accumulators = self.scans[key].accumulators
        for metric in metrics:
            each, name = metric["accumulatorId"], self._once(metric["name"])
            known = accumulators.get(name, ())
            if each not in known:
                accumulators[name] = (*known, each)
            self._told.own(each, number)

    def _once(self, text: str) -> str:
        """Returns a text of which there is one however many scans have it."""
        return self._texts.setdefault(text, text)

    def _task(self, event: Mapping[str, Any]) -> None:
        if event["Task End Reason"]["Reason"] != "Success":
            return
        updates = [
            (told["ID"], told["Update"])
            for told in event.get("Task Info", {}).get("Accumulables", ())
            if told.get("Name") in _OF_TASKS and told.get("Update") is not None
        ]
        self._told.add_of_stage(event.get("Stage ID"), updates)

    def _driver(self, event: Mapping[str, Any]) -> None:
        self._told.add(event["executionId"], event["accumUpdates"])

    def _end(self, event: Mapping[str, Any]) -> None:
        number, error = event["executionId"], event.get("errorMessage")
        self._ended[number] = None if error is None else bool(error)
        self._told.end(number)
        self._met.pop(number, None)  # its scans have it


def _nodes(plan: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Yields the nodes of a plan, and whether each is below a cached frame."""
    waiting = [(plan, False)]
    while waiting:
        node, cached = waiting.pop()
        yield node, cached
        below = cached or node["nodeName"].startswith(_CACHE)
        waiting += ((child, below) for child in node.get("children", ()))


def _numbers(scan: Scan) -> set[int]:
    return set().union(*scan.accumulators.values())
