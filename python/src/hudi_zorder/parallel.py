"""Calls that wait for storage, some at a time, in the order of what they are called with."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from hudi_zorder.errors import OptionError
from hudi_zorder.option_checks import is_whole

READERS: Final = 32  # at a time: of an object store, reading is waiting
_LONGEST_TASK: Final = 64  # calls, beside which the pool's own work is small

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def checked_readers(readers: int) -> int:
    """Returns how many requests are to be under way at a time.

    Raises:
        OptionError: for fewer than one.
    """
    if not is_whole(readers) or readers < 1:
        raise OptionError(
            f"Cannot open a table: 'readers' was '{readers}'; write a whole number from 1"
        )
    return int(readers)


def in_parallel(
    call: Callable[[Item], Answer], items: Sequence[Item], workers: int
) -> Iterator[Answer]:
    """Yields what the call returns for each item, in their order.

    Only so far ahead of what was yielded as keeps the workers busy, so that the answers of a long
    sequence need not be held at once.

    Args:
        call: is made in threads.
        items: its arguments.
        workers: how many calls are under way at a time.
    """

    def answers(part: Sequence[Item]) -> list[Answer]:
        return [call(item) for item in part]

    size = max(1, min(_LONGEST_TASK, len(items) // (4 * workers)))
    parts = (items[start : start + size] for start in range(0, len(items), size))
    with ThreadPoolExecutor(min(workers, max(1, len(items)))) as pool:
        under_way: deque[Future[list[Answer]]] = deque()
        try:
            for part in parts:
                under_way.append(pool.submit(answers, part))
                if len(under_way) >= 2 * workers:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
