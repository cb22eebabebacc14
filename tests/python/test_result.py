"""A result reads well on a terminal and turns into JSON."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hudi_zorder.clustering.foretold_shares import ForetoldShare
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
    left_alone={"laid_out": 20, "pending_compaction": 4},
    share_now=0.475,
    share_after=0.275,
    share_as_one=0.2,
    forecast=(
        ForetoldShare(kind="known", column="", tree=0.21, queries=0.1),
        ForetoldShare(kind="held_back", column="", tree=0.2, queries=0.125),
        ForetoldShare(kind="column", column="ss_cdemo_sk", tree=0.276, queries=0.3),
    ),
    seconds={"schedule": 0.44, "execute": 31.7, "total": 32.1},
    phases={"sample and fit": 3.0},
    notes=("something that is worth a line or two, and is longer than what fits on a line of 80",),
)

TEXT = """\
Clustered /data/warehouse/store_sales
by ss_customer_sk, ss_cdemo_sk
at 20261121112758640, 2 partitions, 2 groups, 32.1 s
files rewritten: 6 new, 2 other layout
left alone: 24 files, 240.0 MB: 20 laid out, 4 pending compaction
an equality reads 0.275 of a partition, was 0.475, laid out as one 0.200

                                                          before           after
files                                                          8              22
rows                                                   2,880,404       2,880,404
size                                                    193.0 MB        148.0 MB

Share of rows in files that an equality must read
ss_customer_sk                                             1.000           0.182
ss_cdemo_sk                                                1.000           0.276

 share of rows read, foretold           plain tree  cut for queries
 ──────────────────────────────────────────────────────────────────
 queries known                               0.210            0.100
 queries held back                           0.200            0.125
 equality on ss_cdemo_sk, seldom asked       0.276            0.300

This tree is cut for the known half of the queries alone, and tells what the
other half would read; files are cut for both.

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


def test_where_the_queries_are_not_followed_it_says_so() -> None:
    same = tuple(replace(share, queries=share.tree) for share in RESULT.forecast)
    assert "files are cut as without them" in " ".join(str(replace(RESULT, forecast=same)).split())
    assert "files are cut as" not in str(RESULT)
    few = str(replace(RESULT, forecast=RESULT.forecast[:1]))
    assert "The queries are too few to hold some back" in few


def test_it_is_json() -> None:
    data = json.loads(json.dumps(RESULT.to_dict()))
    assert data["after"]["overlap"]["ss_cdemo_sk"] == 0.276
    assert data["seconds"]["total"] == 32.1
    assert data["partitions"] == ["day=1", "day=2"]
    assert data["left_alone"] == {"laid_out": 20, "pending_compaction": 4}
    assert (data["share_now"], data["share_after"], data["share_as_one"]) == (0.475, 0.275, 0.2)
    held_back = {"kind": "held_back", "column": "", "tree": 0.2, "queries": 0.125}
    assert data["forecast"][1] == held_back


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


def test_what_java_foretells_is_read_field_by_field() -> None:
    told = ForetoldShare(kind="column", column="day", tree=0.5, queries=0.25)
    assert ForetoldShare.of("column\tday\t0.5\t0.25") == told
