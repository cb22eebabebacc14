"""When a table's schema was last changed without rewriting its files."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from hudi_zorder.hudi.filesystem import listed, read_or_none
from hudi_zorder.hudi.shapes import parsed_json
from hudi_zorder.hudi.table_config import METADATA_FOLDER

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_FOLDER = ".schema"


def last_schema_change(filesystem: FileSystem, path: str) -> str:
    """Returns the instant of the last change to a schema that is evolved on read, or ``""``.

    Hudi keeps the history of such schemas under ``.hoodie/.schema``, the newest file holding all of
    it (``FileBasedInternalSchemaStorageManager``). A history that cannot be read counts as
    changed by the commit that wrote it.
    """
    folder = posixpath.join(path, METADATA_FOLDER, _FOLDER)
    files = [
        entry.path
        for entry in listed(filesystem, folder)
        if entry.base_name.endswith("schemacommit")
    ]
    if not files:
        return ""
    newest = max(files)
    try:
        history = parsed_json(read_or_none(filesystem, newest) or b"")
        return str(max(int(schema["version_id"]) for schema in history["schemas"]))
    except (ValueError, LookupError, TypeError, OverflowError):
        return str(posixpath.basename(newest)).split("_")[0].split(".")[0]
