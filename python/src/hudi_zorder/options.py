"""The options of a layout: typed in Python, Hudi configuration on the wire.

This module holds every key of a layout that the package writes. Its Java twin is
``io.hudizorder.ZOrderOptions``; a test compares keys and defaults through the jar.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from hudi_zorder.errors import ColumnError, OptionError, did_you_mean
from hudi_zorder.option_checks import (
    INT_MAX,
    LONG_MAX,
    above,
    check_z_column,
    checked_columns,
    checked_sort_columns,
    checked_weights,
    choice,
    parse_file_size,
    parse_size,
    whole,
)

# Hudi's own keys, which keep their meaning.
SORT_COLUMNS: Final = "hoodie.clustering.plan.strategy.sort.columns"
TARGET_FILE_SIZE: Final = "hoodie.clustering.plan.strategy.target.file.max.bytes"
SMALL_FILE_LIMIT: Final = "hoodie.clustering.plan.strategy.small.file.limit"
MAX_BYTES_PER_GROUP: Final = "hoodie.clustering.plan.strategy.max.bytes.per.group"
MAX_GROUPS: Final = "hoodie.clustering.plan.strategy.max.num.groups"
SINGLE_GROUP: Final = "hoodie.clustering.plan.strategy.single.group.clustering.enabled"
PLAN_CLASS: Final = "hoodie.clustering.plan.strategy.class"
EXECUTION_CLASS: Final = "hoodie.clustering.execution.strategy.class"
STRATEGY: Final = "hoodie.layout.optimize.strategy"
BUILD: Final = "hoodie.layout.optimize.curve.build.method"
SAMPLE_SIZE: Final = "hoodie.layout.optimize.build.curve.sample.size"
METADATA: Final = "hoodie.metadata.enable"
COLUMN_STATS: Final = "hoodie.metadata.index.column.stats.enable"
COLUMN_STATS_LIST: Final = "hoodie.metadata.index.column.stats.column.list"
INLINE: Final = "hoodie.clustering.inline"
INLINE_MAX_COMMITS: Final = "hoodie.clustering.inline.max.commits"
SCHEDULE_INLINE: Final = "hoodie.clustering.schedule.inline"
ASYNC: Final = "hoodie.clustering.async.enabled"
ASYNC_MAX_COMMITS: Final = "hoodie.clustering.async.max.commits"
SWITCHES: Final = (INLINE, SCHEDULE_INLINE, ASYNC)  # by which a writer clusters, one at a time
OPERATION: Final = "hoodie.datasource.write.operation"
PARTITIONER: Final = "hoodie.bulkinsert.user.defined.partitioner.class"
PARTITIONER_COLUMNS: Final = "hoodie.bulkinsert.user.defined.partitioner.sort.columns"
MAX_FILE_SIZE: Final = "hoodie.parquet.max.file.size"

# With these a writer and a clustering beside it, in processes of their own, are sure of each other:
# both lock the table to commit, a writer goes on where a clustering is planned, and of two that
# change the same files the clustering gives way.
CONCURRENCY_MODE: Final = "hoodie.write.concurrency.mode"
LOCK_PREFIX: Final = "hoodie.write.lock."  # of what any provider is told
LOCK_PROVIDER: Final = LOCK_PREFIX + "provider"
STREAM: Final = "hoodie.datasource.write.streaming.checkpoint.identifier"
ONLY_STREAM: Final = "default_single_writer"  # Hudi's own name for it
LOCKING: Final = {
    CONCURRENCY_MODE: "optimistic_concurrency_control",
    LOCK_PROVIDER: "io.hudizorder.TableLock",
    # Minutes after which a lock is taken for that of a dead process.
    "hoodie.write.lock.filesystem.expire": "10",
    "hoodie.write.lock.conflict.resolution.strategy": "io.hudizorder.WritersFirst",
    "hoodie.clustering.updates.strategy": (
        "org.apache.hudi.client.clustering.update.strategy.SparkAllowUpdateStrategy"
    ),
}

# Our own keys.
PREFIX: Final = "hoodie.clustering.zorder."
CUTS: Final = PREFIX + "cuts"
FILE_ORDER: Final = PREFIX + "file.order"
PAGE_ROW_LIMIT: Final = PREFIX + "page.row.limit"
COLUMN_WEIGHTS: Final = PREFIX + "column.weights"
QUERIES: Final = PREFIX + "queries"
SEED: Final = PREFIX + "seed"
VERIFY: Final = PREFIX + "verify"
WAIT_FOR_WRITERS: Final = PREFIX + "wait.for.writers"
Z_COLUMN: Final = PREFIX + "z.column"
MODE: Final = PREFIX + "mode"
MAX_BYTES_PER_PLAN: Final = PREFIX + "max.bytes.per.plan"
READ_THRESHOLD: Final = PREFIX + "read.threshold"
OWN_KEYS: Final = (
    CUTS,
    FILE_ORDER,
    PAGE_ROW_LIMIT,
    COLUMN_WEIGHTS,
    QUERIES,
    SEED,
    VERIFY,
    WAIT_FOR_WRITERS,
    Z_COLUMN,
    MODE,
    MAX_BYTES_PER_PLAN,
    READ_THRESHOLD,
)

# The keys that a forecast goes by, of those that its command has no flags for.
FORECAST_KEYS: Final = (
    TARGET_FILE_SIZE,
    SMALL_FILE_LIMIT,
    MAX_BYTES_PER_GROUP,
    MAX_GROUPS,
    BUILD,
    FILE_ORDER,
    PAGE_ROW_LIMIT,
    SAMPLE_SIZE,
    SEED,
)

NO_QUERIES: Final = "none"
"""The value of ``QUERIES`` by which those of an earlier clustering are forgotten."""

PLAN_VERSION: Final = "hudizorder.version"
"""The parameter of a plan with the version of this library that has made it; no option."""

PLAN_STRATEGY: Final = "io.hudizorder.ZOrderClusteringPlanStrategy"
EXECUTION_STRATEGY: Final = "io.hudizorder.ZOrderClusteringExecutionStrategy"
BULK_INSERT_PARTITIONER: Final = "io.hudizorder.ZOrderBulkInsertPartitioner"

STRATEGIES: Final = ("ZORDER", "HILBERT", "LINEAR")
BUILDS: Final = ("SAMPLE", "DIRECT")
CUT_RULES: Final = ("tree", "equal")
FILE_ORDERS: Final = ("auto", "tiles", "hilbert", "zorder")
VERIFICATIONS: Final = ("count", "content", "none")
MODES: Final = ("incremental", "full")

DEFAULT_PAGE_ROWS: Final = 20_000  # Parquet's own limit
LEAST_PAGE_ROWS: Final = 100  # Parquet looks at a page for the first time after so many rows
SIZE_LIMITS: Final = ("max_bytes_per_group", "max_bytes_per_plan", "small_file_limit")
_WHOLE: Final = {  # the least and the greatest value
    "sample_size": (1, INT_MAX),
    "page_row_limit": (LEAST_PAGE_ROWS, INT_MAX),
    "seed": (-(2**63), LONG_MAX),
    "wait_for_writers": (0, INT_MAX),
}


@dataclass(frozen=True, kw_only=True)
class ZOrderOptions:
    """How a table is laid out; checked when it is made, so that a bad one never reaches Hudi.

    Attributes:
        columns: sort columns, the most important first; nested ones as ``a.b``; 1 to 128.
        strategy: ``ZORDER`` and ``HILBERT`` serve all columns alike, and name the curve that
            equal cuts, or the rows of a file, follow; ``LINEAR`` sorts lexically.
        build: ``SAMPLE`` ranks values among those of a sample, ``DIRECT`` takes their own bits.
        sample_size: rows in the sample.
        target_file_size: bytes of a full file; a number or a text such as ``"128MB"``.
        max_bytes_per_group: bytes of one clustering group; None for no limit. The groups of a
            partition are laid out as one: with ``max_groups``, what a plan takes at most.
        max_groups: clustering groups in one plan; None for no limit.
        cuts: ``tree`` splits where most is gained; ``equal`` cuts the curve at equal counts.
        file_order: where rows lie inside a file of the tree: in ``tiles`` of a page each, or along
            a curve, ``hilbert`` or ``zorder``, which also skip the row groups of a large file by
            every column; ``auto`` is tiles, unless the strategy is ``HILBERT``.
        page_row_limit: most rows of a page, at least 100; smaller pages skip more in a larger file.
        column_weights: a column's weight against the others', 1 when not given; 2 splits first.
            Where none are given, those of the last clustering by the same columns.
        seed: chooses the sample; the same seed and input give the same files.
        verify: before the commit, ``count`` compares rows in and out, ``content`` their values too.
        wait_for_writers: seconds to wait, at each look, for writes that have not said yet what
            they change; the clustering gives way to those that have not ended by then.
        mode: ``incremental`` takes what is new and what pays with it, ``full`` takes everything.
        max_bytes_per_plan: bytes that an incremental plan may rewrite; None for no limit. A file
            that is larger is taken alone, by turns with what comes beside it.
        read_threshold: how many times what a partition laid out as one would, above 1, an equality
            may read before an incremental plan takes larger runs in; less rewrites more.
        small_file_limit: files of at least so many bytes are left alone; None rewrites all.
        stats_columns: columns that get statistics when not the first 32 shall; the sort columns
            are added. It replaces the table's ``hoodie.metadata.index.column.stats.column.list``.
        z_column: the column that holds the z-value of ``columns``, by which the table is then
            sorted, whatever ``strategy`` and ``cuts`` are.

    Raises:
        OptionError: when a value cannot be used.
        ColumnError: when a column is empty, named twice or one too many.
    """

    columns: Sequence[str]
    strategy: str = "ZORDER"
    build: str = "SAMPLE"
    sample_size: int = 200_000
    target_file_size: int | str = "128MB"
    max_bytes_per_group: int | str | None = None
    max_groups: int | None = None
    cuts: str = "tree"
    file_order: str = "auto"
    page_row_limit: int = DEFAULT_PAGE_ROWS
    column_weights: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0
    verify: str = "count"
    wait_for_writers: int = 600
    mode: str = "incremental"
    max_bytes_per_plan: int | str | None = None
    read_threshold: float = 1.5
    small_file_limit: int | str | None = None
    stats_columns: Sequence[str] | None = None
    z_column: str | None = None

    def __post_init__(self) -> None:
        """Checks every field and stores it in its one canonical form."""
        columns = checked_sort_columns(self.columns)
        self._store("columns", columns)
        # Hudi itself writes Z-order both ways.
        self._store("strategy", choice("strategy", self.strategy, STRATEGIES, {"Z-ORDER": 0}))
        self._store("build", choice("build", self.build, BUILDS))
        self._store("cuts", choice("cuts", self.cuts, CUT_RULES))
        self._store("file_order", choice("file_order", self.file_order, FILE_ORDERS))
        self._store("verify", choice("verify", self.verify, VERIFICATIONS))
        self._store("mode", choice("mode", self.mode, MODES))
        for name, (low, high) in _WHOLE.items():
            self._store(name, whole(name, getattr(self, name), low, high))
        self._store("target_file_size", parse_file_size("target_file_size", self.target_file_size))
        for name in SIZE_LIMITS:
            limit = getattr(self, name)
            self._store(name, None if limit is None else parse_size(name, limit))
        self._store("read_threshold", float(above("read_threshold", self.read_threshold, 1)))
        if self.max_groups is not None:
            self._store("max_groups", whole("max_groups", self.max_groups, 1, INT_MAX))
        self._store("column_weights", checked_weights(self.column_weights, columns))
        if self.stats_columns is not None:
            self._store("stats_columns", checked_columns("stats_columns", self.stats_columns))
        if self.z_column is not None:
            check_z_column(self.z_column, columns, self.column_weights)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.to_dict().items())))

    def to_dict(self) -> dict[str, str]:
        """Returns the Hudi configuration that schedules and executes this layout."""
        return {
            PLAN_CLASS: PLAN_STRATEGY,
            EXECUTION_CLASS: EXECUTION_STRATEGY,
            **self._layout(),
            TARGET_FILE_SIZE: str(self.target_file_size),
            # Hudi leaves files above this limit alone; a second clustering would change nothing.
            SMALL_FILE_LIMIT: _text_or(self.small_file_limit, LONG_MAX),
            MAX_BYTES_PER_GROUP: _text_or(self.max_bytes_per_group, LONG_MAX),
            MAX_GROUPS: _text_or(self.max_groups, INT_MAX),
            SINGLE_GROUP: "true",
            MODE: self.mode,
            MAX_BYTES_PER_PLAN: _text_or(self.max_bytes_per_plan, LONG_MAX),
            READ_THRESHOLD: str(self.read_threshold),
            **self.statistics(),
        }

    def inline(self, max_commits: int = 4) -> dict[str, str]:
        """Returns writer options that cluster within the write, after so many commits.

        They lock the table as well, for what other processes write meanwhile. A clustering that
        fails, or gives way to these, fails the write, which is committed by then; with
        ``hoodie.fail.writes.on.inline.table.service.exception`` set to ``false`` Hudi logs it.
        Archived commits do not count: more than ``hoodie.keep.min.commits`` (20) may never come.
        """
        commits = {INLINE_MAX_COMMITS: str(whole("max_commits", max_commits, 1, INT_MAX))}
        return {**self.to_dict(), **LOCKING, **_only(INLINE), **commits}

    def scheduled(self, max_commits: int = 4) -> dict[str, str]:
        """Returns writer options that plan after as many commits as ``inline`` has, for others.

        A writer plans nothing while a plan is pending. They lock the table as well.
        """
        commits = {ASYNC_MAX_COMMITS: str(whole("max_commits", max_commits, 1, INT_MAX))}
        return {**self.to_dict(), **LOCKING, **_only(SCHEDULE_INLINE), **commits}

    def async_(self, max_commits: int = 4) -> dict[str, str]:
        """Returns options of a streaming writer that clusters beside the stream, likewise.

        They lock the table as well, with which Hudi wants each of several streams into a table to
        have a ``hoodie.datasource.write.streaming.checkpoint.identifier`` of its own.
        """
        return {
            **self.to_dict(),
            **LOCKING,
            STREAM: ONLY_STREAM,
            **_only(ASYNC),
            ASYNC_MAX_COMMITS: str(whole("max_commits", max_commits, 1, INT_MAX)),
        }

    def bulk_insert(self) -> dict[str, str]:
        """Returns writer options that lay the rows out as ``bulk_insert`` first writes them."""
        return {
            OPERATION: "bulk_insert",
            PARTITIONER: BULK_INSERT_PARTITIONER,
            PARTITIONER_COLUMNS: ",".join(self.columns),
            **self._layout(),
            TARGET_FILE_SIZE: str(self.target_file_size),
            MAX_FILE_SIZE: str(self.target_file_size),
            **self.statistics(),
        }

    def writer(self) -> dict[str, str]:
        """Returns writer options that give a new table its z-column; later writes need none.

        Raises:
            OptionError: when there is no ``z_column``.
        """
        if self.z_column is None:
            raise OptionError(
                "Cannot write a z-column: 'z_column' was not given; name it, such as '_z'"
            )
        return {
            SORT_COLUMNS: ",".join(self.columns),
            Z_COLUMN: self.z_column,
            **self.statistics(),
        }

    def statistics(self) -> dict[str, str]:
        """Returns the part of the configuration that says what gets statistics."""
        statistics = {METADATA: "true", COLUMN_STATS: "true"}
        if self.stats_columns is not None:
            sorted_by = self.columns if self.z_column is None else (self.z_column,)
            statistics[COLUMN_STATS_LIST] = union_list(self.stats_columns, sorted_by)
        return statistics

    def _layout(self) -> dict[str, str]:
        layout = {
            SORT_COLUMNS: ",".join(self.columns),
            STRATEGY: self.strategy,
            BUILD: self.build,
            SAMPLE_SIZE: str(self.sample_size),
            CUTS: self.cuts,
            FILE_ORDER: self.file_order,
            PAGE_ROW_LIMIT: str(self.page_row_limit),
            SEED: str(self.seed),
            VERIFY: self.verify,
            WAIT_FOR_WRITERS: str(self.wait_for_writers),
        }
        if self.column_weights:
            weights = (f"{name}={weight}" for name, weight in self.column_weights.items())
            layout[COLUMN_WEIGHTS] = ",".join(weights)
        if self.z_column is not None:
            layout[Z_COLUMN] = self.z_column
        return layout

    def _store(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def options_from(
    options: ZOrderOptions | None, named: Mapping[str, Any], columns: Sequence[str] | None = None
) -> ZOrderOptions:
    """Returns the options that a call means, given whole or field by field, but not both ways.

    Args:
        options: the whole, or None.
        named: fields of ZOrderOptions by name, without ``columns``.
        columns: the sort columns, or None.

    Raises:
        OptionError: for an unknown field, for both ways at once, or for neither.
    """
    if options is not None:
        if columns is not None or named:
            given = ", ".join([*(["columns"] if columns is not None else []), *named])
            raise OptionError(
                f"Cannot cluster: 'options' was given together with {given}; "
                "use dataclasses.replace(options, ...) to change a field"
            )
        return options
    known = [f.name for f in fields(ZOrderOptions)]
    for name in named:
        if name not in known:
            raise OptionError(
                f"Cannot cluster: there is no option '{name}'; {did_you_mean(name, known)}"
            )
    if columns is None:
        raise ColumnError(
            "Cannot cluster: 'columns' was not given, and the table has no clustering to go on "
            "with; name at least one column"
        )
    return ZOrderOptions(columns=columns, **named)


def check_own_keys(config: Mapping[str, str]) -> None:
    """Refuses a configuration with a key under our prefix that does not exist."""
    for key in config:
        if key.startswith(PREFIX) and key not in OWN_KEYS:
            raise OptionError(
                f"Cannot cluster: there is no option '{key}'; {did_you_mean(key, OWN_KEYS)}"
            )


def union_list(*lists: Iterable[str]) -> str:
    """Returns all names once, in the order of their first mention, joined by commas."""
    return ",".join(dict.fromkeys(name for names in lists for name in names))


def _only(switch: str) -> dict[str, str]:
    """Returns the one switch turned on: another that Hudi's defaults turn on would win."""
    return {key: "true" if key == switch else "false" for key in SWITCHES}


def _text_or(value: int | str | None, default: int) -> str:
    return str(default if value is None else value)
