"""Which partitions queries ask for, as a plan keeps it, without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from hudi_zorder.hudi.plan_content import planned_queries
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.workload import asked_partitions
from hudi_zorder.workload.asked_partitions import AskedPartitions, with_partitions_of
from hudi_zorder.workload.drift import Drift
from hudi_zorder.workload.queries_from_plan import queries_of_plan
from hudi_zorder.workload.queries_to_plan import PlannedQueries, queries_for_plan
from plain_table import write_plain_table

ALSO_OF_PARTITIONS = (
    "compare partition columns, too, which a plan does not keep: files are cut for them in every "
    "partition"
)


def table(path: Path, values: pa.Array, generator: str = "SIMPLE") -> str:
    rows = pa.table({"region": values, "id": [1], "price": [1]})
    properties = {
        "hoodie.table.partition.fields": "region",
        "hoodie.table.keygenerator.type": generator,
    }
    return str(write_plain_table(path, {f"{values[0]}/0": rows}, properties=properties))


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table by regions, whose folders tell them."""
    return table(tmp_path_factory.mktemp("asked") / "orders", pa.array(["EU"]))


def planned(path: str, *queries: Any) -> PlannedQueries:
    return queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)


def told(path: str, *queries: Any) -> list[Any]:
    """The partitions that a plan keeps of queries."""
    found: list[Any] = json.loads(planned(path, *queries).text).get("partitions", [])
    return found


EU, US = {"region": [["EU", "EU"]]}, {"region": [["US", "US"]]}


@pytest.mark.parametrize(
    ("condition", "partitions"),
    [
        ("id = 7", []),
        ("region = 'EU' AND id = 7", [[0, 1.0, EU]]),
        (
            "REGION IN ('EU', 'US') AND id = 7",
            [[0, 1.0, {"region": [["EU", "EU"], ["US", "US"]]}]],
        ),
        ("region >= 'EU' AND id = 7", [[0, 1.0, {"region": [["EU", None]]}]]),
        ("region IS NULL AND id = 7", [[0, 1.0, {"region": ["null"]}]]),
        ("region = 'EU' AND id = 7 OR price = 3", [[0, 1.0, EU, {}]]),
        ("region = 'EU' AND id = 7 OR region = 'US' AND price = 3", [[0, 1.0, EU, US]]),
        ("region = 'EU' AND (id = 7 AND price = 2 OR price = 3)", [[0, 1.0, EU]]),
        # Nobody asks for what cannot be.
        ("region = 'EU' AND region = 'US' AND id = 7 OR price = 3", []),
    ],
)
def test_a_plan_keeps_which_partitions_a_query_asks_for(
    path: str, condition: str, partitions: list[Any]
) -> None:
    found = planned(path, condition)
    assert json.loads(found.text).get("partitions", []) == partitions
    assert found.notes == ()


def test_queries_that_are_alike_but_for_partitions_are_one_in_parts(path: str) -> None:
    """So that their layout is the same, whatever days they ask for."""
    queries = [
        ("region = 'EU' AND price < 5", 6.0),
        ("region = 'US' AND price < 5", 3.0),
        ("price < 5", 1.0),
    ]
    found = planned(path, *queries, ("id = 7", 20.0))
    document = json.loads(found.text)
    assert document["partitions"] == [[1, 0.6, EU], [1, 0.3, US]]
    alone = json.loads(planned(path, ("price < 5", 10.0), ("id = 7", 20.0)).text)
    assert document["queries"] == alone["queries"]
    assert planned(path, ("id = 7", 20.0), *reversed(queries)).text == found.text


def test_a_part_that_is_next_to_nothing_of_a_query_is_more_than_nothing(path: str) -> None:
    """For Java takes no part that is 0."""
    parts = told(path, ("region = 'EU' AND id = 7", 1e100), ("region = 'US' AND id = 7", 1e-250))
    assert parts == [[0, 1.0, EU], [0, 1e-300, US]]


@pytest.mark.parametrize(
    ("values", "generator", "condition"),
    [
        (pa.array(["EU"]), "TIMESTAMP", "region = 'EU' AND id = 7"),
        (pa.array(["EU"]), "CUSTOM", "region = 'EU' AND id = 7"),
        (pa.array([0.5]), "SIMPLE", "region = 0.5D AND id = 7"),
    ],
)
def test_conditions_on_partitions_whose_values_folders_do_not_tell_are_told_to_be_left_out(
    tmp_path: Path, values: pa.Array, generator: str, condition: str
) -> None:
    path = table(tmp_path / "t", values, generator)
    found = planned(path, condition)
    assert "partitions" not in json.loads(found.text)
    assert found.notes == (
        f'100% of the queries, by weight, {ALSO_OF_PARTITIONS}, such as "{condition}"',
    )


def test_what_only_some_partitions_ask_for_is_told_as_before(path: str) -> None:
    found = planned(path, ("region = 'EU' OR id = 7", 1.0), ("id = 1", 3.0))
    assert "compare partition columns alone with a value in a part or all" in found.notes[0]
    unclear = planned(path, "upper(region) = 'EU' AND id = 7")
    assert "have conditions by which no file can be cut" in unclear.notes[0]
    assert told(path, "upper(region) = 'EU' AND id = 7") == []


def test_what_a_plan_keeps_asks_for_the_same_partitions_again(path: str) -> None:
    snapshot = TableSnapshot.open(path)
    queries = [
        ("region = 'EU' AND price < 5", 6.0),
        ("price < 5", 2.0),
        ("region = 'EU' AND id = 7 OR region = 'US' AND price = 3", 1.0),
    ]
    found = queries_of_plan(snapshot, planned(path, *queries).text, 9)
    assert [(kept.query.text, kept.query.weight) for kept in found] == [
        ("(price <= 4) AND (region = 'EU')", 6.0),
        ("price <= 4", 2.0),
        ("((id = 7) AND (region = 'EU')) OR ((price = 3) AND (region = 'US'))", 1.0),
    ]


def test_a_plan_whose_partitions_are_damaged_is_refused(path: str) -> None:
    text = planned(path, "region = 'EU' AND id = 7").text
    for damaged in ("[[9,1.0,{}]]", "[[0,1.0,{},{}]]", "[[0]]", '[["x",1.0,{}]]', "[7]"):
        document = json.loads(text)
        document["partitions"] = json.loads(damaged)
        with pytest.raises(hz.TableError, match="has not written"):
            queries_of_plan(TableSnapshot.open(path), json.dumps(document), 9)


def test_partitions_are_no_drift_and_told_anew(path: str) -> None:
    kept = planned(path, "region = 'EU' AND id = 7", "region = 'EU' AND price = 3").text
    given = planned(path, "region = 'US' AND id = 7", "price = 4").text
    moved = planned(path, "region = 'US' AND id = 7", "region = 'US' AND price = 3").text
    assert not Drift.of(planned_queries(kept, "it"), planned_queries(moved, "it"))
    assert with_partitions_of(kept, moved) == moved
    assert with_partitions_of(kept, kept) == kept
    again = json.loads(with_partitions_of(kept, given))
    first = next(n for n, (_, box) in enumerate(again["queries"]) if "id" in box)
    assert again["queries"] == json.loads(kept)["queries"]
    assert sorted(again["partitions"]) == sorted([[first, 1.0, US], [1 - first, 1.0, EU]])


def test_partitions_are_told_of_the_boxes_that_ask_for_them_in_whatever_order(path: str) -> None:
    """An earlier version has kept boxes in the order in which a query was written."""
    condition = "region = 'EU' AND price = 3 OR region = 'US' AND id = 7"
    assert told(path, condition) == told(path, " OR ".join(reversed(condition.split(" OR "))))
    document = json.loads(planned(path, condition).text)
    [[weight, first, second]] = document["queries"]
    [[number, share, *asked]] = document["partitions"]
    kept = {"version": 1, "queries": [[weight, second, first]]}
    again = json.loads(with_partitions_of(json.dumps(kept), json.dumps(document)))
    assert again["queries"] == kept["queries"]
    assert again["partitions"] == [[number, share, *reversed(asked)]]


def test_queries_of_a_plan_without_partitions_stay_as_they_are_written(path: str) -> None:
    kept = '{"version": 1, "queries": [[2, {"id": [["7", "7"]]}]]}'
    assert with_partitions_of(kept, planned(path, "id = 7").text) == kept
    [[number, share, asked]] = json.loads(
        with_partitions_of(kept, planned(path, "region = 'EU' AND id = 7").text)
    )["partitions"]
    assert (number, share, asked) == (0, 1.0, EU)


@pytest.mark.parametrize(("limit", "most"), [("_MOST", 2), ("_MOST_LETTERS", 60)])
def test_of_many_or_long_conditions_on_partitions_those_of_the_greatest_weight_are_kept(
    path: str, monkeypatch: pytest.MonkeyPatch, limit: str, most: int
) -> None:
    monkeypatch.setattr(asked_partitions, limit, most)
    queries = [(f"region = 'R{n}' AND id = 7", float(n)) for n in range(1, 5)]
    found = planned(path, *queries)
    assert json.loads(found.text)["partitions"] == [
        [0, 0.4, {"region": [["R4", "R4"]]}],
        [0, 0.3, {"region": [["R3", "R3"]]}],
    ]
    assert found.notes == (
        "2 conditions on partition columns of the least weight were left out of the plan: files "
        "are cut for their queries in every partition",
    )


def test_nothing_is_left_out_of_few() -> None:
    few = AskedPartitions()
    few.add("[]", [{}], 1.0)
    assert few.left_out() == 0
