"""What minimum and maximum can rule out, from footers read back with pyarrow alone.

The measure: of all rows, the share that lies in files which statistics cannot rule out for a
predicate, averaged over predicates on values that exist, drawn from rows with a fixed seed. N files
and k independent columns cannot do better than N^(-1/k) for an equality on one column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

VALUES = 200
_SEED = 7


@dataclass(frozen=True)
class Parts:
    """Files, row groups or pages: rows and, by column, bounds and whether these are known.

    A part whose values are all null has bounds that hold nothing.
    """

    rows: np.ndarray
    bounds: Mapping[str, tuple[np.ndarray, np.ndarray]]

    def hit(self, column: str, low: Any, high: Any) -> np.ndarray:
        """Returns which parts may hold a value between two, both included."""
        lows, highs = self.bounds[column]
        known = np.array([value is not None for value in lows])
        hits = np.zeros(len(lows), dtype=bool)
        hits[known] = (lows[known] <= high) & (highs[known] >= low)
        return hits

    def share(self, hits: np.ndarray) -> float:
        """Returns the share of rows in some parts."""
        return float(self.rows[hits].sum() / self.rows.sum())


def file_parts(paths: Sequence[str], columns: Sequence[str]) -> Parts:
    """Reads rows and bounds of files from their footers."""
    rows = []
    bounds: dict[str, list[tuple[Any, Any]]] = {column: [] for column in columns}
    for path in paths:
        metadata = pq.read_metadata(path)
        rows.append(metadata.num_rows)
        for column in columns:
            bounds[column].append(_bounds(metadata, column, path))
    return Parts(
        np.array(rows),
        {
            column: (_objects(low for low, _ in pairs), _objects(high for _, high in pairs))
            for column, pairs in bounds.items()
        },
    )


def _bounds(metadata: pq.FileMetaData, column: str, path: str) -> tuple[Any, Any]:
    index = metadata.schema.to_arrow_schema().get_field_index(column)
    pairs = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        chunk = group.column(index)
        if chunk.path_in_schema != column:
            raise ValueError(f"Cannot measure '{path}': it has nested columns before '{column}'")
        statistics = chunk.statistics
        if statistics is not None and statistics.has_min_max:
            pairs.append((statistics.min, statistics.max))
        elif statistics is None or statistics.null_count != group.num_rows:
            raise ValueError(f"Cannot measure '{path}': '{column}' has no statistics")
    if not pairs:
        return None, None
    return min(low for low, _ in pairs), max(high for _, high in pairs)


def _objects(values: Any) -> np.ndarray:
    values = list(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@dataclass(frozen=True)
class Predicates:
    """Predicates on existing values of a data set, the same for every system.

    Attributes:
        ranges: by kind (``equality``, ``range_1``, ``range_10``) and column, pairs low and high.
        points: rows, by column, that no column of is null, with the 10 % range around each value.
        distinct: distinct values of each column.
    """

    ranges: Mapping[str, Mapping[str, Sequence[tuple[Any, Any]]]]
    points: Mapping[str, Sequence[tuple[Any, Any, Any]]]
    distinct: Mapping[str, int]


def predicates(table: pa.Table, columns: Sequence[str]) -> Predicates:
    """Draws predicates on the columns of a table."""
    random = np.random.default_rng(_SEED)
    ordered = {}
    for column in columns:
        values = table[column].drop_null().combine_chunks()
        ordered[column] = values.take(pc.array_sort_indices(values))
    kinds = {"equality": 0.0, "range_1": 0.01, "range_10": 0.1}
    ranges = {
        kind: {column: _ranges(ordered[column], width, random) for column in columns}
        for kind, width in kinds.items()
    }
    complete = table.select(columns).drop_null()
    chosen = complete.take(random.integers(0, complete.num_rows, VALUES))
    points: dict[str, list[tuple[Any, Any, Any]]] = {}
    for column in columns:
        values = ordered[column].to_numpy(zero_copy_only=False)
        half = len(values) // 20
        points[column] = []
        for value in chosen[column].to_pylist():
            place = int(np.searchsorted(values, value))
            low, high = max(0, place - half), min(len(values) - 1, place + half)
            points[column].append((value, values[low], values[high]))
    distinct = {column: pc.count_distinct(ordered[column]).as_py() for column in columns}
    return Predicates(ranges, points, distinct)


def _ranges(values: pa.Array, width: float, random: np.random.Generator) -> list[tuple[Any, Any]]:
    length = int(len(values) * width)
    starts = random.integers(0, len(values) - length, VALUES)
    return [(values[int(s)].as_py(), values[int(s) + length].as_py()) for s in starts]


def measure(parts: Parts, asked: Predicates, columns: Sequence[str]) -> dict[str, Any]:
    """Returns shares by kind of predicate, and the ratio of equality to independent columns."""
    files = len(parts.rows)
    grid = files ** (-1 / len(columns))
    shares: dict[str, Any] = {
        kind: {column: _mean_share(parts, column, by_column[column]) for column in columns}
        for kind, by_column in asked.ranges.items()
    }
    equal, within = [], []
    for number in range(VALUES):
        values = {column: asked.points[column][number] for column in columns}
        hits = [parts.hit(column, v, v) for column, (v, _, _) in values.items()]
        equal.append(parts.share(np.logical_and.reduce(hits)))
        hits = [parts.hit(column, low, high) for column, (_, low, high) in values.items()]
        within.append(parts.share(np.logical_and.reduce(hits)))
    mean = float(np.mean(list(shares["equality"].values())))
    fullness = parts.rows / parts.rows.mean()
    return {
        "files": files,
        "rows": int(parts.rows.sum()),
        "fullness": [float(fullness.min()), float(fullness.max())],
        "optimum": grid,
        "mean": mean,
        "ratio": mean / grid,
        **shares,
        "conjunction": float(np.mean(equal)),
        "conjunction_10": float(np.mean(within)),
        "distinct": dict(asked.distinct),
    }


def _mean_share(parts: Parts, column: str, ranges: Sequence[tuple[Any, Any]]) -> float:
    return float(np.mean([parts.share(parts.hit(column, low, high)) for low, high in ranges]))
