"""The JVM of this process: whether it runs, and with which classes."""

from __future__ import annotations

import os
from types import FrameType
from typing import Any, Final, NoReturn

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.conf import RuntimeConfig
from pyspark.sql.utils import is_remote

from hudi_zorder import __version__
from hudi_zorder.errors import SessionError
from hudi_zorder.options import EXECUTION_STRATEGY

_MADE: Final = "hudi_zorder.configure_spark(SparkSession.builder).getOrCreate()"
_CLIENTS: Final = "org.apache.hudi.HoodieCLIUtils"
_GATEWAY: Final = "PYSPARK_GATEWAY_PORT"


def jvm_of(spark: SparkSession) -> Any:
    """Returns the JVM of a session.

    Raises:
        SessionError: for what is none of this process, such as a session of Spark Connect.
    """
    if not isinstance(spark, SparkSession):
        kind = f"{type(spark).__module__}.{type(spark).__qualname__}"
        raise SessionError(
            f"Cannot use a session: 'spark' was a {kind}, which has no JVM in this process; make "
            f"one by {_MADE}, or look at the table by hudi_zorder.open_table(path)"
        )
    return spark._jvm


def hudi_jvm_of(spark: SparkSession) -> Any:
    """Returns the JVM of a session with Hudi's classes and ours.

    Raises:
        SessionError: when it was started without them or with our jar of another version, or is in
            another process.
    """
    jvm = jvm_of(spark)
    if missing := missing_classes():
        raise SessionError(
            f"Cannot use this Spark session: its JVM runs without {', '.join(missing)}, and jars "
            f"cannot be added to it; start Python anew, and make the session by {_MADE}"
        )
    require_same_version("use this Spark session")
    return jvm


def jvm_runs() -> bool:
    """Tells whether this process has a JVM, whose class path is then settled.

    To one that has started this process, as that of spark-submit has, PySpark connects when it is
    first asked for something; here it does so now.
    """
    if _GATEWAY in os.environ and not is_remote():
        SparkContext._ensure_initialized()
    return SparkContext._jvm is not None


def running_settings() -> RuntimeConfig | SparkConf:
    """Returns what the active session is set to; what the JVM was started with, where none is."""
    session = SparkSession.getActiveSession()
    return SparkConf() if session is None else session.conf


def missing_classes() -> list[str]:
    """Returns those of Hudi's and our entry classes that the running JVM cannot load.

    Hudi looks ours up where it was itself loaded from, so that it may not find what Spark does.
    """
    jvm: Any = SparkContext._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    missing = []
    for name in (_CLIENTS, EXECUTION_STRATEGY):
        try:
            loader = loader.loadClass(name).getClassLoader()
        except Py4JJavaError:
            missing.append(name)
    return missing


def misfit() -> str | None:
    """Returns why the running JVM's Spark, Scala or Hudi is none for our jar, None where it is."""
    jvm: Any = SparkContext._jvm
    try:
        jvm.io.hudizorder.hudi.HudiRelease.requireSupported()
    except Py4JJavaError as error:
        return str(error.java_exception.getMessage())
    return None


def require_same_version(action: str) -> None:
    """Refuses a running JVM whose jar of ours may lack what this package asks of it.

    Args:
        action: what needs it, to follow "Cannot ".

    Raises:
        SessionError: when the jar is of another version; it names both.
    """
    jvm: Any = SparkContext._jvm
    found = jvm.io.hudizorder.option.PlanVersion.OURS
    if found != __version__:
        raise SessionError(f"Cannot {action}: {of_other_version('the jar in its JVM', found)}")


def of_other_version(jar: str, found: str) -> str:
    """Returns that our jar is of another version than this package, and what to do."""
    return (
        f"{jar} is of hudi-zorder {found}, and this is hudi-zorder {__version__}; give the jar of "
        f"this package in its place, or install the package {found}"
    )


def require_session(action: str) -> Any:
    """Returns the running JVM with our classes.

    Args:
        action: what needs it, to follow "Cannot ".

    Raises:
        SessionError: when there is none, or its jar is of another version.
    """
    if not jvm_runs() or EXECUTION_STRATEGY in missing_classes():
        raise SessionError(
            f"Cannot {action}: no Spark session with hudi-zorder's jar runs; start one by {_MADE}"
        )
    require_same_version(action)
    return SparkContext._jvm


def interrupt(number: int, frame: FrameType | None) -> NoReturn:
    """Interrupts Python, and drops the connection to the JVM if it is in the middle of an answer.

    PySpark's handler asks the JVM to cancel all jobs by that very connection, and fails; and who
    asked it next would read the rest of the answer as its own.
    """
    if gateway := SparkContext._gateway:
        client: Any = gateway._gateway_client
        connection = client.get_thread_connection()
        if connection and connection not in client.deque:  # where those are that nobody uses
            connection.close()
    raise KeyboardInterrupt
