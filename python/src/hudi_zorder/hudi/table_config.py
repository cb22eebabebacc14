"""The configuration of a Hudi table: its ``hoodie.properties``."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.filesystem import read_or_none

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

METADATA_FOLDER = ".hoodie"
_NEWEST_VERSION = 9
_FIRST_WITH_FOLDER = 8
_LONGEST_NAME = 255  # bytes of a folder's, on most file systems
_NUMBER = re.compile(r"[0-9]{1,9}")
_KEEPING_MODES = frozenset({"COMMIT_TIME_ORDERING", "EVENT_TIME_ORDERING"})
# Of Hudi's own: by event time, by commit time, and by a payload class.
_KEEPING_STRATEGIES = frozenset(
    {
        "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5",
        "ce9acb64-bde0-424c-9b91-f6ebba25356d",
        "00000000-0000-0000-0000-000000000000",
    }
)
_STRATEGIES = ("hoodie.record.merge.strategy.id", "hoodie.compaction.record.merger.strategy")
_KEEPING_PAYLOADS = frozenset(
    f"org.apache.hudi.common.model.{name}"
    for name in ("DefaultHoodieRecordPayload", "OverwriteWithLatestAvroPayload")
)


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What ``hoodie.properties`` says.

    Attributes:
        properties: every property as text.
    """

    properties: Mapping[str, str]

    @property
    def name(self) -> str:
        """The table's name."""
        return self.properties.get("hoodie.table.name", "")

    @property
    def database(self) -> str:
        """The database that the table was made in; empty where its maker named none."""
        return self.properties.get("hoodie.database.name", "")

    @property
    def table_type(self) -> str:
        """``COPY_ON_WRITE`` or ``MERGE_ON_READ``."""
        return self.properties.get("hoodie.table.type", "COPY_ON_WRITE")

    @property
    def version(self) -> int:
        """The table version: 9 for a table that Hudi 1.2 made."""
        return int(self.properties.get("hoodie.table.version", "0"))

    @property
    def has_timeline_folder(self) -> bool:
        """Whether instants lie in their own folder and carry completion times."""
        layout = self.properties.get("hoodie.timeline.layout.version")
        return int(layout) >= 2 if layout else self.version >= _FIRST_WITH_FOLDER

    @property
    def partition_fields(self) -> tuple[str, ...]:
        """The partition columns, from the outermost folder inwards; empty when there are none."""
        names = self.properties.get("hoodie.table.partition.fields", "").split(",")
        # A custom key generator appends its type: "day:timestamp".
        return tuple(name.split(":")[0].strip() for name in names if name.strip())

    @property
    def unstored_fields(self) -> tuple[str, ...]:
        """Those partition columns whose values files have not: they lack them, or have nulls."""
        drops = self.properties.get("hoodie.datasource.write.drop.partition.columns", "")
        return self.partition_fields if drops.lower() == "true" else ()

    @property
    def merges_keep_values(self) -> bool:
        """Whether a merged row has in each column a value of one of the rows that it is merged of.

        What is no such merge is a class of a user's, or fills a value in. Tables before version 8
        name a payload class alone.
        """
        strategies = {self.properties[key] for key in _STRATEGIES if key in self.properties}
        fills_in = "hoodie.table.partial.update.mode" in self.properties
        if fills_in or strategies - _KEEPING_STRATEGIES:
            return False
        mode = self.properties.get("hoodie.record.merge.mode")
        payload = self.properties.get("hoodie.compaction.payload.class")
        return mode in _KEEPING_MODES if mode else payload in _KEEPING_PAYLOADS

    @property
    def base_file_format(self) -> str:
        """``PARQUET`` save for tables of another base format."""
        return self.properties.get("hoodie.table.base.file.format", "PARQUET").upper()

    @property
    def has_several_formats(self) -> bool:
        """Whether some file groups may have base files of another format."""
        several = self.properties.get("hoodie.table.multiple.base.file.formats.enable", "")
        return several.lower() == "true"


def read_config(
    filesystem: FileSystem, path: str, base_file_format: str = "PARQUET"
) -> TableConfig:
    """Returns the configuration of the table whose base folder is ``path``.

    Args:
        filesystem: where the table lies.
        path: its base folder.
        base_file_format: what its base files have to be.

    Raises:
        TableError: when there is no Hudi table, or one that these readers do not understand.
    """
    found = _properties(filesystem, path)
    if found is None:
        raise TableError(
            f"Cannot open a table: there is no Hudi table, 'path' was '{path}'; "
            f"{_remedy(filesystem, path)}"
        )
    name, content = found
    try:
        config = TableConfig(parse_properties(content.decode("utf-8")))
    except UnicodeDecodeError as fault:
        folder = posixpath.join(path, METADATA_FOLDER)
        raise TableError(
            f"Cannot open a table: '{name}' in '{folder}' is no text ({fault}); restore it"
        ) from fault
    _refuse_what_cannot_be(config, path)
    if config.version > _NEWEST_VERSION:
        raise TableError(
            f"Cannot open a table: 'hoodie.table.version' was '{config.version}' in '{path}'; "
            f"versions up to {_NEWEST_VERSION} are known"
        )
    if config.base_file_format != base_file_format:
        raise TableError(
            f"Cannot open a table: 'hoodie.table.base.file.format' was "
            f"'{config.base_file_format}' in '{path}'; only {base_file_format.capitalize()} base "
            "files have statistics"
        )
    return config


def is_table(filesystem: FileSystem, path: str) -> bool:
    """Returns whether a folder is the base folder of a Hudi table."""
    return _properties(filesystem, path) is not None


def _properties(filesystem: FileSystem, path: str) -> tuple[str, bytes] | None:
    """Returns the file with a table's properties, and its name; None where there is no table."""
    for name in ("hoodie.properties", "hoodie.properties.backup"):
        content = read_or_none(filesystem, posixpath.join(path, METADATA_FOLDER, name))
        if content:
            return name, content
    return None


def _remedy(filesystem: FileSystem, path: str) -> str:
    """Returns what to do where there is no table: a URL of Python's or a browser's is encoded."""
    decoded = unquote(path).replace("\0", "")
    file = posixpath.join(decoded, METADATA_FOLDER, "hoodie.properties")
    if decoded != path and read_or_none(filesystem, file):
        return f"did you mean '{decoded}'? Of a URL, too, a path is taken literally"
    return f"name the folder that holds {METADATA_FOLDER}"


def _refuse_what_cannot_be(config: TableConfig, path: str) -> None:
    for key in ("hoodie.table.version", "hoodie.timeline.layout.version"):
        value = config.properties.get(key, "0")
        if not _NUMBER.fullmatch(value):
            raise TableError(
                f"Cannot open a table: '{key}' was '{value}' in '{path}', which is no number; "
                "restore hoodie.properties"
            )
    for key in ("hoodie.timeline.path", "hoodie.timeline.history.path"):
        value = config.properties.get(key, "")
        if not value.isprintable() or len(value.encode()) > _LONGEST_NAME:
            raise TableError(
                f"Cannot open a table: '{key}' was {value[:_LONGEST_NAME]!r} in '{path}', which "
                "names no folder; restore hoodie.properties"
            )
        if posixpath.isabs(value) or ".." in value.split("/"):
            raise TableError(
                f"Cannot open a table: '{key}' was '{value}' in '{path}', which leads out of "
                "the table; restore hoodie.properties"
            )


def parse_properties(text: str) -> dict[str, str]:
    """Returns the entries of a Java properties text (escapes as ``Properties.store`` makes)."""
    entries = {}
    for line in text.splitlines():
        line = line.strip()
        if not line or line[0] in "#!":
            continue
        found = re.match(r"((?:\\.|[^\\=:])*)[=:]?\s*(.*)", line)
        if found:
            key, value = (_paired(_unescape(part)) for part in found.groups())
            entries[key.strip()] = value
    return entries


def _paired(text: str) -> str:
    """Returns a text in which the halves of a letter, as Java escapes it, are one again."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(text: str) -> str:
    named = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}

    def replace(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) == 5 else named.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", replace, text)
