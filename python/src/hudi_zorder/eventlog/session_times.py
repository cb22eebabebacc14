"""Times on the clock of a session, which a plan writes without a zone, as instants.

Where the clock does not tell which instant it was, as in an hour that it shows twice or in years
whose zone rules differ between Java and Python, a condition is widened: it is true wherever the
one that was asked is.
"""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Final

from hudi_zorder import times
from hudi_zorder.eventlog.plan_text import ZONE, flat
from hudi_zorder.predicate import literals as kinds
from hudi_zorder.predicate import tree as p
from hudi_zorder.predicate.literals import Literal
from hudi_zorder.predicate.tree import And, Constant, Or, Predicate, Unusable

_EPOCH: Final = datetime(1970, 1, 1)
_MICROSECOND: Final = timedelta(microseconds=1)
# What has four digits for the year in UTC.
_LEAST, _MOST = ((end - _EPOCH) // _MICROSECOND for end in (datetime.min, datetime.max))


def in_utc(part: Predicate, zone: tzinfo | None) -> Predicate:
    """Returns what is true wherever a condition is, with times that no session's zone changes.

    Args:
        part: with times on the session's clock.
        zone: the session's time zone; None when it is not known.
    """
    if isinstance(part, And | Or):
        return type(part)(flat(type(part), [in_utc(inner, zone) for inner in part.parts]))
    if isinstance(part, p.Comparison) and part.literal.kind == kinds.TIMESTAMP:
        return _comparison(part, zone) if zone else Unusable(part.text, ZONE)
    if isinstance(part, p.InList) and part.literals[0].kind == kinds.TIMESTAMP:
        return _in_list(part, zone) if zone else Unusable(part.text, ZONE)
    return part


def _comparison(part: p.Comparison, zone: tzinfo) -> Predicate:
    first, last = _ends(part.literal, zone)
    if first == last and first is not None:
        return p.Comparison(part.column, part.operator, first)
    if part.operator in (p.NOT_EQUAL, p.NOT_SAME):
        return Constant("true", True)
    if part.operator in (p.EQUAL, p.SAME):
        bounds = [(p.GREATER_OR_EQUAL, first), (p.LESS_OR_EQUAL, last)]
    else:
        is_low = part.operator in (p.GREATER, p.GREATER_OR_EQUAL)
        bounds = [(part.operator, first if is_low else last)]
    known = tuple(p.Comparison(part.column, name, end) for name, end in bounds if end is not None)
    if not known:
        return p.NullTest(part.column, negated=True)
    return known[0] if len(known) == 1 else And(known)


def _in_list(part: p.InList, zone: tzinfo) -> Predicate:
    each = [
        _comparison(p.Comparison(part.column, p.EQUAL, literal), zone) for literal in part.literals
    ]
    exact = tuple(
        one.literal for one in each if isinstance(one, p.Comparison) and one.operator == p.EQUAL
    )
    if len(exact) == len(each) or (part.negated and exact):
        return p.InList(part.column, exact, part.negated)
    return Constant("true", True) if part.negated else Or(tuple(each))


def _ends(literal: Literal, zone: tzinfo) -> tuple[Literal | None, Literal | None]:
    """Returns the first and the last instant that a time may be; None for one without bounds."""
    text = str(literal.value)
    instants = times.instants(text, zone)
    if instants is None:  # no day of the calendar
        return None, None
    first, last = instants
    if first == last:
        local = datetime.fromisoformat(text.partition(".")[0])
        offsets = (local.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
        once, again = (offset // _MICROSECOND for offset in offsets if offset is not None)
        first, last = sorted((first, first + once - again))
    return (
        None if first < _LEAST else _literal(min(first, _MOST)),
        None if last > _MOST else _literal(max(last, _LEAST)),
    )


def _literal(instant: int) -> Literal:
    return Literal(kinds.TIMESTAMP, f"{_EPOCH + instant * _MICROSECOND}Z")
