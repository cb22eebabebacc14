"""What reading shows on a terminal, and that a pipe gets none of it."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pyarrow as pa
import pytest

from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.progress import progress
from hudi_zorder.spark.job_progress import status
from hudi_zorder.stats.footer_stats import footer_stats
from plain_table import write_plain_table


class Terminal(io.StringIO):
    """What was printed on a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


def test_reading_shows_how_many_footers_are_read_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [pa.table({"a": [n]}) for n in range(5)]
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", files))
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("Reading statistics"):  # as the command line does: one picture with two lines
        footer_stats(snapshot)
    shown = terminal.getvalue()
    assert "Reading statistics" in shown
    assert "Reading footers" in shown
    assert "/5" in shown
    assert progress_is_over()


def test_what_is_read_next_is_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    for text in ("Reading the timeline", "Reading statistics"):
        with progress(text):
            pass
        assert text in terminal.getvalue()


def test_a_terminal_that_goes_away_stops_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(sys, "stderr", Gone())
    monkeypatch.setenv("TERM", "xterm")
    done = []
    with progress("Reading statistics") as told, status("Asking") as line:
        told(1)
        line("Asking again")
        done.append(1)
    assert done
    assert progress_is_over()


@pytest.mark.parametrize("stream", [None, "closed"])
def test_without_a_standard_error_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, stream: str | None
) -> None:
    closed = None if stream is None else io.StringIO()
    if closed is not None:
        closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    with progress("Reading statistics") as told, status("Asking") as line:
        told(1)
        line("Asking again")


def progress_is_over() -> bool:
    from hudi_zorder.progress import _SHOWN

    return _SHOWN.get() is None


def test_a_pipe_gets_nothing(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    program = "from hudi_zorder.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "stats", str(path), "--output", "json"],
        capture_output=True,
        env={**os.environ, "FORCE_COLOR": "1"},
        check=True,
    )
    assert done.stderr == b""


@pytest.mark.parametrize(("environment", "width"), [({}, 80), ({"COLUMNS": "120"}, 120)])
def test_a_pipe_gets_80_columns_whatever_terminal_it_is_typed_in(
    environment: dict[str, str], width: int
) -> None:
    inner, outer = os.openpty()
    fcntl.ioctl(outer, termios.TIOCSWINSZ, struct.pack("4H", 50, 200, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        [sys.executable, "-c", "from hudi_zorder.screen import *; console().print('x' * 300)"],
        stdin=outer,
        stdout=subprocess.PIPE,
        stderr=outer,
        env={**inherited, "TERM": "xterm", **environment},
        check=True,
    )
    os.close(inner)
    os.close(outer)
    assert done.stdout.split()[0] == b"x" * width
