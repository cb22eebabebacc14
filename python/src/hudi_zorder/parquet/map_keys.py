"""Keys of maps, which pyarrow demands to be required, and refuses a whole file for if they are not.

Hudi up to 0.13 has written them as optional by Flink, and Spark reads such files. Where a footer
says so is one byte of a column's schema; nothing else that is asked of a footer depends on it.
Field numbers are those of ``parquet.thrift``.
"""

from __future__ import annotations

from typing import Any, Final

from hudi_zorder.parquet.compact_protocol import CompactReader, Struct, ThriftError

_VERSION: Final = 1  # the field before the schema, in the footer
# Of a schema's element: whether it is required, its older and its newer annotation.
_REPETITION, _CONVERTED, _LOGICAL = 3, 6, 10
_REQUIRED: Final = 0
_MAP: Final = 1  # among older annotations, where 2 is the group in a map
_LOGICAL_MAP: Final = 2  # among newer ones
_WANTED: Final[dict[int, Any]] = {_CONVERTED: None, _LOGICAL: None}


def with_required_keys(footer: bytes) -> bytes:
    """Returns a footer with the keys of its maps as required; as it is, where it is damaged."""
    found = bytearray(footer)
    try:
        for place in _repetitions_of_keys(footer):
            found[place] = _REQUIRED
    except ThriftError:
        return footer
    return bytes(found)


def _repetitions_of_keys(footer: bytes) -> list[int]:
    """Returns where the footer says of keys whether they are required."""
    reader = CompactReader(footer)
    reader.struct({}, last=_VERSION)
    starts, keys = [], []
    for number in range(reader.list_size()):
        starts.append(reader.position)
        if _is_map(reader.struct(_WANTED)):
            keys.append(number + 2)  # the schema is in depth-first order: the map, its group, a key
    places = []
    for key in keys:
        if key < len(starts):
            element = CompactReader(footer[starts[key] :])
            element.struct({}, last=_REPETITION)
            places.append(starts[key] + element.position - 1)
    return places


def _is_map(element: Struct) -> bool:
    return element.get(_CONVERTED) == _MAP or _LOGICAL_MAP in element.get(_LOGICAL, {})
