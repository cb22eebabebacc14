"""What a command does before Java is there, and while it waits for it; without starting any."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hudi_zorder.spark.launch import meanwhile
from plain_table import write_clustered_table

# In place of Java's start: says what is imported, forks as PySpark does, and waits for the import.
NO_JAVA = """
import subprocess, sys, time
from hudi_zorder import SessionError
from hudi_zorder.cli import main
from hudi_zorder.spark import launch

def started(builder, log):
    time.sleep(0.2)
    print("before the fork:", {"hudi_zorder.table", "sqlglot"} & sys.modules.keys() or "neither")
    subprocess.run(["true"], preexec_fn=lambda: None, check=True)
    deadline = time.monotonic() + 60
    while "hudi_zorder.table" not in sys.modules and time.monotonic() < deadline:
        time.sleep(0.01)
    print("while Java starts:", "hudi_zorder.table" in sys.modules)
    raise SessionError("Cannot start Spark: this is a test")

launch.started = started
main()
"""


def test_a_command_imports_the_rest_while_java_starts(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "t")
    command = [sys.executable, "-c", NO_JAVA, "cluster", str(path), "--columns", "a"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "before the fork: neither\nwhile Java starts: True\n", done.stderr
    assert re.fullmatch(
        r"Error: Cannot start Spark: this is a test. Spark's log is '.*'\n", done.stderr
    )
    assert done.returncode == 1


def test_what_is_done_meanwhile_is_done_where_nothing_is_forked() -> None:
    with meanwhile(lambda: 7) as answer:
        assert answer() == 7


def test_what_fails_meanwhile_fails_when_it_is_asked_for() -> None:
    def fail() -> None:
        raise ModuleNotFoundError("No module named 'nowhere'", name="nowhere")

    with meanwhile(fail) as answer, pytest.raises(ModuleNotFoundError, match="nowhere"):
        answer()


def test_nothing_waits_for_what_nobody_asks_for() -> None:
    with pytest.raises(KeyboardInterrupt), meanwhile(lambda: 7):
        raise KeyboardInterrupt
