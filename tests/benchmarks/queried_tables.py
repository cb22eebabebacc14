"""Tables that the queries of a workload are about, made up with a seed: a flat SSB, and orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pyarrow as pa

Columns = Mapping[str, np.ndarray | pa.Array]

REGIONS: Final = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
# Five nations of each region, in the order of the regions.
NATIONS: Final = tuple(
    name.replace("_", " ")
    for name in (
        "ALGERIA ETHIOPIA KENYA MOROCCO MOZAMBIQUE ARGENTINA BRAZIL CANADA PERU UNITED_STATES"
        " CHINA INDIA INDONESIA JAPAN VIETNAM FRANCE GERMANY ROMANIA RUSSIA UNITED_KINGDOM"
        " EGYPT IRAN IRAQ JORDAN SAUDI_ARABIA"
    ).split()
)
# As SSB names them: ten cities of a nation, 'UNITED KI1' one of the United Kingdom's.
CITIES: Final = tuple(f"{nation[:9]:9}{number}" for nation in NATIONS for number in range(10))
CATEGORIES: Final = tuple(f"MFGR#{maker}{kind}" for maker in range(1, 6) for kind in range(1, 6))
BRANDS: Final = tuple(f"{kind}{number:02}" for kind in CATEGORIES for number in range(1, 41))

_LINES_AN_ORDER: Final = 4
_SSB_DAYS: Final = 2_406  # of orders, from 1992-01-01 to 1998-08-02


def _picked(values: tuple[str, ...], places: np.ndarray) -> np.ndarray:
    return np.array(values)[places]


def _lineorder(random: np.random.Generator, rows: int) -> Columns:
    """The Star Schema Benchmark's lineorder beside the columns of its dimensions."""
    orders = -(-rows // _LINES_AN_ORDER)
    order = np.arange(rows) // _LINES_AN_ORDER
    date = np.datetime64("1992-01-01") + random.integers(0, _SSB_DAYS, orders)[order]
    years = date.astype("datetime64[Y]").astype(int) + 1970
    months = date.astype("datetime64[M]").astype(int) % 12 + 1
    day_of_year = (date - date.astype("datetime64[Y]")).astype(int)
    customer_city = random.integers(0, len(CITIES), orders)[order]
    supplier_city = random.integers(0, len(CITIES), rows)
    brand = random.integers(0, len(BRANDS), rows)
    quantity = random.integers(1, 51, rows)
    price = random.integers(90_000, 200_000, rows) * quantity
    discount = random.integers(0, 11, rows)
    places = {
        f"{side}_{what}": _picked(names, city // divisor)
        for side, city in (("c", customer_city), ("s", supplier_city))
        for what, names, divisor in (
            ("region", REGIONS, 50),
            ("nation", NATIONS, 10),
            ("city", CITIES, 1),
        )
    }
    return {
        "lo_orderkey": order,
        "lo_orderdate": pa.array(date),
        "lo_quantity": quantity,
        "lo_extendedprice": price,
        "lo_discount": discount,
        "lo_revenue": price * (100 - discount) // 100,
        "lo_supplycost": random.integers(54_000, 120_000, rows),
        "d_year": years,
        "d_yearmonthnum": years * 100 + months,
        "d_weeknuminyear": day_of_year // 7 + 1,
        "p_mfgr": _picked(tuple(f"MFGR#{maker}" for maker in range(1, 6)), brand // 200),
        "p_category": _picked(CATEGORIES, brand // 40),
        "p_brand1": _picked(BRANDS, brand),
        **places,
    }


def _orders(random: np.random.Generator, rows: int) -> Columns:
    """Two years of orders: customers by Zipf, most of one status, amounts log-normal."""
    day = np.arange(rows) * 730 // rows
    return {
        "day": pa.array(np.datetime64("2024-01-01") + day),
        "customer": (1e5 ** random.random(rows)).astype(np.int64),
        "status": (6 * random.random(rows) ** 3).astype(np.int64),
        "amount": (1_000 * random.lognormal(0, 1, rows)).astype(np.int64),
        "store": random.integers(0, 400, rows),
        "item": random.integers(0, 20_000, rows),
        "payload": random.integers(0, 1 << 40, rows),
    }


# Sort columns, the maker and what it makes.
QUERIED: Final[
    Mapping[str, tuple[tuple[str, ...], Callable[[np.random.Generator, int], Columns], str]]
] = {
    "lineorder": (
        ("lo_orderdate", "p_brand1", "s_city", "c_city"),
        _lineorder,
        "lineorder of SSB and its dimensions' columns, flat",
    ),
    "orders": (
        ("day", "customer", "store", "item"),
        _orders,
        "two years of orders, as they come",
    ),
}
