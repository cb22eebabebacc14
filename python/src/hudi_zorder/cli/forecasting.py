"""The verbs of ``hudi-zorder`` that say what a clustering would bring; they start Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hudi_zorder.cli.application import Columns, Format, Output, TablePath, app, pairs_of
from hudi_zorder.cli.changing import (
    FileSize,
    HudiOptions,
    Mode,
    SparkOptions,
    Strategy,
    Weights,
    Where,
    layout_options,
    opened,
    print_result,
)
from hudi_zorder.errors import OptionError

if TYPE_CHECKING:
    from hudi_zorder.eventlog.queries import Queries

EventLog = Annotated[
    str | None,
    typer.Option(
        help="A Spark event log, or a folder of them, whose queries on the table are taken."
    ),
]
SampleRows = Annotated[
    int | None, typer.Option(help="Rows to look at; more where many files need them.")
]


@app.command(epilog="Example: hudi-zorder plan /lake/orders --columns customer,day")
def plan(
    path: TablePath,
    columns: Columns = None,
    where: Where = None,
    strategy: Strategy = "ZORDER",
    target_file_size: FileSize = "128MB",
    weights: Weights = None,
    mode: Mode = "incremental",
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """What cluster would rewrite now, why, what it gains, with Spark; writes nothing."""
    options = layout_options(columns, strategy, target_file_size, weights, mode)
    with opened(path, conf) as table:
        found = table.plan(options=options, where=where, hudi_options=pairs_of("--hudi", hudi))
    print_result(found, output)


@app.command(
    epilog="Example: hudi-zorder forecast /lake/orders -c customer,day -p \"day > '2026-11-01'\""
)
def forecast(
    path: TablePath,
    columns: Columns = None,
    predicates: Annotated[
        list[str] | None,
        typer.Option(
            "--predicate", "-p", help="A condition in Spark's SQL; can be given repeatedly."
        ),
    ] = None,
    event_log: EventLog = None,
    where: Where = None,
    target_file_size: FileSize = "128MB",
    weights: Weights = None,
    sample_rows: SampleRows = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """What each layout would skip and cost, from a sample, with Spark; writes nothing."""
    options = layout_options(columns, "ZORDER", target_file_size, weights)
    logged = _logged(event_log, path, {"--predicate": predicates})
    with opened(path, conf) as table:
        found = table.forecast(
            options=options,
            predicates=(predicates or ()) if logged is None else logged,
            where=where,
            hudi_options=pairs_of("--hudi", hudi),
            **_sampled(sample_rows),
        )
    print_result(found, output)


@app.command(
    epilog='Example: hudi-zorder recommend /lake/orders --query "customer = 7" --queries log.sql'
)
def recommend(
    path: TablePath,
    query: Annotated[
        list[str] | None,
        typer.Option(help="A condition, or a SELECT, in Spark's SQL; can be given repeatedly."),
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            help="A file with a query on each line, a weight and a tab before it if need be; "
            'or JSON lines such as {"query": "a = 5", "weight": 2}.'
        ),
    ] = None,
    event_log: EventLog = None,
    where: Where = None,
    max_columns: Annotated[int | None, typer.Option(help="The largest set to try; 4.")] = None,
    target_file_size: FileSize = "128MB",
    sample_rows: SampleRows = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """The columns and weights by which queries read least, with Spark; writes nothing."""
    from hudi_zorder.advice.workload import queries_of, read_queries

    given: list[str | tuple[str, float]] = [*(query or ())]
    logged = _logged(event_log, path, {"--query": query, "--queries": queries})
    if queries is not None:
        given += [(found.text, found.weight) for found in read_queries(queries)]
    if logged is None:
        queries_of(given)  # refused before Spark starts
    limit: dict[str, Any] = {} if max_columns is None else {"max_columns": max_columns}
    with opened(path, conf) as table:
        found = table.recommend(
            given if logged is None else logged,
            where=where,
            target_file_size=target_file_size,
            hudi_options=pairs_of("--hudi", hudi),
            **limit,
            **_sampled(sample_rows),
        )
    print_result(found, output)


def _logged(event_log: str | None, table: str, beside: Mapping[str, Any]) -> Queries | None:
    """Returns the queries of event logs on a table; what is wrong is told before Spark starts."""
    if event_log is None:
        return None
    from hudi_zorder.advice.logged import on_table
    from hudi_zorder.eventlog.reader import queries_from_event_log

    for flag, value in beside.items():
        if value:
            raise OptionError(
                f"Cannot read queries: '--event-log' was '{event_log}', and {flag} was given "
                "beside it; give one of them"
            )
    return on_table(queries_from_event_log(event_log), table)


def _sampled(rows: int | None) -> dict[str, Any]:
    return {} if rows is None else {"sample_rows": rows}
