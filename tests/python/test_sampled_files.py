"""What is read of files that are known by a sample of their rows, against all of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.coercion import bind
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.parser import parse
from hudi_zorder.simulation.file_set import FileSet, SimulatedFile
from hudi_zorder.simulation.grouped_sample import GroupedSample
from hudi_zorder.simulation.present_files import known_bounds

ROWS, SAMPLED = 1_000_000, 20_000
YEARS = 3 * 365 * 24 * 60  # minutes
LATEST = YEARS - 180
COLUMNS = {
    name: ColumnSchema(name, 0, pa.int32(), "INT32", 0, None)
    for name in ("customer", "created", "shipped", "fault")
}


# Of either sign, as processors make them.
NANS = np.array([0x7FF8 << 48, 0xFFF8 << 48], np.uint64).view(np.float64)


class Orders:
    """Independent columns; one order in 5,000 is not shipped yet, and one in 5,000 has a fault."""

    def __init__(self) -> None:
        chance = np.random.default_rng(0)
        self.customer = chance.integers(0, ROWS, ROWS, dtype=np.int32)
        self.created = chance.integers(0, YEARS, ROWS, dtype=np.int32)
        self.unshipped = chance.random(ROWS) < 2e-4
        self.faulty = chance.random(ROWS) < 2e-4
        self.rows = np.sort(chance.choice(ROWS, SAMPLED, replace=False))

    def grid(self, by_customer: int, by_time: int) -> Any:
        """Returns the number of each row's file."""
        customer = self.customer.astype(np.int64) * by_customer // ROWS
        created = self.created.astype(np.int64) * by_time // YEARS
        return (customer * by_time + created).astype(np.int32)

    def sample(self, rows: Any, **known: Any) -> GroupedSample:
        """Returns some of the rows, of one group."""
        created = self.created[rows]
        values = [
            pa.array(self.customer[rows]),
            pa.array(created),
            pa.array(created, mask=self.unshipped[rows]),
            pa.array(created, mask=~self.faulty[rows]),
        ]
        groups = pa.array(np.zeros(len(rows), np.int32))
        known = {"known": {"created": Bounds(ROWS, 0, 0, YEARS - 1)}, **known}
        return GroupedSample(groups, values, COLUMNS, [""], [ROWS], nan_shows=False, **known)


@pytest.fixture(scope="module")
def orders() -> Orders:
    return Orders()


def share(files: list[SimulatedFile], condition: str) -> float:
    test = bind(parse(condition), pa.int32(), None)
    return FileSet(files, lambda _: {}).share_of_predicate(BoundPredicate(test, test, {}, ()))


@pytest.mark.parametrize("grid", [(20, 1), (10, 2), (5, 4), (1, 20)])
@pytest.mark.parametrize(
    ("condition", "column"),
    [
        (f"created >= {LATEST}", "latest"),
        ("shipped IS NULL", "unshipped"),
        ("fault IS NOT NULL", "faulty"),
        ("fault > 0", "faulty"),
    ],
)
def test_what_one_row_in_thousands_has_is_in_the_files_where_it_will_be(
    orders: Orders, grid: tuple[int, int], condition: str, column: str
) -> None:
    numbers = orders.grid(*grid)
    asked = orders.created >= LATEST if column == "latest" else getattr(orders, column)
    real = len(np.unique(numbers[asked])) / (grid[0] * grid[1])
    files = orders.sample(orders.rows).files(pa.array(numbers[orders.rows]))
    assert share(files, condition) == pytest.approx(real, abs=0.06)


@pytest.mark.parametrize(
    "condition", ["customer = 500000", "created < 600000", "created >= 800000"]
)
def test_what_many_rows_have_is_in_no_more_files_than_before(
    orders: Orders, condition: str
) -> None:
    numbers = orders.grid(5, 4)
    seen = orders.sample(orders.rows, is_whole=True).files(pa.array(numbers[orders.rows]))
    files = orders.sample(orders.rows).files(pa.array(numbers[orders.rows]))
    assert share(files, condition) == share(seen, condition) < 1


def test_of_a_sample_of_all_rows_the_files_have_their_own_ends_and_nulls(orders: Orders) -> None:
    numbers = orders.grid(5, 4)
    files = orders.sample(np.arange(ROWS)).files(pa.array(numbers))
    for number, file in zip(dict.fromkeys(numbers.tolist()), files, strict=True):
        of_file = numbers == number
        created = orders.created[of_file]
        assert file.rows == of_file.sum()
        bounds = file.bounds["created"]
        assert bounds == Bounds(len(created), 0, created.min(), created.max())
        assert file.bounds["shipped"].null_count == orders.unshipped[of_file].sum()  # type: ignore[union-attr]


def test_what_no_present_file_has_no_file_will_have(orders: Orders) -> None:
    numbers = pa.array(orders.grid(20, 1)[orders.rows])
    present = [
        SimulatedFile("", ROWS, {"created": Bounds(ROWS, 0, 0, YEARS + 100), "shipped": None})
    ]
    known = known_bounds(present, COLUMNS)
    assert list(known) == ["created"]
    files = orders.sample(orders.rows, known=known).files(numbers)
    assert share(files, f"created >= {YEARS + 50}") == 1
    assert share(files, f"created > {YEARS + 100}") == 0
    assert share(files, "created IS NULL") == 0
    assert share(files, "shipped IS NULL") == 1


def test_partitions_of_days_have_no_rows_of_other_days(orders: Orders) -> None:
    days = orders.created[orders.rows] // 1440
    sample = orders.sample(orders.rows).divided(pa.array(days), [str(day) for day in range(1095)])
    files = sample.files(pa.array(days))
    assert share(files, f"created >= {LATEST}") == pytest.approx(1 / 1095, rel=0.5)
    assert share(files, f"created < {1440 * 10}") == pytest.approx(10 / 1095, rel=0.5)


@pytest.mark.parametrize(
    "values",
    [
        pa.array([None] * 40, pa.int32()),
        pa.array([float("nan")] * 40),
        pa.array([float("nan"), None, 1.5, -0.0] * 10),
        pa.concat_arrays([pa.array(NANS), pa.array([None, 1.5])] * 10),
        pa.array([None] * 39 + ["a"]),
        pa.array([b"", b"a", b"ab", None] * 10, pa.binary()),
        pa.array([True] * 39 + [False]),
        pa.array(range(40), pa.date32()),
    ],
    ids=lambda values: str(values.type),
)
@pytest.mark.parametrize("rows", [40, 60, 40_000])
def test_files_hold_what_was_sampled_of_them_at_least(values: pa.Array, rows: int) -> None:
    leaf = {"a": ColumnSchema("a", 0, values.type, "", 0, None)}
    groups = pa.array([0, 1] * 20, pa.int32())
    numbers = pa.array([0, 1, 2, 3, 2, 1, 0, 3] * 5, pa.int32())
    for nan_shows in (True, False):
        given = (groups, [values], leaf, ["", ""], [rows, rows / 2])
        seen = GroupedSample(*given, nan_shows=nan_shows, is_whole=True).files(numbers)
        files = GroupedSample(*given, nan_shows=nan_shows).files(numbers)
        for one, other in zip(seen, files, strict=True):
            own, wider = one.bounds["a"], other.bounds["a"]
            assert own is not None
            assert wider is not None
            assert wider.null_count in (own.null_count, None)
            assert wider.may_hold_nan >= own.may_hold_nan
            if own.low is not None and wider.low is not None:
                assert wider.low <= own.low
                assert wider.high >= own.high
            assert own.all_null or not wider.all_null


def test_rows_have_a_column_in_a_type_that_no_file_has_yet() -> None:
    """As after ALTER COLUMN day TYPE string: what files tell of it are days."""
    leaf = ColumnSchema("day", 0, pa.date32(), "INT32", 0, None, certain_from=-141_427)
    sample = GroupedSample(
        pa.array([0] * 4, pa.int32()),
        [pa.array([f"2026-01-0{day}" for day in (1, 2, 3, 4)])],
        {"day": leaf},
        [""],
        [8],
        nan_shows=False,
        known={"day": Bounds(8, 0, 20_454, 20_457)},
    )
    files = sample.files(pa.array([0, 0, 1, 1], pa.int32()))
    assert [file.bounds["day"].low for file in files] == [b"2026-01-01"] * 2
    assert FileSet(files, lambda _: {}).share_of_column(sample.columns["day"]) <= 1
