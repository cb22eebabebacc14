"""What a verb of ``hudi-zorder`` has found or done, printed as it was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import typer

from hudi_zorder.cli.application import Format
from hudi_zorder.errors import OptionError

# What prints is imported when there is something to print: Spark starts without it.
if TYPE_CHECKING:
    from rich.console import RenderableType


class Result(Protocol):
    """What can be printed in either form."""

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON's own types."""

    def parts(self) -> Iterable[RenderableType]:
        """Yields what is shown, one below the other."""


def print_result(result: Result, output: Format) -> None:
    """Prints a result that is an object of JSON by itself."""
    print_either(result.to_dict, result.parts, output)


def print_either(
    document: Callable[[], Mapping[str, Any]],
    parts: Callable[[], Iterable[RenderableType]],
    output: Format,
) -> None:
    """Prints the one of two forms that was asked for; the other one is not made."""
    from hudi_zorder.cli import printing

    if output is Format.JSON:
        printing.print_json(document())
    else:
        printing.print_parts(parts())


def print_line(document: Mapping[str, Any], line: object, output: Format) -> None:
    """Prints what is one line, as it is, unless JSON was asked for."""
    if output is Format.JSON:
        from hudi_zorder.cli import printing

        printing.print_json(document)
    else:
        typer.echo(line)


def refuse_beside_json(flag: str, given: bool, output: Format) -> None:
    """Refuses a flag that shows every file beside JSON, which has every file.

    Raises:
        OptionError: where both were given.
    """
    if given and output is Format.JSON:
        raise OptionError(
            f"Cannot print JSON: '{flag}' is for '--output table'; the JSON has every file; leave "
            "it out"
        )
