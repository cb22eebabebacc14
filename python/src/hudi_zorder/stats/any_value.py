"""An Arrow type for one column whose values have different types from row to row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from hudi_zorder.parquet.comparables import Comparable, to_arrow


class AnyValueType(pa.ExtensionType):  # type: ignore[misc]  # pyarrow has no annotations
    """A dense union that also knows its way to pandas, which refuses plain unions.

    Every value keeps its own type: ``to_pylist()`` gives int, Decimal, date, str and so on, and
    ``to_pandas()`` a column of those objects. Rows can be filtered, taken, sorted by other columns
    and compared; ``array.storage`` is the union.
    """

    def __init__(self, storage: pa.DataType) -> None:
        """Wraps the union type ``storage``."""
        super().__init__(storage, "hudi_zorder.any_value")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage: pa.DataType, _: bytes) -> AnyValueType:
        return cls(storage)

    def to_pandas_dtype(self) -> Any:
        """Returns the pandas type that makes a column of Python objects."""
        import numpy as np
        from pandas.api.extensions import ExtensionDtype
        from pandas.arrays import NumpyExtensionArray

        class _Objects(ExtensionDtype):  # type: ignore[misc]
            name, type, kind = "any_value", object, "O"

            @classmethod
            def construct_array_type(cls) -> Any:
                return NumpyExtensionArray

            def __from_arrow__(self, values: pa.Array) -> Any:
                objects = np.empty(len(values), dtype=object)
                objects[:] = values.to_pylist()
                return NumpyExtensionArray(objects)

        return _Objects()


def any_values(
    values: Sequence[Comparable | None], keys: Sequence[str], types: Mapping[str, pa.DataType]
) -> pa.Array:
    """Returns comparables as one array; a native one when all types are the same.

    Args:
        values: the comparables; None becomes null.
        keys: for each value the key of its type.
        types: the types by key; their order is the order of the union's children.
    """
    distinct = list(dict.fromkeys(types.values()))
    if len(distinct) == 1:
        return to_arrow(values, distinct[0])
    codes = {key: distinct.index(kind) for key, kind in types.items()}
    parts: list[list[Comparable | None]] = [[] for _ in distinct]
    type_ids, offsets = [], []
    for value, key in zip(values, keys, strict=True):
        code = codes[key]
        type_ids.append(code)
        offsets.append(len(parts[code]))
        parts[code].append(value)
    children = [to_arrow(part, kind) for part, kind in zip(parts, distinct, strict=True)]
    union = pa.UnionArray.from_dense(
        pa.array(type_ids, pa.int8()),
        pa.array(offsets, pa.int32()),
        children,
        [str(kind) for kind in distinct],
    )
    return pa.ExtensionArray.from_storage(AnyValueType(union.type), union)
