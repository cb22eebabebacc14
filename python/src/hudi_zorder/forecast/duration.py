"""How long a clustering takes: by the table's past ones where they are like it, else by constants.

A process that clusters for the first time takes twice as long as one that has: what Java compiles
and loads then is the same for 10 MB and for 10 GB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hudi_zorder.hudi.clusterings import PastClustering

HISTORY: Final = "history"
DEFAULT: Final = "default"

# What a core of the machine that the benchmarks ran on takes.
_BYTES_PER_SECOND: Final = 5e6
_SECONDS_PER_FILE: Final = 0.08
_SECONDS_PER_SMALL_GROUP: Final = 0.12
# Most of what a group waits for is Spark's driver, of which there is one.
_SECONDS_PER_GROUP: Final = 0.5
_FIRST_SECONDS: Final = 2.0
_COLD_CORE_SECONDS: Final = 20.0
_COLD_CORES: Final = 2  # so many it keeps busy, compilers included

REMEMBERED: Final = 5  # past clusterings
_LIKE: Final = 4  # times as large, or as small
_MOST_RATIO: Final = 10  # of what took longer nobody knows how long it only waited

# The most that a task lays out by itself: as in Java's SmallGroups, and by default.
_SMALL_BYTES: Final = 64 << 20


@dataclass(frozen=True, kw_only=True)
class Work:
    """What a clustering has to do.

    Attributes:
        bytes: what it rewrites.
        files: how many it writes.
        groups: groups that have jobs of their own.
        small_groups: groups that share a job, each of which one task lays out.
    """

    bytes: int
    files: int
    groups: int
    small_groups: int = 0

    def seconds(self, cores: int) -> float:
        """Returns how long that takes where something like it was done before."""
        work = (
            self.bytes / _BYTES_PER_SECOND
            + self.files * _SECONDS_PER_FILE
            + self.small_groups * _SECONDS_PER_SMALL_GROUP
        )
        return _FIRST_SECONDS + self.groups * _SECONDS_PER_GROUP + work / cores

    def cold_seconds(self, cores: int) -> float:
        """Returns how long it takes in a process that has not clustered yet."""
        return self.seconds(cores) + _COLD_CORE_SECONDS / min(cores, _COLD_CORES)


@dataclass(frozen=True, kw_only=True)
class Duration:
    """How long a clustering takes.

    Attributes:
        seconds: in a process that has not clustered yet.
        warm_seconds: in one that has.
        basis: ``history`` or ``default``.
    """

    seconds: float
    warm_seconds: float
    basis: str


def duration_of(
    work: Work, cores: int, past: Sequence[PastClustering], sample_size: int
) -> Duration:
    """Returns how long it takes.

    Args:
        work: what there is to do.
        cores: how many tasks run at a time.
        past: the table's past clusterings, the oldest first.
        sample_size: rows that a layout is learnt from.
    """
    cold, warm = work.cold_seconds(cores), work.seconds(cores)
    ratios = [
        ratio
        for clustering in past[-REMEMBERED:]
        if clustering.seconds and (done := _done(clustering, sample_size)).bytes
        if 1 / _LIKE <= work.bytes / done.bytes <= _LIKE
        if (ratio := clustering.seconds / done.cold_seconds(cores)) <= _MOST_RATIO
    ]
    if not ratios:
        return Duration(seconds=cold, warm_seconds=warm, basis=DEFAULT)
    # A plan may have waited for its execution: the fastest tells most. Whether its process was warm
    # it does not tell; in a slower one than this, everything is slower.
    ratio = min(ratios)
    return Duration(
        seconds=cold * ratio,
        warm_seconds=min(cold * ratio, warm * max(1.0, ratio)),
        basis=HISTORY,
    )


def is_small(rows: int, size: int, files: int, sample_size: int) -> bool:
    """Tells whether one task lays a group out."""
    return files == 1 and rows <= sample_size and size <= _SMALL_BYTES


def _done(past: PastClustering, sample_size: int) -> Work:
    """Returns what a past clustering did, as if its partitions had been alike, a group each."""
    size = past.bytes if past.bytes_before is None else past.bytes_before
    groups = max(1, len(past.partitions))
    files = round(past.files_after / groups)
    small = is_small(past.rows // groups, size // groups, files, sample_size)
    return Work(
        bytes=size,
        files=past.files_after,
        groups=0 if small else groups,
        small_groups=groups if small else 0,
    )
