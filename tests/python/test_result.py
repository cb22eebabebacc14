"""A result reads well on a terminal and turns into JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hudi_zorder.clustering.result import ClusteringResult, Layout
from hudi_zorder.texts import readable_size

RESULT = ClusteringResult(
    table="/data/warehouse/store_sales",
    instant="20261121112758640",
    columns=("ss_customer_sk", "ss_cdemo_sk"),
    partitions=("day=1", "day=2"),
    groups=2,
    before=Layout(
        files=8, rows=2_880_404, bytes=193 << 20, overlap={"ss_customer_sk": 1.0, "ss_cdemo_sk": 1}
    ),
    after=Layout(
        files=22,
        rows=2_880_404,
        bytes=148 << 20,
        overlap={"ss_customer_sk": 0.182, "ss_cdemo_sk": 0.276},
    ),
    taken={"new": 6, "other_layout": 2},
    files_left=24,
    bytes_left=240 << 20,
    seconds={"schedule": 0.44, "execute": 31.7, "total": 32.1},
    phases={"sample and fit": 3.0},
    notes=("something that is worth a line or two, and is longer than what fits on a line of 80",),
)

TEXT = """\
Clustered /data/warehouse/store_sales
by ss_customer_sk, ss_cdemo_sk
at 20261121112758640, 2 partitions, 2 groups, 32.1 s
files rewritten: 6 new, 2 other layout
left alone: 24 files, 240.0 MB

                                                          before           after
files                                                          8              22
rows                                                   2,880,404       2,880,404
size                                                    193.0 MB        148.0 MB

Share of rows in files that an equality must read
ss_customer_sk                                             1.000           0.182
ss_cdemo_sk                                                1.000           0.276

Seconds, those of phases summed over groups
schedule                                                                     0.4
execute                                                                     31.7
  sample and fit                                                             3.0

Note: something that is worth a line or two, and is longer than what fits on a
      line of 80."""


def test_it_prints_as_a_table() -> None:
    assert str(RESULT) == TEXT


def test_long_names_keep_to_80_columns() -> None:
    long = "c" * 300
    wide = replace(
        RESULT,
        table="/very" * 50,
        columns=(long,),
        after=replace(RESULT.after, overlap={long: 0.5}),
        notes=("/path" * 50,),
    )
    assert max(len(line) for line in str(wide).splitlines()) == 80
    assert "unknown" in str(wide)  # the overlap before, of a column not measured there


def test_it_is_json() -> None:
    data = json.loads(json.dumps(RESULT.to_dict()))
    assert data["after"]["overlap"]["ss_cdemo_sk"] == 0.276
    assert data["seconds"]["total"] == 32.1
    assert data["partitions"] == ["day=1", "day=2"]


def test_nothing_done_is_false_and_a_sentence() -> None:
    nothing = ClusteringResult(table="/t", instant=None, notes=("Nothing to cluster: why",))
    assert RESULT
    assert not nothing
    assert str(nothing) == "Nothing to cluster: why."
    assert nothing.to_dict()["after"] == {"files": 0, "rows": 0, "bytes": 0, "overlap": {}}


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.5 KB"),
        (5 << 40, "5.0 TB"),
        (5000 << 40, "5000.0 TB"),
    ],
)
def test_sizes_are_readable(size: int, text: str) -> None:
    assert readable_size(size) == text
