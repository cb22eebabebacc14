"""The least that a policy rewrites that merges whole runs, and keeps reading near the optimum."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from math import sqrt

Runs = tuple[int, ...]


@cache
def least_rewritten(loads: int, most_read: float, first_measured: int) -> float:
    """Returns tables rewritten over equal loads of random keys in two columns, known beforehand.

    Every load is laid out, by itself or together with any set of the runs that there are. Runs of
    s loads each read sqrt(s) of what a load does, by an equality on one of two columns; their sum
    stays below ``most_read`` times that of one run, from a load on. All states are tried, of which
    there are as many as partitions of the number of loads.

    Args:
        loads: how many; few states of 100 read so little that this takes less than a second.
        most_read: times the optimum.
        first_measured: the load, counted from 1, from which on this is asked for.
    """
    costs: dict[Runs, int] = {(): 0}
    for load in range(1, loads + 1):
        after: dict[Runs, int] = {}
        for runs, cost in costs.items():
            for merged, rest in _merges(runs):
                state = tuple(sorted((*rest, merged)))
                read = sum(map(sqrt, state)) / sqrt(load)
                if load < first_measured or read <= most_read:
                    after[state] = min(after.get(state, cost + merged), cost + merged)
        costs = after
    return min(costs.values()) / loads


def _merges(runs: Runs) -> list[tuple[int, Runs]]:
    """Returns what a load can become a run with: the size of that run, and the runs left."""
    sizes = sorted(Counter(runs).items())
    merges = []
    for taken in product(*(range(count + 1) for _, count in sizes)):
        merged = 1 + sum(size * take for (size, _), take in zip(sizes, taken, strict=True))
        rest = [
            size
            for (size, count), take in zip(sizes, taken, strict=True)
            for _ in range(count - take)
        ]
        merges.append((merged, tuple(rest)))
    return merges
