"""The ids that a clustering gives to file groups: of which layout they are, and of which run.

``RunId`` in Java makes them, and says what a run is; ``tests/vectors/run_ids.json`` holds both to
the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import md5
from typing import Final
from uuid import UUID

_UUID_LENGTH: Final = 36
_VERSION: Final = 8
_RANDOM_BITS: Final = 6
_LAYOUT_BITS: Final = 32
_LOW_RUN_BITS: Final = 24
_GROUP_BITS: Final = 18
_INSTANT_BITS: Final = 18


@dataclass(frozen=True, slots=True)
class RunId:
    """What the files of one clustering group have in common.

    Attributes:
        layout: a hash of the columns, their weights and what else makes a layout.
        run: tells runs of one layout apart.
    """

    layout: int
    run: int

    @classmethod
    def of(cls, file_id: str) -> RunId | None:
        """Returns what the id of a file group says; None when no clustering of ours has made it."""
        text = file_id[:_UUID_LENGTH]
        if len(text) < _UUID_LENGTH or any(text[place] != "-" for place in (8, 13, 18, 23)):
            return None
        try:
            number = UUID(text).int
        except ValueError:
            return None
        high, low = number >> 64, number & (1 << 64) - 1
        if (high >> 12) & 0xF != _VERSION or not high >> 63:
            return None
        layout = (low >> _RANDOM_BITS) & (1 << _LAYOUT_BITS) - 1
        low_run = (low >> _RANDOM_BITS + _LAYOUT_BITS) & (1 << _LOW_RUN_BITS) - 1
        return cls(layout, (high & 0xFFF) << _LOW_RUN_BITS | low_run)

    @property
    def clustering(self) -> int:
        """What tells the clustering that has made it from others."""
        return self.run >> _GROUP_BITS

    def is_left_by(self, commit: str) -> bool:
        """Tells whether a file of the run, which a commit has written, is as it was laid out."""
        digest = md5(commit.encode(), usedforsecurity=False).digest()
        return self.clustering == int.from_bytes(digest[8:], "big") & (1 << _INSTANT_BITS) - 1

    def __str__(self) -> str:
        """Returns seventeen hexadecimal digits: the layout's, then the run's own."""
        return f"{self.layout:08x}{self.run:09x}"
