"""The columns of a base file that can have statistics: leaves that no array or map encloses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hudi_zorder.errors import ColumnError, did_you_mean
from hudi_zorder.values import Comparable, comparable_from_parquet, is_float

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
# From this version on, parquet-mr orders NaN above all values and writes it as the maximum; before
# it, and in other writers, a NaN may leave no trace in the bounds.
_NAN_AWARE = re.compile(r"^parquet-mr version (\d+)\.(\d+)\.")
_FIRST_NAN_AWARE = (1, 10)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One column that values are stored in.

    Attributes:
        name: its path in the schema, ``a.b`` for a nested one.
        index: its position among all leaves of the file.
        arrow_type: its type.
        physical_type: Parquet's physical type.
        byte_length: bytes of every value of a FIXED_LEN_BYTE_ARRAY; 0 for other types.
        to_comparable: from a physical value to its comparable; None for a type without one.
    """

    name: str
    index: int
    arrow_type: pa.DataType
    physical_type: str
    byte_length: int
    to_comparable: Callable[[Any], Comparable] | None

    @property
    def is_float(self) -> bool:
        """Whether a value can be NaN."""
        return is_float(self.arrow_type)


@dataclass(frozen=True, slots=True)
class FileSchema:
    """The columns of one base file.

    Attributes:
        leaves: by name; two columns of one dotted name are left out, being ambiguous.
        others: names of top-level columns without statistics: arrays, maps, structs as a whole.
        nan_shows_in_bounds: whether the writer lets a NaN among the values show in the bounds.
    """

    leaves: Mapping[str, Leaf]
    others: Mapping[str, str]
    nan_shows_in_bounds: bool
    _source: tuple[Any, str | None] = field(repr=False, compare=False)

    @classmethod
    def of(cls, metadata: Any, known: FileSchema | None = None) -> FileSchema:
        """Returns the schema in a ``pyarrow.parquet.FileMetaData``.

        Args:
            metadata: the metadata.
            known: the schema of another file, which is returned when it is the same.
        """
        import pyarrow.types as t

        source = (metadata.schema, metadata.created_by)
        if (
            known is not None
            and known._source[1] == source[1]
            and known._source[0].equals(source[0])
        ):
            return known
        arrow_schema = metadata.schema.to_arrow_schema()
        found: dict[str, Leaf | None] = {}
        index = 0
        for path, arrow_type, repeated in _walk(arrow_schema):
            column = metadata.schema.column(index)
            if not repeated:
                convert = comparable_from_parquet(arrow_type, column.physical_type)
                fixed = column.physical_type == "FIXED_LEN_BYTE_ARRAY"
                length = column.length if fixed else 0
                leaf = Leaf(path, index, arrow_type, column.physical_type, length, convert)
                found[path] = None if path in found else leaf
            index += 1
        leaves = {name: leaf for name, leaf in found.items() if leaf is not None}
        others = {f.name: str(f.type) for f in arrow_schema if t.is_nested(f.type)}
        version = _NAN_AWARE.match(metadata.created_by or "")
        aware = version is not None and (int(version[1]), int(version[2])) >= _FIRST_NAN_AWARE
        return cls(leaves, others, aware, source)

    def find(self, name: str) -> Leaf | None:
        """Returns the column of that name, or else the only one that differs in case alone."""
        exact = self.leaves.get(name)
        if exact is not None:
            return exact
        alike = [leaf for key, leaf in self.leaves.items() if key.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def find_all(self, names: Sequence[str]) -> dict[str, Leaf]:
        """Returns the columns that the file has, by the names asked."""
        found = ((name, self.find(name)) for name in names)
        return {name: leaf for name, leaf in found if leaf is not None}

    def column(self, name: str) -> Leaf:
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

    def statistics_columns(self, names: Sequence[str] | None) -> dict[str, Leaf]:
        """Returns the columns asked for, spelt as in the table, in the order asked.

        Args:
            names: the columns; None for all that can have statistics, save Hudi's meta columns.

        Raises:
            ColumnError: for a column that does not exist, is named twice or has no statistics.
        """
        if names is None:
            return {
                name: leaf
                for name, leaf in self.leaves.items()
                if name not in META_COLUMNS and leaf.to_comparable is not None
            }
        found: dict[str, Leaf] = {}
        for name in names:
            leaf = self.column(name)
            if leaf.to_comparable is None:
                raise ColumnError(
                    f"Cannot use column: '{leaf.name}' has type {leaf.arrow_type}, which has no "
                    "statistics in Spark's order"
                )
            if leaf.name in found:
                raise ColumnError(f"Cannot use column: '{leaf.name}' is named twice; name it once")
            found[leaf.name] = leaf
        return found


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
