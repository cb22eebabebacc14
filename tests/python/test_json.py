"""The members of the JSON are those that the documentation has."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hudi_zorder.cli import app
from hudi_zorder.clustering.clustering_plan import (
    ClusteringPlan,
    FilesByReason,
    PlannedPartition,
)
from hudi_zorder.clustering.foretold_shares import ForetoldShare
from hudi_zorder.clustering.result import ClusteringResult, Layout
from hudi_zorder.clustering.verification_report import Verification
from hudi_zorder.eventlog.queries import LeftOut, LoggedQuery, Queries
from hudi_zorder.forecast.forecast_report import Forecast, ForecastRead, LayoutForecast
from hudi_zorder.hudi.clusterings import PastClustering, PendingClustering
from hudi_zorder.hudi.crash_leftovers import Repair, RepairedPlan
from hudi_zorder.hudi.upkeep import Upkeep
from hudi_zorder.recommendation.partitioning import Partitioning
from hudi_zorder.recommendation.recommendation_report import Candidate, QueryRead, Recommendation
from hudi_zorder.skipping.audit_report import Audit, DifferentFile, Fault, WronglySkipped
from hudi_zorder.skipping.skipping_report import FileReport
from hudi_zorder.stats.fit_report import QueriesFit, QueryFit
from hudi_zorder.stats.information_report import ClusteringInformation, ColumnInformation
from hudi_zorder.stats.unsafe_statistics import UnsafeColumn
from plain_table import write_clustered_table

DOCUMENT = (Path(__file__).parents[2] / "python" / "JSON.md").read_text(encoding="utf-8")
SECTIONS = {
    "explain": (Audit, WronglySkipped, DifferentFile, Fault, FileReport),
    "info": (ClusteringInformation, Upkeep, ColumnInformation, QueriesFit, QueryFit),
    "history, pending": (PastClustering, PendingClustering),
    "repair": (Repair, RepairedPlan),
    "verify": (Verification,),
    "cluster, execute": (ClusteringResult, Layout, ForetoldShare),
    "plan": (ClusteringPlan, FilesByReason, PlannedPartition, UnsafeColumn),
    "forecast": (Forecast, LayoutForecast, ForecastRead),
    "recommend": (Recommendation, Candidate, QueryRead, Partitioning),
    "queries": (Queries, LoggedQuery, LeftOut),
}


def documented(section: str) -> list[list[str]]:
    """The members in each table of a section."""
    text = DOCUMENT.split(f"\n## {section}\n")[1].split("\n## ")[0]
    tables = text.split("| member | meaning |")[1:]
    rows = (re.findall(r"^\| (.+?) \| ", table, re.MULTILINE) for table in tables)
    return [[name for row in found for name in re.findall(r"`(\w+)`", row)] for found in rows]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_member_of_an_object_is_documented(section: str) -> None:
    expected = [[field.name for field in dataclasses.fields(kind)] for kind in SECTIONS[section]]
    assert documented(section)[-len(expected) :] == expected


@pytest.mark.parametrize(
    ("section", "arguments"),
    [("stats", ["stats"]), ("explain", ["explain", "a = 5"]), ("info", ["info", "--columns", "a"])],
)
def test_the_command_line_prints_the_documented_members(
    tmp_path: Path, section: str, arguments: list[str]
) -> None:
    path = str(write_clustered_table(tmp_path / "t"))
    command, *others = arguments
    run = CliRunner().invoke(app, [command, path, *others, "--output", "json"])
    assert run.exit_code == 0, run.output
    document = json.loads(run.stdout)
    assert list(document) == documented(section)[0]
    for file in document.get("per_file", ()):
        assert list(file) == documented(section)[-1]
