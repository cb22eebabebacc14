"""The demo's questions, and what it takes to answer them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from hudi_zorder.spark.scan_metrics import ScanMetrics, scan_metrics

_TIMED_RUNS: Final = 3


@dataclass(frozen=True)
class Question:
    """A question about the flights that satisfy a predicate."""

    text: str
    where: str


QUESTIONS: Final = (
    Question("How late do the longest flights arrive?", "distance > 4000"),
    Question("Those that leave before six in the morning?", "dep_time < 600"),
    Question("Those to Seattle?", "dest = 'SEA'"),
    Question("Those to Los Angeles before seven?", "dest = 'LAX' AND dep_time < 700"),
)


@dataclass(frozen=True)
class Answer:
    """The flights that a question is about, and the minutes by which they arrived late."""

    flights: int
    mean_delay: float
    worst_delay: int

    def __str__(self) -> str:
        late = "late" if self.mean_delay >= 0 else "early"
        return (
            f"{self.flights:,} flights, {abs(self.mean_delay):.1f} minutes {late} on average, "
            f"{self.worst_delay:,} at worst"
        )


@dataclass(frozen=True)
class Answered:
    """An answer and its cost: what the scan read, and the seconds of the fastest run."""

    answer: Answer
    read: ScanMetrics
    seconds: float


def ask(spark: SparkSession, path: Path, question: Question) -> Answered:
    """Asks once to warm up, then several times on the clock."""
    seconds = []
    for _ in range(1 + _TIMED_RUNS):
        started = time.monotonic()
        frame = (
            spark.read.format("hudi")
            .load(str(path))
            .where(question.where)
            .agg(F.count("*"), F.avg("arr_delay"), F.max("arr_delay"))
        )
        answer = Answer(*frame.collect()[0])
        seconds.append(time.monotonic() - started)
    return Answered(answer, scan_metrics(frame), min(seconds[1:]))
