"""The picture of a layout: files as boxes of their ranges in two columns, depth as colour."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import ColumnError, did_you_mean
from hudi_zorder.parquet.comparables import (
    Comparable,
    display,
    is_binary,
    is_text,
    is_time,
    shortened,
)
from hudi_zorder.pictures.figures import new_figure
from hudi_zorder.stats.stats_table import ColumnValues, columns_of, values_of
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

_CELLS: Final = 512  # along each side of the picture of depth
_MOST_OUTLINES: Final = 3000  # beyond which outlines hide what they frame
_TICKS: Final = 6
_LABEL: Final = 16  # characters
_PLAIN_NUMBERS: Final = 1e9  # from where on ticks have a common power of ten
_MICROS_OF_DAY: Final = 86_400_000_000
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0  # since 1970, of the years 1 to 9999
_FARTHEST: Final = 1e300  # beyond it what lies between two values, or a margin, may be infinite
_DARK: Final = "#222222b0"

Range = tuple[Comparable, Comparable]
Box = tuple[float, float, float, float]  # left, right, bottom, top


def layout_figure(layouts: Mapping[str, pa.Table], x: str, y: str) -> Figure:
    """Returns a figure of files as boxes of their ranges, side by side for several layouts.

    The colour of a place is its depth: the number of files that hold it, all of which an equality
    on both columns must read. Text is placed by its rank among all bounds.

    Args:
        layouts: what ``column_stats`` returned for both columns at least, by title.
        x: the column from left to right.
        y: the column from bottom to top.

    Raises:
        ColumnError: when a layout lacks a column, or knows no range of it.
        HudiZOrderError: when matplotlib is not installed.
    """
    figure = new_figure(6.2 * len(layouts) + 1.2, 5.4)
    drawn = {title: _Layout.of(stats, x, y) for title, stats in layouts.items()}
    across = _Axis(x, [r.x for part in drawn.values() for r in part.files], _type(drawn, 0))
    up = _Axis(y, [r.y for part in drawn.values() for r in part.files], _type(drawn, 1))
    boxes = {
        title: [(*across.span(file.x), *up.span(file.y)) for file in part.files]
        for title, part in drawn.items()
    }
    depths = {title: _depth(found, across, up) for title, found in boxes.items()}
    deepest = max(int(depth.max()) for depth in depths.values())
    panels = figure.subplots(1, len(layouts), squeeze=False)[0]
    for panel, (title, part) in zip(panels, drawn.items(), strict=True):
        image = panel.imshow(
            depths[title],
            cmap="viridis_r",
            vmin=1,
            vmax=max(deepest, 2),
            origin="lower",
            aspect="auto",
            extent=(across.low, across.high, up.low, up.high),
            interpolation="nearest",
        )
        _outline(panel, boxes[title])
        panel.set_title(f"{title}: {part.title}")
        across.mark(panel.xaxis)
        up.mark(panel.yaxis)
    ticks = sorted({1 + round(i * (deepest - 1) / (_TICKS - 1)) for i in range(_TICKS)})
    label = "depth: files that hold a place"
    figure.colorbar(image, ax=list(panels), label=label, ticks=ticks)
    return figure


@dataclass(frozen=True)
class _DrawnFile:
    x: Range
    y: Range


@dataclass(frozen=True)
class _Layout:
    files: list[_DrawnFile]
    types: tuple[pa.DataType, pa.DataType]
    title: str

    @classmethod
    def of(cls, stats: pa.Table, x: str, y: str) -> _Layout:
        if x == y:
            raise ColumnError(f"Cannot draw a layout: '{x}' is named twice; name two columns")
        spelt = {name.lower(): name for name in columns_of(stats)}
        for name in (x, y):
            if name.lower() not in spelt:
                raise ColumnError(
                    f"Cannot draw a layout: there are no statistics of '{name}'; "
                    f"{did_you_mean(name, spelt.values())}"
                )
        across, up = (values_of(stats, spelt[name.lower()]) for name in (x, y))
        files = [
            _DrawnFile(ends, others)
            for ends, others in zip(_finite_ranges(across), _finite_ranges(up), strict=True)
            if ends and others
        ]
        if not files:
            raise ColumnError(
                f"Cannot draw a layout: no file has known ranges of both '{x}' and '{y}'; "
                "name columns of which column_stats() has minimum and maximum"
            )
        missing = stats.num_rows - len(files)
        unknown = f", {missing:,} of unknown range" if missing else ""
        title = plural(stats.num_rows, "file") + unknown
        return cls(files, (across.arrow_type, up.arrow_type), title)


class _Axis:
    """Where values lie along one side of the picture."""

    def __init__(self, column: str, ranges: Sequence[Range], arrow_type: pa.DataType) -> None:
        self._column = column
        self._type = arrow_type
        self._ranked = is_text(arrow_type) or is_binary(arrow_type)
        self._values = sorted({end for ends in ranges for end in ends})
        self._ranks = {value: float(rank) for rank, value in enumerate(self._values)}
        low, high = self._place(self._values[0]), self._place(self._values[-1])
        # Beside a large number a half is lost in rounding.
        margin = (high - low) * 0.01 or max(0.5, abs(high) * 1e-6)
        self.low, self.high = low - margin, high + margin
        if is_time(arrow_type):
            self.low, self.high = max(self.low, _FIRST_DAY), min(self.high, _LAST_DAY)

    def span(self, ends: Range) -> tuple[float, float]:
        """Returns the places of both ends."""
        return self._place(ends[0]), self._place(ends[1])

    def cells(self, low: float, high: float) -> slice:
        """Returns the cells of the picture that a span covers, one at least."""
        scale = _CELLS / (self.high - self.low)
        start = min(round((low - self.low) * scale), _CELLS - 1)
        return slice(start, max(start + 1, round((high - self.low) * scale)))

    def mark(self, axis: Any) -> None:
        """Labels an axis of matplotlib's."""
        from matplotlib.dates import AutoDateLocator, ConciseDateFormatter

        axis.set_label_text(self._column)
        if is_time(self._type):
            locator = AutoDateLocator()  # type: ignore[no-untyped-call]
            axis.set_major_locator(locator)
            axis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
        elif self._ranked:
            last = len(self._values) - 1
            ranks = sorted({round(i * last / (_TICKS - 1)) for i in range(_TICKS)})
            labels = [display(self._values[rank], self._type) for rank in ranks]
            axis.set_ticks(ranks, [shortened(label, _LABEL) for label in labels])
        elif max(abs(self.low), abs(self.high)) < _PLAIN_NUMBERS:
            axis.set_major_formatter("{x:,.10g}")

    def _place(self, value: Comparable) -> float:
        import pyarrow.types as t

        if self._ranked or isinstance(value, bytes):
            return self._ranks[value]
        if t.is_timestamp(self._type):
            return value / _MICROS_OF_DAY  # matplotlib counts days since 1970, as dates do here
        if t.is_decimal(self._type):
            return float(value) / math.pow(10, self._type.scale)
        return min(max(float(value), -_FARTHEST), _FARTHEST)


def _type(drawn: Mapping[str, _Layout], side: int) -> pa.DataType:
    return next(iter(drawn.values())).types[side]


def _finite_ranges(values: ColumnValues) -> Iterator[Range | None]:
    for low, high in zip(values.low, values.high, strict=True):
        yield None if low is None or high is None else _finite((low, high))


def _finite(ends: Range) -> Range | None:
    infinite = any(isinstance(end, float) and not math.isfinite(end) for end in ends)
    return None if infinite else ends


def _depth(boxes: Sequence[Box], across: _Axis, up: _Axis) -> Any:
    import numpy as np

    depth = np.zeros((_CELLS, _CELLS))
    for left, right, bottom, top in boxes:
        depth[up.cells(bottom, top), across.cells(left, right)] += 1
    return np.ma.masked_equal(depth, 0)


def _outline(panel: Any, boxes: Sequence[Box]) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    if len(boxes) <= _MOST_OUTLINES:
        shapes = [
            Rectangle((left, bottom), right - left, top - bottom)
            for left, right, bottom, top in boxes
        ]
        outlines = PatchCollection(shapes, facecolor="none", edgecolor=_DARK, linewidth=0.6)
        panel.add_collection(outlines)
