"""Figures of matplotlib's, the extra ``plots``: made without its global state, or a screen."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hudi_zorder.errors import HudiZOrderError, OptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES: Final = (".png", ".svg", ".pdf")
_DOTS_PER_INCH: Final = 144


def new_figure(width: float, height: float) -> Figure:
    """Returns an empty figure of so many inches.

    Raises:
        HudiZOrderError: when matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
        from matplotlib.text import Text
    except ImportError as fault:
        raise HudiZOrderError(
            "Cannot draw: matplotlib is not installed; pip install 'hudi-zorder[plots]'"
        ) from fault

    class ShownFigure(Figure):
        """A figure that a notebook shows, also one that has not set matplotlib up."""

        def draw(self, renderer: Any) -> None:
            """Draws names and values as they are: no text is a formula, whatever dollars it has."""
            for text in self.findobj(Text):
                text.set_parse_math(False)
            with warnings.catch_warnings(), rc_context({"text.parse_math": False}):
                # A character that the font lacks is drawn as a box; that says it well enough.
                warnings.filterwarnings("ignore", message="Glyph")
                super().draw(renderer)

        def _repr_png_(self) -> bytes:
            return png(self)

    return ShownFigure(figsize=(width, height), layout="constrained")


def check_suffix(path: str | os.PathLike[str] | None) -> None:
    """Refuses a file that is no PNG, SVG or PDF by its name.

    Raises:
        OptionError: for such a file.
    """
    if path is None:
        return
    names_file = isinstance(path, str | os.PathLike)
    if not names_file or Path(path).suffix.lower() not in _SUFFIXES:
        raise OptionError(f"Cannot draw: 'path' was '{path}'; end it in {', '.join(_SUFFIXES)}")


def saved(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """Returns a figure, written to a file if one is named, whose suffix chooses the format.

    Raises:
        HudiZOrderError: when the file cannot be written.
    """
    if path is None:
        return figure
    try:
        figure.savefig(path, dpi=_DOTS_PER_INCH)
    except OSError as fault:
        raise HudiZOrderError(
            f"Cannot draw: 'path' was '{os.fspath(path)}' ({fault.strerror or fault}); "
            "name a file in a folder that can be written"
        ) from fault
    return figure


def png(figure: Figure) -> bytes:
    """Returns a figure as a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DOTS_PER_INCH)
    return buffer.getvalue()
