"""Many Avro records of one schema, decoded field by field and not record by record.

Of a hundred thousand records, a field is decoded in all of them at once: numpy does in some steps
what takes an Avro library as many calls as there are records. What comes of a type is

- an array for a number or a truth value, ``Texts`` for texts and bytes,
- a dictionary of its fields for a record,
- ``Choice`` for a union: which of its types each record has, and what came of each of these.

The schema is the file's own, by which a few bytes could stand for any number of values. Here no
more are read than there are bytes, and what is read of a record has to end where it ends; lists and
maps, which the records that are read have none of, are refused where one has any.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.hudi.avro_content import own_name
from hudi_zorder.metadata_table.ranges import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Places = NDArray[np.int64]

_DEEPEST: Final = 32  # types within types; the metadata table's have eight
_LONGEST_NUMBER: Final = 10  # bytes
_FEW: Final = 1_000
_PADDING: Final = bytes(16)  # longer than any number, so that none is read beyond the end


@dataclass(slots=True)
class Texts:
    """Texts or bytes: where each begins in what was decoded, and its length."""

    content: bytes
    starts: Places
    lengths: Places

    def to_list(self) -> list[bytes]:
        """Returns them."""
        content, ends = self.content, self.starts + self.lengths
        places = zip(self.starts.tolist(), ends.tolist(), strict=True)
        return [content[start:end] for start, end in places]

    def at(self, places: Places) -> Texts:
        """Returns those at some places."""
        return Texts(self.content, self.starts[places], self.lengths[places])


@dataclass(slots=True)
class Choice:
    """The values of a union.

    Attributes:
        number: how many records there are.
        members: for each of its types that occurs, the records that have it and their values.
    """

    number: int
    members: Mapping[str, tuple[Places, Any]]

    def to_list(self, of: Callable[[str, Any], list[Any]]) -> list[Any]:
        """Returns a value for each record, None for null.

        Args:
            of: makes a list of the values of a type of this name.
        """
        if len(self.members) == 1:
            ((name, (_, values)),) = self.members.items()
            return [None] * self.number if name == "null" else of(name, values)
        found: list[Any] = [None] * self.number
        for name, (records, values) in self.members.items():
            if name != "null":
                for record, value in zip(records.tolist(), of(name, values), strict=True):
                    found[record] = value
        return found


class Decoder:
    """Decodes records of one schema.

    Args:
        schema: a record's, as JSON.

    Raises:
        FormatError: when it is none, or nests too deeply.
    """

    def __init__(self, schema: bytes) -> None:
        try:
            self._schema = json.loads(schema)
            self._named: dict[str, Any] = {}
            self._collect(self._schema, 0)
        except (ValueError, TypeError, LookupError, RecursionError) as fault:
            raise FormatError(f"its schema is no Avro schema ({fault!r})") from fault

    def decode(self, content: bytes, starts: Places, ends: Places, field: str) -> Any:
        """Returns what comes of a field of the records.

        Args:
            content: holds the records.
            starts: where each begins.
            ends: where each ends.
            field: its name.

        Raises:
            FormatError: when they are none of this schema.
        """
        run = _Run(content, self._named)
        try:
            found, after = run.values(self._schema, starts, 0)
        except (IndexError, LookupError, TypeError) as fault:
            raise FormatError(f"it has a record that is not of its schema ({fault!r})") from fault
        if (after != ends).any():
            raise FormatError("it has a record that does not end where its schema has it end")
        if not isinstance(found, dict) or field not in found:
            raise FormatError(f"its records have no '{field}'")
        return found[field]

    def _collect(self, schema: Any, depth: int) -> None:
        """Keeps the types that have names, which others may refer to."""
        if depth > _DEEPEST:
            raise ValueError(f"its types nest deeper than {_DEEPEST}")
        if isinstance(schema, list):
            for member in schema:
                self._collect(member, depth + 1)
        elif isinstance(schema, dict):
            if "name" in schema:
                self._named[own_name(schema["name"])] = schema
            for field in schema.get("fields", ()):
                self._collect(field["type"], depth + 1)
            if isinstance(schema["type"], dict | list):
                self._collect(schema["type"], depth + 1)


class _Run:
    """Decodes values in one content."""

    def __init__(self, content: bytes, named: Mapping[str, Any]) -> None:
        import numpy as np

        self._content = content
        self._data = np.frombuffer(content + _PADDING, np.uint8)
        self._named = named
        self._left = len(content) + _FEW  # values, of which each of Hudi's takes a byte at least

    def values(self, schema: Any, at: Places, depth: int) -> tuple[Any, Places]:
        """Returns what comes of a type at some places, and the places after the values."""
        import numpy as np

        if depth > _DEEPEST:
            raise FormatError(f"its types nest deeper than {_DEEPEST}")
        self._left -= len(at) + 1
        if self._left < 0:
            raise FormatError("its schema has more values than it has bytes")
        if isinstance(schema, list):
            return self._choice(schema, at, depth)
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self.values(kind, at, depth + 1)
        if kind in ("int", "long", "enum"):
            return self._numbers(at)
        if kind in ("string", "bytes"):
            return self._texts(at)
        if kind == "null":
            return None, at
        if kind == "boolean":
            return self._fixed(at, 1, np.dtype(np.bool_))
        if kind == "float":
            return self._fixed(at, 4, np.dtype("<f4"))
        if kind == "double":
            return self._fixed(at, 8, np.dtype("<f8"))
        if kind == "record" and isinstance(schema, dict):
            return self._record(schema, at, depth)
        if own_name(kind) in self._named:
            return self.values(self._named[own_name(kind)], at, depth + 1)
        raise FormatError(f"it has values of type '{kind}', and Hudi has none there")

    def _record(
        self, schema: Mapping[str, Any], at: Places, depth: int
    ) -> tuple[dict[str, Any], Places]:
        found = {}
        for field in schema["fields"]:
            found[field["name"]], at = self.values(field["type"], at, depth + 1)
        return found, at

    def _choice(self, members: Sequence[Any], at: Places, depth: int) -> tuple[Choice, Places]:
        import numpy as np

        chosen, after = self._numbers(at)
        found: dict[str, tuple[Places, Any]] = {}
        is_one = len(chosen) > 0 and bool((chosen == chosen[0]).all())  # as of most fields
        for number in chosen[:1].tolist() if is_one else np.unique(chosen).tolist():
            if not 0 <= number < len(members):
                raise FormatError(f"it has a value of type {number} of {len(members)}")
            if is_one:
                values, after = self.values(members[number], after, depth + 1)
                found[_name(members[number])] = np.arange(len(at)), values
                break
            records = np.flatnonzero(chosen == number)
            values, ends = self.values(members[number], after[records], depth + 1)
            after[records] = ends
            found[_name(members[number])] = records, values
        return Choice(len(at), found), after

    def _texts(self, at: Places) -> tuple[Texts, Places]:
        lengths, starts = self._numbers(at)
        ends = starts + lengths
        if (lengths < 0).any() or (ends > len(self._content)).any():
            raise FormatError("it has a text that goes beyond its record")
        return Texts(self._content, starts, lengths), ends

    def _numbers(self, at: Places) -> tuple[Places, Places]:
        """Decodes whole numbers: seven bits a byte, the last with a high bit of 0, in zigzag."""
        import numpy as np

        self._check(at)
        byte = self._data[at]
        after = at + 1
        more = np.flatnonzero(byte >= 0x80)
        total = (byte & 0x7F).astype(np.uint64)
        for place in range(1, _LONGEST_NUMBER):
            if not len(more):
                break
            byte = self._data[at[more] + place]
            total[more] |= (byte & 0x7F).astype(np.uint64) << np.uint64(7 * place)
            after[more] += 1
            more = more[byte >= 0x80]
        if len(more):
            raise FormatError("it has a number without an end")
        sign = -(total & np.uint64(1)).astype(np.int64)
        return (total >> np.uint64(1)).astype(np.int64) ^ sign, after

    def _fixed(self, at: Places, size: int, kind: np.dtype[Any]) -> tuple[NDArray[Any], Places]:
        import numpy as np

        self._check(at)
        held = self._data[at[:, None] + np.arange(size)]
        return np.ascontiguousarray(held).view(kind)[:, 0], at + size

    def _check(self, at: Places) -> None:
        if len(at) and int(at.max()) > len(self._content):
            raise FormatError("it has a record that is cut short")


def _name(member: Any) -> str:
    named = member.get("name", member["type"]) if isinstance(member, dict) else member
    return own_name(named) if isinstance(named, str) else ""
