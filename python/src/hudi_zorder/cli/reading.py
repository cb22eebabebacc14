"""The verbs of ``hudi-zorder`` that only read, which start neither Spark nor Java."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hudi_zorder.cli.application import (
    Columns,
    Format,
    Output,
    Readers,
    TablePath,
    app,
    names_of,
    pairs_of,
)
from hudi_zorder.cli.layout_flags import HudiOptions
from hudi_zorder.cli.opened_table import SparkOptions, opened
from hudi_zorder.cli.query_flags import EventLog, LoggedPath, QueriesFile, Since, given_queries
from hudi_zorder.cli.results import (
    print_either,
    print_line,
    print_result,
    refuse_beside_json,
)
from hudi_zorder.cli.streams import failing_with
from hudi_zorder.errors import ExitCode, OptionError
from hudi_zorder.parallel import READERS
from hudi_zorder.progress import progress

if TYPE_CHECKING:
    from hudi_zorder.hudi.clusterings import PastClusterings, PendingClusterings
    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.skipping.skipping_report import SkippingReport


TimeZone = Annotated[
    str | None,
    typer.Option(help="The session's time zone, for times without one; any, when not given."),
]


class StatsSource(str, Enum):
    """Where statistics are from."""

    FOOTERS = "footers"
    INDEX = "index"
    AUTO = "auto"


class BoundsSource(str, Enum):
    """Where the bounds of files are from."""

    FOOTERS = "footers"
    INDEX = "index"


Bounds = Annotated[
    BoundsSource,
    typer.Option(
        "--source",
        help="Parquet footers, or the column-statistics index: sooner with many files, and footers "
        "only of those it does not tell of.",
    ),
]


class Picture(str, Enum):
    """What ``plot`` draws."""

    LAYOUT = "layout"
    DEPTH = "depth"
    SHARE = "share"


@app.command(epilog="Example: hudi-zorder stats s3://lake/orders --columns customer,day")
def stats(
    path: TablePath,
    columns: Columns = None,
    per_file: Annotated[bool, typer.Option("--per-file", help="Print every file.")] = False,
    source: Annotated[
        StatsSource,
        typer.Option(
            help="Parquet footers; the column-statistics index as it is; or the index, filled and "
            "corrected by footers."
        ),
    ] = StatsSource.FOOTERS,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Minimum, maximum, nulls, rows and bytes of columns, from footers or Hudi's index."""
    from hudi_zorder.cli import printing
    from hudi_zorder.stats.column_stats import column_stats
    from hudi_zorder.stats.stats_table import rows_of, totals

    refuse_beside_json("--per-file", per_file, output)
    with progress("Reading statistics"):
        files = column_stats(_open(path, readers), names_of(columns), source.value)
        by_column = totals(files)
    if output is Format.TABLE:
        printing.print_stats(files, by_column, per_file=per_file)
        return
    printing.print_json(
        {
            "table": path,
            "source": files.schema.metadata[b"source"].decode(),
            "note": files.schema.metadata[b"note"].decode(),
            "columns": [asdict(total) for total in by_column],
            "files": rows_of(files),
        }
    )


@app.command(epilog="Example: hudi-zorder explain /lake/orders \"customer = 7 AND day > '2026'\"")
def explain(
    path: TablePath,
    predicate: Annotated[str, typer.Argument(help="A condition in Spark's SQL, as after WHERE.")],
    time_zone: TimeZone = None,
    select: Annotated[
        list[str] | None,
        typer.Option(help="Columns whose pages count, or *; the predicate's when not given."),
    ] = None,
    files: Annotated[bool, typer.Option("--files", "--per-file", help="Print every file.")] = False,
    audit: Annotated[
        bool,
        typer.Option(
            "--audit",
            help="Prove with Spark, by reading the whole table, that skipping loses no row, here "
            "and in Hudi; the exit code is 3 when it does.",
        ),
    ] = False,
    hudi: HudiOptions = None,
    conf: SparkOptions = None,
    source: Bounds = BoundsSource.FOOTERS,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Which partitions, files, row groups and pages a condition skips, and why the rest is read."""
    from hudi_zorder.skipping import explain as skipping

    refuse_beside_json("--files", files, output)
    if (conf or hudi) and not audit:
        flag = "--conf" if conf else "--hudi"
        raise OptionError(f"Cannot explain: '{flag}' is for Spark; give '--audit', too")
    settings = pairs_of("--hudi", hudi)
    if audit:
        skipping.require_footers(source.value)
    with progress("Reading the table" if audit else "Reading statistics"):
        if audit:
            report = _audited(path, predicate, time_zone, names_of(select), conf, settings, readers)
        else:
            report = skipping.explain(
                _open(path, readers),
                predicate,
                time_zone=time_zone,
                select=names_of(select),
                source=source.value,
            )
    proven = report.audit is None or report.audit.passed
    with failing_with(ExitCode.DONE if proven else ExitCode.ROWS_LOST):
        print_either(report.to_dict, partial(report.parts, all_files=files), output)


@app.command(epilog="Example: hudi-zorder info /lake/orders --columns customer,day")
def info(
    path: TablePath,
    columns: Columns = None,
    queries: QueriesFile = None,
    event_log: EventLog = None,
    since: Since = None,
    logged_path: LoggedPath = None,
    time_zone: TimeZone = None,
    source: Bounds = BoundsSource.FOOTERS,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """How well the table is clustered, by any columns; by default those of its last clustering.

    With queries it also tells whether these still fit the layout.
    """
    from hudi_zorder.hudi_table import HudiTable
    from hudi_zorder.predicate.binding import checked_time_zone

    checked_time_zone(time_zone)
    given = given_queries(queries, event_log, since, path, logged_path)
    snapshot = _open(path, readers)
    with progress("Reading statistics"):
        found = HudiTable(snapshot).clustering_information(
            names_of(columns), queries=given, time_zone=time_zone, source=source.value
        )
    print_result(found, output)


@app.command(epilog="Example: hudi-zorder history /lake/orders --output json")
def history(path: TablePath, readers: Readers = READERS, output: Output = Format.TABLE) -> None:
    """The clusterings that are done."""
    from hudi_zorder.hudi.history import history as past

    with progress("Reading the timeline"):
        found = past(_open(path, readers))
    _print_clusterings(path, found, output)


@app.command(epilog="Example: hudi-zorder pending /lake/orders")
def pending(path: TablePath, readers: Readers = READERS, output: Output = Format.TABLE) -> None:
    """The clusterings that are planned or under way."""
    from hudi_zorder.hudi.pending_plans import pending as plans

    found = plans(_open(path, readers))
    _print_clusterings(path, found, output)


@app.command(epilog="Example: hudi-zorder queries /spark/events --table /lake/orders")
def queries(
    event_log: Annotated[str, typer.Argument(help="A Spark event log, or a folder of them.")],
    table: Annotated[str | None, typer.Option(help="The one table whose queries to show.")] = None,
    since: Since = None,
    output: Output = Format.TABLE,
) -> None:
    """By which conditions Hudi tables were read, how often, and what that cost."""
    from hudi_zorder.eventlog.reader import queries_from_event_log
    from hudi_zorder.hudi.filesystem import absolute

    found = queries_from_event_log(event_log, since=since)
    if table is not None:
        found = found.for_table(absolute(table))
    print_result(found, output)


@app.command(epilog="Example: hudi-zorder plot /lake/orders -c customer,day --to layout.svg")
def plot(
    path: TablePath,
    columns: Columns = None,
    kind: Annotated[
        Picture,
        typer.Option(help="Boxes of files in two columns, rows by depth, or share read by column."),
    ] = Picture.LAYOUT,
    to: Annotated[Path, typer.Option("--to", "-o", help="The picture: PNG, SVG or PDF.")] = Path(
        "layout.png"
    ),
    before: Annotated[
        str,
        typer.Option(
            help="Draw the layout before this clustering, too: last (when its files are still "
            "there), an instant, or none."
        ),
    ] = "last",
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Draws the table's layout; needs the extra plots."""
    from hudi_zorder.hudi.history import chosen_columns
    from hudi_zorder.pictures import plots
    from hudi_zorder.stats.clustering_information import clustering_information

    if before != "last" and kind is not Picture.LAYOUT:
        raise OptionError(
            f"Cannot draw a picture: '--before' was '{before}', which is for '--kind layout'; "
            "leave out one of the two"
        )
    snapshot = _open(path, readers)
    names = chosen_columns(snapshot, names_of(columns))
    with progress("Drawing"):
        if kind is Picture.LAYOUT:
            if len(names) < 2 or (columns and len(names) > 2):
                raise OptionError(
                    f"Cannot draw a layout: 'columns' was '{','.join(names)}'; name two columns"
                )
            earlier = None if before == "none" else before
            plots.plot_layout(snapshot, names[0], names[1], to, earlier)
        else:
            found = clustering_information(snapshot, names)
            draw = plots.plot_depth if kind is Picture.DEPTH else plots.plot_shares
            draw(found, to)
    print_line({"table": path, "kind": kind.value, "picture": str(to)}, to, output)


@app.command(epilog="Example: hudi-zorder report /lake/orders -o report.html")
def report(
    path: TablePath,
    to: Annotated[Path, typer.Option("--to", "-o", help="The HTML file.")] = Path("report.html"),
    columns: Columns = None,
    readers: Readers = READERS,
    output: Output = Format.TABLE,
) -> None:
    """Writes pictures, information and history as one HTML file; needs the extra plots."""
    from hudi_zorder.pictures.html_report import write_report

    with progress("Drawing"):
        write_report(_open(path, readers), to, names_of(columns))
    print_line({"table": path, "report": str(to)}, to, output)


def _print_clusterings(
    path: str, found: PastClusterings | PendingClusterings, output: Format
) -> None:
    print_either(
        lambda: {"table": path, "clusterings": [each.to_dict() for each in found]},
        found.parts,
        output,
    )


def _open(path: str, readers: int = READERS) -> TableSnapshot:
    from hudi_zorder.hudi.snapshot import TableSnapshot

    return TableSnapshot.open(path, readers=readers)


def _audited(
    path: str,
    predicate: str,
    time_zone: str | None,
    select: Sequence[str] | None,
    conf: Sequence[str] | None,
    settings: Mapping[str, str],
    readers: int,
) -> SkippingReport:
    """Explains and audits a predicate, with Spark."""
    from hudi_zorder.predicate.binding import checked_time_zone

    checked_time_zone(time_zone)
    zone = [f"spark.sql.session.timeZone={time_zone}"] if time_zone else []
    with opened(path, [*(conf or ()), *zone], readers=readers) as table:
        return table.explain(predicate, select=select, audit=True, hudi_options=settings)
