"""The command ``hudi-zorder``; ``python/JSON.md`` documents its exit codes and its JSON."""

from __future__ import annotations

import io
import logging
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
    # Or py4j tells on the terminal that Java has ended, before we say what became of the table.
    logging.getLogger().addHandler(logging.NullHandler())
    logging.getLogger("hudi_zorder").addHandler(logging.StreamHandler())
    app(prog_name="hudi-zorder")
