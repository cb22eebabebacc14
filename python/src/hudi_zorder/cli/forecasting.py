"""The verbs of ``hudi-zorder`` that say what a clustering would bring; they start Spark."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hudi_zorder.cli.application import Columns, Format, Output, Readers, TablePath, app, pairs_of
from hudi_zorder.cli.layout_flags import (
    FileSize,
    HudiOptions,
    Mode,
    OfUnsafe,
    Strategy,
    UnsafeStatistics,
    Weights,
    Where,
    layout_of,
)
from hudi_zorder.cli.opened_table import SparkOptions, opened
from hudi_zorder.cli.query_flags import EventLog, LoggedPath, QueriesFile, Since, given_queries
from hudi_zorder.cli.results import print_result
from hudi_zorder.errors import OptionError
from hudi_zorder.parallel import READERS

SampleRows = Annotated[
    int | None, typer.Option(help="Rows to look at; more where many files need them.")
]


@app.command(epilog="Example: hudi-zorder plan /lake/orders --columns customer,day")
def plan(
    path: TablePath,
    columns: Columns = None,
    where: Where = None,
    strategy: Strategy = None,
    target_file_size: FileSize = None,
    weights: Weights = None,
    mode: Mode = "incremental",
    unsafe_statistics: UnsafeStatistics = OfUnsafe.WARN,
    queries: QueriesFile = None,
    event_log: EventLog = None,
    since: Since = None,
    logged_path: LoggedPath = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """What cluster would rewrite now, why, what it gains, with Spark; writes nothing."""
    given = given_queries(queries, event_log, since, path, logged_path)
    layout = layout_of(columns, strategy, target_file_size, weights, mode)
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf, readers=readers) as table:
        found = table.plan(
            queries=given,
            where=where,
            hudi_options=settings,
            unsafe_statistics=unsafe_statistics.value,
            **layout,
        )
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
    queries: QueriesFile = None,
    event_log: EventLog = None,
    since: Since = None,
    logged_path: LoggedPath = None,
    where: Where = None,
    target_file_size: FileSize = None,
    weights: Weights = None,
    sample_rows: SampleRows = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """What each layout would skip and cost, from a sample, with Spark; writes nothing."""
    given = given_queries(queries, event_log, since, path, logged_path)
    layout = layout_of(columns, None, target_file_size, weights, "incremental")
    settings = pairs_of("--hudi", hudi)
    sampled: dict[str, Any] = {} if sample_rows is None else {"sample_rows": sample_rows}
    with opened(path, conf, readers=readers) as table:
        found = table.forecast(
            **layout,
            queries=given,
            predicates=predicates or (),
            where=where,
            hudi_options=settings,
            **sampled,
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
    queries: QueriesFile = None,
    event_log: EventLog = None,
    since: Since = None,
    logged_path: LoggedPath = None,
    where: Where = None,
    max_columns: Annotated[int | None, typer.Option(help="The largest set to try; 4.")] = None,
    target_file_size: FileSize = None,
    sample_rows: SampleRows = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """The columns and weights by which queries read least, with Spark; writes nothing."""
    given = given_queries(queries, event_log, since, path, logged_path, query or ())
    if given is None:
        raise OptionError(
            "Cannot read queries: there are none; give '--query', '--queries FILE' or '--event-log'"
        )
    flags = {
        "max_columns": max_columns,
        "target_file_size": target_file_size,
        "sample_rows": sample_rows,
    }
    chosen: dict[str, Any] = {name: flag for name, flag in flags.items() if flag is not None}
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf, readers=readers) as table:
        found = table.recommend(
            given,
            where=where,
            hudi_options=settings,
            **chosen,
        )
    print_result(found, output)
