"""Queries that are drawn from templates, of flights and of TPC-DS, as conditions in Spark's SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

_Template = Callable[[Random], str]


@dataclass(frozen=True)
class QueryWorkload:
    """Templates of queries on a table.

    Attributes:
        source: whose questions they are, in a few words.
        templates: each returns a condition with parameters of its own.
    """

    source: str
    templates: Sequence[_Template]

    def draw(self, of_each: int, seed: int) -> list[str]:
        """Returns so many queries of each template, the same for the same seed."""
        random = Random(seed)
        return [template(random) for template in self.templates for _ in range(of_each)]


def _between(column: str, low: int, high: int) -> str:
    return f"{column} BETWEEN {low} AND {high}"


def _origin(r: Random) -> str:
    return f"origin = '{r.choice(('EWR', 'JFK', 'LGA'))}'"


def _destination(r: Random) -> str:
    many = "ORD ATL LAX BOS MCO CLT SFO FLL MIA DCA DTW DFW RDU TPA DEN IAH MSP PBI BNA LAS"
    some = "SJU IAD BUF PHL CLE STL SEA PHX MDW RSW PIT CVG JAX MSY SAN SAV CHS AUS MKE PDX"
    return r.choice(many.split() if r.random() < 0.7 else some.split())


def _week(r: Random) -> str:
    month, day = r.randint(1, 12), r.choice((1, 8, 15, 22))
    start = f"2013-{month:02}-{day:02} 00:00:00"
    return f"time_hour >= timestamp'{start}' AND time_hour < timestamp'{start}' + INTERVAL 7 DAYS"


def _long_way(r: Random) -> str:
    least = 500 * r.randint(1, 4)
    return f"distance >= {least} AND distance < {least + 500}"


def _four(r: Random) -> str:
    names = ", ".join(f"'{_destination(r)}'" for _ in range(4))
    return f"dest IN ({names})"


_FLIGHTS: Final = QueryWorkload(
    "made-up questions on the flights",
    (
        lambda r: f"{_week(r)} AND {_origin(r)}",
        lambda r: f"dest = '{_destination(r)}'",
        lambda r: (
            f"carrier = '{r.choice('UA B6 EV DL AA MQ US WN'.split())}'"
            f" AND month = {r.randint(1, 12)}"
        ),
        lambda r: f"dep_delay >= {30 * r.randint(1, 4)}",
        lambda r: f"{_long_way(r)} AND {_origin(r)}",
        lambda r: f"hour BETWEEN 5 AND {r.randint(7, 8)} AND {_origin(r)}",
        _four,
        lambda r: f"dep_delay IS NULL AND month <= {r.randint(1, 12)}",
    ),
)

_FIRST_DAY: Final = 2450815  # the date key of 1998-01-01


def _dates(column: str, days: int) -> _Template:
    return lambda r: _between(column, first := _FIRST_DAY + r.randrange(1_800), first + days - 1)


def _bucket(r: Random) -> str:
    """Query 28: a list price, a coupon or a cost, for so many pieces."""
    least = r.choice((0, 6, 11, 16, 21, 26))
    price, coupon, cost = r.randint(0, 190), r.randint(0, 18_000), r.randint(0, 80)
    return (
        f"{_between('ss_quantity', least, least + 5)} AND"
        f" ({_between('ss_list_price', price, price + 10)}"
        f" OR {_between('ss_coupon_amt', coupon, coupon + 1_000)}"
        f" OR {_between('ss_wholesale_cost', cost, cost + 20)})"
    )


def _prices(r: Random) -> str:
    """Queries 13 and 48: a year's sales of some prices."""
    first = _FIRST_DAY + 365 * r.randrange(5)
    price = r.choice((50, 100, 150))
    return (
        f"{_between('ss_sold_date_sk', first, first + 364)}"
        f" AND {_between('ss_sales_price', price, price + 50)}"
    )


def _half_hour(r: Random) -> str:
    """Queries 88 and 96: a half hour of every day."""
    start = 1_800 * r.randint(16, 41)
    return _between("ss_sold_time_sk", start, start + 1_799)


_STORE_SALES: Final = QueryWorkload(
    "what TPC-DS asks of store_sales, its dimensions' keys written as ranges",
    (
        _dates("ss_sold_date_sk", 30),  # 3, 42, 52, 55
        _dates("ss_sold_date_sk", 91),  # 17, 29
        _bucket,
        lambda r: _between("ss_quantity", low := r.choice((1, 21, 41, 61, 81)), low + 19),  # 9
        _prices,
        _half_hour,
        lambda r: f"ss_store_sk = {r.choice((1, 2, 4, 7, 8, 10))} AND ss_hdemo_sk IS NULL",  # 44
        lambda r: f"ss_item_sk IN ({', '.join(str(r.randint(1, 18_000)) for _ in range(5))})",
    ),
)

WORKLOADS: Final[Mapping[str, QueryWorkload]] = {
    "flights": _FLIGHTS,
    "store_sales": _STORE_SALES,
}
