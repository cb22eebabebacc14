"""Results that are tables: printed, and handed to Arrow and pandas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, TypeVar, overload

from hudi_zorder.errors import HudiZOrderError
from hudi_zorder.texts import Shown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from typing_extensions import Self

Record = TypeVar("Record")


class Tabular(Shown):
    """A result with rows."""

    def to_arrow(self) -> pa.Table:
        """Returns its rows as an Arrow table, which Parquet and DuckDB take, too."""
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Returns its rows as a data frame.

        Raises:
            HudiZOrderError: when pandas is not installed.
        """
        try:
            return self.to_arrow().to_pandas()
        except ModuleNotFoundError as fault:
            raise HudiZOrderError(
                "Cannot make a data frame: pandas is not installed; pip install pandas, or call "
                "to_arrow()"
            ) from fault


class Records(list[Record], Tabular):
    """A list of results of one kind, as a table with a column for each field."""

    kind: ClassVar[type]

    def to_arrow(self) -> pa.Table:
        """Returns the fields as columns, one row for each result."""
        return arrow_table(self.kind, self)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Record | Self:
        """Returns one of them, or some as a table."""
        found = super().__getitem__(index)
        return type(self)(found) if isinstance(index, slice) else found  # type: ignore[return-value, arg-type]

    def __str__(self) -> str:
        """Returns a table of at most 80 columns."""
        return Tabular.__str__(self)

    def __repr__(self) -> str:
        """Returns the type, and how many there are."""
        return f"<{type(self).__name__} of {len(self)}>"


def arrow_table(kind: type, rows: Iterable[Any]) -> pa.Table:
    """Returns values of a dataclass as rows, its fields as columns of their types."""
    import pyarrow as pa

    texts, numbers = pa.list_(pa.string()), pa.float64()
    types = {
        "str": pa.string(),
        "str | None": pa.string(),
        "int": pa.int64(),
        "int | None": pa.int64(),
        "float": numbers,
        "float | None": numbers,
        "bool": pa.bool_(),
        "datetime": pa.timestamp("us", "UTC"),
        "tuple[str, ...]": texts,
        "tuple[datetime, ...]": pa.list_(pa.timestamp("us", "UTC")),
        "tuple[FileGroup, ...]": pa.list_(texts),
        "RowRanges": pa.list_(pa.list_(pa.int64())),
        "Mapping[str, str]": pa.map_(pa.string(), pa.string()),
        "Mapping[str, int]": pa.map_(pa.string(), pa.int64()),
        "Mapping[str, float]": pa.map_(pa.string(), numbers),
    }
    schema = pa.schema([(field.name, types[str(field.type)]) for field in fields(kind)])
    return pa.Table.from_pylist([_plain(row, schema.names) for row in rows], schema)


def _plain(row: Any, names: Iterable[str]) -> dict[str, Any]:
    values = ((name, getattr(row, name)) for name in names)
    return {n: list(v.items()) if isinstance(v, Mapping) else v for n, v in values}
