"""A plan that nobody has written, put together from what Java tells of its groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hudi_zorder.clustering.clustering_plan import (
    LEFT_ALONE,
    REASONS,
    TAKEN,
    ClusteringPlan,
    FilesByReason,
    PlannedPartition,
)
from hudi_zorder.hudi.reading_gain import ReadingGain
from hudi_zorder.spark._jvm.write_client import PlanLine


@dataclass
class _Tally:
    """Numbers of one partition, as the lines of a plan bring them."""

    groups: int = 0
    files_after: int = 0
    numbers: Counter[str] = field(default_factory=Counter)
    reading: ReadingGain = field(default_factory=ReadingGain)

    def count(self, what: str, reasons: Iterable[str]) -> dict[str, int]:
        """Returns the reasons that there are, with their files or bytes."""
        return {
            reason: self.numbers[f"{what}.{reason}"]
            for reason in reasons
            if self.numbers[f"files.{reason}"]
        }

    def __iadd__(self, other: _Tally) -> _Tally:
        self.groups += other.groups
        self.files_after += other.files_after
        self.numbers.update(other.numbers)
        self.reading += other.reading
        return self


def plan_of(
    table: str, columns: Sequence[str], mode: str, lines: Sequence[PlanLine]
) -> ClusteringPlan:
    """Returns the plan that lines tell of."""
    tallies: dict[str, _Tally] = {}
    for line in lines:
        _add(tallies.setdefault(line.partition, _Tally()), line)
    planned = _Tally()
    everything = _Tally()
    for tally in tallies.values():
        everything += tally
        if tally.groups:
            planned += tally
    partitions = sorted(
        tallies.items(), key=lambda item: (not item[1].groups, -item[1].reading.gain, item[0])
    )
    now, after, as_one = planned.reading.shares()
    files, sizes = (everything.count(what, REASONS) for what in ("files", "bytes"))
    by_reason = [
        FilesByReason(reason=reason, files=files[reason], bytes=sizes[reason]) for reason in files
    ]
    taken = tuple(part for part in by_reason if part.reason in TAKEN)
    return ClusteringPlan(
        table=table,
        columns=tuple(columns),
        mode=mode,
        groups=everything.groups,
        files=sum(part.files for part in taken),
        bytes=sum(part.bytes for part in taken),
        files_after=everything.files_after,
        taken=taken,
        left_alone=tuple(part for part in by_reason if part.reason in LEFT_ALONE),
        share_now=now,
        share_after=after,
        share_as_one=as_one,
        partitions=tuple(_partition(name, tally) for name, tally in partitions),
        file_groups=tuple((line.partition, name) for line in lines for name in line.file_ids),
    )


def _add(tally: _Tally, line: PlanLine) -> None:
    metrics = line.metrics
    counts = {name: round(n) for name, n in metrics.items() if name.split(".")[-1] in REASONS}
    tally.numbers.update(counts)
    tally.reading.tell(metrics)
    if line.file_ids:
        tally.groups += 1
        tally.files_after += line.files


def _partition(name: str, tally: _Tally) -> PlannedPartition:
    now, after, as_one = tally.reading.shares()
    taken = tally.count("files", TAKEN)
    return PlannedPartition(
        partition=name,
        groups=tally.groups,
        files=sum(taken.values()),
        bytes=sum(tally.count("bytes", TAKEN).values()),
        files_after=tally.files_after,
        taken=taken,
        left_alone=tally.count("files", LEFT_ALONE),
        share_now=now,
        share_after=after,
        share_as_one=as_one,
    )
