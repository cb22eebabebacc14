"""What accumulators tell that executions have read.

A frame that is executed again has the accumulators of before: what tasks add to them belongs to the
execution for which their stage was submitted, and what the driver tells to the one that it names.

Of a subquery whose plan was changed while it ran, the accumulators are told before the plan that
they are of. What is told of others than those of scans is therefore kept until the execution ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

_EXECUTION: Final = "spark.sql.execution.id"


class Accumulators:
    """Accumulators of the scans of an application."""

    def __init__(self) -> None:
        self._owners: dict[int, tuple[int, ...]] = {}
        self._told: dict[int, dict[int | None, int]] = {}
        self._unowned: dict[int, set[int]] = defaultdict(set)
        self._stages: dict[int, int | None] = {}
        self._jobs: dict[int, int | None] = {}
        self._failed: set[int | None] = set()

    def own(self, number: int, execution: int) -> None:
        """Tells that an accumulator is of the plan of an execution."""
        owners = self._owners.get(number, ())
        if execution not in owners[-1:]:
            self._owners[number] = (*owners, execution)

    def end(self, execution: int) -> None:
        """Takes the end of an execution; what it has told of no scan is forgotten."""
        for number in self._unowned.pop(execution, set()).difference(self._owners):
            self._told[number].pop(execution)
            if not self._told[number]:
                del self._told[number]

    def start_job(self, event: Mapping[str, Any]) -> None:
        """Takes the start of a job, which lists stages of earlier jobs that it need not run."""
        execution = _execution_of(event)
        self._jobs[event["Job ID"]] = execution
        for stage in event["Stage IDs"]:
            self._stages.setdefault(stage, execution)

    def end_job(self, event: Mapping[str, Any]) -> None:
        """Takes the end of a job."""
        execution = self._jobs.pop(event["Job ID"], None)
        if event["Job Result"]["Result"] != "JobSucceeded":
            self._failed.add(execution)

    def submit_stage(self, event: Mapping[str, Any]) -> None:
        """Takes an attempt of a stage, which may be for another job than the one before."""
        self._stages[event["Stage Info"]["Stage ID"]] = _execution_of(event)

    def add_of_stage(self, stage: int | None, updates: Iterable[tuple[int, Any]]) -> None:
        """Adds what a task tells; its stage is None where that is not told."""
        self.add(None if stage is None else self._stages.get(stage), updates)

    def add(self, execution: int | None, updates: Iterable[tuple[int, Any]]) -> None:
        """Adds what an execution tells, or one of which it is not known which it is."""
        for number, value in updates:
            added = int(value)
            if number not in self._owners:
                if execution is None:
                    continue
                self._unowned[execution].add(number)
            told = self._told.setdefault(number, {})
            told[execution] = told.get(execution, 0) + added

    def sum(self, numbers: Iterable[int], execution: int) -> int | None:
        """Returns what an execution has added; None when nothing is told of that."""
        told = [self._of(number, execution) for number in numbers]
        known = [value for value in told if value is not None]
        return sum(known) if known else None

    def sum_of_first(self, numbers: Iterable[int]) -> int | None:
        """Returns the same of the first execution of which anything is told."""
        for number in numbers:
            for owner in self._owners[number]:
                if owner in self._told.get(number, ()):
                    return self.sum(numbers, owner)
        return None

    def is_shared(self, numbers: Iterable[int]) -> bool:
        """Tells whether accumulators are of the plans of several executions."""
        return any(len(self._owners[number]) > 1 for number in numbers)

    def is_told_apart(self, numbers: Iterable[int]) -> bool:
        """Tells whether it is known of all that was added which execution has."""
        return not any(None in self._told.get(number, ()) for number in numbers)

    def has_failed(self, execution: int) -> bool:
        """Tells whether a job of an execution has failed."""
        return execution in self._failed

    def _of(self, number: int, execution: int) -> int | None:
        told = self._told.get(number, {})
        if len(self._owners[number]) == 1:
            return sum(told.values()) if told else None
        return told.get(execution)


def _execution_of(event: Mapping[str, Any]) -> int | None:
    number = (event.get("Properties") or {}).get(_EXECUTION)
    return None if number is None else int(number)
