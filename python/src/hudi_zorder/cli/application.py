"""What the verbs of ``hudi-zorder`` share: the application, options, errors as exit codes."""

from __future__ import annotations

import shutil
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import fields
from enum import Enum
from itertools import pairwise
from textwrap import fill
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from hudi_zorder import __version__, options
from hudi_zorder.cli.streams import json_for, let_go, tell
from hudi_zorder.errors import ExitCode, HudiZOrderError, OptionError, not_installed
from hudi_zorder.options import FORECAST_KEYS, SIZE_LIMITS, ZOrderOptions
from hudi_zorder.progress import on_terminal

# By its version, Typer depends on click or has a copy of it.
_WrongUse: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
_EXIT_CODES: Final = {
    ExitCode.DONE: "done, or nothing to do",
    ExitCode.FAILED: "failed",
    ExitCode.USAGE: "wrong use",
    ExitCode.ROWS_LOST: "rows are lost or would be, by verify, explain --audit or a clustering",
    ExitCode.CONFLICT: "gave way to another writer or plan, nothing changed, try again",
    ExitCode.INTERRUPTED: "interrupted",
}
_FIELDS: Final = frozenset(field.name for field in fields(ZOrderOptions))


def show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Prints a warning of ours; those of libraries are not for the user."""
    if category.__module__.startswith("hudi_zorder"):
        tell(_wrapped(f"Warning: {message}"))


class Format(str, Enum):
    """How a verb prints."""

    TABLE = "table"
    JSON = "json"


class _Verbs(TyperGroup):
    """Turns whatever goes wrong into a message of our own and an exit code."""

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> Any:  # type: ignore[override]
        """Runs a verb, and ends the process unless ``standalone_mode`` is False."""
        given = list(sys.argv[1:] if args is None else args) or ["--help"]
        standalone = extra.pop("standalone_mode", True)
        report = _Report(as_json=_wants_json(given))
        code = self._run(given, extra, report)
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            let_go(sys.stdout)
        except OSError as error:  # such as of a disk that is full
            let_go(sys.stdout)
            code = code or report.fail(error, ExitCode.FAILED)
        try:
            sys.stderr.flush()
        except OSError:
            let_go(sys.stderr)
        if standalone:
            sys.exit(code)
        return code

    def _run(self, args: list[str], extra: dict[str, Any], report: _Report) -> int:
        try:
            return int(super().main(args, **extra, standalone_mode=False) or ExitCode.DONE)
        except SystemExit as end:
            # So rich, which prints the help, ends a process whose reader has seen enough.
            if isinstance(end.__context__, BrokenPipeError):
                return ExitCode.DONE
            raise
        except HudiZOrderError as error:
            return report.fail(error, error.exit_code)
        except _WrongUse as error:
            return report.fail(error, ExitCode.USAGE)
        except OSError as error:
            return report.fail(error, ExitCode.FAILED)
        except ModuleNotFoundError as error:
            return report.fail(not_installed("run this command", error), ExitCode.FAILED)
        except Exception as error:
            return report.fail(_unexpected(error), ExitCode.FAILED)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Runs a verb; turns into errors and codes of ours what Typer has its own for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise _Interrupted(str(interrupt) or "Interrupted") from interrupt
        except BrokenPipeError:  # the reader, such as head, has seen enough
            let_go(sys.stdout)
            return ExitCode.DONE


class _Interrupted(HudiZOrderError):
    """The user has interrupted the command."""

    exit_code = ExitCode.INTERRUPTED


class _Report:
    """Errors, on the standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def fail(self, error: Exception, code: ExitCode) -> ExitCode:
        """Prints an error, and returns the code."""
        kind = type(error).__name__.lstrip("_")
        usage = isinstance(error, _WrongUse)
        text = error.format_message() if usage else str(error)  # type: ignore[attr-defined]
        if usage:  # some versions of Typer say whose error it is to them
            text = text.replace(": Value error, ", ": ", 1)
        if key := _hudi_key(error):
            text = f"{text.rstrip('.')}; give it as '--hudi {key}'"
        if self._as_json:
            fault = {"error": {"kind": kind, "message": text}}
            tell(json_for(sys.stderr, fault))
            return code
        context = getattr(error, "ctx", None)
        lines = [text if isinstance(error, _Interrupted) else f"Error: {text}"]
        if usage and context is not None:
            lines.append(f"Try '{context.command_path} --help'.")
        for line in lines:
            tell(_wrapped(line))
        return code


def _hudi_key(error: Exception) -> str:
    """Returns what ``--hudi`` takes in place of a flag that a verb lacks: Python has the name."""
    if type(error).__name__ != "NoSuchOption":
        return ""
    flag: str = error.option_name  # type: ignore[attr-defined]
    name = flag.strip("-").replace("-", "_")
    verb = error.ctx.command  # type: ignore[attr-defined]
    taken = {parameter.name for parameter in verb.params}
    key = options.COLUMN_STATS_LIST if name == "stats_columns" else vars(options).get(name.upper())
    if not {"hudi", "target_file_size"} <= taken or not key or name not in _FIELDS:
        return ""
    if "sample_rows" in taken and key not in FORECAST_KEYS:
        return ""
    return f"{key}={'BYTES' if name in SIZE_LIMITS else 'VALUE'}"


def _wants_json(args: Sequence[str]) -> bool:
    """Tells what ``--output`` says, also of a command line that cannot be parsed."""
    return "--output=json" in args or ("--output", "json") in pairwise(args)


def _wrapped(text: str) -> str:
    """Returns a text broken between words on a terminal; as one line elsewhere.

    What a terminal would take for a command is spelt: a name in a message may hold it.
    """
    from hudi_zorder.screen import visible_lines

    text = visible_lines(text)
    if not on_terminal():
        return text
    width = shutil.get_terminal_size().columns
    return fill(text, width, break_long_words=False, break_on_hyphens=False)


def _unexpected(error: Exception) -> HudiZOrderError:
    """Returns a fault of ours as an error; what only its author can read is in a file."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="hudi-zorder-", suffix=".log", delete=False
    ) as log:
        traceback.print_exception(error, file=log)
    what = f"{type(error).__name__}: {error}".rstrip(".")
    return HudiZOrderError(
        f"Cannot go on, a fault of hudi-zorder: {what}; report it with '{log.name}'"
    )


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hudi-zorder {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=_Verbs,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Z-order clustering for Apache Hudi: cluster a table, and see what it skips.",
    epilog=f"Exit codes: {'; '.join(f'{code.value} {what}' for code, what in _EXIT_CODES.items())}",
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
Output = Annotated[Format, typer.Option("--output", help="What to print.")]
Readers = Annotated[
    int,
    typer.Option(
        help="How many requests are under way at a time; more are faster on an object store.",
        envvar="HUDI_ZORDER_READERS",
    ),
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
