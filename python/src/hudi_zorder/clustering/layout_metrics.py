"""The layout of given file groups, measured from their footers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from hudi_zorder.clustering.result import Layout
from hudi_zorder.errors import HudiZOrderError
from hudi_zorder.hudi.clusterings import FileGroup
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.stats.clustering_information import read_share
from hudi_zorder.texts import plural


@dataclass(frozen=True)
class Measurement:
    """A layout, and what could not be measured of it.

    Attributes:
        layout: what was measured.
        notes: one sentence for each thing that was not.
    """

    layout: Layout
    notes: tuple[str, ...] = ()


def layout_of(
    snapshot: TableSnapshot, groups: Iterable[FileGroup], columns: Sequence[str]
) -> Measurement:
    """Returns files, rows, bytes and overlap of the latest slices of file groups.

    What cannot be read is left out with a note: a clustering must not fail over its own report.
    """
    wanted = set(groups)
    slices = [part for part in snapshot.slices if (part.partition, part.file_id) in wanted]
    bases = [part.base.path for part in slices if part.base]
    logs = sum(len(part.logs) for part in slices)
    layout = Layout(files=len(bases) + logs, rows=None, bytes=sum(part.size for part in slices))
    try:
        overlap = read_share(snapshot, columns, bases) if bases else {}
        rows = sum(footer.rows for footer in snapshot.footers.read(bases, []).values())
    except (HudiZOrderError, OSError) as fault:
        return Measurement(layout, (f"rows and overlap could not be measured: {fault}",))
    if logs:
        merged = plural(logs, "log file was", "log files were")
        note = f"{merged} merged, of which rows and overlap before know nothing"
        return Measurement(replace(layout, overlap=overlap), (note,))
    return Measurement(replace(layout, rows=rows, overlap=overlap))
