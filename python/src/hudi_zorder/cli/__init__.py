"""The command ``hudi-zorder``; ``python/JSON.md`` documents its exit codes and its JSON."""

from __future__ import annotations

import gc
import warnings

# The modules of the verbs register these with the application.
from hudi_zorder.cli import changing, forecasting, reading, verifying  # noqa: F401
from hudi_zorder.cli.application import app, show_warning

__all__ = ["app", "main"]


def main() -> None:
    """Runs the command."""
    warnings.showwarning = show_warning
    # Of a hundred thousand files there are millions of objects, none of them garbage; to look for
    # some as often as by default takes a fifth of the time.
    gc.set_threshold(200_000)
    app(prog_name="hudi-zorder")
