"""A Hudi table as it stands when it is opened, read without Spark or Java."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import ColumnError, TableError
from hudi_zorder.hudi.committed_schema import NESTED_KINDS, committed_kinds
from hudi_zorder.hudi.file_slices import (
    DataFile,
    FileSlice,
    ReplacedGroups,
    instant_of,
    list_slices,
)
from hudi_zorder.hudi.filesystem import open_location
from hudi_zorder.hudi.fsspec_stores import forget_listings
from hudi_zorder.hudi.schema_evolution import last_schema_change
from hudi_zorder.hudi.table_config import TableConfig, read_config
from hudi_zorder.hudi.timeline import WRITE_ACTIONS, Instant, Timeline
from hudi_zorder.parallel import READERS, checked_readers
from hudi_zorder.parquet.file_schema import ColumnSchema, FileSchema, unwritten_leaf
from hudi_zorder.parquet.footers import Footers
from hudi_zorder.progress import progress

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


@dataclass(frozen=True)
class TableSnapshot:
    """The configuration, the timeline and the latest file slices of a table.

    Nothing but the configuration is read before it is asked for, and nothing is read twice: open
    the table again to see later commits.

    Attributes:
        url: the path or URL that the table was opened by.
        filesystem: where the table lies.
        path: the table's base folder in it.
        config: what ``hoodie.properties`` says.
        timeline: the table's instants.
        footers: what was read of files' footers so far, shared with earlier snapshots.
        readers: how many requests to the file system are under way at a time.
        replaced: what was read of replace commits so far, shared with earlier snapshots.
    """

    url: str
    filesystem: FileSystem
    path: str
    config: TableConfig
    timeline: Timeline = field(repr=False)
    footers: Footers = field(repr=False, compare=False)
    readers: int = field(default=READERS, repr=False, compare=False)
    replaced: ReplacedGroups = field(default_factory=ReplacedGroups, repr=False, compare=False)

    @classmethod
    def open(
        cls,
        url: str | os.PathLike[str],
        *,
        filesystem: Any = None,
        storage_options: Mapping[str, Any] | None = None,
        hadoop: Mapping[str, str] | None = None,
        readers: int = READERS,
    ) -> TableSnapshot:
        """Opens the table at a path or URL; takes what ``filesystem.open_location`` does.

        Args:
            url: the path or URL.
            filesystem: one of pyarrow or fsspec that serves it.
            storage_options: what its fsspec package is to be opened with.
            hadoop: settings of Hadoop's S3 connector.
            readers: how many requests to the file system are under way at a time.

        Raises:
            OptionError: for fewer readers than one.
            TableError: when there is no Hudi table, or one that these readers do not understand.
        """
        readers = checked_readers(readers)
        filesystem, path = open_location(
            url, filesystem=filesystem, storage_options=storage_options, hadoop=hadoop
        )
        config = read_config(filesystem, path)
        timeline = Timeline(filesystem, path, config)
        footers = Footers(filesystem, path, readers)
        return cls(os.fspath(url), filesystem, path, config, timeline, footers, readers)

    def now(self) -> TableSnapshot:
        """Returns the table as it stands by now."""
        forget_listings(self.filesystem)
        return replace(self, timeline=Timeline(self.filesystem, self.path, self.config))

    def before(self, instant: str) -> TableSnapshot:
        """Returns the table as it stood before an instant, as far as its files are still there."""
        timeline = Timeline(self.filesystem, self.path, self.config, end=instant)
        return replace(self, timeline=timeline)

    def knowing(self, earlier: TableSnapshot) -> TableSnapshot:
        """Returns this snapshot of a table with what an earlier one has read of its commits."""
        return replace(self, replaced=earlier.replaced)

    @cached_property
    def slices(self) -> tuple[FileSlice, ...]:
        """The latest slice of every file group."""
        with progress("Listing files"):
            return list_slices(
                self.filesystem,
                self.path,
                self.config,
                self.timeline,
                self.readers,
                self.replaced,
            )

    def file_path(self, part: FileSlice) -> str:
        """Returns the path of a slice's base file, or first log file, in the file system."""
        return posixpath.join(self.path, part.path)

    @cached_property
    def schema(self) -> FileSchema:
        """The columns of the newest base file: the table's, unless an ALTER came after it.

        Raises:
            TableError: when the table has no base file.
        """
        schema = self.footers.read([self.newest.path], [])[self.newest.path].schema
        return schema.without_values_of(self.config.unstored_fields)

    @cached_property
    def newest(self) -> DataFile:
        """The newest base file.

        Raises:
            TableError: when the table has none.
        """
        bases = (part.base for part in self.slices if part.base)
        newest = max(bases, key=lambda base: base.instant, default=None)
        if newest is None:
            raise TableError(
                f"Cannot read columns: there is no base file in '{self.path}'; "
                "write rows, or compact the log files, first"
            )
        return newest

    @cached_property
    def committed_kinds(self) -> Mapping[str, str]:
        """The columns that the newest commit with a schema names, with the kinds of their types.

        A column that was added, or given another type, since the newest base file was written has
        its type here alone; see ``committed_schema``. Empty when no commit has a schema.
        """
        for instant in reversed(self.timeline.completed):
            if instant.action in WRITE_ACTIONS:
                commit = self.timeline.metadata(instant, {"extraMetadata": None})
                extra = commit.get("extraMetadata") or {}
                if extra.get("schema"):
                    return self._kinds(instant, extra["schema"])
        return {}

    def _kinds(self, instant: Instant, schema: str) -> Mapping[str, str]:
        try:
            return committed_kinds(schema)
        except ValueError as fault:
            raise TableError(
                f"Cannot read columns: the schema in {instant.action} '{instant.time}' of "
                f"'{self.path}' is damaged ({fault}); write to the table, which records it anew"
            ) from fault

    def statistics_columns(self, names: Sequence[str] | None) -> dict[str, ColumnSchema]:
        """Returns the columns asked for, those included that no base file has yet under that name.

        A column that was renamed or added, and not written since, is known to the committed schema
        alone; its bounds are unknown in every file. None asks for all that files have.

        Raises:
            ColumnError: for a column that does not exist, is named twice or has no statistics.
        """
        if names is None:
            return self.schema.statistics_columns(None)
        unwritten = {name: unwritten_leaf(name) for name in names if self._is_unwritten(name)}
        if len({name.lower() for name in unwritten}) < sum(map(self._is_unwritten, names)):
            raise ColumnError(f"Cannot use columns: {', '.join(names)} has one twice; name it once")
        held = self.schema.statistics_columns([name for name in names if name not in unwritten])
        spelt = {name.lower(): name for name in held}
        leaves = held | unwritten
        return {n: leaves[n] for n in (spelt.get(name.lower(), name) for name in names)}

    def _is_unwritten(self, name: str) -> bool:
        if self.schema.find(name) is not None:
            return False
        return self.committed_kinds.get(name.lower(), "record") not in NESTED_KINDS

    @cached_property
    def schema_changed_at(self) -> str:
        """The instant of the last change to a schema that is evolved on read; ``""`` when none.

        Such a schema renames columns, and drops and adds them under one name, without touching
        files: what an older file calls a column need not be the table's column of that name.
        """
        return last_schema_change(self.filesystem, self.path)

    def precedes_schema_change(self, base_file: str) -> bool:
        """Tells whether a base file's columns need not be the table's columns of their names."""
        changed = self.schema_changed_at
        return bool(changed) and instant_of(base_file) < changed
