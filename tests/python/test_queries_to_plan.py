"""What a plan keeps of queries, without Spark."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import hudi_zorder as hz
from hudi_zorder.hudi.plan_content import planned_queries
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.workload import queries_to_plan
from hudi_zorder.workload.queries_from_plan import queries_of_plan
from hudi_zorder.workload.queries_to_plan import LEAST_COLUMN_WEIGHT, queries_for_plan
from hudi_zorder.workload.weighted_queries import WeightedQuery
from plain_table import write_plain_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows = pa.table(
        {
            "id": pa.array([1], pa.int64()),
            "day": pa.array([dt.date(2026, 1, 1)]),
            "amount": pa.array([Decimal("1.50")], pa.decimal128(10, 2)),
            "city": ["x"],
            "ratio": [0.5],
            "at": pa.array([dt.datetime(2026, 1, 1)], pa.timestamp("us", "UTC")),
            "flag": [True],
            "text": ["t"],
            "tiny": pa.array([1], pa.int8()),
            "single": pa.array([0.5], pa.float32()),
            "s": [{"a": 1}],
        }
    )
    return str(write_plain_table(tmp_path_factory.mktemp("asked") / "orders", [rows]))


def kept(path: str, *queries: Any, columns: Any = None) -> list[Any]:
    """The queries as a plan keeps them."""
    found = queries_for_plan(TableSnapshot.open(path), list(queries), "UTC", columns)
    document = json.loads(found.text)
    assert document["version"] == 1
    return list(document["queries"])


@pytest.mark.parametrize(
    ("condition", "boxes"),
    [
        ("day = '2026-03-01'", [{"day": [["2026-03-01"] * 2]}]),
        (
            "day >= '2026-03-01' AND day < date'2026-04-01'",
            [{"day": [["2026-03-01", "2026-03-31"]]}],
        ),
        ("amount > 1.005", [{"amount": [["1.01", None]]}]),
        ("amount < 2D", [{"amount": [[None, "1.99"]]}]),
        ("amount IN (1, 2.5)", [{"amount": [["1.00", "1.00"], ["2.50", "2.50"]]}]),
        ("city LIKE 'city1%'", [{"city": [["city1", "city2", "[)"]]}]),
        ("city IS NULL", [{"city": ["null"]}]),
        ("city IS NOT NULL", [{"city": [[None, None]]}]),
        ("NOT (city IS NULL) AND id = 3", [{"city": [[None, None]], "id": [["3", "3"]]}]),
        ("flag", [{"flag": [["true", "true"]]}]),
        ("amount <> 5", [{"amount": [[None, "4.99"], ["5.01", None]]}]),
        ("id > 5 AND id < 5 OR id = 7", [{"id": [["7", "7"]]}]),
        ("tiny IN (1, 300)", [{"tiny": [["1", "1"]]}]),
        ("tiny < 300 AND tiny > -5", [{"tiny": [["-4", None]]}]),
        ("city > '' AND city <> 'x'", [{"city": [["", "x", "()"], ["x", None, "(]"]]}]),
        ("single < 0.7 AND single > 0.5", [{"single": [["0.5", "0.7", "(]"]]}]),
        ("city LIKE 'a\xff%'", [{"city": [["a\xff", "a\u0100", "[)"]]}]),
        ("text LIKE '%x%' AND id = 3", [{"id": [["3", "3"]]}]),
        (" OR ".join(f"id = {n}" for n in range(99)), [{"id": [[str(n)] * 2 for n in range(99)]}]),
        (
            f"id IN ({', '.join(str(2 * n) for n in range(1000))})",
            [{"id": [[str(20 * n), str(20 * n + 18)] for n in range(100)]}],
        ),
        (
            "id IN (1, 3, 5, 7, 9) AND id IN (3, 4, 5, 9, 11) AND id <> 5",
            [{"id": [["3", "3"], ["9", "9"]]}],
        ),
        (
            "ratio > 1 AND amount < 1e9",
            [{"ratio": [["1.0", None, "(]"]], "amount": [[None, None]]}],
        ),
        ("city > 'a' AND length(text) = 3", [{"city": [["a", None, "(]"]]}]),
        ("ratio <= 0.5", [{"ratio": [[None, "0.5"]]}]),
        (
            "at BETWEEN timestamp'2026-01-01 00:00:00Z' AND timestamp'2026-01-01 00:10:00Z'",
            [{"at": [["2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"]]}],
        ),
        (
            "amount = 1 OR (city = 'x' AND day = '2026-03-01')",
            [
                {"amount": [["1.00", "1.00"]]},
                {"city": [["x", "x"]], "day": [["2026-03-01", "2026-03-01"]]},
            ],
        ),
        (
            "SELECT sum(amount) FROM orders o WHERE o.amount < 5 AND o.city IS NOT NULL",
            [{"amount": [[None, "4.99"]], "city": [[None, None]]}],
        ),
    ],
)
def test_what_a_plan_keeps_of_a_condition(path: str, condition: str, boxes: list[Any]) -> None:
    assert kept(path, condition) == [[1.0, *boxes]]


SCATTERED = [10_000 * n * n for n in range(60)]


@pytest.mark.parametrize(
    ("column", "spelled", "written"),
    [
        ("id", "{}", "{}"),
        ("ratio", "{}D", "{}.0"),
        ("city", "'order/{:012}'", "order/{:012}"),
    ],
)
def test_of_many_values_the_narrowest_gaps_are_closed(
    path: str, column: str, spelled: str, written: str
) -> None:
    pairs = {(written.format(value), written.format(value + 5)) for value in SCATTERED}
    values = [value + more for value in SCATTERED for more in (0, 5)]
    [[_, box]] = kept(path, f"{column} IN ({', '.join(map(spelled.format, values))})")
    assert len(box[column]) == 100
    closed = {(low, high) for low, high in box[column] if low != high}
    assert len(closed) == 20
    assert closed <= pairs


def test_of_many_alternatives_neighbours_are_covered_together(path: str) -> None:
    parts = [f"id BETWEEN {100 * n} AND {100 * n + 1} AND amount = {n}" for n in range(128)]
    [[_, *boxes]] = kept(path, " OR ".join(parts))
    assert len(boxes) == 64
    assert {
        "id": [["200", "301"]],
        "amount": [["2.00", "2.00"], ["3.00", "3.00"]],
    } in boxes
    many = " OR ".join(f"(id = {n} AND amount = {n})" for n in range(40))
    [[_, *boxes]] = kept(path, f"({many}) AND (city = 'x' OR ratio < 1 OR day = '2026-03-01')")
    assert len(boxes) == 63
    assert all({"id", "amount"} < box.keys() for box in boxes)


def test_what_only_some_of_many_alternatives_ask_is_no_box(path: str) -> None:
    parts = [f"id = {n} AND amount = {n}" for n in range(70)]
    other = " OR ".join([*parts, "upper(city) = 'X'"])
    found = queries_for_plan(TableSnapshot.open(path), [other, "id = 1"], "UTC", None)
    assert "compare no sort column with a value in all that they read" in found.notes[0]


@pytest.mark.parametrize(
    ("queries", "weights"),
    [
        (["amount = 1", "city IS NULL"], {"amount": 1.0, "city": LEAST_COLUMN_WEIGHT}),
        ([("city IS NOT NULL", 3), "amount = 1"], {"city": LEAST_COLUMN_WEIGHT, "amount": 1.0}),
        (["city IS NULL", ("city = 'x'", 2), ("amount = 1", 4)], {"amount": 1.0, "city": 0.5}),
        (["city IS NULL"], {"city": 1.0}),
    ],
)
def test_nulls_that_are_asked_for_give_the_values_of_a_column_no_weight(
    path: str, queries: list[Any], weights: dict[str, float]
) -> None:
    """One cut serves them: more would be taken from the columns whose values are asked."""
    found = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)
    assert list(found.weights.items()) == list(weights.items())


def test_equal_queries_are_one_and_idle_ones_are_counted(path: str) -> None:
    queries = [("amount = 1", 2), "amount = 1.0", ("upper(text) = 'X'", 3), ("city = 'x'", 6)]
    found = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)
    assert [query[0] for query in json.loads(found.text)["queries"]] == [1.0, 0.5]
    assert json.loads(found.text)["unit"] == 6.0
    assert found.columns == ("city", "amount")
    assert found.weights == {"city": 1.0, "amount": 0.5}
    assert found.notes == (
        "25% of the queries, by weight, compare no sort column with a value in all that they read, "
        "such as \"upper(text) = 'X'\"",
    )
    assert kept(path, *queries, columns=["AMOUNT"]) == [[1.0, {"amount": [["1.00"] * 2]}]]
    with pytest.raises(hz.PredicateError, match="none compares one of ratio with a value"):
        kept(path, *queries, columns=["ratio"])


def test_queries_are_one_in_whatever_order_their_conditions_are(path: str) -> None:
    found = kept(path, "id = 1 AND city = 'x' OR day > '2026-03-01'", "day > '2026-03-01' OR "
                 "city = 'x' AND id = 1")  # fmt: skip
    assert len(found) == 1


def test_of_long_queries_a_plan_keeps_as_many_of_the_heaviest_as_4_mb_have(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries_to_plan, "_MOST_LETTERS", 200)
    short = [("id = 1", 9), ("id = 2", 8)]
    long = [(f"city IN ('{letter * 40}', 'x')", 7 - n) for n, letter in enumerate("abc")]
    found = queries_for_plan(TableSnapshot.open(path), [*short, *long], "UTC", None)
    assert len(json.loads(found.text)["queries"]) == 3
    assert found.notes == ("2 queries of the least weight were left out of the plan",)
    # The heaviest one is kept whatever its length.
    assert len(kept(path, f"city = '{'x' * 300}'")) == 1
    at = dt.datetime(2026, 11, 21, tzinfo=dt.timezone.utc)
    twice = [WeightedQuery(text, weight, (at, at)) for text, weight in (*short, *long)]
    found = queries_for_plan(TableSnapshot.open(path), twice, "UTC", None)
    assert found.notes == ("3 queries of the least weight were left out of the plan",)


def test_a_table_is_laid_out_by_the_16_columns_that_are_asked_most(tmp_path: Path) -> None:
    rows = pa.table({"id": [1], **{f"c{number}": [1] for number in range(18)}})
    table = write_plain_table(tmp_path / "orders", [rows])
    queries = [(f"c{number} = 1", number + 1.0) for number in range(18)]
    snapshot = TableSnapshot.open(table)
    found = queries_for_plan(snapshot, queries, "UTC", None)
    assert found.columns == tuple(f"c{number}" for number in reversed(range(2, 18)))
    assert found.notes == (
        "2 columns that less is asked of were not looked at: c1, c0",
        f'2% of the queries, by weight, {IDLE}, such as "c0 = 1"',
    )
    assert len(json.loads(found.text)["queries"]) == len(found.used) == 16
    assert queries_for_plan(snapshot, queries[2:], "UTC", None).notes == ()
    by_all = queries_for_plan(snapshot, queries, "UTC", [f"c{number}" for number in range(18)])
    assert (len(by_all.used), by_all.notes) == (18, ())


IDLE = "compare no sort column with a value in all that they read"
OF_PARTITIONS = (
    "compare partition columns alone with a value in a part or all of what they read, for which no "
    "file is cut"
)
ALSO_OF_PARTITIONS = (
    "compare partition columns, too, which a plan does not keep: files are cut for them in every "
    "partition"
)


@pytest.fixture(scope="module")
def partitioned(tmp_path_factory: pytest.TempPathFactory) -> str:
    rows = pa.table({"region": ["EU"], "id": [1], "price": [1]})
    properties = {"hoodie.table.partition.fields": "region"}
    path = tmp_path_factory.mktemp("asked") / "orders"
    return str(write_plain_table(path, {"region=EU/0": rows}, properties=properties))


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("region = 'EU'", OF_PARTITIONS),
        ("Region IN ('EU', 'US') AND upper(region) = 'EU'", OF_PARTITIONS),
        ("region = 'EU' OR region = 'US' AND id = 7", OF_PARTITIONS),
        ("region = 'EU' OR id = 7", OF_PARTITIONS),
        ("region = 'EU' AND id = 7", ALSO_OF_PARTITIONS),
        ("region = 'EU' AND id = 7 OR price = 3", ALSO_OF_PARTITIONS),
        ("upper(region) = 'EU' OR id = 7", IDLE),
    ],
)
def test_conditions_on_partitions_are_told_to_be_left_out(
    partitioned: str, condition: str, why: str
) -> None:
    queries = [("id = 1", 3.0), (condition, 1.0)]
    found = queries_for_plan(TableSnapshot.open(partitioned), queries, "UTC", None)
    told = f'25% of the queries, by weight, {why}, such as "{condition}"'
    assert found.notes == (told,)


def test_a_query_on_one_partition_weighs_what_it_does_in_all(partitioned: str) -> None:
    """What the plan has is one query; that it is more of them is told."""
    queries = [("region = 'EU' AND price < 5", 9.0), ("region = 'US' AND price < 5", 1.0)]
    found = queries_for_plan(TableSnapshot.open(partitioned), queries, "UTC", None)
    assert json.loads(found.text)["queries"] == [[1.0, {"price": [[None, "4"]]}]]
    assert found.notes == (
        f'100% of the queries, by weight, {ALSO_OF_PARTITIONS}, such as "{queries[0][0]}"',
    )
    with pytest.raises(hz.PredicateError, match="a column of the table that is none of its parti"):
        queries_for_plan(TableSnapshot.open(partitioned), ["region = 'EU'"], "UTC", None)


def test_conditions_of_used_queries_that_cut_nothing_are_told_by_weight(path: str) -> None:
    queries = [("id = 1 AND upper(city) = 'X'", 3), ("amount = id AND id = 3", 2), "id < 2 + 3"]
    found = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)
    assert found.notes == (
        "83% of the queries, by weight, have conditions by which no file can be cut, such as "
        "\"UPPER(city) = 'X'\": it is no comparison of a column with a literal",
    )


def test_statements_that_cannot_be_used_are_left_out_and_counted(path: str) -> None:
    queries = [
        "SELECT * FROM orders WHERE id = 1",
        "SELECT * FROM lineitem WHERE l_tax = 2",
        "SELECT * FROM customer WHERE id = 3",
        "INSERT INTO orders VALUES (1)",
        "SELECT * FROM orders WHERE nope = 4",
        "SELECT FROM orders WHERE (",
    ]
    found = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)
    assert json.loads(found.text)["queries"] == [[1.0, {"id": [["1", "1"]]}]]
    assert [note.partition(", such as")[0] for note in found.notes] == [
        "2 statements on other tables left out",
        "1 statement without a read of a table left out",
        "2 statements left out that cannot be used",
    ]
    assert "such as on lineitem; where that is this one, write its name" in found.notes[0]
    assert '"SELECT * FROM orders WHERE nope = 4": Cannot read' in found.notes[2]


@pytest.mark.parametrize(
    ("queries", "why"),
    [
        (["SELECT * FROM v WHERE id = 1"] * 2, r"none reads the table 'orders', but v; write the"),
        (["SELECT * FROM orders WHERE nope = 1"], r"no column 'nope'.*in the query"),
        (["SHOW TABLES"], "none reads a table"),
        (["SELECT * FROM orders WHERE id = 1", "nope = 1"], "no column 'nope'"),
    ],
)
def test_a_workload_without_a_usable_query_and_a_faulty_condition_are_refused(
    path: str, queries: list[str], why: str
) -> None:
    with pytest.raises(hz.PredicateError, match=why):
        kept(path, *queries)


def test_what_asks_for_nothing_is_idle(path: str) -> None:
    queries = ["id = 1", "id > 5 AND id < 5", "tiny > 300", "text LIKE '%x%'"]
    found = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None)
    assert found.columns == ("id",)
    assert found.notes[0].startswith("75% of the queries, by weight, compare no sort column")


@pytest.mark.parametrize(("weight", "kept_as"), [(1e-7, 1e-107), (5e-324, 1e-300), (1e99, 0.1)])
def test_a_weight_stays_above_0_however_small(path: str, weight: float, kept_as: float) -> None:
    assert kept(path, ("id = 1", weight), ("id = 2", 1e100))[1][0] == kept_as


@pytest.mark.parametrize("weight", [1e-7, 3, 7_000, 123_456_788, 1e100])
def test_the_weights_of_a_plan_are_read_as_they_were_given(path: str, weight: float) -> None:
    given = [("id = 1", weight), ("id = 2", weight / 4)]
    text = queries_for_plan(TableSnapshot.open(path), given, "UTC", None).text
    assert [read for read, _ in planned_queries(text, "it")] == [weight, weight / 4]


def test_neither_a_common_factor_nor_the_order_of_times_makes_other_queries(path: str) -> None:
    days = [dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in range(1, 9)]
    for order in (days, [*days[3::-1], *days[:3:-1]]):
        queries = [WeightedQuery(f"id = {n}", 3.0 * (n + 1), (day,)) for n, day in enumerate(order)]
        found = kept(path, *queries)
        assert [part for part, _ in found] == [n / 8 for n in (4, 3, 2, 1, 8, 7, 6, 5)]


@pytest.mark.parametrize("weight", [10**400, 1e101, 0, -1, float("nan"), float("inf")])
def test_a_weight_that_cannot_be_added_up_is_refused(path: str, weight: float) -> None:
    with pytest.raises(hz.OptionError, match="write a number above 0"):
        kept(path, ("id = 1", weight))


def test_the_column_of_another_table_that_is_called_as_a_struct_of_ours_is_not_ours(
    path: str,
) -> None:
    query = "SELECT * FROM orders o JOIN s ON o.id = s.id WHERE s.a = 7 AND o.id = 3"
    assert kept(path, query) == [[1.0, {"id": [["3", "3"]]}]]
    assert kept(path, "s.a = 7") == [[1.0, {"s.a": [["7", "7"]]}]]


def test_event_logs_of_which_no_query_can_be_used_are_refused(path: str) -> None:
    logged = hz.Queries(queries=())
    with pytest.raises(hz.PredicateError, match="Cannot use event logs"):
        queries_for_plan(TableSnapshot.open(path), logged, "UTC", None)


def test_the_earlier_half_comes_first_where_times_are_known(path: str) -> None:
    """By weight alone the later ones would."""
    days = [dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in (1, 2, 3, 4)]
    queries = [WeightedQuery(f"id = {n}", n + 1, (day,)) for n, day in enumerate(days)]
    snapshot = TableSnapshot.open(path)
    told = json.loads(queries_for_plan(snapshot, queries, "UTC", None).text)
    assert told["earlier"] == 2
    assert [boxes["id"][0][0] for _, boxes in told["queries"]] == ["1", "0", "3", "2"]
    assert "earlier" not in json.loads(queries_for_plan(snapshot, ["id = 1"] * 9, "UTC", None).text)


def test_what_is_asked_in_other_words_again_was_asked_both_times(path: str) -> None:
    days = [dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in (4, 1, 2, 3, 1)]
    texts = ["id = 0", "id = 1", "id = 2", "id = 3", "id BETWEEN 0 AND 0"]
    queries = [WeightedQuery(text, 1.0, (day,)) for text, day in zip(texts, days, strict=True)]
    asked = [boxes["id"][0][0] for _, boxes in kept(path, *queries)]
    assert sorted(asked) == ["0", "0", "1", "2", "3"]


def logged_at(path: str, asked: Mapping[str, Sequence[dt.datetime]]) -> hz.Queries:
    """Predicates as an event log tells of them, each with the times at which it was asked."""
    return hz.Queries(
        queries=tuple(
            hz.LoggedQuery(
                table=path,
                names=(),
                predicate=text,
                times=len(begun),
                first=begun[0],
                last=begun[-1],
                rows=None,
                files=None,
                bytes=None,
                begun=tuple(begun),
            )
            for text, begun in asked.items()
        )
    )


def test_a_query_of_both_halves_is_written_in_each_with_its_weight_there(path: str) -> None:
    """Halves are of the times that queries were asked, not of the queries."""
    days = [dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in range(1, 31)]
    asked = {
        "id = 0": days,
        "city = 'x'": days[9:13],
        "day = '2026-01-01'": days[:1],
        "flag": days[1:2],
    }
    logged = logged_at(path, asked)
    snapshot = TableSnapshot.open(path)
    text = queries_for_plan(snapshot, logged, "UTC", None).text
    told = json.loads(text)
    written = [(next(iter(box)), round(weight * told["unit"])) for weight, box in told["queries"]]
    assert sorted(written[: told["earlier"]]) == [("city", 2), ("day", 1), ("id", 15)]
    assert sorted(written[told["earlier"] :]) == [("city", 2), ("flag", 1), ("id", 15)]
    read_back = {kept.query.text: kept.query.weight for kept in queries_of_plan(snapshot, text, 9)}
    assert read_back == {
        "id = 0": 30,
        "city = 'x'": 4,
        "day = DATE '2026-01-01'": 1,
        "flag = TRUE": 1,
    }
    assert [kept.query.weight for kept in queries_of_plan(snapshot, text, 1)] == [30]
    assert len(planned_queries(text, "a clustering")) == 4


def test_texts_that_move_on_are_of_one_template_of_which_either_half_has_its_part(
    path: str,
) -> None:
    """Else the cut were between the columns, one of which is asked before the other."""
    days = [dt.datetime(2026, 11, day, tzinfo=dt.timezone.utc) for day in range(1, 17)]
    texts = [f"city = 'c{n}'" for n in range(8)] + [f"text IN ('{n}', 't{n}')" for n in range(8)]
    logged = logged_at(path, {text: [day] for text, day in zip(texts, days, strict=True)})
    told = json.loads(queries_for_plan(TableSnapshot.open(path), logged, "UTC", None).text)
    known = [box for _, box in told["queries"][: told["earlier"]]]
    assert sorted(box["city"][0][0] for box in known if "city" in box) == ["c0", "c1", "c2", "c3"]
    assert sorted(box["text"][0][0] for box in known if "text" in box) == ["0", "1", "2", "3"]


def test_the_command_refuses_bad_queries_before_spark_starts(tmp_path: Path) -> None:
    from hudi_zorder.cli import app

    (tmp_path / "log.sql").write_text("0\ta = 1\n", encoding="utf-8")
    for verb in ("cluster", "schedule", "plan"):
        arguments = [verb, str(tmp_path), "--queries", str(tmp_path / "log.sql")]
        result = CliRunner().invoke(app, [*arguments, "--output", "json"])
        assert result.exit_code == 2
        assert "has the weight" in result.stderr or "the weight of" in result.stderr
    weighed = [*arguments[:2], "--weights", "a=2", "--queries", str(tmp_path / "good.sql")]
    (tmp_path / "good.sql").write_text("a = 1\n", encoding="utf-8")
    result = CliRunner().invoke(app, weighed)
    assert "name the columns, or leave the weights to the queries" in " ".join(
        result.stderr.split()
    )


def test_the_order_in_which_queries_are_given_decides_nothing(path: str) -> None:
    queries = [f"id = {n}" for n in range(20)] + [f"city = 'c{n}'" for n in range(20)]
    assert kept(path, *queries) == kept(path, *reversed(queries))
    found = queries_for_plan(TableSnapshot.open(path), queries[::-1], "UTC", None)
    assert found.columns == ("city", "id")


def test_a_column_of_a_join_that_a_log_has_is_none_to_sort_by(path: str) -> None:
    asked = ["id IS NOT NULL AND city = 'x'", "id IS NOT NULL"]
    snapshot = TableSnapshot.open(path)
    assert queries_for_plan(snapshot, asked, "UTC", None).columns == ("id", "city")
    at = dt.datetime(2026, 11, 21, tzinfo=dt.timezone.utc)
    logged = logged_at(path, dict.fromkeys(asked, (at,)))
    assert queries_for_plan(snapshot, logged, "UTC", None).columns == ("city",)


def test_a_query_of_which_hudi_loses_rows_is_named(path: str) -> None:
    queries = ["city LIKE 'ab%' AND id = 1", "id = 2", "city LIKE 'cd%'", "id = 3 OR city = 'LIKE'"]
    [note] = queries_for_plan(TableSnapshot.open(path), queries, "UTC", None).notes
    assert note == (
        "Hudi loses rows of 2 of the queries, whatever the layout (hudi#18791: 'city LIKE' skips a "
        "file unless the prefix 'ab' itself lies between its minimum and maximum): of "
        "\"city LIKE 'ab%' AND id = 1\"; write \"city >= 'ab' AND city < 'ac'\", or read with "
        "'hoodie.enable.data.skipping' = 'false'"
    )


@pytest.mark.parametrize(
    ("query", "noted"),
    [
        ("day LIKE '2026-01-0%'", True),
        ("at LIKE '2026%'", True),
        ("flag LIKE 't%'", True),
        ("id LIKE '1%'", False),
        ("amount LIKE '1%'", False),
        ("ratio LIKE '0%'", False),
    ],
)
def test_of_like_on_what_is_no_text_no_range_is_advised(path: str, query: str, noted: bool) -> None:
    """Spark compares a date with a date, of which '2026-01-0' is none; Hudi looks up no number."""
    notes = queries_for_plan(
        TableSnapshot.open(path), [f"{query} AND city = 'x'"], "UTC", None
    ).notes
    lost = [note for note in notes if "(hudi#18791" in note]
    assert len(lost) == noted
    assert all("AND city = 'x'\"; read with 'hoodie." in note for note in lost), lost
