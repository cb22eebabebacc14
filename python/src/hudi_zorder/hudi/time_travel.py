"""A table as it stood before one of its clusterings, while the files of that time are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.clusterings import PastClustering
from hudi_zorder.hudi.file_slices import replaced_groups
from hudi_zorder.hudi.history import history
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.parquet.comparables import comparable_alike

LAST: Final = "last"


def before_clustering(snapshot: TableSnapshot, instant: str = LAST) -> TableSnapshot | None:
    """Returns the table as it was before a completed clustering.

    Args:
        snapshot: the table as it is.
        instant: the clustering's instant, or ``last``.

    Returns:
        None for ``last`` when there was no clustering, or the cleaner has removed what it replaced.

    Raises:
        OptionError: when that is so of an instant that was named.
    """
    past = [clustering for clustering in history(snapshot) if _is_active(snapshot, clustering)]
    if instant == LAST:
        earlier = snapshot.before(past[-1].instant) if past else None
        return earlier if earlier and _is_whole(earlier, snapshot, past[-1].instant) else None
    known = [clustering.instant for clustering in past]
    if instant not in known:
        raise OptionError(
            f"Cannot look before a clustering: 'before' was '{instant}'; name 'last', or one of "
            f"the clusterings on the timeline: {', '.join(known) or 'there are none'}"
        )
    earlier = snapshot.before(instant)
    if not _is_whole(earlier, snapshot, instant):
        raise OptionError(
            f"Cannot look before a clustering: 'before' was '{instant}', and the cleaner has "
            "removed files that it replaced; name a later one"
        )
    return earlier


def before_last(snapshot: TableSnapshot, columns: Iterable[str]) -> TableSnapshot | None:
    """Returns the table as it was before the last clustering.

    None also if it lacked a column, or its values do not compare with those of now.
    """
    earlier = before_clustering(snapshot, LAST)
    if earlier is None or any(changed_type(earlier, snapshot, name) for name in columns):
        return None
    return earlier


def changed_type(earlier: TableSnapshot, snapshot: TableSnapshot, column: str) -> str:
    """Returns what type a column had whose values do not compare with those of now, or ``none``.

    Nothing where they do compare.
    """
    then, now = earlier.schema.find(column), snapshot.schema.find(column)
    if then is None:
        return "none"
    if now is None or comparable_alike(then.arrow_type, now.arrow_type):
        return ""
    return str(then.arrow_type)


def _is_active(snapshot: TableSnapshot, clustering: PastClustering) -> bool:
    return any(instant.time == clustering.instant for instant in snapshot.timeline.completed)


def _is_whole(earlier: TableSnapshot, snapshot: TableSnapshot, time: str) -> bool:
    """Tells whether all that the clustering replaced is still there."""
    instant = next(i for i in snapshot.timeline.completed if i.time == time)
    wanted = set(replaced_groups(snapshot.timeline, instant))
    return wanted <= {(part.partition, part.file_id) for part in earlier.slices if part.base}
