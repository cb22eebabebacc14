"""The columns of a base file that can have statistics: leaves that no array or map encloses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import ColumnError, did_you_mean
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, comparable_from_parquet, is_float
from hudi_zorder.parquet.writer_traits import WriterTraits
from hudi_zorder.sql_names import in_sql, path_in_sql

if TYPE_CHECKING:
    import pyarrow as pa

META_COLUMNS = frozenset(
    {
        "_hoodie_commit_time",
        "_hoodie_commit_seqno",
        "_hoodie_record_key",
        "_hoodie_partition_path",
        "_hoodie_file_name",
        "_hoodie_operation",
    }
)

# Avro's, which Hudi writes as such; Spark reads text, and Arrow bytes.
_ENUM: Final = "ENUM"


@dataclass(frozen=True, slots=True)
class ColumnSchema:
    """One column that values are stored in.

    Attributes:
        name: its path in the schema, ``a.b`` for a nested one.
        index: its position among all leaves of the file; -1 where the file has no values of it.
        arrow_type: the type of its values as Spark reads them.
        physical_type: Parquet's physical type.
        byte_length: bytes of every value of a FIXED_LEN_BYTE_ARRAY; 0 for other types.
        to_comparable: from a physical value to its comparable; None for a type without one.
        bounds_are_ordered: whether the file's writer found bounds in the order of comparables.
        certain_from: what lies below it may mean another value; None when all is certain.
        is_float: whether a value can be NaN.
    """

    name: str
    index: int
    arrow_type: pa.DataType
    physical_type: str
    byte_length: int
    to_comparable: Callable[[Any], Comparable] | None
    bounds_are_ordered: bool = True
    certain_from: Comparable | None = None
    is_float: bool = field(init=False)  # asked of every chunk of every file

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_float", is_float(self.arrow_type))

    @property
    def is_written(self) -> bool:
        """Whether the newest base file has values of it."""
        return self.index >= 0

    def certain_bounds(self, bounds: Bounds) -> Bounds:
        """Returns bounds without their range when it holds values that may mean others."""
        certain = bounds.low is None or self.is_certain(bounds.low)
        return bounds if certain else bounds.without_range()

    def is_certain(self, value: Comparable) -> bool:
        """Returns whether the file's value is the one that Spark reads."""
        return self.certain_from is None or not value < self.certain_from  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The columns of one base file.

    Attributes:
        leaves: by name; two columns of one dotted name are left out, being ambiguous.
        others: names of top-level columns without statistics: arrays, maps, structs as a whole.
        writer: the program that wrote the file.
    """

    leaves: Mapping[str, ColumnSchema]
    others: Mapping[str, str]
    writer: WriterTraits
    _parquet: Any = field(repr=False, compare=False)

    @property
    def nan_shows_in_bounds(self) -> bool:
        """Whether the writer lets a NaN among the values show in the bounds."""
        return self.writer.nan_shows_in_bounds

    @classmethod
    def of(cls, metadata: Any, known: Iterable[FileSchema] = ()) -> FileSchema:
        """Returns the schema in a ``pyarrow.parquet.FileMetaData``.

        Args:
            metadata: the metadata.
            known: the schemas of other files, of which one is returned that is the same.
        """
        import pyarrow.types as t

        writer = WriterTraits.of(metadata)
        parquet = metadata.schema
        for other in known:
            if other.writer == writer and other._parquet.equals(parquet):
                return other
        arrow_schema = parquet.to_arrow_schema()
        found: dict[str, ColumnSchema | None] = {}
        for index, (path, arrow_type, repeated) in enumerate(_walk(arrow_schema)):
            column = parquet.column(index)
            if not repeated and column.path == path:
                leaf = _leaf(path, index, arrow_type, column, writer)
                found[path] = None if path in found else leaf
        leaves = {name: leaf for name, leaf in found.items() if leaf is not None}
        others = {f.name: str(f.type) for f in arrow_schema if t.is_nested(f.type)}
        return cls(leaves, others, writer, parquet)

    def without_values_of(self, names: Iterable[str]) -> FileSchema:
        """Returns the same columns, of which these are known by their types alone."""
        unstored = (replace(leaf, index=-1) for leaf in map(self.find, names) if leaf)
        leaves = {**self.leaves, **{leaf.name: leaf for leaf in unstored}}
        return replace(self, leaves=leaves) if leaves != self.leaves else self

    def find(self, name: str) -> ColumnSchema | None:
        """Returns the column of that name, or else the only one that differs in case alone."""
        exact = self.leaves.get(name)
        if exact is not None:
            return exact
        alike = [leaf for key, leaf in self.leaves.items() if key.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def find_all(self, names: Sequence[str]) -> dict[str, ColumnSchema]:
        """Returns the columns that the file has, by the names asked."""
        found = ((name, self.find(name)) for name in names)
        return {name: leaf for name, leaf in found if leaf is not None}

    def column(self, name: str) -> ColumnSchema:
        """Returns the column of that name.

        Raises:
            ColumnError: when there is none, or one without values of its own.
        """
        leaf = self.find(name)
        if leaf is not None:
            return leaf
        nested = next((n for n in self.others if n.lower() == name.lower()), None)
        if nested is not None:
            raise ColumnError(
                f"Cannot use column: '{nested}' has type {self.others[nested]}, which has no "
                "statistics; name a column of a simple type, or a field of a struct as 'a.b'"
            )
        known = [name for name in self.leaves if name not in META_COLUMNS]
        raise ColumnError(
            f"Cannot use column: there is no column '{name}'; {did_you_mean(name, known)}"
        )

    def in_sql(self, name: str) -> str:
        """Returns a column's name as SQL takes it, a field of a struct by its path."""
        nested = name.partition(".")[0] in self.others
        return path_in_sql(name) if nested else in_sql(name)

    def statistics_columns(self, names: Sequence[str] | None) -> dict[str, ColumnSchema]:
        """Returns the columns asked for, spelt as in the table, in the order asked.

        Args:
            names: the columns; None for all that files have statistics of, save Hudi's own.

        Raises:
            ColumnError: for a column that does not exist, is named twice or has no statistics.
        """
        if names is None:
            return {
                name: leaf
                for name, leaf in self.leaves.items()
                if name not in META_COLUMNS and leaf.to_comparable is not None and leaf.is_written
            }
        found: dict[str, ColumnSchema] = {}
        for name in names:
            leaf = self.column(name)
            if leaf.to_comparable is None:
                raise ColumnError(
                    f"Cannot use column: '{leaf.name}' has type {leaf.arrow_type}, which has no "
                    "statistics in Spark's order; name a column of another type"
                )
            if leaf.name in found:
                raise ColumnError(f"Cannot use column: '{leaf.name}' is named twice; name it once")
            found[leaf.name] = leaf
        return found


def unwritten_leaf(name: str, arrow_type: pa.DataType | None = None) -> ColumnSchema:
    """Returns a column that no base file has, by default of a type that is alike to none."""
    import pyarrow as pa

    return ColumnSchema(name, -1, arrow_type or pa.null(), "", 0, None)


def _leaf(
    path: str, index: int, arrow_type: pa.DataType, column: Any, writer: WriterTraits
) -> ColumnSchema:
    import pyarrow as pa

    kind = column.physical_type
    if column.logical_type.type == _ENUM:
        arrow_type = pa.string()
    return ColumnSchema(
        path,
        index,
        arrow_type,
        kind,
        column.length if kind == "FIXED_LEN_BYTE_ARRAY" else 0,
        comparable_from_parquet(arrow_type, kind),
        writer.trusts_bounds(kind),
        writer.certain_from(arrow_type),
    )


def _walk(schema: pa.Schema) -> Iterator[tuple[str, pa.DataType, bool]]:
    """Yields path, type and whether it is repeated of every leaf, in the order of the file."""
    for column in schema:
        yield from _walk_type(column.name, column.type, repeated=False)


def _walk_type(
    path: str, arrow_type: pa.DataType, *, repeated: bool
) -> Iterator[tuple[str, pa.DataType, bool]]:
    import pyarrow.types as t

    if t.is_struct(arrow_type):
        for member in arrow_type:
            yield from _walk_type(f"{path}.{member.name}", member.type, repeated=repeated)
    elif t.is_map(arrow_type):
        yield from _walk_type(f"{path}.key", arrow_type.key_type, repeated=True)
        yield from _walk_type(f"{path}.value", arrow_type.item_type, repeated=True)
    elif t.is_list(arrow_type) or t.is_large_list(arrow_type):
        yield from _walk_type(f"{path}.element", arrow_type.value_type, repeated=True)
    else:
        yield path, arrow_type, repeated
