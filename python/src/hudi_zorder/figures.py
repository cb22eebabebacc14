"""Figures of matplotlib's, the extra ``plots``: made without its global state, or a screen."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
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
        with _without_glyph_warnings():
            figure.savefig(path, dpi=_DOTS_PER_INCH)
    except OSError as fault:
        raise HudiZOrderError(
            f"Cannot draw: 'path' was '{os.fspath(path)}' ({fault.strerror or fault}); "
            "name a file in a folder that can be written"
        ) from fault


def png(figure: Any) -> bytes:
    """Returns a figure as a PNG."""
    buffer = io.BytesIO()
    with _without_glyph_warnings():
        figure.savefig(buffer, format="png", dpi=_DOTS_PER_INCH)
    return buffer.getvalue()


@contextmanager
def _without_glyph_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        # A character that the font lacks is drawn as a box; that says it well enough.
        warnings.filterwarnings("ignore", message="Glyph")
        yield
