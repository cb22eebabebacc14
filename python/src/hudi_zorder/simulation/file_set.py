"""Files, real or simulated, and what queries read of them.

Both are looked at in the same way, so that now and then compare: the statistics of the files say
which of them must be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.value_tests import ValueTest
from hudi_zorder.simulation.found_once import FoundOnce
from hudi_zorder.simulation.numbered_column import NumberedColumn
from hudi_zorder.workload.bound_queries import BoundQuery


@dataclass(frozen=True)
class SimulatedFile:
    """A file as the simulation sees it, there already or yet to be written.

    Attributes:
        partition: its folder relative to the table.
        rows: how many rows it has.
        bounds: by column; None, or none at all, where nothing is known.
        assumed_rows: those of its rows that log files are thought to have, by their size.
    """

    partition: str
    rows: float
    bounds: Mapping[str, Bounds | None]
    assumed_rows: float = 0.0


class FileSet:
    """Files, real or forecast, and what is read of them; what was found once is kept.

    Args:
        files: the files.
        within: from a partition's folder to the bounds of its partition columns.
    """

    def __init__(
        self, files: Sequence[SimulatedFile], within: Callable[[str], Mapping[str, Bounds]]
    ) -> None:
        self.files = files
        self.rows = sum(file.rows for file in files)
        self._partitions = {file.partition: within(file.partition) for file in files}
        self._passing = FoundOnce(self._passes)

    def parts(self, bound: BoundPredicate | None = None) -> list[tuple[float, int]]:
        """Returns rows and files of each partition; no files where a predicate need not look."""
        found = {partition: (0.0, 0) for partition in self._partitions}
        for file in self.files:
            rows, files = found[file.partition]
            found[file.partition] = (rows + file.rows, files + 1)
        opened = self._opened(bound) if bound else found
        return [(rows, files if p in opened else 0) for p, (rows, files) in found.items()]

    def share_of_column(self, column: NumberedColumn) -> float:
        """Returns the mean share of rows that an equality on an existing value must read."""
        values = column.below[-1] + column.nan_rows
        if not self.rows or not values:
            return 0.0
        name = column.leaf.name
        touched = sum(file.rows * column.rows_within(file.bounds.get(name)) for file in self.files)
        return touched / self.rows / values

    def share_of_query(self, query: BoundQuery) -> float:
        """Returns the share of rows that a query must read, in the mean of its predicates."""
        return fmean(self.share_of_predicate(bound) for bound in query.predicates)

    def files_of_query(self, query: BoundQuery) -> float:
        """Returns how many files a query must read, in the mean of its predicates."""
        return fmean(self._files_of_predicate(bound) for bound in query.predicates)

    def share_of_predicate(self, bound: BoundPredicate) -> float:
        """Returns the share of rows that a predicate must read."""
        read = sum(file.rows for file in self._read_by(bound))
        return read / self.rows if self.rows else 0.0

    def _files_of_predicate(self, bound: BoundPredicate) -> int:
        """Returns how many files a predicate must read."""
        return sum(1 for _ in self._read_by(bound))

    def _read_by(self, bound: BoundPredicate) -> Iterator[SimulatedFile]:
        # As explain does: no file is believed of a partition column.
        opened = {name: bound.decided(self._partitions[name]) for name in self._opened(bound)}
        for i, file in enumerate(self.files):

            def passes(test: ValueTest, i: int = i) -> bool:
                return self._passing.of(test)[i]

            if file.partition in opened and opened[file.partition].may_hold(passes):
                yield file

    def _opened(self, bound: BoundPredicate) -> set[str]:
        every = self._partitions.items()
        return {name for name, bounds in every if bound.may_hold_within(bounds.get)}

    def _passes(self, test: ValueTest) -> list[bool]:
        every = (file.bounds.get(test.column) for file in self.files)
        return [bounds is None or test.may_pass(bounds) for bounds in every]
