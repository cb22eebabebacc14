"""Lists and maps of Java's, read whole."""

from __future__ import annotations

from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from hudi_zorder.spark._jvm.collections import listed, mapped


@pytest.mark.parametrize("values", [[], ["a"], ["a", None, "b"]])
def test_a_list_has_its_values(spark: Any, values: list[str | None]) -> None:
    assert listed(spark._jvm.java.util.ArrayList(values)) == tuple(values)
    assert listed(spark._jvm.java.util.Collections.unmodifiableList(values)) == tuple(values)


@pytest.mark.parametrize("values", [{}, {"b": 1, "a": None}])
def test_a_map_has_its_values(spark: Any, values: dict[str, int | None]) -> None:
    assert mapped(spark._jvm.java.util.HashMap(values)) == values
    assert mapped(spark._jvm.java.util.Collections.unmodifiableMap(values)) == values


def test_a_fault_is_not_the_end_of_a_list(spark: Any) -> None:
    """As it is for py4j, which ends at whatever fails."""
    changed = spark._jvm.java.util.ArrayList(["a", "b"])
    part = changed.subList(0, 2)
    changed.add("c")

    with pytest.raises(Py4JJavaError, match="ConcurrentModificationException"):
        listed(part)
