"""The layout of given file groups, measured from their footers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hudi_zorder.errors import HudiZOrderError
from hudi_zorder.footers import read_footers
from hudi_zorder.result import Layout
from hudi_zorder.snapshot import TableSnapshot

FileGroup = tuple[str, str]  # partition and file id


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
    files = sum((part.base is not None) + len(part.logs) for part in slices)
    size = sum(part.size for part in slices)
    try:
        footers = read_footers(snapshot, slices, columns)
    except (HudiZOrderError, OSError) as fault:
        note = f"rows and overlap could not be measured: {fault}"
        return Measurement(Layout(files=files, rows=None, bytes=size), (note,))
    if any(part.has_logs for part in slices):
        return Measurement(Layout(files=files, rows=None, bytes=size))
    rows = sum(footer.rows for footer in footers.values())
    return Measurement(Layout(files=files, rows=rows, bytes=size))
