"""Lists and maps of Java's as those of Python.

py4j's own way through them asks for one value more than there are and takes any fault for the end,
the loss of its connection included; of PySpark the exception that ends it costs 10 ms and more.
"""

from __future__ import annotations

from typing import Any


def listed(found: Any) -> tuple[Any, ...]:
    """Returns what a collection of Java's has."""
    return tuple(found.toArray())


def mapped(found: Any) -> dict[Any, Any]:
    """Returns what a map of Java's has."""
    return {key: found.get(key) for key in listed(found.keySet())}
