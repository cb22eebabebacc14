"""What results are printed with: lines as wide as a console, numbers with their words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from io import StringIO
from textwrap import wrap
from typing import Any, Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from hudi_zorder.screen import WIDTH, console, visible_lines

# Not every terminal knows them.
SHORTENED: Final = "…"  # where a text has lost its middle
BAR: Final = "█"
_ASCII: Final = str.maketrans({SHORTENED: "~", BAR: "#"})


class Shown:
    """A result that says the same on a terminal, as text and in a notebook."""

    def __init_subclass__(cls) -> None:
        """Keeps the short ``__repr__``: a dataclass makes one only where its class has none.

        IPython takes the first class in order that has either of the two.
        """
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]
        cls._repr_pretty_ = cls._repr_pretty_  # type: ignore[method-assign]

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
        out = console(file=StringIO(), width=WIDTH, record=True)
        show(out, self.parts())
        html = out.export_html(inline_styles=True, code_format="<pre>{code}</pre>")
        return "\n".join(line.rstrip() for line in html.splitlines())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Prints the same in IPython on a terminal."""
        printer.text(str(self))


class Fitted:
    """Lines that are made for the width of the console that they are printed on.

    Args:
        lines: returns them for a width; a word that is longer goes beyond it.
    """

    def __init__(self, lines: Callable[[int], Iterable[str]]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yields the lines."""
        text = "\n".join(self._lines(options.max_width))
        if options.ascii_only:
            text = text.translate(_ASCII)
        yield Text(text, no_wrap=True, overflow="ignore")


def show(out: Console, parts: Iterable[RenderableType]) -> None:
    """Prints parts; a text that is not to be broken goes beyond the console's width."""
    for part in parts:
        out.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap), crop=False)


def whole(text: str, style: str = "") -> Text:
    """Returns a text that is not broken, such as a file's name or a command."""
    return Text(visible_lines(text), style, no_wrap=True)


def as_text(parts: Iterable[RenderableType]) -> str:
    """Returns parts as lines of at most 80 columns, without colours."""
    out = console(file=StringIO(), width=WIDTH, color_system=None, record=True)
    show(out, parts)
    return "\n".join(line.rstrip() for line in out.export_text().splitlines())


def noted(notes: Sequence[str], mark: str = "Note:") -> list[RenderableType]:
    """Returns notes as lines, the mark before each."""
    return [_broken(f"{mark} {note}.", further=" " * (len(mark) + 1)) for note in notes]


def item(text: str) -> Fitted:
    """Returns a sentence of a list as lines, but for words that are longer than these.

    It is indented by two columns, and what goes on in another line by four.
    """
    return _broken(text, "  ", "    ", break_words=False)


def and_more(total: int, shown: int) -> Iterator[str]:
    """Yields how many entries of a list are not shown below it, where not all are."""
    if total > shown:
        yield f"    and {total - shown:,} more"


def _broken(text: str, first: str = "", further: str = "", *, break_words: bool = True) -> Fitted:
    return Fitted(
        lambda width: wrap(
            text,
            max(width, len(further) + 1),
            initial_indent=first,
            subsequent_indent=further,
            break_long_words=break_words,
            break_on_hyphens=break_words,
        )
    )


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


def readable_share(share: float | None) -> str:
    """Returns a share of rows, or that it is unknown."""
    return "unknown" if share is None else f"{share:.3f}"


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
