"""The SQL functions of the session extension as column functions: keys of the curves, and back.

The bytes are those of ``java/KEY_FORMAT.md``, of direct words; null is a word of its own.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from hudi_zorder.option_checks import is_whole
from hudi_zorder.spark._jvm.process import require_session


def zorder_value(*columns: Column | str) -> Column:
    """Returns the z-value of 1 to 128 columns of any supported type as binary, never null.

    Args:
        *columns: names or columns, the leading one first.

    Raises:
        SessionError: when no Spark session runs.
    """
    return _call("zorder_value", *columns)


def hilbert_value(*columns: Column | str) -> Column:
    """Returns the Hilbert key of 1 to 128 columns of any supported type as binary, never null.

    Args:
        *columns: names or columns, the leading one first.

    Raises:
        SessionError: when no Spark session runs.
    """
    return _call("hilbert_value", *columns)


def zorder_words(z: Column | str, columns: int) -> Column:
    """Returns the words that a z-value was made of, as an array of their bits.

    Args:
        z: the name of a binary column, or such a column; where it is null, so is the array.
        columns: how many columns the z-value was made of.

    Raises:
        SessionError: when no Spark session runs.
    """
    require_session("call zorder_words")
    # A number of numpy's would be a bigint.
    return _call("zorder_words", z, F.lit(int(columns) if is_whole(columns) else columns))


def zorder_compare(z1: Column | str, z2: Column | str) -> Column:
    """Returns -1, 0 or 1, as a z-value is below, equal to or above another by unsigned bytes.

    Args:
        z1: the name of a binary column, or such a column; where either is null, so is the result.
        z2: the other one.

    Raises:
        SessionError: when no Spark session runs.
    """
    return _call("zorder_compare", z1, z2)


def _call(name: str, *columns: Column | str) -> Column:
    require_session(f"call {name}")
    return F.call_function(name, *columns)
