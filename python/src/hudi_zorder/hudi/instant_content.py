"""What an instant did, or is to do, as its file tells it."""

from __future__ import annotations

from typing import Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.avro_content import Wanted, decoded
from hudi_zorder.hudi.shapes import NUMBER, TEXT, WHOLE, Always, MapOf, ShapeError, check_shape

_SLICE: Final = {
    "partitionPath": Always(TEXT),
    "fileId": Always(TEXT),
    "dataFilePath": TEXT,
    "deltaFilePaths": [TEXT],
}
_STAT: Final = {
    "fileId": Always(TEXT),
    "numWrites": Always(WHOLE),
    "fileSizeInBytes": Always(WHOLE),
}
_PLAN: Final = {
    "strategy": {"strategyClassName": TEXT, "strategyParams": MapOf(Always(TEXT))},
    "inputGroups": [{"metrics": MapOf(Always(NUMBER)), "slices": Always([_SLICE])}],
}
# What is read of any of them, whatever the action.
_CONTENT: Final = {
    "operationType": TEXT,
    "extraMetadata": MapOf(TEXT),
    "clusteringPlan": _PLAN,
    "partitionToReplaceFileIds": MapOf(Always([TEXT])),
    "partitionToWriteStats": MapOf(Always([_STAT])),
    "instantsToRollback": [TEXT],  # of a restore
    "instantToRollback": {"commitTime": Always(TEXT)},  # of the plan of a rollback
}

_TAKE_BACK: Final = "run 'hudi-zorder repair', and where that finds nothing to repair, "


class DamagedInstantError(TableError):
    """What a file of the timeline holds was not written whole, or changed since."""


def instant_content(
    content: bytes, what: str, file: str, wanted: Wanted | None = None, *, half: bool = False
) -> dict[str, Any]:
    """Returns what a file of the timeline says, from its Avro container or JSON form.

    Args:
        content: the file's.
        what: what it tells of, for errors.
        file: its path, for errors.
        wanted: what is needed of it at least; None for all.
        half: whether it may be half the commit of a clustering, which ``repair`` takes back.

    Raises:
        DamagedInstantError: when it is neither.
        TableError: when it is, and yet nothing that Hudi writes.
    """
    try:
        found = decoded(content, wanted)
        check_shape(found, _CONTENT, wanted)
        return found
    except ValueError as fault:
        whole = isinstance(fault, ShapeError)
        kind = TableError if whole else DamagedInstantError
        remedy = _TAKE_BACK if half and not whole else ""
        raise kind(
            f"Cannot read the timeline: {what} is damaged in '{file}' ({fault}); "
            f"{remedy}repair the table with hudi-cli"
        ) from fault
