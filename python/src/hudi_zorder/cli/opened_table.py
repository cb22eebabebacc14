"""A table opened with a Spark session for one verb of ``hudi-zorder``."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hudi_zorder.cli.application import pairs_of
from hudi_zorder.errors import ExitCode, HudiZOrderError, TableError
from hudi_zorder.parallel import READERS, checked_readers

if TYPE_CHECKING:
    from hudi_zorder.table import ZOrderTable

SparkOptions = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A Spark setting; can be given repeatedly."),
]


@contextlib.contextmanager
def opened(
    path: str,
    conf: Sequence[str] | None,
    *,
    clusters: bool = False,
    readers: int = READERS,
) -> Iterator[ZOrderTable]:
    """Opens a table with a Spark session of its own.

    A table of local files is looked for before the session starts, which takes seconds; what is not
    needed until it has is imported meanwhile. What Spark and Hudi print goes to a file, which is
    kept and named when they fail.

    Args:
        path: the table's.
        conf: settings of Spark.
        clusters: whether it is to be clustered, which needs most of all classes.
        readers: how many requests are under way at a time.
    """
    settings = pairs_of("--conf", conf)
    checked_readers(readers)
    from pyspark.sql import SparkSession

    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.spark.command_jvm import for_one_command
    from hudi_zorder.spark.launch import meanwhile, started
    from hudi_zorder.spark.location import is_local
    from hudi_zorder.spark.session import configure_spark
    from hudi_zorder.spark.settings import Settings

    builder = SparkSession.builder.appName("hudi-zorder").config("spark.ui.enabled", "false")
    for key, value in settings.items():
        builder = builder.config(key, value)
    if is_local(path, Settings(builder)):
        TableSnapshot.open(path, readers=readers)
    builder = for_one_command(configure_spark(builder), keep_classes=clusters)
    with _log() as log, meanwhile(_import_table) as table_class:
        session = started(builder, log)
        try:
            try:
                table = table_class()(session, path, readers=readers)
            except TableError:
                log.unlink()  # it has no more to say
                raise
            yield table
        finally:
            with contextlib.suppress(Exception):  # what was to be done is done, or has failed
                session.stop()


def _import_table() -> type[ZOrderTable]:
    from hudi_zorder.table import ZOrderTable

    return ZOrderTable


@contextlib.contextmanager
def _log() -> Iterator[Path]:
    """Yields a new file; removes it when nothing fails of which it may tell the reason."""
    descriptor, name = tempfile.mkstemp(prefix="hudi-zorder-", suffix=".log")
    os.close(descriptor)
    log = Path(name)
    try:
        yield log
    except HudiZOrderError as error:
        if error.exit_code is not ExitCode.USAGE:
            if name in str(error) or not log.exists():
                raise
            raise type(error)(f"{error}. Spark's log is '{name}'") from error
        log.unlink()
        raise
    except BaseException as error:
        ours = isinstance(error, Exception) and not isinstance(error, OSError | ImportError)
        lost = isinstance(error, ConnectionError) and not isinstance(error, BrokenPipeError)
        if ours or lost:
            what = f"{type(error).__name__}: {error}"
            raise RuntimeError(f"{what}; Spark's log is '{name}'") from error
        log.unlink()
        raise
    log.unlink()
