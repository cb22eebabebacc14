"""Dates and times as Spark's SQL spells them, as days and microseconds since 1970.

A time without a zone is an instant that depends on the session: unless the session's zone is given,
every zone is allowed for, and what comes back are the two ends of what the instant may be.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone, tzinfo
from typing import Final

# No zone is further from UTC; java.time.ZoneOffset allows no more either.
_ANY_ZONE: Final = timedelta(hours=18)
# Zone rules that change differ before and after these years between the tables of Java and Python.
_SETTLED_YEARS: Final = range(1971, 2038)
# Digits of other scripts, and a zone after a time without seconds, are a null to Spark.
_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
_TIME: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})"
    r"(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?(Z|[+-]\d{2}:[0-5]\d)?)?)?",
    re.ASCII,
)
_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2}(?=:|$)|\d{2})(?::?(\d{2}))?")
# Of java.time.ZoneId.SHORT_IDS, by which Spark finds a zone first.
_SHORT_IDS: Final = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "EST": "-05:00",
    "HST": "-10:00",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "MST": "-07:00",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
_EPOCH: Final = datetime(1970, 1, 1)


def days(text: str) -> int | None:
    """Returns the days from 1970 to ``yyyy-mm-dd``; None for any other spelling."""
    found = _DATE.fullmatch(text)
    if found is None:
        return None
    try:
        return (date(*map(int, found.groups())) - _EPOCH.date()).days
    except ValueError:
        return None


def local_micros(text: str) -> int | None:
    """Returns the microseconds of ``yyyy-mm-dd[ hh:mm[:ss[.ffffff]]]`` on a clock without zone.

    None for any other spelling, one with a zone included.
    """
    parsed = _parse_time(text)
    if parsed is None or parsed[1] is not None:
        return None
    return _micros(parsed[0] - _EPOCH)


def instants(text: str, zone: tzinfo | None) -> tuple[int, int] | None:
    """Returns the first and the last instant that a time may be, in microseconds since 1970 UTC.

    Args:
        text: ``yyyy-mm-dd[ hh:mm[:ss[.ffffff][zone]]]``, the zone being ``Z`` or ``+hh:mm``.
        zone: the session's time zone, for texts without one; None when it is not known.

    Returns:
        Two equal ends when the offset is known; None for any other spelling.
    """
    parsed = _parse_time(text)
    if parsed is None:
        return None
    local, offset = parsed
    if offset is None and zone is not None:
        offset = zone.utcoffset(None)  # of a zone that has always had the same one
    if offset is None and zone is not None and local.year in _SETTLED_YEARS:
        # fold=0 takes the earlier of two, and the offset before a gap, as java.time does.
        offset = local.replace(tzinfo=zone, fold=0).utcoffset()
    since = _micros(local - _EPOCH)
    if offset is not None:
        instant = since - _micros(offset)
        return instant, instant
    return since - _micros(_ANY_ZONE), since + _micros(_ANY_ZONE)


def time_zone(name: str) -> tzinfo:
    """Returns the time zone of that name, such as ``Europe/Berlin``, ``UTC``, ``PST`` or ``GMT+2``.

    Raises:
        ValueError: when there is none.
    """
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    offset = _OFFSET.fullmatch(_SHORT_IDS.get(name, name))
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    if name.upper() in ("UTC", "ETC/UTC", "GMT", "Z"):
        return timezone.utc
    try:
        return ZoneInfo(_SHORT_IDS.get(name, name))
    except (ZoneInfoNotFoundError, ValueError, OSError) as fault:
        raise ValueError(f"there is no time zone '{name}'") from fault


def _parse_time(text: str) -> tuple[datetime, timedelta | None] | None:
    found = _TIME.fullmatch(text)
    if found is None or days(found[1]) is None:
        return None
    day, hour, minute, second, fraction, zone = found.groups()
    try:
        local = datetime.fromisoformat(day).replace(
            hour=int(hour or 0),
            minute=int(minute or 0),
            second=int(second or 0),
            microsecond=int((fraction or "0").ljust(6, "0")),
        )
    except ValueError:
        return None
    if zone is None:
        return local, None
    if zone == "Z":
        return local, timedelta(0)
    offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[4:6]))
    if offset > _ANY_ZONE:
        return None
    return local, -offset if zone[0] == "-" else offset


def _micros(span: timedelta) -> int:
    return span // timedelta(microseconds=1)
