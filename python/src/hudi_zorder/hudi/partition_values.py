"""What a partition's folder says of its partition columns.

Hudi's simple and complex key generators name the folder after the columns' values, so that every
row in it has those values. Generators of timestamps and custom ones format them, and a value that
is null or empty becomes a default name: nothing is concluded from those.

Nor from the statistics of the column in the file then: Hudi takes a partition column's values from
the folder, so that an empty text comes back as null, and what was formatted, in one query or the
other, as the folder's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from hudi_zorder.hudi.table_config import TableConfig
from hudi_zorder.parquet.bounds import Bounds
from hudi_zorder.parquet.comparables import Comparable, is_text
from hudi_zorder.parquet.file_schema import FileSchema
from hudi_zorder.times import days

if TYPE_CHECKING:
    import pyarrow as pa

_DEFAULT_NAMES: Final = ("__HIVE_DEFAULT_PARTITION__", "default", "")
_VERBATIM_TYPES: Final = ("SIMPLE", "COMPLEX", "SIMPLE_AVRO", "COMPLEX_AVRO")
_VERBATIM_CLASSES: Final = re.compile(
    r"org\.apache\.hudi\.keygen\.(Simple|Complex)(Avro)?KeyGenerator"
)
_WHOLE_NUMBER: Final = re.compile(r"-?\d{1,19}")


def formatted_columns(config: TableConfig) -> frozenset[str]:
    """Returns the partition columns whose folders' names need not be their values.

    They are in lower case. Spark may have them as texts, whatever the type of what files hold.

    Args:
        config: the table's configuration.
    """
    fields = () if _is_verbatim(config) else config.partition_fields
    return frozenset(name.lower() for name in fields)


def told_columns(config: TableConfig, schema: FileSchema) -> frozenset[str]:
    """Returns the partition columns whose values folders tell, but for a null or an unclear name.

    They are in lower case.

    Args:
        config: the table's configuration.
        schema: the table's columns.
    """
    leaves = map(schema.find, config.partition_fields)
    told = frozenset(leaf.name.lower() for leaf in leaves if leaf and _is_told(leaf.arrow_type))
    return told - formatted_columns(config)


def partition_bounds(
    config: TableConfig, partition: str, schema: FileSchema
) -> Mapping[str, Bounds]:
    """Returns the bounds of the partition columns, unknown where the folder's name does not tell.

    Args:
        config: the table's configuration.
        partition: the folder, relative to the table.
        schema: the table's columns.
    """
    found = {}
    texts = _texts(config, partition)
    for field in config.partition_fields:
        leaf = schema.find(field)
        if leaf is None:
            continue
        value = _value(texts[field], leaf.arrow_type) if field in texts else None
        known = Bounds(1, 0, value, value)
        unknown = Bounds(1, None, None, None, may_hold_nan=True)
        found[leaf.name] = unknown if value is None else known
    return found


def _texts(config: TableConfig, partition: str) -> dict[str, str]:
    fields = config.partition_fields
    if not fields or not _is_verbatim(config):
        return {}
    parts = partition.split("/")
    if len(parts) != len(fields):  # a value with slashes, or a date whose dashes became slashes
        return {}
    properties = config.properties
    hive_style = properties.get("hoodie.datasource.write.hive_style_partitioning") == "true"
    if hive_style:
        named = list(zip(fields, parts, strict=True))
        if not all(part.startswith(f"{field}=") for field, part in named):
            return {}
        parts = [part[len(field) + 1 :] for field, part in named]
    if properties.get("hoodie.datasource.write.partitionpath.urlencode") == "true":
        return dict(zip(fields, map(unquote, parts), strict=True))
    # Hudi decodes what looks encoded, and splits what looks named, even where nothing was.
    unclear = ("%",) if hive_style else ("%", "=")
    pairs = zip(fields, parts, strict=True)
    return {field: part for field, part in pairs if not any(mark in part for mark in unclear)}


def _is_verbatim(config: TableConfig) -> bool:
    kind = config.properties.get("hoodie.table.keygenerator.type")
    if kind is not None:
        return kind in _VERBATIM_TYPES
    name = config.properties.get("hoodie.table.keygenerator.class", "")
    return _VERBATIM_CLASSES.fullmatch(name) is not None


def _is_told(arrow_type: pa.DataType) -> bool:
    """Returns whether values of a type are read from a folder's name."""
    import pyarrow.types as t

    return is_text(arrow_type) or t.is_signed_integer(arrow_type) or t.is_date32(arrow_type)


def _value(text: str, arrow_type: pa.DataType) -> Comparable | None:
    import pyarrow.types as t

    if text in _DEFAULT_NAMES:
        return None
    if is_text(arrow_type):
        return text.encode()
    if t.is_signed_integer(arrow_type):
        return int(text) if _WHOLE_NUMBER.fullmatch(text) else None
    if t.is_date32(arrow_type):
        return days(text)
    return None
