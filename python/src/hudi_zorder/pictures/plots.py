"""Pictures of a table's layout: the boxes of files, their depth, what an equality reads.

Needs matplotlib, the extra ``plots``. Each returns the figure, and writes it where a file is named,
whose suffix chooses PNG, SVG or PDF.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from hudi_zorder.errors import ColumnError
from hudi_zorder.hudi.time_travel import LAST, before_clustering, before_last, changed_type
from hudi_zorder.pictures.figures import check_suffix, new_figure, saved
from hudi_zorder.pictures.layout_picture import layout_figure
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.texts import plural

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from hudi_zorder.hudi.snapshot import TableSnapshot
    from hudi_zorder.stats.information_report import ClusteringInformation

_BLUE: Final = "#33638d"
_RED: Final = "#c44536"
_MANY: Final = 3  # panels in one row
_BINS: Final = 50
_UNITS: Final = (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("bytes", 1))


def plot_layout(
    snapshot: TableSnapshot,
    x: str,
    y: str,
    path: str | os.PathLike[str] | None = None,
    before: str | None = LAST,
) -> Figure:
    """Draws files as boxes of their ranges in two columns, before a clustering and now.

    Args:
        snapshot: the table.
        x: the column from left to right.
        y: the column from bottom to top.
        path: the picture's file, if it is to be written.
        before: ``last`` draws the layout before the last clustering, too, if its files are still
            there; a clustering's instant the one before that; None neither.

    Raises:
        ColumnError: when the table lacks a column, or knows no range of it.
        OptionError: for a file that is no PNG, SVG or PDF, and for an instant before which the
            layout is not known.
        HudiZOrderError: when matplotlib is not installed, or the file cannot be written.
    """
    check_suffix(path)
    return layout(layouts_of(snapshot, [x, y], before), x, y, path)


def layouts_of(
    snapshot: TableSnapshot, columns: Sequence[str], before: str | None
) -> dict[str, pa.Table]:
    """Returns statistics of the files before a clustering, if they can be read, and of those now.

    Takes and raises what ``plot_layout`` does.
    """
    now = footer_stats(snapshot, columns)
    earlier = None
    if before == LAST:
        earlier = before_last(snapshot, columns)
    elif before is not None:
        earlier = before_clustering(snapshot, before)
        _require_same_types(earlier, snapshot, columns)
    if earlier is None:
        return {snapshot.config.name: now}
    return {"before": footer_stats(earlier, columns), "now": now}


def _require_same_types(
    earlier: TableSnapshot | None, snapshot: TableSnapshot, columns: Sequence[str]
) -> None:
    for name in columns:
        kind = changed_type(earlier, snapshot, name) if earlier else ""
        if kind:
            raise ColumnError(
                f"Cannot draw a layout: the type of '{name}' was {kind} then; name a later "
                "clustering, or draw the table as it is now"
            )


def layout(
    layouts: Mapping[str, pa.Table], x: str, y: str, path: str | os.PathLike[str] | None = None
) -> Figure:
    """Draws several layouts side by side.

    Takes and raises what ``layout_figure`` and ``plot_layout`` do.
    """
    check_suffix(path)
    return saved(layout_figure(layouts, x, y), path)


def plot_depth(
    information: ClusteringInformation, path: str | os.PathLike[str] | None = None
) -> Figure:
    """Draws, for each column, the share of rows by the depth of their values.

    Raises:
        OptionError: for a file that is no PNG, SVG or PDF.
        HudiZOrderError: when matplotlib is not installed, or the file cannot be written.
    """
    check_suffix(path)
    parts = information.by_column
    wide = min(len(parts), _MANY)
    high = -(-len(parts) // wide)
    figure = new_figure(4.6 * wide + 0.8, 3.8 * high + 0.4)
    panels = figure.subplots(high, wide, squeeze=False, sharey=True).flat
    found = {bucket for part in parts for bucket in part.depth_histogram}
    buckets = sorted(found, key=lambda bucket: int(bucket.partition("-")[0]))
    for number, (panel, part) in enumerate(zip(panels, parts, strict=False)):
        if number % wide == 0:
            panel.set_ylabel("share of rows")
        panel.bar(buckets, [part.depth_histogram.get(b, 0) for b in buckets], color=_BLUE)
        panel.set_title(f"{part.column}: average depth {part.average_depth:.1f}")
        panel.set_xlabel("files that hold a value (depth)")
        panel.tick_params(axis="x", labelrotation=45 if len(buckets) > 8 else 0)
        panel.spines[["top", "right"]].set_visible(False)
    for panel in panels[len(parts) :]:
        panel.set_visible(False)
    figure.suptitle(plural(information.total_files, "file"))
    return saved(figure, path)


def plot_shares(
    information: ClusteringInformation, path: str | os.PathLike[str] | None = None
) -> Figure:
    """Draws, for each column, the share of rows that an equality reads, and what a grid would.

    Raises:
        OptionError: for a file that is no PNG, SVG or PDF.
        HudiZOrderError: when matplotlib is not installed, or the file cannot be written.
    """
    check_suffix(path)
    parts = information.by_column
    figure = new_figure(1.4 * len(parts) + 3.6, 4.2)
    axes = figure.subplots()
    bars = axes.bar([part.column for part in parts], [p.share_read for p in parts], color=_BLUE)
    axes.axhline(information.independent_share, color=_RED, linewidth=1.5)
    axes.bar_label(
        bars,
        [f"{part.share_read:.3f}" for part in parts],
        padding=3,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )
    axes.annotate(
        f"independent\ncolumns {information.independent_share:.3f}",
        (1, information.independent_share),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        color=_RED,
        va="center",
    )
    axes.set_ylabel("share of rows read by an equality")
    files = plural(information.total_files, "file")
    axes.set_title(f"{files}, score {information.score:.2f}")
    axes.spines[["top", "right"]].set_visible(False)
    return saved(figure, path)


def plot_sizes(sizes: Sequence[int]) -> Figure:
    """Returns a figure of how many files have which size, in bytes.

    Raises:
        HudiZOrderError: when matplotlib is not installed.
    """
    figure = new_figure(7.2, 3.6)
    from matplotlib.ticker import MaxNLocator

    most = max(sizes, default=1)
    unit, bytes_of_unit = next(unit for unit in _UNITS if most >= unit[1] or unit[1] == 1)
    axes = figure.subplots()
    ends = (0, most / bytes_of_unit * 1.02)
    axes.hist([size / bytes_of_unit for size in sizes], bins=_BINS, range=ends, color=_BLUE)
    axes.set_xlim(*ends)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"size of a file, {unit}")
    axes.set_ylabel("files")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
