"""The Hudi configuration by which a table's clusterings are planned and executed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from pyspark.sql import SparkSession

from hudi_zorder import options as keys
from hudi_zorder.clustering.concurrency import busy_writes, locking, plans_of
from hudi_zorder.clustering.statistics_guard import (
    StatisticsGuard,
    fixed_columns,
    left_unindexed,
    unskipped,
)
from hudi_zorder.errors import OptionError, PredicateError, TableError
from hudi_zorder.hudi.clusterings import FileGroup, PendingClustering
from hudi_zorder.hudi.metadata_indexes import indexed_columns
from hudi_zorder.hudi.partition_folders import joined_partition
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import ZOrderOptions, check_own_keys, union_list
from hudi_zorder.spark._jvm.exceptions import jvm_errors, translated
from hudi_zorder.spark._jvm.session_state import hadoop_settings
from hudi_zorder.spark._jvm.write_client import HudiJvm

# The version that Hudi since 1.0 would raise, of the oldest tables that it writes to.
_TABLE_VERSION: Final = "hoodie.write.table.version"
_AUTO_UPGRADE: Final = "hoodie.write.auto.upgrade"
_FIRST_TO_KEEP: Final = 6

# A clustering that a person asks for takes every partition, now, whatever else the session's
# settings would make Hudi wait for.
_AT_ONCE: Final = {
    "hoodie.table.services.enabled": "true",
    "hoodie.table.services.incremental.enabled": "false",
    keys.SCHEDULE_INLINE: "false",
    keys.INLINE: "false",
    keys.ASYNC: "false",
}
_FILTER_MODE: Final = "hoodie.clustering.plan.partition.filter.mode"
_SELECTED: Final = "hoodie.clustering.plan.strategy.partition.selected"
_REGEX: Final = "hoodie.clustering.plan.strategy.partition.regex.pattern"
# What Hudi says of a condition on others, and on what is no column at all.
_OF_OTHER_COLUMNS: Final = ("Only partition predicates", "unresolved attribute")
_STATS_LIMIT: Final = "hoodie.metadata.index.column.stats.max.columns.to.index"
_META_COLUMN: Final = "_hoodie_"


class HudiSettings:
    """What a clustering of one table is configured by, each before those that win over it.

    What the table needs, the layout, what the call gives as Hudi's, and what the table's partitions
    or statistics settle.

    Args:
        spark: the session.
        path: the table's base path.
        hudi: the table in the JVM.
        snapshot: opens its files as they are now.
    """

    def __init__(
        self,
        spark: SparkSession,
        path: str,
        hudi: HudiJvm,
        snapshot: Callable[[], TableSnapshot],
    ) -> None:
        self._spark = spark
        self._path = path
        self._hudi = hudi
        self._snapshot = snapshot

    def of_plan(
        self, options: ZOrderOptions, where: str | None, settings: Mapping[str, str]
    ) -> tuple[dict[str, str] | None, str]:
        """Returns the configuration of a plan, or None and why there is nothing to plan."""
        check_own_keys(settings)
        with jvm_errors(f"open '{self._path}'", TableError):
            is_empty = not self._hudi.has_commits()
        if is_empty:
            return None, "Nothing to cluster: nothing was ever written to the table"
        snapshot = self._snapshot()
        config = self._merged(snapshot, {**options.to_dict(), **_AT_ONCE}, settings)
        if where is not None:
            partitions = self._partitions(snapshot, where)
            if not partitions:
                return None, f"Nothing to cluster: no partition satisfies {where}"
            # The mode of that name would also keep to the range that a session may have.
            config |= {_FILTER_MODE: "NONE", _SELECTED: ",".join(partitions)}
        return config, ""

    def of_execution(
        self, snapshot: TableSnapshot, plan: PendingClustering, settings: Mapping[str, str]
    ) -> tuple[dict[str, str], list[str]]:
        """Returns the configuration by which a pending plan is executed, and what to say of it."""
        check_own_keys(settings)
        statistics, note = self._statistics(snapshot, plan.columns, settings, plan.file_groups)
        # The plan names the layout; the class, alas, Hudi takes from the executor.
        layout = {
            **plan.parameters,
            keys.EXECUTION_CLASS: plan.executor_class,
            keys.METADATA: "true",
            keys.COLUMN_STATS: "true",
        }
        config = self._merged(snapshot, layout, settings) | statistics
        return config, [note] if note else []

    def guard(
        self,
        snapshot: TableSnapshot,
        columns: Sequence[str],
        settings: Mapping[str, str],
        rewritten: Collection[FileGroup],
    ) -> StatisticsGuard:
        """Returns what a clustering by these columns makes statistics of.

        Args:
            snapshot: the table.
            columns: the sort columns.
            settings: those of the executor.
            rewritten: the file groups that it replaces.
        """
        if any(settings.get(key) == "false" for key in (keys.METADATA, keys.COLUMN_STATS)):
            return StatisticsGuard(snapshot, columns, ())
        chosen, _ = self._statistics(snapshot, columns, settings, rewritten)
        listed = {keys.COLUMN_STATS_LIST: self._setting(keys.COLUMN_STATS_LIST, settings), **chosen}
        given = listed[keys.COLUMN_STATS_LIST]
        names = _names(given) if given else self._first_columns(snapshot, settings)
        return StatisticsGuard(snapshot, columns, names, notes=unskipped(snapshot, columns))

    def of_change(self, snapshot: TableSnapshot, settings: Mapping[str, str]) -> dict[str, str]:
        """Returns the configuration by which a plan or a commit is taken back."""
        check_own_keys(settings)
        return self._merged(snapshot, {}, settings)

    def _merged(
        self, snapshot: TableSnapshot, layout: Mapping[str, str], settings: Mapping[str, str]
    ) -> dict[str, str]:
        return {**self.of_table(snapshot, settings), **layout, **settings}

    def of_table(self, snapshot: TableSnapshot, settings: Mapping[str, str]) -> dict[str, str]:
        """Returns what a table needs of whoever clusters it, where nobody has set it.

        Its version, for a newer Hudi would keep that of the table and raise that of its metadata
        table, which the older Hudi then cannot read; and a lock.
        """
        version = snapshot.config.version
        chosen = (self._setting(key, settings) for key in (_TABLE_VERSION, _AUTO_UPGRADE))
        needed = {}
        if version >= _FIRST_TO_KEEP and not any(chosen):
            needed = {_TABLE_VERSION: str(version), _AUTO_UPGRADE: "false"}
        session = hadoop_settings(self._spark, "hoodie.", "spark.hoodie.")
        return needed | locking(settings, session, self._hudi.default_of)

    def partitions(self, where: str) -> list[str]:
        """Returns the partitions that satisfy a predicate over partition columns.

        Raises:
            PredicateError: when the predicate is about more than these.
        """
        return self._partitions(self._snapshot(), where)

    def _partitions(self, snapshot: TableSnapshot, where: str) -> list[str]:
        fields = snapshot.config.partition_fields
        if not isinstance(where, str):
            raise PredicateError(
                f"Cannot choose partitions: 'where' was {where!r}; write a condition as a text, "
                "such as \"day > '2026-11-01'\""
            )
        try:
            chosen = self._hudi.partitions(where)
        except Exception as error:
            if not any(sign in str(error) for sign in _OF_OTHER_COLUMNS):
                raise translated(error, f"read the predicate '{where}'", PredicateError) from error
            by = f"partitioned by {', '.join(fields)}" if fields else "not partitioned"
            raise PredicateError(
                f"Cannot choose partitions: '{self._path}' is {by}, 'where' was '{where}'; a "
                "clustering takes whole partitions, so name nothing but partition columns, and put "
                "texts in quotes"
            ) from error
        _refuse_commas(where, joined_partition(snapshot, chosen))
        if not chosen:
            _refuse_unquoted_date(where)
        return chosen

    def why_nothing(self, config: Mapping[str, str], where: str | None) -> str:
        """Returns why no plan was made, as far as pending plans and filters can tell.

        Args:
            config: that of the plan.
            where: the predicate by which it chose partitions, if any.
        """
        snapshot = self._snapshot()
        if plans := plans_of(snapshot, None if where is None else config[_SELECTED].split(",")):
            instants = ", ".join(plan.instant for plan in plans)
            return (
                f"Nothing to cluster: the files are taken by pending plans ({instants}); "
                f"hudi-zorder pending {shlex.quote(self._path)} says how to go on with these"
            )
        incremental = config[keys.MODE] != "full"
        reasons = ["laid out as asked"] if incremental else []
        reasons += ["below 'small_file_limit' no more", "a compaction is pending for it"]
        filters = (_FILTER_MODE, _SELECTED, _REGEX) if where is None else ()
        given = ((key, self._setting(key, config)) for key in filters)
        leaving = [f"'{key}' was '{value}'" for key, value in given if value not in (None, "NONE")]
        if leaving:
            reasons.append(f"its partition is left out, as {', '.join(leaving)}")
        if writes := busy_writes(snapshot):
            reasons.append(f"write {writes[0]} is under way there: try again when it has ended")
        remedy = "; mode='full' lays all files out again" if incremental else ""
        return f"Nothing to cluster: every file is {', or '.join(reasons)}{remedy}"

    def _statistics(
        self,
        snapshot: TableSnapshot,
        columns: Sequence[str],
        settings: Mapping[str, str],
        rewritten: Collection[FileGroup],
    ) -> tuple[dict[str, str], str]:
        """Returns the list of columns with statistics to set, if any, and what to say about it.

        The list of whoever writes decides which columns of the new files get statistics; it may
        leave columns out that the index has, to be rid of them. Without a list they are the first
        32 top-level columns, which may leave sort columns out. Hudi looks for them as they are
        spelt there, which sort columns need not be.

        No column is added of which the files that stay have no statistics, where Hudi would take
        partitions to have no other values than those of the new files.
        """
        schema = snapshot.schema
        columns = [leaf.name if (leaf := schema.find(name)) else name for name in columns]
        given = self._setting(keys.COLUMN_STATS_LIST, settings)
        default = self._first_columns(snapshot, settings)
        note = ""
        if fixed := fixed_columns(snapshot, rewritten):
            note = left_unindexed([name for name in columns if name not in fixed])
            columns = [name for name in columns if name in fixed]
            if not given:
                as_it_is = {*fixed} == {*default}
                return {} if as_it_is else {keys.COLUMN_STATS_LIST: ",".join(fixed)}, note
        if given:
            listed = _names(given)
            added = [name for name in columns if name not in listed]
            if not added:
                return {}, note
            too = (
                f"'{keys.COLUMN_STATS_LIST}' was '{given}', which leaves out "
                f"{', '.join(added)}; the new files have statistics for these too"
            )
            listing = {keys.COLUMN_STATS_LIST: union_list(listed, added)}
            return listing, "; ".join(filter(None, (too, note)))
        if all(column in default for column in columns):
            return {}, ""
        recorded = indexed_columns(snapshot)
        return {keys.COLUMN_STATS_LIST: union_list(recorded or default, columns)}, ""

    def _first_columns(self, snapshot: TableSnapshot, settings: Mapping[str, str]) -> list[str]:
        """Returns the columns that get statistics where no list names them."""
        given = self._setting(_STATS_LIMIT, settings) or "32"
        try:
            limit = int(given)
        except ValueError as fault:
            raise OptionError(
                f"Cannot choose statistics: '{_STATS_LIMIT}' was '{given}'; write a whole number"
            ) from fault
        names = snapshot.schema.leaves
        return [n for n in names if "." not in n and not n.startswith(_META_COLUMN)][:limit]

    def _setting(self, key: str, settings: Mapping[str, str]) -> str | None:
        return settings.get(key) or self._elsewhere(key)

    def _elsewhere(self, key: str) -> str | None:
        """Returns what the session says, or else the file of Hudi's defaults."""
        return self._spark.conf.get(key, None) or self._hudi.default_of(key)


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",")]


def _refuse_commas(where: str, partition: str | None) -> None:
    """Refuses what may be a partition with a comma: Hudi gives and takes partitions by commas."""
    if partition is not None:
        raise PredicateError(
            f"Cannot choose partitions: 'where' was '{where}', which may take '{partition}'; "
            "Hudi divides the names of chosen partitions at commas and would take others, so "
            "choose partitions without a comma, or leave 'where' out to cluster all"
        )


def _refuse_unquoted_date(where: str) -> None:
    """Refuses a subtraction that is rather a date whose quotes the shell took: it takes nothing."""
    from hudi_zorder.predicate.constants import of_unquoted_date
    from hudi_zorder.predicate.parser import condition

    parsed = condition(where)
    unquoted = "" if parsed is None else of_unquoted_date(parsed.sql(dialect="spark"))
    if unquoted:
        raise PredicateError(
            f"Cannot choose partitions: 'where' was '{where}', in which {unquoted}"
        )
