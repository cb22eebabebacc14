"""From event logs to the queries on Hudi tables."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timezone, tzinfo
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder import times
from hudi_zorder.errors import OptionError
from hudi_zorder.eventlog.compression import Damaged, NoLog, Torn, blocks
from hudi_zorder.eventlog.events import BYTES, EVENT, FILES, ROWS, Application, Scan
from hudi_zorder.eventlog.log_files import ApplicationLog, find_logs, name_of
from hudi_zorder.eventlog.plan_literals import column_types
from hudi_zorder.eventlog.plan_text import PlanText
from hudi_zorder.eventlog.queries import LeftOut, LoggedQuery, Queries
from hudi_zorder.eventlog.session_times import in_utc
from hudi_zorder.eventlog.since import beginning, nothing_since
from hudi_zorder.eventlog.where_clause import WhereClause, where_clause
from hudi_zorder.eventlog.z_ranges import without_z_ranges
from hudi_zorder.progress import progress
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

# Bytes of a line: Spark itself reads no text of more than 20 million letters in an event, of whose
# texts one is long at most.
_LONGEST: Final = 64 << 20


def queries_from_event_log(
    path: str | os.PathLike[str],
    *,
    since: datetime | date | str | None = None,
    filesystem: Any = None,
) -> Queries:
    """Returns the queries on Hudi tables that Spark's event logs tell of; Spark is not needed.

    Logs are those of Spark 3.5, compressed or not, whole, rolling, or of applications that still
    run. A condition counts as the plan of a scan has it; joins and subqueries bring others when
    they run, which are left out.

    Args:
        path: a log, or a folder of logs, as a path or a URL.
        since: a day or a time, such as ``2026-11-01``, from which on queries count that begin
            then; in UTC where it has no zone. None for all.
        filesystem: one of pyarrow or fsspec that serves it.

    Raises:
        OptionError: when there is no event log, or one that is damaged; when ``since`` is no time,
            or no query has begun since.
        TableError: when no file system serves the path.
    """
    start = None if since is None else beginning(since)
    files, logs = find_logs(path, filesystem)
    gathered = _Gathered(start)
    with progress("Reading event logs", len(logs)) as done:
        for log in logs:
            application = Application()
            if gathered.read(files, log, application):
                gathered.add(application)
            done(1)
    return gathered.queries()


@dataclass
class _Asked:
    """What is known of a predicate on a table so far."""

    names: set[str] = field(default_factory=set)
    supposed: bool = False
    begun: list[int] = field(default_factory=list)
    read: dict[str, int | None] = field(default_factory=dict)


class _Gathered:
    """The scans of all applications.

    Args:
        since: from when on they count; None for always.
    """

    def __init__(self, since: datetime | None) -> None:
        self._since = since
        self._last_before: datetime | None = None
        self._asked: dict[tuple[str, str], _Asked] = {}
        self._left_out: dict[tuple[str, str], Counter[str]] = {}
        self._examples: dict[tuple[str, str], str] = {}
        self._foreign: list[str] = []
        self._torn: list[str] = []
        self._running: list[str] = []
        self._compacted: list[str] = []
        self._unreadable = 0

    def read(self, files: FileSystem, log: ApplicationLog, application: Application) -> bool:
        """Reads the events of a log; returns whether it is one."""
        for file in log.files:
            lines = _Lines(files, file)
            known = False
            for line in lines:
                if application.take(line):
                    known = True
                elif not known:
                    lines.foreign = True
                    break
                else:
                    self._unreadable += 1
            if not known and lines.rest and not lines.rest.startswith(EVENT):
                lines.foreign = True
            if lines.foreign and log.named:
                raise OptionError(
                    f"Cannot read event logs: 'path' was '{file}', which does not begin with an "
                    "event as Spark 3.5 writes them; name a log, or the folder that "
                    "spark.eventLog.dir names"
                )
            if lines.foreign:
                self._foreign.append(name_of(log))
                return False
            if lines.torn or (lines.rest and not application.take(lines.rest)):
                self._torn.append(name_of(log))
        if log.running and name_of(log) not in self._torn[-1:]:
            self._running.append(name_of(log))
        if log.compacted:
            self._compacted.append(name_of(log))
        return True

    def add(self, application: Application) -> None:
        """Adds what an application has asked."""
        for scan in application.scans.values():
            if not self._counts(scan.time):
                continue
            reason = application.why_left_out(scan)
            if reason is not None:
                self._leave_out(scan.path, reason, "queries")
                continue
            metrics = (ROWS, FILES, BYTES)
            self._add_scan(scan, {metric: application.read(scan, metric) for metric in metrics})

    def _counts(self, milliseconds: int) -> bool:
        """Tells whether a query counts that began at a time."""
        time = _time(milliseconds)
        if self._since is None or time >= self._since:
            return True
        self._last_before = max(time, self._last_before or time)
        return False

    def _add_scan(self, scan: Scan, read: dict[str, int | None]) -> None:
        found = _where(scan)
        if found.predicate is None:
            reason, example = found.left_out[0]
            self._leave_out(scan.path, reason, "queries", example)
            return
        for reason, example in found.left_out:
            self._leave_out(scan.path, reason, "conditions", example)
        asked = self._asked.setdefault((scan.path, found.predicate), _Asked())
        asked.names |= {scan.name} - {""}
        asked.supposed |= found.supposed
        asked.begun.append(scan.time)
        for metric, value in read.items():
            before = asked.read.get(metric)
            asked.read[metric] = before if value is None else (before or 0) + value

    def _leave_out(self, table: str, reason: str, what: str, example: str = "") -> None:
        self._left_out.setdefault((table, reason), Counter())[what] += 1
        self._examples.setdefault((table, reason), example)

    def queries(self) -> Queries:
        """Returns all that was added.

        Raises:
            OptionError: when all queries were passed over, for they began too early.
        """
        if self._since and self._last_before and not self._asked and not self._left_out:
            raise nothing_since(self._since, self._last_before)
        begun = {
            place: tuple(map(_time, sorted(part.begun))) for place, part in self._asked.items()
        }
        asked = (
            LoggedQuery(
                table=table,
                names=tuple(sorted(part.names)),
                predicate=predicate,
                times=len(part.begun),
                first=begun[table, predicate][0],
                last=begun[table, predicate][-1],
                rows=part.read[ROWS],
                files=part.read[FILES],
                bytes=part.read[BYTES],
                supposed=part.supposed,
                begun=begun[table, predicate],
            )
            for (table, predicate), part in self._asked.items()
        )
        left_out = (
            LeftOut(
                table=table,
                reason=reason,
                queries=counted["queries"],
                conditions=counted["conditions"],
                example=self._examples[table, reason],
            )
            for (table, reason), counted in self._left_out.items()
        )
        return Queries(
            queries=tuple(sorted(asked, key=lambda query: -query.times)),
            left_out=tuple(sorted(left_out, key=lambda part: -part.queries)),
            notes=tuple(self._notes()),
        )

    def _notes(self) -> Iterator[str]:
        for what, names in (
            ("ended within an event, for the writer runs or was killed", self._torn),
            ("not ended, for the application runs or was killed", self._running),
            ("compacted, which drops what had ended by then", self._compacted),
            ("no event log of Spark 3.5", self._foreign),
        ):
            if names:
                more = f" and {plural(len(names) - 1, 'other')}" if len(names) > 1 else ""
                yield f"{what}: {names[0]}{more}"
        if self._unreadable:
            yield f"{plural(self._unreadable, 'line is', 'lines are')} no event, and passed over"


class _Lines:
    """The lines of a file, as far as they are whole.

    Attributes:
        rest: what comes after the last end of a line.
        torn: whether the file ends within a compressed block.
        foreign: whether it does not begin as an event log.
    """

    def __init__(self, files: FileSystem, path: str) -> None:
        self._files = files
        self._path = path
        self.rest = b""
        self.torn = False
        self.foreign = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for block in blocks(lambda: self._files.open_input_file(self._path)):
                first, *others = block.split(b"\n")
                if len(self.rest) + len(first) > _LONGEST:
                    raise Damaged(f"a line has more than {_LONGEST:,} bytes")
                if not others:
                    self.rest += first
                    continue
                yield self.rest + first
                *whole, self.rest = others
                yield from whole
        except Torn:
            self.torn = True
        except NoLog:
            self.foreign = True
        except (Damaged, OSError) as fault:
            raise OptionError(
                f"Cannot read event logs: 'path' was '{self._path}', which cannot be read "
                f"({fault}); take it out of the folder, or name the others"
            ) from fault


def _where(scan: Scan) -> WhereClause:
    said = scan.said
    text = PlanText(column_types(said.types), said.pushed)
    zone = _zone(scan.zone)
    conditions = [
        replace(condition, meaning=in_utc(condition.meaning, zone))
        for listed in (said.partition, said.data)
        for condition in text.conditions(listed)
    ]
    if scan.z_asked:
        conditions = without_z_ranges(conditions)
    return where_clause(conditions, scan.met)


def _zone(name: str | None) -> tzinfo | None:
    try:
        return times.time_zone(name) if name else None
    except ValueError:
        return None  # one that only Java knows


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
