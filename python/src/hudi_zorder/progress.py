"""What a terminal shows of reading that takes a while; nothing in a pipe or a notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

_SHOWN: Final[ContextVar[Progress | None]] = ContextVar("_SHOWN", default=None)


def on_terminal() -> bool:
    """Tells whether the standard error is a terminal; it may be closed, or not be there at all."""
    errors = sys.stderr
    return errors is not None and not errors.closed and errors.isatty()


@contextmanager
def progress(text: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Shows on a terminal that work is going on; yields the function that says how much was done.

    Within another such block it is a line below that of the other.

    Args:
        text: what is done.
        total: how much there is to do; None when that is not known.
    """
    if not on_terminal():
        yield lambda _: None
        return
    outer = _SHOWN.get()
    if outer is not None:
        yield from _line(outer, text, total)
        return
    from rich.progress import MofNCompleteColumn

    shown = passing_bar(MofNCompleteColumn())
    token = _SHOWN.set(shown)
    try:
        with shown:
            yield from _line(shown, text, total)
    finally:
        _SHOWN.reset(token)


def passing_bar(count: ProgressColumn) -> Progress:
    """Returns a bar for a terminal, which leaves no line behind.

    Args:
        count: says how much is done, and of how much.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from hudi_zorder.screen import passing_console

    columns = (TextColumn("{task.description}"), BarColumn(), count, TimeElapsedColumn())
    return Progress(*columns, console=passing_console(), transient=True)


def _line(shown: Progress, text: str, total: int | None) -> Iterator[Callable[[int], None]]:
    from rich.markup import escape

    row = shown.add_task(escape(text), total=total)
    try:
        yield lambda count: shown.advance(row, count)
    finally:
        shown.remove_task(row)
