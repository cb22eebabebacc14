"""The standard streams of a command, which may be closed, or full, or have lost their reader."""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from typing import Any, Final, TextIO

import typer

_STREAMS: Final = {"stdout": 1, "stderr": 2}
_closed: Final[list[str]] = []


def open_closed() -> None:
    """Has what is printed on a stream that was closed go nowhere: Python has none for it.

    Its number is taken, too, or the next file that is opened would get what is printed past Python.
    """
    for name, number in _STREAMS.items():
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if not _is_open(number):
                os.dup2(nowhere, number)
            setattr(sys, name, open(nowhere, "w", encoding="utf-8"))
            _closed.append(name)


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def let_go(stream: TextIO) -> None:
    """Lets what is still to be printed go nowhere: Python would complain of it at its end."""
    with contextlib.suppress(OSError, ValueError):  # it may have no number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, stream.fileno())
        finally:
            os.close(nowhere)
        stream.flush()


def tell(text: str) -> None:
    """Prints a line on the standard error if that is to be: nothing else depends on it."""
    try:
        typer.echo(text, err=True)
    except (OSError, ValueError):
        let_go(sys.stderr)


def json_for(stream: TextIO, document: Any, *, indent: int | None = None) -> str:
    r"""Returns a document as JSON, in letters that a stream has.

    One that it lacks it would spell as Python does, such as ``\U0001f600``, which JSON does not
    know.
    """
    encoding = codecs.lookup(stream.encoding or "utf-8").name
    return json.dumps(document, indent=indent, ensure_ascii=not encoding.startswith("utf"))


@contextlib.contextmanager
def failing_with(code: int) -> Iterator[None]:
    """Ends a block that prints a proof with a code, whether or not that could be printed.

    Where a disk is full a line on the standard error says so.

    Args:
        code: 0 for a proof that has not failed, which leaves the block as it is.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as fault:
        if not code:
            raise
        let_go(sys.stdout)
        if not isinstance(fault, BrokenPipeError):  # its reader has seen enough
            tell(f"Warning: what is wrong could not be printed: {fault}")
    if code:
        raise typer.Exit(code)


class Done:
    """What a verb has done.

    Attributes:
        what: as a sentence without its stop; ``""`` until it is done, and where nothing was.
    """

    what: str = ""


@contextlib.contextmanager
def success_once_done() -> Iterator[Done]:
    """Ends a block well that has changed a table, though that could not be printed.

    Whoever sees another exit code would do all of it again. A line on the standard error says what
    was done.
    """
    done = Done()
    try:
        yield done
        sys.stdout.flush()
        if done.what and "stdout" in _closed:
            raise OSError("the standard output is closed")
    except (Exception, KeyboardInterrupt) as fault:
        if not done.what:
            raise
        let_go(sys.stdout)
        what = "was interrupted" if isinstance(fault, KeyboardInterrupt) else f"failed: {fault}"
        tell(f"Warning: {done.what}; to print it {what}")
