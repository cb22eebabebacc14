"""The verbs of ``hudi-zorder`` that change a table, for which they start Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from hudi_zorder.cli.results import print_line, print_result
from hudi_zorder.cli.streams import success_once_done
from hudi_zorder.errors import OptionError
from hudi_zorder.parallel import READERS

if TYPE_CHECKING:
    from hudi_zorder.clustering.result import ClusteringResult


@app.command(epilog="Example: hudi-zorder cluster /lake/orders --columns customer,day")
def cluster(
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
    """Clusters the table, with Spark: plans, rewrites files and commits."""
    given = given_queries(queries, event_log, since, path, logged_path)
    layout = layout_of(columns, strategy, target_file_size, weights, mode)
    settings = pairs_of("--hudi", hudi)
    with success_once_done() as done, opened(path, conf, clusters=True, readers=readers) as table:
        result = table.cluster(
            queries=given,
            where=where,
            hudi_options=settings,
            unsafe_statistics=unsafe_statistics.value,
            **layout,
        )
        done.what = _committed(result)
        print_result(result, output)


@app.command(epilog="Example: hudi-zorder schedule /lake/orders --columns customer,day")
def schedule(
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
    """Plans a clustering, with Spark, for execute here or elsewhere; prints its instant."""
    given = given_queries(queries, event_log, since, path, logged_path)
    layout = layout_of(columns, strategy, target_file_size, weights, mode)
    settings = pairs_of("--hudi", hudi)
    with success_once_done() as done:
        with opened(path, conf, readers=readers) as table:
            instant = table.schedule(
                queries=given,
                where=where,
                hudi_options=settings,
                unsafe_statistics=unsafe_statistics.value,
                **layout,
            )
            done.what = f"The clustering {instant} of '{path}' is planned" if instant else ""
        document = {"table": path, "instant": instant}
        print_line(document, instant or "Nothing to cluster.", output)


@app.command(epilog="Example: hudi-zorder execute /lake/orders 20261121113523590")
def execute(
    path: TablePath,
    instant: Annotated[str, typer.Argument(help="The plan's instant, as pending prints it.")],
    unsafe_statistics: UnsafeStatistics = OfUnsafe.WARN,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Executes a pending plan, with Spark."""
    settings = pairs_of("--hudi", hudi)
    with success_once_done() as done, opened(path, conf, clusters=True, readers=readers) as table:
        result = table.execute(
            instant, hudi_options=settings, unsafe_statistics=unsafe_statistics.value
        )
        done.what = _committed(result)
        print_result(result, output)


def _committed(result: ClusteringResult) -> str:
    if not result:
        return ""
    return f"The clustering {result.instant} of '{result.table}' is committed"


@app.command(epilog="Example: hudi-zorder cancel /lake/orders 20261121113523590")
def cancel(
    path: TablePath,
    instant: Annotated[str, typer.Argument(help="The plan's instant, as pending prints it.")],
    force: Annotated[
        bool, typer.Option("--force", help="Although a process executes it, which then fails.")
    ] = False,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Drops a pending plan and what an attempt to execute it has written, with Spark."""
    settings = pairs_of("--hudi", hudi)
    with success_once_done() as done:
        with opened(path, conf, readers=readers) as table:
            table.cancel(instant, force=force, hudi_options=settings)
            done.what = f"The plan {instant} of '{path}' is cancelled"
        print_line({"table": path, "instant": instant}, f"Cancelled {instant}.", output)


@app.command(epilog="Example: hudi-zorder repair /lake/orders")
def repair(
    path: TablePath,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what there is to do; needs no Spark.")
    ] = False,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Rolls back what a crash or a restore has left of clusterings, with Spark."""
    settings = pairs_of("--hudi", hudi)
    if dry_run and (hudi or conf):
        raise OptionError(
            f"Cannot repair: '{'--hudi' if hudi else '--conf'}' is for Spark, which '--dry-run' "
            "does without; leave out one of the two"
        )
    with success_once_done() as done:
        if dry_run:
            from hudi_zorder.hudi.crash_leftovers import examine
            from hudi_zorder.hudi.snapshot import TableSnapshot

            found = examine(TableSnapshot.open(path, readers=readers))
        else:
            with opened(path, conf, readers=readers) as table:
                found = table.repair(hudi_options=settings)
                done.what = f"The table '{path}' is repaired" if found else ""
        print_result(found, output)


@app.command(epilog="Example: hudi-zorder demo /tmp/flights")
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the table and the picture go.")] = Path(
        "hudi-zorder-demo"
    ),
) -> None:
    """Clusters real flights, with Spark, and shows what it changes; needs the extra demo."""
    from hudi_zorder.demo.walkthrough import run

    run(folder)
