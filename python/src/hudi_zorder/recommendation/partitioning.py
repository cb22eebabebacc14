"""What partitioning a table by a column would bring, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hudi_zorder.texts import plural

VALUE: Final = "value"
DAY: Final = "day"
MONTH: Final = "month"
YEAR: Final = "year"

_FORMATS: Final = {YEAR: "yyyy", MONTH: "yyyy-MM", DAY: "yyyy-MM-dd"}
_FIELD: Final = "hoodie.datasource.write.partitionpath.field"


@dataclass(frozen=True, kw_only=True)
class Partitioning:
    """A partitioning that was tried, each partition clustered by the recommended columns.

    Attributes:
        column: the column; ``""`` for a table without partitions.
        unit: ``value``, or ``year``, ``month`` or ``day`` of a time; ``""`` without partitions.
        partitions: those of which rows were sampled.
        small_partitions: how many of these would not fill half a file.
        files: the files of all partitions, each of which has at least one.
        opened: files that a query opens, in the mean by the queries' weights.
        share: the share of rows that the queries would read, by their weights.
        share_otherwise: the same of the recommended layout in as many files, or in its own where
            these are more.
    """

    column: str
    unit: str
    partitions: int
    small_partitions: int
    files: int
    opened: float
    share: float
    share_otherwise: float

    @property
    def text(self) -> str:
        """What it is by."""
        if not self.column:
            return "nothing"
        return self.column if self.unit == VALUE else f"{self.unit} of {self.column}"

    @property
    def gain(self) -> str:
        """What it brings, in a clause."""
        where = f"partitioned by {self.text}" if self.column else "without its partitions"
        return (
            f"{where} the queries would read {self.share:.3f} of the rows and open "
            f"{self.opened:.1f} of {plural(self.files, 'file')}; as recommended, in no fewer "
            f"files, they would read {self.share_otherwise:.3f}"
        )

    @property
    def advice(self) -> str:
        """Why and how to partition so, in a sentence."""
        anew = f"{self.gain}; it takes writing the table anew"
        if not self.column:
            return f"{anew}, without {_FIELD}"
        each = f"{self.files / self.partitions:.1f} files in each of {self.partitions:,} partitions"
        small = f", {self.small_partitions:,} of them small" if self.small_partitions else ""
        field = f"{_FIELD}={self.column}"
        if self.unit in _FORMATS:
            text = f"date_format({self.column}, '{_FORMATS[self.unit]}')"
            field = f"{_FIELD} naming a column that holds {text}"
        return f"{anew}, with {field}: {each}{small}"
