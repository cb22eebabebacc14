"""How a plan stands that is pending: what is safe to do with it, told from its files alone."""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder import __version__
from hudi_zorder.clustering.concurrency import writes_under_way
from hudi_zorder.errors import TableError
from hudi_zorder.hudi import pending_plans, processes
from hudi_zorder.hudi import snapshot as snapshots
from hudi_zorder.hudi.clusterings import PendingClustering
from hudi_zorder.hudi.crash_leftovers import examine
from hudi_zorder.hudi.file_slices import list_slices
from hudi_zorder.hudi.pending_plans import ATTEMPT, AUTHOR, pending
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import EXECUTION_STRATEGY, PLAN_VERSION
from plain_table import CLUSTERED, HALF, INSTANT, PENDING, base_file, write_plain_table, write_plan

ELSEWHERE = "another-boot pid:[1] 1 1"
STARTED = 19  # the field of a process's own file that says when it started


def this_process() -> str:
    number = str(os.getpid())
    return " ".join([*processes._machine(), number, processes._stat(number)[STARTED]])


def planned(
    folder: Path,
    *,
    file: str = base_file("0"),
    logs: Sequence[str] = (),
    version: str = __version__,
    author: str | None = None,
    age: float = 0,
    inflight: bool = False,
    heartbeat: float | None = None,
) -> PendingClustering:
    """A plan of one file.

    Args:
        folder: for the table.
        file: what the plan takes the file of its group for.
        logs: and its log files.
        version: who has planned it.
        author: the process that is to execute it; "" where its system names none.
        age: of the plan, in seconds.
        inflight: whether its execution has begun.
        heartbeat: seconds since its executor has shown that it lives; None for never.
    """
    path = write_plain_table(folder / "t", [pa.table({"a": [1, 2]})])
    named = {"partitionPath": "", "fileId": "f0-0", "dataFilePath": file, "deltaFilePaths": logs}
    group = {"slices": [named]}
    strategy = {
        "strategyClassName": EXECUTION_STRATEGY,
        "strategyParams": {PLAN_VERSION: version},
    }
    plan = {
        "operationType": "CLUSTER",
        "clusteringPlan": {"inputGroups": [group], "strategy": strategy},
        "extraMetadata": {} if author is None else {AUTHOR: author, ATTEMPT: "1"},
    }
    aged(write_plan(path, json.dumps(plan).encode()), age)
    if inflight:
        (path / ".hoodie/timeline" / f"{PENDING}.clustering.inflight").touch()
    if heartbeat is not None:
        beats = path / ".hoodie/.heartbeat"
        beats.mkdir()
        (beats / PENDING).write_text(ELSEWHERE)
        aged(beats / PENDING, heartbeat)
    [found] = pending(TableSnapshot.open(path))
    return found


def aged(file: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(file, (then, then))


def verb(plan: PendingClustering) -> str:
    """What ``pending`` advises; ``""`` to wait."""
    return plan.command.split(" ")[1] if plan.command else ""


def test_what_waits_is_to_be_executed(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    assert (plan.executor, verb(plan), plan.repairable) == ("none", "execute", False)


def test_what_nobody_can_execute_is_to_be_repaired(tmp_path: Path) -> None:
    plan = planned(tmp_path, file=base_file("0", "20250101000000000"))
    assert (plan.outdated, verb(plan), plan.repairable) == (1, "repair", True)


def test_plans_beside_half_a_commit_are_told_from_one_listing_of_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(tmp_path)
    path = tmp_path / "t"
    timeline = path / ".hoodie/timeline"
    plan = (timeline / f"{PENDING}.clustering.requested").read_bytes()
    for instant in range(int(PENDING) + 1, int(PENDING) + 4):
        (timeline / f"{instant}.clustering.requested").write_bytes(plan)
    (timeline / f"{CLUSTERED}_{CLUSTERED[:-1]}1.replacecommit").write_bytes(HALF)
    listings = []

    def counted(*arguments: Any) -> Any:
        listings.append(arguments)
        return list_slices(*arguments)

    monkeypatch.setattr(snapshots, "list_slices", counted)
    assert [verb(plan) for plan in pending(TableSnapshot.open(path))] == ["execute"] * 4
    assert len(listings) == 2  # one that met the half, and one beside it


def test_change_data_is_nothing_that_a_plan_has_read(tmp_path: Path) -> None:
    log = f".f0-0_{INSTANT}.log.1_0-1-1"
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / f"{log}.cdc").touch()
    plan = planned(tmp_path, logs=[f"{log}.cdc"])
    assert (plan.outdated, plan.files, verb(plan)) == (0, 1, "execute")
    assert planned(tmp_path / "rows", logs=[log]).outdated == 1


def test_what_somebody_may_execute_without_a_sign_is_left_to_a_person(tmp_path: Path) -> None:
    plan = planned(tmp_path, file=base_file("0", "20250101000000000"), inflight=True)
    assert (plan.executor, verb(plan), plan.repairable) == ("unknown", "cancel", False)


@pytest.mark.parametrize(
    ("version", "advised"), [("0.1.99", "execute"), ("0.2.0", "cancel"), ("1.1.0", "cancel")]
)
def test_a_plan_of_another_line_of_versions_is_not_to_be_executed(
    tmp_path: Path, version: str, advised: str
) -> None:
    assert verb(planned(tmp_path, version=version)) == advised


def test_a_command_names_a_table_as_a_shell_takes_it(tmp_path: Path) -> None:
    plan = planned(tmp_path / "it's here")
    path = str(tmp_path / "it's here/t")
    assert shlex.split(plan.command) == ["hudi-zorder", "execute", path, PENDING]
    last = str(examine(TableSnapshot.open(path))).splitlines()[-1]
    assert shlex.split(last) == ["hudi-zorder", "pending", path]


@pytest.mark.parametrize(("version", "advised"), [("1.1.9", "execute"), ("2.0.0", "cancel")])
def test_from_the_first_on_a_line_of_versions_is_that_of_its_first_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, advised: str
) -> None:
    monkeypatch.setattr(pending_plans, "__version__", "1.2.0")
    assert verb(planned(tmp_path, version=version)) == advised


@pytest.mark.parametrize("content", [b"", HALF], ids=["empty", "half"])
def test_a_plan_that_was_not_written_whole_names_no_class_and_is_to_be_repaired(
    tmp_path: Path, content: bytes
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    write_plan(path, content)
    plans = pending(TableSnapshot.open(path))
    assert (plans[0].execution_class, plans[0].ours, plans[0].repairable) == ("", False, True)
    assert "Not a plan" not in str(plans)
    assert examine(TableSnapshot.open(path)).plans[0].instant == PENDING


@pytest.mark.parametrize(
    ("version", "content", "repairable"),
    [("6", HALF, [True]), ("6", b"", []), ("8", HALF, []), ("9", HALF, [])],
)
def test_half_a_request_is_a_plan_where_clusterings_have_no_action_of_their_own(
    tmp_path: Path, version: str, content: bytes, repairable: list[bool]
) -> None:
    """An empty one may be another write's, which Hudi takes it for."""
    path = replace_requested(tmp_path, version, content)
    snapshot = TableSnapshot.open(path)
    assert [plan.repairable for plan in pending(snapshot)] == repairable
    assert [plan.instant for plan in examine(snapshot).plans] == [PENDING] * len(repairable)
    assert len(writes_under_way(snapshot)) == (not repairable)


def test_half_a_request_of_what_may_be_under_way_is_no_plan_to_be_dropped(tmp_path: Path) -> None:
    path = replace_requested(tmp_path, "6", HALF)
    (path / f".hoodie/{PENDING}.replacecommit.inflight").touch()
    with pytest.raises(TableError, match=r"is damaged in '.*requested'.*repair .* with hudi-cli"):
        examine(TableSnapshot.open(path))


def test_half_a_request_that_may_just_be_written_is_no_plan_to_be_dropped(tmp_path: Path) -> None:
    path = replace_requested(tmp_path, "6", HALF)
    (path / f".hoodie/{PENDING}.replacecommit.requested").touch()
    with pytest.raises(TableError, match="is damaged in"):
        examine(TableSnapshot.open(path))


def replace_requested(folder: Path, version: str, content: bytes) -> Path:
    """Writes a table of a version beside whose write another one is requested; returns its path."""
    layout = "1" if version == "6" else "2"
    properties = {"hoodie.table.version": version, "hoodie.timeline.layout.version": layout}
    path = write_plain_table(folder / "t", [pa.table({"a": [1]})], properties=properties)
    file = write_plan(path, content, "replacecommit")
    os.utime(file, (time.time() - 61,) * 2)
    if version == "6":
        file.rename(path / ".hoodie" / file.name)
        (path / f".hoodie/{INSTANT}.commit").write_text("{}")
    return path


def test_a_plan_of_others_names_their_class(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    plan = {"inputGroups": [], "strategy": {"strategyClassName": "org.example.Theirs"}}
    write_plan(path, json.dumps({"operationType": "CLUSTER", "clusteringPlan": plan}).encode())
    told = str(pending(TableSnapshot.open(path)))
    assert "Not a plan of hudi-zorder: org.example.Theirs executes it." in told


@pytest.mark.parametrize("author", [ELSEWHERE, ""])
@pytest.mark.parametrize(("age", "executor"), [(540, "alive"), (600, "dead")])
def test_an_author_of_whom_nobody_can_tell_has_ten_minutes_to_begin(
    tmp_path: Path, author: str, age: float, executor: str
) -> None:
    plan = planned(tmp_path, author=author, age=age)
    assert (plan.executor, plan.repairable) == (executor, executor == "dead")


@pytest.mark.parametrize(("inflight", "executor"), [(False, "alive"), (True, "dead")])
def test_an_author_that_lives_may_begin_late_and_shows_then_that_it_lives(
    tmp_path: Path, inflight: bool, executor: str
) -> None:
    plan = planned(tmp_path, author=this_process(), age=3600, inflight=inflight)
    assert (plan.executor, plan.repairable) == (executor, executor == "dead")


@pytest.mark.parametrize(("age", "advised"), [(540, ""), (600, "cancel")])
def test_a_plan_is_a_person_s_to_cancel_that_its_author_does_not_begin_to_execute(
    tmp_path: Path, age: float, advised: str
) -> None:
    """Its process may have failed where it could neither take it back nor leave a sign."""
    assert verb(planned(tmp_path, author=this_process(), age=age)) == advised


def test_a_plan_that_a_restore_brought_back_is_to_be_repaired(tmp_path: Path) -> None:
    assert verb(planned(tmp_path)) == "execute"
    undone = json.dumps({"instantsToRollback": [PENDING]})
    restore = "20260104000000000"
    timeline = tmp_path / "t/.hoodie/timeline"
    (timeline / f"{restore}_20260104000001000.restore").write_text(undone)
    [plan] = pending(TableSnapshot.open(tmp_path / "t"))
    assert (plan.executor, plan.repairable) == ("none", True)
    assert f"restore {restore} has brought it back" in plan.standing


@pytest.mark.parametrize(("silent", "executor"), [(150, "alive"), (180, "dead")])
def test_an_executor_on_another_machine_is_dead_once_it_is_silent(
    tmp_path: Path, silent: float, executor: str
) -> None:
    plan = planned(tmp_path, inflight=True, heartbeat=silent)
    assert (plan.executor, plan.repairable) == (executor, executor == "dead")
