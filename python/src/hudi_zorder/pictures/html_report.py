"""A table's layout as one HTML file: pictures, information and history, for a browser offline."""

from __future__ import annotations

import base64
import datetime as dt
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder import __version__
from hudi_zorder.errors import ColumnError, HudiZOrderError, OptionError
from hudi_zorder.fit.queries_fit import known_fits
from hudi_zorder.hudi.history import chosen_columns, history, layout_queries
from hudi_zorder.hudi.pending_plans import pending
from hudi_zorder.hudi.plan_content import planned_queries
from hudi_zorder.hudi.time_travel import before_last
from hudi_zorder.pictures import plots
from hudi_zorder.pictures.figures import png
from hudi_zorder.pictures.layout_picture import layout_figure
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.footer_stats import footer_stats
from hudi_zorder.stats.information_report import ClusteringInformation
from hudi_zorder.stats.stats_table import totals
from hudi_zorder.texts import readable_size

if TYPE_CHECKING:
    import jinja2
    import pyarrow as pa
    from matplotlib.figure import Figure

    from hudi_zorder.hudi.snapshot import TableSnapshot

_TEMPLATE: Final = "report.html.j2"
_MOST_PAIRS: Final = 3  # pictures of two columns each
_PIXELS_PER_INCH: Final = 80
_LONGEST: Final = 40  # characters of a value
_MOST_QUERIES: Final = 20


@dataclass(frozen=True, slots=True)
class _Picture:
    title: str
    text: str
    source: str  # a data URL
    width: int  # in pixels of CSS; the picture has more, for fine screens


def write_report(
    snapshot: TableSnapshot, path: str | os.PathLike[str], columns: Sequence[str] | None = None
) -> None:
    """Writes the report.

    Args:
        snapshot: the table.
        path: the HTML file; it needs no other file and no network.
        columns: the columns asked about; None for those of the last clustering.

    Raises:
        OptionError: when there are no columns to ask about, or what is to be a path is none.
        ColumnError: for a column that does not exist, is named twice or has no statistics.
        HudiZOrderError: when jinja2 or matplotlib is not installed, or the file cannot be written.
        TableError: when a file of the table cannot be read.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            f"Cannot write a report: 'path' was {path!r}, which names no file; name one such as "
            "'report.html'"
        )
    template = _template()
    names = chosen_columns(snapshot, columns)
    now = clustering_information(snapshot, names)
    earlier = before_last(snapshot, now.columns)
    before = None if earlier is None else clustering_information(earlier, names)
    text = template.render(
        version=__version__,
        written=dt.datetime.now(dt.timezone.utc),
        table=snapshot.url,
        config=snapshot.config,
        now=now,
        before=before,
        shares_before={} if before is None else {c.column: c for c in before.by_column},
        commits=len(snapshot.timeline.completed),
        partitions=len({part.partition for part in snapshot.slices}),
        pictures=list(_pictures(snapshot, earlier, now)),
        statistics=_statistics(snapshot),
        history=history(snapshot),
        queries=known_fits(snapshot),
        known_queries=len(planned_queries(layout_queries(snapshot), "the last clustering")),
        most_queries=_MOST_QUERIES,
        pending=pending(snapshot),
    )
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as fault:
        raise HudiZOrderError(
            f"Cannot write a report: 'path' was '{os.fspath(path)}' ({fault.strerror or fault}); "
            "name a file in a folder that can be written"
        ) from fault


def _template() -> jinja2.Template:
    try:
        import jinja2
    except ImportError as fault:
        raise HudiZOrderError(
            "Cannot write a report: jinja2 is not installed; pip install 'hudi-zorder[plots]'"
        ) from fault
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("hudi_zorder.pictures"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["size"] = readable_size
    return environment.get_template(_TEMPLATE)


def _pictures(
    snapshot: TableSnapshot, earlier: TableSnapshot | None, now: ClusteringInformation
) -> Iterator[_Picture]:
    times = {"before": earlier, "now": snapshot} if earlier else {snapshot.config.name: snapshot}
    # One that was added or renamed, and not written since, is in no footer.
    written = [name for name in now.columns if snapshot.schema.find(name)]
    layouts: dict[str, pa.Table] = {
        title: footer_stats(part, written) for title, part in times.items()
    }
    for x, y in itertools.islice(itertools.combinations(written, 2), _MOST_PAIRS):
        try:
            figure = layout_figure(layouts, x, y)
        except ColumnError:  # no file has a known range of both
            continue
        text = "Each box is a file. The darker a place, the more files have to be read for it."
        yield _picture(f"Files by {x} and {y}", text, figure)
    text = (
        "What an equality on an existing value has to read; the line is what it would read if the "
        "columns were independent and the files a grid of them. Correlated columns can be below it."
    )
    yield _picture("Share of rows read, by column", text, plots.plot_shares(now))
    text = "How many files hold a value. The further to the left, the better."
    yield _picture("Depth", text, plots.plot_depth(now))
    sizes = [part.size for part in snapshot.slices]
    text = "Many small files cost time to open; few large ones leave little to skip."
    yield _picture("File sizes", text, plots.plot_sizes(sizes))


def _picture(title: str, text: str, figure: Figure) -> _Picture:
    source = base64.b64encode(png(figure)).decode()
    width = round(figure.get_figwidth() * _PIXELS_PER_INCH)
    return _Picture(title, text, f"data:image/png;base64,{source}", width)


def _statistics(snapshot: TableSnapshot) -> list[dict[str, Any]]:
    """Returns one row for each column of the table, its bounds as texts."""
    leaves = snapshot.schema.leaves
    return [
        {
            **asdict(total),
            "type": str(leaves[total.column].arrow_type),
            "min": _text(total.min),
            "max": _text(total.max),
        }
        for total in totals(footer_stats(snapshot))
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
