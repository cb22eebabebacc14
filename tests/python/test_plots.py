"""Pictures are drawn for every type, say what they show, and refuse what they cannot draw."""

from __future__ import annotations

import datetime as dt
import math
import sys
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hudi_zorder.errors import ColumnError, HudiZOrderError, OptionError
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.pictures import plots
from hudi_zorder.pictures.html_report import write_report
from hudi_zorder.stats.clustering_information import clustering_information
from hudi_zorder.stats.footer_stats import footer_stats
from plain_table import (
    CLUSTERED,
    PENDING,
    base_file,
    write_clustered_table,
    write_plain_table,
)

pytest.importorskip("matplotlib")

DAY = dt.date(2026, 1, 1)
VALUES = {
    "i": [[1, 2], [3, 9], [5, 6]],
    "d": [[0.5, 1.5], [math.inf, 2.0], [2.5, 3.0]],
    "m": [[Decimal("1.5"), Decimal("2.5")], [Decimal(3), Decimal(4)], [Decimal(1), Decimal(9)]],
    "s": [["a", "b"], ["c" * 50, "d"], ["<&>", "z"]],
    "y": [[DAY, DAY + dt.timedelta(3)]] * 3,
    "b": [[True, False], [True, True], [False, False]],
    "x": [[b"a", b"b"], [b"c", b"d"], [b"", b"\xff"]],
    "e": [[None, None], [None, None], [None, None]],
}


@pytest.fixture
def snapshot(tmp_path: Path) -> TableSnapshot:
    files = [
        pa.table(
            {
                name: three[n] if name != "e" else pa.array(three[n], pa.int32())
                for name, three in VALUES.items()
            }
        )
        for n in range(3)
    ]
    return TableSnapshot.open(write_plain_table(tmp_path / "t", files))


def test_values_at_the_end_of_a_scale_are_drawn(tmp_path: Path) -> None:
    rows = {
        "day": [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
        "id": [10**18] * 2,
        "price": ["$5_$", "$6^$"],
        "far": [-sys.float_info.max, sys.float_info.max],
        "sentinel": [0.0, sys.float_info.max],
    }
    snapshot = TableSnapshot.open(write_plain_table(tmp_path / "t", [pa.table(rows)]))
    for x, y in (("day", "id"), ("price", "id"), ("far", "sentinel")):
        panel, _ = plots.plot_layout(snapshot, x, y, tmp_path / "p.png").axes
        [image] = panel.get_images()
        assert image.get_array().compressed().tolist() != []
        assert all(map(math.isfinite, image.get_extent()))
    write_report(snapshot, tmp_path / "r.html", ["far", "sentinel"])


@pytest.mark.parametrize("name", ["$_$", "a$^$b", "$x$"])
def test_dollars_in_names_are_no_formulas(tmp_path: Path, name: str) -> None:
    rows = pa.table({name: ["$1$", r"\$_$"], "b": [1, 2]})
    path = write_plain_table(tmp_path / "t", [rows], properties={"hoodie.table.name": name})
    snapshot = TableSnapshot.open(path)
    found = clustering_information(snapshot, [name])
    plots.plot_layout(snapshot, name, "b", tmp_path / "l.svg", None)
    plots.plot_depth(found, tmp_path / "d.svg")
    plots.plot_shares(found, tmp_path / "s.svg")
    for picture, words in (("l", name), ("l", "'$1$'"), ("d", f"{name}: average"), ("s", name)):
        assert f"<!-- {words}" in svg(tmp_path / f"{picture}.svg")


def test_a_column_that_the_earlier_layout_lacks_is_drawn_as_it_is_now(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "c")
    for number in range(3):
        file = path / base_file(f"1{number}", CLUSTERED)
        pq.write_table(pq.read_table(file).append_column("new", pa.array(range(40))), file)
    layouts = plots.layouts_of(TableSnapshot.open(path), ["a", "new"], "last")
    assert list(layouts) == ["c"]


def test_a_column_whose_type_has_changed_is_drawn_as_it_is_now(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "c")
    later = f"{PENDING}_{PENDING[:-1]}1.commit"
    (path / ".hoodie/timeline" / later).touch()
    rows = pa.table({"a": ["x", "y"], "b": [1, 2]})
    pq.write_table(rows, path / base_file("9", PENDING))
    snapshot = TableSnapshot.open(path)
    assert list(plots.layouts_of(snapshot, ["a", "b"], "last")) == ["c"]
    plots.plot_layout(snapshot, "a", "b", tmp_path / "p.png")
    write_report(snapshot, tmp_path / "r.html", ["a", "b"])
    with pytest.raises(ColumnError, match="the type of 'a' was int64 then"):
        plots.plot_layout(snapshot, "a", "b", before=CLUSTERED)


@pytest.fixture
def clustered(tmp_path: Path) -> Path:
    return write_clustered_table(tmp_path / "c")


@pytest.mark.parametrize(("x", "y"), [("i", "d"), ("m", "s"), ("y", "b"), ("x", "I")])
@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]
)
def test_layouts_of_every_type(
    snapshot: TableSnapshot, tmp_path: Path, x: str, y: str, suffix: str, start: bytes
) -> None:
    picture = tmp_path / f"p{suffix}"
    panel, _ = plots.plot_layout(snapshot, x, y, picture).axes
    assert picture.read_bytes().startswith(start)
    [outlines] = panel.collections
    infinite = sum(math.inf in three for three in VALUES[y.lower()])
    assert len(outlines.get_paths()) == len(snapshot.slices) - infinite


def svg(path: Path) -> str:
    from xml.etree import ElementTree

    text = path.read_text()
    ElementTree.fromstring(text)
    return text


def test_a_layout_before_and_after(snapshot: TableSnapshot, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    stats = footer_stats(snapshot, ["i", "d", "s"])
    plots.layout({"before": stats, "after": stats}, "i", "d", picture)
    text = svg(picture)
    for words in ("before: 3 files, 1 of unknown range", "after: 3", "depth: files that hold"):
        assert f"<!-- {words}" in text


def test_depth_and_shares(snapshot: TableSnapshot, tmp_path: Path) -> None:
    found = clustering_information(snapshot, ["i", "s"])
    plots.plot_depth(found, tmp_path / "d.svg")
    assert "<!-- share of rows -->" in svg(tmp_path / "d.svg")
    plots.plot_shares(found, tmp_path / "s.svg")
    assert f"<!-- columns {found.independent_share:.3f} -->" in svg(tmp_path / "s.svg")


def test_a_figure_is_returned_and_no_file_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_plain_table(tmp_path / "t", [pa.table({"$_$": [1, 2], "b": ["$^$", "日"]})])
    snapshot = TableSnapshot.open(path)
    found = clustering_information(snapshot, ["$_$"])
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    figures = (
        plots.plot_layout(snapshot, "$_$", "b"),
        plots.plot_depth(found),
        plots.plot_shares(found),
    )
    assert list(empty.iterdir()) == []
    for figure in figures:
        assert figure._repr_png_().startswith(b"\x89PNG")
        figure.savefig(empty / "own.png")  # dollars are no formulas for the user either


def test_what_cannot_be_drawn_is_refused(snapshot: TableSnapshot, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'path' was '.*p.gif'; end it in .png, .svg, .pdf"):
        plots.plot_layout(snapshot, "i", "d", tmp_path / "p.gif")
    with pytest.raises(ColumnError, match="'i' is named twice"):
        plots.plot_layout(snapshot, "i", "i", tmp_path / "p.png")
    with pytest.raises(ColumnError, match="ranges of both 'i' and 'e'; name columns of"):
        plots.plot_layout(snapshot, "i", "e", tmp_path / "p.png")
    with pytest.raises(ColumnError, match="no statistics of 'd'; choose one of i"):
        plots.layout({"now": footer_stats(snapshot, ["i"])}, "i", "d", tmp_path / "p.png")
    with pytest.raises(HudiZOrderError, match="name a file in a folder that can be written"):
        plots.plot_layout(snapshot, "i", "d", tmp_path / "no" / "p.png")


def test_the_layout_before_a_clustering(clustered: Path, tmp_path: Path) -> None:
    snapshot = TableSnapshot.open(clustered)
    plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg")
    text = svg(tmp_path / "p.svg")
    assert "<!-- before: 2 files" in text
    assert "<!-- now: 3 files" in text
    plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg", before=CLUSTERED)
    assert "<!-- before: 2 files" in svg(tmp_path / "p.svg")
    plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg", before=None)
    assert "before" not in svg(tmp_path / "p.svg")
    with pytest.raises(OptionError, match=f"'before' was '7'; name 'last', or .*: {CLUSTERED}"):
        plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg", before="7")


def test_what_the_cleaner_removed_is_not_drawn(clustered: Path, tmp_path: Path) -> None:
    (clustered / base_file("0")).unlink()
    snapshot = TableSnapshot.open(clustered)
    plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg")
    assert "before" not in svg(tmp_path / "p.svg")
    with pytest.raises(OptionError, match="the cleaner has removed files that it replaced"):
        plots.plot_layout(snapshot, "a", "b", tmp_path / "p.svg", before=CLUSTERED)


def test_many_columns_take_several_rows(snapshot: TableSnapshot, tmp_path: Path) -> None:
    found = clustering_information(snapshot, ["i", "s", "m", "y"])
    plots.plot_depth(found, tmp_path / "d.svg")
    assert svg(tmp_path / "d.svg").count("<!-- share of rows -->") == 2


def test_without_matplotlib_the_extra_is_named(
    snapshot: TableSnapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(HudiZOrderError, match=r"pip install 'hudi-zorder\[plots\]'"):
        plots.plot_layout(snapshot, "i", "d", tmp_path / "p.png")
