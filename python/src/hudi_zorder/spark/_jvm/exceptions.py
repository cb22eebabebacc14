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
    ours = [(name, message) for name, message in messages if message.startswith("Cannot ")]
    if ours:  # complete as they stand, the outermost with the most to say
        refused = any(name == _REFUSAL for name, _ in ours)
        return (OptionError if refused else kind)(ours[0][1])
    if any(name == _LOCKED and text.startswith(_LOCKED_OUT) for name, text in messages):
        return TableLockedError(
            f"Cannot {action}: others held the table's lock for as long as Hudi waits for it, by "
            "'hoodie.write.lock.wait_time_ms' and the retries beside it; try again"
        )
    name, root = next((told for told in reversed(messages) if told[1]), (classes[-1], "no message"))
    first_line = root.partition("\n")[0].rstrip(".; ")
    if " " not in first_line:  # such as the bare name of a class that was not found
        first_line = f"{name.rpartition('.')[2]}: {first_line}"
    file = next((found[1] for _, text in messages if (found := _READING.match(text))), "")
    reading = f"'{file}' cannot be read: " if file and file not in first_line else ""
    return kind(f"Cannot {action}: {reading}{first_line}")


def _throwables(error: Exception) -> Iterator[Any]:
    """Yields the Java exception behind an error and its causes, the outermost first."""
    throwable = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    while throwable is not None:
        yield throwable
        throwable = throwable.getCause()


def _messages(throwables: Sequence[Any], error: Exception) -> Iterator[tuple[str, str]]:
    """Yields class and message of each Java exception, or of the error where there is none."""
    if not throwables:
        yield type(error).__name__, str(error)
    for throwable in throwables:
        name = throwable.getClass().getName()
        message = _TASK_FAILURE.sub("", throwable.getMessage() or "")
        while prefix := _CLASS_PREFIX.match(message):
            name = prefix[0].rstrip(": ")
            message = message[prefix.end() :]
        message = message.split("\n\tat ")[0].split("\n\nDriver stacktrace")[0].strip()
        yield name, message
