"""Boxes of z-values, searched by the JVM."""

from __future__ import annotations

from hudi_zorder.errors import OptionError
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.process import require_session


class ZBox:
    """A box of z-values, which the JVM searches.

    Args:
        low: the lowest word of each column as 8 bytes, the most significant first.
        high: the highest words.
    """

    def __init__(self, low: bytes, high: bytes) -> None:
        self._key = require_session("search a box").io.hudizorder.key
        self._box = self._key.ZBox.of(low, high)
        self._bytes = len(low)

    def ranges(self, most: int | None) -> list[tuple[bytes, bytes]]:
        """Returns the ranges that cover the box, exactly or by so many at most."""
        ranges = self._key.ZRanges
        with jvm_errors("list the z-ranges of a box", OptionError):
            found = ranges.exact(self._box) if most is None else ranges.atMost(self._box, most)
        ends = bytes(ranges.bytes(found))
        step = self._bytes
        z_values = [ends[at : at + step] for at in range(0, len(ends), step)]
        return list(zip(z_values[::2], z_values[1::2], strict=True))

    def bigmin(self, z: bytes) -> bytes | None:
        """Returns the least z-value of the box above another, if there is one."""
        found = self._box.bigmin(z).orElse(None)
        return None if found is None else bytes(found)

    def litmax(self, z: bytes) -> bytes | None:
        """Returns the greatest z-value of the box below another, if there is one."""
        found = self._box.litmax(z).orElse(None)
        return None if found is None else bytes(found)
