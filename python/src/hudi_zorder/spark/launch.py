"""Starts Spark for a command, with a file for everything that it and Hudi print."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Final, TypeVar

from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from hudi_zorder.errors import SessionError
from hudi_zorder.spark._jvm.exceptions import jvm_errors
from hudi_zorder.spark._jvm.process import interrupt

_STREAMS: Final = (1, 2)
_Answer = TypeVar("_Answer")

# Whether PySpark has forked this process, to start Java in the copy. That has no other thread, and
# would wait for ever for a lock that one held.
_FORKED: Final = Event()
if hasattr(os, "register_at_fork"):  # not on Windows, where nothing is forked
    os.register_at_fork(after_in_parent=_FORKED.set)


@contextmanager
def meanwhile(call: Callable[[], _Answer]) -> Iterator[Callable[[], _Answer]]:
    """Has something done in a thread while ``started`` waits for Java, once its process is there.

    Yields:
        What is to be called after ``started``: it waits for the answer, and raises what was raised.
    """

    def after_fork() -> _Answer:
        _FORKED.wait()
        return call()

    def answer() -> _Answer:
        _FORKED.set()  # where a JVM was there already, none is forked
        return answering.result()

    _FORKED.clear()
    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(after_fork)
        try:
            yield answer
        finally:
            _FORKED.set()


def started(builder: SparkSession.Builder, log: Path) -> SparkSession:
    """Returns the session of a builder; its JVM prints to the log as long as it lives.

    An interrupt does to the caller what it did before, by no more than a connection to the JVM.

    Raises:
        SessionError: when Spark does not start; it names the log.
    """
    handler = signal.getsignal(signal.SIGINT)
    try:
        with _output_to(log), jvm_errors("start Spark", SessionError):
            # Sets a handler of its own; what follows can be interrupted as well.
            SparkContext.getOrCreate(SparkConf().setAll(list(builder._options.items())))
            if current_thread() is main_thread():
                mine = handler is signal.default_int_handler
                signal.signal(signal.SIGINT, interrupt if mine else handler)
            return builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise SessionError(
            f"Cannot start Spark: {str(error).rstrip('.')}; '{log}' has the reason"
        ) from error


@contextmanager
def _output_to(log: Path) -> Iterator[None]:
    """Sends to a file what processes that are started within the block ever print.

    Spark's launcher, Ivy and parts of Hudi print past all logging.
    """
    sys.stdout.flush()
    saved = [os.dup(stream) for stream in _STREAMS]
    with log.open("ab") as file:
        for stream in _STREAMS:
            os.dup2(file.fileno(), stream)
    try:
        yield
    finally:
        for stream, original in zip(_STREAMS, saved, strict=True):
            os.dup2(original, stream)
            os.close(original)
