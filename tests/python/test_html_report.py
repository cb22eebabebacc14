"""The report is valid HTML of one file, shows what the verbs print, and needs no network."""

from __future__ import annotations

import base64
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from hudi_zorder.cli import app
from hudi_zorder.errors import ColumnError, HudiZOrderError, OptionError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import CUTS, QUERIES, SORT_COLUMNS
from hudi_zorder.pictures.html_report import write_report
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from plain_table import (
    CLUSTERED,
    PENDING,
    tell_of_clustering,
    write_clustered_table,
    write_plain_table,
)

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

VOID = {"meta", "img", "br", "link"}


class Page(HTMLParser):
    """A strict reader: tags must be closed in order; texts and attributes are kept."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens a tag."""
        if tag not in VOID:
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_endtag(self, tag: str) -> None:
        """Closes the innermost tag."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Keeps a text."""
        if not self.open or self.open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All text, spaces joined."""
        return re.sub(r"\s+", " ", " ".join(self.texts))


def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_a_clustered_table(tmp_path: Path) -> None:
    table = write_clustered_table(tmp_path / "t")
    snapshot = TableSnapshot.open(table)
    write_report(snapshot, tmp_path / "r.html", ["a", "b"])
    found = page(tmp_path / "r.html")
    information = clustering_information(snapshot, ["a", "b"])
    for words in (
        f"{information.score:.2f}",
        f"{information.independent_share:.4f}",
        "3 were 2",
        CLUSTERED,
        "2 to 3",
        "Files by a and b",
        "File sizes",
        "int64 0 119 0",
    ):
        assert words in found.text
    assert len(found.links) == 4
    for link in found.links:
        kind, _, content = link.partition(";base64,")
        assert kind == "data:image/png"
        assert base64.b64decode(content, validate=True).startswith(b"\x89PNG")


def test_a_column_that_no_file_has_yet_is_told_of_without_a_picture(tmp_path: Path) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"a": [n]}) for n in range(4)])
    fields = [{"name": name, "type": "long"} for name in ("a", "new")]
    schema = json.dumps({"type": "record", "name": "t", "fields": fields})
    commit = json.dumps({"extraMetadata": {"schema": schema}})
    (path / f".hoodie/timeline/{CLUSTERED}_{CLUSTERED[:-1]}1.commit").write_text(commit)
    write_report(TableSnapshot.open(path), tmp_path / "r.html", ["a", "new"])
    text = " ".join(Page((tmp_path / "r.html").read_text()).texts)
    assert "clustered by a, new" in text
    assert "Files by" not in text


def test_it_refers_to_nothing_outside(tmp_path: Path) -> None:
    write_report(TableSnapshot.open(write_clustered_table(tmp_path / "t")), tmp_path / "r", ["a"])
    text = re.sub(r"base64,[^\"]+", "", (tmp_path / "r").read_text())
    assert re.findall(r"https?:|//[a-z]|@import|url\(|<script|<link", text) == []


def test_values_are_escaped(tmp_path: Path) -> None:
    rows = pa.table({"<i>": [1, 2], "s": ["<script>alert(1)</script>", "&amp;"]})
    table = write_plain_table(tmp_path / "<b>t", [rows, rows])
    write_report(TableSnapshot.open(table), tmp_path / "r.html", ["<i>", "s"])
    found = page(tmp_path / "r.html")
    assert "<script>alert(1)</script>" in found.text
    assert "&amp;" in found.text
    assert "<script" not in (tmp_path / "r.html").read_text()
    assert "No clustering is recorded." in found.text


def test_queries_are_shown_escaped_with_what_they_read_now(tmp_path: Path) -> None:
    names = pa.table({"s": ["<b>", "<c>"], "a": [1, 2]})
    table = write_plain_table(tmp_path / "t", [names, pa.table({"s": ["x", "y"], "a": [3, 4]})])
    query = "s = '<b>' OR a = 1"
    text = queries_for_plan(TableSnapshot.open(table), [(query, 3), ("a < 5", 2)], "UTC", None).text
    tell_of_clustering(table, {SORT_COLUMNS: "s,a", QUERIES: text})
    write_report(TableSnapshot.open(table), tmp_path / "r.html")
    assert "2 queries, stored with the last clustering." in page(tmp_path / "r.html").text
    told = "(a = 1) OR (s = '<b>') 3 0.5000 0.5000 a <= 4 2 1.0000 1.0000"
    assert told in page(tmp_path / "r.html").text
    assert "<b>" not in (tmp_path / "r.html").read_text()


def test_queries_are_counted_of_the_clustering_that_they_are_of(tmp_path: Path) -> None:
    table = write_plain_table(tmp_path / "t", [pa.table({"a": [n], "b": [0]}) for n in range(2)])
    queries = queries_for_plan(TableSnapshot.open(table), ["a = 0", "a = 1"], "UTC", None).text
    tell_of_clustering(table, {SORT_COLUMNS: "a,b", QUERIES: queries, CUTS: "tree"})
    tell_of_clustering(table, {SORT_COLUMNS: "b"}, PENDING)  # by a strategy of Hudi's
    write_report(TableSnapshot.open(table), tmp_path / "r.html")
    found = page(tmp_path / "r.html").text
    assert "2 queries, stored with the last clustering." in found
    assert "(a = 1) OR" not in found
    assert "a = 1 1 0.5000" in found


def test_what_info_says_of_upkeep_and_of_the_last_layout_is_there(tmp_path: Path) -> None:
    files = [pa.table({"a": range(n, 100 + n), "b": range(100)}) for n in range(20)]
    table = write_plain_table(tmp_path / "t", files)
    tell_of_clustering(table, {SORT_COLUMNS: "b", CUTS: "tree"})
    snapshot = TableSnapshot.open(table)
    told = clustering_information(snapshot, ["a"])
    assert told.standing
    write_report(snapshot, tmp_path / "r.html", ["a"])
    for words in (f"Upkeep: {told.upkeep}.", f"{told.standing}."):
        assert words in page(tmp_path / "r.html").text


def test_what_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = TableSnapshot.open(write_clustered_table(tmp_path / "t"))
    with pytest.raises(OptionError, match="is recorded of the table; name some with --columns"):
        write_report(snapshot, tmp_path / "r.html")  # the plan, with its columns, is not there
    with pytest.raises(ColumnError, match="there is no column 'z'"):
        write_report(snapshot, tmp_path / "r.html", ["z"])
    with pytest.raises(HudiZOrderError, match="name a file in a folder that can be written"):
        write_report(snapshot, tmp_path / "no" / "r.html", ["a"])
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(HudiZOrderError, match=r"pip install 'hudi-zorder\[plots\]'"):
        write_report(snapshot, tmp_path / "r.html", ["a"])


def test_the_command(tmp_path: Path) -> None:
    table = write_clustered_table(tmp_path / "t")
    to = tmp_path / "r.html"
    arguments = ["report", str(table), "-c", "a,b", "-o", str(to)]
    assert CliRunner().invoke(app, arguments).stdout.strip() == str(to)
    result = CliRunner().invoke(app, [*arguments, "--output", "json"])
    assert json.loads(result.stdout) == {"table": str(table), "report": str(to)}
    assert "Files by a and b" in page(to).text
