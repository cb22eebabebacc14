"""A table as it stood before one of its clusterings, while the files of that time are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hudi_zorder.errors import OptionError
from hudi_zorder.hudi.file_slices import replaced_groups
from hudi_zorder.hudi.history import active_clusterings
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.hudi.timeline import Instant
from hudi_zorder.option_checks import checked_instant
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
        OptionError: when that is so of an instant that was named, or it is no text.
    """
    checked_instant("before", instant)
    # What an archived one replaced, Hudi has removed before.
    active = active_clusterings(snapshot.timeline)
    chosen = next((done for done in active if instant in (LAST, done.time)), None)
    earlier = None if chosen is None else _whole_before(snapshot, chosen)
    if earlier or instant == LAST:
        return earlier
    if chosen is None:
        known = sorted(done.time for done in active_clusterings(snapshot.timeline))
        raise OptionError(
            f"Cannot look before a clustering: 'before' was '{instant}'; name 'last', or one of "
            f"the clusterings on the timeline: {', '.join(known) or 'there are none'}"
        )
    raise OptionError(
        f"Cannot look before a clustering: 'before' was '{instant}', and the cleaner has "
        "removed files that it replaced; name a later one"
    )


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


def _whole_before(snapshot: TableSnapshot, clustering: Instant) -> TableSnapshot | None:
    """Returns the table as it was before a clustering, if all that this replaced is still there."""
    earlier = snapshot.before(clustering.time)
    wanted = set(replaced_groups(snapshot.timeline, clustering))
    there = {(part.partition, part.file_id) for part in earlier.slices if part.base}
    return earlier if wanted <= there else None
