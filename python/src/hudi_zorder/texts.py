"""What results are printed with: lines of at most 80 columns, numbers with their words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from textwrap import wrap
from typing import Final

from rich.console import Console
from rich.table import Table

WIDTH: Final = 80


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leaves the end of the process to whoever prints."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Returns a console as wide as the terminal or ``COLUMNS``, 80 columns where there is neither.

    It prints texts as they are: rich would make a picture of ``:100:``, which may be a value.
    """
    return _Console(stderr=stderr, highlight=False, emoji=False)


def rendered(table: Table) -> str:
    """Returns a table of at most 80 columns as text."""
    out = StringIO()
    Console(file=out, width=WIDTH, color_system=None, emoji=False).print(table)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines() if line.strip())


def notes_as_lines(notes: Sequence[str], mark: str = "Note:") -> list[str]:
    """Returns notes as lines of at most 80 columns."""
    indent = " " * (len(mark) + 1)
    return [
        line for note in notes for line in wrap(f"{mark} {note}.", WIDTH, subsequent_indent=indent)
    ]


def plural(number: int, word: str, words: str = "") -> str:
    """Returns a number with its word."""
    return f"{number:,} {word if number == 1 else words or f'{word}s'}"


def readable_size(size: float) -> str:
    """Returns bytes in the largest unit that leaves a number of at least 1, such as ``1.5 MB``."""
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"


def duration(seconds: float) -> str:
    """Returns a time as people say it, such as ``25 s`` or ``3 min``."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 100 else f"{minutes / 60:.1f} h"


def summary(mapping: Mapping[str, float]) -> str:
    """Returns weights as the command line takes them."""
    return ",".join(f"{name}={weight:g}" for name, weight in mapping.items())
