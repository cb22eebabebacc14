"""Why no plan was made, as far as a table's files and the session tell; no Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder.clustering.hudi_settings import HudiSettings
from hudi_zorder.hudi.snapshot import TableSnapshot
from plain_table import PENDING, write_plain_table

LAID_OUT = (
    "Nothing to cluster: every file is laid out as asked, or below 'small_file_limit' no more"
)
COMPACTED = "or a compaction is pending for it"
FILTER = "hoodie.clustering.plan.partition.filter.mode"


@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("chosen", [{}, {FILTER: "RECENT_DAYS"}])
def test_a_write_somewhere_is_one_reason_among_others(
    tmp_path: Path, is_written: bool, chosen: dict[str, str]
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [1]})])
    if is_written:
        (path / f".hoodie/timeline/{PENDING}.inflight").touch()
    session: Any = SimpleNamespace(conf=chosen)
    hudi: Any = SimpleNamespace(default_of={}.get)
    settings = HudiSettings(session, str(path), hudi, lambda: TableSnapshot.open(path))
    reasons = [LAID_OUT, COMPACTED]
    if chosen:
        reasons.append(f"or its partition is left out, as '{FILTER}' was 'RECENT_DAYS'")
    if is_written:
        reasons.append(f"or write {PENDING} is under way there: try again when it has ended")
    assert settings.why_nothing({}) == ", ".join(reasons)
