"""Which queries forecasts and recommendations are judged by and cut for, without Spark."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

import hudi_zorder as hz
from hudi_zorder.forecast import forecast as forecasting
from hudi_zorder.forecast.duration import Duration
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.options import MODE, QUERIES, SORT_COLUMNS, ZOrderOptions
from hudi_zorder.parquet.file_schema import ColumnSchema
from hudi_zorder.predicate.value_tests import ValueTest, within
from hudi_zorder.recommendation import recommend as recommending
from hudi_zorder.simulation.dry_run import DryRun, DryRunGroup
from hudi_zorder.simulation.file_set import FileSet, SimulatedFile
from hudi_zorder.simulation.found_once import FoundOnce
from hudi_zorder.simulation.grouped_sample import GroupedSample
from hudi_zorder.simulation.numbered_column import NumberedColumn
from hudi_zorder.simulation.present_files import present_files
from hudi_zorder.simulation.whole_table import FORGETS, of_whole_table
from hudi_zorder.workload.queries_to_plan import queries_for_plan
from hudi_zorder.workload.weighted_queries import WeightedQuery
from plain_table import INSTANT, base_file, tell_of_clustering, write_plain_table

DAY = dt.timedelta(days=1)
NOW = dt.datetime(2026, 11, 25, tzinfo=dt.timezone.utc)


class Simulated:
    """In Spark's place: a sample of four rows, of which every layout makes one file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, snapshot: TableSnapshot) -> None:
        self.looked: Mapping[str, ColumnSchema] = {}
        self.cut_for = ""
        files = present_files(snapshot, snapshot.slices, snapshot.schema.leaves)
        self.now = FileSet(files, lambda _: {})
        service = SimpleNamespace(snapshot=lambda: snapshot, path=snapshot.url)
        self.scope: Any = SimpleNamespace(spark=None, service=service, where=None, settings={})
        self._snapshot = snapshot
        for module in (forecasting, recommending):
            monkeypatch.setattr(module, "session_time_zone", lambda _: "UTC")
            monkeypatch.setattr(module, "status", lambda _: nullcontext(lambda _: None))
            monkeypatch.setattr(module, "dry_run", self.dry_run)
        took = Duration(seconds=1.0, warm_seconds=1.0, basis="default")
        monkeypatch.setattr(forecasting, "_duration", lambda *_: took)

    @contextmanager
    def dry_run(self, _scope: Any, _snapshot: Any, _options: Any, looked: Any) -> Iterator[DryRun]:
        """Yields the sample, and keeps which columns were looked at."""
        self.looked = looked
        values = [pa.array([0, 1, 2, 3], pa.int64())] * len(looked)
        groups = pa.array([0, 0, 0, 0], pa.int32())
        sample = GroupedSample(groups, values, looked, [""], [4], nan_shows=True)
        preview: Any = SimpleNamespace(files=self.numbers, groups=[DryRunGroup("", 1)])
        yield DryRun(self._snapshot, preview, [DryRunGroup("", 1)], sample, self.now, 1, 1)

    def numbers(self, layout: Mapping[str, str]) -> pa.Array:
        """Returns the number of each row's file, and keeps what they would be cut for."""
        self.cut_for = layout[QUERIES]
        return pa.array([0, 0, 0, 0], pa.int32())

    def forecast(self, *queries: Any, **fields: Any) -> hz.Forecast:
        """Returns a forecast by two columns."""
        options = ZOrderOptions(columns=["c0", "c1"], **fields)
        return forecasting.forecast(self.scope, options, *queries)


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> TableSnapshot:
    """A table of 300 columns."""
    rows = pa.table({f"c{n}": [0, 1, 2, 3] for n in range(300)})
    path = write_plain_table(tmp_path_factory.mktemp("wide") / "t", [rows])
    return TableSnapshot.open(str(path))


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch, snapshot: TableSnapshot) -> Simulated:
    return Simulated(monkeypatch, snapshot)


def logged(table: str, predicate: str, times: int = 1) -> hz.LoggedQuery:
    return hz.LoggedQuery(
        table=table, names=(), predicate=predicate, times=times, first=NOW, last=NOW, rows=1,
        files=1, bytes=1,
    )  # fmt: skip


def test_predicates_beside_queries_are_shown_and_have_no_vote(simulated: Simulated) -> None:
    """The mean is of those held back, as its name says: it decides for which layout."""
    beside, queries = ["c0 = 9", "c1 = 9"], [f"c0 = {n}" for n in range(4)]
    found = simulated.forecast(beside, queries)
    for layout in found.layouts:
        *_, first, second, third, fourth = layout.reads
        assert [(read.kind, read.text, read.after) for read in (first, second)] == [
            ("predicate", text, 0.0) for text in beside
        ]
        assert {(read.kind, read.after) for read in (third, fourth)} == {("query", 1.0)}
        assert (layout.mean, layout.mean_known) == (1.0, 1.0)
    assert "held back" in str(found)
    alone = simulated.forecast(beside)
    assert {layout.mean for layout in alone.layouts} == {0.0}
    assert "held back" not in str(alone)


def test_files_are_cut_for_the_queries_of_a_log_as_clustering_cuts_them(
    simulated: Simulated, snapshot: TableSnapshot
) -> None:
    """Spark logs of a joined column that it is not null, which is nothing to cut files for."""
    predicates = ("c0 = 3", "c1 IS NOT NULL", "c0 < 2 AND c1 IS NOT NULL")
    log = hz.Queries(queries=tuple(logged(snapshot.url, p) for p in predicates), left_out=())
    simulated.forecast([], log)
    assert simulated.cut_for == queries_for_plan(snapshot, log, "UTC", ["c0", "c1"]).text
    given = queries_for_plan(snapshot, list(predicates), "UTC", ["c0", "c1"]).text
    assert simulated.cut_for != given


def test_a_forecast_takes_what_clustering_takes_however_few_ask_sort_columns(
    simulated: Simulated, snapshot: TableSnapshot
) -> None:
    """Of each template half is held back, and so might be the only one on a sort column."""
    queries = [*(f"c7 = {n}" for n in range(8)), "c0 = 3"]
    found = simulated.forecast([], queries)
    assert simulated.cut_for == queries_for_plan(snapshot, queries, "UTC", ["c0", "c1"]).text
    for layout in found.layouts:
        assert len(layout.reads) == 2 + len(queries)
        assert layout.mean == pytest.approx(layout.mean_known)
    assert found.notes == (
        "89% of the queries, by weight, compare no sort column with a value in all that they read, "
        'such as "c7 = 0"',
        "of fewer than 4 queries on sort columns none is held back: 'queries' is judged by the "
        "very ones that it is cut for",
    )


def test_half_of_those_that_files_are_cut_for_is_held_back_whatever_else_is_asked(
    simulated: Simulated,
) -> None:
    """Else the later half of all could be all that files can be cut for."""
    idle = [f"c{20 + n} = 1" for n in range(8)]
    used = [f"c0 = {n} AND c{10 + n} > 0" for n in range(8)]
    asked = [WeightedQuery(text, 1.0, (NOW + n * DAY,)) for n, text in enumerate(idle + used)]
    found = simulated.forecast([], asked)
    kept = json.loads(simulated.cut_for)["queries"]
    assert [boxes["c0"][0][0] for _, boxes in kept] == ["0", "1", "2", "3"]
    held_back = {read.text for read in found.layouts[0].reads[2:]}
    assert held_back == {*idle[4:], *used[4:]}


def test_queries_that_cut_nothing_weigh_what_they_do_however_few_they_are(
    simulated: Simulated,
) -> None:
    """Three are in both halves, as there is no half of them: with half of their weight in each."""
    used = [f"c0 = {n}" for n in range(8)]
    found = simulated.forecast([], [*used, *(f"c7 = {n}" for n in range(3))])
    held_back = found.layouts[0].reads[2:]
    assert sum(read.weight for read in held_back) == 5.5
    assert [read.weight for read in held_back if read.text not in used] == [0.5] * 3


@pytest.mark.parametrize("laid_out_for_queries", [False, True])
@pytest.mark.parametrize(
    ("is_logged", "source"), [(True, "--event-log LOGS"), (False, "--queries FILE")]
)
def test_the_command_takes_queries_from_where_they_are(
    simulated: Simulated,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: TableSnapshot,
    is_logged: bool,
    source: str,
    laid_out_for_queries: bool,
) -> None:
    """With mode full where the table could go on with the queries of its last clustering."""
    monkeypatch.setattr(forecasting, "_choice", lambda _: forecasting.QUERIED)
    text = "{}" if laid_out_for_queries else "none"
    monkeypatch.setattr(forecasting, "layout_queries", lambda _: text)
    log = hz.Queries(queries=(logged(snapshot.url, "c0 = 3"),), left_out=())
    found = simulated.forecast([], log if is_logged else ["c0 = 3"])
    assert found.command.endswith(f" {source}")
    assert ("--mode full" in found.command) == laid_out_for_queries
    assert ("mode='full'" in found.call) == laid_out_for_queries


def test_a_text_of_predicates_is_refused_by_its_name(simulated: Simulated) -> None:
    with pytest.raises(hz.OptionError, match="'predicates' was the text 'c0 = 1'; write a list"):
        simulated.forecast("c0 = 1")


def laid_out(path: Path, **parameters: str) -> TableSnapshot:
    """A table whose file is in a run, and whose last clustering was by c0 and c1."""
    write_plain_table(path, [pa.table({"c0": [0, 1, 2, 3], "c1": [0, 1, 2, 3]})])
    run = "a1b2c3d4-e5f6-8123-9159-e277ab6fbbd5-0"
    (path / base_file("0")).rename(path / f"{run}_0-0-0_{INSTANT}.parquet")
    tell_of_clustering(path, {SORT_COLUMNS: "c0,c1", **parameters})
    return TableSnapshot.open(path)


def test_the_command_does_to_all_files_what_was_forecast_of_them(
    monkeypatch: pytest.MonkeyPatch, simulated: Simulated, tmp_path: Path
) -> None:
    """Else it would leave alone what is laid out already, or what is above a limit."""
    assert "mode" not in simulated.forecast(["c0 = 1"]).command
    limited = simulated.forecast(["c0 = 1"], max_bytes_per_plan=5, mode="incremental")
    assert "--mode full" in limited.command
    assert "mode='full'" in limited.call
    assert MODE not in limited.command + limited.call

    again = Simulated(monkeypatch, laid_out(tmp_path / "t")).forecast(["c0 = 1"])
    assert "--mode full" in again.command
    assert "mode='full'" in again.call
    assert QUERIES not in again.command
    assert again.notes == ()


def test_the_command_forgets_queries_that_the_forecast_knows_nothing_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    snapshot = laid_out(tmp_path / "t", **{QUERIES: '{"unit": 1, "queries": []}'})
    found = Simulated(monkeypatch, snapshot).forecast(["c0 = 1"])
    assert f"--hudi {QUERIES}=none" in found.command
    assert f"'{QUERIES}': 'none'" in found.call
    assert found.notes == (FORGETS,)
    options = ZOrderOptions(columns=["c0", "c1"])
    for settings, queried in (({QUERIES: "{}"}, False), ({}, True)):
        _, kept = of_whole_table(snapshot, options, settings, queried=queried)
        assert kept == settings


def test_of_many_predicates_a_part_is_judged_by_and_all_layouts_share_what_is_now(
    monkeypatch: pytest.MonkeyPatch, simulated: Simulated
) -> None:
    asked_now, tested = [], []
    share_of_query = simulated.now.share_of_query
    selectivity = NumberedColumn.selectivity
    monkeypatch.setattr(
        simulated.now, "share_of_query", lambda q: asked_now.append(q) or share_of_query(q)
    )
    monkeypatch.setattr(
        NumberedColumn, "selectivity", lambda s, t: tested.append(t) or selectivity(s, t)
    )
    found = simulated.forecast([f"c0 = {i}" for i in range(700)])
    assert [len(part.reads) for part in found.layouts] == [2 + 500] * 4
    assert len(asked_now) == len(tested) == 500
    [note] = found.notes
    assert note.startswith("200 of 700 queries, with 28.6% of all weight, were left out")


def test_of_many_files_fewer_queries_of_each_kind_are_held_against_them(
    monkeypatch: pytest.MonkeyPatch, simulated: Simulated
) -> None:
    simulated.now = FileSet([SimulatedFile("", 4, {})] * 100_000, lambda _: {})
    asked_now = []
    monkeypatch.setattr(simulated.now, "share_of_query", lambda q: asked_now.append(q) or 1.0)
    heavy = [(f"c0 = {i}", 2) for i in range(30)]
    queries = [f"c1 = {i}" for i in range(140)]
    found = simulated.forecast([*(f"c0 < {i}" for i in range(90)), *heavy], queries)
    assert len(asked_now) == 50 + 50
    for layout in found.layouts:
        texts = {read.text for read in layout.reads if read.kind == "predicate"}
        assert {text for text, _ in heavy} < texts
    told = [note.partition(":")[2] for note in found.notes if "left out" in note]
    assert told == [" to save time on 100,000 files; the heaviest stayed"] * 2
    assert "70 of 120 queries, with 46.7% of all weight" in found.notes[0]


def test_predicates_that_are_not_too_many_are_judged_by_in_their_order(
    simulated: Simulated,
) -> None:
    asked = [f"c0 = {i}" for i in range(3)]
    found = simulated.forecast(asked)
    assert [read.text for read in found.layouts[0].reads] == ["c0", "c1", *asked]
    assert found.notes == ()


def test_a_forecast_looks_at_no_more_columns_than_a_sample_can_have(
    simulated: Simulated,
) -> None:
    queries = [(f"c{i} = 1", 300 - i) for i in range(300)]
    found = simulated.forecast([f"c{i} = 1" for i in range(300)], queries)
    assert {"c0", "c1"} < set(simulated.looked)
    assert len(simulated.looked) == 128
    assert all(len(part.reads) > 100 for part in found.layouts)
    assert any(note.endswith("a sample has at most 128 columns") for note in found.notes)


def test_rows_of_log_files_are_no_rows_of_a_forecast_but_a_note(
    simulated: Simulated, snapshot: TableSnapshot
) -> None:
    assert simulated.forecast([]).rows == 4
    [part] = snapshot.slices
    assert part.base is not None
    logs = (part.base._replace(size=900), part.base._replace(size=450))
    simulated.now = FileSet(present_files(snapshot, [part._replace(logs=logs)], {}), lambda _: {})
    found = simulated.forecast([])
    assert (simulated.now.rows, found.rows) == (17, 4)
    assert "log files are thought to have 13 rows more, by their size" in found.notes[0]


def test_a_recommendation_looks_at_the_columns_of_the_heaviest_queries(
    simulated: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Sampled(Exception):
        pass

    def stop(*_: Any) -> None:
        raise Sampled

    monkeypatch.setattr(recommending, "ColumnSearch", stop)
    queries = [(f"c{i} = 1", i + 1) for i in range(300)]
    with pytest.raises(Sampled):
        recommending.recommend(simulated.scope, queries, {}, 4)
    assert set(simulated.looked) == {f"c{i}" for i in range(172, 300)}


def test_a_recommendation_tells_which_columns_it_has_not_looked_at(simulated: Simulated) -> None:
    def notes(columns: int) -> list[str]:
        queries = [(f"c{i} = 1", i + 1) for i in range(columns)]
        found = recommending.recommend(simulated.scope, queries, {}, 1)
        return [note for note in found.notes if "not looked at" in note]

    assert notes(10) == []
    assert notes(11) == ["1 column that less is asked of was not looked at: c0"]
    assert notes(12) == ["2 columns that less is asked of were not looked at: c1, c0"]


def test_a_table_of_which_the_queries_read_nothing_is_left_as_it_is(simulated: Simulated) -> None:
    queries = [("c0 < 0", 8), "c1 < 0", "c0 > 9 AND c2 < 0"]
    found = recommending.recommend(simulated.scope, queries, {}, 4)
    assert (found.share_now, found.share_after) == (0.0, 0.0)
    assert not found
    assert {len(candidate.columns) for candidate in found.candidates} == {1, 2}
    assert str(found).startswith("Leave it as it is")


@pytest.mark.parametrize("index", ["column_stats", "files"])
def test_conditions_that_skip_no_file_are_told_the_first_of_them_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: str
) -> None:
    properties = {"hoodie.table.metadata.partitions": index}
    rows = pa.table({"c0": [0, 1, 2, 3], "c1": [0, 1, 2, 3]})
    path = write_plain_table(tmp_path / "t", [rows], properties=properties)
    simulated = Simulated(monkeypatch, TableSnapshot.open(str(path)))
    asked = [f"c0 <=> {n} AND c1 + 1 = c0" for n in range(7)]
    told = [f"Hudi skips no file by c0 <=> {n}, a null-safe equality; write = " for n in range(5)]
    told = [*told, "the like is to be said of 2 more"] if index == "column_stats" else []
    told = ["c1 + 1 = c0 skips nothing: ", *told]
    for found in (
        simulated.forecast(asked),
        recommending.recommend(simulated.scope, asked, {}, 1),
    ):
        notes = found.notes[: len(told)]
        assert [note[: len(start)] for note, start in zip(notes, told, strict=True)] == told
        assert not any("Hudi skips" in note for note in found.notes[len(told) :])


def test_what_independent_columns_read_is_the_mean_over_all_partitions(
    simulated: Simulated, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_others = [(4.0, 9), (2.0, 9), (8.0, 16)]

    def parts(_: FileSet, bound: Any = None) -> list[tuple[float, int]]:
        return [*of_others, (6.0, 0 if bound else 1)]

    monkeypatch.setattr(FileSet, "parts", parts)
    found = simulated.forecast(["c0 = 3"])
    shares = {files: min(1.0, 0.25 + 1 / files**0.5) for files in (9, 16)}
    expected = (6 * shares[9] + 8 * shares[16]) / 20
    assert found.layouts[0].reads[2].independent_share == pytest.approx(expected)


def test_a_list_of_values_is_looked_up_once_however_many_files_there_are() -> None:
    hashed = []

    class Point(int):
        def __hash__(self) -> int:
            hashed.append(self)
            return int(self)

    tests = [ValueTest("a", "a IN (1, 3)", within((Point(n), Point(n)) for n in (1, 3)))] * 2
    asked: list[ValueTest] = []
    found = FoundOnce(lambda test: asked.append(test) or len(asked))
    assert [found.of(test) for _ in range(100) for test in tests] == [1] * 200
    equal = ValueTest("a", "a IN (1, 3)", within((n, n) for n in (1, 3)))
    assert found.of(equal) == 1
    assert len(hashed) < 20
