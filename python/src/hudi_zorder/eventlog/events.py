"""The scans of Hudi tables among the events of an application.

A scan's plan comes with the start of its query and again whenever Spark has changed it; what was
read comes with tasks and from the driver, by the numbers of the plan's accumulators.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from hudi_zorder.eventlog.plan_text import FOUND_LATER

ROWS: Final = "number of output rows"
FILES: Final = "number of files read"
BYTES: Final = "size of files read"
EVENT: Final = b'{"Event":"'  # how each line begins
Z_INDEX: Final = "SnapshotFileIndex"  # where the session's extension asks a stored z-column
_METRICS: Final = (ROWS, FILES, BYTES)

_SQL: Final = "org.apache.spark.sql.execution.ui.SparkListener"
_ZONE: Final = "spark.sql.session.timeZone"
_KIND: Final = re.compile(re.escape(EVENT) + rb'([\w.$]+)"')
_PATHS: Final = re.compile(r"(?P<index>\w+)\((?P<number>\d+) paths\)\[(?P<paths>.*)\]", re.S)
_NOT_NULL: Final = re.compile(r"isnotnull\([^()]*\)")
_ATTRIBUTE: Final = re.compile(r"#(\d+)")


@dataclass(frozen=True)
class Scan:
    """A scan of a table by one query.

    Attributes:
        execution: the query's number in its application.
        time: when the query began, in milliseconds since 1970.
        zone: the session's time zone; None when the log does not tell.
        name: the table's name in the catalog; empty when it was read by its path.
        path: the table's base path.
        metadata: what the plan says of the scan: ``ReadSchema``, ``DataFilters`` and others.
        z_asked: whether ranges of a stored z-column were added to what was asked.
        met: numbers of the attributes that meet those of other tables, in joins and subqueries.
        accumulators: those of each of the module's metrics.
    """

    execution: int
    time: int
    zone: str | None
    name: str
    path: str
    metadata: Mapping[str, str]
    z_asked: bool = False
    met: set[str] = field(default_factory=set)
    accumulators: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))


class Application:
    """The events of one application, taken one by one."""

    def __init__(self) -> None:
        self.scans: dict[tuple[int, str, str], Scan] = {}
        self.cached: dict[tuple[int, str], int] = {}
        self._totals: Counter[int] = Counter()
        self._seen: set[int] = set()
        self._ended: set[int] = set()
        self._owners: dict[int, int] = {}
        self._zone: str | None = None
        self._starts: dict[int, tuple[int, str | None]] = {}
        self._met: dict[int, set[str]] = defaultdict(set)
        self._takers = {
            "SparkListenerEnvironmentUpdate": self._environment,
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

    def read(self, scan: Scan, metric: str) -> int | None:
        """Returns what a scan has read; None when it has not run, or nothing was told so far."""
        known = scan.accumulators[metric] & self._seen
        if known:
            return sum(self._totals[number] for number in known)
        # Tasks tell nothing of a metric that is still 0.
        run = any(numbers & self._seen for numbers in scan.accumulators.values())
        return 0 if run and scan.execution in self._ended else None

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
        for node in nodes:
            said = node["simpleString"]
            if "Join" in node["nodeName"] or FOUND_LATER.search(said):
                met.update(_ATTRIBUTE.findall(_NOT_NULL.sub("", said)))
        for node in nodes:
            self._scan(number, node, met)

    def _scan(self, number: int, node: Mapping[str, Any], met: set[str]) -> None:
        metadata = node.get("metadata") or {}
        place = _PATHS.fullmatch(metadata.get("Location", ""))
        if place is None or not place["index"].startswith(("Hoodie", Z_INDEX)):
            return
        paths = place["paths"]
        path = paths if place["number"] == "1" else paths.partition(", ")[0]
        path = re.sub(r"^file:/*", "/", path)  # as a table is written to, or read by its name
        numbers = {
            metric["accumulatorId"]: metric["name"]
            for metric in node["metrics"]
            if metric["name"] in _METRICS
        }
        if any(self._owners.setdefault(each, number) != number for each in numbers):
            # The plan of a cached frame, filled by another query.
            self.cached[number, path] = self._starts[number][0]
            return
        name = re.sub(r"^Scan \S+ ?", "", node["nodeName"])
        attributes = node["simpleString"].partition("] ")[0]  # those of no other scan of the plan
        key = (number, path, attributes)
        time, zone = self._starts[number]
        z_asked = place["index"] == Z_INDEX
        scan = Scan(number, time, zone, name, path, metadata, z_asked, met)
        scan = self.scans.setdefault(key, scan)
        for each, metric in numbers.items():
            scan.accumulators[metric].add(each)

    def _task(self, event: Mapping[str, Any]) -> None:
        if event["Task End Reason"]["Reason"] != "Success":
            return
        for told in event.get("Task Info", {}).get("Accumulables", ()):
            if told.get("Name") in _METRICS and told.get("Update") is not None:
                self._add([(told["ID"], told["Update"])])

    def _driver(self, event: Mapping[str, Any]) -> None:
        self._add(event["accumUpdates"])

    def _end(self, event: Mapping[str, Any]) -> None:
        self._ended.add(event["executionId"])

    def _add(self, updates: Iterable[tuple[int, Any]]) -> None:
        for number, value in updates:
            self._seen.add(number)
            self._totals[number] += int(value)


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.get("children", ())
