"""Arguments of Python's calls that are of another kind, or without effect, refused in our words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from py4j.protocol import Py4JError

import hudi_zorder as hz
from hudi_zorder.clustering.given_layout import GivenLayout
from hudi_zorder.clustering.hudi_options import as_settings
from hudi_zorder.clustering.layout_choice import LayoutChoice
from hudi_zorder.hudi.snapshot import TableSnapshot
from hudi_zorder.spark._jvm.exceptions import translated
from plain_table import write_clustered_table

NO_FOLDER = (hz.TableError, "which names no folder; name the one that holds .hoodie")
NO_PICTURE = (hz.OptionError, "Cannot draw: 'path' was '5'; end it in .png, .svg, .pdf")
NO_LIST = "Cannot read queries: 'queries' was"
LOGGED = hz.Queries(queries=())
QUERIES = pd.DataFrame({"query": ["a = 5"], "weight": [2]})


def information(**given: Any) -> Callable[[Any], object]:
    return lambda table: table.clustering_information(["a"], **given)


CALLS: dict[str, tuple[Callable[[Any], object], tuple[type[Exception], str]]] = {
    "a zone that is no text": (
        lambda table: table.explain("a = 5", time_zone=dt.timezone.utc),
        (hz.OptionError, "'time_zone' was datetime.timezone.utc; write a text such as 'Europe/"),
    ),
    "a zone that is unknown": (
        information(queries=["a = 5"], time_zone="Mars"),
        (hz.OptionError, "'time_zone' was 'Mars'; name one such as 'Europe/Berlin'"),
    ),
    "a zone of no queries": (
        information(time_zone="UTC"),
        (
            hz.OptionError,
            "Cannot measure clustering: 'time_zone' was 'UTC', and there are no queries whose "
            "times are in it; give queries (--queries or --event-log), or leave it out",
        ),
    ),
    "an unknown zone of no queries": (
        information(time_zone="Mars"),
        (hz.OptionError, "Cannot read times: 'time_zone' was 'Mars'"),
    ),
    "queries that are a number": (
        information(queries=5),
        (hz.OptionError, f"{NO_LIST} 5; write a list: queries=['a = 5']"),
    ),
    "queries that are a text": (
        information(queries="a = 5"),
        (hz.OptionError, f"{NO_LIST} the text 'a = 5'; write a list: queries=['a = 5']"),
    ),
    "queries that are a data frame": (
        information(queries=QUERIES),
        (hz.OptionError, f"{NO_LIST} a DataFrame, of which only the names of columns would"),
    ),
    "no queries": (
        information(queries=[]),
        (hz.OptionError, "'queries' is empty; give at least one"),
    ),
    "a picture that is a number": (lambda table: table.plot_layout("a", "b", path=5), NO_PICTURE),
    "a picture of depth that is a number": (
        lambda table: table.plot_depth(["a"], path=5),
        NO_PICTURE,
    ),
    "an instant that is a number": (
        lambda table: table.plot_layout("a", "b", before=20260102000000000),
        (hz.OptionError, "'before' was 20260102000000000, which is no text; write it in quotes"),
    ),
    "a report that is a number": (
        lambda table: table.report(5, ["a"]),
        (hz.OptionError, "'path' was 5, which names no file; name one such as 'report.html'"),
    ),
    "a log that is none": (
        lambda _: hz.queries_from_event_log(None),  # type: ignore[arg-type]
        (hz.OptionError, "Cannot read event logs: 'path' was None; name a log, or the folder that"),
    ),
    "queries of no table": (lambda _: LOGGED.for_table(None), NO_FOLDER),  # type: ignore[arg-type]
    "queries of a number": (lambda _: LOGGED.for_table(5), NO_FOLDER),  # type: ignore[arg-type]
    "queries moved nowhere": (lambda _: LOGGED.moved_to(b"/t"), NO_FOLDER),  # type: ignore[arg-type]
    "weights of no name": (
        lambda _: hz.ZOrderOptions(columns=["a"], column_weights={5: 2}),  # type: ignore[dict-item]
        (hz.ColumnError, "Cannot read columns: 'column_weights' holds '5'; a column name is a"),
    ),
}


HUDI_OPTIONS: list[tuple[Any, str]] = [
    ("a=1", "'hudi_options' was 'a=1'; write a mapping: hudi_options={'hoodie.key': 'value'}"),
    ([("a", 1)], "'hudi_options' was [('a', 1)]; write a mapping"),
    ({5: 1}, "'hudi_options' has the key 5, which is no text"),
    ({"a": None}, "'a' was None in 'hudi_options', which is no value; leave it out"),
]


@pytest.mark.parametrize(("given", "told"), HUDI_OPTIONS)
def test_options_of_hudi_are_a_mapping_of_texts(given: Any, told: str) -> None:
    with pytest.raises(hz.OptionError) as refused:
        as_settings(given)
    assert told in str(refused.value)


def test_options_as_a_whole_are_no_mapping() -> None:
    given: Any = {"columns": ["a"]}
    with pytest.raises(hz.OptionError, match=r"write options=ZOrderOptions\(columns="):
        GivenLayout.of(None, given, {}, None)


@pytest.mark.parametrize(("queries", "told"), [(5, "5"), ("", "the text ''"), (QUERIES, "a Data")])
def test_queries_to_cut_for_are_a_list(tmp_path: Path, queries: Any, told: str) -> None:
    snapshot = TableSnapshot.open(write_clustered_table(tmp_path / "t"))
    session: Any = None
    with pytest.raises(hz.OptionError, match=f"{NO_LIST} {told}"):
        LayoutChoice.of(session, snapshot, queries, GivenLayout.of(None, None, {}, None))


def test_columns_and_queries_may_come_from_a_generator(spark: Any, tmp_path: Path) -> None:
    snapshot = TableSnapshot.open(write_clustered_table(tmp_path / "t"))
    columns: Any = (name for name in "ab")
    given = GivenLayout.of(columns, None, {}, None)
    assert LayoutChoice.of(spark, snapshot, None, given).options.columns == ("a", "b")
    queries: Any = (f"a = {n}" for n in range(3))
    found = LayoutChoice.of(spark, snapshot, queries, GivenLayout.of(None, None, {}, None))
    assert found.options.columns == ("a",)


def test_columns_to_have_statistics_are_spelt_as_in_the_table(tmp_path: Path) -> None:
    """Hudi makes none of others, and says nothing."""
    snapshot = TableSnapshot.open(write_clustered_table(tmp_path / "t"))
    session: Any = None

    def chosen(*names: str) -> LayoutChoice:
        given = GivenLayout.of(["a"], None, {"stats_columns": names}, None)
        found = LayoutChoice.of(session, snapshot, None, given)
        return found.with_known_statistics(snapshot)

    assert chosen("B", "a").options.stats_columns == ("b", "a")
    with pytest.raises(hz.ColumnError, match="no column 'bb'; did you mean 'b'"):
        chosen("bb")


def test_what_java_s_gateway_refuses_is_told_in_its_words() -> None:
    error = Py4JError(
        "An error occurred while calling o37.parse. Trace:\npy4j.Py4JException: Method "
        "parse([class java.lang.Integer]) does not exist\n\tat py4j.reflection.Reflection\n"
    )
    told = translated(error, "find the table '5'", hz.TableError)
    assert str(told) == (
        "Cannot find the table '5': Method parse([class java.lang.Integer]) does not exist"
    )
    assert str(translated(Py4JError(""), "ask", hz.TableError)) == "Cannot ask: no message"


@pytest.mark.parametrize("name", CALLS)
def test_it_is_refused_by_name(tmp_path: Path, name: str) -> None:
    call, (kind, told) = CALLS[name]
    with pytest.raises(kind) as refused:
        call(hz.open_table(write_clustered_table(tmp_path / "t")))
    assert told in str(refused.value)


def test_a_column_of_a_data_frame_is_a_list_of_queries(tmp_path: Path) -> None:
    table = hz.open_table(write_clustered_table(tmp_path / "t"))
    weighed = list(zip(QUERIES["query"], QUERIES["weight"], strict=True))
    for queries in (QUERIES["query"], weighed):
        found = table.clustering_information(["a"], queries=queries, time_zone="UTC").queries
        assert found is not None
        assert found.queries == 1


def test_an_encoded_url_is_told_from_one_that_leads_nowhere(tmp_path: Path) -> None:
    path = write_clustered_table(tmp_path / "my table")
    with pytest.raises(hz.TableError, match=r"my%20table'; did you mean '.*/my table'\?") as told:
        hz.open_table(path.as_uri())
    assert "a path is taken literally" in str(told.value)
    with pytest.raises(hz.TableError, match=r"50%'; name the folder that holds"):
        hz.open_table(tmp_path / "50%")


def test_of_a_session_s_table_too(spark: Any, tmp_path: Path) -> None:
    table = hz.ZOrderTable(spark, write_clustered_table(tmp_path / "t"))
    with pytest.raises(hz.OptionError, match=r"'hudi_options' was {'a': '1'}.* leave out one of"):
        table.repair(dry_run=True, hudi_options={"a": 1})
    for path in (None, 5):
        with pytest.raises(hz.TableError, match="which names no folder"):
            hz.ZOrderTable(spark, path)  # type: ignore[arg-type]
    assert table.clustering_information(["a"]).queries is None
    for name, told in (5, "Method parseTableIdentifier"), (None, 'Cannot invoke "String.length'):
        with pytest.raises(hz.TableError, match=rf"^Cannot find the table '{name}': {told}"):
            hz.ZOrderTable.for_name(spark, name)  # type: ignore[arg-type]


OF_A_SESSION: dict[str, tuple[Callable[[Any], object], tuple[type[Exception], str]]] = {
    "a predicate that is none": (
        lambda table: table.explain(None),
        (hz.PredicateError, "it was None; write a text such as 'a = 5'"),
    ),
    "ranges that are a text": (
        lambda table: table.z_predicate("a = 5", max_ranges="5"),
        (hz.OptionError, "'max_ranges' was '5'; write a whole number from 1 to 999"),
    ),
    "ranges of a box that are none": (
        lambda _: hz.z_ranges([(0, 1)], max_ranges=1.5),  # type: ignore[arg-type]
        (hz.OptionError, "'max_ranges' was '1.5'; allow at least one range"),
    ),
    "a box that is a number": (
        lambda _: hz.z_ranges(5),  # type: ignore[arg-type]
        (hz.OptionError, "'box' was 5; pass a pair of words for each column"),
    ),
    "predicates that are a number": (
        lambda table: table.forecast(["a"], predicates=5),
        (hz.OptionError, "'predicates' was 5; write a list: predicates=['a = 5']"),
    ),
    **{
        f"an instant to {verb} that is a number": (
            lambda table, verb=verb: getattr(table, verb)(20260102000000000),  # type: ignore[misc]
            (hz.OptionError, "'instant' was 20260102000000000, which is no text"),
        )
        for verb in ("execute", "cancel", "verify")
    },
}


@pytest.mark.parametrize("name", OF_A_SESSION)
def test_it_is_refused_of_a_session_s_table(spark: Any, tmp_path: Path, name: str) -> None:
    call, (kind, told) = OF_A_SESSION[name]
    with pytest.raises(kind) as refused:
        call(hz.ZOrderTable(spark, write_clustered_table(tmp_path / "t")))
    assert told in str(refused.value)
