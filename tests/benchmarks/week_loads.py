"""Weeks of loads: what users do to a table day by day, made up with a seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

DAY = 10_000
ROWS = 10_000  # of an ordinary load
LOADS = 10
_DISTINCT = 1_000_000
_BASE = 50_000  # rows of a table that is there before what changes it
_MERGE_ON_READ = {
    "hoodie.datasource.write.table.type": "MERGE_ON_READ",
    "hoodie.compact.inline": "true",
    "hoodie.compact.inline.max.delta.commits": "3",
}


@dataclass(frozen=True)
class Write:
    """One write.

    Attributes:
        operation: as Hudi calls it.
        rows: with the column ``id``, which is the key.
        files: that new rows are written to; 0 for as many as Hudi makes of them.
    """

    operation: str
    rows: pa.Table
    files: int = 3


class Maker:
    """Makes rows, new ones by counting keys up."""

    def __init__(self, shape: Callable[[np.random.Generator, int, int], Mapping[str, object]]):
        self.random = np.random.default_rng(18)
        self.shape = shape
        self.keys = 0

    def new(self, load: int, count: int = ROWS) -> pa.Table:
        """Returns new rows of a load."""
        self.keys += count
        return self.of(np.arange(self.keys - count, self.keys), load)

    def drawn(self, share: float) -> np.ndarray:
        """Returns some of all keys at random."""
        return self.random.choice(self.keys, max(1, int(share * self.keys)), replace=False)

    def of(self, keys: np.ndarray, load: int) -> pa.Table:
        """Returns rows of these keys."""
        columns = self.shape(self.random, len(keys), load)
        payload = self.random.integers(0, 1 << 40, len(keys))
        return pa.table({"id": keys, **columns, "payload": payload})


def _random(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    return {name: random.integers(0, _DISTINCT, rows) for name in "ab"}


def _by_day(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    return {
        "a": load * DAY + random.integers(0, DAY, rows),
        "b": random.integers(0, _DISTINCT, rows),
    }


def _late(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """One row in ten is of an earlier day, mostly of one of the last."""
    day = np.where(random.random(rows) < 0.1, load - random.geometric(0.3, rows), load)
    return {
        "a": np.maximum(day, 0) * DAY + random.integers(0, DAY, rows),
        "b": random.integers(0, _DISTINCT, rows),
    }


def _hot(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """Seven rows in ten are of one partition, the others of five."""
    region = np.where(random.random(rows) < 0.7, 0, random.integers(1, 6, rows))
    return {**_random(random, rows, load), "part": [f"r{number}" for number in region]}


def _late_partitions(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """A partition for each day; one row in ten comes late."""
    day = np.where(random.random(rows) < 0.1, load - random.geometric(0.3, rows), load)
    return {
        **_random(random, rows, load),
        "part": [f"d{number:02d}" for number in np.maximum(day, 0)],
    }


def _typed(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """Texts, times and integers, all with nulls."""

    def some(values: pa.Array, nulls: float) -> pa.Array:
        return pa.array(values.to_pylist(), values.type, mask=random.random(rows) < nulls)

    customers = random.integers(0, 50_000, rows)
    micros = random.integers(0, 1 << 45, rows) + 1_700_000_000_000_000
    return {
        "a": some(pa.array([f"customer-{number:06d}" for number in customers]), 0.1),
        "b": some(pa.array(micros, pa.timestamp("us", "UTC")), 0.05),
        "c": some(pa.array(random.integers(0, 5_000, rows)), 0.3),
    }


def _few(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """A text of three values."""
    texts = np.array(["open", "paid", "sent"])
    return {**_random(random, rows, load), "a": texts[random.integers(0, 3, rows)]}


def _one_hot(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """Six rows in ten have one value."""
    columns = _random(random, rows, load)
    return {**columns, "a": np.where(random.random(rows) < 0.6, 7, columns["a"])}


def _missing(random: np.random.Generator, rows: int, load: int) -> Mapping[str, object]:
    """Four rows in ten have none."""
    columns = _random(random, rows, load)
    return {**columns, "a": pa.array(columns["a"], mask=random.random(rows) < 0.4)}


def _appended(make: Maker) -> Iterator[list[Write]]:
    for load in range(LOADS):
        yield [Write("bulk_insert", make.new(load))]


def _varying(make: Maker) -> Iterator[list[Write]]:
    """Loads of 1 to 10 files, some of them of a few rows, and one huge one."""
    for load in range(LOADS):
        files = int(make.random.integers(1, 11))
        count = files * 2_000
        if load == 6:
            files, count = 10, 15 * ROWS
        elif load % 4 == 3:
            files, count = 1, int(make.random.integers(1, 40))
        yield [Write("bulk_insert", make.new(load, count), files)]


def _changed(make: Maker, *, moved: bool) -> Iterator[list[Write]]:
    """A table, of which then 1 % of keys is updated a load: in ``payload``, or in all columns."""
    table = make.new(0, _BASE)
    yield [Write("bulk_insert", table, 16)]
    for load in range(1, LOADS):
        keys = np.sort(make.drawn(0.01))
        rows = make.of(keys, load)
        if not moved:
            rows = pa.concat_tables([table.take(keys).drop_columns(["payload"])]).append_column(
                "payload", rows["payload"]
            )
        yield [Write("upsert", rows)]


def _inserted_and_changed(make: Maker) -> Iterator[list[Write]]:
    """Upserts of which one row in ten has a key that is there, and keeps its sort columns."""
    past = make.new(0)
    yield [Write("upsert", past)]
    for load in range(1, LOADS):
        keys = np.sort(make.drawn(0.1 * ROWS / make.keys))
        kept = past.take(keys).drop_columns(["payload"])
        payload = pa.array(make.random.integers(0, 1 << 40, len(keys)))
        new = make.new(load)
        past = pa.concat_tables([past, new])
        yield [Write("upsert", pa.concat_tables([new, kept.append_column("payload", payload)]))]


def _deleted(make: Maker) -> Iterator[list[Write]]:
    """Each load, and 2 % of random keys that go; now and then a stretch of ``a`` goes, a tenth."""
    past = make.new(0, _BASE)
    yield [Write("bulk_insert", past, 16)]
    for load in range(1, LOADS):
        new = make.new(load)
        past = pa.concat_tables([past, new])
        keys = make.drawn(0.02)
        if load % 4 == 0:
            low = load * _DISTINCT // LOADS
            a = past["a"].to_numpy()
            keys = past["id"].to_numpy()[(a >= low) & (a < low + _DISTINCT // 10)]
        yield [Write("bulk_insert", new), Write("delete", past.take(np.sort(keys)))]


def _column_added(make: Maker) -> Iterator[list[Write]]:
    """From the fourth load on there is one more column, from the eighth a second one."""
    for load in range(LOADS):
        rows = make.new(load)
        for first, name in ((3, "more"), (7, "yet_more")):
            if load >= first:
                values = make.random.integers(0, 1 << 20, rows.num_rows)
                rows = rows.append_column(name, pa.array(values))
        yield [Write("bulk_insert", rows)]


@dataclass(frozen=True)
class Weeks:
    """A table and the loads that it gets.

    Attributes:
        told: what happens to it, in a few words.
        shape: makes the columns of so many rows of a load.
        loads: yields what is written before each upkeep.
        columns: the sort columns.
        options: of Hudi's writer.
        limit: of a plan, as a share of the table's bytes in the end; 0 for none.
        files: full files that the table has in the end, about.
        rows: of the table in the end, about.
    """

    told: str
    shape: Callable[[np.random.Generator, int, int], Mapping[str, object]] = _random
    loads: Callable[[Maker], Iterator[list[Write]]] = _appended
    columns: tuple[str, ...] = ("a", "b")
    options: Mapping[str, str] = field(default_factory=dict)
    limit: float = 0
    files: int = 20
    rows: int = LOADS * ROWS


_PARTITIONED = {"hoodie.datasource.write.partitionpath.field": "part"}
_FILLED = {"hoodie.parquet.small.file.limit": str(100 << 20)}


def _payloads(make: Maker) -> Iterator[list[Write]]:
    return _changed(make, moved=False)


def _moves(make: Maker) -> Iterator[list[Write]]:
    return _changed(make, moved=True)


WEEKS: Mapping[str, Weeks] = {
    "random": Weeks("random keys"),
    "late": Weeks("by date, 10 % of rows late", _late),
    "varying": Weeks("1 to 10 files, some of few rows, one huge", loads=_varying, rows=220_000),
    "hot": Weeks("six partitions, one gets 70 %", _hot, options=_PARTITIONED),
    "hot-bounded": Weeks(
        "the same, a plan rewrites 25 % at most", _hot, options=_PARTITIONED, limit=0.25
    ),
    "late-partitions": Weeks(
        "a partition a day, 10 % late", _late_partitions, options=_PARTITIONED
    ),
    "updates": Weeks("1 % of keys updated", loads=_payloads, rows=_BASE),
    "updates-mor": Weeks(
        "the same on merge-on-read", loads=_payloads, options=_MERGE_ON_READ, rows=_BASE
    ),
    "updates-few": Weeks("updates, by a text of 3 values", _few, _payloads, rows=_BASE),
    "updates-hot": Weeks("updates, 60 % of rows of one value", _one_hot, _payloads, rows=_BASE),
    "updates-nulls": Weeks("updates, 40 % of rows of none", _missing, _payloads, rows=_BASE),
    "moves": Weeks("1 % of keys get new sort values", loads=_moves, rows=_BASE),
    "moves-few": Weeks("the same, by a text of 3 values", _few, _moves, rows=_BASE),
    "moves-mor": Weeks(
        "the same on merge-on-read", loads=_moves, options=_MERGE_ON_READ, rows=_BASE
    ),
    "upserts": Weeks("upserts of new keys and old", loads=_inserted_and_changed),
    "upserts-filling": Weeks(
        "the same, Hudi fills up small files", loads=_inserted_and_changed, options=_FILLED
    ),
    "upserts-mor": Weeks(
        "the same on merge-on-read", loads=_inserted_and_changed, options=_MERGE_ON_READ
    ),
    "deletes": Weeks("2 % of keys deleted, or a tenth of a column", loads=_deleted),
    "column": Weeks("a column added, and another", loads=_column_added),
    "typed": Weeks("text, time and integer with nulls", _typed, columns=("a", "b", "c")),
}
