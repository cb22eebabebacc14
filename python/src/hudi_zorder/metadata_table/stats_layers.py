"""The column-statistics index of a metadata table: what it has of columns, by file.

Its keys begin with the column's hash, so that of a column no more is read than the blocks that hold
its records. A file slice is a base file and the blocks of logs that came after; of two records of a
key the newer one wins, as ``HoodieMetadataPayload.preCombine`` of Hudi 1.2.0 has it.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.file_slices import FileSlice, list_index_slices
from hudi_zorder.hudi.metadata_indexes import COLUMN_STATS_INDEX, metadata_path, opens_index
from hudi_zorder.hudi.table_config import read_config
from hudi_zorder.hudi.timeline import Timeline
from hudi_zorder.metadata_table.avro_columns import Decoder
from hudi_zorder.metadata_table.hashes import FILE_HASH, column_hash, file_hash
from hudi_zorder.metadata_table.hfile import HFile
from hudi_zorder.metadata_table.hfile_entries import Entries
from hudi_zorder.metadata_table.log_blocks import (
    DELETE,
    HFILE,
    LogBlock,
    blocks_that_count,
    log_blocks,
)
from hudi_zorder.metadata_table.ranges import FormatError, RangeReader
from hudi_zorder.metadata_table.stats_batches import StatsBatch, stats_batches
from hudi_zorder.metadata_table.stats_records import StatsRecord, deleted_keys, merged
from hudi_zorder.parallel import in_parallel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pyarrow.fs import FileSystem

    from hudi_zorder.hudi.snapshot import TableSnapshot

    Flags = NDArray[np.bool_]

_SCHEMA: Final = b"schema"  # among the facts of an HFile
_LOG_NUMBER: Final = re.compile(r"_([^_.]*)\.log\.(\d+)")


@dataclass(frozen=True, slots=True)
class _Layer:
    """A base file or a block of a log: records, or the keys that are taken back."""

    file: str
    records: HFile | None = None
    decoder: Decoder | None = None
    deleted: tuple[bytes, ...] = ()


class ColumnStatsIndex:
    """The index as it stands when it is opened.

    Args:
        slices: for each of its file slices the layers, the oldest first.
        readers: how many slices are read at a time.
    """

    def __init__(self, slices: list[list[_Layer]], readers: int) -> None:
        self._slices = slices
        self._readers = readers
        self._known: tuple[Collection[str], Collection[bytes]] = (), ()

    @classmethod
    def of(cls, snapshot: TableSnapshot) -> ColumnStatsIndex:
        """Opens the index of a table, one without records where the table has none.

        Raises:
            TableError: when it cannot be read.
        """
        if not opens_index(snapshot):
            return cls([], snapshot.readers)
        path = metadata_path(snapshot)
        config = read_config(snapshot.filesystem, path, "HFILE")
        timeline = Timeline(snapshot.filesystem, path, config)
        parts = list_index_slices(snapshot.filesystem, path, config, timeline, COLUMN_STATS_INDEX)
        # Where logs have the names of their own commits, only those of visible ones are listed.
        visible = (lambda _: True) if config.has_timeline_folder else timeline.is_visible
        opener = _Opener(snapshot.filesystem, path, visible)

        def opened(part: FileSlice) -> list[_Layer]:
            return list(opener.layers(part))

        return cls(list(in_parallel(opened, parts, snapshot.readers)), snapshot.readers)

    def batches(self, column: str, files: Collection[str]) -> Iterator[StatsBatch]:
        """Yields what the index has of a column, for some files at most.

        Args:
            column: its name, nested ones as ``a.b``.
            files: the names of the files.

        Raises:
            TableError: when the index is damaged.
        """
        prefix = column_hash(column)
        wanted = self._keys(files)

        def read(layers: list[_Layer]) -> list[StatsBatch]:
            return list(_Merge(prefix, wanted).of(layers))

        for found in in_parallel(read, self._slices, self._readers):
            yield from found

    def _keys(self, files: Collection[str]) -> Collection[bytes]:
        """Returns what the keys of some files end with."""
        if self._known[0] is not files:  # those of one column after the other are the same
            self._known = files, frozenset(map(file_hash, files))
        return self._known[1]


class _Merge:
    """Makes one of the layers of a slice: the records of keys that several have become one each.

    Args:
        prefix: what the keys of the column begin with.
        wanted: what those of the files end with.
    """

    def __init__(self, prefix: bytes, wanted: Collection[bytes]) -> None:
        self._prefix = prefix
        self._wanted = wanted
        self._found: dict[bytes, StatsRecord] = {}

    def of(self, layers: Sequence[_Layer]) -> Iterator[StatsBatch]:
        """Yields what the layers together have; the oldest is the first, and often all there is."""
        above = [(layer, list(self._entries(layer))) for layer in layers[1:]]
        times: Counter[bytes] = Counter()
        for layer, parts in above:
            times.update(layer.deleted)
            times.update(key for part in parts for key in part.keys)
        shared: Collection[bytes] = times.keys()
        for layer in layers[:1]:
            yield from self._added(layer, self._entries(layer), shared)
        shared = {key for key, count in times.items() if count > 1} | self._found.keys()
        for layer, parts in above:
            yield from self._added(layer, parts, shared)
        yield from StatsBatch.of(self._found.values())

    def _entries(self, layer: _Layer) -> Iterator[Entries]:
        """Yields the entries of the files asked for."""
        if layer.records is None:
            return
        with _blaming(layer.file):
            for part in layer.records.entries(self._prefix):
                whole = part.at(part.row_lengths >= FILE_HASH)
                yield whole.at(_members(whole.key_ends(FILE_HASH), self._wanted))

    def _added(
        self, layer: _Layer, parts: Iterable[Entries], shared: Collection[bytes]
    ) -> Iterator[StatsBatch]:
        """Keeps what a layer has of keys that others have, too; yields what it has of all else."""
        for key in layer.deleted:
            self._found.pop(key, None)
        if layer.decoder is None:
            return
        with _blaming(layer.file):
            for part in parts:
                if shared:
                    is_shared = _members(part.keys, shared)
                    self._keep(layer.decoder, part.at(is_shared))
                    part = part.at(~is_shared)
                yield from stats_batches(layer.decoder, part)

    def _keep(self, decoder: Decoder, part: Entries) -> None:
        keys = part.keys
        for batch in stats_batches(decoder, part):
            for place, record in zip(batch.places.tolist(), batch.records(), strict=True):
                key = keys[place]
                self._found[key] = merged(self._found.get(key), record)


def _members(keys: Sequence[bytes], of: Collection[bytes]) -> Flags:
    import numpy as np

    return np.fromiter(map(of.__contains__, keys), np.bool_, len(keys))


class _Opener:
    """Opens the files of slices.

    Args:
        filesystem: where the table lies.
        path: the metadata table's base folder.
        is_visible: tells whether what an instant wrote into a log can be seen.
    """

    def __init__(
        self, filesystem: FileSystem, path: str, is_visible: Callable[[str], bool]
    ) -> None:
        self._filesystem = filesystem
        self._path = path
        self._is_visible = is_visible
        self._decoders: dict[bytes, Decoder] = {}

    def layers(self, part: FileSlice) -> Iterator[_Layer]:
        """Yields the layers of a slice, the oldest first."""
        if part.base:
            file = posixpath.join(self._path, part.base.path)
            try:
                base = HFile(RangeReader(self._filesystem, file))
                yield self._of_records(file, base, None)
            except FormatError as fault:
                raise _damaged(file, fault) from fault
        blocks = [
            (file, block)
            for log in sorted(part.logs, key=lambda log: _log_order(log.name))
            for file in [posixpath.join(self._path, log.path)]
            for block in self._blocks(file)
        ]
        files = {id(block): file for file, block in blocks}
        for block in blocks_that_count([block for _, block in blocks], self._is_visible):
            file = files[id(block)]
            try:
                if block.kind == DELETE:
                    content = block.content.read(0, block.content.size)
                    yield _Layer(file, deleted=tuple(deleted_keys(content)))
                elif block.kind == HFILE:
                    yield self._of_records(file, HFile(block.content), block.schema)
                else:
                    raise FormatError(f"it has a block of kind {block.kind}")
            except FormatError as fault:
                raise _damaged(file, fault) from fault

    def _blocks(self, file: str) -> list[LogBlock]:
        try:
            return list(log_blocks(RangeReader(self._filesystem, file)))
        except FormatError as fault:
            raise _damaged(file, fault) from fault

    def _of_records(self, file: str, records: HFile, schema: bytes | None) -> _Layer:
        schema = schema or records.info.get(_SCHEMA)
        if schema is None:
            raise FormatError("it does not tell the schema of its records")
        if schema not in self._decoders:
            self._decoders[schema] = Decoder(schema)
        return _Layer(file, records, self._decoders[schema])


def _log_order(name: str) -> tuple[str, int, str]:
    found = _LOG_NUMBER.search(name)
    return (found[1], int(found[2]), name) if found else ("", 0, name)


@contextmanager
def _blaming(file: str) -> Iterator[None]:
    """Names the file of what is found to be damaged."""
    try:
        yield
    except FormatError as fault:
        raise _damaged(file, fault) from fault


def _damaged(file: str, fault: FormatError) -> TableError:
    return TableError(
        f"Cannot read the column-statistics index: '{file}' is damaged: {fault}; read footers in "
        "its place, or have Hudi make the index anew"
    )
