"""A blocking JVM call that shows its progress on a terminal and can be interrupted.

The call runs in a thread of its own. In the main thread an interrupt would find py4j's connection
in the middle of an answer: PySpark's handler could not cancel the jobs, and they would run on.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Event, current_thread, main_thread
from types import FrameType
from typing import TYPE_CHECKING, Final, TypeVar
from uuid import uuid4

from pyspark import InheritableThread

from hudi_zorder.progress import on_terminal, passing_bar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.console import RenderableType

_GROUP: Final = "spark.jobGroup.id"
_SECONDS_BETWEEN_LOOKS: Final = 0.3
_SECONDS_BETWEEN_CANCELS: Final = 0.05

Answer = TypeVar("Answer")


def run_with_progress(
    spark: SparkSession,
    text: str,
    call: Callable[[], Answer],
    told: Callable[[], Sequence[RenderableType]] = tuple,
) -> Answer:
    """Returns what ``call`` returns, showing ``text`` and its tasks on a terminal meanwhile.

    Above them is shown what ``told`` returns; it is asked again and again, and what it adds is
    shown when it does.

    The jobs of each call carry a job group of their own, which Spark hands down to the threads that
    Hudi starts: so that they alone are counted, and cancelled when the user interrupts. The
    interrupt goes on once the call has come to its end, however often the user repeats it; what the
    call failed by, which need not be the interrupt, is its cause.
    """
    answers: list[Answer] = []
    faults: list[BaseException] = []
    ended = Event()

    def run() -> None:
        try:
            answers.append(call())
        except BaseException as fault:
            faults.append(fault)
        finally:
            ended.set()

    try:
        with (
            held_interrupts() as interrupts,
            _job_group(spark, f"hudi-zorder {text} {uuid4()}") as group,
            _bar(spark, text, group, told),
        ):
            InheritableThread(target=run, daemon=True).start()
            while not ended.wait(
                _SECONDS_BETWEEN_CANCELS if interrupts else _SECONDS_BETWEEN_LOOKS
            ):
                if interrupts:  # each time: Hudi may start one more job
                    spark.sparkContext.cancelJobGroup(group)
    except KeyboardInterrupt as interrupt:
        raise interrupt from next(iter(faults), None)
    if faults:
        raise faults[0]
    return answers[0]


@contextmanager
def held_interrupts(done: str = "") -> Iterator[Sequence[int]]:
    """Holds Ctrl-C back within the block; yields the signals that have come.

    At its end they become one KeyboardInterrupt, unless it raises without a sentence to say. Within
    another such block they are that one's.

    Args:
        done: what the block has done by then, as a sentence without its stop, for its message.
    """
    outer = signal.getsignal(signal.SIGINT)
    if isinstance(outer, _Holder):
        yield outer.came
        return
    holder = _Holder()
    # Python interrupts the main thread alone, and no process that ignores the signal.
    if current_thread() is not main_thread() or outer is signal.SIG_IGN:
        yield holder.came
        return
    signal.signal(signal.SIGINT, holder)
    try:
        yield holder.came
    except Exception as fault:
        if holder.came and done:
            raise KeyboardInterrupt(f"Interrupted. {fault}") from fault
        raise
    finally:
        signal.signal(signal.SIGINT, outer or signal.default_int_handler)
    if holder.came:
        raise KeyboardInterrupt(done and f"Interrupted. {done}")


class _Holder:
    """Takes signals, and keeps their numbers."""

    def __init__(self) -> None:
        self.came: list[int] = []

    def __call__(self, number: int, _: FrameType | None) -> None:
        self.came.append(number)


@contextmanager
def status(text: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal what is going on; yields the function that says what is next."""
    if not on_terminal():
        yield lambda _: None
        return
    from rich.markup import escape

    from hudi_zorder.screen import passing_console

    with passing_console().status(escape(text)) as line:
        yield lambda more: line.update(escape(more))


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


@contextmanager
def _job_group(spark: SparkSession, group: str) -> Iterator[str]:
    context = spark.sparkContext
    outer = context.getLocalProperty(_GROUP)
    context.setLocalProperty(_GROUP, group)
    try:
        yield group
    finally:
        # None removes the property, which PySpark's signature does not allow for.
        context.setLocalProperty(_GROUP, outer)  # type: ignore[arg-type]


@contextmanager
def _bar(
    spark: SparkSession, text: str, group: str, told: Callable[[], Sequence[RenderableType]]
) -> Iterator[None]:
    if not on_terminal():
        yield
        return
    from rich.progress import TextColumn

    from hudi_zorder.texts import show

    bar = passing_bar(TextColumn("{task.completed:.0f}/{task.total:.0f} tasks"))
    finished = Event()
    row = bar.add_task(text, total=0)

    def watch() -> None:
        # Of a JVM that has ended, the call itself tells.
        shown = 0
        with suppress(Exception):
            while not finished.wait(_SECONDS_BETWEEN_LOOKS):
                parts = told()
                show(bar.console, parts[shown:])
                shown = len(parts)
                done, total = task_counts(spark, group)
                bar.update(row, completed=done, total=total)

    watcher = InheritableThread(target=watch, daemon=True)
    with bar:
        watcher.start()
        try:
            yield
        finally:
            finished.set()
            watcher.join()
