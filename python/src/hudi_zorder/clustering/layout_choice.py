"""What a clustering is to do, as the arguments of ``ZOrderTable.cluster`` say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from functools import partial
from math import fsum
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.history import layout_columns, layout_parameters
from hudi_zorder.hudi.last_layout import (
    completed,
    is_same_layout,
    kept_queries,
    options_again,
    with_last_target,
)
from hudi_zorder.hudi.plan_content import damaged_plan, planned_queries
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.option_checks import column_names
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    CUTS,
    MODE,
    NO_QUERIES,
    QUERIES,
    SORT_COLUMNS,
    STRATEGY,
    Z_COLUMN,
    ZOrderOptions,
    options_from,
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
        settings: further Hudi configuration, the queries to be cut for among them.
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
        columns: Sequence[str] | None,
        options: ZOrderOptions | None,
        fields: Mapping[str, Any],
        hudi_options: Mapping[str, Any] | None,
    ) -> LayoutChoice:
        """Returns the layout that arguments choose; takes and raises what ``cluster`` does."""
        settings = as_settings(hudi_options)
        if options is not None and not isinstance(options, ZOrderOptions):
            raise OptionError(
                f"Cannot cluster: 'options' was {options!r}; write options=ZOrderOptions("
                "columns=['a', 'b']), or the columns and fields by themselves"
            )
        named = columns is not None or options is not None
        if columns is not None:
            columns = column_names("columns", columns)  # once: they may be a generator's
        if queries is not None:
            from hudi_zorder.workload.weighted_queries import counted

            queries = counted(queries)
        # Event logs of which no query can be used are refused, as they are where there is none.
        if queries is None or (not isinstance(queries, Queries) and len(queries) == 0):
            forgotten = {} if queries is None else {QUERIES: NO_QUERIES}
            layout = (
                _completed(snapshot, options, fields, columns, settings)
                if named
                else _last(snapshot, fields)
            )
            chosen = cls(layout, {**forgotten, **settings})._with_queries(snapshot)
            return chosen._telling(options_from(options, fields, columns)) if named else chosen
        from hudi_zorder.workload.queries_to_plan import workload_for_plan
        from hudi_zorder.workload.workload import workload_of

        zone = session_time_zone(spark)
        planned = partial(workload_for_plan, snapshot, workload_of(queries, snapshot, zone), zone)
        asked = planned(columns if options is None else options.columns)
        if named:
            of_queries = again = _completed(snapshot, options, fields, columns, settings)
        else:
            of_queries = _by_asked_columns(snapshot, asked, fields, settings)
            again = _by_last_columns(snapshot, of_queries, fields)
        _require_tree({**of_queries.to_dict(), **settings})
        chosen = cls(of_queries, {QUERIES: asked.text, **settings}, asked.notes)
        found = chosen._or_last(snapshot, again, asked, None if named else planned)
        return found._telling(options_from(options, fields, columns)) if named else found

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
        if {QUERIES, SORT_COLUMNS, Z_COLUMN} & set(self.settings):
            return self
        kept = kept_queries(snapshot, self.options)
        return replace(self, settings={**self.settings, QUERIES: kept}) if kept else self

    def _telling(self, given: ZOrderOptions) -> LayoutChoice:
        """Returns the same with a word on what is not as it was given."""
        before, now = given.to_dict(), self.options.to_dict()
        kept = [
            f"'{key}' was '{now[key]}'"
            for key in now
            if now[key] != before.get(key) and key not in {SORT_COLUMNS, *self.settings}
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
        again: ZOrderOptions,
        asked: PlannedQueries,
        planned: Callable[[Sequence[str]], PlannedQueries] | None,
    ) -> LayoutChoice:
        """Returns the layout of the last clustering while it was for much the same queries.

        Counts and days differ from one upkeep to the next, and files of other queries are of
        another layout, all to be rewritten. Which partitions are asked for makes no other layout:
        it is told anew.

        Args:
            snapshot: the table.
            again: the options, by the columns of the last clustering if the queries chose them.
            asked: the queries that are given.
            planned: returns them as they are asked of some columns alone, which raises where none
                of them is; None where the columns are given.
        """
        from hudi_zorder.workload.asked_partitions import with_partitions_of
        from hudi_zorder.workload.drift import Drift

        last = layout_parameters(snapshot)
        kept = last.get(QUERIES, NO_QUERIES)
        wanted = {**again.to_dict(), **self.settings}
        overruled = COLUMN_WEIGHTS in self.settings or self.settings[QUERIES] != asked.text
        if kept == NO_QUERIES or overruled or wanted[MODE].strip().lower() == "full":
            return self
        if again.z_column is not None or not is_same_layout(last, wanted):
            return self
        clustering = f"the last clustering of '{snapshot.path}'"
        before = planned_queries(kept, clustering)
        # The last plan has of its queries what they ask of its columns, and so they are compared.
        alike = asked if planned is None else _of_columns(planned, again.columns)
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


def _require_tree(layout: Mapping[str, str]) -> None:
    """Refuses queries for a layout whose files are cut for none, as those of a split tree are."""
    remedies = {
        Z_COLUMN: (bool(layout.get(Z_COLUMN, "").strip()), "lay the table out without it"),
        STRATEGY: (layout[STRATEGY].strip().upper() == "LINEAR", "write 'ZORDER'"),
        CUTS: (layout[CUTS].strip().lower() == "equal", "write 'tree'"),
    }
    for key, (cuts_for_none, remedy) in remedies.items():
        if cuts_for_none:
            raise OptionError(
                f"Cannot lay out for queries: '{key}' was '{layout[key]}', by which files are cut "
                f"for no query; {remedy}, or leave the queries out"
            )


def _of_columns(
    planned: Callable[[Sequence[str]], PlannedQueries], columns: Sequence[str]
) -> PlannedQueries | None:
    """Returns queries as they are asked of some columns; None where none of them is."""
    try:
        return planned(columns)
    except PredicateError:
        return None


def _completed(
    snapshot: TableSnapshot,
    options: ZOrderOptions | None,
    fields: Mapping[str, Any],
    columns: Sequence[str] | None,
    settings: Mapping[str, str],
) -> ZOrderOptions:
    """Returns the options given, with what nobody chose as the last clustering had it."""
    given = options_from(options, fields, columns)
    if {SORT_COLUMNS, Z_COLUMN} & set(settings):
        return given
    # Options as a whole leave nothing open but weights, which are not told where there are none.
    chosen = fields if options is None else [f.name for f in dataclass_fields(options)]
    return completed(snapshot, given, chosen)


def _by_asked_columns(
    snapshot: TableSnapshot,
    asked: PlannedQueries,
    fields: Mapping[str, Any],
    settings: Mapping[str, str],
) -> ZOrderOptions:
    """Returns options by what queries ask, with files as large as those of the last clustering.

    Where they ask for its very columns, they have all else of it that nobody chose.
    """
    by_z = fields.get("z_column") is not None  # in which all columns weigh the same
    weighed = fields if by_z else {"column_weights": asked.weights, **fields}
    given = with_last_target(snapshot, weighed)
    return _completed(snapshot, None, given, asked.columns, settings)


def _by_last_columns(
    snapshot: TableSnapshot, options: ZOrderOptions, fields: Mapping[str, Any]
) -> ZOrderOptions:
    """Returns the options of the last clustering, if nobody chose its columns or weights."""
    columns = layout_columns(snapshot)
    if not columns or options.z_column is not None or "column_weights" in fields:
        return options
    return replace(options_again(snapshot, columns), **fields)


def _last(snapshot: TableSnapshot, fields: Mapping[str, Any]) -> ZOrderOptions:
    """Returns the options of the table's last clustering, with some fields of their own."""
    # Refuses what is no field, and a table without a clustering.
    named = options_from(None, fields, layout_columns(snapshot) or None)
    return replace(options_again(snapshot, named.columns), **fields)


def as_settings(hudi_options: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns Hudi options as Hudi reads them: texts, True as ``true``.

    Raises:
        OptionError: for what is no mapping, a key that is no text, and a value that is None.
    """
    given = {} if hudi_options is None else hudi_options
    if not isinstance(given, Mapping):
        raise OptionError(
            f"Cannot read options of Hudi: 'hudi_options' was {given!r}; write a mapping: "
            "hudi_options={'hoodie.key': 'value'}"
        )
    for key, value in given.items():
        if not isinstance(key, str):
            raise OptionError(
                f"Cannot read options of Hudi: 'hudi_options' has the key {key!r}, which is no "
                "text; write it as Hudi does"
            )
        if value is None:
            raise OptionError(
                f"Cannot read options of Hudi: '{key}' was None in 'hudi_options', which is no "
                "value; leave it out"
            )
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in given.items()
    }
