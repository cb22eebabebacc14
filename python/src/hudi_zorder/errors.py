"""Typed errors of hudi_zorder: one base class, and one class per kind of fault.

Messages read "Cannot <verb>: <what>, '<key>' was '<value>'; <remedy>". A fault that began in the
JVM keeps its Java exception as ``__cause__``.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum
from types import FrameType
from typing import ClassVar


class ExitCode(IntEnum):
    """With what the command ends, as ``hudi-zorder --help`` and ``python/JSON.md`` have it."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    ROWS_LOST = 3
    CONFLICT = 4
    INTERRUPTED = 130


class HudiZOrderError(Exception):
    """Base class of every error that hudi_zorder raises on purpose.

    Attributes:
        exit_code: with what the command ends when the error ends it.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.FAILED


class OptionError(HudiZOrderError, ValueError):
    """An option has an unknown name or a value that cannot be used."""

    exit_code = ExitCode.USAGE


class ColumnError(OptionError):
    """A column does not exist, is named twice or has a type that cannot be used."""


class PredicateError(HudiZOrderError, ValueError):
    """A predicate cannot be parsed, or not be used where it was given."""

    exit_code = ExitCode.USAGE


class SessionError(HudiZOrderError, RuntimeError):
    """The Spark session, its version or its class path does not fit."""


class SessionWarning(UserWarning):
    """A setting of the user's was kept although Hudi's own would do more."""


class TableError(HudiZOrderError):
    """There is no Hudi table where one was named, or it cannot be read."""


class ClusteringError(HudiZOrderError, RuntimeError):
    """Scheduling, executing or cancelling failed; but for ``HiddenRowsError`` nothing changed."""


class HiddenRowsError(ClusteringError):
    """A clustering is committed that hides rows of another write, and cannot be rolled back.

    The message says what can: to restore the table and write again, or to ``repair`` it.
    """

    exit_code = ExitCode.ROWS_LOST


class UnsafeStatisticsError(ClusteringError):
    """A clustering would make statistics by which Hudi loses rows of queries; nothing was done."""

    exit_code = ExitCode.ROWS_LOST


class ConflictError(ClusteringError):
    """The table was written to while it was clustered; nothing changed, and it can be retried."""

    exit_code = ExitCode.CONFLICT


class UnendedWriteError(ConflictError):
    """A write has not ended for as long as was waited: its writer is slow, or dead; try later."""


class PlanInUseError(ConflictError):
    """A plan is in the way that another process executes, or is to; nothing was done to it."""


class TableLockedError(ConflictError):
    """Others held the table's lock for as long as was waited; nothing changed."""


def with_outcome(fault: BaseException, outcome: str) -> BaseException:
    """Returns a fault of ours, or an interruption, with what came of it; any other as it is."""
    if outcome and isinstance(fault, KeyboardInterrupt):
        return KeyboardInterrupt(f"Interrupted. {outcome}")
    if outcome and isinstance(fault, HudiZOrderError):
        return type(fault)(f"{fault}. {outcome}")
    return fault


def not_installed(what: str, missing: ModuleNotFoundError) -> SessionError:
    """Returns the error of what cannot be done without a package that is not installed."""
    name = (missing.name or str(missing)).partition(".")[0]
    wanted = "hudi-zorder[spark]" if name in ("pyspark", "py4j") else name
    return SessionError(
        f"Cannot {what}: the Python package '{name}' is not installed; run pip install '{wanted}'"
    )


class _NotThereError(SessionError, AttributeError):
    """A name needs a package that is not installed: for ``hasattr`` and tools it is not there."""


class _NotImportedError(SessionError, ImportError):
    """The same of ``from``, which makes an error without a remedy of any AttributeError."""


def not_there(name: str, missing: ModuleNotFoundError, asking: FrameType) -> SessionError:
    """Returns the error of a name of the package that needs another one.

    Args:
        name: what was asked for.
        missing: why it cannot be had.
        asking: the frame that asks for it.
    """
    from opcode import opmap

    imports = asking.f_code.co_code[asking.f_lasti] == opmap["IMPORT_FROM"]
    kind = _NotImportedError if imports else _NotThereError
    return kind(str(not_installed(f"use {name}", missing)))


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """Returns the choice that looks most like ``name``, ignoring case, or None if none does."""
    by_lower = {choice.lower(): choice for choice in choices}
    found = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Returns the remedy of an unknown name: the nearest choice, or all of them."""
    known = list(choices)
    close = nearest(name, known)
    return f"did you mean '{close}'?" if close else f"choose one of {', '.join(known)}"
