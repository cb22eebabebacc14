"""What an equality on a sort column reads before and after a clustering, as its plan foretells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_NOW, _AFTER = "read.now", "read.after"
_OF_PARTITION = ("bytes.in.all", "read.in.all", "read.as.one")


@dataclass(slots=True)
class ReadingGain:
    """Bytes that are read in the mean, of one partition or of several.

    Attributes:
        bytes: of the files that a plan could take.
        now: those of them that are read.
        as_one: what would be read were each partition laid out as one.
        gain: by how much less is read once the plan is executed.
    """

    bytes: float = 0
    now: float = 0
    as_one: float = 0
    gain: float = 0

    def tell(self, metrics: Mapping[str, float]) -> None:
        """Takes in what a plan says of a group of the partition, or of what it leaves alone.

        Args:
            metrics: our numbers by their names without ``hoodie.clustering.zorder.``.
        """
        if tells_of_reading(metrics):  # each group says it of the whole partition
            self.bytes, self.now, self.as_one = (metrics[name] for name in _OF_PARTITION)
        self.gain += metrics.get(_NOW, 0.0) - metrics.get(_AFTER, 0.0)

    def __iadd__(self, other: ReadingGain) -> ReadingGain:
        """Adds another partition."""
        self.bytes += other.bytes
        self.now += other.now
        self.as_one += other.as_one
        self.gain += other.gain
        return self

    def shares(self) -> tuple[float | None, float | None, float | None]:
        """Returns what is read now, after the plan and at best, as shares; None where unknown."""
        if not self.bytes:
            return None, None, None
        now = self.now / self.bytes
        return now, now - self.gain / self.bytes, self.as_one / self.bytes


def tells_of_reading(metrics: Mapping[str, float]) -> bool:
    """Tells whether a plan says what is read of the partition."""
    return all(name in metrics for name in _OF_PARTITION)
