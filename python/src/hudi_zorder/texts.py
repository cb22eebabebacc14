"""What results are printed with: lines of at most 80 columns, numbers with their words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from io import StringIO
from textwrap import wrap
from typing import Any, Final

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

WIDTH: Final = 80


class _Console(Console):
    def print(self, *objects: Any, **how: Any) -> None:
        """Prints, to a file or a pipe without the blanks that rich fills lines up with."""
        if self.is_terminal:
            super().print(*objects, **how)
            return
        with self.capture() as captured:
            super().print(*objects, **how)
        self.file.write(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE))

    def on_broken_pipe(self) -> None:
        """Leaves the end of the process to whoever prints."""
        raise BrokenPipeError


def console(*, stderr: bool = False) -> Console:
    """Returns a console as wide as the terminal or ``COLUMNS``, 80 columns where there is neither.

    It prints texts as they are: rich would make a picture of ``:100:``, which may be a value.
    """
    return _Console(stderr=stderr, highlight=False, emoji=False)


class Shown:
    """A result that says the same on a terminal, as text and in a notebook."""

    def __init_subclass__(cls) -> None:
        """Keeps the short ``__repr__``: a dataclass makes one only where its class has none."""
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    def parts(self) -> Iterable[RenderableType]:
        """Yields what is shown, one below the other."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Returns lines of at most 80 columns, but for those that are to be copied whole."""
        return as_text(self.parts())

    def __repr__(self) -> str:
        """Returns one line: the type, the table, and of what else a dataclass holds the numbers."""
        told = [type(self).__name__]
        dataclass: Any = self
        for name in (field.name for field in fields(dataclass)):
            value = getattr(self, name)
            if isinstance(value, tuple | list | Mapping):
                told.append(f"{name}={len(value)}")
            elif name == "table" or isinstance(value, int):
                told.append(f"{name}={value!r}")
        return f"<{' '.join(told)}>"

    def _repr_html_(self) -> str:
        """Returns the same for a notebook."""
        out = Console(file=StringIO(), width=WIDTH, highlight=False, emoji=False, record=True)
        show(out, self.parts())
        html = out.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
        return "\n".join(line.rstrip() for line in html.splitlines())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Prints the same in IPython on a terminal."""
        printer.text(str(self))


def show(out: Console, parts: Iterable[RenderableType]) -> None:
    """Prints parts; a text that is not to be broken goes beyond the console's width."""
    for part in parts:
        out.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def whole(text: str, style: str = "") -> Text:
    """Returns a text that is not broken, such as a file's name or a command."""
    return Text(text, style, no_wrap=True)


def as_text(parts: Iterable[RenderableType]) -> str:
    """Returns parts as lines of at most 80 columns, without colours."""
    out = Console(
        file=StringIO(), width=WIDTH, color_system=None, highlight=False, emoji=False, record=True
    )
    show(out, parts)
    return "\n".join(line.rstrip() for line in out.export_text().splitlines())


def rendered(table: Table) -> str:
    """Returns a table of at most 80 columns as text, without empty lines."""
    return "\n".join(line for line in as_text([table]).splitlines() if line)


def plain_table(left: Sequence[str], right: Sequence[str]) -> Table:
    """Returns a table of columns of text, which is broken where it must be, then of numbers."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for name in left:
        table.add_column(name, overflow="fold", no_wrap=name == "instant")
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def notes_as_lines(notes: Sequence[str], mark: str = "Note:") -> list[str]:
    """Returns notes as lines of at most 80 columns."""
    indent = " " * (len(mark) + 1)
    return [
        line for note in notes for line in wrap(f"{mark} {note}.", WIDTH, subsequent_indent=indent)
    ]


def item(text: str) -> Text:
    """Returns a sentence of a list as lines of at most 80 columns, but for words that are longer.

    It is indented by two columns, and what goes on in another line by four.
    """
    lines = wrap(
        text,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return whole("\n".join(lines))


def first_line(fault: BaseException) -> str:
    """Returns the first line of what an error says, which may be a hundred; its kind for none."""
    return next(iter(str(fault).strip().splitlines()), type(fault).__name__)


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


def reasons_in_words(counted: Mapping[str, int]) -> str:
    """Returns how many there are for each reason, such as ``6 new, 2 other layout``."""
    return ", ".join(f"{number:,} {reason.replace('_', ' ')}" for reason, number in counted.items())
