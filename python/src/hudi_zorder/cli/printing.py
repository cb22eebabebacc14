"""What the command line prints: tables for people, JSON for programs.

With ``--output json`` every verb prints one JSON object; ``python/JSON.md`` has its members. Values
that JSON does not know are texts, and bytes are hexadecimal.

An error is one line on the standard error; with ``--output json`` it is ``{"error": {"kind": ...,
"message": ...}}``, there too.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from hudi_zorder.texts import console, plural, readable_size

if TYPE_CHECKING:
    import pyarrow as pa

    from hudi_zorder.hudi.history import PastClustering, PendingClustering
    from hudi_zorder.skipping.audit_report import Audit
    from hudi_zorder.skipping.report import Level, SkippingReport
    from hudi_zorder.stats.clustering_information import ClusteringInformation

_SHOWN_FILES: Final = 20
_NUMBERS: Final = {"nulls": "null_count", "bytes": "bytes"}


def print_json(document: Mapping[str, Any]) -> None:
    """Prints a document as JSON."""
    sys.stdout.write(json.dumps(_plain(document), indent=2, ensure_ascii=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.date):  # datetime, too
        return value.isoformat()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def print_stats(files: pa.Table, columns: pa.Table, *, per_file: bool) -> None:
    """Prints statistics by column, or by file and column."""
    out = console()
    if per_file:
        for place, rows in _by_file(files.to_pylist()).items():
            out.print(escape(place), style="bold", soft_wrap=True)
            out.print(f"{rows[0]['rows']:,} rows")
            out.print(_stats_table(rows))
    else:
        rows = columns.to_pylist()
        out.print(_stats_table(rows))
        if rows:
            out.print(f"{rows[0]['rows']:,} rows in {plural(rows[0]['files'], 'file')}.")
    metadata = files.schema.metadata
    with_logs = json.loads(metadata[b"files_with_logs"])
    out.print(f"Read from {metadata[b'source'].decode()}.")
    if with_logs:
        out.print(
            f"{len(with_logs)} files have log files: these are their values before the merge."
        )


def _by_file(stats: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in stats:
        found.setdefault(f"{row['partition']}/{row['file']}".lstrip("/"), []).append(row)
    return found


def _stats_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    table = _table(["column", "min", "max"], list(_NUMBERS))
    for row in rows:
        numbers = (_cell(name, row[name]) for name in _NUMBERS.values())
        table.add_row(escape(row["column"]), _value(row["min"]), _value(row["max"]), *numbers)
    return table


def _value(value: Any) -> str:
    return "[dim]-[/]" if value is None else escape(str(_plain(value)).replace("+00:00", "Z"))


def _cell(name: str, number: int | None) -> str:
    if number is None:
        return "[dim]unknown[/]"
    return readable_size(number) if name == "bytes" else f"{number:,}"


def print_report(report: SkippingReport, *, all_files: bool) -> None:
    """Prints what a predicate skips."""
    out = console()
    numbers = ["total", "skipped", "left", "rows left", "bytes left"]
    out.print(escape(report.predicate), style="bold")
    table = _table([""], numbers)
    for name, level in (
        ("partitions", report.partition_level),
        ("files", report.file_level),
        ("row groups", report.row_group_level),
        ("pages", report.page_level),
    ):
        table.add_row(name, *_level(level))
    out.print(table)
    out.print(" ".join(f"{name} {count:,} " for name, count in report.impala.items()))
    out.print(f"Share of rows in files that are read: {report.share_read:.4f}")
    out.print(_verdict(report), end="")
    for text, reason in report.unusable:
        out.print(f"[yellow]Not usable:[/] {escape(text)} ({escape(reason)})")
    for note in report.notes:
        out.print(escape(note))
    _print_files(out, report, all_files=all_files)
    if report.audit is not None:
        _print_audit(out, report.audit)


def _print_audit(out: Console, audit: Audit) -> None:
    for number, line in enumerate(audit.lines()):
        style = "" if number else "bold green" if audit.passed else "bold red"
        out.print(escape(line), style=style, soft_wrap=True)


def _level(level: Level) -> list[str]:
    counts = (level.total, level.skipped, level.total - level.skipped, level.rows_left)
    return [*(f"{count:,}" for count in counts), readable_size(level.bytes_left)]


def _verdict(report: SkippingReport) -> str:
    if report.independent_share is None or report.score is None:
        return ""
    columns = ", ".join(report.laid_out_by)
    return (
        f"(a grid by {escape(columns)}, if independent: {report.independent_share:.4f}, "
        f"score {report.score:.2f})\n"
    )


def _print_files(out: Console, report: SkippingReport, *, all_files: bool) -> None:
    files = report.files if all_files else report.kept[:_SHOWN_FILES]
    for file in files:
        place = f"{file.partition}/{file.file}" if file.partition else file.file
        state = f"skipped by {file.skipped_by}" if file.skipped_by else "read"
        out.print(f"[bold]{state}[/] {escape(place)}", soft_wrap=True)
        out.print(Padding(escape(file.reason), (0, 0, 0, 2), expand=False))
    more = len(report.kept) - len(files)
    if more > 0:
        out.print(f"and {more:,} more; --files shows all, with those that are skipped")


def print_information(information: ClusteringInformation) -> None:
    """Prints how well a table is clustered."""
    out = console()
    out.print(
        f"{information.total_files:,} files, {information.total_rows:,} rows, "
        f"{readable_size(information.total_bytes)}"
    )
    if information.files_with_logs:
        out.print(f"{information.files_with_logs:,} files have log files, and are always read")
    numbers = ["score", "share\nread", "bytes\nread", "average\noverlap", "average\ndepth"]
    table = _table(["column"], [*numbers, "constant\nfiles", "unknown\nfiles"])
    for part in information.by_column:
        table.add_row(
            escape(part.column),
            f"{part.score:.2f}",
            f"{part.share_read:.4f}",
            f"{part.bytes_read:.4f}",
            f"{part.average_overlap:.1f}",
            f"{part.average_depth:.1f}",
            f"{part.constant_files:,}",
            f"{part.unknown_files:,}",
        )
    table.add_section()
    table.add_row(
        "all",
        f"[bold]{information.score:.2f}[/]",
        f"{information.share_read:.4f}",
        "",
        f"{information.average_overlap:.1f}",
        f"{information.average_depth:.1f}",
        f"{information.constant_files:,}",
        "",
    )
    out.print(table)
    out.print(
        "Score is share read as a multiple of what so many files allow for independent columns "
        f"({information.independent_share:.4f}); correlated ones can be below 1.00. Shares are of "
        "rows and bytes in files that an equality on an existing value cannot rule out, estimated "
        f"with the depths by {information.sampled_rows:,} sampled rows."
    )
    if information.sampled_files < information.total_files:
        files = f"{information.sampled_files:,} files"
        out.print(f"The average overlap in all columns is estimated by {files}.")
    out.print(_histogram("Depth, all columns", information.depth_histogram))
    for part in information.by_column if len(information.by_column) > 1 else ():
        out.print(_histogram(f"Depth, {part.column}", part.depth_histogram))
    if information.advice:
        out.print("To better it:")
        out.print(f"  [cyan]{escape(information.advice)}[/]", soft_wrap=True)


def _histogram(title: str, buckets: Mapping[str, float]) -> Table:
    table = Table(title=escape(title), title_justify="left", box=None, show_header=False)
    for bucket, share in buckets.items():
        table.add_row(bucket, f"{share:.3f}", "█" * round(share * 40))
    return table


def print_history(clusterings: Sequence[PastClustering]) -> None:
    """Prints the clusterings that are done."""
    if not clusterings:
        console().print("No clustering is recorded.")
        return
    table = _table(["instant", "columns", "strategy"], ["partitions", "files", "rows", "size"])
    for past in clusterings:
        table.add_row(
            past.instant,
            escape(", ".join(past.columns)) or "[dim]unknown[/]",
            past.strategy or "[dim]unknown[/]",
            f"{len(past.partitions):,}",
            f"{past.files_before:,} to {past.files_after:,}",
            f"{past.rows:,}",
            readable_size(past.bytes),
        )
    console().print(table)


def print_pending(clusterings: Sequence[PendingClustering]) -> None:
    """Prints the clusterings that are planned or under way."""
    if not clusterings:
        console().print("No clustering is pending.")
        return
    table = _table(["instant", "state", "columns"], ["partitions", "groups", "file groups"])
    for plan in clusterings:
        table.add_row(
            plan.instant,
            plan.state,
            escape(", ".join(plan.columns)) or "[dim]none[/]",
            f"{len(plan.partitions):,}",
            f"{plan.groups:,}",
            f"{len(plan.file_groups):,}",
        )
    console().print(table)


def _table(left: Sequence[str], right: Sequence[str]) -> Table:
    """Returns a table of columns of text, which is broken where it must be, then of numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in left:
        table.add_column(name, overflow="fold", no_wrap=name == "instant")
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table
