"""What the command line prints: tables for people, JSON for programs.

With ``--output json`` every verb prints one JSON object; ``python/JSON.md`` has its members. Values
that JSON does not know are texts, and bytes are hexadecimal.

An error is one line on the standard error; with ``--output json`` it is ``{"error": {"kind": ...,
"message": ...}}``, there too.
"""

from __future__ import annotations

import datetime as dt
import math
import posixpath
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from rich.console import RenderableType
from rich.text import Text

from hudi_zorder.cli.streams import json_for
from hudi_zorder.screen import NamedRows, console, visible
from hudi_zorder.stats.stats_table import ColumnTotal, totals
from hudi_zorder.texts import plural, readable_size, show

if TYPE_CHECKING:
    import pyarrow as pa


_NUMBERS: Final = {"nulls": "null_count", "bytes": "bytes"}


def print_json(document: Mapping[str, Any]) -> None:
    """Prints a document as JSON."""
    sys.stdout.write(json_for(sys.stdout, _plain(document), indent=2) + "\n")


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


def print_parts(parts: Iterable[RenderableType]) -> None:
    """Prints what a result shows."""
    show(console(), parts)


def print_stats(files: pa.Table, columns: Sequence[ColumnTotal], *, per_file: bool) -> None:
    """Prints statistics by column, or by file and column."""
    out = console()
    if per_file:
        for number, place in enumerate(files.select(["partition", "file", "rows"]).to_pylist()):
            out.print(
                Text(posixpath.join(place["partition"], place["file"]), "bold"), soft_wrap=True
            )
            out.print(_rows(place["rows"]))
            out.print(_stats_table(totals(files.slice(number, 1))))
    else:
        out.print(_stats_table(columns))
        if columns:
            out.print(f"{_rows(columns[0].rows)} in {plural(columns[0].files, 'file')}.")
    out.print(f"Read from {files.schema.metadata[b'source'].decode()}.")
    with_logs = sum(count > 0 for count in files["log_files"].to_pylist())
    if with_logs:
        out.print(
            f"{plural(with_logs, 'file has', 'files have')} log files: values before the merge."
        )


def _stats_table(columns: Iterable[ColumnTotal]) -> NamedRows:
    table = NamedRows(["column", "min", "max"], list(_NUMBERS))
    for part in columns:
        numbers = (_cell(name, getattr(part, name)) for name in _NUMBERS.values())
        table.add_row(Text(part.column), _value(part.min), _value(part.max), *numbers)
    return table


def _value(value: Any) -> Text:
    if value is None:
        return Text("-", "dim")
    text = str(_plain(value))
    return Text(visible(text.replace("+00:00", "Z") if isinstance(value, dt.datetime) else text))


def _rows(number: int | None) -> str:
    return "[dim]unknown[/] rows" if number is None else plural(number, "row")


def _cell(name: str, number: int | None) -> str:
    if number is None:
        return "[dim]unknown[/]"
    return readable_size(number) if name == "bytes" else f"{number:,}"
