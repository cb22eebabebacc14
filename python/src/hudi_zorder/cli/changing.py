"""The verbs of ``hudi-zorder`` that change a table, for which they start Spark."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hudi_zorder.cli.application import Columns, Format, Output, TablePath, app, names_of, pairs_of
from hudi_zorder.cli.query_flags import EventLog, QueriesFile, given_queries
from hudi_zorder.errors import ExitCode, HudiZOrderError, OptionError

if TYPE_CHECKING:
    from hudi_zorder.clustering.clustering_plan import ClusteringPlan
    from hudi_zorder.clustering.result import ClusteringResult
    from hudi_zorder.forecast.report import Forecast
    from hudi_zorder.options import ZOrderOptions
    from hudi_zorder.recommendation.report import Recommendation
    from hudi_zorder.skipping.report import SkippingReport
    from hudi_zorder.table import ZOrderTable

HudiOptions = Annotated[
    list[str] | None,
    typer.Option("--hudi", metavar="KEY=VALUE", help="A Hudi option; can be given repeatedly."),
]
SparkOptions = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A Spark setting; can be given repeatedly."),
]


class OfUnsafe(str, Enum):
    """What to do about statistics by which Hudi loses rows."""

    WARN = "warn"
    REFUSE = "refuse"
    LEAVE_OUT = "leave-out"


Where = Annotated[str | None, typer.Option(help="A condition on partition columns alone.")]
Strategy = Annotated[str, typer.Option(help="ZORDER, HILBERT or LINEAR.")]
FileSize = Annotated[str, typer.Option(help="Size of a full file, such as 128MB.")]
Mode = Annotated[str, typer.Option(help="incremental: what is new; full: every file again.")]
UnsafeStatistics = Annotated[
    OfUnsafe,
    typer.Option(help="Of columns by whose statistics Hudi would lose rows, such as with a NaN."),
]
Weights = Annotated[str | None, typer.Option(help="Weights of columns, such as customer=2,day=1.")]


@app.command(epilog="Example: hudi-zorder cluster /lake/orders --columns customer,day")
def cluster(
    path: TablePath,
    columns: Columns = None,
    where: Where = None,
    strategy: Strategy = "ZORDER",
    target_file_size: FileSize = "128MB",
    weights: Weights = None,
    mode: Mode = "incremental",
    unsafe_statistics: UnsafeStatistics = OfUnsafe.WARN,
    queries: QueriesFile = None,
    event_log: EventLog = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Clusters the table, with Spark: plans, rewrites files and commits."""
    given = given_queries(queries, event_log, path)
    layout = layout_of(columns, strategy, target_file_size, weights, mode, asked=bool(given))
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf, clusters=True) as table:
        result = table.cluster(
            queries=given,
            where=where,
            hudi_options=settings,
            unsafe_statistics=unsafe_statistics.value,
            **layout,
        )
        print_result(result, output)


@app.command(epilog="Example: hudi-zorder schedule /lake/orders --columns customer,day")
def schedule(
    path: TablePath,
    columns: Columns = None,
    where: Where = None,
    strategy: Strategy = "ZORDER",
    target_file_size: FileSize = "128MB",
    weights: Weights = None,
    mode: Mode = "incremental",
    unsafe_statistics: UnsafeStatistics = OfUnsafe.WARN,
    queries: QueriesFile = None,
    event_log: EventLog = None,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Plans a clustering, with Spark, for execute here or elsewhere; prints its instant."""
    from hudi_zorder.cli import printing

    given = given_queries(queries, event_log, path)
    layout = layout_of(columns, strategy, target_file_size, weights, mode, asked=bool(given))
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf) as table:
        instant = table.schedule(
            queries=given,
            where=where,
            hudi_options=settings,
            unsafe_statistics=unsafe_statistics.value,
            **layout,
        )
    if output is Format.JSON:
        printing.print_json({"table": path, "instant": instant})
    else:
        typer.echo(instant or "Nothing to cluster.")


@app.command(epilog="Example: hudi-zorder execute /lake/orders 20261121113523590")
def execute(
    path: TablePath,
    instant: Annotated[str, typer.Argument(help="The plan's instant, as pending prints it.")],
    unsafe_statistics: UnsafeStatistics = OfUnsafe.WARN,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Executes a pending plan, with Spark."""
    settings = pairs_of("--hudi", hudi)
    with opened(path, conf, clusters=True) as table:
        result = table.execute(
            instant, hudi_options=settings, unsafe_statistics=unsafe_statistics.value
        )
        print_result(result, output)


@app.command(epilog="Example: hudi-zorder cancel /lake/orders 20261121113523590")
def cancel(
    path: TablePath,
    instant: Annotated[str, typer.Argument(help="The plan's instant, as pending prints it.")],
    force: Annotated[
        bool, typer.Option("--force", help="Although a process executes it, which then fails.")
    ] = False,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Drops a pending plan and what an attempt to execute it has written, with Spark."""
    from hudi_zorder.cli import printing

    settings = pairs_of("--hudi", hudi)
    with opened(path, conf) as table:
        table.cancel(instant, force=force, hudi_options=settings)
    if output is Format.JSON:
        printing.print_json({"table": path, "instant": instant})
    else:
        typer.echo(f"Cancelled {instant}.")


@app.command(epilog="Example: hudi-zorder repair /lake/orders")
def repair(
    path: TablePath,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what there is to do; needs no Spark.")
    ] = False,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    output: Output = Format.TABLE,
) -> None:
    """Rolls back what a crash or a restore has left of clusterings, with Spark."""
    from hudi_zorder.cli import printing

    settings = pairs_of("--hudi", hudi)
    if dry_run:
        from hudi_zorder.hudi.repairs import examine
        from hudi_zorder.hudi.snapshot import TableSnapshot

        found = examine(TableSnapshot.open(path))
    else:
        with opened(path, conf) as table:
            found = table.repair(hudi_options=settings)
    if output is Format.JSON:
        printing.print_json(found.to_dict())
    else:
        printing.print_parts(found.parts())


@app.command(epilog="Example: hudi-zorder demo /tmp/flights")
def demo(
    folder: Annotated[Path, typer.Argument(help="Where the table and the picture go.")] = Path(
        "hudi-zorder-demo"
    ),
) -> None:
    """Clusters real flights, with Spark, and shows what it changes; needs the extra demo."""
    from hudi_zorder.demo.walkthrough import run

    run(folder)


def audited(
    path: str,
    predicate: str,
    time_zone: str | None,
    select: Sequence[str] | None,
    conf: Sequence[str] | None,
) -> SkippingReport:
    """Explains and audits a predicate, with Spark."""
    from hudi_zorder.skipping.explain import checked_time_zone

    checked_time_zone(time_zone)
    zone = [f"spark.sql.session.timeZone={time_zone}"] if time_zone else []
    with opened(path, [*(conf or ()), *zone]) as table:
        return table.explain(predicate, select=select, audit=True)


def layout_options(
    columns: Sequence[str] | None,
    strategy: str,
    target_file_size: str,
    weights: str | None,
    mode: str = "incremental",
) -> ZOrderOptions:
    """Returns the options that flags mean; refuses weights that are no numbers."""
    from hudi_zorder.options import ZOrderOptions

    try:
        numbers = {
            name: float(weight)
            for name, weight in pairs_of("--weights", weights.split(",") if weights else ()).items()
        }
    except ValueError as fault:
        raise OptionError(
            f"Cannot read weights: '--weights' was '{weights}'; write numbers, such as a=2,b=1"
        ) from fault
    return ZOrderOptions(
        columns=names_of(columns) or [],
        strategy=strategy,
        target_file_size=target_file_size,
        column_weights=numbers,
        mode=mode,
    )


def layout_of(
    columns: Sequence[str] | None,
    strategy: str,
    target_file_size: str,
    weights: str | None,
    mode: str,
    *,
    asked: bool,
) -> dict[str, Any]:
    """Returns the layout that flags mean, as keywords of a call.

    Args:
        columns: the sort columns, which queries choose where they are given and these are not.
        strategy: of the layout.
        target_file_size: of its files.
        weights: of the columns.
        mode: of the plan.
        asked: whether there are queries.
    """
    if names_of(columns) or not asked:
        return {"options": layout_options(columns, strategy, target_file_size, weights, mode)}
    if weights:
        raise OptionError(
            f"Cannot read weights: '--weights' was '{weights}', and '--columns' was not given; "
            "name the columns, or leave the weights to the queries"
        )
    layout_options(["any"], strategy, target_file_size, None, mode)  # refused before Spark starts
    return {"strategy": strategy, "target_file_size": target_file_size, "mode": mode}


@contextlib.contextmanager
def opened(
    path: str, conf: Sequence[str] | None, *, clusters: bool = False
) -> Iterator[ZOrderTable]:
    """Opens a table with a Spark session of its own.

    What Spark and Hudi print goes to a file, which is kept and named when they fail.

    Args:
        path: the table's.
        conf: settings of Spark.
        clusters: whether it is to be clustered, which needs most of all classes.
    """
    settings = pairs_of("--conf", conf)
    from pyspark.sql import SparkSession

    from hudi_zorder.spark.command_jvm import for_one_command
    from hudi_zorder.spark.launch import started
    from hudi_zorder.spark.session import configure_spark
    from hudi_zorder.table import ZOrderTable

    builder = SparkSession.builder.appName("hudi-zorder").config("spark.ui.enabled", "false")
    for key, value in settings.items():
        builder = builder.config(key, value)
    builder = for_one_command(configure_spark(builder), keep_classes=clusters)
    with _log() as log:
        session = started(builder, log)
        try:
            yield ZOrderTable(session, path)
        finally:
            with contextlib.suppress(Exception):  # what was to be done is done, or has failed
                session.stop()


@contextlib.contextmanager
def _log() -> Iterator[Path]:
    """Yields a new file; removes it when nothing fails of which it may tell the reason."""
    descriptor, name = tempfile.mkstemp(prefix="hudi-zorder-", suffix=".log")
    os.close(descriptor)
    log = Path(name)
    try:
        yield log
    except HudiZOrderError as error:
        if error.exit_code is not ExitCode.USAGE:
            if name in str(error):
                raise
            raise type(error)(f"{error}. Spark's log is '{name}'") from error
        log.unlink()
        raise
    except BaseException:
        log.unlink()
        raise
    log.unlink()


def print_result(
    result: ClusteringPlan | ClusteringResult | Forecast | Recommendation, output: Format
) -> None:
    """Prints what a verb has found or done."""
    from hudi_zorder.cli import printing

    if output is Format.JSON:
        printing.print_json(result.to_dict())
    else:
        typer.echo(str(result))
