"""The standard streams of a command, which may be closed, or full, or have lost their reader."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TextIO

import typer

if TYPE_CHECKING:
    from hudi_zorder.clustering.result import ClusteringResult

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


class Done:
    """What a verb has done.

    Attributes:
        result: of a clustering; None until it is known.
    """

    result: ClusteringResult | None = None


@contextlib.contextmanager
def success_once_committed() -> Iterator[Done]:
    """Ends a block well whose clustering is committed, though it could not be printed.

    Whoever sees another exit code would do all of it again. A line on the standard error has the
    instant.
    """
    done = Done()
    try:
        yield done
        sys.stdout.flush()
        if done.result and "stdout" in _closed:
            raise OSError("the standard output is closed")
    except (Exception, KeyboardInterrupt) as fault:
        if not done.result:
            raise
        let_go(sys.stdout)
        what = "was interrupted" if isinstance(fault, KeyboardInterrupt) else f"failed: {fault}"
        tell(
            f"Warning: The clustering {done.result.instant} of '{done.result.table}' is committed; "
            f"to print it {what}"
        )
