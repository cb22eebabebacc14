"""Why no plan was made, as far as a table's files and the session tell; no Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder.clustering.hudi_settings import HudiSettings
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import EXECUTION_STRATEGY, MODE
from plain_table import PENDING, write_plain_table, write_plan

REASONS = {
    "incremental": "laid out as asked, or below 'small_file_limit' no more",
    "full": "below 'small_file_limit' no more",
}
REMEDY = {"incremental": "; mode='full' lays all files out again", "full": ""}
COMPACTED = "or a compaction is pending for it"
FILTER = "hoodie.clustering.plan.partition.filter.mode"
SELECTED = "hoodie.clustering.plan.strategy.partition.selected"
PLAN = {
    "clusteringPlan": {
        "inputGroups": [{"slices": [{"partitionPath": "p=1", "fileId": "f0-0"}]}],
        "strategy": {"strategyClassName": EXECUTION_STRATEGY, "strategyParams": {}},
    }
}


def why_nothing(path: Path, mode: str, conf: dict[str, str], partitions: Sequence[str]) -> str:
    session: Any = SimpleNamespace(conf=conf)
    hudi: Any = SimpleNamespace(default_of={}.get)
    settings = HudiSettings(session, str(path), hudi, lambda: TableSnapshot.open(path))
    chosen = {FILTER: "NONE", SELECTED: ",".join(partitions)} if partitions else {}
    return settings.why_nothing({MODE: mode, **chosen}, "p > 0" if partitions else None)


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("conf", [{}, {FILTER: "RECENT_DAYS"}])
@pytest.mark.parametrize("mode", REASONS)
@pytest.mark.parametrize("partitions", [[], ["p=2"]])
def test_a_write_somewhere_is_one_reason_among_others(
    tmp_path: Path, is_written: bool, conf: dict[str, str], mode: str, partitions: list[str]
) -> None:
    path = write_plain_table(tmp_path / "t", {"p=2/0": pa.table({"a": [1]})})
    if is_written:
        (path / f".hoodie/timeline/{PENDING}.inflight").touch()
    reasons = [f"Nothing to cluster: every file is {REASONS[mode]}", COMPACTED]
    if conf and not partitions:  # whoever chooses partitions has no others left out
        reasons.append(f"or its partition is left out, as '{FILTER}' was 'RECENT_DAYS'")
    if is_written:
        reasons.append(f"or write {PENDING} is under way there: try again when it has ended")
    assert why_nothing(path, mode, conf, partitions) == ", ".join(reasons) + REMEDY[mode]


@pytest.mark.parametrize(
    ("partitions", "is_taken"), [([], True), (["p=1", "p=2"], True), (["p=2"], False)]
)
def test_a_pending_plan_is_the_reason_where_it_takes_something_of_what_was_asked(
    tmp_path: Path, partitions: list[str], is_taken: bool
) -> None:
    files = {f"p={n}/0": pa.table({"a": [n]}) for n in (1, 2)}
    path = write_plain_table(tmp_path / "t", files)
    write_plan(path, json.dumps(PLAN).encode())
    said = why_nothing(path, "incremental", {}, partitions)
    assert (f"the files are taken by pending plans ({PENDING})" in said) == is_taken
    assert (REMEDY["incremental"] in said) != is_taken
