"""Many records of the column-statistics index at once, field by field.

A column has one type in nearly all files, so that a block of the index is one batch, or two where
some files have nulls alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.metadata_table.avro_columns import Choice, Decoder, Texts
from hudi_zorder.metadata_table.ranges import FormatError
from hudi_zorder.metadata_table.stats_records import DECIMAL_WRAPPER, StatsRecord

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hudi_zorder.metadata_table.hfile_entries import Entries

    Numbers = NDArray[np.int64]
    Flags = NDArray[np.bool_]
    # Numbers and truth values as arrays, all others as lists; None where there are no bounds.
    Ends = NDArray[Any] | list[Any] | None

UNKNOWN: Final = -(1 << 63)  # a number that a record does not have
_FIELD: Final = "ColumnStatsMetadata"
_NO_WRAPPER: Final = -1


@dataclass(slots=True)
class StatsBatch:
    """Records whose bounds are held in one way: ``StatsRecord`` describes the fields.

    Attributes:
        places: which records they are, of the entries they were read from.
    """

    places: Numbers
    files: list[bytes | None]
    low: Ends
    high: Ends
    wrapper: str | None
    rows: Numbers
    null_count: Numbers
    size: Numbers
    deleted: Flags
    tight: Flags
    kind: int | None
    detail: bytes | None

    def records(self) -> Iterator[StatsRecord]:
        """Yields them one by one."""
        count = len(self.files)
        counts = (_known(each) for each in (self.rows, self.null_count, self.size))
        flags = (each.tolist() for each in (self.deleted, self.tight))
        low, high = (_listed(end, count) for end in (self.low, self.high))
        wrapper, kind, detail = ([each] * count for each in (self.wrapper, self.kind, self.detail))
        fields = (self.files, low, high, wrapper, *counts, *flags, kind, detail)
        yield from map(StatsRecord._make, zip(*fields, strict=True))

    @classmethod
    def of(cls, records: Iterable[StatsRecord]) -> Iterator[StatsBatch]:
        """Yields the batches that records make."""
        alike: dict[Any, list[StatsRecord]] = defaultdict(list)
        for record in records:
            how = record.wrapper, record.kind, record.detail, type(record.low), type(record.high)
            alike[how].append(record)
        for held in alike.values():
            yield cls._of_alike(held)

    @classmethod
    def _of_alike(cls, records: list[StatsRecord]) -> StatsBatch:
        import numpy as np

        files, low, high, _, rows, nulls, sizes, deleted, tight, _, _ = map(
            list, zip(*records, strict=True)
        )
        first = records[0]
        return cls(
            places=np.arange(len(records)),
            files=files,
            low=_ends(low, first.wrapper),
            high=_ends(high, first.wrapper),
            wrapper=first.wrapper,
            rows=_counts(rows),
            null_count=_counts(nulls),
            size=_counts(sizes),
            deleted=np.array(deleted, np.bool_),
            tight=np.array(tight, np.bool_),
            kind=first.kind,
            detail=first.detail,
        )


def stats_batches(decoder: Decoder, entries: Entries) -> Iterator[StatsBatch]:
    """Yields the records of some entries, without those that have no statistics.

    Raises:
        FormatError: when there are others.
    """
    if not len(entries.starts):
        return
    choice = decoder.decode(entries.content, entries.starts, entries.ends, _FIELD)
    if not isinstance(choice, Choice):
        raise FormatError(f"its '{_FIELD}' is no union")
    for name, (places, values) in choice.members.items():
        if name != "null":
            try:
                yield from _batches(places, values)
            except (LookupError, TypeError, AttributeError, ValueError) as fault:
                raise FormatError(f"its statistics are not those of Hudi ({fault!r})") from fault


def _batches(places: Numbers, values: Mapping[str, Any]) -> Iterator[StatsBatch]:
    import numpy as np

    number = len(places)
    lows, highs = values["minValue"], values["maxValue"]
    files = values["fileName"].to_list(_plain)
    rows, nulls, sizes = (_numbers(values[n]) for n in ("valueCount", "nullCount", "totalSize"))
    deleted = _flags(values["isDeleted"])
    tight = _flags(values.get("isTightBound", np.zeros(number, np.bool_)))
    kinds = values.get("valueType", Choice(number, {}))
    ordinals = kinds.to_list(lambda _, kind: kind["typeOrdinal"].tolist())
    details = kinds.to_list(lambda _, kind: kind["additionalInfo"].to_list(_plain))
    for one in _alike(_wrappers(lows), _wrappers(highs), _coded(ordinals), _coded(details)):
        first = int(one[0])
        low, wrapper = _ends_of(lows, one)
        high, _ = _ends_of(highs, one)
        yield StatsBatch(
            places=places[one],
            files=files if len(one) == number else [files[place] for place in one.tolist()],
            low=low,
            high=high,
            wrapper=wrapper,
            rows=rows[one],
            null_count=nulls[one],
            size=sizes[one],
            deleted=deleted[one],
            tight=tight[one],
            kind=ordinals[first],
            detail=details[first],
        )


def _alike(*codes: Numbers) -> Iterator[Numbers]:
    """Yields sets of places at which all of the codes are the same."""
    import numpy as np

    every = np.stack(codes)
    if (every == every[:, :1]).all():
        yield np.arange(every.shape[1])
        return
    kinds, of = np.unique(every, axis=1, return_inverse=True)
    for number in range(kinds.shape[1]):
        yield np.flatnonzero(of.reshape(-1) == number)


def _coded(values: list[Any]) -> Numbers:
    import numpy as np

    codes: dict[Any, int] = {}
    return np.array([codes.setdefault(value, len(codes)) for value in values], np.int64)


def _wrappers(choice: Choice) -> Numbers:
    """Returns for each record the number of its bound's wrapper."""
    import numpy as np

    found = np.full(choice.number, _NO_WRAPPER, np.int64)
    for number, (name, (records, _)) in enumerate(choice.members.items()):
        if name != "null":
            found[records] = number
    return found


def _ends_of(choice: Choice, one: Numbers) -> tuple[Ends, str | None]:
    """Returns the bounds of records that have the same wrapper, and which that is."""
    import numpy as np

    for name, (records, values) in choice.members.items():
        if name == "null":
            continue
        at = np.minimum(np.searchsorted(records, one), len(records) - 1)
        if records[at[0]] == one[0]:
            held = values["value"]
            if len(one) < len(records):
                held = held.at(at) if isinstance(held, Texts) else held[at]
            return _unwrapped(name, held), name
    return None, None


def _unwrapped(name: str, held: Any) -> Ends:
    import numpy as np

    if isinstance(held, np.ndarray):
        return held
    texts: list[bytes] = held.to_list()
    if name == DECIMAL_WRAPPER:
        return [int.from_bytes(text, "big", signed=True) for text in texts]
    return texts


def _plain(_: str, values: Texts) -> list[bytes]:
    return values.to_list()


def _numbers(choice: Choice) -> Numbers:
    import numpy as np

    found = np.full(choice.number, UNKNOWN, np.int64)
    for name, (records, values) in choice.members.items():
        if name != "null":
            found[records] = values
    return found


def _flags(values: Any) -> Flags:
    if values.dtype.kind != "b":
        raise TypeError("a flag is none")
    flags: Flags = values
    return flags


def _known(numbers: Numbers) -> list[int | None]:
    return [None if number == UNKNOWN else number for number in numbers.tolist()]


def _listed(ends: Ends, count: int) -> list[Any]:
    if ends is None:
        return [None] * count
    return ends if isinstance(ends, list) else ends.tolist()


def _ends(values: list[Any], wrapper: str | None) -> Ends:
    """Returns bounds of one type as a batch holds them."""
    import numpy as np

    if values[0] is None:
        return None
    is_array = isinstance(values[0], int | float) and wrapper != DECIMAL_WRAPPER
    return np.array(values) if is_array else values


def _counts(values: list[int | None]) -> Numbers:
    import numpy as np

    return np.array([UNKNOWN if value is None else value for value in values], np.int64)
