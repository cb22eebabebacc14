"""What the JVM throws, as typed errors with the most telling of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from py4j.protocol import Py4JError, Py4JNetworkError
from pyspark.errors.exceptions.captured import CapturedException

from hudi_zorder.errors import (
    ClusteringError,
    ConflictError,
    HiddenRowsError,
    HudiZOrderError,
    OptionError,
    PlanInUseError,
    TableLockedError,
    UnendedWriteError,
)

# Spark wraps what a task threw into a sentence of its own: "Job aborted ... most recent failure:
# Lost task 0.0 in stage 4.0 (TID 5) (host executor driver): java.lang.X: message\n\tat ...".
_TASK_FAILURE: Final = re.compile(r".*most recent failure: [^\n]*?\): ", re.DOTALL)
# What py4j itself refuses, it says below the call, such as of a method that is not there.
_CALL: Final = re.compile(r"^An error occurred while calling \S+ Trace:\n")
_NULL: Final = (
    "java.lang.NullPointerException"  # "Cannot invoke ... because ... is null", says Java
)
_REFUSAL: Final = "java.lang.IllegalArgumentException"
_HUDIS_CONFLICT: Final = "org.apache.hudi.exception.HoodieWriteConflictException"
_LOCKED: Final = "org.apache.hudi.exception.HoodieLockException"
_LOCKED_OUT: Final = "Unable to acquire the lock"
_KINDS: Final[dict[str, type[HudiZOrderError]]] = {
    "io.hudizorder.concurrency.HiddenRowsException": HiddenRowsError,
    "io.hudizorder.concurrency.ConcurrentWriteException": ConflictError,
    "io.hudizorder.concurrency.PlanInUseException": PlanInUseError,
    "io.hudizorder.concurrency.UnendedWriteException": UnendedWriteError,
}
# A message of ours goes on to a remedy, or to what became of the table: one that does not leaves
# the reason to its cause, as of a file that cannot be read.
_COMPLETE: Final = re.compile(r"[;.] ")
# What Spark says of a file that a query has failed to read; why, only the cause says.
_READING: Final = re.compile(r"Encountered error while reading file (.+?)\. Details:")
_CLASS_PREFIX: Final = re.compile(r"^(?:[a-z_][\w$]*\.)+[\w$]+(?:: |$)")


@contextmanager
def jvm_errors(action: str, kind: type[HudiZOrderError] = ClusteringError) -> Iterator[None]:
    """Turns what the JVM throws within the block into a typed error.

    Args:
        action: what fails then, to follow "Cannot ".
        kind: the error's type; a fault in an option of ours becomes an OptionError in any case.
    """
    try:
        yield
    except (Py4JError, CapturedException, ConnectionError) as error:
        raise translated(error, action, kind) from error


def translated(error: Exception, action: str, kind: type[HudiZOrderError]) -> HudiZOrderError:
    """Returns the typed error for what py4j raised: its most telling message, with the remedy."""
    if isinstance(error, Py4JNetworkError | ConnectionError):
        return kind(f"Cannot {action}: Spark's JVM has ended; its log may say why")
    throwables = list(_throwables(error))
    classes = [throwable.getClass().getName() for throwable in throwables]
    if _HUDIS_CONFLICT in classes:  # Hudi's own words fill pages
        return ConflictError(
            f"Cannot {action}: a write has changed what it was to replace, as Hudi found when it "
            "held the lock; cluster again"
        )
    messages = list(_messages(throwables, error))
    kind = next((_KINDS[name] for name in classes if name in _KINDS), kind)
    why = _root(messages)
    ours = [told for told in messages if told[0] != _NULL and told[1].startswith("Cannot ")]
    if ours:  # complete as they stand, the outermost with the most to say
        refused = any(name == _REFUSAL for name, _ in ours)
        told = ours[0][1]
        if not _COMPLETE.search(told) and why not in told:
            told = f"{told} ({why})"
        return (OptionError if refused else kind)(told)
    if any(name == _LOCKED and text.startswith(_LOCKED_OUT) for name, text in messages):
        return TableLockedError(
            f"Cannot {action}: others held the table's lock for as long as Hudi waits for it, by "
            "'hoodie.write.lock.wait_time_ms' and the retries beside it; try again"
        )
    file = next((found[1] for _, text in messages if (found := _READING.match(text))), "")
    reading = f"'{file}' cannot be read: " if file and file not in why else ""
    return kind(f"Cannot {action}: {reading}{why}")


def _root(messages: Sequence[tuple[str, str]]) -> str:
    """Returns the first line of the innermost message."""
    silent = messages[-1][0], "no message"
    name, root = next((told for told in reversed(messages) if told[1]), silent)
    first_line = root.partition("\n")[0].rstrip(".; ")
    if " " not in first_line:  # such as the bare name of a class that was not found
        return f"{name.rpartition('.')[2]}: {first_line}"
    return first_line


def _throwables(error: Exception) -> Iterator[Any]:
    """Yields the Java exception behind an error and its causes, the outermost first."""
    throwable = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while throwable is not None:
        yield throwable
        throwable = throwable.getCause()


def _messages(throwables: Sequence[Any], error: Exception) -> Iterator[tuple[str, str]]:
    """Yields class and message of each Java exception, or of the error where there is none."""
    told = [(thrown.getClass().getName(), thrown.getMessage() or "") for thrown in throwables]
    for name, text in told or [(type(error).__name__, _CALL.sub("", str(error)))]:
        message = _TASK_FAILURE.sub("", text)
        while prefix := _CLASS_PREFIX.match(message):
            name = prefix[0].rstrip(": ")
            message = message[prefix.end() :]
        message = message.split("\n\tat ")[0].split("\n\nDriver stacktrace")[0].strip()
        yield name, message
