"""Of what shape a file's content has to be: it is checked before any of it is used.

A shape is ``TEXT``, ``NUMBER``, ``WHOLE`` or ``ANY``, a list with the shape of its elements,
``MapOf`` the shape of its values, or a dictionary with the shapes of those fields that are read of
a record. A field may lack, and a field or a value of a map be null, unless it is ``Always`` there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

TEXT: Final = "a text"
NUMBER: Final = "a number"
WHOLE: Final = "a whole number"
ANY: Final = "anything"

# Whole numbers above are not exact in JSON, and nothing that is counted here comes near.
_LARGEST: Final = 1 << 53

_Place = tuple[Any, Any] | None  # of what holds it, and its own name or number there


@dataclass(frozen=True, slots=True)
class Always:
    """The shape of what is always there."""

    shape: Any


@dataclass(frozen=True, slots=True)
class MapOf:
    """The shape of an object whose names may be any."""

    values: Any


class ShapeError(ValueError):
    """What was read is whole, and yet nothing that Hudi or this library writes."""


def parsed_json(text: str | bytes) -> Any:
    """Returns what JSON says.

    Raises:
        ValueError: when it is none; a ``ShapeError`` when it nests too deeply to be read.
    """
    try:
        return json.loads(text)
    except RecursionError as fault:
        raise ShapeError("it nests too deeply") from fault


def json_of(text: str | bytes, shape: Any) -> Any:
    """Returns what JSON says that is of a shape.

    Raises:
        ValueError: when it is none; a ``ShapeError`` when it is of another shape.
    """
    found = parsed_json(text)
    check_shape(found, shape)
    return found


def check_shape(found: Any, shape: Any, wanted: Mapping[str, Any] | None = None) -> None:
    """Returns if a value is of a shape.

    Args:
        found: the value.
        shape: as the module describes it.
        wanted: the fields of records that count, as ``avro_content`` has them; None for all.

    Raises:
        ShapeError: when it is not; it names the part that differs.
    """
    _check(found, shape, wanted, None)


def _check(found: Any, shape: Any, wanted: Any, place: _Place) -> None:
    if shape is ANY:
        return
    if shape is TEXT:
        _require(isinstance(found, str), found, TEXT, place)
    elif shape is NUMBER or shape is WHOLE:
        is_one = isinstance(found, int if shape is WHOLE else (int, float))
        _require(is_one, found, shape, place)
        if not -_LARGEST <= found <= _LARGEST:  # NaN and the infinities are not, either
            raise ShapeError(f"{_named(place)} is out of range")
    elif isinstance(shape, list):
        _require(isinstance(found, list), found, "a list", place)
        if shape[0] is TEXT and set(map(type, found)) <= {str}:  # of a hundred thousand file ids
            return
        for number, element in enumerate(found):
            _check(element, shape[0], wanted, (place, number))
    else:
        _require(isinstance(found, dict), found, "an object", place)
        if isinstance(shape, MapOf):
            for name, value in found.items():
                _check_part(value, shape.values, wanted, (place, name))
            return
        for name, part in shape.items():
            if wanted is None:
                _check_part(found.get(name), part, None, (place, name))
            elif name in wanted:
                _check_part(found.get(name), part, wanted[name], (place, name))


def _check_part(found: Any, shape: Any, wanted: Any, place: _Place) -> None:
    always = isinstance(shape, Always)
    if found is not None:
        _check(found, shape.shape if always else shape, wanted, place)
    elif always:
        raise ShapeError(f"it has no {_named(place)}")


def _require(fits: bool, found: Any, expected: str, place: _Place) -> None:
    if not fits:
        what = expected.partition(" ")[2]
        raise ShapeError(f"{_named(place)} is no {what}, but {type(found).__name__}")


def _named(place: _Place) -> str:
    if place is None:
        return "it"
    parts: list[str] = []
    while place is not None:
        place, own = place
        parts.append(f"[{own}]" if isinstance(own, int) else f".{own}")
    return "'" + "".join(reversed(parts)).lstrip(".") + "'"
