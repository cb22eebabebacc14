"""Whether upkeep keeps to the queries that a table is laid out for, without Spark."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hudi_zorder.clustering import layout_choice
from hudi_zorder.clustering.given_layout import GivenLayout
from hudi_zorder.clustering.layout_choice import LayoutChoice
from hudi_zorder.commands import call, command
from hudi_zorder.errors import OptionError, TableError
from hudi_zorder.hudi.history import clustered_columns
from hudi_zorder.hudi.last_layout import completed, is_same_layout
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import (
    COLUMN_WEIGHTS,
    CUTS,
    MODE,
    NO_QUERIES,
    QUERIES,
    SEED,
    SORT_COLUMNS,
    STRATEGY,
    TARGET_FILE_SIZE,
    Z_COLUMN,
    ZOrderOptions,
)
from hudi_zorder.simulation.whole_table import advised
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from hudi_zorder.workload.weighted_queries import WeightedQuery
from plain_table import tell_of_clustering, write_plain_table

ASKED = {f"a = {n}": 10.0 + n for n in range(10)} | {f"b = {n} AND a > 3": 5.0 for n in range(10)}
KEPT = "its layout is kept"


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A table that was never clustered."""
    rows = pa.table({"a": [1], "b": [1], "c": [1], "s": ["x"]})
    monkeypatch.setattr(layout_choice, "session_time_zone", lambda _: "UTC")
    return str(write_plain_table(tmp_path / "t", [rows]))


def chosen(path: str, queries: Any, columns: Any = None, **fields: Any) -> LayoutChoice:
    hudi_options = fields.pop("hudi_options", None)
    spark: Any = None
    snapshot = TableSnapshot.open(path)
    given = GivenLayout.of(columns, None, fields, hudi_options)
    return LayoutChoice.of(spark, snapshot, queries, given)


def laid_out(path: str, queries: Any, columns: Any = None, **fields: Any) -> LayoutChoice:
    """Lets the timeline tell of a clustering for queries."""
    choice = chosen(path, queries, columns, **fields)
    tell_of_clustering(path, config(choice))
    return choice


def config(choice: LayoutChoice) -> dict[str, str]:
    return {**choice.options.to_dict(), **choice.settings}


def is_kept(before: LayoutChoice, after: LayoutChoice) -> bool:
    alike = is_same_layout(config(before), config(after))
    return alike and after.settings[QUERIES] == before.settings[QUERIES]


def moved(queries: dict[str, float]) -> dict[str, float]:
    """The same a day later: some counts are others, and one day's values have moved on."""
    later = {text: weight + (n % 3) / 2 for n, (text, weight) in enumerate(queries.items())}
    later["a = 10"] = later.pop("a = 0")
    return later


@pytest.mark.parametrize("columns", [None, ["b", "a"]])
def test_a_day_s_counts_make_no_other_layout(path: str, columns: Any) -> None:
    before = laid_out(path, ASKED, columns)
    after = chosen(path, moved(ASKED), columns)
    assert is_kept(before, after)
    [note] = after.notes
    assert KEPT in note
    assert "mode full lays the table out for these" in note


@pytest.mark.parametrize(
    "asked",
    [
        dict(reversed(ASKED.items())),
        {text: 3 * weight for text, weight in ASKED.items()},
        {text: weight / 7 for text, weight in ASKED.items()},
    ],
)
def test_neither_the_order_nor_a_common_factor_is_worth_a_word(path: str, asked: Any) -> None:
    before = laid_out(path, ASKED)
    after = chosen(path, asked)
    assert is_kept(before, after)
    assert after.notes == ()


def test_a_layout_that_an_earlier_version_has_planned_is_kept_as_it_was_written(path: str) -> None:
    choice = chosen(path, ASKED)
    document = json.loads(choice.settings[QUERIES])
    unit = document.pop("unit")
    document["queries"] = [[part * unit, *boxes] for part, *boxes in document["queries"]]
    text = json.dumps(document)
    tell_of_clustering(path, {**config(choice), QUERIES: text})
    assert chosen(path, ASKED).settings[QUERIES] == text


@pytest.mark.parametrize(
    ("asked", "whole", "templates"),
    [
        ({"c = 5": 1.0}, "100.0%", "100.0%"),
        ({**ASKED, "c = 5": 40.0}, "17.0%", "17.0%"),
        ({text.replace("= ", "= 9"): weight for text, weight in ASKED.items()}, "100.0%", "0.0%"),
    ],
)
def test_other_queries_are_another_layout_and_a_note_tells_how_far_they_are(
    path: str, asked: dict[str, float], whole: str, templates: str
) -> None:
    laid_out(path, ASKED)
    after = chosen(path, asked)
    text = queries_for_plan(TableSnapshot.open(path), asked, "UTC", None).text
    assert after.settings[QUERIES] == text
    assert after.notes == (
        f"of the queries, by weight, {whole} are others than those of the last clustering, "
        f"{templates} whatever their literals: files that are laid out for those are taken as of "
        "another layout",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "full"},
        {"hudi_options": {"hoodie.clustering.zorder.mode": "FULL"}},
        {"target_file_size": "1MB"},
        {"hudi_options": {TARGET_FILE_SIZE: "77777"}},
        {"build": "DIRECT"},
        {"columns": ["a", "b"]},
        {"columns": ["b", "a"], "column_weights": {"a": 2}},
    ],
)
def test_the_queries_given_are_taken_with_mode_full_and_by_another_layout(
    path: str, fields: dict[str, Any]
) -> None:
    laid_out(path, ASKED, ["b", "a"])
    later = moved(ASKED)
    after = chosen(path, later, **{"columns": ["b", "a"], **fields})
    text = queries_for_plan(TableSnapshot.open(path), later, "UTC", ["a", "b"]).text
    assert (after.settings[QUERIES], after.notes) == (text, ())


@pytest.mark.parametrize(
    "chosen_once",
    [
        {"target_file_size": "1MB"},
        {"strategy": "HILBERT"},
        {"build": "DIRECT", "seed": 7},
        {"sample_size": 5_000},
    ],
)
def test_what_is_not_given_beside_queries_is_as_the_last_clustering_had_it(
    path: str, chosen_once: dict[str, Any]
) -> None:
    before = laid_out(path, ASKED, **chosen_once)
    after = chosen(path, moved(ASKED))
    assert is_kept(before, after)
    weights = after.options.column_weights
    assert replace(before.options, column_weights=weights) == after.options


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({"z_column": "_z"}, Z_COLUMN),
        ({"z_column": "_z", "columns": ["a", "b"]}, Z_COLUMN),
        ({"strategy": "LINEAR"}, STRATEGY),
        ({"hudi_options": {STRATEGY: "linear"}}, STRATEGY),
        ({"cuts": "equal", "columns": ["a", "b"]}, CUTS),
    ],
)
def test_queries_beside_a_layout_that_is_cut_for_none_are_refused(
    path: str, fields: dict[str, Any], key: str
) -> None:
    with pytest.raises(OptionError, match=f"'{key}' was '.*', by which files are cut for no query"):
        chosen(path, ASKED, **fields)
    if "hudi_options" not in fields:
        fields = {"columns": ["a", "b"], **fields}
        laid_out(path, None, **fields)
        assert chosen(path, [], **fields).settings == {QUERIES: NO_QUERIES}


def test_queries_on_columns_whose_last_layout_is_cut_for_none_say_how_to_have_another(
    path: str,
) -> None:
    laid_out(path, None, ["b", "a"], strategy="LINEAR")
    with pytest.raises(OptionError, match="write 'ZORDER', or leave the queries out"):
        chosen(path, ASKED, ["b", "a"])
    assert chosen(path, ASKED, ["b", "a"], strategy="ZORDER").settings[QUERIES] != NO_QUERIES


def test_other_queries_lead_over_to_files_of_the_same_size(path: str) -> None:
    laid_out(path, ASKED, target_file_size="1MB")
    of_others = chosen(path, ["c = 1"])
    assert (of_others.options.columns, of_others.options.target_file_size) == (("c",), 1 << 20)
    assert chosen(path, ["c = 1"], target_file_size="2MB").options.target_file_size == 2 << 20
    full = chosen(path, ASKED, mode="full")
    assert full.options.target_file_size == 1 << 20


def test_queries_written_out_by_hand_are_taken_as_they_are(path: str) -> None:
    laid_out(path, ASKED)
    after = chosen(path, moved(ASKED), hudi_options={QUERIES: "none"})
    assert (after.settings[QUERIES], after.notes) == ("none", ())


def test_a_table_that_was_clustered_for_no_queries_is_led_over(path: str) -> None:
    tell_of_clustering(path, ZOrderOptions(columns=["a", "b"]).to_dict())
    after = chosen(path, ASKED, ["a", "b"])
    assert after.settings[QUERIES] != "none"
    assert after.notes == ()


OF_MORE_COLUMNS = {f"a = {n} AND c > 3": 1.0 + n for n in range(10)}


def test_queries_that_ask_further_columns_are_the_same_without_columns_named(path: str) -> None:
    """The plan keeps of them what they ask of its columns, as they are compared with it."""
    before = laid_out(path, OF_MORE_COLUMNS, ["a", "b"])
    for columns in (None, ["a", "b"]):
        after = chosen(path, OF_MORE_COLUMNS, columns)
        assert is_kept(before, after)
        assert after.notes == ()


def test_queries_that_ask_none_of_the_last_columns_are_others(path: str) -> None:
    laid_out(path, OF_MORE_COLUMNS, ["a", "b"])
    few = chosen(path, {**OF_MORE_COLUMNS, "c = 1": 5.0})
    assert few.options.columns == ("a", "b")
    assert any("8.3% are others" in note and KEPT in note for note in few.notes)
    many = chosen(path, {**OF_MORE_COLUMNS, "c = 1": 10.0})
    assert many.options.columns == ("c", "a")
    assert many.notes[-1].startswith("of the queries, by weight, 15.4% are others")
    all_of_them = chosen(path, ["c = 1"])
    assert all_of_them.options.columns == ("c",)
    assert all_of_them.notes[-1].startswith("of the queries, by weight, 100.0% are others")


@pytest.mark.parametrize(
    ("written", "again"),
    [
        ("a = {} AND b > 3", "b > 3 AND a = {}"),
        ("a = {} OR b > 3", "b > 3 OR a = {}"),
        ("a = {} AND b > 3 OR b < 2 AND a = 7", "a = 7 AND b < 2 OR b > 3 AND a = {}"),
    ],
)
def test_the_order_of_conditions_makes_no_other_query(path: str, written: str, again: str) -> None:
    before = laid_out(path, [written.format(n) for n in range(10)])
    asked = [again.format(n) for n in range(10)]
    after = chosen(path, asked)
    assert is_kept(before, after)
    assert after.notes == ()
    # A plan that an earlier version has made has it as it was written.
    document = json.loads(before.settings[QUERIES])
    document["queries"] = [
        [weight, *(dict(reversed(box.items())) for box in reversed(boxes))]
        for weight, *boxes in document["queries"]
    ]
    text = json.dumps(document)
    tell_of_clustering(path, {**config(before), QUERIES: text}, "20260102000001000")
    kept = chosen(path, asked)
    assert (kept.settings[QUERIES], kept.notes) == (text, ())


def test_drift_adds_up_until_the_table_is_laid_out_anew(path: str) -> None:
    """It is measured from what the files are cut for, however near each day is to the last."""
    laid_out(path, {"a = 1": 100, "b = 1": 1})
    kept = [
        KEPT in " ".join(chosen(path, {"a = 1": 100 - n, "b = 1": 1 + n}).notes)
        for n in range(1, 20)
    ]
    assert kept == [True] * 10 + [False] * 9


@pytest.mark.parametrize("condition", ["a = {}", "s = 'city{}'", "s IN ('city{}', 'Rome')"])
def test_other_values_of_one_template_are_drift_of_literals_alone(
    path: str, condition: str
) -> None:
    asked = {condition.format(n): 1.0 for n in range(10)}
    later = {text.replace("8", "18").replace("9", "19"): weight for text, weight in asked.items()}
    before = laid_out(path, asked)
    after = chosen(path, later)
    assert is_kept(before, after)
    [note] = after.notes
    assert note.startswith("of the queries, by weight, 20.0% are others")
    assert ", 0.0% whatever their literals: its layout is kept" in note


def test_times_that_move_on_are_no_drift(path: str) -> None:
    days = [datetime(2026, 11, 1 + n, tzinfo=timezone.utc) for n in range(10)]
    before, asked = (
        [WeightedQuery(f"a = {n}", 1.0, (day,)) for n, day in enumerate(order)]
        for order in (days, days[::-1])
    )
    texts = laid_out(path, before).settings[QUERIES], chosen(path, asked).settings[QUERIES]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["earlier"] == 5


WEIGHED = {
    "column_weights": {"a": 1.0, "b": 0.33},
    "strategy": "HILBERT",
    "target_file_size": "1MB",
}


def test_naming_the_last_columns_keeps_weights_and_queries(path: str) -> None:
    before = laid_out(path, ASKED, ["a", "b"], **WEIGHED)
    after = chosen(path, None, ["A", "b"])
    assert is_kept(before, after)
    [told] = after.told
    assert "'hoodie.clustering.zorder.column.weights' was 'b=0.33'" in told
    assert "last clustering by these columns" in told


def test_options_as_a_whole_leave_nothing_open_but_weights(path: str) -> None:
    laid_out(path, ASKED, ["a", "b"], **WEIGHED)
    spark: Any = None
    options = ZOrderOptions(columns=["a", "b"])
    given = GivenLayout.of(None, options, {}, None)
    after = LayoutChoice.of(spark, TableSnapshot.open(path), None, given)
    assert after.options.column_weights == {"b": 0.33}
    assert after.options.strategy == "ZORDER"


@pytest.mark.parametrize(
    ("columns", "fields", "weights"),
    [
        (["a", "b"], {"column_weights": {"a": 1, "b": 1}}, {"a": 1, "b": 1}),
        (["b", "a"], {}, {}),
        (["a", "b"], {"z_column": "_z"}, {}),
        (["a", "b"], {"hudi_options": {SORT_COLUMNS: "c"}}, {}),
    ],
)
def test_what_is_given_or_of_other_columns_stands(
    path: str, columns: Any, fields: Any, weights: Any
) -> None:
    laid_out(path, None, ["a", "b"], **WEIGHED)
    after = chosen(path, None, columns, **fields)
    assert after.options.column_weights == weights


@pytest.mark.parametrize(
    ("by_key", "fields"),
    [
        ({SORT_COLUMNS: "A, b"}, {"columns": ["A", "b"]}),
        ({COLUMN_WEIGHTS: "a:3;b:1", SORT_COLUMNS: "a,b"}, {"column_weights": {"a": 3, "b": 1}}),
        ({STRATEGY: " linear "}, {"strategy": "linear"}),
        ({Z_COLUMN: "_z", SORT_COLUMNS: "a,b"}, {"columns": ["a", "b"], "z_column": "_z"}),
        (
            {MODE: "FULL", TARGET_FILE_SIZE: "5000000"},
            {"mode": "full", "target_file_size": 5000000},
        ),
    ],
)
@pytest.mark.parametrize("queries", [None, ASKED])
def test_a_layout_by_keys_is_the_one_by_fields(
    path: str, by_key: dict[str, str], fields: dict[str, Any], queries: Any
) -> None:
    laid_out(path, None, ["a", "b"], **WEIGHED)
    named = {"columns": ["a", "b"]} if "column_weights" in fields else {}

    def outcome(**given: Any) -> object:
        try:
            return chosen(path, queries, **given)
        except OptionError as refused:
            return str(refused)

    assert outcome(hudi_options=by_key) == outcome(**named, **fields)


def test_a_z_column_by_its_key_goes_on_with_that_of_the_table(path: str) -> None:
    wanted = ZOrderOptions(columns=["a", "b"], z_column="_z")
    tell_of_clustering(path, {**wanted.to_dict(), SORT_COLUMNS: "_z"})
    properties = Path(path, ".hoodie/hoodie.properties")
    definition = json.dumps({"name": "_z", "columns": ["a", "b"]}).replace(":", r"\:")
    properties.write_text(f"{properties.read_text()}\nhoodie.table.zorder.z.column={definition}\n")
    for fields in ({}, {"hudi_options": {Z_COLUMN: "_z"}}, {"z_column": "_z"}):
        options = chosen(path, None, **fields).options
        assert (options.columns, options.z_column) == (("a", "b"), "_z")
    assert chosen(path, None, hudi_options={Z_COLUMN: ""}).options.z_column is None


def test_a_key_beside_options_as_a_whole_wins(path: str) -> None:
    options = ZOrderOptions(columns=["a"], seed=3)
    given = GivenLayout.of(None, options, {}, {SORT_COLUMNS: "b", "hoodie.any": True})
    assert given.options() == replace(options, columns=["b"])
    assert given.settings == {"hoodie.any": "true"}


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        (SEED, "x", "'seed' was 'x'; write a whole number"),
        (COLUMN_WEIGHTS, "a", "'column_weights' was 'a'; write column_weights="),
        (TARGET_FILE_SIZE, "-1", "'target_file_size' was '-1'; write a positive number"),
    ],
)
def test_a_value_of_a_key_that_cannot_be_read_is_refused(
    path: str, key: str, text: str, told: str
) -> None:
    with pytest.raises(OptionError, match=told):
        chosen(path, None, ["a"], hudi_options={key: text})


def test_a_recommended_command_tells_weights_that_would_else_be_the_last_ones(path: str) -> None:
    laid_out(path, None, ["a", "b"], **WEIGHED)
    wanted = ZOrderOptions(columns=["a", "b"], target_file_size="1MB")
    bare = completed(TableSnapshot.open(path), ZOrderOptions(columns=["a", "b"]), ())
    assert command("t", wanted, bare=bare) == (
        "hudi-zorder cluster t --columns a,b --strategy ZORDER --weights a=1,b=1"
    )
    assert call(wanted, None, {}, bare=bare) == (
        "table.cluster(columns=['a', 'b'], strategy='ZORDER', column_weights={'a': 1.0, 'b': 1.0})"
    )


def test_a_forecast_s_command_of_a_z_column_tells_no_weights(path: str) -> None:
    laid_out(path, None, ["a", "b"], **WEIGHED)
    service = SimpleNamespace(path="t")
    scope: Any = SimpleNamespace(service=service, where=None, settings={QUERIES: NO_QUERIES})
    wanted = ZOrderOptions(columns=["a", "b"], z_column="_z")
    way = advised(scope, TableSnapshot.open(path), wanted)
    z_column = "hoodie.clustering.zorder.z.column=_z"
    full = "--hudi hoodie.clustering.zorder.queries=none"
    assert way.command == f"hudi-zorder cluster t --columns a,b --hudi {z_column} {full}"
    assert way.call == (
        "table.cluster(columns=['a', 'b'], z_column='_z', "
        "hudi_options={'hoodie.clustering.zorder.queries': 'none'})"
    )


@pytest.mark.usefixtures("path")
def test_days_that_move_on_are_no_drift_and_told_anew(tmp_path: Path) -> None:
    """As long as they are asked for by the partition column."""
    rows = {f"2026-11-0{day}/{day}": pa.table({"a": [1], "b": [1], "day": ["x"]}) for day in (1, 2)}
    properties = {
        "hoodie.table.partition.fields": "day",
        "hoodie.table.keygenerator.type": "SIMPLE",
    }
    days = str(write_plain_table(tmp_path / "days", rows, properties=properties))

    def of(day: int) -> dict[str, float]:
        return {f"{text} AND day = '2026-11-0{day}'": weight for text, weight in ASKED.items()}

    before = laid_out(days, of(1))
    after = chosen(days, of(2))
    told = [json.loads(choice.settings[QUERIES]) for choice in (before, after)]
    assert is_same_layout(config(before), config(after))
    assert told[0]["queries"] == told[1]["queries"]
    assert {str(one[2]) for one in told[0]["partitions"]} == {
        "{'day': [['2026-11-01', '2026-11-01']]}"
    }
    assert {str(one[2]) for one in told[1]["partitions"]} == {
        "{'day': [['2026-11-02', '2026-11-02']]}"
    }
    assert len(told[1]["partitions"]) == len(ASKED)
    assert after.notes == ()


def test_upkeep_goes_on_with_our_last_layout_though_hudi_has_clustered_since(path: str) -> None:
    """As a writer does; what Hudi's own strategy stores are the columns alone."""
    before = laid_out(path, ASKED, ["a", "b"], target_file_size="32MB")
    tell_of_clustering(path, {SORT_COLUMNS: "b"}, "20260102000001000")

    assert is_kept(before, chosen(path, None, ["a", "b"]))
    assert is_kept(before, chosen(path, None))
    # Whoever asks is told of what was last.
    assert clustered_columns(TableSnapshot.open(path)) == ("b",)


def test_what_hudi_alone_has_clustered_is_gone_on_with_by_its_columns(path: str) -> None:
    tell_of_clustering(path, {SORT_COLUMNS: "b,a"})
    assert chosen(path, None).options.columns == ("b", "a")


def test_a_plan_whose_boxes_are_none_is_damaged(path: str) -> None:
    told = config(laid_out(path, ASKED))
    content = json.loads(told[QUERIES])
    content["queries"][0][1] = [7]
    tell_of_clustering(path, {**told, QUERIES: json.dumps(content)})
    with pytest.raises(TableError, match="hudi-zorder has not written"):
        chosen(path, ASKED)
