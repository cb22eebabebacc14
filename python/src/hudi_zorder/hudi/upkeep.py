"""How far the clusterings of a table have fallen behind its writes.

The names of files tell what clusterings have laid out; of the others, footers tell what bulk
inserts have.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hudi_zorder.hudi.file_slices import instant_of
from hudi_zorder.hudi.history import clustering_commits, write_stats
from hudi_zorder.hudi.run_id import RunId
from hudi_zorder.texts import plural, readable_size

if TYPE_CHECKING:
    from hudi_zorder.hudi.avro_content import Wanted
    from hudi_zorder.hudi.file_slices import FileSlice
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.parquet.footers import Footer

# Its layout, and what tells it from others: a number, or partition and instant of a bulk insert.
_Run = tuple[int, object]
_WRITTEN: Final[Wanted] = {"partitionToWriteStats": {"fileId": None}}


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    """How much of a table is laid out as its last clustering has asked for.

    Attributes:
        runs: sets of files that were laid out together, of that layout, by a clustering or a bulk
            insert of this library; 0 when there are none.
        files: the latest file slices in them, those included that were updated since.
        bytes: their bytes, log files included.
        files_left: the slices in none of them: new ones, and those of an earlier layout.
        bytes_left: their bytes.
        share_laid_out: the share of bytes in runs.
    """

    runs: int
    files: int
    bytes: int
    files_left: int
    bytes_left: int
    share_laid_out: float

    def __str__(self) -> str:
        """Returns one sentence."""
        if not self.runs:
            return "No file is in a run that a clustering has laid out"
        if not self.files_left:
            return f"Every file is in one of {plural(self.runs, 'run')} of the last layout"
        return (
            f"{plural(self.files_left, 'file')} with {readable_size(self.bytes_left)}, "
            f"{1 - self.share_laid_out:.1%} of the bytes, in none of the "
            f"{plural(self.runs, 'run')} of the last layout"
        )


def upkeep(snapshot: TableSnapshot, *, by_names: bool = False) -> Upkeep:
    """Returns how far upkeep has fallen behind.

    Args:
        snapshot: the table.
        by_names: whether no footers are read, so that what a bulk insert has laid out is left.
    """
    runs = _runs(snapshot, by_names=by_names)
    found = [(part.size, run) for part, run in zip(snapshot.slices, runs, strict=True)]
    layout = _last_layout(snapshot, Counter(run[0] for _, run in found if run))
    laid_out = [(size, run) for size, run in found if run and run[0] == layout]
    total = sum(size for size, _ in found)
    held = sum(size for size, _ in laid_out)
    return Upkeep(
        runs=len({run for _, run in laid_out}),
        files=len(laid_out),
        bytes=held,
        files_left=len(found) - len(laid_out),
        bytes_left=total - held,
        share_laid_out=held / total if total else 0.0,
    )


def _runs(snapshot: TableSnapshot, *, by_names: bool) -> list[_Run | None]:
    """Returns the run of each file slice."""
    slices = snapshot.slices
    named = [RunId.of(part.file_id) for part in slices]
    pairs = zip(slices, named, strict=True)
    unnamed = [part.base.path for part, name in pairs if part.base and not name and not by_names]
    footers = snapshot.footers.read(unnamed, [])
    return [
        (name.layout, name.run) if name else _laid_out(part, footers.get(part.path))
        for part, name in zip(slices, named, strict=True)
    ]


def _laid_out(part: FileSlice, footer: Footer | None) -> _Run | None:
    """Returns the run of a file that a bulk insert has laid out, as its footer tells."""
    if footer and footer.layout is not None:
        return footer.layout, (part.partition, instant_of(part.path))
    return None


def _last_layout(snapshot: TableSnapshot, held: Counter[int]) -> int | None:
    """Returns the layout of the last clustering, or of most files where none is recorded."""
    if len(held) > 1:
        for _, commit in clustering_commits(snapshot.timeline, _WRITTEN):
            for _, stat in write_stats(commit):
                run = RunId.of(stat["fileId"])
                if run and run.layout in held:
                    return run.layout
    return max(held, key=lambda layout: (held[layout], layout), default=None)
