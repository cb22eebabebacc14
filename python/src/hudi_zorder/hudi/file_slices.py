"""The latest file slices of a Hudi table: what a snapshot query reads.

A file group is a base file that is rewritten, or log files on top of it. Its visible slice is the
newest base file of a completed instant, with every log file that came after it. Since table version
8 the name of a log file carries its own delta commit, and the log belongs to a base file when it
was *completed* at or after the base file's instant; up to version 6 it carries the instant that its
slice begins with: the base file's, a pending compaction's, or without either the first log's own,
which may have failed. Logs above a compaction that is still pending form a slice of their own in
Hudi; a reader merges both, so that they are one slice here. File groups that a replace commit took
the place of are gone. The sources are ``HoodieFileGroup`` and ``AbstractTableFileSystemView`` of
Hudi 1.2.0.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from hudi_zorder.hudi.filesystem import listed
from hudi_zorder.hudi.instant_content import DamagedInstantError
from hudi_zorder.hudi.table_config import METADATA_FOLDER, TableConfig
from hudi_zorder.hudi.timeline import Instant, Timeline
from hudi_zorder.parallel import READERS, in_parallel

if TYPE_CHECKING:
    from pyarrow.fs import FileInfo, FileSystem

_Group = tuple[str, str]  # partition and file id
_REPLACED: Final = "partitionToReplaceFileIds"
_PATH: Final = attrgetter("path")
_BASE_FILE = re.compile(r"^([A-Za-z0-9-]+)_[A-Za-z0-9-]+_(\d+)\.parquet$")
_INDEX_FILE = re.compile(r"^([A-Za-z0-9-]+)_[A-Za-z0-9-]+_(\d+)\.hfile$")
_FILE_OF_ANY_FORMAT = re.compile(r"^([A-Za-z0-9-]+)_[A-Za-z0-9-]+_(\d+)\.(?:parquet|orc|hfile)$")
_LOG_FILE = re.compile(r"^\.([^._]+)_([^.]*)\.log\.\d+(?:_\d+-\d+-\d+(\.cdc)?)?$")


class DataFile(NamedTuple):
    """A base file or a log file, of which there are a hundred thousand.

    Attributes:
        path: relative to the table's base folder.
        size: bytes.
        instant: the instant in the file's name.
    """

    path: str
    size: int
    instant: str

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]


class FileSlice(NamedTuple):
    """The latest slice of one file group.

    Attributes:
        partition: the partition's folder relative to the table, ``""`` when not partitioned.
        file_id: the file group.
        base: the base file; None when there are log files alone.
        logs: the log files to be merged into it, in the order of their names.
    """

    partition: str
    file_id: str
    base: DataFile | None
    logs: tuple[DataFile, ...] = ()

    @property
    def has_logs(self) -> bool:
        """Whether log files change what the base file says."""
        return bool(self.logs)

    @property
    def size(self) -> int:
        """Bytes of the base file and its logs."""
        own = self.base.size if self.base else 0
        return own + sum(log.size for log in self.logs) if self.logs else own

    @property
    def path(self) -> str:
        """The base file's path, or that of the first log file."""
        return self.base.path if self.base else self.logs[0].path


@dataclass(slots=True)
class _Groups:
    """The files of a table by partition and file id: few groups have any logs."""

    bases: dict[_Group, list[DataFile]] = field(default_factory=lambda: defaultdict(list))
    logs: dict[_Group, list[DataFile]] = field(default_factory=lambda: defaultdict(list))


def holds_changes(name: str) -> bool:
    """Tells whether a file is one of change data, which holds no rows of the snapshot."""
    log = _LOG_FILE.match(name)
    return bool(log and log[3])


def instant_of(path: str) -> str:
    """Returns the instant that wrote a base file, by its name; ``""`` for any other file."""
    found = _FILE_OF_ANY_FORMAT.match(posixpath.basename(path))
    return found[2] if found else ""


def list_slices(
    filesystem: FileSystem,
    path: str,
    config: TableConfig,
    timeline: Timeline,
    listers: int,
    known: ReplacedGroups,
) -> tuple[FileSlice, ...]:
    """Returns the latest slice of every file group, in the order of their paths.

    Args:
        filesystem: where the table lies.
        path: the table's base folder in it.
        config: what ``hoodie.properties`` says.
        timeline: the table's instants.
        listers: how many folders are listed at a time.
        known: what earlier listings have read of commits; this one's is added.
    """
    # Before the files: of what is completed by now, every file is there to be listed.
    replaced = known.all_of(timeline, listers)
    base_file = _FILE_OF_ANY_FORMAT if config.has_several_formats else _BASE_FILE
    groups = _groups(_files_below(filesystem, path, listers), path, base_file)
    return _latest_slices(groups, replaced, timeline, config)


def list_index_slices(
    filesystem: FileSystem, path: str, config: TableConfig, timeline: Timeline, index: str
) -> tuple[FileSlice, ...]:
    """Returns the latest slices of one index of a metadata table; takes what ``list_slices`` does.

    Args:
        filesystem: where the table lies.
        path: the metadata table's base folder in it.
        config: the metadata table's configuration.
        timeline: the metadata table's instants.
        index: the index's folder in the metadata table.
    """
    replaced = ReplacedGroups().all_of(timeline, READERS)
    files = listed(filesystem, posixpath.join(path, index))
    groups = _groups((file for file in files if file.is_file), path, _INDEX_FILE)
    return _latest_slices(groups, replaced, timeline, config)


def _groups(files: Iterable[FileInfo], path: str, base_file: re.Pattern[str]) -> _Groups:
    """Returns the files of a table by partition and file id."""
    groups = _Groups()
    for entry in files:
        whole = entry.path
        relative = whole[len(path) :].lstrip("/") if path else whole
        folder, _, name = relative.rpartition("/")
        partition = folder.rstrip("/")
        base = base_file.match(name)
        if base:
            file_id, instant = base.groups()
            groups.bases[partition, file_id].append(DataFile(relative, entry.size, instant))
            continue
        log = _LOG_FILE.match(name)
        if log and not log[3]:
            groups.logs[partition, log[1]].append(DataFile(relative, entry.size, log[2]))
    return groups


def _latest_slices(
    groups: _Groups, replaced: Container[_Group], timeline: Timeline, config: TableConfig
) -> tuple[FileSlice, ...]:
    by_completion = config.has_timeline_folder
    is_visible = cache(timeline.is_visible)  # asked of few instants for each of many files
    by_partition: dict[str, list[FileSlice]] = defaultdict(list)
    for group in groups.bases | groups.logs:
        if group in replaced:
            continue
        base = _latest_base(groups.bases.get(group, ()), is_visible)
        logs: Sequence[DataFile] = groups.logs.get(group, ())
        if logs:
            logs = _logs_since(base, logs, timeline, by_completion=by_completion)
        if base or logs:
            by_partition[group[0]].append(FileSlice(*group, base, tuple(logs)))
    in_order = (sorted(by_partition[name], key=_PATH) for name in sorted(by_partition))
    return tuple(chain.from_iterable(in_order))


def _latest_base(bases: Sequence[DataFile], is_visible: Callable[[str], bool]) -> DataFile | None:
    visible = [base for base in bases if is_visible(base.instant)]
    if len(visible) < 2:
        return visible[0] if visible else None
    # Two files of one instant are a task and its retry; Hudi keeps the retry by name.
    return max(visible, key=lambda file: (file.instant, file.name))


def _logs_since(
    base: DataFile | None, logs: Sequence[DataFile], timeline: Timeline, *, by_completion: bool
) -> Sequence[DataFile]:
    """Returns the log files to be merged into a base file, in the order of their names."""
    found = _committed(base, logs, timeline) if by_completion else _begun(base, logs, timeline)
    return sorted(found, key=lambda log: log.name)


def _committed(
    base: DataFile | None, logs: Sequence[DataFile], timeline: Timeline
) -> Sequence[DataFile]:
    """Returns those log files that were completed since a base file, by the commits they name."""
    visible = [log for log in logs if timeline.is_visible(log.instant)]
    if base is None:
        return visible
    since = base.instant
    # An unknown completion time leaves the log where it cannot be overlooked.
    return [log for log in visible if (timeline.completion_time(log.instant) or since) >= since]


def _begun(
    base: DataFile | None, logs: Sequence[DataFile], timeline: Timeline
) -> Sequence[DataFile]:
    """Returns the log files of the latest slice, by the instants that they name as its begin."""
    begins = [log.instant for log in logs if timeline.is_visible(log.instant)]
    since = max(begins, default="") if base is None else base.instant
    planned = timeline.planned_compactions
    return [
        log
        for log in logs
        if log.instant >= since and (timeline.is_visible(log.instant) or log.instant in planned)
    ]


class ReplacedGroups:
    """What replace commits took the place of, read once of each that cannot change any more.

    That is of each with a completion time, which another completion does not share, and of which
    anything was there to be read: Hudi names the file before it is written.

    Args:
        passes_over_halves: whether half a commit is taken for an empty one, of which Hudi shows
            what was written beside what it replaces.
    """

    def __init__(self, *, passes_over_halves: bool = False) -> None:
        self._by_commit: dict[Instant, frozenset[_Group]] = {}
        self._passes_over_halves = passes_over_halves

    def all_of(self, timeline: Timeline, readers: int) -> set[_Group]:
        """Returns what all replace commits of a timeline took the place of.

        Args:
            timeline: the table's instants.
            readers: how many commits are read at a time.
        """
        commits = [i for i in timeline.completed if i.action == "replacecommit"]
        return set().union(*in_parallel(partial(self._of, timeline), commits, readers))

    def _of(self, timeline: Timeline, instant: Instant) -> frozenset[_Group]:
        known = self._by_commit.get(instant)
        if known is None:
            try:
                known = frozenset(replaced_groups(timeline, instant))
            except DamagedInstantError:
                if not self._passes_over_halves:
                    raise
                return frozenset()
            if known and instant.completion_time:
                self._by_commit[instant] = known
        return known


def replaced_groups(timeline: Timeline, instant: Instant) -> Iterator[tuple[str, str]]:
    """Yields partition and file id of what a completed replace commit took the place of."""
    replaced = timeline.metadata(instant, {_REPLACED: None}).get(_REPLACED) or {}
    for partition, file_ids in replaced.items():
        for file_id in file_ids:
            yield partition, file_id


def _files_below(filesystem: FileSystem, path: str, listers: int) -> Iterator[FileInfo]:
    """Yields the files of all partitions; Hudi's own folder can hold far more files than those."""
    from pyarrow.fs import FileType

    def below(folder: FileInfo) -> list[FileInfo]:
        found = listed(filesystem, folder.path, recursive=True, may_lack=False)
        return _of_partitions(found, folder.path)

    top = listed(filesystem, path, may_lack=False)
    folders = [
        entry
        for entry in top
        if entry.type == FileType.Directory and not entry.base_name.startswith(METADATA_FOLDER)
    ]
    yield from (entry for entry in top if entry.is_file)
    for files in in_parallel(below, folders, listers):
        yield from files


def _of_partitions(entries: Sequence[FileInfo], folder: str) -> list[FileInfo]:
    """Returns the files below a folder but those of another table, and of copies of ``.hoodie``."""
    tables = (entry for entry in entries if entry.base_name == METADATA_FOLDER)
    inside = tuple(f"{posixpath.dirname(table.path)}/" for table in tables)
    hidden = f"/{METADATA_FOLDER}"
    return [
        entry
        for entry in entries
        if entry.is_file
        and hidden not in entry.path[len(folder) :]
        and not entry.path.startswith(inside)
    ]
