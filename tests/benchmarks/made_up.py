"""Columns made up with a seed: what layouts are good at, and what is hard for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

Columns = Mapping[str, np.ndarray | pa.Array]


def _uniform(random: np.random.Generator, rows: int) -> Columns:
    return {name: random.integers(0, 1_000_000, rows) for name in "abcd"}


def _skewed(random: np.random.Generator, rows: int) -> Columns:
    ranks = np.arange(1, 100_001)
    zipf = random.choice(ranks, rows, p=(1 / ranks) / (1 / ranks).sum())
    return {
        "a": (random.lognormal(8, 2, rows) * 100).astype(np.int64),
        "b": random.exponential(1e6, rows).astype(np.int64),
        "c": random.lognormal(0, 3, rows),
        "d": zipf,
    }


def _correlated(random: np.random.Generator, rows: int) -> Columns:
    a = random.integers(0, 1_000_000, rows)
    return {
        "a": a,
        "b": a + random.integers(0, 100_000, rows),
        "c": -a + random.integers(0, 1_000_000, rows),
        "d": random.integers(0, 1_000_000, rows),
    }


def _prefix(random: np.random.Generator, rows: int) -> Columns:
    def texts(prefix: str, distinct: int) -> pa.Array:
        numbers = random.integers(0, distinct, rows)
        return pa.array([f"{prefix}{number:07d}" for number in numbers])

    return {
        "a": texts("https://example.org/customers/", 1_000_000),
        "b": texts("urn:demography:2026:", 500_000),
        "c": texts("item-", 100_000),
        "d": texts("https://example.org/addresses/", 1_000_000),
    }


def _nulls(random: np.random.Generator, rows: int) -> Columns:
    def column(share: float) -> pa.Array:
        return pa.array(random.integers(0, 1_000_000, rows), mask=random.random(rows) < share)

    return {"a": column(0.6), "b": column(0.3), "c": column(0.9), "d": column(0.05)}


def _small_range(random: np.random.Generator, rows: int) -> Columns:
    return {name: random.integers(0, 8, rows) for name in "abcd"}


def _sparse(random: np.random.Generator, rows: int) -> Columns:
    return {
        name: (1 << random.integers(0, 62, rows)) + random.integers(0, 9, rows) for name in "abcd"
    }


def _few_distinct(random: np.random.Generator, rows: int) -> Columns:
    return {
        "a": random.integers(0, 1_000_000, rows),
        "b": random.integers(0, 50, rows),
        "c": random.integers(0, 2, rows),
        "d": random.integers(0, 1_000_000, rows),
    }


def _by_day(random: np.random.Generator, rows: int) -> Columns:
    day = np.arange(rows) * 100 // rows
    others = {name: random.integers(0, 1_000_000, rows) for name in "bcd"}
    return {"a": day * 10_000 + random.integers(0, 10_000, rows), **others}


MAKERS: Mapping[str, tuple[Callable[[np.random.Generator, int], Columns], str]] = {
    "uniform": (_uniform, "uniform integers below a million"),
    "skewed": (_skewed, "log-normal, exponential, log-normal doubles, Zipf over 100,000 values"),
    "correlated": (_correlated, "b is a plus a tenth of noise, c is the noisy opposite of a"),
    "prefix": (_prefix, "strings with common prefixes of 5 to 30 bytes"),
    "nulls": (_nulls, "60, 30, 90 and 5 % nulls among uniform integers"),
    "small_range": (_small_range, "integers below 8"),
    "sparse": (_sparse, "powers of two up to 2^61 and a little more"),
    "by_day": (_by_day, "a is the time of 100 days, along which rows come, the others are uniform"),
    "few_distinct": (_few_distinct, "b has 50 values, c has 2"),
}
