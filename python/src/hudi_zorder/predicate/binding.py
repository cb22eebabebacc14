"""Predicates bound to the columns of a table, and to a time zone."""

from __future__ import annotations

from datetime import tzinfo

from hudi_zorder.errors import OptionError, PredicateError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.predicate.evaluator import BoundPredicate
from hudi_zorder.predicate.parser import parse
from hudi_zorder.predicate.tree import Predicate
from hudi_zorder.times import time_zone as zone_of


def bind_predicate(
    snapshot: TableSnapshot, predicate: str | Predicate, time_zone: str | None
) -> BoundPredicate:
    """Returns a predicate over the columns of a table; takes and raises what ``explain`` does."""
    if not isinstance(predicate, str | Predicate):
        raise PredicateError(
            f"Cannot parse a predicate: it was {predicate!r}; write a text such as 'a = 5'"
        )
    zone = checked_time_zone(time_zone)
    tree = parse(predicate) if isinstance(predicate, str) else predicate
    return BoundPredicate.of(tree, snapshot, zone)


def checked_time_zone(name: str | None) -> tzinfo | None:
    """Returns the time zone of a name, if one is given; raises OptionError when there is none."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise OptionError(
            f"Cannot read times: 'time_zone' was {name!r}; write a text such as 'Europe/Berlin' or "
            "'+02:00'"
        )
    try:
        return zone_of(name)
    except ValueError as fault:
        raise OptionError(
            f"Cannot read times: 'time_zone' was '{name}'; name one such as 'Europe/Berlin' or "
            "'+02:00'"
        ) from fault
