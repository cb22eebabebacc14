"""What results are printed on and in: consoles, and tables as narrow as these may be."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, TextIO

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

WIDTH: Final = 80
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_LINES: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_LEAST: Final = 12  # columns of a text that is broken: of fewer it cannot be read


class _Console(Console):
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """Renders, but for what a terminal would take for a command: values of a table hold any."""
        for segment in super().render(renderable, options):
            if segment.control or not _CONTROL_IN_LINES.search(segment.text):
                yield segment
            else:
                yield Segment(visible_lines(segment.text), segment.style)

    def print(self, *objects: Any, **how: Any) -> None:
        """Prints, to a file or a pipe without the blanks that rich fills lines up with."""
        if self.is_terminal or self.record:
            super().print(*objects, **how)
            return
        with self.capture() as captured:
            super().print(*objects, **how)
        self.file.write(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE))

    def on_broken_pipe(self) -> None:
        """Leaves the end of the process to whoever prints."""
        raise BrokenPipeError


def console(**how: Any) -> Console:
    """Returns a console as wide as its terminal or ``COLUMNS``, 80 columns where there is neither.

    It prints texts as they are: rich would make a picture of ``:100:``, which may be a value. In a
    notebook, too, it prints where it is told to: rich would show each part as an output of its own.

    Args:
        **how: what else rich's Console takes, such as ``stderr=True``.
    """
    made = _Console(highlight=False, emoji=False, force_jupyter=False, **how)
    chosen = "width" in how or os.environ.get("COLUMNS", "").isdigit()
    if not chosen and not made.file.isatty():
        made.width = WIDTH  # rich takes that of a terminal that another stream is on
    return made


class _Lasting:
    """A terminal that may go away while work is shown on it: that goes on."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Writes a text if that is possible."""
        with suppress(OSError, ValueError):
            self._terminal.write(text)
        return len(text)

    def flush(self) -> None:
        """Writes what is not written yet, if that is possible."""
        with suppress(OSError, ValueError):
            self._terminal.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._terminal, name)


def passing_console() -> Console:
    """Returns a console on the standard error for what is shown of work while it lasts."""
    # Within another such display rich has put a stream of its own in its place.
    terminal: TextIO = getattr(sys.stderr, "rich_proxied_file", sys.stderr)
    return console(file=_Lasting(terminal))


def visible(text: str) -> str:
    r"""Returns a text in one line, control characters spelt as Python does, such as ``\x1b``."""
    return _CONTROL.sub(_spelt, text)


def visible_lines(text: str) -> str:
    """Returns the same, but for the ends of lines."""
    return _CONTROL_IN_LINES.sub(_spelt, text)


def _spelt(control: re.Match[str]) -> str:
    return control[0].encode("unicode_escape").decode("ascii")


class NamedRows:
    """A table of columns of text, which is broken where it must be, then of numbers.

    Where that is too narrow, each row is a block: what names it, and below the rest, each with the
    name of its column.

    Args:
        left: the names of the columns of text.
        right: those of the numbers.
        spaced: whether there are empty lines around it and between its sections.
    """

    def __init__(self, left: Sequence[str], right: Sequence[str], *, spaced: bool = True) -> None:
        self._left = tuple(left)
        self._names = (*left, *right)
        self._spaced = spaced
        self._sections: list[list[list[Text]]] = [[]]

    def add_row(self, *cells: str | Text) -> None:
        """Adds a row; a text of Python's is rich's markup."""
        self._sections[-1].append([_cell(cell) for cell in cells])

    def add_section(self) -> None:
        """Divides the rows that follow from those so far."""
        self._sections.append([])

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields a table where there is room for one."""
        if self._least_width() > options.max_width:
            yield from self._blocks()
        elif self._spaced:
            yield self._table()
        else:
            for line in console.render_lines(self._table(), options, pad=False):
                if any(segment.text.strip() for segment in line):
                    yield from (*line, Segment.line())

    def _least_width(self) -> int:
        """Returns the least columns in which no number is cut, and text can be read."""
        rows = [row for section in self._sections for row in section]
        width = 2 * len(self._names)  # blanks between columns, and around them
        for number, name in enumerate(self._names):
            cells = (*name.split("\n"), *(row[number].plain for row in rows))
            natural = max(Text(cell).cell_len for cell in cells)
            width += min(natural, _LEAST) if self._is_broken(number) else natural
        return width

    def _is_broken(self, number: int) -> bool:
        return number < len(self._left) and self._names[number] != "instant"

    def _table(self) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        for number, name in enumerate(self._names):
            if number < len(self._left):
                table.add_column(name, overflow="fold", no_wrap=not self._is_broken(number))
            else:
                table.add_column(name, justify="right", no_wrap=True)
        for section in self._sections:
            for row in section:
                table.add_row(*row)
            table.add_section()
        return table

    def _blocks(self) -> Iterator[RenderableType]:
        if self._spaced:
            yield ""
        for row in (row for section in self._sections for row in section):
            yield row[0]
            rest = [
                Text.assemble(name.replace("\n", " "), " ", cell)
                for name, cell in zip(self._names[1:], row[1:], strict=True)
                if cell.plain
            ]
            if rest:
                yield Padding(Text(", ").join(rest), (0, 0, 0, 2), expand=False)
        if self._spaced:
            yield ""


def _cell(cell: str | Text) -> Text:
    if isinstance(cell, str):
        return Text.from_markup(visible(cell), emoji=False)
    return Text(visible(cell.plain), cell.style) if _CONTROL.search(cell.plain) else cell
