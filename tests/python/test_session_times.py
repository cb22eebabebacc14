"""A condition on a time of the session's clock is true at least where the one asked was."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import product
from pathlib import Path

import pytest

import hudi_zorder as hz
from hudi_zorder import times
from hudi_zorder.eventlog.session_times import in_utc
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.tree import And, Constant, Or, Predicate
from logged_events import environment, read, scan, write_log

HOLDS = {
    p.EQUAL: operator.eq,
    p.SAME: operator.eq,
    p.NOT_EQUAL: operator.ne,
    p.NOT_SAME: operator.ne,
    p.LESS: operator.lt,
    p.LESS_OR_EQUAL: operator.le,
    p.GREATER: operator.gt,
    p.GREATER_OR_EQUAL: operator.ge,
}
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "PST", "GMT+2", "-18:00"]
TWICE = "ts >= TIMESTAMP '2026-10-25 00:30:00Z' AND ts <= TIMESTAMP '2026-10-25 01:30:00Z'"
INSTANTS = [
    datetime(1900, 1, 1, 12),
    datetime(1970, 12, 31, 23, 30),
    datetime(2026, 3, 29, 1, 30),
    datetime(2026, 10, 25, 0, 30),
    datetime(2026, 10, 25, 1, 30),
    datetime(2026, 11, 1, 5, 30),
    datetime(2026, 11, 1, 6, 30),
    datetime(2026, 7, 1, 0, 0, 0, 123456),
    datetime(2050, 7, 1),
]


def on_the_clock(instant: datetime, zone: str) -> Literal:
    """A time as a plan of a session of that zone has it."""
    local = instant.replace(tzinfo=timezone.utc).astimezone(times.time_zone(zone))
    return Literal(kinds.TIMESTAMP, str(local.replace(tzinfo=None)))


def holds(part: Predicate, value: datetime) -> bool:
    if isinstance(part, Constant):
        return part.holds
    if isinstance(part, And | Or):
        return (all if isinstance(part, And) else any)(holds(one, value) for one in part.parts)
    if isinstance(part, p.InList):
        return part.negated != any(value == instant_of(one) for one in part.literals)
    assert isinstance(part, p.Comparison)
    return bool(HOLDS[part.operator](value, instant_of(part.literal)))


def instant_of(literal: Literal) -> datetime:
    text = str(literal.value)
    assert text.endswith("Z")
    return datetime.fromisoformat(text[:-1])


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", HOLDS)
def test_what_is_asked_is_within_what_is_read(zone: str, name: str) -> None:
    for instant, value in product(INSTANTS, repeat=2):
        asked = p.Comparison("ts", name, on_the_clock(instant, zone))
        found = in_utc(asked, times.time_zone(zone))
        assert holds(found, value) or not HOLDS[name](value, instant), found


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("negated", [False, True])
def test_so_it_is_of_lists(zone: str, negated: bool) -> None:
    for listed in (INSTANTS[:2], INSTANTS[3:6], INSTANTS[5:8], INSTANTS[8:]):
        literals = tuple(on_the_clock(instant, zone) for instant in listed)
        found = in_utc(p.InList("ts", literals, negated), times.time_zone(zone))
        for value in INSTANTS:
            assert holds(found, value) or (value in listed) is negated, found


@pytest.mark.parametrize(
    ("zone", "years"),
    [("UTC", (1900, 2026, 2050)), ("GMT+2", (1900, 2026, 2050)), ("PST", (2026,))],
)
def test_a_time_that_the_clock_tells_is_read_as_it_was_asked(
    zone: str, years: Sequence[int]
) -> None:
    for instant in (datetime(year, 7, 1) for year in years):
        asked = p.Comparison("ts", p.NOT_EQUAL, on_the_clock(instant, zone))
        found = in_utc(asked, times.time_zone(zone))
        assert isinstance(found, p.Comparison)
        assert (found.operator, instant_of(found.literal)) == (p.NOT_EQUAL, instant)


def predicate_in(tmp_path: Path, zone: str | None, filters: str) -> tuple[str | None, list[str]]:
    plan = scan(f"[{filters}]", schema="struct<a:int,ts:timestamp>")
    found = hz.queries_from_event_log(
        write_log(tmp_path / "log", environment(zone), *read(0, plan))
    )
    predicates = [query.predicate for query in found]
    return next(iter(predicates), None), [part.reason for part in found.left_out]


@pytest.mark.parametrize(
    ("zone", "filters", "predicate"),
    [
        ("UTC", "(ts#2 < 9999-12-31 23:59:59)", "ts < TIMESTAMP '9999-12-31 23:59:59Z'"),
        ("UTC", "(ts#2 >= 1900-01-01 00:00:00)", "ts >= TIMESTAMP '1900-01-01 00:00:00Z'"),
        ("GMT+2", "(ts#2 >= 2050-01-01 00:00:00)", "ts >= TIMESTAMP '2049-12-31 22:00:00Z'"),
        ("PST", "(ts#2 < 2026-07-01 00:00:00)", "ts < TIMESTAMP '2026-07-01 07:00:00Z'"),
        ("Asia/Tokyo", "(ts#2 >= 2050-01-01 00:00:00)", "ts >= TIMESTAMP '2049-12-31 06:00:00Z'"),
        ("Europe/Berlin", "(ts#2 < 9999-12-31 00:00:00)", "ts < TIMESTAMP '9999-12-31 18:00:00Z'"),
        ("Europe/Berlin", "(ts#2 < 9999-12-31 23:59:59)", "ts IS NOT NULL"),
        ("Europe/Berlin", "NOT (ts#2 >= 9999-12-31 23:59:59)", "ts IS NOT NULL"),
        ("Europe/Berlin", "(ts#2 > 0001-01-01 00:00:00)", "ts IS NOT NULL"),
        ("-02:00", "(ts#2 > 9999-12-31 23:59:59)", "ts > TIMESTAMP '9999-12-31 23:59:59.999999Z'"),
        (
            "Europe/Berlin",
            "(a#1 = 5), (ts#2 = 2026-10-25 02:30:00)",
            f"a = 5 AND {TWICE}",
        ),
        (
            "Europe/Berlin",
            "NOT ((a#1 = 5) OR NOT (ts#2 = 2026-10-25 02:30:00))",
            f"a != 5 AND {TWICE}",
        ),
        ("Europe/Berlin", "(a#1 = 5), NOT (ts#2 = 2050-01-01 00:00:00)", "a = 5"),
    ],
)  # fmt: skip
def test_a_time_of_any_year_is_a_condition(
    tmp_path: Path, zone: str, filters: str, predicate: str
) -> None:
    assert predicate_in(tmp_path, zone, filters) == (predicate, [])


@pytest.mark.parametrize("zone", [None, "Mars/Base"])
def test_a_time_in_a_zone_that_is_not_known_is_left_out_for_that(
    tmp_path: Path, zone: str | None
) -> None:
    filters = "(a#1 = 5), (ts#2 >= 2026-07-01 00:00:00)"
    reason = "a time in a zone that is not known"
    assert predicate_in(tmp_path, zone, filters) == ("a = 5", [reason])
    alone = "ts#2 IN (2026-07-01 00:00:00,2026-07-02 00:00:00)"
    assert predicate_in(tmp_path, zone, alone) == (None, [reason])
