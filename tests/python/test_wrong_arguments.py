"""Arguments of Python's calls that are of another kind, or without effect, refused in our words."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import hudi_zorder as hz
from hudi_zorder.clustering.layout_choice import LayoutChoice, as_settings
from hudi_zorder.hudi.snapshot import TableSnapshot
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
    "a report that is a number": (
        lambda table: table.report(5, ["a"]),
        (hz.OptionError, "'path' was 5, which names no file; name one such as 'report.html'"),
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


def test_options_as_a_whole_are_no_mapping(tmp_path: Path) -> None:
    snapshot = TableSnapshot.open(write_clustered_table(tmp_path / "t"))
    session: Any = None
    given: Any = {"columns": ["a"]}
    with pytest.raises(hz.OptionError, match=r"write options=ZOrderOptions\(columns="):
        LayoutChoice.of(session, snapshot, None, None, given, {}, None)


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
