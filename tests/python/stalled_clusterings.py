"""A process that clusters tables and comes to a halt in each at another moment, to be killed there.

Its arguments are a folder, and the moments, of each of which the folder has a table. It is run with
a process group of its own: killed as a whole, its JVM ends as suddenly as Python does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import hudi_zorder as hz
from conftest import local_session
from hudi_zorder.clustering.service import ClusteringService
from hudi_zorder.options import LOCKING
from hudi_zorder.spark._jvm.write_client import HudiJvm

# Of a write that began before any plan, and never ends.
ENDLESS = "20200101000000000"

planning, executing = ClusteringService.schedule, HudiJvm.execute


def halt(*_: Any, **__: Any) -> Any:
    Event().wait()


def lock_and_halt(service: ClusteringService, *_: Any, **__: Any) -> Any:
    with service._hudi._client(LOCKING) as client:
        none = service._hudi._option().empty()
        client.getTransactionManager().beginStateChange(none, none)
        halt()


def execute_beside_a_write(hudi: HudiJvm, *arguments: Any) -> None:
    """What the write may change is not known, so that the clustering waits before its commit."""
    for name in (f"{ENDLESS}.commit.requested", f"{ENDLESS}.inflight"):
        file = Path(hudi._path, ".hoodie", "timeline", name)
        file.touch()
        os.utime(file, times=(0, 0))
    executing(hudi, *arguments)


# Per moment: what takes the place of planning, executing, and reporting.
MOMENTS: dict[str, dict[str, Callable[..., Any]]] = {
    "locked": {"schedule": lock_and_halt},
    "planned": {"execute": halt},
    "written": {"_hudi.execute": execute_beside_a_write},
    "committed": {"_measured": halt},
}


def main(folder: Path, *moments: str) -> None:
    spark = local_session(folder)
    for moment in moments:
        table = hz.ZOrderTable(spark, folder / moment)
        for name, stand_in in MOMENTS[moment].items():
            *outer, name = name.split(".")
            holder: Any = getattr(table._service, outer[0]) if outer else table._service
            setattr(holder, name, stand_in.__get__(holder))
        layout = {"columns": ["a", "b"], "target_file_size": "20KB"}
        Thread(target=table.cluster, kwargs=layout, daemon=True).start()
    halt()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
