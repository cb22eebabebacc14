"""What a plan says, from the lines that Java tells it in; no Spark."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import hudi_zorder as hz
from hudi_zorder import options as keys
from hudi_zorder.clustering.attempts import unplanned
from hudi_zorder.clustering.clustering_plan import REASONS
from hudi_zorder.clustering.fixed_options import refuse_others
from hudi_zorder.clustering.plan_lines import plan_of
from hudi_zorder.spark._jvm.write_client import PlanLine

JAVA = Path(__file__).parents[2] / "java/src/main/java/io/hudizorder"
MB = 1 << 20


def line(partition: str, ids: str, files: int, **metrics: float) -> PlanLine:
    """Returns a line as ``UnwrittenPlan.describe`` writes it; dots in names are written as __."""
    own = (
        f"hoodie.clustering.zorder.{name.replace('__', '.')}={number:.1f}"
        for name, number in metrics.items()
    )
    return PlanLine.of("\t".join([str(files), ids, ",".join([*own, "TOTAL_IO=1"]), partition]))


def taken(partition: str, files: int, gain: int) -> list[PlanLine]:
    """A partition of 100 MB, of which some files are new and read as a whole."""
    new, old = files * 10 * MB, 100 * MB - files * 10 * MB
    ids = ",".join(f"f{n}" for n in range(files))
    both = {
        "bytes__in__all": 100 * MB,
        "read__in__all": new + old / 4,
        "read__as__one": 20 * MB,
    }
    group = line(
        partition,
        ids,
        files,
        files__new=files,
        bytes__new=new,
        read__now=new,
        read__after=new - gain,
        bytes=new,
        **both,
    )
    rest = line(
        partition,
        "",
        0,
        files__laid_out=10 - files,
        bytes__laid_out=old,
        **both,
    )
    return [group, rest]


UNTOUCHED = line("day=3", "", 0, files__laid_out=10, bytes__laid_out=100 * MB)
PLAN = plan_of(
    "/lake/orders",
    ["customer", "price"],
    "incremental",
    [*taken("day=1", 2, 10 * MB), *taken("day=2", 4, 30 * MB), UNTOUCHED],
)

TEXT = """\
Plan for /lake/orders
by customer, price, mode incremental; nothing was written
To rewrite: 6 files into 6, 60.0 MB, in 2 groups
  6  60.0 MB  new: no clustering has laid them out
Left alone: 24 files, 240.0 MB
  24  240.0 MB  laid out: to rewrite them gains too little for their bytes

 partition     why     files     size    now  after  as one
 ──────────────────────────────────────────────────────────
 day=2         4 new  4 to 4  40.0 MB  0.550  0.250   0.200
 day=1         2 new  2 to 2  20.0 MB  0.400  0.300   0.200

 2 partitions         6 to 6  60.0 MB  0.475  0.275   0.200

Now, after and as one are the shares that an equality on a sort column reads of
a partition, in the mean: as it is, by this plan, and were all of it laid out as
one, for columns that are independent. They are estimated by the ranges of
files."""


def test_the_partition_that_gains_most_comes_first() -> None:
    assert str(PLAN) == TEXT
    assert [part.partition for part in PLAN.partitions] == ["day=2", "day=1", "day=3"]
    assert PLAN


def test_of_many_partitions_the_rest_is_summed_up() -> None:
    lines = [part for day in range(30) for part in taken(f"day={day}", 1, MB)]
    text = str(plan_of("/t", ["a"], "incremental", lines))
    assert len(re.findall(r"day=\d", text)) == 20
    assert "and 10 more partitions with 10 files, 100.0 MB" in text
    assert "30 partitions" in text
    assert max(map(len, text.splitlines())) <= 80


def test_a_plan_without_groups_is_false_and_says_why() -> None:
    busy = line("day=4", "", 0, files__write_under_way=2, bytes__write_under_way=MB)
    nothing = plan_of("/t", ["a"], "incremental", [UNTOUCHED, busy])
    assert not nothing
    assert nothing.share_now is None
    assert [(part.reason, part.files) for part in nothing.left_alone] == [
        ("laid_out", 10),
        ("write_under_way", 2),
    ]
    assert "Nothing to cluster.\nLeft alone: 12 files, 101.0 MB\n" in str(nothing)
    unwritten = hz.ClusteringPlan(table="/t", columns=("a",), mode="full", notes=("Nothing: why",))
    assert str(unwritten).splitlines()[-1] == "Nothing: why."


def test_it_is_json_and_a_table_of_partitions() -> None:
    document = json.loads(json.dumps(PLAN.to_dict()))
    assert document["taken"] == [{"reason": "new", "files": 6, "bytes": 60 * MB}]
    assert document["file_groups"][0] == ["day=1", "f0"]
    assert document["partitions"][2]["left_alone"] == {"laid_out": 10}
    rows = PLAN.to_arrow().to_pylist()
    assert [(row["partition"], row["files"], row["share_now"]) for row in rows] == [
        ("day=2", 4, 0.55),
        ("day=1", 2, 0.4),
        ("day=3", 0, None),
    ]


def test_every_reason_of_java_has_its_words() -> None:
    source = (JAVA / "plan/upkeep/FileReason.java").read_text(encoding="utf-8")
    names = re.findall(r"^  ([A-Z_]+)[,;]$", source, re.MULTILINE)
    assert [name.lower() for name in names] == list(REASONS)
    assert all(reason in (hz.FilesByReason.__doc__ or "") for reason in REASONS)


STORED = {  # as Java's ZOrderOptions.toPlanParameters and PlannerConfig.parameters have it
    keys.PLAN_VERSION: "0.1.0",
    keys.SORT_COLUMNS: "b,a.c",
    keys.STRATEGY: "ZORDER",
    keys.BUILD: "SAMPLE",
    keys.SAMPLE_SIZE: "200000",
    keys.TARGET_FILE_SIZE: "1048576",
    keys.SMALL_FILE_LIMIT: str(2**63 - 1),
    keys.CUTS: "tree",
    keys.FILE_ORDER: "tiles",
    keys.PAGE_ROW_LIMIT: "20000",
    keys.SEED: "-4",
    keys.VERIFY: "count",
    keys.MODE: "incremental",
    keys.MAX_BYTES_PER_PLAN: str(2**63 - 1),
    keys.READ_THRESHOLD: "1.5",
    keys.WAIT_FOR_WRITERS: "600",
    keys.COLUMN_WEIGHTS: "b=2.0,a.c=1.0",
    keys.QUERIES: "none",
    keys.Z_COLUMN: "",
}
BY_Z_COLUMN = {
    **STORED,
    keys.SORT_COLUMNS: "_z",
    keys.STRATEGY: "LINEAR",
    keys.CUTS: "equal",
    keys.COLUMN_WEIGHTS: "_z=1.0",
}


def test_an_execution_may_be_given_what_its_plan_has() -> None:
    options = hz.ZOrderOptions(
        columns=["b", "a.c"], target_file_size="1MB", seed=-4, column_weights={"b": 2}
    )
    spelt = {
        keys.SORT_COLUMNS: " B, a.c",
        keys.STRATEGY: "z-order",
        keys.READ_THRESHOLD: "1.50",
        keys.COLUMN_WEIGHTS: "a.c:1;b:2.00",
        keys.Z_COLUMN: "",
    }
    for given in (options.to_dict(), spelt, {keys.INLINE: "true"}):
        refuse_others("7", STORED, given)
    hilbert = {**STORED, keys.STRATEGY: "HILBERT", keys.FILE_ORDER: "hilbert"}
    refuse_others("7", hilbert, {keys.FILE_ORDER: "auto"})
    by_z = hz.ZOrderOptions(columns=["b", "c"], z_column="_z", target_file_size="1MB", seed=-4)
    refuse_others("7", BY_Z_COLUMN, by_z.to_dict())
    # A plan of Hudi's own leaves all but its columns to whoever executes it.
    refuse_others("7", {keys.SORT_COLUMNS: "b"}, {keys.STRATEGY: "LINEAR", keys.VERIFY: "none"})


def test_an_executor_is_told_what_the_plan_of_another_class_does_not_store() -> None:
    options = hz.ZOrderOptions(columns=["b"], strategy="HILBERT", verify="content")
    others = {keys.PLAN_CLASS: "any.Other", keys.SEED: "3"}
    told = unplanned(options, others)
    assert (told[keys.STRATEGY], told[keys.VERIFY], told[keys.SEED]) == ("HILBERT", "content", "3")
    assert keys.EXECUTION_CLASS not in told
    assert keys.STRATEGY not in unplanned(options, {})


@pytest.mark.parametrize(
    ("key", "other"),
    [
        (keys.SORT_COLUMNS, "a.c,b"),
        (keys.STRATEGY, "LINEAR"),
        (keys.BUILD, "DIRECT"),
        (keys.SAMPLE_SIZE, "5"),
        (keys.TARGET_FILE_SIZE, "2MB"),
        (keys.SMALL_FILE_LIMIT, "9"),
        (keys.FILE_ORDER, "hilbert"),
        (keys.SEED, "4"),
        (keys.MODE, "full"),
        (keys.MAX_BYTES_PER_PLAN, str(2**63 - 2)),
        (keys.READ_THRESHOLD, "1.6"),
        (keys.COLUMN_WEIGHTS, "b=5"),
        (keys.COLUMN_WEIGHTS, "b"),
        (keys.QUERIES, '{"queries": []}'),
        (keys.Z_COLUMN, "_z"),
    ],
)
def test_an_execution_is_refused_what_its_plan_has_otherwise(key: str, other: str) -> None:
    with pytest.raises(hz.OptionError, match=re.escape(f"'{key}' was '{other}'")):
        refuse_others("7", STORED, {key: other})
