"""A progress bar for a blocking JVM call, fed by the task counts of Spark's status tracker."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Final

from pyspark import InheritableThread

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.progress import Progress

_GROUP: Final = "spark.jobGroup.id"
_SECONDS_BETWEEN_LOOKS: Final = 0.3


@contextmanager
def progress_bar(spark: SparkSession, text: str) -> Iterator[None]:
    """Shows ``text`` and the tasks done while the block runs; silent when not on a terminal.

    Only jobs that the block itself starts are counted: they carry a job group of their own, which
    Spark hands down to the threads that Hudi starts.
    """
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f} tasks"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    context = spark.sparkContext
    outer_group = context.getLocalProperty(_GROUP)
    group = f"hudi-zorder {text}"
    context.setLocalProperty(_GROUP, group)
    finished = Event()
    watcher = _watcher(spark, group, lambda done, total: _show(bar, done, total), finished)
    try:
        with bar:
            bar.add_task(text, total=0)
            watcher.start()
            yield
    finally:
        finished.set()
        watcher.join()
        # None removes the property, which PySpark's signature does not allow for.
        context.setLocalProperty(_GROUP, outer_group)  # type: ignore[arg-type]


def task_counts(spark: SparkSession, group: str) -> tuple[int, int]:
    """Returns how many tasks of a job group are done, and how many are known so far.

    Stages of a job that has ended count what they completed: Spark lists a skipped stage with all
    of its tasks, none of which ever runs.
    """
    tracker = spark.sparkContext.statusTracker()
    done: dict[int, int] = {}
    total: dict[int, int] = {}
    for job in tracker.getJobIdsForGroup(group):
        job_info = tracker.getJobInfo(job)
        for stage in job_info.stageIds if job_info else ():
            info = tracker.getStageInfo(stage)
            if job_info and info:
                runs = job_info.status == "RUNNING"
                done[stage] = info.numCompletedTasks
                tasks = info.numTasks if runs else info.numCompletedTasks
                total[stage] = max(tasks, total.get(stage, 0))
    return sum(done.values()), sum(total.values())


def _watcher(
    spark: SparkSession, group: str, show: Callable[[int, int], None], finished: Event
) -> Thread:
    def watch() -> None:
        while not finished.wait(_SECONDS_BETWEEN_LOOKS):
            show(*task_counts(spark, group))

    # Ends its JVM twin with itself; a plain Thread would leave it behind.
    return InheritableThread(target=watch, daemon=True)


def _show(bar: Progress, done: int, total: int) -> None:
    for task in bar.task_ids:
        bar.update(task, completed=done, total=total)
