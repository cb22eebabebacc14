"""A clustering that is not written: its plan, and a sample of the rows that it would rewrite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import is_whole
from hudi_zorder.options import NO_QUERIES, QUERIES, ZOrderOptions
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.simulation.file_set import FileSet
from hudi_zorder.simulation.grouped_sample import GroupedSample
from hudi_zorder.simulation.present_files import file_set, known_bounds, present_files
from hudi_zorder.spark._jvm.preview import Preview
from hudi_zorder.spark.job_progress import run_with_progress

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


@dataclass(frozen=True, kw_only=True)
class Scope:
    """What of a table is looked at, and how closely.

    Attributes:
        spark: the session that reads.
        service: the table's clustering.
        where: a predicate over partition columns; None takes all partitions.
        settings: further Hudi configuration.
        sample_rows: rows to sample; more where many files need them.

    Raises:
        OptionError: for queries among the settings.
    """

    spark: SparkSession
    service: ClusteringService
    where: str | None
    settings: Mapping[str, str]
    sample_rows: int

    def __post_init__(self) -> None:
        if QUERIES in self.settings:
            raise OptionError(
                f"Cannot forecast: '{QUERIES}' was given among the options of Hudi, and is what "
                "the layouts that are compared differ in; leave it out, and give queries by "
                "themselves"
            )


@dataclass
class DryRunGroup:
    """What is known of a group of a plan.

    Attributes:
        partition: its folder relative to the table.
        files: how many files would be written.
        rows: its rows, those of log files by their size.
        bytes: the size of its slices, log files included.
        has_logs: whether there are any.
    """

    partition: str
    files: int
    rows: int = 0
    bytes: int = 0
    has_logs: bool = False


@dataclass(frozen=True)
class DryRun:
    """A plan that nobody wrote, with what is known of its rows.

    Attributes:
        snapshot: the table.
        preview: the plan.
        groups: its groups.
        sample: rows that it would rewrite.
        now: the file slices that it would replace.
        files: their files, log files included.
        bytes: the size of these.
    """

    snapshot: TableSnapshot
    preview: Preview
    groups: Sequence[DryRunGroup]
    sample: GroupedSample
    now: FileSet
    files: int
    bytes: int

    @property
    def assumed_rows(self) -> float:
        """Rows that log files are thought to have, by their size."""
        return sum(file.assumed_rows for file in self.now.files)

    def after(self, options: ZOrderOptions, queries: str = NO_QUERIES) -> FileSet:
        """Returns the files that a layout would write, cut for queries as a plan keeps them."""
        layout = {**options.to_dict(), QUERIES: queries}
        return file_set(self.snapshot, self.sample.files(self.preview.files(layout)))

    def divided(
        self,
        options: ZOrderOptions,
        groups: pa.Array,
        partitions: Sequence[str],
        files: Sequence[int],
    ) -> FileSet:
        """Returns the files that a layout would write, were the rows in other groups.

        Only the files' statistics tell queries which groups they need, not the partitions' folders.

        Args:
            options: the layout.
            groups: the number of each sampled row's group, as int32.
            partitions: the partition of each group.
            files: how many files each group is to fill.
        """
        sample = self.sample.divided(groups, partitions)
        layout = {**options.to_dict(), QUERIES: NO_QUERIES}
        rows = sample.rows_of_groups
        numbers = self.preview.files_of_groups(layout, groups, rows, files)
        return FileSet(sample.files(numbers), lambda _: {})


@contextmanager
def dry_run(
    scope: Scope,
    snapshot: TableSnapshot,
    options: ZOrderOptions,
    looked: Mapping[str, ColumnSchema],
) -> Iterator[DryRun]:
    """Plans without writing, and samples.

    Args:
        scope: what is looked at.
        snapshot: the table.
        options: the layout; all columns of the layouts to come must be among its columns.
        looked: the columns to be looked at.

    Raises:
        OptionError: for a number of rows below 1.
        TableError: when there is nothing to cluster.
    """
    size = scope.sample_rows
    if not is_whole(size) or size < 1:
        raise OptionError(
            f"Cannot forecast: 'sample_rows' was '{size}'; write a whole number from 1"
        )
    # Folders tell of these, and the rows that are sampled have them not.
    unstored = {name.lower() for name in snapshot.config.unstored_fields}
    looked = {name: leaf for name, leaf in looked.items() if name.lower() not in unstored}
    with scope.service.preview(options, scope.where, scope.settings) as preview:
        group_of = {
            (group.partition, file_id): number
            for number, group in enumerate(preview.groups)
            for file_id in group.file_ids
        }
        slices = [part for part in snapshot.slices if (part.partition, part.file_id) in group_of]
        now = present_files(snapshot, slices, looked)
        groups = [DryRunGroup(group.partition, group.files) for group in preview.groups]
        for part, file in zip(slices, now, strict=True):
            group = groups[group_of[part.partition, part.file_id]]
            group.rows += int(file.rows)
            group.bytes += part.size
            group.has_logs = group.has_logs or bool(part.logs)
        yield DryRun(
            snapshot,
            preview,
            groups,
            _sampled(scope, snapshot, preview, looked, groups, known_bounds(now, looked)),
            file_set(snapshot, now),
            sum((part.base is not None) + len(part.logs) for part in slices),
            sum(part.size for part in slices),
        )


def _sampled(
    scope: Scope,
    snapshot: TableSnapshot,
    preview: Preview,
    looked: Mapping[str, ColumnSchema],
    groups: Sequence[DryRunGroup],
    known: Mapping[str, Bounds],
) -> GroupedSample:
    """Returns a sample of the rows of each group."""
    rows = [group.rows for group in groups]
    numbers, values = run_with_progress(
        scope.spark,
        "Sampling rows",
        lambda: preview.sample(list(looked), rows, int(scope.sample_rows)),
    )
    if not len(numbers):
        raise TableError(
            f"Cannot forecast a clustering of '{scope.service.path}': it has no rows; write some "
            "first"
        )
    return GroupedSample(
        numbers,
        values,
        looked,
        [group.partition for group in groups],
        rows,
        nan_shows=snapshot.schema.nan_shows_in_bounds,
        known=known,
        is_whole=preview.is_whole(),
    )
