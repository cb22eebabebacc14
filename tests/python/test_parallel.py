"""Calls in parallel keep their order, go only so far ahead, and pass on what they raise."""

from __future__ import annotations

import threading
import time

import pytest

from hudi_zorder.parallel import in_parallel


@pytest.mark.parametrize("count", [0, 1, 7, 1000])
@pytest.mark.parametrize("workers", [1, 5])
def test_answers_are_in_the_order_of_the_items(count: int, workers: int) -> None:
    def call(number: int) -> int:
        time.sleep(0.001 if number % 13 == 0 else 0)
        return number * 2

    assert list(in_parallel(call, range(count), workers)) == [n * 2 for n in range(count)]


def test_few_items_are_all_under_way_together() -> None:
    gate = threading.Barrier(4)
    assert list(in_parallel(lambda _: gate.wait(timeout=20) >= 0, range(4), 4)) == [True] * 4


def test_no_more_answers_are_held_than_keep_the_workers_busy() -> None:
    called = []
    answers = in_parallel(called.append, range(100_000), 2)
    next(answers)
    assert len(called) < 1000
    answers.close()


def test_what_a_call_raises_ends_all() -> None:
    def call(number: int) -> int:
        if number == 50:
            raise OSError("gone")
        return number

    with pytest.raises(OSError, match="gone"):
        list(in_parallel(call, range(100_000), 4))
