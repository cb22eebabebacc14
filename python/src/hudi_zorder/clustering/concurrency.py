"""Who else works on a table: writes under way, and processes that execute a plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from typing import Final

from hudi_zorder.errors import ConflictError, PlanInUseError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import WRITE_ACTIONS
from hudi_zorder.options import CONCURRENCY_MODE, LOCK_PROVIDER, LOCKING
from hudi_zorder.spark.progress import status

_SECONDS_BETWEEN_LOOKS: Final = 0.5

# Hudi's own: a process that executes a plan touches a file each minute, and may miss two.
_SECONDS_ALIVE: Final = 180


def writes_under_way(snapshot: TableSnapshot) -> list[str]:
    """Returns the instants of writes, clusterings apart, that are not completed."""
    clusterings = {instant.time for instant in snapshot.timeline.pending_clustering}
    return [
        instant.time
        for instant in snapshot.timeline.pending
        if instant.action in WRITE_ACTIONS and instant.time not in clusterings
    ]


def await_writes(path: str, patience: float) -> list[str]:
    """Waits for the writes that are under way now, for later ones will see the plan.

    Args:
        path: the table's base path.
        patience: seconds to wait at most; what has not ended by then may be of a dead writer.

    Returns:
        The instants of the writes that were under way.
    """
    found = writes_under_way(TableSnapshot.open(path))
    waiting = set(found)
    deadline = time.monotonic() + patience
    with status("Waiting for writes to end") as tell:
        while waiting and time.monotonic() < deadline:
            tell(f"Waiting for write {min(waiting)} to end")
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            waiting &= set(writes_under_way(TableSnapshot.open(path)))
    return found


def refuse_busy(snapshot: TableSnapshot) -> None:
    """Refuses to call a table clustered of which parts may have been left out for a writer.

    Raises:
        ConflictError: when a write is under way.
    """
    writes = writes_under_way(snapshot)
    if writes:
        raise ConflictError(
            f"Cannot cluster '{snapshot.path}': write {writes[0]} is under way wherever something "
            "could be clustered; cluster again when it has ended"
        )


def refuse_executing(snapshot: TableSnapshot, instant: str, verb: str) -> None:
    """Refuses to touch a plan while a process executes it, whose files Hudi would delete.

    Raises:
        PlanInUseError: when the plan's executor has shown that it lives.
    """
    [info] = snapshot.filesystem.get_file_info([f"{snapshot.path}/.hoodie/.heartbeat/{instant}"])
    if info.is_file and info.mtime is not None:
        age = (datetime.now(timezone.utc) - info.mtime).total_seconds()
        if age < _SECONDS_ALIVE:
            raise PlanInUseError(
                f"Cannot {verb} the clustering '{instant}': another process executes it, and has "
                f"shown {age:.0f} s ago that it lives; wait until it has ended, or "
                f"{_SECONDS_ALIVE} s if it was killed"
            )


def locking(settings: Mapping[str, str], session: Callable[[str], str | None]) -> dict[str, str]:
    """Returns the settings of a lock, where neither these settings nor the session have any.

    Args:
        settings: Hudi options of the call.
        session: returns a setting of the session by its key.
    """
    if any(settings.get(key) or session(key) for key in (CONCURRENCY_MODE, LOCK_PROVIDER)):
        return {}
    # What Hudi's SQL takes from the session, its clustering does not.
    chosen = {key: value for key in LOCKING if (value := session(f"spark.{key}"))}
    return chosen or dict(LOCKING)
