"""The timeline of a Hudi table, read from its files alone.

Two layouts exist. Table versions 8 and 9 keep instants in ``.hoodie/timeline``, a completed one as
``<requested>_<completed>.<action>``, and archive them as Parquet files under
``.hoodie/timeline/history``, of which the newest manifest names the valid ones. Versions up to 6
keep instants in ``.hoodie`` itself, without a completion time, and archive them in Hudi's log
format, which is not read here. Plans are Avro in both; commits are JSON in the latter alone. The
sources are ``InstantFileNameParserV1/V2``, ``CommitMetadataSerDeV1/V2`` and ``LSMTimeline``
of Hudi 1.2.0.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.archived_timeline import METADATA, PLAN, Archive
from hudi_zorder.hudi.avro_content import Wanted
from hudi_zorder.hudi.filesystem import listed, read_or_none, written_at
from hudi_zorder.hudi.instant_content import DamagedInstantError, instant_content
from hudi_zorder.hudi.table_config import METADATA_FOLDER, TableConfig

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_SECONDS_TO_REQUEST = 60  # which takes one small file
REQUESTED, INFLIGHT, COMPLETED = "requested", "inflight", "completed"

# Actions that make rows visible once they are completed.
WRITE_ACTIONS = frozenset({"commit", "deltacommit", "replacecommit"})
_STATES = {"": COMPLETED, ".inflight": INFLIGHT, ".requested": REQUESTED}
_INSTANT_FILE = re.compile(r"^(\d+)(?:_(\d+))?(?:\.(\w+?))??(\.inflight|\.requested)?$")
_SAVEPOINT = "savepoint"
_TIME = "yyyyMMddHHmmssSSS"


@dataclass(frozen=True, slots=True, order=True)
class Instant:
    """One action on the timeline.

    Attributes:
        time: when it was requested, as Hudi writes it: ``yyyyMMddHHmmssSSS``.
        action: ``commit``, ``deltacommit``, ``replacecommit``, ``clustering``, ``clean`` ...
        state: ``requested``, ``inflight`` or ``completed``.
        completion_time: when it was completed; None while pending and in old tables.
        archived: whether it was moved to the archive.
    """

    time: str
    action: str
    state: str
    completion_time: str | None = None
    archived: bool = False
    _file: str = field(default="", repr=False, compare=False)

    @property
    def completed(self) -> bool:
        """Whether its effect is visible."""
        return self.state == COMPLETED


class Timeline:
    """The instants of one table, as they stood when it was opened.

    Args:
        filesystem: where the table lies.
        path: the table's base folder.
        config: the table's configuration.
        end: the instant before which to stop; None for all.
    """

    def __init__(
        self, filesystem: FileSystem, path: str, config: TableConfig, end: str | None = None
    ) -> None:
        self._filesystem = filesystem
        self._end = end
        self._folder = posixpath.join(path, METADATA_FOLDER)
        history = ""
        if config.has_timeline_folder:
            properties = config.properties
            self._folder = posixpath.join(
                self._folder, properties.get("hoodie.timeline.path") or "timeline"
            )
            history = posixpath.join(
                self._folder, properties.get("hoodie.timeline.history.path") or "history"
            )
        self._archive = Archive(filesystem, history, partial(read_or_none, filesystem))
        self.reads_archive = config.has_timeline_folder

    @cached_property
    def instants(self) -> tuple[Instant, ...]:
        """Every active instant once, in its furthest state, from the oldest to the newest.

        Savepoints, which share the instants of their commits, are left out.
        """
        return tuple(i for i in self._listed if self._end is None or i.time < self._end)

    @cached_property
    def _files(self) -> tuple[Instant, ...]:
        """The files of instants; of savepoints none, which would hide those of their commits."""
        return tuple(file for file in self._all_files if file.action != _SAVEPOINT)

    @cached_property
    def _all_files(self) -> tuple[Instant, ...]:
        parsed = map(parse_instant, self._names)
        return tuple(instant for instant in parsed if instant is not None)

    @cached_property
    def _requests(self) -> dict[str, str]:
        """The paths of what was requested, by the times of their instants."""
        parsed = ((parse_instant(name), name) for name in self._names)
        return {
            instant.time: posixpath.join(self._folder, name)
            for instant, name in parsed
            if instant is not None and instant.state == REQUESTED
        }

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(entry.base_name for entry in listed(self._filesystem, self._folder))

    @cached_property
    def _listed(self) -> tuple[Instant, ...]:
        found: dict[str, Instant] = {}
        order = (REQUESTED, INFLIGHT, COMPLETED)
        for instant in self._files:
            known = found.get(instant.time)
            if known is None or order.index(known.state) < order.index(instant.state):
                found[instant.time] = instant
        return tuple(found[time] for time in sorted(found))

    @cached_property
    def archived(self) -> tuple[Instant, ...]:
        """The completed instants in the archive alone, from the oldest to the newest.

        Hudi archives instants first, and then deletes their files. Empty for tables up to version
        6, whose archive is not read (``reads_archive``).
        """
        active = {i.time for i in self._listed if i.completed}
        return tuple(
            Instant(i.time, i.action, COMPLETED, i.completion_time, archived=True)
            for i in self._archive.instants
            if i.time not in active
        )

    @cached_property
    def completed(self) -> tuple[Instant, ...]:
        """The active instants whose effect is visible."""
        return tuple(instant for instant in self.instants if instant.completed)

    @cached_property
    def completed_twice(self) -> tuple[Instant, ...]:
        """The active instants that two executions have completed, of which Hudi shows one's."""
        files = Counter(file.time for file in self._files if file.completion_time)
        return tuple(instant for instant in self.completed if files[instant.time] > 1)

    @cached_property
    def pending(self) -> tuple[Instant, ...]:
        """The active instants that are requested or under way."""
        return tuple(instant for instant in self.instants if not instant.completed)

    @cached_property
    def pending_clustering(self) -> tuple[Instant, ...]:
        """The clusterings that are planned or under way."""
        return tuple(i for i in self.pending if self._is_clustering(i))

    @cached_property
    def planned_compactions(self) -> frozenset[str]:
        """The instants of the compactions that are planned or under way."""
        return frozenset(i.time for i in self.pending if i.action == "compaction")

    @cached_property
    def _completion_times(self) -> dict[str, str]:
        return {i.time: i.completion_time or i.time for i in self.completed}

    @cached_property
    def _archived_completion_times(self) -> dict[str, str]:
        return {i.time: i.completion_time or i.time for i in self.archived}

    @cached_property
    def _first_write(self) -> str:
        # A savepoint keeps its commit out of the archive, so that later ones are archived first.
        kept = {i.time for i in self._all_files if i.action == _SAVEPOINT}
        actions = WRITE_ACTIONS | {"clustering", "compaction", "logcompaction"}
        writes = [i.time for i in self._listed if i.action in actions]
        # Who restores a table to its oldest savepoint has none but those that are kept.
        last_kept = max(writes, default="")
        return min((time for time in writes if time not in kept), default=last_kept)

    def is_visible(self, time: str) -> bool:
        """Returns whether what the instant wrote can be seen: it is completed or archived."""
        return time in self._completion_times or time < self._first_write

    def completion_time(self, time: str) -> str | None:
        """Returns when an instant was completed; None while it is pending or when unknown.

        Of one that is archived behind an instant on the timeline, as restores and indexes stay
        there for good, it is unknown to Hudi, which takes it for pending: it compacts no log of it.
        """
        active = self._completion_times.get(time)
        if active is not None or time >= self._first_of_all:
            return active
        return self._archived_completion_times.get(time)

    @cached_property
    def _first_of_all(self) -> str:
        return min((file.time for file in self._all_files), default="")

    def metadata(self, instant: Instant, wanted: Wanted | None = None) -> dict[str, Any]:
        """Returns what a completed instant did; empty when Hudi left its file empty.

        Args:
            instant: the instant.
            wanted: what is needed of it at least; None for all.
        """
        path = posixpath.join(self._folder, instant._file)
        held = None if instant.archived else read_or_none(self._filesystem, path)
        if held is not None:
            half = instant.action == "replacecommit"
            return self._content(held, instant, path, wanted, half=half)
        file, content = self._archive.content(instant.time, METADATA, moved=not instant.archived)
        if not file:
            raise TableError(
                f"Cannot read the timeline: '{path}' is gone; "
                "the table was changed meanwhile, open it again"
            )
        return self._content(content, instant, file, wanted)

    def is_whole(self, instant: Instant) -> bool:
        """Returns whether what a completed instant did was written whole.

        Hudi gives the file its name although writing it has failed, on a full disk for one.
        """
        try:
            return bool(self.metadata(instant, {"operationType": None}))
        except DamagedInstantError:
            return False

    def plan(self, instant: Instant, wanted: Wanted | None = None) -> dict[str, Any]:
        """Returns the plan of a clustering, compaction or clean; empty when there is none.

        Takes what ``metadata`` does.
        """
        request = None if instant.archived else self._requests.get(instant.time)
        content = None if request is None else read_or_none(self._filesystem, request)
        if request is not None and content is not None:
            return self._content(content, instant, request, wanted)
        if not instant.completed:
            return {}
        # Of what Hudi has archived, it deletes the plan first.
        file, content = self._archive.content(instant.time, PLAN, moved=request is not None)
        return self._content(content, instant, file, wanted)

    def age(self, instant: Instant) -> float:
        """Returns the seconds since a pending instant was requested; 0 when nobody knows."""
        request = self._requests.get(instant.time)
        found = self._filesystem.get_file_info([request]) if request else []
        return next((seconds_since(self._filesystem, file) for file in found if file.is_file), 0.0)

    def deletes_partitions(self, instant: Instant) -> bool:
        """Returns whether a pending instant was requested to delete partitions, and whole."""
        try:
            return instant.action == "replacecommit" and (
                self._operation(instant) == "DELETE_PARTITION"
            )
        except DamagedInstantError:
            return False

    def _operation(self, instant: Instant) -> str | None:
        """Returns what was requested, as Hudi names it; None where the request does not tell.

        Raises:
            DamagedInstantError: when half of it is there.
        """
        operation: str | None = self.plan(instant, {"operationType": None}).get("operationType")
        return operation

    def _is_clustering(self, instant: Instant) -> bool:
        """Tells whether a pending instant is a clustering, or half a request of whatever it was.

        Raises:
            DamagedInstantError: when only the request would tell, half of it is there, and its
                writer may live.
        """
        if instant.action != "replacecommit":  # also insert_overwrite and delete_partition
            return instant.action == "clustering"
        try:
            return self._operation(instant) == "CLUSTER"
        except DamagedInstantError:
            if self.reads_archive:  # where clusterings have an action of their own, too
                return False
            # Whoever could not request a write whole has failed, and goes on with none; but some
            # stores show a file while it is written.
            if instant.state == REQUESTED and self.age(instant) >= _SECONDS_TO_REQUEST:
                return True
            raise

    def _content(
        self,
        content: bytes,
        instant: Instant,
        file: str,
        wanted: Wanted | None,
        *,
        half: bool = False,
    ) -> dict[str, Any]:
        what = f"the metadata of {instant.action} '{instant.time}'"
        return instant_content(content, what, file, wanted, half=half)


def parse_instant(name: str) -> Instant | None:
    """Returns the instant that a timeline file stands for, or None for any other file.

    Three spellings: ``<time>_<completed>.<action>``, ``<time>.<action>.<state>`` and, for a commit
    alone, ``<time>.inflight``; tables up to version 6 complete as ``<time>.<action>``.
    """
    found = _INSTANT_FILE.match(name)
    if found is None:
        return None
    time, completed, action, state = found.groups()
    if action is None and state is None:
        return None
    return Instant(time, action or "commit", _STATES[state or ""], completed, _file=name)


def seconds_since(filesystem: FileSystem, file: FileInfo) -> float:
    """Returns the seconds since a file was written; 0 when its store does not tell."""
    written = written_at(filesystem, file)
    if written is None:
        return 0.0
    return max(0.0, (datetime.now(timezone.utc) - written).total_seconds())


def seconds_between(first: str, last: str | None) -> float | None:
    """Returns the seconds from one instant's time to another's; None when they do not tell."""
    if last is None or not len(first) == len(last) == len(_TIME):
        return None
    try:
        return (_moment(last) - _moment(first)).total_seconds()
    except ValueError:  # digits that are no time
        return None


def _moment(time: str) -> datetime:
    # Of three decimals of a second; %f takes them from the left.
    return datetime.strptime(time, "%Y%m%d%H%M%S%f")
