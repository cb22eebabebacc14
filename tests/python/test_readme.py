"""What README and manual say is so: examples run, tables and commands are the real ones."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import hudi_zorder as hz

CHECKOUT = Path(__file__).parents[2]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MANUAL = (CHECKOUT / "python/MANUAL.md").read_text(encoding="utf-8")
BOTH = README + MANUAL

# What users read, and set.
DOCUMENTS = ("README.md", "CHANGELOG.md", "python/MANUAL.md", "python/pyproject.toml")
SETTINGS = ("conf/clustering.properties", "conf/spark-defaults.conf")

# For each field a value that is not its default, to see which key it sets.
_OTHER_VALUES: Mapping[str, Any] = {
    "columns": ["b", "a"],
    "strategy": "HILBERT",
    "build": "DIRECT",
    "sample_size": 7,
    "target_file_size": 7000,
    "max_bytes_per_group": 7,
    "max_groups": 7,
    "cuts": "equal",
    "file_order": "zorder",
    "page_row_limit": 700,
    "column_weights": {"a": 2},
    "seed": 7,
    "verify": "none",
    "wait_for_writers": 5,
    "mode": "full",
    "max_bytes_per_plan": 7,
    "read_threshold": 1.2,
    "small_file_limit": 7,
    "stats_columns": ["c"],
    "z_column": "_z",
}


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", BOTH, re.MULTILINE | re.DOTALL)


def _rows(first_heading: str) -> list[list[str]]:
    """Returns the cells of a table, without its heading and ruler."""
    lines = BOTH[BOTH.index(f"| {first_heading} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]


def _anchors(text: str) -> set[str]:
    """Returns what links to the parts of a document end with."""
    headings = re.findall(r"^##+ (.*)", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_readme_is_short_and_leads_to_every_part_of_the_manual() -> None:
    assert len(README.splitlines()) <= 250
    parts = _anchors(MANUAL)
    assert set(re.findall(r"\(python/MANUAL\.md#([\w-]+)\)", README)) == parts
    assert set(re.findall(r"^- \[.*?\]\(#([\w-]+)\)", MANUAL, re.MULTILINE)) == parts
    assert set(re.findall(r"\(#([\w-]+)\)", BOTH)) <= parts


def test_the_example_has_twelve_lines() -> None:
    lines = [line for line in _blocks("python")[0].splitlines() if line]
    assert len(lines) <= 12


@pytest.mark.slow
def test_the_examples_run(
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The package does not bring them; the examples from the wheel go without pandas, too.
    for absent in ("matplotlib", "jinja2"):
        monkeypatch.setitem(sys.modules, absent, None)
    table = str(tmp_path / "orders")
    names: dict[str, Any] = {}
    first, *others = (block.replace("/tmp/orders", table) for block in _blocks("python"))
    exec(first, names)
    printed = capsys.readouterr().out
    assert "Clustered" in printed
    assert "customer" in printed
    for block in others:
        exec(block, names)
    statements = _blocks("sql")
    spark.read.format("hudi").load(table).createOrReplaceTempView("orders")
    for statement in statements:
        spark.sql(statement.replace("/tmp/orders", table)).collect()
    # The CALL wants files of the size that the table has, and finds all of them laid out.
    assert any("run_clustering" in text for text in statements)
    assert len(hz.ZOrderTable(spark, table).history()) == 1
    assert spark.read.format("hudi").load(table).count() == 200_000


def test_the_options_are_those_of_python() -> None:
    documented = {row[0]: row[2] for row in _rows("field")}
    assert list(documented) == [field.name for field in fields(hz.ZOrderOptions)]
    defaults = {
        field.name: str(field.default)
        for field in fields(hz.ZOrderOptions)
        if field.default not in (MISSING, None)
    }
    assert {name: documented[name] for name in defaults} == defaults


@pytest.mark.parametrize("row", _rows("field"), ids=lambda row: row[0])
def test_an_option_sets_the_key_beside_it(row: list[str]) -> None:
    name, key = row[:2]
    before = hz.ZOrderOptions(columns=["a", "b"]).to_dict()
    changed: dict[str, Any] = {"columns": ["a", "b"], name: _OTHER_VALUES[name]}
    after = hz.ZOrderOptions(**changed).to_dict()
    assert {k for k in after if after[k] != before.get(k)} == {key}


def test_the_readme_names_every_option() -> None:
    named = [name for row in _rows("for") for name in re.findall(r"\w+", row[1])]
    assert sorted(named) == sorted(field.name for field in fields(hz.ZOrderOptions))


def test_make_targets_exist() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z0-9-]+):", makefile, re.MULTILINE))
    named = set(re.findall(r"(?:^    |`|; )make ([a-z0-9-]+)", BOTH, re.MULTILINE))
    assert {"demo", "test", "test-all", "setup", "spark-4"} <= named <= targets


def test_verbs_exist() -> None:
    from typer.main import get_command

    from hudi_zorder.cli import app

    verbs = re.findall(r"^    (?:\$ )?hudi-zorder (\w+)", BOTH, re.MULTILINE)
    assert len(verbs) >= 4
    assert set(verbs) <= get_command(app).commands.keys()  # type: ignore[attr-defined]


def test_files_exist() -> None:
    folders = re.findall(r"^- `([\w/]+/)`", README, re.MULTILINE)
    files = [CHECKOUT / name for name in folders]
    for text, place in ((README, CHECKOUT), (MANUAL, CHECKOUT / "python")):
        links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
        files += [place / link for link in links]
    assert [file for file in files if not file.exists()] == []


def test_the_bundle_and_the_classes_are_the_right_ones(spark: SparkSession) -> None:
    from hudi_zorder.options import EXECUTION_STRATEGY, PLAN_STRATEGY
    from hudi_zorder.spark.session import HUDI_RELEASES, bundle_of

    newest = bundle_of(HUDI_RELEASES["2.12"][0], "2.12")
    assert set(re.findall(r"org\.apache\.hudi:\S+", BOTH)) == {newest}
    named = set(re.findall(r"io\.hudizorder\.\w+", BOTH))
    assert named > {EXECUTION_STRATEGY, PLAN_STRATEGY}
    jvm: Any = spark._jvm
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert sorted(loader.loadClass(name).getName() for name in named) == sorted(named)


@pytest.mark.parametrize("name", [*DOCUMENTS, *SETTINGS])
def test_nothing_is_called_best_that_correlated_columns_read_less_than(name: str) -> None:
    text = (CHECKOUT / name).read_text(encoding="utf-8")
    assert re.findall(r"(?i)\boptim(?:um|al)\b|best possible", text) == []
