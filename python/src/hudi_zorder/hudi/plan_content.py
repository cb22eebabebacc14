"""What a clustering's plan says: its layout, its queries, what it takes and leaves, and why."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hudi_zorder.errors import TableError
from hudi_zorder.hudi.reading_gain import ReadingGain, tells_of_reading
from hudi_zorder.hudi.shapes import ANY, Always, json_of
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    NO_QUERIES,
    PREFIX,
    QUERIES,
    SORT_COLUMNS,
    Z_COLUMN,
)

_FILES: Final = PREFIX + "files."
_QUERIES: Final = {"unit": ANY, "queries": Always([[ANY]]), "partitions": [[ANY]]}
_SHOWN: Final = 80  # letters of a value that an error shows


def taken_by_reason(groups: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Returns how many file slices the groups of a plan take, by the reason that each tells."""
    counted: Counter[str] = Counter()
    for group in groups:
        for name, number in (group.get("metrics") or {}).items():
            if name.startswith(_FILES):
                counted[name.removeprefix(_FILES)] += round(number)
    return dict(sorted(counted.items()))


def left_by_reason(plan: Mapping[str, Any]) -> dict[str, int]:
    """Returns how many file slices a plan leaves alone, by the reason that it tells."""
    told = plan.get("extraMetadata") or {}
    return {
        name.removeprefix(_FILES): int(number)
        for name, number in sorted(told.items())
        if name.startswith(_FILES)
    }


def gain_foretold(groups: Sequence[Mapping[str, Any]]) -> ReadingGain:
    """Returns what a plan has foretold; nothing unless each of its groups does."""
    by_partition: dict[str, ReadingGain] = {}
    for group in groups:
        metrics = {
            name.removeprefix(PREFIX): number
            for name, number in (group.get("metrics") or {}).items()
            if name.startswith(PREFIX)
        }
        if not tells_of_reading(metrics) or not group["slices"]:
            return ReadingGain()
        partition = group["slices"][0]["partitionPath"]
        by_partition.setdefault(partition, ReadingGain()).tell(metrics)
    total = ReadingGain()
    for gain in by_partition.values():
        total += gain
    return total


def plan_parameters(request: Mapping[str, Any]) -> dict[str, str]:
    """Returns the layout options that a plan has stored."""
    strategy = (request.get("clusteringPlan") or {}).get("strategy") or {}
    return dict(strategy.get("strategyParams") or {})


def plan_columns(parameters: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the columns that layout options sort by, those of a plan or of a configuration.

    That is the z-column where there is one, by which a plan stores it.
    """
    names = (parameters.get(Z_COLUMN) or parameters.get(SORT_COLUMNS, "")).split(",")
    return tuple(name.strip() for name in names if name.strip())


def plan_weights(
    parameters: Mapping[str, str], clustering: str = "the last clustering"
) -> dict[str, float]:
    """Returns the weights that are not 1 among the layout options of a plan, by column.

    Raises:
        TableError: when they cannot be read.
    """
    text = parameters.get(COLUMN_WEIGHTS, "")
    try:
        return {name: weight for name, weight in weights_of(text).items() if weight != 1}
    except ValueError as fault:
        raise damaged_plan(clustering, COLUMN_WEIGHTS, text) from fault


def weights_of(text: str) -> dict[str, float]:
    """Returns the weights that a text such as ``a=2,b=1``, or ``a:2;b:1``, gives to columns.

    Raises:
        ValueError: when it is of another form.
    """
    weights = {}
    for pair in re.split("[,;]", text) if text.strip() else ():
        separator = max(pair.rfind("="), pair.rfind(":"))
        weights[pair[: max(separator, 0)].strip()] = float(pair[separator + 1 :])
    return weights


def planned_queries(text: str, clustering: str) -> list[list[Any]]:
    """Returns the queries that a plan cuts its files for, each once with its weight and its boxes.

    ``hudi_zorder.workload.queries_to_plan`` has the form, in which a query may be in both halves.
    Weights are as they were given.

    Args:
        text: what the plan keeps of them, or ``none``.
        clustering: what it is the plan of, for the error.

    Raises:
        TableError: when this library has not written the text.
    """
    if text == NO_QUERIES:
        return []
    try:
        found = json_of(text, _QUERIES)
        unit = float(found.get("unit", 1))  # none where weights are as they were given
        weights: dict[str, float] = defaultdict(float)
        for weight, *boxes in found["queries"]:
            weights[json.dumps(boxes)] += float(weight)
    except (TypeError, ValueError) as fault:
        raise damaged_plan(clustering, QUERIES, text) from fault
    return [[_weight(weight, unit), *json.loads(boxes)] for boxes, weight in weights.items()]


def _weight(part: float, unit: float) -> float:
    """Returns a weight in the digits that it was given in, or the first nine."""
    return float(f"{part * unit:.9g}")


def damaged_plan(clustering: str, key: str, value: str) -> TableError:
    """Returns the error of a plan that stores what this library does not write."""
    return TableError(
        f"Cannot read the plan of {clustering}: '{key}' was '{value[:_SHOWN]}', which hudi-zorder "
        "has not written; use the version that made the plan, or repair the table with hudi-cli"
    )
