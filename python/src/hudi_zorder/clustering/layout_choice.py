"""What a clustering is to do, by what is given, what queries ask and what the table has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, TypeAlias

from pyspark.sql import SparkSession

from hudi_zorder.clustering.given_layout import GivenLayout
from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.history import layout_parameters
from hudi_zorder.hudi.last_layout import is_same_layout, kept_queries
from hudi_zorder.hudi.plan_content import damaged_plan, planned_queries
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import (
    CUTS,
    NO_QUERIES,
    QUERIES,
    SORT_COLUMNS,
    STRATEGY,
    Z_COLUMN,
    ZOrderOptions,
)
from hudi_zorder.spark.session import session_time_zone

# What reads queries is imported where there are any.
if TYPE_CHECKING:
    from hudi_zorder.workload.queries_to_plan import PlannedQueries
    from hudi_zorder.workload.weighted_queries import GivenQueries


@dataclass(frozen=True)
class LayoutChoice:
    """The layout to be planned.

    Attributes:
        options: the layout.
        settings: further Hudi configuration, the queries to be cut for among them, and nothing
            that the options say.
        notes: what was found in the queries and left out, and whether they are those that the
            table is laid out for, one sentence each.
        kept: what was not given, and is as the last clustering by the same columns had it, one
            sentence; ``""`` where that is all default.
    """

    options: ZOrderOptions
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()
    kept: str = ""

    @property
    def told(self) -> tuple[str, ...]:
        """All of what the user should know, one sentence each."""
        return tuple(filter(None, (self.kept, *self.notes)))

    @classmethod
    def of(
        cls,
        spark: SparkSession,
        snapshot: TableSnapshot,
        queries: GivenQueries | Queries | None,
        given: GivenLayout,
    ) -> LayoutChoice:
        """Returns the layout that is given; takes and raises what ``cluster`` does."""
        planned = _planning(spark, snapshot, queries)
        if planned is None:
            forgotten = {} if queries is None else {QUERIES: NO_QUERIES}
            chosen = cls(given.completed(snapshot), {**forgotten, **given.settings})
            return chosen._with_queries(snapshot)._telling(given)
        asked = planned(given.columns)
        options = _for_queries(snapshot, given, asked)
        _require_tree(options)
        chosen = cls(options, {QUERIES: asked.text, **given.settings}, asked.notes)
        return chosen._or_last(snapshot, given, asked, planned)._telling(given)

    @classmethod
    def of_forecast(
        cls,
        spark: SparkSession,
        snapshot: TableSnapshot,
        queries: GivenQueries | Queries | None,
        given: GivenLayout,
    ) -> LayoutChoice:
        """Returns the same of all files by a tree, whatever they are laid out for by now."""
        planned = _planning(spark, snapshot, queries)
        if planned is None:
            options = given.completed(snapshot)
        else:
            options = _for_queries(snapshot, given, planned(given.columns))
            _require_tree(replace(options, strategy="ZORDER", cuts="tree"))
        # Each layout of a forecast has these of its own.
        return cls(options, given.settings)._telling(given, but=(STRATEGY, CUTS))

    def with_known_statistics(self, snapshot: TableSnapshot) -> LayoutChoice:
        """Returns the same, the columns to have statistics spelt as in the table.

        Of any other name Hudi makes none, and says nothing.

        Raises:
            ColumnError: for a column that the table does not have.
        """
        named = self.options.stats_columns
        if not named or not any(part.base for part in snapshot.slices):
            return self
        schema, fields = snapshot.schema, snapshot.config.partition_fields
        held = (name.partition(".")[0] for name in (*schema.leaves, *schema.others, *fields))
        known = {*map(str.lower, held), *snapshot.committed_kinds}
        spelt = []
        for name in named:
            leaf = schema.find(name)
            if leaf is None and name.partition(".")[0].lower() not in known:
                leaf = schema.column(name)  # raises, with the nearest one
            spelt.append(leaf.name if leaf else name)
        return replace(self, options=replace(self.options, stats_columns=spelt))

    def _with_queries(self, snapshot: TableSnapshot) -> LayoutChoice:
        """Returns the same with the queries of the last clustering, if none were given."""
        if QUERIES in self.settings:
            return self
        kept = kept_queries(snapshot, self.options)
        return replace(self, settings={**self.settings, QUERIES: kept}) if kept else self

    def _telling(self, given: GivenLayout, but: Sequence[str] = ()) -> LayoutChoice:
        """Returns the same with a word on what is not as it was given, for columns that were."""
        if given.columns is None:
            return self
        before, now = given.options().to_dict(), self.options.to_dict()
        kept = [
            f"'{key}' was '{now[key]}'"
            for key in now
            if now[key] != before.get(key) and key not in {SORT_COLUMNS, *but}
        ]
        if not kept:
            return self
        told = (
            f"what is not given is as the last clustering by these columns had it: "
            f"{', '.join(kept)}; give it to have another layout"
        )
        return replace(self, kept=told)

    def _or_last(
        self,
        snapshot: TableSnapshot,
        given: GivenLayout,
        asked: PlannedQueries,
        planned: _Planning,
    ) -> LayoutChoice:
        """Returns the layout of the last clustering while it was for much the same queries.

        Counts and days differ from one upkeep to the next, and files of other queries are of
        another layout, all to be rewritten. Which partitions are asked for makes no other layout:
        it is told anew.

        Args:
            snapshot: the table.
            given: the layout as it is given.
            asked: the queries that are given.
            planned: returns them as they are asked of some columns alone.
        """
        from hudi_zorder.workload.asked_partitions import with_partitions_of
        from hudi_zorder.workload.drift import Drift

        last = layout_parameters(snapshot)
        kept = last.get(QUERIES, NO_QUERIES)
        by_queries = given.columns is None  # which may have chosen others than they did
        again = given.by_last_columns(snapshot, self.options) if by_queries else self.options
        overruled = self.settings[QUERIES] != asked.text
        if kept == NO_QUERIES or overruled or again.mode == "full":
            return self
        if again.z_column is not None or not is_same_layout(last, again.to_dict()):
            return self
        clustering = f"the last clustering of '{snapshot.path}'"
        before = planned_queries(kept, clustering)
        # The last plan has of its queries what they ask of its columns, and so they are compared.
        alike = _of_columns(planned, again.columns) if by_queries else asked
        text = NO_QUERIES if alike is None else alike.text
        served = set() if alike is None else set(alike.used)
        elsewhere = fsum(query.weight for query in asked.used if query not in served)
        try:
            drift = Drift.of(before, planned_queries(text, "this clustering"), elsewhere)
            goes_on = "" if alike is None else with_partitions_of(kept, text)
        except (AttributeError, LookupError, TypeError, ValueError) as fault:
            raise damaged_plan(clustering, QUERIES, kept) from fault
        if alike is None or not drift.is_small:
            told = f"{drift}: files that are laid out for those are taken as of another layout"
            return replace(self, notes=(*self.notes, told))
        told = f"{drift}: its layout is kept; mode full lays the table out for these"
        notes = (*alike.notes, *([told] if drift else []))
        return LayoutChoice(again, {**self.settings, QUERIES: goes_on}, notes)


_Planning: TypeAlias = "Callable[[Sequence[str] | None], PlannedQueries]"


def _planning(
    spark: SparkSession, snapshot: TableSnapshot, queries: GivenQueries | Queries | None
) -> _Planning | None:
    """Returns what tells how queries are asked of some columns, or of the best; None without any.

    Event logs of which no query can be used are refused, as they are where there is none.
    """
    if queries is None:
        return None
    from hudi_zorder.workload.weighted_queries import counted

    queries = counted(queries)
    if not isinstance(queries, Queries) and len(queries) == 0:
        return None
    from hudi_zorder.workload.queries_to_plan import workload_for_plan
    from hudi_zorder.workload.workload import workload_of

    zone = session_time_zone(spark)
    return partial(workload_for_plan, snapshot, workload_of(queries, snapshot, zone), zone)


def _for_queries(
    snapshot: TableSnapshot, given: GivenLayout, asked: PlannedQueries
) -> ZOrderOptions:
    if given.columns is not None:
        return given.completed(snapshot)
    return given.by_asked_columns(snapshot, asked.columns, asked.weights)


def _require_tree(options: ZOrderOptions) -> None:
    """Refuses queries for a layout whose files are cut for none, as those of a split tree are."""
    layout = options.to_dict()
    remedies = {
        Z_COLUMN: (options.z_column is not None, "lay the table out without it"),
        STRATEGY: (options.strategy == "LINEAR", "write 'ZORDER'"),
        CUTS: (options.cuts == "equal", "write 'tree'"),
    }
    for key, (cuts_for_none, remedy) in remedies.items():
        if cuts_for_none:
            raise OptionError(
                f"Cannot lay out for queries: '{key}' was '{layout[key]}', by which files are cut "
                f"for no query; {remedy}, or leave the queries out"
            )


def _of_columns(planned: _Planning, columns: Sequence[str]) -> PlannedQueries | None:
    """Returns queries as they are asked of some columns; None where none of them is."""
    try:
        return planned(columns)
    except PredicateError:
        return None
