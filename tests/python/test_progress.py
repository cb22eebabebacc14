"""The progress bar counts the tasks of its own block, and only on a terminal."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time

import pytest
from pyspark.sql import SparkSession

from hudi_zorder.spark.job_progress import held_interrupts, run_with_progress, task_counts

GROUP = "spark.jobGroup.id"


class Terminal(io.StringIO):
    """What was printed on a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


def test_tasks_of_one_job_group_are_counted(spark: SparkSession) -> None:
    context = spark.sparkContext
    context.setJobGroup("counted", "")
    # Two stages; the second job skips the first of them, which must not count as still to do.
    rows = spark.range(0, 100, 1, 3).repartition(2).cache()
    rows.count()
    rows.count()
    context.setLocalProperty(GROUP, "other")
    spark.range(10).count()
    context.setLocalProperty(GROUP, None)  # type: ignore[arg-type]
    time.sleep(0.5)  # the tracker hears of the end a little later
    done, total = task_counts(spark, "counted")
    assert done == total > 0
    assert task_counts(spark, "nothing") == (0, 0)


def test_a_terminal_shows_the_bar_and_the_job_group_is_given_back(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    context = spark.sparkContext
    context.setLocalProperty(GROUP, "mine")

    def call() -> int:
        time.sleep(1)
        return spark.range(0, 100, 1, 3).repartition(2).count()

    try:
        assert run_with_progress(spark, "Clustering", call) == 100
        assert context.getLocalProperty(GROUP) == "mine"
    finally:
        context.setLocalProperty(GROUP, None)  # type: ignore[arg-type]
    assert "Clustering" in terminal.getvalue()
    assert "tasks" in terminal.getvalue()


def test_what_is_told_meanwhile_is_shown_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    begun = time.monotonic()

    def told() -> list[str]:
        return ["at first"] if time.monotonic() < begun + 0.7 else ["at first", "and later"]

    run_with_progress(spark, "Clustering", lambda: time.sleep(1.5), told)
    shown = terminal.getvalue()
    assert (shown.count("at first"), shown.count("and later")) == (1, 1)


def test_a_call_counts_no_tasks_of_an_earlier_one_of_the_same_text(spark: SparkSession) -> None:
    def counts() -> tuple[int, int]:
        spark.range(0, 100, 1, 3).count()
        time.sleep(0.5)  # the tracker hears of the end a little later
        return task_counts(spark, str(spark.sparkContext.getLocalProperty(GROUP)))

    first = run_with_progress(spark, "Planning a clustering", counts)
    assert run_with_progress(spark, "Planning a clustering", counts) == first


def test_elsewhere_it_is_silent(spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_with_progress(spark, "Clustering", spark.range(10).count) == 10
    assert capsys.readouterr().err == ""


def test_a_fault_of_the_call_is_raised(spark: SparkSession) -> None:
    with pytest.raises(ZeroDivisionError):
        run_with_progress(spark, "Clustering", lambda: 1 / 0)


def test_an_interrupt_cancels_the_jobs_and_goes_on(spark: SparkSession) -> None:
    def call() -> None:
        # Some hundred million rows to hash, which nobody waits for.
        spark.range(10**11).selectExpr("max(xxhash64(id))").collect()

    def interrupt() -> None:
        while not spark.sparkContext.statusTracker().getActiveJobsIds():
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    started = time.monotonic()
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        run_with_progress(spark, "Clustering", call)
    assert time.monotonic() - started < 30
    assert spark.range(10).count() == 10


def test_a_second_interrupt_does_not_leave_what_still_runs(spark: SparkSession) -> None:
    ended = threading.Event()

    def call() -> None:
        for _ in range(8):  # while it runs, the user presses the keys again and again
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        run_with_progress(spark, "Clustering", call)
    assert ended.is_set()
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_DFL


@pytest.mark.parametrize("fails", [False, True])
def test_an_interrupt_within_a_rollback_is_told_after_it_with_how_it_ended(fails: bool) -> None:
    """An undoing of several steps is one: none of them ends it."""
    steps = []
    with pytest.raises(KeyboardInterrupt) as interrupted:  # noqa: PT012
        with held_interrupts("The plan was rolled back"):
            with held_interrupts("Half a commit was taken back"):
                os.kill(os.getpid(), signal.SIGINT)
                steps.append("half")
            steps.append("plan")
            if fails:
                raise OSError("no space left")
    told = "no space left" if fails else "The plan was rolled back"
    assert str(interrupted.value) == f"Interrupted. {told}"
    assert steps == ["half", "plan"]
