"""Queries that are drawn from templates, as conditions of one table in Spark's SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

from queried_tables import BRANDS, CATEGORIES, CITIES, NATIONS, REGIONS

_Template = Callable[[Random], str]


@dataclass(frozen=True)
class QueryWorkload:
    """Templates of queries on a table.

    Attributes:
        source: whose questions they are, in a few words.
        templates: each returns a condition with parameters of its own.
        later: the same templates once readers have moved on; none where they stay.
    """

    source: str
    templates: Sequence[_Template]
    later: Sequence[_Template] = ()

    def known(self, of_each: int) -> list[str]:
        """Returns so many queries of each template, for layouts to know."""
        return _drawn(self.templates, of_each, seed=1)

    def unseen(self, of_each: int) -> list[str]:
        """Returns so many others of each template, for layouts to be measured by."""
        return _drawn(self.later or self.templates, of_each, seed=2)


def _drawn(templates: Sequence[_Template], of_each: int, seed: int) -> list[str]:
    random = Random(seed)
    return [template(random) for template in templates for _ in range(of_each)]


def _between(column: str, low: object, high: object) -> str:
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


def _day(day: date) -> str:
    return f"date'{day}'"


def _in_days(column: str, first: date, end: date) -> str:
    """From a day until before another."""
    return f"{column} >= {_day(first)} AND {column} < {_day(end)}"


def _year(column: str, year: int) -> str:
    return _in_days(column, date(year, 1, 1), date(year + 1, 1, 1))


def _months(column: str, first: int, many: int) -> str:
    """So many months, of which the first counts from January 1993 on."""
    starts = [date(1993 + month // 12, month % 12 + 1, 1) for month in (first, first + many)]
    return _in_days(column, *starts)


def _forecast_revenue(r: Random) -> str:
    """Query 6."""
    discount = r.randint(2, 9)
    return (
        f"{_year('l_shipdate', r.randint(1993, 1997))}"
        f" AND l_discount BETWEEN 0.{discount - 1:02} AND 0.{discount + 1:02}"
        f" AND l_quantity < {r.randint(24, 25)}"
    )


def _shipping_modes(r: Random) -> str:
    """Query 12."""
    modes = r.sample(("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"), 2)
    return (
        f"l_shipmode IN ('{modes[0]}', '{modes[1]}') AND l_commitdate < l_receiptdate"
        f" AND l_shipdate < l_commitdate AND {_year('l_receiptdate', r.randint(1993, 1997))}"
    )


def _discounted_revenue(r: Random) -> str:
    """Query 19, of which the rest is about the part."""
    by_air = "l_shipmode IN ('AIR', 'AIR REG') AND l_shipinstruct = 'DELIVER IN PERSON'"
    least = (r.randint(1, 10), r.randint(10, 20), r.randint(20, 30))
    return " OR ".join(
        f"({_between('l_quantity', quantity, quantity + 10)} AND {by_air})" for quantity in least
    )


_LINEITEM: Final = QueryWorkload(
    "what TPC-H asks of lineitem, its parameters by the specification; queries 4, 5, 8, 9, 17, 18"
    " and 21 compare none of its columns with a value",
    (
        lambda r: f"l_shipdate <= {_day(date(1998, 12, 1) - timedelta(r.randint(60, 120)))}",  # 1
        lambda r: f"l_shipdate > {_day(date(1995, 3, r.randint(1, 31)))}",  # 3
        _forecast_revenue,
        lambda r: _between("l_shipdate", "date'1995-01-01'", "date'1996-12-31'"),  # 7
        lambda r: "l_returnflag = 'R'",  # 10
        _shipping_modes,
        lambda r: _months("l_shipdate", r.randrange(60), 1),  # 14
        lambda r: _months("l_shipdate", r.randrange(58), 3),  # 15
        _discounted_revenue,
        lambda r: _year("l_shipdate", r.randint(1993, 1997)),  # 20
    ),
)


def _discounted(r: Random, when: str, quantity: str) -> str:
    """Flight 1: what some discounts cost."""
    discount = r.randint(1, 8)
    return f"{when} AND {_between('lo_discount', discount, discount + 2)} AND {quantity}"


def _brands(r: Random) -> str:
    first = r.randrange(len(CATEGORIES)) * 40 + r.randrange(33)
    return _between("p_brand1", f"'{BRANDS[first]}'", f"'{BRANDS[first + 7]}'")


def _ten_pieces(r: Random) -> str:
    return _between("lo_quantity", least := r.randint(1, 40), least + 9)


def _two_cities(r: Random) -> str:
    nation = r.randrange(len(NATIONS))
    names = ", ".join(f"'{CITIES[nation * 10 + place]}'" for place in r.sample(range(10), 2))
    return f"c_city IN ({names}) AND s_city IN ({names})"


def _both(r: Random, what: str, values: Sequence[str]) -> str:
    """The same of customers and suppliers."""
    return f"c_{what} = '{(value := r.choice(values))}' AND s_{what} = '{value}'"


def _a_month(r: Random) -> str:
    return f"d_yearmonthnum = {r.randint(1992, 1997)}{r.randint(1, 12):02}"


_SIX_YEARS = _between("d_year", 1992, 1997)
_TWO_YEARS = "d_year IN (1997, 1998)"
_TWO_MAKERS = "p_mfgr IN ('MFGR#1', 'MFGR#2')"

_LINEORDER: Final = QueryWorkload(
    "the 13 queries of SSB on its flat table, parameters drawn",
    (
        lambda r: _discounted(r, f"d_year = {r.randint(1993, 1997)}", "lo_quantity < 25"),
        lambda r: _discounted(r, _a_month(r), _ten_pieces(r)),
        lambda r: _discounted(
            r,
            f"d_year = {r.randint(1993, 1997)} AND d_weeknuminyear = {r.randint(1, 52)}",
            _ten_pieces(r),
        ),
        lambda r: f"p_category = '{r.choice(CATEGORIES)}' AND s_region = '{r.choice(REGIONS)}'",
        lambda r: f"{_brands(r)} AND s_region = '{r.choice(REGIONS)}'",
        lambda r: f"p_brand1 = '{r.choice(BRANDS)}' AND s_region = '{r.choice(REGIONS)}'",
        lambda r: f"{_both(r, 'region', REGIONS)} AND {_SIX_YEARS}",
        lambda r: f"{_both(r, 'nation', NATIONS)} AND {_SIX_YEARS}",
        lambda r: f"{_two_cities(r)} AND {_SIX_YEARS}",
        lambda r: f"{_two_cities(r)} AND {_a_month(r)}",
        lambda r: f"{_both(r, 'region', REGIONS)} AND {_TWO_MAKERS}",
        lambda r: f"{_both(r, 'region', REGIONS)} AND {_TWO_YEARS} AND {_TWO_MAKERS}",
        lambda r: (
            f"c_region = '{REGIONS[(nation := r.randrange(25)) // 5]}'"
            f" AND s_nation = '{NATIONS[nation]}' AND {_TWO_YEARS}"
            f" AND p_category = '{r.choice(CATEGORIES)}'"
        ),
    ),
)


def _moving(now: date) -> Sequence[_Template]:
    """Readers of the last days, which differ for each, beside questions that repeat."""

    def last(r: Random, days: int) -> str:
        today = now + timedelta(r.randrange(200))
        return f"day > {_day(today - timedelta(days))} AND day <= {_day(today)}"

    return (
        *(
            lambda r, days=days: f"{last(r, days)} AND store = {r.randrange(400)}"
            for days in (1, 7, 30)
        ),
        lambda r: f"{last(r, 30)} AND status = {r.randint(1, 5)}",
        lambda r: f"customer = {int(1e5 ** r.random())}",
        lambda r: f"amount >= {5_000 + 500 * r.randrange(10)}",
        lambda r: f"item = {500 * r.randrange(40)}",
    )


_ORDERS: Final = QueryWorkload(
    "readers who move on: half of them ask of days after those that were known, the others repeat",
    _moving(date(2024, 4, 10)),
    _moving(date(2024, 10, 27)),
)

WORKLOADS: Final[Mapping[str, QueryWorkload]] = {
    "flights": _FLIGHTS,
    "store_sales": _STORE_SALES,
    "lineitem": _LINEITEM,
    "lineorder": _LINEORDER,
    "orders": _ORDERS,
}
