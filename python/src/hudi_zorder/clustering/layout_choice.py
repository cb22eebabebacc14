"""What a clustering is to do, as the arguments of ``ZOrderTable.cluster`` say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import SparkSession

from hudi_zorder.eventlog.queries import Queries
from hudi_zorder.hudi.history import layout_columns
from hudi_zorder.hudi.last_layout import options_again
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import NO_QUERIES, QUERIES, ZOrderOptions, options_from
from hudi_zorder.spark.location import open_snapshot
from hudi_zorder.spark.session import session_time_zone
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from hudi_zorder.workload.weighted_queries import GivenQueries


@dataclass(frozen=True)
class LayoutChoice:
    """The layout to be planned.

    Attributes:
        options: the layout.
        settings: further Hudi configuration, the queries to be cut for among them.
        notes: what was found in the queries and left out, one sentence each.
    """

    options: ZOrderOptions
    settings: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        spark: SparkSession,
        path: str,
        queries: GivenQueries | Queries | None,
        columns: Sequence[str] | None,
        options: ZOrderOptions | None,
        fields: Mapping[str, Any],
        hudi_options: Mapping[str, Any] | None,
    ) -> LayoutChoice:
        """Returns the layout that arguments choose; takes and raises what ``cluster`` does."""
        settings = as_settings(hudi_options)
        # Event logs of which no query can be used are refused, as they are where there is none.
        if not queries and not isinstance(queries, Queries):
            forgotten = {} if queries is None else {QUERIES: NO_QUERIES}
            if columns is None and options is None:
                last = _last(open_snapshot(spark, path), fields)
                return cls(last, {**forgotten, **settings})
            return cls(options_from(options, fields, columns), {**forgotten, **settings})
        sorted_by = columns if options is None else options.columns
        snapshot = open_snapshot(spark, path)
        asked = queries_for_plan(snapshot, queries, session_time_zone(spark), sorted_by)
        if columns is None and options is None:
            columns, fields = asked.columns, {"column_weights": asked.weights, **fields}
        chosen = options_from(options, fields, columns)
        return cls(chosen, {QUERIES: asked.text, **settings}, asked.notes)


def _last(snapshot: TableSnapshot, fields: Mapping[str, Any]) -> ZOrderOptions:
    """Returns the options of the table's last clustering, with some fields of their own."""
    # Refuses what is no field, and a table without a clustering.
    named = options_from(None, fields, layout_columns(snapshot) or None)
    return replace(options_again(snapshot, named.columns), **fields)


def as_settings(hudi_options: Mapping[str, Any] | None) -> dict[str, str]:
    """Returns Hudi options as Hudi reads them: texts, True as ``true``."""
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in (hudi_options or {}).items()
    }
