"""How far the clusterings of a table have fallen behind its writes.

The names of files tell what clusterings have laid out; of the others, footers tell what bulk
inserts have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudi_zorder.hudi.file_slices import instant_of
from hudi_zorder.hudi.history import WRITTEN_GROUPS, clustering_commits, write_stats
from hudi_zorder.hudi.run_id import RunId
from hudi_zorder.texts import plural, readable_size

if TYPE_CHECKING:
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.footers import Footer


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    """How much of a table is laid out as its last clustering has asked for.

    Attributes:
        runs: sets of files that were laid out together, of that layout, by a clustering or a bulk
            insert of this library; 0 when there are none.
        files: the latest file slices in them, those included that were updated since.
        bytes: their bytes, log files included.
        files_updated: of these, the slices whose base files were written anew since.
        split_partitions: partitions with runs of several clusterings, which a full one joins.
        files_left: the slices in none of them: new ones, and those of an earlier layout.
        bytes_left: their bytes.
        share_laid_out: the share of bytes in runs.
    """

    runs: int
    files: int
    bytes: int
    files_updated: int
    split_partitions: int
    files_left: int
    bytes_left: int
    share_laid_out: float

    @property
    def nothing_to_do(self) -> bool:
        """Whether upkeep by the last layout leaves all alone; ``PartitionUpkeep`` in Java."""
        return bool(self.runs) and not self.files_left and not self.files_updated

    def __str__(self) -> str:
        """Returns one sentence."""
        if not self.runs:
            return "No file is in a run that a clustering has laid out"
        if not self.files_left:
            which = "the run" if self.runs == 1 else f"one of {self.runs:,} runs"
            return f"Every file is in {which} of the last layout"
        which = "run" if self.runs == 1 else f"{self.runs:,} runs"
        return (
            f"{plural(self.files_left, 'file')} with {readable_size(self.bytes_left)}, "
            f"{1 - self.share_laid_out:.1%} of the bytes, outside the {which} "
            "of the last layout"
        )


@dataclass(frozen=True, slots=True)
class _Run:
    """What a file was laid out with.

    Attributes:
        layout: its layout.
        made_by: tells the clustering or the bulk insert from others.
        name: tells the run from others of its layout.
        as_left: whether the file is as it was laid out.
    """

    layout: int
    made_by: object
    name: object
    as_left: bool = True


def upkeep(snapshot: TableSnapshot, *, by_names: bool = False) -> Upkeep:
    """Returns how far upkeep has fallen behind.

    Args:
        snapshot: the table.
        by_names: whether no footers are read, so that what a bulk insert has laid out is left.
    """
    found = list(zip(snapshot.slices, _runs(snapshot, by_names=by_names), strict=True))
    layout = _last_layout(snapshot, Counter(run.layout for _, run in found if run))
    laid_out = [(part, run) for part, run in found if run and run.layout == layout]
    total = sum(part.size for part in snapshot.slices)
    held = sum(part.size for part, _ in laid_out)
    makers = defaultdict(set)
    for part, run in laid_out:
        makers[part.partition].add(run.made_by)
    return Upkeep(
        runs=len({run.name for _, run in laid_out}),
        files=len(laid_out),
        bytes=held,
        files_updated=sum(not run.as_left for _, run in laid_out),
        split_partitions=sum(len(several) > 1 for several in makers.values()),
        files_left=len(found) - len(laid_out),
        bytes_left=total - held,
        share_laid_out=held / total if total else 0.0,
    )


def _runs(snapshot: TableSnapshot, *, by_names: bool) -> list[_Run | None]:
    """Returns the run of each file slice."""
    slices = snapshot.slices
    named = [_clustered(part) for part in slices]
    pairs = zip(slices, named, strict=True)
    unnamed = [part.base.path for part, name in pairs if part.base and not name and not by_names]
    footers = snapshot.footers.read(unnamed, [])
    return [
        name or _inserted(part, footers.get(part.path))
        for part, name in zip(slices, named, strict=True)
    ]


def _clustered(part: FileSlice) -> _Run | None:
    """Returns the run of a file that a clustering has laid out, as its name tells."""
    run = RunId.of(part.file_id)
    if run is None:
        return None
    as_left = part.base is not None and run.is_left_by(part.base.instant)
    return _Run(run.layout, run.clustering, run.run, as_left)


def _inserted(part: FileSlice, footer: Footer | None) -> _Run | None:
    """Returns the run of a file that a bulk insert has laid out, as its footer tells."""
    if footer is None or footer.layout is None:
        return None
    instant = instant_of(part.path)
    return _Run(footer.layout, instant, (part.partition, instant))


def _last_layout(snapshot: TableSnapshot, held: Counter[int]) -> int | None:
    """Returns the layout of the last clustering, or of most files where none is recorded."""
    if len(held) > 1:
        for _, commit in clustering_commits(snapshot.timeline, WRITTEN_GROUPS):
            for _, stat in write_stats(commit):
                run = RunId.of(stat["fileId"])
                if run and run.layout in held:
                    return run.layout
    return max(held, key=lambda layout: (held[layout], layout), default=None)
