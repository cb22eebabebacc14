"""What the verbs of ``hudi-zorder`` share: the application, options, errors as exit codes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from hudi_zorder import __version__
from hudi_zorder.errors import HudiZOrderError, OptionError, PredicateError

_FORMAT = "hudi_zorder.output"


class Format(str, Enum):
    """How a verb prints."""

    TABLE = "table"
    JSON = "json"


class _Verbs(TyperGroup):
    """Turns errors that are a user's to mend into one line and an exit code."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        try:
            return super().invoke(ctx)
        except (OptionError, PredicateError) as error:  # ColumnError, too
            _fail(ctx, error, 2)
        except HudiZOrderError as error:
            _fail(ctx, error, 1)
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            _fail(ctx, error, 1)


def _fail(ctx: typer.Context, error: Exception, code: int) -> NoReturn:
    if ctx.meta.get(_FORMAT) is Format.JSON:
        fault = {"kind": type(error).__name__, "message": str(error)}
        typer.echo(json.dumps({"error": fault}, ensure_ascii=False), err=True)
    else:
        typer.echo(f"Error: {error}", err=True)
    ctx.exit(code)


def _remember_format(ctx: typer.Context, chosen: Format) -> Format:
    ctx.meta[_FORMAT] = chosen
    return chosen


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hudi-zorder {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=_Verbs,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Z-order clustering for Apache Hudi: cluster a table, and see what it skips.",
)


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


TablePath = Annotated[str, typer.Argument(help="The table's folder, a path or URL.")]
Output = Annotated[
    Format,
    typer.Option("--output", help="What to print.", callback=_remember_format, is_eager=True),
]
Columns = Annotated[
    list[str] | None,
    typer.Option("--columns", "-c", help="Columns, comma-separated; a field of a struct as a.b."),
]


def names_of(given: Sequence[str] | None) -> list[str] | None:
    """Returns the names in comma-separated lists; None when none was given."""
    if given is None:
        return None
    return [name.strip() for names in given for name in names.split(",")]


def pairs_of(flag: str, given: Sequence[str] | None) -> dict[str, str]:
    """Returns what was given as ``key=value``.

    Raises:
        OptionError: for a text without a key; it names the flag.
    """
    pairs = {}
    for text in given or ():
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise OptionError(f"Cannot read an option: '{flag}' was '{text}'; write key=value")
        pairs[key.strip()] = value.strip()
    return pairs
