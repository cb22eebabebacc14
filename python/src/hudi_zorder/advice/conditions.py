"""Queries by their conditions on a table, and what these read of files."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudi_zorder.advice.workload import WeightedQuery, conditions_of
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.skipping.explain import bind_predicate

if TYPE_CHECKING:
    from hudi_zorder.advice.simulated_files import FileSet
    from hudi_zorder.hudi.snapshot import TableSnapshot


@dataclass(frozen=True)
class Asked:
    """A query's conditions on the table."""

    query: WeightedQuery
    bounds: tuple[BoundPredicate, ...]

    def share_of(self, files: FileSet) -> float:
        """Returns the share of rows that it reads of files, in the mean of its conditions."""
        return statistics.fmean(files.share_of_predicate(bound) for bound in self.bounds)

    def files_of(self, files: FileSet) -> float:
        """Returns how many of the files it reads, in the mean of its conditions."""
        return statistics.fmean(files.files_of_predicate(bound) for bound in self.bounds)


def asked_on(
    snapshot: TableSnapshot, queries: Sequence[WeightedQuery], zone: str | None
) -> list[Asked]:
    """Returns queries with their conditions on a table.

    Raises:
        PredicateError: when one cannot be parsed, or names an unknown column.
    """
    names = [snapshot.config.name, snapshot.url, snapshot.path]
    columns = [*snapshot.schema.leaves, *snapshot.schema.others, *snapshot.config.partition_fields]
    return [
        Asked(
            query,
            tuple(
                bind_predicate(snapshot, condition, zone)
                for condition in conditions_of(query.text, names, columns)
            ),
        )
        for query in queries
    ]
