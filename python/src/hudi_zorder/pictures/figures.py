"""Figures of matplotlib's, the extra ``plots``: made without its global state, or a screen."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path
from typing import Any, Final

from hudi_zorder.errors import HudiZOrderError, OptionError

_SUFFIXES: Final = (".png", ".svg", ".pdf")
_DOTS_PER_INCH: Final = 144


def new_figure(width: float, height: float) -> Any:
    """Returns an empty figure of so many inches.

    Raises:
        HudiZOrderError: when matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as fault:
        raise HudiZOrderError(
            "Cannot draw: matplotlib is not installed; pip install 'hudi-zorder[plots]'"
        ) from fault
    return Figure(figsize=(width, height), layout="constrained")


def check_suffix(path: str | os.PathLike[str]) -> None:
    """Refuses a file that is no PNG, SVG or PDF by its name.

    Raises:
        OptionError: for such a file.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise OptionError(
            f"Cannot draw: 'path' was '{os.fspath(path)}'; end it in {', '.join(_SUFFIXES)}"
        )


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Writes a figure to a file, whose suffix chooses the format.

    Raises:
        HudiZOrderError: when the file cannot be written.
    """
    try:
        _write(figure, path)
    except OSError as fault:
        raise HudiZOrderError(
            f"Cannot draw: 'path' was '{os.fspath(path)}' ({fault.strerror or fault}); "
            "name a file in a folder that can be written"
        ) from fault


def png(figure: Any) -> bytes:
    """Returns a figure as a PNG."""
    buffer = io.BytesIO()
    _write(figure, buffer, format="png")
    return buffer.getvalue()


def _write(figure: Any, target: Any, **options: Any) -> None:
    from matplotlib import rc_context
    from matplotlib.text import Text

    # Names and values mean what they say: no text is a formula, however many dollars are in it.
    for text in figure.findobj(Text):
        text.set_parse_math(False)
    with warnings.catch_warnings(), rc_context({"text.parse_math": False}):
        # A character that the font lacks is drawn as a box; that says it well enough.
        warnings.filterwarnings("ignore", message="Glyph")
        figure.savefig(target, dpi=_DOTS_PER_INCH, **options)
