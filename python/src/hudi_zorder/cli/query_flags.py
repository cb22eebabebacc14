"""The flags of ``hudi-zorder`` by which queries are given; what is wrong is told before Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hudi_zorder.errors import OptionError

if TYPE_CHECKING:
    from hudi_zorder.eventlog.queries import Queries

EventLog = Annotated[
    str | None,
    typer.Option(
        help="A Spark event log, or a folder of them, whose queries on the table are taken."
    ),
]
LoggedPath = Annotated[
    str | None,
    typer.Option(help="The table's path in the event log, where that is another, as of a copy."),
]
Since = Annotated[
    str | None,
    typer.Option(
        help="The day or time from which on queries of the event log count, such as 2026-11-01; "
        "in UTC where it has no zone."
    ),
]
QueriesFile = Annotated[
    Path | None,
    typer.Option(
        help="A file with a query on each line, or with statements that end with ;, a weight and "
        'a tab before each if need be; or JSON lines such as {"query": "a = 5", "weight": 2}.'
    ),
]


def given_queries(
    queries: Path | None,
    event_log: str | None,
    since: str | None,
    table: str,
    logged_path: str | None,
    more: Sequence[str] = (),
) -> Queries | list[tuple[str, float]] | None:
    """Returns the queries that flags mean; None when there are none."""
    beside = {"--query": more, "--queries": queries}
    logged = _logged(event_log, since, table, logged_path, beside)
    if logged is not None:
        return logged
    given: list[str | tuple[str, float]] = [*more]
    if queries is not None:
        from hudi_zorder.workload.query_file import read_queries

        given += [(found.text, found.weight) for found in read_queries(queries)]
    if not given:
        return None
    from hudi_zorder.workload.weighted_queries import queries_of

    return [(found.text, found.weight) for found in queries_of(given)]


def _logged(
    event_log: str | None,
    since: str | None,
    table: str,
    logged_path: str | None,
    beside: Mapping[str, Any],
) -> Queries | None:
    """Returns the queries of event logs on one table."""
    if event_log is None:
        for flag, text in (("--logged-path", logged_path), ("--since", since)):
            if text is not None:
                raise OptionError(
                    f"Cannot read queries: '{flag}' was '{text}', but there is no event log; "
                    "give '--event-log' too"
                )
        return None
    from hudi_zorder.eventlog.reader import queries_from_event_log
    from hudi_zorder.hudi.filesystem import absolute
    from hudi_zorder.workload.workload import logged_on_table

    for flag, value in beside.items():
        if value:
            raise OptionError(
                f"Cannot read queries: '--event-log' was '{event_log}', and {flag} was given "
                "beside it; give one of them"
            )
    found = logged_on_table(queries_from_event_log(event_log, since=since), logged_path or table)
    return found.moved_to(absolute(table)) if logged_path else found
