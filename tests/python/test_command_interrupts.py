"""Ctrl-C while a command waits for the JVM, which PySpark would ask by the same connection."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from plain_table import write_plain_table

pytestmark = pytest.mark.slow

# A call that takes long, in the constructor of a class, in the middle of which the signal comes.
INTERRUPTED = """
import os, signal, threading
from {module} import {name}
begin = {name}.__init__
def interrupted(self, spark, *arguments, **named):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    spark._jvm.java.lang.Thread.sleep(60_000)
    begin(self, spark, *arguments, **named)
{name}.__init__ = interrupted
from hudi_zorder.cli import main
main()
"""
MOMENTS = {
    "as the session begins": ("pyspark.sql", "SparkSession"),
    "as the table is opened": ("hudi_zorder.table", "ZOrderTable"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_in_the_middle_of_an_answer_ends_the_command_and_its_jvm(
    tmp_path: Path, moment: str
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1, 2]})])
    module, name = MOMENTS[moment]
    script = INTERRUPTED.format(module=module, name=name)
    mark = f"spark.interrupted={os.getpid()}.{name}"
    command = [sys.executable, "-c", script, "plan", path, "-c", "a", "--conf", mark]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=environment
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted\n")
    assert [*tmp_path.glob("hudi-zorder-*.log")] == []
    ends = time.monotonic() + 30
    while subprocess.run(["pgrep", "-f", mark], capture_output=True, check=False).stdout:
        assert time.monotonic() < ends, "the JVM lives on"
        time.sleep(0.2)
