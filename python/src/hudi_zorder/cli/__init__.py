"""The command ``hudi-zorder``; ``python/JSON.md`` documents its exit codes and its JSON."""

from __future__ import annotations

import io
import sys
import warnings

# The modules of the verbs register these with the application.
from hudi_zorder.cli import changing, forecasting, reading, verifying  # noqa: F401
from hudi_zorder.cli.application import app, show_warning
from hudi_zorder.cli.streams import open_closed

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command."""
    open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal may not know a letter of the table's
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = show_warning
    app(prog_name="hudi-zorder")
