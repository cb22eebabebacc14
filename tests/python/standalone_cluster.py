"""Spark's standalone cluster on this machine, of the Spark that PySpark brings; and a job for it.

As a command it clusters a table in a session of its own, as a user's script would:
``python standalone_cluster.py MASTER PATH TARGET_FILE_SIZE [SETTING=VALUE ...]``.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
HOST = "127.0.0.1"
PATIENCE = 120.0


class StandaloneCluster:
    """A master and workers of one core each, every one a process.

    Attributes:
        master: the URL that a session connects to.
        shuffled: the folder that executors leave shuffled rows in.
        shuffle_service: the port by which others get these once an executor is gone.
    """

    def __init__(self, folder: Path, workers: int) -> None:
        self.shuffled = folder / "shuffled"
        self.shuffle_service = _free_port()
        self._folder = folder
        port = _free_port()
        self.master = f"spark://{HOST}:{port}"
        self._processes = [self._start("master", "--port", str(port))]
        try:
            _wait(lambda: "New state: ALIVE" in self._log("master"), "a master")
            for number in range(workers):
                options = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work")]
                self._processes.append(self._start(f"worker{number}", *options, self.master))
            for number in range(workers):
                _wait(lambda n=number: "registered with" in self._log(f"worker{n}"), "a worker")
        except BaseException:
            self.stop()
            raise

    def _start(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        role = name.rstrip("0123456789").capitalize()
        command = [SPARK_CLASS, f"org.apache.spark.deploy.{role.lower()}.{role}"]
        # One for the executors of all workers: no two on a machine have the same port.
        service = {"enabled": "true", "port": self.shuffle_service} if name == "worker0" else {}
        environment = {
            **os.environ,
            "SPARK_WORKER_OPTS": " ".join(
                f"-Dspark.shuffle.service.{key}={value}" for key, value in service.items()
            ),
            "SPARK_LOCAL_DIRS": str(self.shuffled),
            "SPARK_LOCAL_IP": HOST,
            "SPARK_NO_DAEMONIZE": "1",
        }
        with (self._folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [*command, "--host", HOST, "--webui-port", "0", *arguments],
                stdout=log,
                stderr=log,
                env=environment,
                start_new_session=True,
            )

    def _log(self, name: str) -> str:
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def executors(self) -> list[int]:
        """The processes that run tasks of a session."""
        workers = ",".join(str(process.pid) for process in self._processes)
        asked = ["pgrep", "--pgroup", workers, "--full", "CoarseGrainedExecutorBackend"]
        found = subprocess.run(asked, capture_output=True, text=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    def kill_an_executor_in_mid_shuffle(self, job: subprocess.Popen[str], least: int) -> None:
        """Waits until so many bytes have been shuffled, and ends a process that holds some."""

        def shuffled() -> bool:
            assert job.poll() is None, f"the job ended before: {job.communicate()}"
            return any(_size(file) >= least for file in self.shuffled.rglob("shuffle_*.data"))

        _wait(shuffled, "shuffled rows")
        os.kill(self.executors()[0], signal.SIGKILL)

    def stop(self) -> None:
        """Ends all processes, executors with the workers that started them."""
        for process in reversed(self._processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def standalone_cluster(folder: Path, workers: int = 2) -> Iterator[StandaloneCluster]:
    """A cluster that lasts for a ``with`` block, and keeps logs and shuffled rows in a folder."""
    cluster = StandaloneCluster(folder, workers)
    try:
        yield cluster
    finally:
        cluster.stop()


def start_clustering(
    master: str, path: str, target_file_size: int, **settings: str
) -> subprocess.Popen[str]:
    """Starts a process that clusters a table by ``a`` and ``b``; it prints nothing if all is well.

    Args:
        master: the cluster's URL, or ``local[2]``.
        path: the table.
        target_file_size: bytes.
        settings: of the session, dots written as ``__``.
    """
    chosen = [f"{key.replace('__', '.')}={value}" for key, value in settings.items()]
    return subprocess.Popen(
        [sys.executable, __file__, master, path, str(target_file_size), *chosen],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(condition: Callable[[], bool], what: str) -> None:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, f"no {what} within {PATIENCE:.0f} s"
        time.sleep(0.05)


def _cluster(master: str, path: str, target_file_size: str, *settings: str) -> None:
    from pyspark.sql import SparkSession

    import hudi_zorder as hz

    builder = (
        SparkSession.builder.master(master)
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", HOST)
        .config("spark.executor.memory", "700m")
        .config("spark.sql.session.timeZone", "UTC")
    )
    for setting in settings:
        builder = builder.config(*setting.split("=", 1))
    spark = hz.configure_spark(builder).getOrCreate()
    hz.ZOrderTable(spark, path).cluster(["a", "b"], target_file_size=int(target_file_size))
    spark.stop()


if __name__ == "__main__":
    _cluster(*sys.argv[1:])
